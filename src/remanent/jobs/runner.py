"""Running one claimed job: its handler, its lease, its retries, what becomes of it, and waiting until none is left.

What a handler did and that its job is done are one commit, under a fence that rises with every claim: a worker that was
taken for dead can finish nothing any more. What failed is tried again in its place, and others of the lane wait.

Waiting (`Settlement`) is for tests, scripts and people who want to see the outcome of what they just said; nothing in
Remanent itself waits so.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Any

from remanent.errors import (
    BusyError,
    LeaseLost,
    NotFound,
    RemanentError,
    StorageFull,
    StoreBusy,
    StoreClosed,
    VersionConflict,
)
from remanent.lightweight import dataclass
from remanent.model import Clock, Job, Scope, system_clock
from remanent.stores import Claims, Store, Transaction, acting_for
from remanent.text.scripts import well_formed

if TYPE_CHECKING:
    from remanent.settings import JobSettings

# ── waiting for the first of several things, with time that is passed in ──
# Nothing in this package sleeps by itself, so that a test decides when time passes.

Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


def lease_time(clock: Clock) -> datetime | None:
    """Return what leases are reckoned by: a clock that was given, or else that of the database, which all share."""
    return None if clock is system_clock else clock()


async def pause(sleep: Sleep, seconds: float) -> None:
    """Wait so many seconds; a coroutine, as tasks are made from."""
    await sleep(seconds)


async def wait_first(*waits: Coroutine[Any, Any, Any]) -> None:
    """Return when the first has ended, or was cancelled; the others are cancelled and have ended too."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


MAX_DESCRIPTION = 300
"""Characters of a failure that are kept with its job: a line that a person can read in a list."""


class Requeue(Exception):
    """Raised by a handler to send its job to the tail of its lane; the jobs behind it go first."""


class Postponed(Exception):
    """Raised by a handler whose provider is out of order: its job keeps its place, and its attempts are not used up.

    It is tried again without end, after waits that grow to an hour: what was said is no worse for the outage.
    """


LONGEST_OUTAGE_WAIT = 3600.0
"""Seconds between attempts in a long outage: soon enough to notice its end, rare enough to cost nothing."""


def describe_failure(error: BaseException) -> str:
    """Return the class of an error with its message or place, short.

    Our own messages never repeat what they complain about. Those of other packages do (the text that did not parse,
    the key that was missing, the address with a token in it), so of such an error only the place is kept.
    """
    name = type(error).__name__
    if isinstance(error, RemanentError | Requeue | Postponed):
        detail = f": {error}"
    elif isinstance(error, OSError) and error.strerror:
        detail = f": {error.strerror}"
    else:
        detail = _place(error.__traceback__)
    line = well_formed(" ".join(f"{name}{detail}".split()))
    return line if len(line) <= MAX_DESCRIPTION else line[: MAX_DESCRIPTION - 1] + "…"


def _place(trace: TracebackType | None) -> str:
    """Return where in Remanent an error came out, the worker itself left aside, or else where it came from."""
    ours = last = ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        last = f" in {module}, line {trace.tb_lineno}"
        if module.startswith("remanent.") and not module.startswith("remanent.jobs."):
            ours = last
        trace = trace.tb_next
    return ours or last


# Past so many doublings any base lies above any cap, and the power would no longer fit a float.
_MAX_DOUBLINGS = 64


def retry_delay(failures: int, *, base: float, cap: float) -> timedelta:
    """Return the wait after so many failures in a row: the base, doubled after each further one, up to the cap."""
    doublings = min(max(failures, 1) - 1, _MAX_DOUBLINGS)
    return timedelta(seconds=min(cap, base * 2.0**doublings))


Handler = Callable[[Job, Transaction], Awaitable[None]]
"""Does the work of one kind of job.

It puts its effects into the transaction and does not commit it: the worker adds the job's completion and commits both
together, so an effect happens once however often the handler runs. It may raise `Requeue`.
"""

MAX_IMMEDIATE_RUNS = 3
"""How often a handler runs again without waiting when somebody else was faster or held the database. Chosen by hand:
whoever loses three races in a row does better to wait."""

# These say nothing of the job: it is given back, and its attempts are not used up.
_NOT_THE_JOBS_FAULT = (StorageFull, StoreBusy, StoreClosed)

_logger = logging.getLogger(__name__)


