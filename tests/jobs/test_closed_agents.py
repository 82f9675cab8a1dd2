"""Work of agents whose files were closed for others: it runs when it is due, and waiting for it opens nothing."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.jobs import worker as looking
from remanent.model import Scope
from remanent.stores import Claims, Store
from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.places import fast_folder
from tests.descriptors import needs_proc, open_agents
from tests.jobs.script import Script
from tests.jobs.world import ADA, World

pytestmark = needs_proc
OTHERS = [Scope(org="lab", workspace="home", agent=f"other{number}") for number in range(4)]


class SmallWorld(World):
    """A world in which two agents can be open at a time."""

    def make_store(self) -> Store:
        return SqliteStore(self.home, max_open=2)


@pytest.fixture
def folder() -> Iterator[Path]:
    with fast_folder() as folder:
        yield folder.resolve()


@pytest.fixture
async def world(folder: Path) -> AsyncIterator[World]:
    world = SmallWorld(folder)
    yield world
    await world.close()


async def use_others(world: World) -> None:
    for other in OTHERS:
        async with world.store.transaction(other) as tx:
            tx.state("used", value=True)


@pytest.mark.spec("USE-06")
async def test_a_retry_that_is_due_in_ten_minutes_runs_then_though_its_agent_was_closed(
    world: World, script: Script, folder: Path
) -> None:
    script.todo = [RuntimeError("not yet")]
    world.worker({"index": script}, backoff_base=600, backoff_cap=600, poll=30)
    await world.enqueue(["index"])
    await world.quiet()
    await use_others(world)
    assert "ada" not in open_agents(folder)
    await world.pass_time(590)
    assert script.seconds() == [0]
    assert "ada" not in open_agents(folder), "twenty looks at its queue have not opened it"
    await world.pass_time(11)
    assert script.seconds() == [0, 600]
    assert await world.jobs() == []


async def test_settling_waits_for_closed_agents_too(world: World, script: Script) -> None:
    script.todo = [RuntimeError("not yet")]
    worker = world.worker({"index": script}, backoff_base=600, backoff_cap=600)
    for other in OTHERS:
        await world.enqueue(["index"], scope=other)
    await world.until(worker.settle())
    assert len(script.runs) == 5


async def test_thousands_of_idle_agents_are_looked_at_less_often_each(
    world: World, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at one takes as long whether there are others or not, and all the looks together must stay few."""
    monkeypatch.setattr(looking, "IDLE_LOOK_INTERVAL", timedelta(seconds=25))
    worker = world.worker({"index": script}, poll=30)
    asked: list[Scope] = []
    claim = world.store.claim_any

    async def counted(*, among: Sequence[Scope], **options: Any) -> Claims:
        asked.extend(among)
        return await claim(among=among, **options)

    monkeypatch.setattr(world.store, "claim_any", counted)
    for other in (ADA, *OTHERS[:3]):
        worker.watch(other)
    await world.quiet()
    asked.clear()
    await world.pass_time(99)
    assert asked == []
    await world.pass_time(2)
    assert set(asked) == {ADA, *OTHERS[:3]}
