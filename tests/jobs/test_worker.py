import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from remanent.errors import CallerError, JobFailed, NotFound, QueueFull, StoreBusy, VersionConflict
from remanent.fairness import IDLE, Shares
from remanent.jobs import Requeue
from remanent.jobs.worker import Agenda
from remanent.model import Job, JobState, Scope
from remanent.stores import Change, Transaction
from remanent.stores.conformance.base import claim
from remanent.stores.transaction import BuryJob
from tests.jobs.script import Script
from tests.jobs.world import ADA, BOB, SPINS, Time, World


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def shares() -> Shares:
    return Shares()


@pytest.fixture
def agenda(time: Time, shares: Shares) -> Agenda:
    return Agenda(clock=time.clock, sleep=time.sleep, shares=shares)


async def settled() -> None:
    for _ in range(SPINS):
        await asyncio.sleep(0)


async def test_agents_are_handed_out_in_the_order_they_came_and_once_each(agenda: Agenda) -> None:
    agenda.look_now(ADA)
    agenda.look_now(BOB)
    agenda.look_now(ADA)
    assert await agenda.next(5) == [ADA, BOB]


async def test_an_agent_is_with_one_looker_at_a_time_and_a_call_meanwhile_is_kept(agenda: Agenda) -> None:
    agenda.look_now(ADA)
    assert await agenda.next(5) == [ADA]
    agenda.look_now(ADA)
    assert agenda.is_due(ADA)
    assert not agenda.take(ADA)
    second = asyncio.create_task(agenda.next(5))
    await settled()
    assert not second.done()
    agenda.looked(ADA)
    assert await second == [ADA]


async def test_what_was_not_looked_at_is_the_first_to_be_looked_at_next(agenda: Agenda) -> None:
    for agent in (ADA, BOB, ADA.shared):
        agenda.look_now(agent)
    assert await agenda.next(2) == [ADA, BOB]
    agenda.put_back([ADA, BOB])
    assert await agenda.next(1) == [ADA]
    assert agenda.take(ADA.shared)
    assert await agenda.next(5) == [BOB]


async def test_an_agent_comes_up_at_its_time_and_not_before(agenda: Agenda, time: Time) -> None:
    keeper = asyncio.create_task(agenda.keep_time())
    start = time.now
    agenda.look_at(ADA, start + timedelta(seconds=9))
    agenda.look_at(BOB, start + timedelta(seconds=5))
    looker = asyncio.create_task(agenda.next(5))
    await settled()
    time.move_to(start + timedelta(seconds=4))
    await settled()
    assert not looker.done()
    time.move_to(start + timedelta(seconds=5))
    assert await looker == [BOB]
    keeper.cancel()


async def test_the_earlier_of_two_times_counts(agenda: Agenda, time: Time) -> None:
    keeper = asyncio.create_task(agenda.keep_time())
    start = time.now
    for seconds in (30, 1, 60):
        agenda.look_at(ADA, start + timedelta(seconds=seconds))
    await settled()
    time.move_to(start + timedelta(seconds=1))
    assert await agenda.next(5) == [ADA]
    agenda.looked(ADA)
    time.move_to(start + timedelta(seconds=100))
    looker = asyncio.create_task(agenda.next(5))
    await settled()
    assert not looker.done()
    looker.cancel()
    keeper.cancel()


async def test_a_closed_agenda_lets_every_looker_go(agenda: Agenda) -> None:
    lookers = [asyncio.create_task(agenda.next(5)) for _ in range(3)]
    await settled()
    agenda.close()
    assert await asyncio.gather(*lookers) == [[], [], []]
    agenda.look_now(ADA)
    assert await agenda.next(5) == []


LEASE = timedelta(seconds=60)