class JobOutcome(StrEnum):
    """What became of a claimed job."""

    DONE = "done"
    RETRIED = "retried"
    BURIED = "buried"
    GIVEN_BACK = "given_back"
    LOST = "lost"
    """Another worker took it over; what this one did was discarded."""
    UNWRITTEN = "unwritten"
    """What became of it could not be written yet."""


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job that is no longer run here, and why."""

    job: Job
    outcome: JobOutcome
    error: str = ""


class Runner:
    """Runs claimed jobs; never raises because of what a handler does."""

    def __init__(
        self, store: Store, *, handlers: Mapping[str, Handler], settings: "JobSettings", clock: Clock, sleep: Sleep
    ) -> None:
        self._store = store
        self._handlers = handlers
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        # By id and fence: a job whose lease was lost may be running here again under a new one.
        self._work: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._lost: set[tuple[str, int]] = set()
        self._held: dict[tuple[str, int], tuple[Job, datetime]] = {}
        """The jobs that were claimed here and have not ended, each with when its lease is over."""
        self._reckoning = asyncio.Lock()
        self._pending: dict[Scope, list[tuple[FinishedJob, Transaction]]] = {}
        """What became of jobs, which the store could not take yet."""
        self._setbacks: dict[str, int] = {}
        """How often each job was given back in a row; its attempts do not tell."""
        self._aborting = False
        self.outages: dict[str, str] = {}
        """By job, why it is postponed, of those that this process has run last."""

    @property
    def unwritten(self) -> list[Scope]:
        """The agents of jobs whose outcome the store could not take yet."""
        return [owner for owner, pending in self._pending.items() if pending]

    def abort(self) -> None:
        """Cancel the handlers that run; their jobs are given back."""
        self._aborting = True
        for work in self._work.values():
            work.cancel()

    async def run(self, job: Job) -> FinishedJob:
        """Run a job to its end and write down what became of it."""
        refusal = self._refusal(job)
        if refusal:
            self._held.pop((job.id, job.fence), None)
            return await self._bury(job, refusal)
        keeper = asyncio.create_task(self._keep_lease(job))
        try:
            with self._store.visit(job.scope):
                error = await self._attempt(job)
                ended = await self._conclude(job, error)
        except asyncio.CancelledError:
            # Not the handler was cancelled but all of this: the event loop is going down.
            await self.give_back(job)
            raise
        else:
            if ended.outcome is not JobOutcome.GIVEN_BACK:
                self._setbacks.pop(job.id, None)
                self.outages.pop(job.id, None)
            return ended
        finally:
            keeper.cancel()
            self._held.pop((job.id, job.fence), None)
            self._lost.discard((job.id, job.fence))
            await asyncio.gather(keeper, return_exceptions=True)

    async def give_back(self, job: Job, *, wait: timedelta = timedelta(0), error: str = "") -> FinishedJob:
        """Return a job that did not fail to its place; the attempt does not count."""
        self._held.pop((job.id, job.fence), None)
        transaction = self._store.transaction(job.scope)
        transaction.retry(job, not_before=self._clock() + wait, error=error, counts=False)
        return await self._write(transaction, FinishedJob(job, JobOutcome.GIVEN_BACK, error))

    async def write_pending(self, owner: Scope) -> FinishedJob | None:
        """Write one thing that the store could not take before; raise what it raises when it still cannot."""
        pending = self._pending.get(owner)
        if not pending:
            self._pending.pop(owner, None)
            return None
        ended, transaction = pending[0]
        try:
            await self._store.commit(owner, transaction.changes)
        except LeaseLost:
            ended = FinishedJob(ended.job, JobOutcome.LOST)
        del pending[0]
        return ended

    def _refusal(self, job: Job) -> str:
        """Return why a job must not run at all, empty when it may."""
        if job.kind not in self._handlers:
            return f"no part of this installation does jobs of kind {job.kind!r}; turn it on, then revive the job"
        if job.attempts > job.max_attempts:
            # A handler that fails is counted below. Here the process went down with it, time and again.
            return f"the process ended or lost its lease in each of {job.max_attempts} attempts"
        return ""

    async def _attempt(self, job: Job) -> BaseException | None:
        """Run the handler and commit its effects with the job's completion; return what went wrong."""
        error: BaseException | None = None
        for _ in range(MAX_IMMEDIATE_RUNS):
            transaction = self._store.transaction(job.scope)
            error = await self._handle(job, transaction)
            if error is None:
                error = await self._commit(job, transaction)
            if not isinstance(error, VersionConflict | StoreBusy) or self._aborting:
                break
        return error

    async def _handle(self, job: Job, transaction: Transaction) -> BaseException | None:
        """Run the handler, and return what it raised instead of raising it: the runner decides what follows."""

        async def call() -> None:
            with acting_for(""):  # a runner may have been started by somebody's request
                await self._handlers[job.kind](job, transaction)

        # A task of its own, so that it can be cancelled without cancelling the runner.
        work = asyncio.create_task(call(), name=f"{job.kind} {job.id}")
        self._work[job.id, job.fence] = work
        if self._aborting:
            work.cancel()
        try:
            await asyncio.wait({work})
        finally:
            self._work.pop((job.id, job.fence), None)
            if not work.done():
                work.cancel()
        return asyncio.CancelledError() if work.cancelled() else work.exception()

    async def _commit(self, job: Job, transaction: Transaction) -> RemanentError | None:
        """Commit the effects and the completion as one: neither is ever there without the other."""
        try:
            async with transaction:
                transaction.finish(job)
        except NotFound as error:  # what it would drop was dropped while it ran: a lost race like any other
            return VersionConflict(str(error))
        except RemanentError as error:
            return error
        return None

    async def _conclude(self, job: Job, error: BaseException | None) -> FinishedJob:
        """Decide what becomes of a job: done, lost, given back, retried or buried.

        Only its own faults count as attempts. Whatever is away or busy (a store, a model, this process, which is
        ending) would otherwise use them all up within one outage, and every job of that time would be buried though
        nothing is wrong with it.
        """
        if error is None:
            return FinishedJob(job, JobOutcome.DONE)
        if isinstance(error, LeaseLost) or (job.id, job.fence) in self._lost:
            _logger.info("job %s (%s) was taken over by another worker; its result was discarded", job.id, job.kind)
            return FinishedJob(job, JobOutcome.LOST)
        if self._aborting and isinstance(error, asyncio.CancelledError | VersionConflict | StoreBusy):
            return await self.give_back(job)
        text = describe_failure(error)
        _logger.warning(
            "attempt %d of %d of job %s (%s) failed: %s", job.attempts, job.max_attempts, job.id, job.kind, text
        )
        _logger.debug("traceback of job %s", job.id, exc_info=error)
        if isinstance(error, (*_NOT_THE_JOBS_FAULT, Postponed)):
            setbacks = self._setbacks[job.id] = self._setbacks.get(job.id, 0) + 1
            wait = self._delay(setbacks)
            if isinstance(error, Postponed):
                wait = retry_delay(setbacks, base=self._settings.backoff_base, cap=LONGEST_OUTAGE_WAIT)
                self.outages[job.id] = text
            return await self.give_back(job, wait=wait, error=text)
        if job.attempts >= job.max_attempts:
            return await self._bury(job, text)
        transaction = self._store.transaction(job.scope)
        later = self._clock() + self._delay(job.attempts)
        transaction.retry(job, not_before=later, error=text, to_tail=isinstance(error, Requeue))
        return await self._write(transaction, FinishedJob(job, JobOutcome.RETRIED, text))

    def _delay(self, failures: int) -> timedelta:
        return retry_delay(failures, base=self._settings.backoff_base, cap=self._settings.backoff_cap)

    async def _bury(self, job: Job, text: str) -> FinishedJob:
        """Keep a job as a dead letter, so that its lane goes on and a person can revive it."""
        _logger.error("job %s (%s) of %s gave up and is kept as a dead letter: %s", job.id, job.kind, job.scope, text)
        transaction = self._store.transaction(job.scope)
        transaction.bury(job, error=text)
        return await self._write(transaction, FinishedJob(job, JobOutcome.BURIED, text))

    async def _write(self, transaction: Transaction, ended: FinishedJob) -> FinishedJob:
        """Commit what became of a job, or keep it for later when the store cannot take it now.

        It is tried at once a few times, since a busy store mostly is so for a moment; then the lease is left to stand,
        and the outcome is written before anything else of that agent is claimed.
        """
        for _ in range(MAX_IMMEDIATE_RUNS):
            try:
                await self._store.commit(transaction.scope, transaction.changes)
            except StoreBusy:
                continue
            except LeaseLost:
                return FinishedJob(ended.job, JobOutcome.LOST)
            except RemanentError as error:
                _logger.warning("what became of job %s is not yet written: %s", ended.job.id, describe_failure(error))
                break
            else:
                return ended
        self._pending.setdefault(ended.job.scope.owner, []).append((ended, transaction))
        return FinishedJob(ended.job, JobOutcome.UNWRITTEN, ended.error)

    async def _keep_lease(self, job: Job) -> None:
        """Renew the lease while the handler runs; once another worker has the job, cancel what would be discarded."""
        while (job.id, job.fence) not in self._lost:
            # A third: two renewals may fail before the lease is over.
            await self._sleep(self._settings.lease / 3)
            async with self._lease_moment() as now:
                await self._renew(job, now=now)

    async def claim(self, *, worker: str, limit: int, among: Sequence[Scope] | None) -> Claims:
        """Claim jobs, once the leases of what was claimed here before and is over by the clock are renewed.

        A clock that was set forward, or a machine that slept, ends leases of jobs whose worker is well: it would take
        them from itself, again and again, until they are given up. All of it goes by one look at the clock, and what
        is claimed is held from then on: a clock that goes on by days between two looks would do the same.
        """
        lease = timedelta(seconds=self._settings.lease)
        async with self._lease_moment() as now:
            by_now = self._clock() if now is None else now
            for job in [job for job, until in self._held.values() if until <= by_now]:
                if (job.id, job.fence) not in self._lost:
                    await self._renew(job, now=now)
            claims = await self._store.claim_any(worker=worker, limit=limit, lease=lease, now=now, among=among)
            self._held |= {(job.id, job.fence): (job, by_now + lease) for job in claims.jobs}
        return claims

    @asynccontextmanager
    async def _lease_moment(self) -> AsyncIterator[datetime | None]:
        """Give what leases are reckoned by; where a clock was given, to one after another: it may jump meanwhile."""
        if lease_time(self._clock) is None:
            yield None
        else:
            async with self._reckoning:
                yield self._clock()

    async def _renew(self, job: Job, *, now: datetime | None) -> None:
        """Ask for more time for a job that is still being done.

        Where another process has it by now, the work is cancelled: its effects would be refused anyway by the fence
        number. Any other failure is only noted, since the lease holds for a while and is asked for again before it
        ends.
        """
        key, lease = (job.id, job.fence), timedelta(seconds=self._settings.lease)
        since = self._clock() if now is None else now
        try:
            await self._store.renew(job.scope, job_id=job.id, fence=job.fence, lease=lease, now=now)
        except LeaseLost:
            self._lost.add(key)
            if (work := self._work.get(key)) is not None:
                work.cancel()
        except RemanentError as error:
            _logger.warning("the lease of job %s was not renewed: %s", job.id, describe_failure(error))
        else:
            if key in self._held:
                self._held[key] = job, since + lease


