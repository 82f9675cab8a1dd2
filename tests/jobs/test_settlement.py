import asyncio

import pytest

from remanent.errors import BusyError, CallerError, JobFailed, StoreBusy
from remanent.jobs import Progress
from tests.jobs.script import Script
from tests.jobs.world import ADA, BOB, World


async def test_settling_an_idle_agent_returns_at_once(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    start = world.time.now
    await world.until(worker.settle([ADA]))
    await world.until(worker.settle())
    assert world.time.now == start


async def test_settling_waits_for_retries_that_lie_in_the_future(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")] * 4
    worker = world.worker({"index": script})
    [job_id] = await world.enqueue(["index"])
    start = world.time.now
    await world.until(worker.settle())
    assert (world.time.now - start).total_seconds() == 15
    assert await world.store.states(ADA) == {job_id: 5}


async def test_settling_waits_for_jobs_that_jobs_enqueue(world: World, script: Script) -> None:
    worker = world.worker({"index": script})

    async def until_settled() -> int:
        await worker.settle([ADA])
        return len(script.runs)

    script.hold = asyncio.Event()
    await world.enqueue(["index"])
    waiting = asyncio.create_task(until_settled())
    await world.quiet()
    await world.enqueue(["index"])
    script.hold.set()
    assert await world.until(waiting) == 2


async def test_settling_waits_for_the_work_of_another_process(world: World, script: Script) -> None:
    await world.enqueue(["index"])
    other = world.worker({"index": script}, store=world.open_store())
    script.hold = asyncio.Event()
    other.watch(ADA)
    await world.quiet()
    mine = Script(world)
    worker = world.worker({"index": mine})
    waiting = asyncio.create_task(worker.settle([ADA]))
    await world.pass_time(300)
    assert not waiting.done()
    script.hold.set()
    await world.until(waiting)
    assert (len(script.runs), len(mine.runs)) == (1, 0)


async def test_only_the_agents_asked_for_are_waited_for(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script, "quick": Script(world)})
    await world.enqueue(["index"], scope=BOB)
    await world.enqueue(["quick"], scope=ADA)
    await world.until(worker.settle([ADA.within(session="now")]), within=1)
    assert script.running[BOB] == 1


async def test_a_failure_is_told_once_after_everything_else_is_done(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")]
    worker = world.worker({"index": script})
    await world.enqueue(["index"], max_attempts=1)
    _, last = await world.enqueue(["dream", "index"])
    with pytest.raises(JobFailed, match=r"2 jobs gave up and are kept as dead letters.*'dream'"):
        await world.until(worker.settle())
    assert last in await world.store.states(ADA)
    await world.until(worker.settle())


async def test_a_failure_before_settling_began_is_told_too(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    await world.enqueue(["dream"])
    await world.quiet()
    with pytest.raises(JobFailed):
        await world.until(worker.settle())


async def test_a_failure_of_another_agent_is_not_told(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    await world.enqueue(["dream"], scope=BOB)
    await world.quiet()
    await world.until(worker.settle([ADA]))
    with pytest.raises(JobFailed, match="lab/home/bob"):
        await world.until(worker.settle([BOB]))


async def test_dead_letters_of_earlier_runs_are_not_told_again(world: World, script: Script) -> None:
    earlier = world.worker({})
    await world.enqueue(["index"])
    await world.quiet()
    await world.until(earlier.stop())
    worker = world.worker({"index": script})
    await world.until(worker.settle([ADA]))


async def test_settling_gives_up_after_its_timeout_and_the_work_goes_on(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"] * 2)
    start = world.time.now
    with pytest.raises(BusyError, match="2 jobs still to do after 10 seconds"):
        await world.until(worker.settle(timeout=10))
    assert (world.time.now - start).total_seconds() == 10
    script.hold.set()
    await world.until(worker.settle(timeout=10))
    assert len(script.runs) == 2


async def test_a_busy_database_is_asked_again(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.quiet()
    world.faults["claim_any"] = [StoreBusy("held")] * 3
    world.faults["read"] = [StoreBusy("held")] * 3
    await world.until(worker.settle())


async def test_stopping_ends_the_wait_of_those_who_settle(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    waiting = asyncio.create_task(worker.settle())
    await world.quiet()
    await world.until(worker.stop(drain=False))
    with pytest.raises(BusyError, match="stopped before the queue was empty"):
        await waiting
    with pytest.raises(BusyError, match="stopped before the queue was empty"):
        await worker.settle([ADA])


async def test_a_cancelled_wait_leaves_nothing_behind(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.quiet()
    before = len(asyncio.all_tasks())
    waiting = asyncio.create_task(worker.settle(timeout=100))
    await world.quiet()
    waiting.cancel()
    await world.quiet()
    assert waiting.cancelled()
    assert len(asyncio.all_tasks()) == before
    script.hold.set()
    await world.until(worker.settle())


async def test_a_worker_that_was_not_started_cannot_settle(world: World, script: Script) -> None:
    with pytest.raises(CallerError, match="start the worker"):
        await world.worker({"index": script}, start=False).settle([ADA])


async def test_progress_counts_down_what_waits_and_up_what_is_done(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")]
    worker = world.worker({"index": script})
    seen: list[Progress] = []
    await world.enqueue(["dream"])
    await world.quiet()
    script.hold = asyncio.Event()
    await world.enqueue(["index", "index", "dream"])
    await world.enqueue(["index"], scope=BOB)
    waiting = asyncio.create_task(worker.settle(on_progress=seen.append))
    await world.quiet()
    assert seen[-1] == Progress(pending=4, done=0, failed=0)
    script.hold.set()
    with pytest.raises(JobFailed):
        await world.until(waiting)
    assert seen[-1] == Progress(pending=0, done=3, failed=1)
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert [step.pending for step in seen] == sorted((step.pending for step in seen), reverse=True)
