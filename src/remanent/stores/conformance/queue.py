"""Jobs: promised in the caller's commit, run in order, never by two at once, never lost."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from remanent.errors import LeaseLost, NotFound, QueueFull, VersionConflict
from remanent.model import Job, JobState, Scope
from remanent.model.job import TIMER
from remanent.stores.conformance.base import OpenStore, Samples, StoredAgent, StoreSuite, claim
from remanent.stores.queries import Claims, EntryQuery, JobQuery, QueueState
from remanent.stores.store import Store
from remanent.stores.transaction import EnqueueJob, FinishJob, PutState, ReviveJob

LEASE = timedelta(seconds=60)


class QueueDriver(StoredAgent):
    """A queue with its clock: short words for what the tests do, so that each of them reads as a story of workers."""

    async def add(self, *kinds: str, limit: int = 100, **fields: Any) -> list[Job]:
        """Enqueue jobs in one commit, and return those that were really added."""
        jobs = [self.job(kind, **fields) for kind in kinds]
        committed = await self.commit(*(EnqueueJob(job, limit) for job in jobs))
        return [job for job in jobs if job.id in committed.enqueued]

    async def claim(self, worker: str = "w1") -> Job | None:
        """Claim the next job for a minute."""
        return await claim(self.store, self.scope, worker=worker, now=self.clock(), lease=LEASE)

    async def claim_any(self, limit: int, *among: Scope) -> Claims:
        """Claim jobs of some agents, or of all, for a minute."""
        now, asked = self.clock(), among or None
        return await self.store.claim_any(worker="w", limit=limit, lease=LEASE, now=now, among=asked)

    async def must_claim(self, worker: str = "w1") -> Job:
        """Claim the next job; there must be one."""
        job = await self.claim(worker)
        assert job is not None
        return job

    async def retry(self, job: Job, *, seconds: float, to_tail: bool = False) -> None:
        """Give a job back for later."""
        later = self.clock() + timedelta(seconds=seconds)
        await self.do.retry(job, not_before=later, error="Failed: once", to_tail=to_tail)

    async def bury(self, job: Job) -> None:
        """Give a job up."""
        await self.do.bury(job, error="Failed: for good")

    async def run_all(self) -> list[str]:
        """Claim and finish until nothing is due, and return the kinds in the order they ran."""
        ran = []
        while (job := await self.claim()) is not None:
            ran.append(job.kind)
            await self.do.finish(job)
        return ran

    async def queued(self, **query: Any) -> list[str]:
        """Return the kinds of jobs that a query finds."""
        return [job.kind for job in await self.store.jobs(self.scope, JobQuery(**query))]


class _QueueSuite(StoreSuite):
    @pytest.fixture
    def line(self, store: Store, samples: Samples, scope: Scope) -> QueueDriver:
        """Return the agent's queue."""
        return QueueDriver(store, samples, scope)