POLL = 0.5
"""Seconds between looks at queues that another process may be working on; its own work is told of at once. Chosen by
hand."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the background work has come."""

    pending: int
    """Jobs that wait or run, those whose retry lies in the future included."""
    done: int
    failed: int
    """Jobs that became dead letters."""
    no_room: bool = False
    """Nothing can be done at the moment, for want of room on the disk; it is tried on."""


class Settlement:
    """One wait for the queues of some agents to run empty.

    Whoever looks for work sees which queues are empty and says so; the store is asked only for counts that somebody
    wants to know, and where looking fails.
    """

    def __init__(
        self,
        store: Store,
        owners: Iterable[Scope],
        *,
        sleep: Sleep,
        look: Callable[[Iterable[Scope]], None],
        running: Mapping[Scope, int],
        report: Callable[[Progress], None] | None,
    ) -> None:
        self._store = store
        self._sleep = sleep
        self._look = look
        self._running = running
        """How many jobs of each agent this process runs, kept up to date by whoever runs them."""
        self._report = report
        self._counts = dict.fromkeys(owners, 0)
        """How much was left to do for each agent when that was last asked."""
        self._unsettled = set(self._counts)
        self._uncounted = set(self._counts)
        self._doubtful: set[Scope] = set()
        self._woken = asyncio.Event()
        self._done = 0
        self._failed = 0
        self._no_room = False
        self._had_no_room = False
        """Whether that was so at any time since it was last told: while a count is waited for, work may go on again."""
        self._told_no_room = False
        self._stopped = False
        self._late = False

    def note(self, ended: FinishedJob) -> None:
        """Count a job that ended."""
        owner = ended.job.scope.owner
        if owner in self._counts:
            self._done += ended.outcome is JobOutcome.DONE
            self._failed += ended.outcome is JobOutcome.BURIED
            self._note_room(is_full=ended.error.startswith(StorageFull.__name__))
            self.touch(owner)

    def touch(self, owner: Scope) -> None:
        """Hear that an agent's queue has changed: it is looked at anew before it counts as empty."""
        if owner in self._counts:
            self._unsettled.add(owner)
            self._changed(owner)

    def settled(self, owner: Scope) -> None:
        """Hear that nothing waits or runs for an agent.

        A job that runs here may have written its end already and not yet told of it: it is waited for.
        """
        if owner in self._unsettled and not self._running.get(owner):
            self._unsettled.discard(owner)
            self._changed(owner)

    def doubt(self, owner: Scope | None, error: RemanentError | None = None) -> None:
        """Hear that a look did not tell how an agent's queue stands, or those of all: the store is asked."""
        if owner is None or owner in self._counts:
            self._note_room(is_full=isinstance(error, StorageFull))
        self._doubtful.update(self._unsettled if owner is None else self._unsettled & {owner})
        if self._doubtful:
            self._woken.set()

    def _note_room(self, *, is_full: bool) -> None:
        self._no_room = is_full
        self._had_no_room |= is_full

    def stop(self) -> None:
        """Give up: nobody works on the queues any more."""
        self._stopped = True
        self._woken.set()

    async def wait(self, *, timeout: float | None) -> None:
        """Return when all queues are empty; raise `BusyError` when the time is over first."""
        timer = None if timeout is None else asyncio.create_task(self._run_late(timeout))
        try:
            await self._wait(timeout)
        finally:
            if timer is not None:
                timer.cancel()
                await asyncio.wait({timer})

    async def _wait(self, timeout: float | None) -> None:
        """Wait until nothing is left; what this process does wakes it, what others do shows at the next poll.

        At the end of the time the queue is counted once more, because a job of another process may have been the last
        one; an error that names no number would leave the caller to guess whether to wait longer.
        """
        while True:
            self._woken.clear()
            await self._tell()
            if not self._unsettled:
                # What is told last is how it stands: while others were counted, the last job may have ended.
                if self._uncounted or (self._told_no_room and not self._no_room):
                    await self._tell()
                return
            if self._stopped or self._late:
                pending = sum([await self._count(owner) for owner in self._unsettled])
                if not pending:
                    return
                if self._stopped:
                    raise BusyError(
                        "the worker stopped before the queue was empty; waiting jobs are kept for the next start"
                    )
                jobs = f"{pending} job{'s' if pending != 1 else ''} still to do"
                raise BusyError(f"{jobs} after {timeout:g} seconds; wait longer, or look at the queue")
            await wait_first(self._woken.wait(), pause(self._sleep, POLL))
            if not self._woken.is_set():
                self._look(self._unsettled)

    async def _tell(self) -> None:
        """Count what has changed for whoever wants to know, and ask about agents that a look told nothing of."""
        doubtful, self._doubtful = self._doubtful, set()
        for owner in doubtful:
            if not await self._count(owner):
                self._unsettled.discard(owner)
        if self._report is not None:
            changed, self._uncounted = self._uncounted - doubtful, set()
            for owner in changed:
                await self._count(owner)
            pending = sum(self._counts.values())
            self._told_no_room, self._had_no_room = self._had_no_room or self._no_room, False
            told = Progress(pending=pending, done=self._done, failed=self._failed, no_room=self._told_no_room)
            self._report(told)

    async def _count(self, owner: Scope) -> int:
        """Return how many jobs an agent has left; a busy store counts as having some, or waiting would end too soon."""
        try:
            state = await self._store.queue(owner)
        except StoreBusy:
            self._counts[owner] = max(1, self._counts[owner])
        else:
            self._counts[owner] = max(state.pending + state.running, self._running.get(owner, 0))
        return self._counts[owner]

    def _changed(self, owner: Scope) -> None:
        self._uncounted.add(owner)
        self._woken.set()

    async def _run_late(self, timeout: float) -> None:
        """End the wait by a flag, not by cancelling: a count that is under way is finished and reported first."""
        await self._sleep(timeout)
        self._late = True
        self._woken.set()
