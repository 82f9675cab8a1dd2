"""What befalls the worker from outside: shutdown, cancellation, a store in trouble."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import IntegrityError, JobFailed, StorageFull, StoreBusy
from remanent.jobs import Worker
from remanent.jobs.runner import Settlement
from remanent.model import Job, JobState, Scope, id_source, system_clock
from remanent.settings import JobSettings
from remanent.stores import Claims, JobQuery, QueueState, Transaction
from remanent.stores.conformance.base import claim
from remanent.stores.sqlite.store import SqliteStore
from tests.jobs.script import Script
from tests.jobs.world import ADA, BOB, World

FULL = StorageFull("no room is left; free some")


# ── stopping ──


async def test_stopping_lets_the_running_job_end_and_takes_up_no_more(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    first, second = await world.enqueue(["index"] * 2)
    await world.quiet()
    stopping = asyncio.create_task(worker.stop())
    await world.quiet()
    assert not stopping.done()
    script.hold.set()
    await world.until(stopping)
    assert await world.store.states(ADA) == {first: 1}
    assert [(job.id, job.state) for job in await world.jobs()] == [(second, JobState.PENDING)]


async def test_a_job_that_does_not_end_in_time_is_cancelled_and_given_back(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    [job_id] = await world.enqueue(["index"], max_attempts=1)
    await world.quiet()
    start = world.time.now
    await world.until(worker.stop(timeout=7))
    assert (world.time.now - start).total_seconds() == 7
    assert [(job.id, job.state, job.attempts) for job in await world.jobs()] == [(job_id, JobState.PENDING, 0)]
    # The next process need not wait for the lease.
    script.hold = None
    successor = world.worker({"index": script})
    successor.watch(ADA)
    await world.quiet()
    assert script.order == [job_id, job_id]
    assert await world.store.states(ADA) == {job_id: 2}


@pytest.mark.parametrize("options", [{"drain": False}, {"timeout": 0.0}])
async def test_stopping_can_do_without_waiting(world: World, script: Script, options: dict[str, float]) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.quiet()
    start = world.time.now
    await world.until(worker.stop(drain=bool(options.get("drain", True)), timeout=options.get("timeout")))
    assert world.time.now == start
    assert script.running.total() == 0


async def test_cancelling_the_stop_cuts_the_waiting_short_and_still_gives_back(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.quiet()
    stopping = asyncio.create_task(worker.stop(timeout=1000))
    await world.quiet()
    stopping.cancel()
    await world.quiet()
    assert stopping.cancelled()
    assert [job.state for job in await world.jobs()] == [JobState.PENDING]


async def test_a_second_stop_can_hurry_the_first(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.quiet()
    patient = asyncio.create_task(worker.stop(timeout=1000))
    await world.quiet()
    start = world.time.now
    await world.until(worker.stop(drain=False))
    await patient
    assert world.time.now == start


async def test_a_handler_that_ignores_its_cancellation_does_not_hold_up_the_stop(world: World) -> None:
    release = asyncio.Event()

    async def stubborn(job: Job, tx: Transaction) -> None:
        tx.state("stubborn", 1)
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    worker = world.worker({"index": stubborn})
    await world.enqueue(["index"])
    await world.quiet()
    await world.until(worker.stop(timeout=1), within=10)
    assert [job.state for job in await world.jobs()] == [JobState.PENDING]
    release.set()
    await world.quiet()
    assert await world.store.states(ADA) == {}


async def test_a_worker_that_never_worked_stops(world: World, script: Script) -> None:
    await world.worker({"index": script}, start=False).stop()


async def test_a_stopped_worker_takes_no_notice_of_new_jobs(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    await world.until(worker.stop())
    await world.enqueue(["index"])
    await world.pass_time(100)
    assert script.runs == []


def test_a_job_is_given_back_when_the_event_loop_goes_down(tmp_path: Path) -> None:
    scope = Scope(org="lab", workspace="home", agent="ada")
    new_id = id_source(seed=1)

    async def abandon() -> None:
        store = SqliteStore(tmp_path)
        begun = asyncio.Event()

        async def endless(job: Job, tx: Transaction) -> None:
            begun.set()
            await asyncio.Event().wait()

        worker = Worker(store, handlers={"index": endless}, settings=JobSettings(), clock=system_clock, new_id=new_id)
        worker.start()
        async with store.transaction(scope) as tx:
            tx.enqueue(Job(id=new_id(), scope=scope, kind="index", enqueued_at=system_clock()), limit=1)
        await begun.wait()

    async def left() -> list[Job]:
        store = SqliteStore(tmp_path)
        jobs = await store.jobs(scope, JobQuery())
        await store.close()
        return jobs

    asyncio.run(abandon())
    assert [job.state for job in asyncio.run(left())] == [JobState.PENDING]


async def test_a_handler_that_cancels_itself_has_failed(world: World, script: Script) -> None:
    script.todo = [asyncio.CancelledError()]
    worker = world.worker({"index": script})
    [job_id] = await world.enqueue(["index"])
    await world.until(worker.settle())
    assert script.seconds() == [0, 1]
    assert await world.store.states(ADA) == {job_id: 2}


# ── a store in trouble ──


async def test_a_full_disk_delays_the_work_and_it_resumes_without_a_restart(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    job_ids = await world.enqueue(["index"] * 3)
    await world.quiet()
    world.lasting = {"commit": FULL, "claim_any": FULL, "renew": FULL}
    script.hold.set()
    await world.pass_time(600)
    assert script.order == job_ids[:1]
    assert await world.store.states(ADA) == {}
    world.lasting.clear()
    await world.until(worker.settle(), within=35)
    assert list(await world.store.states(ADA)) == job_ids
    assert await world.jobs() == []


@pytest.mark.parametrize("at", ["claiming", "its end"])
async def test_whoever_waits_is_told_that_there_is_no_room(world: World, script: Script, at: str) -> None:
    if at == "claiming":
        world.faults["claim_any"] = [FULL]
    else:
        script.todo = [FULL]
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    told: list[bool] = []
    await world.until(worker.settle(on_progress=lambda progress: told.append(progress.no_room)))
    assert True in told
    assert told[-1] is False


async def test_trouble_that_is_over_while_jobs_are_counted_is_told_as_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = asyncio.Event()
    queue = world.store.queue

    async def slow(scope: Scope) -> QueueState:
        await counting.wait()
        return await queue(scope)

    monkeypatch.setattr(world.store, "queue", slow)
    told: list[bool] = []
    settlement = Settlement(
        world.store,
        [ADA],
        sleep=world.time.sleep,
        look=lambda _: None,
        running={},
        report=lambda progress: told.append(progress.no_room),
    )
    waiting = asyncio.create_task(settlement.wait(timeout=None))
    await world.quiet()
    settlement.doubt(ADA, FULL)
    settlement.doubt(ADA)
    settlement.settled(ADA)
    counting.set()
    await world.until(waiting)
    assert told == [True, False]


async def test_a_disk_that_is_full_only_for_effects_delays_the_job_and_uses_up_no_attempt(
    world: World, script: Script
) -> None:
    script.todo = [FULL] * 3
    worker = world.worker({"index": script})
    await world.enqueue(["index"], max_attempts=1)
    await world.until(worker.settle())
    assert script.seconds() == [0, 1, 3, 7]


async def test_looks_at_a_store_in_trouble_grow_rarer_up_to_the_cap(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    looks: list[float] = []
    start = world.time.now

    async def claim(*arguments: object, **options: object) -> None:
        looks.append((world.time.now - start).total_seconds())
        raise IntegrityError("damaged; run repair")

    world.store.claim_any = claim  # type: ignore[method-assign,assignment]
    worker.watch(ADA)
    await world.pass_time(100)
    assert looks == [0, 1, 3, 7, 15, 31, 61, 91]


async def test_trouble_with_one_agent_does_not_touch_another(world: World, script: Script) -> None:
    worker = world.worker({"index": script}, concurrency=1)
    claim = world.store.claim_any

    async def damaged(*, among: Sequence[Scope], **options: Any) -> Claims:
        claims = await claim(among=[scope for scope in among if scope != ADA], **options)
        failed = {ADA: IntegrityError("damaged; run repair")} if ADA in among else {}
        return replace(claims, failed=failed)

    world.store.claim_any = damaged  # type: ignore[method-assign,assignment]
    await world.enqueue(["index"] * 2, scope=ADA)
    await world.enqueue(["index"] * 2, scope=BOB)
    await world.until(worker.settle([BOB]))
    assert len(script.runs) == 2


@pytest.mark.parametrize("error", [RuntimeError("a defect"), asyncio.CancelledError()])
async def test_an_unforeseen_error_is_logged_and_the_work_goes_on(
    world: World, script: Script, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    worker = world.worker({"index": script}, concurrency=1)
    world.faults["claim_any"] = [error] * 3
    job_ids = await world.enqueue(["index"])
    await world.until(worker.settle())
    assert script.order == job_ids
    assert "unforeseen error" in caplog.text


async def test_a_conclusion_that_could_not_be_written_is_written_later(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")]
    [job_id] = await world.enqueue(["index"], max_attempts=1)
    world.faults["commit"] = [FULL, FULL]
    worker = world.worker({"index": script})
    with pytest.raises(JobFailed):
        await world.until(worker.settle([ADA]))
    assert script.seconds() == [0]
    assert [(job.id, job.state) for job in await world.jobs()] == [(job_id, JobState.DEAD)]


async def test_a_conclusion_that_comes_too_late_is_dropped(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")]
    [job_id] = await world.enqueue(["index"], max_attempts=5)
    world.lasting["commit"] = FULL
    world.lasting["renew"] = FULL
    worker = world.worker({"index": script}, lease=60)
    worker.watch(ADA)
    await world.pass_time(10)
    later = world.time.now.replace(hour=1)
    taken = await claim(world.store, ADA, worker="other", now=later, lease=later - world.time.now)
    assert taken is not None
    world.lasting.clear()
    async with world.store.transaction(ADA) as tx:
        tx.finish(taken)
    await world.until(worker.settle())
    assert script.order == [job_id]


async def test_a_database_held_by_another_for_long_delays_the_work_and_uses_up_no_attempt(
    world: World, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    [job_id] = await world.enqueue(["index"], max_attempts=1)
    world.faults["claim_any"] = [StoreBusy("held")] * 4
    worker = world.worker({"index": script})
    await world.until(worker.settle([ADA]))
    assert script.order == [job_id]
    assert "can be worked on again" in caplog.text