class QueueConformance(_QueueSuite):
    """Background work that was promised."""

    async def test_a_job_comes_back_as_it_was_enqueued(self, line: QueueDriver) -> None:
        """Its payload is what the worker will read, perhaps days later."""
        later = line.clock() + LEASE
        job = line.samples.make_job(
            line.scope.within(session="s", task="t"),
            "embed",
            lane="side",
            key="k",
            payload={"ids": ["a", 1, None, {"深": 2.5}]},
            max_attempts=3,
            not_before=later,
        )
        async with line.transaction() as tx:
            tx.enqueue(job, limit=10)
        assert tx.committed.enqueued == (job.id,)
        [stored] = await line.jobs(JobQuery())
        assert stored == job.replace(seq=stored.seq)

    async def test_a_timer_is_no_work_until_its_moment_comes(self, line: QueueDriver) -> None:
        """Who waits for an empty queue must not wait for the end of a session; it runs when it is due all the same."""
        due = line.clock() + LEASE
        [timer] = await line.add("end", lane=f"{TIMER}end", not_before=due)
        state = await line.queue()
        assert (state.pending, state.running, state.oldest, state.wake_at) == (0, 0, None, due)
        assert await line.claim() is None
        line.clock.advance(seconds=LEASE.total_seconds())
        assert (await line.must_claim()).id == timer.id
        assert (await line.queue()).running == 1

    async def test_jobs_of_a_lane_run_strictly_in_order(self, line: QueueDriver) -> None:
        """A lane is a conversation: its second turn must not be understood before the first."""
        await line.add("a", "b")
        await line.add("c")
        assert await line.run_all() == ["a", "b", "c"]

    async def test_a_claimed_job_tells_who_has_it_and_for_how_long(self, line: QueueDriver) -> None:
        """So that a person can see which worker hangs."""
        [added] = await line.add("a")
        job = await line.must_claim("w1")
        assert (job.id, job.state, job.worker) == (added.id, JobState.RUNNING, "w1")
        assert (job.attempts, job.fence) == (1, 1)
        assert job.lease_until == line.clock() + LEASE
        assert await line.jobs(JobQuery()) == [job]

    async def test_nothing_overtakes_a_running_job_of_its_lane(self, line: QueueDriver) -> None:
        """Else two workers would change the same session at once."""
        await line.add("a", "b")
        first = await line.must_claim()
        assert await line.claim("w2") is None
        await line.do.finish(first)
        assert (await line.must_claim("w2")).kind == "b"

    async def test_lanes_do_not_wait_for_each_other(self, line: QueueDriver) -> None:
        """One slow conversation must not hold up all others."""
        await line.add("a1", "a2", lane="a")
        await line.add("b1", "b2", lane="b")
        claimed = [await line.must_claim(f"w{number}") for number in range(2)]
        assert [job.kind for job in claimed] == ["a1", "b1"]
        assert await line.claim() is None
        await line.do.finish(claimed[1])
        assert (await line.must_claim()).kind == "b2"

    async def test_no_job_is_claimed_twice_by_many_at_once(self, line: QueueDriver, opened: OpenStore) -> None:
        """Claiming is one statement; looking first and marking later would hand a job out twice."""
        for lane in range(5):
            await line.add("work", lane=f"lane {lane}")
        other = QueueDriver(await opened("here"), line.samples, line.scope)
        jobs = await asyncio.gather(*((line, other)[n % 2].claim(f"w{n}") for n in range(12)))
        claimed = [job.id for job in jobs if job is not None]
        assert len(claimed) == len(set(claimed)) == 5

    async def test_an_agent_without_jobs_has_nothing_to_claim(self, line: QueueDriver) -> None:
        """And asking makes no database."""
        assert await line.claim() is None
        assert await line.queue() == QueueState()
        assert await line.queued() == []

    async def test_a_finished_job_is_gone(self, line: QueueDriver) -> None:
        """The queue holds what is to be done and no history."""
        await line.add("a")
        await line.do.finish(await line.must_claim())
        assert await line.queue() == QueueState()

    async def test_a_key_is_enqueued_once_while_it_waits(self, line: QueueDriver) -> None:
        """A job such as 'index what is new' covers everything up to when it runs; ten of it are one."""
        assert len(await line.add("first", key="k")) == 1
        assert await line.add("again", key="k") == []
        assert len(await line.add("elsewhere", key="k", lane="side")) == 1
        assert len(await line.add("keyless")) == 1
        assert await line.queued() == ["first", "elsewhere", "keyless"]

    async def test_a_key_repeated_in_one_commit_is_enqueued_once(self, line: QueueDriver) -> None:
        """A unit of work sees its own jobs."""
        assert [job.kind for job in await line.add("first", "again", key="k")] == ["first"]

    async def test_a_key_that_runs_may_be_enqueued_again(self, line: QueueDriver) -> None:
        """The running job may already have read past what the new one is for."""
        await line.add("first", key="k")
        running = await line.must_claim()
        assert len(await line.add("second", key="k")) == 1
        assert await line.add("third", key="k") == []
        await line.do.finish(running)
        assert await line.run_all() == ["second"]

    async def test_a_job_given_back_takes_a_waiting_twin_with_it(self, line: QueueDriver) -> None:
        """It waits again and does the twin's work, too; two with one key must never wait."""
        await line.add("work", key="k")
        running = await line.must_claim()
        await line.add("work", key="k")
        await line.retry(running, seconds=0)
        assert await line.run_all() == ["work"]

    async def test_a_full_queue_refuses_and_keeps_what_is_queued(self, line: QueueDriver) -> None:
        """Back pressure: the caller hears of it, instead of memory or disk running out."""
        await line.add("a", "b", limit=2)
        tx = line.transaction()
        tx.append(line.entry())
        tx.put(line.record())
        tx.enqueue(line.job("c"), limit=2)
        with pytest.raises(QueueFull):
            await line.commit(*tx.changes)
        assert await line.queued() == ["a", "b"]
        assert await line.entries(EntryQuery()) == []

    async def test_what_runs_fills_the_queue_too_and_the_dead_do_not(self, line: QueueDriver) -> None:
        """Dead letters wait for a person and must not stop the agent meanwhile."""
        await line.add("a", "b", limit=2)
        job = await line.must_claim()
        with pytest.raises(QueueFull):
            await line.add("c", limit=2)
        await line.bury(job)
        assert len(await line.add("c", limit=2)) == 1

    async def test_a_lease_that_ran_out_lets_another_worker_take_over(self, line: QueueDriver) -> None:
        """A worker that was killed says nothing; only time tells."""
        await line.add("a")
        old = await line.must_claim("w1")
        line.clock.advance(seconds=59)
        assert await line.claim("w2") is None
        line.clock.advance(seconds=1)
        new = await line.must_claim("w2")
        assert (new.id, new.worker, new.attempts) == (old.id, "w2", 2)
        assert new.fence > old.fence

    async def test_a_clock_that_is_set_back_keeps_no_job_waiting(self, line: QueueDriver) -> None:
        """A lease or a back-off of last year's clock would else hold its lane until that year comes again."""
        await line.add("a")
        old = await line.must_claim("w1")
        line.clock.advance(seconds=-365 * 86400)
        new = await line.must_claim("w2")
        assert (new.id, new.worker) == (old.id, "w2")
        await line.retry(new, seconds=60)
        assert await line.claim("w2") is None
        line.clock.advance(seconds=-365 * 86400)
        assert (await line.must_claim("w3")).id == old.id

    async def test_who_was_taken_over_can_do_nothing_more_and_its_result_is_discarded(self, line: QueueDriver) -> None:
        """The fence number: a worker that was only slow must not write over its successor's result."""
        await line.add("a")
        old = await line.must_claim("w1")
        line.clock.advance(seconds=60)
        new = await line.must_claim("w2")
        with pytest.raises(LeaseLost):
            await line.commit(PutState("effect", 1), FinishJob(old.id, old.fence))
        with pytest.raises(LeaseLost):
            await line.retry(old, seconds=1)
        with pytest.raises(LeaseLost):
            await line.bury(old)
        with pytest.raises(LeaseLost):
            await line.renew(job_id=old.id, fence=old.fence, lease=LEASE, now=line.clock())
        assert await line.jobs(JobQuery()) == [new]
        assert await line.states() == {}
        await line.do.finish(new)
        assert await line.queued() == []

    async def test_who_is_late_but_not_taken_over_may_still_finish(self, line: QueueDriver) -> None:
        """Nobody else has begun, so that the work is not wasted."""
        await line.add("a")
        job = await line.must_claim()
        line.clock.advance(seconds=600)
        await line.do.finish(job)
        assert await line.queued() == []

    async def test_a_job_is_finished_once(self, line: QueueDriver) -> None:
        """A worker that gets no answer asks again, and must not end another job with it."""
        await line.add("a")
        job = await line.must_claim()
        await line.do.finish(job)
        with pytest.raises(LeaseLost):
            await line.do.finish(job)

    async def test_a_job_that_nobody_claimed_cannot_be_finished(self, line: QueueDriver) -> None:
        """There is no fence number by which it could be."""
        [job] = await line.add("a")
        with pytest.raises(LeaseLost):
            await line.commit(FinishJob(job.id, 0))

    async def test_a_renewed_lease_holds_longer(self, line: QueueDriver) -> None:
        """Long work renews while it goes on, so that leases can be short."""
        await line.add("a")
        job = await line.must_claim("w1")
        line.clock.advance(seconds=50)
        await line.renew(job_id=job.id, fence=job.fence, lease=LEASE, now=line.clock())
        line.clock.advance(seconds=50)
        assert await line.claim("w2") is None
        line.clock.advance(seconds=10)
        assert (await line.must_claim("w2")).id == job.id

    async def test_a_job_given_back_keeps_its_place_and_its_lane_waits_for_it(self, line: QueueDriver) -> None:
        """A failure must not change the order of a conversation."""
        await line.add("a", "b")
        await line.add("other", lane="side")
        await line.retry(await line.must_claim(), seconds=60)
        assert await line.run_all() == ["other"]
        line.clock.advance(seconds=59)
        assert await line.claim() is None
        line.clock.advance(seconds=1)
        assert await line.run_all() == ["a", "b"]

    async def test_a_job_given_back_tells_why_and_counts_on(self, line: QueueDriver) -> None:
        """After so many attempts it is buried with the last reason."""
        await line.add("a")
        await line.retry(await line.must_claim(), seconds=0)
        [waiting] = await line.jobs(JobQuery())
        assert (waiting.state, waiting.error, waiting.attempts) == (JobState.PENDING, "Failed: once", 1)
        assert (waiting.worker, waiting.lease_until) == (None, None)
        again = await line.must_claim()
        assert again.attempts == 2
        assert again.fence > waiting.fence

    async def test_an_attempt_that_was_cut_off_need_not_count(self, line: QueueDriver) -> None:
        """A shutdown is no fault of the job, and must not bring it nearer to its burial."""
        await line.add("a")
        job = await line.must_claim()
        await line.do.retry(job, not_before=line.clock(), error="", counts=False)
        [waiting] = await line.jobs(JobQuery())
        assert waiting.attempts == 0
        again = await line.must_claim()
        assert again.attempts == 1
        assert again.fence > job.fence

    async def test_a_job_given_back_to_the_tail_lets_the_others_pass(self, line: QueueDriver) -> None:
        """For work that waits for something outside, and need not hold up its lane."""
        await line.add("a", "b", "c")
        await line.retry(await line.must_claim(), seconds=60, to_tail=True)
        assert await line.run_all() == ["b", "c"]
        line.clock.advance(seconds=60)
        assert await line.run_all() == ["a"]

    async def test_a_job_for_later_waits_and_what_stands_behind_it_too(self, line: QueueDriver) -> None:
        """Order within the lane comes before haste."""
        later = line.clock() + LEASE
        await line.add("later", not_before=later)
        await line.add("behind")
        assert await line.claim() is None
        line.clock.advance(seconds=60)
        assert await line.run_all() == ["later", "behind"]

    async def test_a_buried_job_lets_its_lane_go_on_and_stays_to_be_seen(self, line: QueueDriver) -> None:
        """One turn that no model can digest must not block its conversation for ever."""
        await line.add("a", "b")
        await line.bury(await line.must_claim())
        assert await line.run_all() == ["b"]
        [dead] = await line.jobs(JobQuery(states=(JobState.DEAD,)))
        assert (dead.kind, dead.error, dead.worker, dead.lease_until) == ("a", "Failed: for good", None, None)
        assert (await line.queue()).dead == 1

    async def test_a_revived_job_runs_again_behind_the_others_with_fresh_attempts(self, line: QueueDriver) -> None:
        """After the cause was mended; its old place means nothing any more."""
        await line.add("a", "b")
        dead = await line.must_claim()
        await line.bury(dead)
        async with line.transaction() as tx:
            tx.revive(dead.id)
        assert tx.committed.enqueued == (dead.id,)
        assert (await line.queue()).dead == 0
        await line.do.finish(await line.must_claim())
        revived = await line.must_claim()
        assert (revived.id, revived.attempts) == (dead.id, 1)
        assert revived.fence > dead.fence

    async def test_what_is_not_dead_cannot_be_revived(self, line: QueueDriver) -> None:
        """Reviving a running job would run it twice."""
        [job] = await line.add("a")
        for job_id in (job.id, "nobody"):
            with pytest.raises(NotFound):
                await line.commit(ReviveJob(job_id))

    async def test_jobs_are_listed_by_state_and_lane_in_queue_order(self, line: QueueDriver) -> None:
        """What an operator looks at."""
        await line.add("dead", lane="x")
        await line.bury(await line.must_claim())
        await line.add("running", lane="y")
        await line.must_claim()
        await line.add("waiting 1", "waiting 2", lane="x")
        assert await line.queued() == ["dead", "running", "waiting 1", "waiting 2"]
        assert await line.queued(states=(JobState.PENDING,)) == ["waiting 1", "waiting 2"]
        assert await line.queued(states=(JobState.RUNNING, JobState.DEAD)) == ["dead", "running"]
        assert await line.queued(lanes=("x",)) == ["dead", "waiting 1", "waiting 2"]
        assert await line.queued(lanes=("x",), states=(JobState.PENDING,), limit=1) == ["waiting 1"]
        assert await line.queued(states=()) == []

    async def test_the_queue_tells_how_it_stands(self, line: QueueDriver) -> None:
        """In one query: it is asked for every agent again and again."""
        start = line.clock()
        await line.add("a", "b", lane="x")
        line.clock.advance(seconds=5)
        await line.add("c", lane="y")
        await line.must_claim()
        standing = await line.queue()
        assert (standing.pending, standing.running, standing.dead) == (2, 1, 0)
        assert standing.oldest == start

    async def test_the_queue_tells_when_to_wake(self, line: QueueDriver) -> None:
        """Workers sleep until then, instead of asking all the time."""

        async def wake_at() -> Any:
            return (await line.queue()).wake_at

        clock = line.clock
        assert await wake_at() is None
        await line.add("a", "b")
        assert await wake_at() <= clock()
        job = await line.must_claim()
        assert await wake_at() == clock() + LEASE
        await line.retry(job, seconds=300)
        assert await wake_at() == clock() + timedelta(seconds=300)
        await line.add("c", lane="side", not_before=clock() + timedelta(seconds=100))
        assert await wake_at() == clock() + timedelta(seconds=100)
        clock.advance(seconds=300)
        assert await wake_at() <= clock()
        await line.run_all()
        assert await wake_at() is None

    async def test_the_dead_wake_nobody(self, line: QueueDriver) -> None:
        """Else every worker would spin over a dead letter."""
        await line.add("a")
        await line.bury(await line.must_claim())
        standing = await line.queue()
        assert (standing.oldest, standing.wake_at) == (None, None)

    async def test_whoever_listens_hears_of_new_and_revived_jobs_and_of_nothing_else(self, line: QueueDriver) -> None:
        """A worker that is woken for nothing opens a database for nothing."""
        heard: list[Scope] = []
        line.store.on_enqueue(heard.append)
        await line.add("a", key="k")
        assert heard == [line.scope]
        await line.add("again", key="k")
        await line.commit(PutState("x", 1))
        [taken] = await line.put(line.record())
        tx = line.transaction()
        tx.enqueue(line.job(), limit=10)
        tx.put(taken)
        with pytest.raises(VersionConflict):
            await line.commit(*tx.changes)
        assert heard == [line.scope]
        dead = await line.must_claim()
        await line.bury(dead)
        async with line.store.transaction(line.scope.within(session="s")) as tx:
            tx.revive(dead.id)
        assert heard == [line.scope, line.scope]

    async def test_a_job_and_its_effects_are_one(self, line: QueueDriver) -> None:
        """A crash between the effect and the end of the job would do the work twice."""
        await line.add("a")
        job = await line.must_claim()
        await line.commit(PutState("effect", 1), FinishJob(job.id, job.fence))
        assert await line.states() == {"effect": 1}
        assert await line.queued() == []


