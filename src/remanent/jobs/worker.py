"""The worker of the durable queue: looks at agents' queues, runs what is due, and outlives every failure."""

import asyncio
import heapq
import itertools
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from remanent.errors import CallerError, JobFailed, RemanentError
from remanent.jobs.runner import FinishedJob, Handler, JobOutcome, Runner, describe_failure, retry_delay
from remanent.jobs.settlement import Progress, Settlement
from remanent.jobs.timing import Sleep, pause, wait_first
from remanent.model import Clock, Job, NewId, Scope
from remanent.stores import QueueState, Store

if TYPE_CHECKING:
    from remanent.settings import JobSettings


class Agenda:
    """Hands out agents whose queue may hold work, first come first served, each to one looker at a time."""

    def __init__(self, *, clock: Clock, sleep: Sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._due: dict[Scope, None] = {}
        self._looking: set[Scope] = set()
        self._again: set[Scope] = set()
        """Agents that changed while somebody looked: what that look saw may be out of date."""
        self._times: dict[Scope, datetime] = {}
        """When each agent is to be looked at next, if that is known."""
        # Entries of the heap whose time is no longer the one in `_times` are skipped.
        self._heap: list[tuple[datetime, int, Scope]] = []
        self._order = itertools.count()
        self._filled = asyncio.Event()
        self._moved = asyncio.Event()
        self._closed = False

    def look_now(self, owner: Scope) -> None:
        """Have the agent looked at as soon as a looker is free; if one is looking, once more after that."""
        if owner in self._looking:
            self._again.add(owner)
        else:
            self._due.setdefault(owner)
            self._filled.set()

    def look_at(self, owner: Scope, moment: datetime) -> None:
        """Have the agent looked at then, unless that is to happen earlier anyway."""
        known = self._times.get(owner)
        if known is not None and known <= moment:
            return
        self._times[owner] = moment
        heapq.heappush(self._heap, (moment, next(self._order), owner))
        self._moved.set()

    async def next(self) -> Scope | None:
        """Return the next agent to look at, or `None` once the agenda is closed; `looked` must follow."""
        while not self._closed:
            if self._due:
                owner = next(iter(self._due))
                del self._due[owner]
                # The look finds out anew when the next one is needed.
                self._times.pop(owner, None)
                self._looking.add(owner)
                return owner
            self._filled.clear()
            await self._filled.wait()
        return None

    def looked(self, owner: Scope) -> None:
        """Say that the look has ended."""
        self._looking.discard(owner)
        if owner in self._again:
            self._again.discard(owner)
            self.look_now(owner)

    async def keep_time(self) -> None:
        """Move agents whose time has come to the due ones, until cancelled."""
        while True:
            self._moved.clear()
            self._move_due()
            if self._heap:
                seconds = max(0.0, (self._heap[0][0] - self._clock()).total_seconds())
                await wait_first(self._moved.wait(), pause(self._sleep, seconds))
            else:
                await self._moved.wait()

    def close(self) -> None:
        """Hand out nothing more."""
        self._closed = True
        self._filled.set()

    def _move_due(self) -> None:
        """Take from the heap what is due, and what was moved to another time since."""
        now = self._clock()
        while self._heap and (self._heap[0][0] <= now or self._times.get(self._heap[0][2]) != self._heap[0][0]):
            moment, _, owner = heapq.heappop(self._heap)
            if self._times.get(owner) == moment:
                del self._times[owner]
                self.look_now(owner)


GRACE = 5.0
"""Seconds that cancelled handlers get to clean up: a transaction to roll back, a request to abort. Chosen by hand."""

MIN_LOOK_INTERVAL = timedelta(milliseconds=100)
"""Between two looks at a queue that says it has work but hands none out, as when another process is just faster."""

IDLE_LOOK_INTERVAL = timedelta(milliseconds=10)
"""Between two looks at idle queues, whosever they are: with thousands of agents each is looked at less often, so that
looking takes a few per cent of a core at the most."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Failures:
    """What gave up since somebody was last told."""

    count: int
    last: FinishedJob


class Worker:
    """Runs the jobs of watched agents.

    Jobs of one lane of an agent run strictly in order, other lanes and agents beside them. A job's effects and its
    completion are committed together. A failing job is retried with growing waits, its lane waiting with it, and in
    the end kept as a dead letter, and the lane goes on. Trouble with the store delays work and loses none.
    """

    def __init__(
        self,
        store: Store,
        *,
        handlers: Mapping[str, Handler],
        settings: "JobSettings",
        clock: Clock,
        new_id: NewId,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._name = new_id()
        self._agenda = Agenda(clock=clock, sleep=sleep)
        self._resting: set[Scope] = set()
        self._running: Counter[Scope] = Counter()
        self._runner = Runner(store, handlers=handlers, settings=settings, clock=clock, sleep=sleep)
        self._watched: dict[Scope, None] = {}
        self._troubles: dict[Scope, int] = {}
        self._failures: dict[Scope, _Failures] = {}
        self._settlements: set[Settlement] = set()
        self._loops: list[asyncio.Task[None]] = []
        self._timekeeper: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def start(self) -> None:
        """Begin to work, on the running event loop."""
        if self._loops or self._stopping is not None:
            raise CallerError("a worker is started once; make a new one")
        self._store.on_enqueue(self._enqueued)
        self._timekeeper = asyncio.create_task(self._agenda.keep_time(), name="remanent worker: time")
        self._loops = [
            asyncio.create_task(self._loop(), name=f"remanent worker {number}")
            for number in range(self._settings.concurrency)
        ]

    @property
    def outages(self) -> list[str]:
        """Why jobs that this process ran last are postponed: their providers are out of order."""
        return list(dict.fromkeys(self._runner.outages.values()))

    @property
    def watched(self) -> list[Scope]:
        """The agents whose queues are looked at."""
        return list(self._watched)

    def rest(self, scope: Scope) -> None:
        """Take up no more of an agent's work, until it is watched again or asked for more; what runs goes on."""
        self._watched.pop(scope.owner, None)
        self._resting.add(scope.owner)

    def watch(self, scope: Scope) -> None:
        """Work on an agent's queue from now on; work that an earlier process left there is taken up."""
        self._resting.discard(scope.owner)
        self._watched.setdefault(scope.owner)
        self._agenda.look_now(scope.owner)

    def attend(self, scope: Scope) -> None:
        """Work on an agent's queue from now on, like `watch`; one that is watched already is not looked at anew."""
        if scope.owner not in self._watched:
            self.watch(scope)

    async def settle(
        self,
        scopes: Iterable[Scope] | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Return when nothing waits or runs for the agents (all watched ones unless named), future retries included.

        Raises `JobFailed` if any of their jobs gave up here and no `settle` has told of it before, but only once all
        else is done: a job that fails before `settle` is called is told of as well. Dead letters of earlier runs are
        not. Raises `BusyError` when the time is over or the worker stops first.
        """
        if not self._loops:
            raise CallerError("the worker was not started, so nothing would ever settle; start it first")
        owners = [scope.owner for scope in scopes] if scopes is not None else list(self._watched)
        for owner in owners:
            self.watch(owner)
        settlement = Settlement(self._store, owners, sleep=self._sleep, report=on_progress)
        if self._stopping is not None:
            settlement.stop()
        self._settlements.add(settlement)
        try:
            await settlement.wait(timeout=timeout)
        finally:
            self._settlements.discard(settlement)
        self._tell_failures(owners)

    async def stop(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """Take up no more work, let what runs end within the timeout, then cancel it and give it back.

        Without `drain`, what runs is cancelled at once. Cancelling `stop` cuts the waiting short, not the giving back.
        """
        if self._stopping is None:
            self._agenda.close()
            seconds = self._settings.drain_timeout if timeout is None else timeout
            self._stopping = asyncio.create_task(self._stop(seconds), name="remanent worker: stop")
        if not drain:
            self._hurry.set()
        try:
            await asyncio.shield(self._stopping)
        except asyncio.CancelledError:
            self._hurry.set()
            await self._stopping
            raise

    async def _stop(self, seconds: float) -> None:
        """Drain, then cancel, then give up on what does not listen; everybody who waits for an empty queue is told."""
        await wait_first(_all_of(self._loops), pause(self._sleep, seconds), self._hurry.wait())
        self._runner.abort()
        await wait_first(_all_of(self._loops), pause(self._sleep, GRACE))
        for loop in self._loops:
            if not loop.done():
                _logger.error("a handler goes on although it was cancelled; its result will be discarded")
                loop.cancel()
        if self._timekeeper is not None:
            self._timekeeper.cancel()
            await asyncio.gather(self._timekeeper, *self._loops, return_exceptions=True)
        for settlement in self._settlements:
            settlement.stop()

    def _enqueued(self, scope: Scope) -> None:
        """Hear of a job that this process has just committed, so that nobody waits for the next poll."""
        if self._stopping is None:
            # What a job asks for while it ends does not wake an agent that was put to rest meanwhile.
            if scope.owner not in self._resting or not self._running[scope.owner]:
                self.watch(scope)
            for settlement in self._settlements:
                settlement.touch(scope.owner)

    async def _loop(self) -> None:
        """Serve one agent after another; as many of these run as the settings say."""
        while (owner := await self._agenda.next()) is not None:
            # Gathered, whatever goes wrong in a turn comes back as a value: a defect must not end all background work.
            [trouble] = await asyncio.gather(self._turn(owner), return_exceptions=True)
            if trouble is not None:
                _logger.error("unforeseen error while working for %s", owner, exc_info=trouble)
                self._postpone(owner)

    async def _turn(self, owner: Scope) -> None:
        """Look at one agent's queue and run at most one job, so that a busy agent does not keep others waiting."""
        try:
            job = None if owner in self._resting else await self._look(owner)
        finally:
            self._agenda.looked(owner)
        if job is None:
            return
        if self._stopping is not None:
            self._record(await self._runner.give_back(job))
            return
        # Another of its lanes may have work for somebody else.
        self._agenda.look_now(owner)
        self._running[owner] += 1
        try:
            ended = await self._runner.run(job)
        finally:
            self._running[owner] -= 1
        self._record(ended)
        if ended.outcome is JobOutcome.UNWRITTEN:
            self._postpone(owner)
        else:
            self._agenda.look_now(owner)

    async def _look(self, owner: Scope) -> Job | None:
        """Claim a job, or arrange the next look."""
        try:
            while (ended := await self._runner.write_pending(owner)) is not None:
                self._record(ended)
            now = self._clock()
            job = await self._store.claim(
                owner, worker=self._name, now=now, lease=timedelta(seconds=self._settings.lease)
            )
            if job is None:
                self._agenda.look_at(owner, self._next_look(await self._store.queue(owner), now=now))
        except RemanentError as error:
            if owner not in self._troubles:
                _logger.warning("the queue of %s cannot be worked on, trying on: %s", owner, describe_failure(error))
            self._postpone(owner)
            return None
        if self._troubles.pop(owner, 0):
            _logger.info("the queue of %s can be worked on again", owner)
        return job

    def _next_look(self, state: QueueState, *, now: datetime) -> datetime:
        """Return when a retry or a lease comes due, or else the next poll for what other processes enqueued."""
        poll = now + max(timedelta(seconds=self._settings.poll), len(self._watched) * IDLE_LOOK_INTERVAL)
        return poll if state.wake_at is None else max(now + MIN_LOOK_INTERVAL, min(state.wake_at, poll))

    def _postpone(self, owner: Scope) -> None:
        """Wait longer after every failure in a row: a full disk is not helped by looking at it more often."""
        troubles = self._troubles[owner] = self._troubles.get(owner, 0) + 1
        wait = retry_delay(troubles, base=self._settings.backoff_base, cap=self._settings.backoff_cap)
        self._agenda.look_at(owner, self._clock() + wait)

    def _record(self, ended: FinishedJob) -> None:
        """Count a job that ended for whoever waits, and keep a dead letter in mind until it was told of."""
        if ended.outcome is JobOutcome.BURIED:
            failures = self._failures.setdefault(ended.job.scope.owner, _Failures(0, ended))
            failures.count += 1
            failures.last = ended
        for settlement in self._settlements:
            settlement.note(ended)

    def _tell_failures(self, owners: list[Scope]) -> None:
        """Raise once for all dead letters since the last time; they stay in the store for a person to look at."""
        told = [self._failures.pop(owner) for owner in owners if owner in self._failures]
        if told:
            count = sum(failures.count for failures in told)
            kept = "1 job gave up and is kept as a dead letter"
            if count != 1:
                kept = f"{count} jobs gave up and are kept as dead letters"
            last = told[-1].last
            raise JobFailed(f"{kept}; the last one is {last.job.kind!r} for {last.job.scope.owner}: {last.error}")


async def _all_of(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for all tasks, which go on when the wait is cut short."""
    if tasks:
        await asyncio.wait(tasks)
