"""Sessions: open while something is said in them, ended once, told of once, and the same when they go on."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.discipline import AnyAgent, Bilingual, Discipline, OpenDiscipline, Parts, SessionEnd
from remanent.errors import InvalidScope, NotFound, VersionConflict
from remanent.memory import AsyncMemory, aopen
from remanent.model import Entry, Scope
from remanent.stores import Transaction
from remanent.stores.sqlite import SqliteStore

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
IDLE = timedelta(minutes=30)


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


class OpenWitness(OpenDiscipline):
    def __init__(self, told: list[SessionEnd]) -> None:
        self._told = told

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Nothing follows from what is said."""

    async def on_session_end(self, tx: Transaction, ended: SessionEnd) -> None:
        tx.then(lambda _: self._told.append(ended))

    def agent_face(self, agent: AnyAgent) -> Any:
        return None


class Witness(Discipline):
    """Hears of every end."""

    name = "witness"
    purpose = Bilingual("Hears of ends.", "得知结束。")

    def __init__(self) -> None:
        self.told: list[SessionEnd] = []

    def open(self, parts: Parts) -> OpenDiscipline:
        return OpenWitness(self.told)


def opened(home: Path, clock: Clock, witness: Witness) -> AsyncMemory:
    return aopen(home, embedder="none", clock=clock, disciplines=[witness])


async def test_a_session_is_open_from_the_first_message_until_it_is_ended_by_a_call(tmp_path: Path) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        ada = memory.agent("ada")
        await ada.remember(["one", "two"], session="monday")
        [monday] = await ada.sessions()
        assert (monday.session, monday.is_open, monday.ended_at) == ("monday", True, None)
        assert monday.started_at == monday.active_at == NOW
        clock.go_on(5)
        ended = await ada.end_session("monday")
        assert (ended.is_open, ended.reason, ended.ended_at) == (False, "call", NOW + timedelta(minutes=5))
        assert [(one.scope.session, one.reason, one.after_seq, one.last_seq) for one in witness.told] == [
            ("monday", "call", 0, 2)
        ]
        assert await ada.sessions(is_open=True) == []


async def test_ending_a_session_twice_tells_of_it_once_and_one_that_never_was_is_refused(tmp_path: Path) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        ada = memory.agent("ada")
        await ada.begin_session("monday")
        first = await ada.end_session("monday", reason="hook")
        clock.go_on(1)
        assert await ada.end_session("monday") == first
        assert len(witness.told) == 1
        with pytest.raises(NotFound):
            await ada.end_session("tuesday")
        with pytest.raises(InvalidScope):
            await ada.begin_session("a\nb")


@pytest.mark.parametrize("minutes", [29, 31])
async def test_a_session_ends_by_itself_after_thirty_idle_minutes_and_not_before(tmp_path: Path, minutes: int) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        ada = memory.agent("ada")
        await ada.remember("one", session="monday")
        await memory.settle()  # which does not wait for the end of the session
        assert witness.told == []
        clock.go_on(minutes)
        await ada.settle()
        assert [(one.reason, one.active_at, one.ended_at) for one in witness.told] == (
            [("idle", NOW, clock.now)] if minutes > 30 else []
        )


async def test_what_is_said_meanwhile_puts_the_end_off_and_each_session_ends_by_its_own_time(tmp_path: Path) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        ada = memory.agent("ada")
        await ada.remember("one", session="long")
        await ada.remember("one", session="short")
        clock.go_on(20)
        await ada.remember("two", session="long")
        for _ in range(3):
            clock.go_on(11)
            await ada.settle()
        assert [(one.scope.session, one.ended_at - NOW) for one in witness.told] == [
            ("short", timedelta(minutes=31)),
            ("long", timedelta(minutes=53)),
        ]


async def test_an_end_that_came_due_while_nothing_ran_is_told_of_by_the_next_process(tmp_path: Path) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        await memory.agent("ada").remember("one", session="monday")
    clock.go_on(45)
    async with opened(tmp_path, clock, witness) as memory:
        assert [one.is_open for one in await memory.agent("ada").sessions()] == [False]
        await memory.agent("ada").settle()
    assert [one.scope.session for one in witness.told] == ["monday"]


async def test_a_resumed_session_is_the_same_and_its_next_end_tells_what_is_new(tmp_path: Path) -> None:
    clock, witness = Clock(), Witness()
    async with opened(tmp_path, clock, witness) as memory:
        ada = memory.agent("ada")
        await ada.remember(["one", "two"], session="monday")
        await ada.end_session("monday")
        clock.go_on(60)
        await ada.remember("three", session="monday")
        [monday] = await ada.sessions()
        assert (monday.is_open, monday.started_at, monday.reason) == (True, NOW, "call")
        await ada.end_session("monday")
        assert [(one.after_seq, one.last_seq) for one in witness.told] == [(0, 2), (2, 3)]
        assert [entry.text for entry in await ada.entries(session="monday")] == ["one", "two", "three"]


async def test_erasing_a_session_leaves_no_trace_of_its_name(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock(), Witness()) as memory:
        ada = memory.agent("ada")
        for session in ("monday", "tuesday", "wednesday"):
            await ada.remember("one", session=session)
        await ada.end_session("monday")
        await ada.erase(session="monday")
        assert {one.session for one in await ada.sessions()} == {"tuesday", "wednesday"}
        await ada.erase(everything=True)
        assert await ada.sessions() == []


async def test_a_value_that_somebody_else_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    store, scope = SqliteStore(tmp_path), Scope(org="o", workspace="w", agent="ada")

    async def write(value: int | None, expects: int | None) -> None:
        async with store.transaction(scope) as tx:
            tx.state("a", value, expects=expects)

    await write(1, None)
    outcomes = await asyncio.gather(write(2, 1), write(3, 1), return_exceptions=True)
    assert outcomes.count(None) == 1
    assert [type(one) for one in outcomes if one is not None] == [VersionConflict]
    with pytest.raises(VersionConflict):
        await write(None, None)
    await store.close()