class ClaimingConformance(_QueueSuite):
    """Work of many agents, found in one look."""

    async def test_work_is_claimed_from_many_agents_in_one_call(self, line: QueueDriver) -> None:
        """A worker with thousands of agents asks once, and gets what may run side by side."""
        bob = QueueDriver(line.store, line.samples, line.samples.make_scope("bob"))
        await line.add("a1", "a2", lane="a")
        await line.add("b1", lane="b")
        await bob.add("c1")
        claims = await line.claim_any(10, line.scope, bob.scope)
        assert sorted(job.kind for job in claims.jobs) == ["a1", "b1", "c1"]
        assert {job.scope.agent for job in claims.jobs} == {line.scope.agent, "bob"}
        assert not claims.failed
        for job in claims.jobs:
            async with line.store.transaction(job.scope) as tx:
                tx.finish(job)
        assert [await line.run_all(), await bob.run_all()] == [["a2"], []]

    async def test_no_more_is_claimed_than_asked_for_and_only_of_the_agents_named(self, line: QueueDriver) -> None:
        """What a worker cannot run at once stays for others."""
        bob = QueueDriver(line.store, line.samples, line.samples.make_scope("bob"))
        for lane in "abc":
            await line.add("work", lane=lane)
        await bob.add("other")
        claims = await line.claim_any(2, line.scope)
        assert [job.kind for job in claims.jobs] == ["work", "work"]
        rest = await line.claim_any(9)
        assert sorted(job.kind for job in rest.jobs) == ["other", "work"]

    async def test_an_agent_with_nothing_to_claim_says_when_it_will_have(self, line: QueueDriver) -> None:
        """So that a worker sleeps until then and no longer."""
        await line.add("a")
        await line.retry(await line.must_claim(), seconds=30)
        now = line.clock()
        claims = await line.claim_any(1, line.scope)
        assert claims.jobs == ()
        assert claims.wake_at == {line.scope: now + timedelta(seconds=30)}

    async def test_without_a_time_the_databases_own_clock_decides(self, line: QueueDriver) -> None:
        """Workers on several machines share it, however their own clocks go; the samples' clock stands in the past."""
        await line.add("a", not_before=line.clock() + timedelta(seconds=30))
        claims = await line.store.claim_any(worker="w", limit=1, lease=LEASE, among=(line.scope,))
        [job] = claims.jobs
        assert job.lease_until is not None
        assert job.lease_until > line.clock() + LEASE
