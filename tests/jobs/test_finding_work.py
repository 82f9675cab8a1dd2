"""A worker over a store that finds work by itself, as one does that many processes share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.errors import StoreBusy
from remanent.model import Scope
from remanent.stores import Store
from remanent.stores.sqlite import SqliteStore
from tests.jobs.script import Script
from tests.jobs.world import ADA, BOB, World


class FindingStore(SqliteStore):
    """Looks at every agent that there is when it is asked for work."""

    finds_work = True


class SharedWorld(World):
    def make_store(self) -> Store:
        return FindingStore(self.home)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = SharedWorld(tmp_path)
    yield world
    await world.close()


@pytest.mark.spec("COG-18")
async def test_work_for_agents_that_this_process_never_heard_of_is_done(world: World, script: Script) -> None:
    """Another server took the request, and went down since."""
    job_ids = await world.enqueue(["index"] * 2, scope=ADA)
    job_ids += await world.enqueue(["index"] * 2, scope=BOB)
    world.worker({"index": script}, store=world.open_store())
    await world.pass_time(1)
    assert sorted(script.order) == sorted(job_ids)
    assert [await world.jobs(scope) for scope in (ADA, BOB)] == [[], []]


async def test_work_that_another_process_enqueues_is_found_at_the_next_poll(world: World, script: Script) -> None:
    world.worker({"index": script}, store=world.open_store(), poll=30)
    await world.quiet()
    await world.enqueue(["index"])
    await world.pass_time(29)
    assert script.order == []
    await world.pass_time(2)
    assert len(script.order) == 1


async def test_a_retry_runs_when_it_is_due_and_settling_waits_for_it(world: World, script: Script) -> None:
    script.todo = [RuntimeError("not yet")]
    worker = world.worker({"index": script}, backoff_base=20, backoff_cap=20, poll=1000)
    await world.enqueue(["index"])
    await world.until(worker.settle([ADA]))
    assert script.seconds() == [0, 20]


async def test_settling_returns_though_others_have_work(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    await world.enqueue(["index"], scope=ADA)
    await world.enqueue(["index"], scope=BOB, not_before=world.time.now.replace(hour=5))
    await world.until(worker.settle([ADA]), within=60)
    assert len(script.runs) == 1


async def test_a_store_in_trouble_is_asked_again_later_and_the_work_goes_on(world: World, script: Script) -> None:
    worker = world.worker({"index": script}, backoff_base=1, backoff_cap=8)
    world.faults["claim_any"] = [StoreBusy("held")] * 3
    agents = [ADA, BOB, Scope(org="lab", workspace="home", agent="cy")]
    for agent in agents:
        await world.enqueue(["index"], scope=agent)
    await world.until(worker.settle(agents))
    assert len(script.runs) == 3