async def test_a_job_leaves_its_effect_and_is_gone(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    [job_id] = await world.enqueue(["index"])
    await world.until(worker.settle())
    assert await world.store.states(ADA) == {job_id: 1}
    assert await world.jobs() == []


async def test_work_left_by_an_earlier_process_is_taken_up_when_the_agent_comes_into_use(
    world: World, script: Script
) -> None:
    job_ids = await world.enqueue(["index"] * 3)
    worker = world.worker({"index": script})
    await world.quiet()
    assert script.runs == []
    worker.watch(ADA.within(session="today"))
    await world.quiet()
    assert script.order == job_ids


async def test_work_that_another_process_enqueues_is_found_by_looking_now_and_then(
    world: World, script: Script
) -> None:
    worker = world.worker({"index": script}, store=world.open_store(), poll=30)
    worker.watch(ADA)
    await world.quiet()
    await world.enqueue(["index"])
    await world.pass_time(29)
    assert script.runs == []
    await world.pass_time(2)
    assert len(script.runs) == 1


@pytest.mark.spec("ASSOC-03")
async def test_jobs_of_one_agent_run_one_after_the_other_in_the_order_they_were_enqueued(
    world: World, script: Script
) -> None:
    script.todo = [RuntimeError("no"), Exception("no"), VersionConflict("raced")]
    worker = world.worker({"remember": script, "recall": script})
    job_ids = await world.enqueue(["remember", "recall"] * 5)
    await world.until(worker.settle())
    assert script.most == 1
    assert list(dict.fromkeys(script.order)) == job_ids
    assert sorted(script.order, key=job_ids.index) == script.order


@pytest.mark.spec("ASSOC-03")
async def test_a_full_queue_refuses_and_keeps_what_is_queued(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"remember": script})
    job_ids = await world.enqueue(["remember"] * 4, limit=4)
    await world.quiet()
    with pytest.raises(QueueFull, match="4 jobs are already waiting"):
        await world.enqueue(["remember"], limit=4)
    assert [job.id for job in await world.jobs()] == job_ids
    script.hold.set()
    await world.until(worker.settle())
    assert script.order == job_ids
    assert await world.enqueue(["remember"], limit=4)


async def test_agents_run_side_by_side_up_to_the_bound(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, concurrency=3)
    agents = [ADA.shared, ADA, BOB, Scope(org="lab", workspace="home", agent="cy")]
    for agent in agents:
        await world.enqueue(["index"] * 2, scope=agent)
    await world.quiet()
    assert script.running.total() == 3
    assert max(script.running.values()) == 1
    script.hold.set()
    await world.until(worker.settle())
    assert len(script.runs) == 8
    assert script.most == 3


async def test_lanes_of_one_agent_run_side_by_side(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script})
    await world.enqueue(["index"] * 2, lane="main")
    await world.enqueue(["index"] * 2, lane="slow")
    await world.quiet()
    assert script.running[ADA] == 2
    script.hold.set()
    await world.until(worker.settle())
    assert len(script.runs) == 4


async def test_a_busy_agent_does_not_keep_another_waiting(world: World, script: Script) -> None:
    await world.enqueue(["index"] * 20)
    [job_id] = await world.enqueue(["index"], scope=BOB)
    worker = world.worker({"index": script}, concurrency=1)
    await world.until(worker.settle([ADA, BOB]))
    assert script.order.index(job_id) <= 2


async def test_a_failing_job_is_retried_with_growing_waits_and_then_kept_as_a_dead_letter(
    world: World, script: Script
) -> None:
    script.todo = [RuntimeError("the user said: I am ill")] * 5
    worker = world.worker({"index": script})
    first, second = await world.enqueue(["index"] * 2)
    with pytest.raises(JobFailed, match="1 job gave up"):
        await world.until(worker.settle())
    assert script.order == [first] * 5 + [second]
    assert script.seconds() == [0, 1, 3, 7, 15, 15]
    [dead] = await world.jobs()
    assert (dead.id, dead.state, dead.attempts) == (first, JobState.DEAD, 5)
    assert dead.error.startswith("RuntimeError in tests.jobs.script, line ")
    assert "ill" not in dead.error
    assert await world.store.states(ADA) == {second: 6}


