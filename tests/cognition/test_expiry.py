"""How short-term memories end: by promotion, by expiry, and never by a clock that jumps."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import remanent
from remanent.cognition.expiry import SteadyClock
from remanent.errors import NotFound
from remanent.memory import AsyncAgent, AsyncMemory
from remanent.model import Kind, Status, local
from remanent.stores.conformance.base import SetClock


async def liked(ada: AsyncAgent) -> Any:
    await ada.remember("I really enjoy hiking.")
    await ada.settle()
    (record,) = await ada.cognition.memories(kinds=["preference"])
    return record


@pytest.mark.spec("COG-07")
async def test_what_is_recalled_three_times_becomes_long_term(ada: AsyncAgent) -> None:
    record = await liked(ada)
    for _ in range(2):
        await ada.recall("What do I enjoy, hiking?")
    assert (await ada.cognition.show(record.id)).kind is Kind.PREFERENCE
    await ada.recall("What do I enjoy, hiking?")
    promoted = await ada.cognition.show(record.id)
    assert (promoted.kind, promoted.expires_at, promoted.access_count) == (Kind.SEMANTIC, None, 3)
    assert (await ada.cognition.history(record.id))[0].record.kind is Kind.PREFERENCE


@pytest.mark.spec("COG-06", "COG-07")
async def test_what_expires_unread_is_gone_and_its_turn_stays(ada: AsyncAgent, clock: SetClock) -> None:
    record = await liked(ada)
    clock.now += timedelta(days=7)
    assert await ada.cognition.memories() == []
    assert (await ada.cognition.clean(dry_run=True)).removed == (record.id,)
    assert (await ada.cognition.show(record.id)).id == record.id
    await ada.cognition.clean()
    with pytest.raises(NotFound):
        await ada.cognition.show(record.id)
    assert (await ada.recall("hiking")).items


@pytest.mark.spec("COG-06")
async def test_a_mood_is_of_the_day_on_which_it_was_told(ada: AsyncAgent, clock: SetClock) -> None:
    old = {"role": "user", "content": "I'm so excited about the concert!", "occurred_at": clock() - timedelta(days=2)}
    await ada.remember([old])
    await ada.settle()
    assert await ada.cognition.memories(kinds=["mood"]) == []
    await ada.remember([{**old, "content": "I'm really stressed about the exam tomorrow.", "occurred_at": clock()}])
    await ada.settle()
    (mood,) = await ada.cognition.memories(kinds=["mood"])
    assert mood.expires_at == clock() + timedelta(days=1)
    # Who reads it the day after takes "tomorrow" for another day.
    assert mood.content.endswith(f"the exam tomorrow [{local(clock() + timedelta(days=1)):%Y-%m-%d}]")


@pytest.mark.parametrize("plan", ["I'm going to meet the landlord in two weeks.", "我下下周四要参加面试。"])
async def test_a_plan_lives_until_its_day_is_over(ada: AsyncAgent, clock: SetClock, plan: str) -> None:
    await ada.remember(plan)
    await ada.settle()
    (record,) = await ada.cognition.memories(kinds=["follow_up"])
    assert record.expires_at is not None
    assert timedelta(days=10) < record.expires_at - clock() < timedelta(days=22)
    clock.now += timedelta(days=10)
    assert [one.id for one in await ada.cognition.memories()] == [record.id]


@pytest.mark.spec("COG-07")
async def test_what_was_read_once_is_set_aside_restorable_and_cleaned_away_later(
    ada: AsyncAgent, clock: SetClock
) -> None:
    record = await liked(ada)
    await ada.recall("What do I enjoy, hiking?")
    clock.now += timedelta(days=8)
    await ada.remember("Good morning to you, dear agent.")  # the next thing said has ended memories looked through
    await ada.settle()
    assert (await ada.cognition.show(record.id)).status is Status.EXPIRED
    assert (await ada.cognition.health()).expired == 1
    found = await ada.recall("What do I enjoy, hiking?")
    assert record.id not in {one for item in found.items for one in (item.record_id, *item.memory_ids)}
    restored = await ada.cognition.restore(record.id)
    assert restored.status is Status.ACTIVE
    assert restored.expires_at == clock() + timedelta(days=7)
    clock.now += timedelta(days=8)
    assert (await ada.cognition.clean()).expired == (record.id,)
    assert (await ada.cognition.clean(dry_run=True)).removed == (record.id,)
    await ada.cognition.clean()
    with pytest.raises(NotFound):
        await ada.cognition.show(record.id)


@pytest.mark.spec("COG-07")
async def test_a_pinned_memory_outlives_its_time(ada: AsyncAgent, clock: SetClock) -> None:
    record = await liked(ada)
    await ada.cognition.pin(record.id)
    clock.now += timedelta(days=30)
    assert (await ada.cognition.clean()).removed == ()
    assert (await ada.cognition.show(record.id)).status is Status.ACTIVE


def test_a_clock_that_jumps_ends_nothing_and_time_that_passed_does(caplog: pytest.LogCaptureFixture) -> None:
    wall, passed = SetClock(datetime(2026, 1, 1, tzinfo=UTC)), [0.0]
    steady = SteadyClock(wall, lambda: passed[0])
    wall.now += timedelta(days=9)
    assert steady() == datetime(2026, 1, 1, tzinfo=UTC)
    assert "jumped" in caplog.text
    wall.now -= timedelta(days=9)
    wall.now += timedelta(days=3)
    passed[0] += timedelta(days=3).total_seconds()
    assert steady() == wall()
    assert SteadyClock(wall)() == wall(), "time during which nothing ran is real"


class Tiers(RuleBasedStateMachine):
    """Memories under every order of saying, recalling, confirming, passing time and cleaning."""

    home: Path

    def __init__(self) -> None:
        super().__init__()
        self.clock = SetClock(datetime(2026, 1, 1, tzinfo=UTC))
        home = Path(tempfile.mkdtemp(dir=self.home))  # a life of its own: an id of Python's may be given twice
        self.memory = remanent.open(home, embedder="none", clock=self.clock)
        self.agent = self.memory.agent("ada")
        self.town: list[str] = []
        self.lasting: set[str] = set()

    @rule(town=st.sampled_from(["Rome", "Oslo", "Bern"]))
    def say_where(self, town: str) -> None:
        self.clock.now += timedelta(minutes=1)
        self.agent.remember(f"I live in {town}.")
        self.memory.settle()
        if self.town[-1:] != [town]:
            self.town.append(town)

    @rule(thing=st.sampled_from(["tea", "chess"]))
    def say_what(self, thing: str) -> None:
        self.agent.remember(f"I really enjoy {thing}.")
        self.memory.settle()

    @rule(days=st.integers(1, 10))
    def time_passes(self, days: int) -> None:
        self.clock.now += timedelta(days=days)

    @rule()
    def clean(self) -> None:
        self.agent.cognition.clean()

    @rule()
    def confirm_what_there_is(self) -> None:
        for record in self.agent.cognition.memories(kinds=["preference"]):
            self.lasting.add(record.id)
            self.agent.cognition.confirm(record.id)

    @rule()
    def propose_and_approve(self) -> None:
        proposed = self.agent.cognition.propose("Functions are named in camelCase", sort="convention")
        assert proposed.id not in {one.id for one in self.agent.cognition.shared()}
        self.agent.cognition.approve(proposed.id, by="lead")
        assert proposed.id in {one.id for one in self.agent.cognition.shared()}
        self.agent.cognition.revoke(proposed.id, by="lead")
        assert proposed.id not in {one.id for one in self.agent.cognition.shared()}

    @invariant()
    def nothing_is_double_dead_or_lost(self) -> None:
        known = self.agent.cognition.memories()
        assert len({record.content for record in known}) == len(known)
        assert all(record.expires_at is None or record.expires_at > self.clock() for record in known)
        assert self.lasting <= {record.id for record in known}
        where = [record for record in known if record.content.startswith("The user lives")]
        assert [record.content for record in where] == [f"The user lives in {town}" for town in self.town[-1:]]
        if where:
            told = [one.record.content for one in self.agent.cognition.history(where[0].id)]
            changes = [text for place, text in enumerate(told) if place == 0 or told[place - 1] != text]
            assert changes == [f"The user lives in {town}" for town in self.town]

    def teardown(self) -> None:
        self.memory.close()


@pytest.mark.spec("COG-07", "COG-08", "COG-11")
def test_tiers_hold_under_every_order_of_events(tmp_path: Path) -> None:
    Tiers.home = tmp_path
    run_state_machine_as_test(
        Tiers,
        settings=settings(
            max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


async def test_counts_of_reads_survive_closing(tmp_path: Path, clock: SetClock) -> None:
    async with remanent.aopen(tmp_path, embedder="none", clock=clock) as memory:
        record = await liked(memory.agent("ada"))
        await asyncio.gather(*(memory.agent("ada").recall(f"hiking {n}") for n in range(3)))
    async with remanent.aopen(tmp_path, embedder="none", clock=clock) as memory:
        assert isinstance(memory, AsyncMemory)
        assert (await memory.agent("ada").cognition.show(record.id)).kind is Kind.SEMANTIC