async def test_a_job_that_has_its_own_number_of_attempts_keeps_to_it(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")] * 15
    worker = world.worker({"compress": script})
    await world.enqueue(["compress"], max_attempts=15)
    with pytest.raises(JobFailed, match="gave up"):
        await world.until(worker.settle())
    assert len(script.runs) == 15


async def test_a_revived_dead_letter_runs_again(world: World, script: Script) -> None:
    script.todo = [RuntimeError("no")]
    worker = world.worker({"index": script})
    [job_id] = await world.enqueue(["index"], max_attempts=1)
    with pytest.raises(JobFailed, match="gave up"):
        await world.until(worker.settle())
    async with world.store.transaction(ADA) as tx:
        tx.revive(job_id)
    await world.until(worker.settle())
    assert await world.store.states(ADA) == {job_id: 2}


async def test_a_job_that_gave_up_is_told_of_even_if_somebody_looks_before_its_end_is_known(
    world: World, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.todo = [RuntimeError("no")]
    worker = world.worker({"index": script})
    commit, claim, looks = world.store.commit, world.store.claim_any, asyncio.Event()

    async def commit_and_look(scope: Scope, changes: Sequence[Change]) -> Any:
        result = await commit(scope, changes)
        if any(isinstance(change, BuryJob) for change in changes):
            looks.clear()
            worker.watch(ADA)
            await looks.wait()
            for _ in range(20):
                await asyncio.sleep(0)
        return result

    async def claim_and_tell(**options: Any) -> Any:
        claims = await claim(**options)
        looks.set()
        return claims

    monkeypatch.setattr(world.store, "commit", commit_and_look)
    monkeypatch.setattr(world.store, "claim_any", claim_and_tell)
    await world.enqueue(["index"], max_attempts=1)
    with pytest.raises(JobFailed, match="gave up"):
        await world.until(worker.settle())


async def test_a_handler_can_send_its_job_to_the_tail(world: World, script: Script) -> None:
    script.todo = [Requeue("segmentation failed")]
    worker = world.worker({"remember": script})
    first, second, third = await world.enqueue(["remember"] * 3)
    await world.until(worker.settle())
    assert script.order == [first, second, third, first]


async def test_a_job_that_always_asks_for_the_tail_is_given_up_too(world: World, script: Script) -> None:
    script.todo = [Requeue("segmentation failed")] * 9
    worker = world.worker({"remember": script})
    await world.enqueue(["remember"], max_attempts=3)
    with pytest.raises(JobFailed, match="Requeue: segmentation failed"):
        await world.until(worker.settle())
    assert len(script.runs) == 3


async def test_a_job_of_an_unknown_kind_is_buried_at_once_and_the_lane_goes_on(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    unknown, known = await world.enqueue(["dream", "index"])
    with pytest.raises(JobFailed, match="no part of this installation does jobs of kind 'dream'"):
        await world.until(worker.settle())
    assert script.order == [known]
    [dead] = await world.jobs(state=JobState.DEAD)
    assert dead.id == unknown
    assert "turn it on, then revive" in dead.error


@pytest.mark.parametrize("error", [VersionConflict("somebody was faster"), StoreBusy("held"), NotFound("gone")])
async def test_a_lost_race_runs_the_handler_again_at_once(world: World, script: Script, error: Exception) -> None:
    [job_id] = await world.enqueue(["index"])
    world.faults["commit"] = [error, error]
    worker = world.worker({"index": script})
    start = world.time.now
    await world.until(worker.settle([ADA]))
    assert script.order == [job_id] * 3
    assert world.time.now == start
    assert await world.store.states(ADA) == {job_id: 3}


async def test_an_endless_race_counts_as_a_failure(world: World, script: Script) -> None:
    script.todo = [VersionConflict("somebody was faster")] * 3
    worker = world.worker({"index": script})
    await world.enqueue(["index"])
    await world.until(worker.settle())
    assert script.seconds() == [0, 0, 0, 1]


async def test_a_long_job_keeps_its_lease(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60)
    rival = world.worker({"index": script}, store=world.open_store(), lease=60)
    rival.watch(ADA)
    await world.enqueue(["index"])
    await world.pass_time(3600)
    script.hold.set()
    await world.until(worker.settle())
    assert len(script.runs) == 1


async def test_a_clock_that_jumps_takes_no_job_from_who_runs_it(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60)
    [job_id, *_] = await world.enqueue(["index"])
    await world.quiet()
    for _ in range(6):
        # The machine slept: all that waits for a moment is late, and what comes in is looked for at once.
        world.time.now += timedelta(days=3)
        await world.enqueue(["index"])
        await world.quiet()
    script.hold.set()
    await world.until(worker.settle())
    assert len(script.runs) == 7
    assert (await world.store.states(ADA))[job_id] == 1


async def test_a_clock_that_goes_on_by_days_at_every_look_takes_no_job_from_who_runs_it(
    world: World, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was claimed and not begun, or was renewed by an earlier look at the clock, was taken over by itself."""

    left = iter(range(300))

    def clock(time: Time) -> datetime:
        time.now += timedelta(days=0 if next(left, None) is None else 3)
        return time.now

    monkeypatch.setattr(Time, "clock", clock)
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60, concurrency=4)
    for scope in (ADA, BOB):
        await world.enqueue(["index"] * 5, scope=scope)
    await world.quiet()
    script.hold.set()
    await world.until(worker.settle([ADA, BOB]))
    assert len(script.runs) == 10
    assert await world.jobs() == []


async def test_a_renewal_that_fails_for_a_moment_does_no_harm(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60)
    [job_id] = await world.enqueue(["index"])
    await world.quiet()
    world.faults["renew"] = [StoreBusy("held"), StoreBusy("held")]
    await world.pass_time(50)
    script.hold.set()
    await world.until(worker.settle())
    assert await world.store.states(ADA) == {job_id: 1}


async def test_a_job_that_was_taken_over_is_dropped_without_an_error(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60)
    [job_id] = await world.enqueue(["index"])
    await world.quiet()
    taken = await claim(world.store, ADA, worker="other", now=world.time.now + 2 * LEASE, lease=LEASE)
    assert taken is not None
    await world.pass_time(25)
    assert script.running.total() == 0
    async with world.store.transaction(ADA) as tx:
        tx.state(job_id, "by the other")
        tx.finish(taken)
    script.hold.set()
    await world.until(worker.settle())
    assert await world.store.states(ADA) == {job_id: "by the other"}
    assert len(script.runs) == 1


async def test_a_result_that_comes_after_the_takeover_is_discarded(world: World, script: Script) -> None:
    script.hold = asyncio.Event()
    worker = world.worker({"index": script}, lease=60)
    [job_id] = await world.enqueue(["index"])
    await world.quiet()
    taken = await claim(world.store, ADA, worker="other", now=world.time.now + 2 * LEASE, lease=LEASE)
    assert taken is not None
    script.hold.set()
    await world.quiet()
    assert await world.store.states(ADA) == {}
    async with world.store.transaction(ADA) as tx:
        tx.finish(taken)
    await world.until(worker.settle())
    assert [run for run, _ in script.runs] == [job_id]


async def test_a_commit_whose_answer_was_lost_has_its_effect_once(world: World, script: Script) -> None:
    [job_id] = await world.enqueue(["index"])
    world.late["commit"] = [StoreBusy("the answer was lost")]
    worker = world.worker({"index": script})
    await world.until(worker.settle([ADA]))
    assert script.order == [job_id, job_id]
    assert await world.store.states(ADA) == {job_id: 1}


async def test_the_job_of_a_process_that_died_is_taken_over_after_its_lease(world: World, script: Script) -> None:
    [job_id] = await world.enqueue(["index"])
    assert await claim(world.store, ADA, worker="dead", now=world.time.now, lease=LEASE)
    worker = world.worker({"index": script})
    worker.watch(ADA)
    await world.pass_time(59)
    assert script.runs == []
    await world.until(worker.settle())
    assert script.order == [job_id]


async def test_a_job_that_takes_the_process_down_each_time_is_buried(world: World, script: Script) -> None:
    await world.enqueue(["index"], max_attempts=2)
    for _ in range(2):
        assert await claim(world.store, ADA, worker="dead", now=world.time.now, lease=LEASE)
        world.time.move_to(world.time.now + LEASE)
    worker = world.worker({"index": script})
    worker.watch(ADA)
    with pytest.raises(JobFailed, match="the process ended or lost its lease in each of 2 attempts"):
        await world.until(worker.settle())
    assert script.runs == []


async def test_a_worker_is_started_once(world: World, script: Script) -> None:
    worker = world.worker({"index": script})
    with pytest.raises(CallerError, match="started once"):
        worker.start()


@pytest.mark.spec("SAFE-02")
async def test_agents_of_an_organisation_that_had_its_share_wait_for_the_others(agenda: Agenda, shares: Shares) -> None:
    loud = [Scope(org="loud", workspace="w", agent=f"a{number}") for number in range(5)]
    for owner in [*loud, ADA]:
        agenda.look_now(owner)
    with shares.asking(ADA.org):
        assert shares.charge("loud", 3600.0) > 0
        assert await agenda.next(64) == [ADA]
        assert not agenda.take(loud[0])
    agenda._paused._look("loud")  # ADA asked a moment ago
    assert not agenda.take(loud[0])
    shares._seen[ADA.org] -= 2 * IDLE
    agenda._paused._look("loud")
    assert await agenda.next(64) == loud


@pytest.mark.spec("SAFE-02")
async def test_a_job_that_computed_for_long_is_charged_to_its_organisation(world: World) -> None:
    computed = [0.0]
    shares = Shares(timer=lambda: computed[0], computed=lambda: computed[0])

    async def compute(_: Job, __: Transaction) -> None:
        computed[0] += 5.0

    shares.see("somebody else")
    worker = world.worker({"index": compute}, shares=shares)
    await world.enqueue(["index"])
    await world.until(worker.settle())
    shares.see("somebody else")
    assert shares.charge(ADA.org, 0.001) > 0
