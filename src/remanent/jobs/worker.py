"""The worker of the durable queue: looks at agents' queues, runs what is due, and outlives every failure.

Who works is apart from what is due: an `Agenda` says whose queue is looked at next, and runners (`runner.py`) do what
the look found. With a thousand agents at rest, a look must cost nothing: an agent is looked at when something told of
it, when a job of it falls due, and now and then for what other processes left.
"""

import asyncio
import heapq
import itertools
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from remanent.errors import CallerError, JobFailed, RemanentError
from remanent.fairness import Pauses, Shares
from remanent.jobs.runner import (
    FinishedJob,
    Handler,
    JobOutcome,
    Progress,
    Runner,
    Settlement,
    Sleep,
    describe_failure,
    pause,
    retry_delay,
    wait_first,
)
from remanent.model import Clock, Job, NewId, Scope
from remanent.stores import Claims, Store

if TYPE_CHECKING:
    from remanent.settings import JobSettings


Owner = Scope | None
"""An agent to look at; `None` stands for all of them, where the store finds work by itself."""


class Agenda:
    """Hands out agents whose queue may hold work, first come first served, each to one looker at a time."""

    def __init__(self, *, clock: Clock, sleep: Sleep, shares: Shares) -> None:
        self._clock = clock
        self._sleep = sleep
        self._due: OrderedDict[Owner, None] = OrderedDict()
        self._looking: set[Owner] = set()
        self._again: set[Owner] = set()
        """Agents that changed while somebody looked: what that look saw may be out of date."""
        self._times: dict[Owner, datetime] = {}
        """When each agent is to be looked at next, if that is known."""
        # Entries of the heap whose time is no longer the one in `_times` are skipped.
        self._heap: list[tuple[datetime, int, Owner]] = []
        self._order = itertools.count()
        self._filled = asyncio.Event()
        # Organisations that had more than their share, and whose agents wait until the others had theirs.
        self._paused = Pauses(shares, ended=self._filled.set, is_background=True)
        self._moved = asyncio.Event()
        self._closed = False

    def look_now(self, owner: Owner) -> None:
        """Have the agent looked at as soon as a looker is free; if one is looking, once more after that."""
        if owner in self._looking:
            self._again.add(owner)
        else:
            self._due.setdefault(owner)
            self._filled.set()

    def look_at(self, owner: Owner, moment: datetime) -> None:
        """Have the agent looked at then, unless that is to happen earlier anyway."""
        known = self._times.get(owner)
        if known is not None and known <= moment:
            return
        self._times[owner] = moment
        heapq.heappush(self._heap, (moment, next(self._order), owner))
        self._moved.set()

    def is_due(self, owner: Owner) -> bool:
        """Return whether what the last look saw may be out of date."""
        return owner in self._due or owner in self._again

    async def next(self, most: int) -> list[Owner]:
        """Return the next agents to look at, none once the agenda is closed; `looked` must follow for each."""
        while not self._closed:
            owners = list(itertools.islice((owner for owner in self._due if not self._is_paused(owner)), most))
            if owners:
                for owner in owners:
                    del self._due[owner]
                    self._begin(owner)
                return owners
            self._filled.clear()
            await self._filled.wait()
        return []

    def take(self, owner: Owner) -> bool:
        """Take one agent out of turn, to look at it further; refused while another looker has it."""
        if self._closed or owner in self._looking or self._is_paused(owner):
            return False
        self._due.pop(owner, None)
        self._begin(owner)
        return True

    def _is_paused(self, owner: Owner) -> bool:
        return owner is not None and owner.org in self._paused

    def looked(self, owner: Owner) -> None:
        """Say that the look has ended."""
        self._looking.discard(owner)
        if owner in self._again:
            self._again.discard(owner)
            self.look_now(owner)

    def put_back(self, owners: Sequence[Owner]) -> None:
        """Say that these were not looked at, and are the next to be."""
        for owner in reversed(owners):
            self._looking.discard(owner)
            self._again.discard(owner)
            self._due.setdefault(owner)
            self._due.move_to_end(owner, last=False)
        self._filled.set()

    def _begin(self, owner: Owner) -> None:
        # The look finds out anew when the next one is needed.
        self._times.pop(owner, None)
        self._looking.add(owner)

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


MAX_LOOKS = 64
"""Agents that are looked at in one call: the first of them waits for its job until all were. Chosen by hand."""

IN_A_ROW = 2
"""Jobs of one agent that are run before others get their turn: one often gives rise to the next, and a file that was
closed in between has to be opened again. Chosen by hand."""

GRACE = 5.0
"""Seconds that cancelled handlers get to clean up: a transaction to roll back, a request to abort. Chosen by hand."""

MIN_LOOK_INTERVAL = timedelta(milliseconds=100)
"""Between two looks at a queue that says it has work but hands none out, as when another process is just faster."""

IDLE_LOOK_INTERVAL = timedelta(milliseconds=10)
"""Between two looks at idle queues, whosever they are: with thousands of agents each is looked at less often, so that
looking takes a few per cent of a core at the most."""

_logger = logging.getLogger(__name__)


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
        shares: Shares | None = None,
        hurried: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Take what runs jobs, and what has their handlers wait for nobody while somebody waits for them."""
        self._store = store
        self._hurried = hurried
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._name = new_id()
        self._shares = shares or Shares()
        self._agenda = Agenda(clock=clock, sleep=sleep, shares=self._shares)
        self._resting: set[Scope] = set()
        self._runner = Runner(store, handlers=handlers, settings=settings, clock=clock, sleep=sleep)
        self._watched: dict[Scope, None] = {}
        self._troubles: dict[Owner, int] = {}
        self._failures: dict[Scope, tuple[int, FinishedJob]] = {}
        """How many jobs of each agent gave up since somebody was last told, and the last of them."""
        self._settlements: set[Settlement] = set()
        self._turns: set[asyncio.Task[None]] = set()
        self._running: Counter[Scope] = Counter()
        self._free = settings.concurrency
        """How many jobs more may run beside those that do."""
        self._room = asyncio.Event()
        self._room.set()
        self._dispatcher: asyncio.Task[None] | None = None
        self._timekeeper: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def start(self) -> None:
        """Begin to work, on the running event loop."""
        if self._dispatcher is not None or self._stopping is not None:
            raise CallerError("a worker can only be started once; create a new one")
        self._store.on_enqueue(self._enqueued)
        self._timekeeper = asyncio.create_task(self._agenda.keep_time(), name="remanent worker: time")
        self._dispatcher = asyncio.create_task(self._dispatch(), name="remanent worker")
        if self._store.finds_work:
            self._agenda.look_now(None)

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
        self._look_now(scope.owner)

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
        if self._dispatcher is None:
            raise CallerError(
                "no worker is running here, so this would wait forever; set jobs.enabled, or start the worker"
            )
        owners = [scope.owner for scope in scopes] if scopes is not None else list(self._watched)
        settlement = Settlement(
            self._store, owners, sleep=self._sleep, look=self._look_again, running=self._running, report=on_progress
        )
        if self._stopping is not None:
            settlement.stop()
        self._settlements.add(settlement)
        for owner in owners:
            self.watch(owner)
        try:
            with self._hurried():
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
        with self._hurried():
            await wait_first(self._all_turns(), pause(self._sleep, seconds), self._hurry.wait())
        self._runner.abort()
        await wait_first(self._all_turns(), pause(self._sleep, GRACE))
        turns = list(self._turns)
        for turn in turns:
            _logger.error("a handler goes on although it was cancelled; its result will be discarded")
            turn.cancel()
        if self._timekeeper is not None and self._dispatcher is not None:
            self._timekeeper.cancel()
            self._dispatcher.cancel()
            await asyncio.gather(self._timekeeper, self._dispatcher, *turns, return_exceptions=True)
        for settlement in self._settlements:
            settlement.stop()

    async def _all_turns(self) -> None:
        """Wait for all turns, which go on when the wait is cut short."""
        while self._turns:
            await asyncio.wait(self._turns)

    def _enqueued(self, scope: Scope) -> None:
        """Hear of a job that this process has just committed, so that nobody waits for the next poll."""
        if self._stopping is None:
            # What a job asks for while it ends does not wake an agent that was put to rest meanwhile.
            if scope.owner not in self._resting or not self._running[scope.owner]:
                self.watch(scope)
            for settlement in self._settlements:
                settlement.touch(scope.owner)

    def _look_now(self, owner: Scope) -> None:
        self._agenda.look_now(None if self._store.finds_work else owner)

    def _look_again(self, owners: Iterable[Scope]) -> None:
        """Look at agents that somebody waits for: another process may have done their work meanwhile.

        Not at those whose job runs here: its end is told.
        """
        for owner in (one for one in owners if not self._running[one]):
            self._look_now(owner)

    # ── finding and doing work ───────────────────────────────────────────────

    async def _dispatch(self) -> None:
        """Have agents looked at as soon as they are due and somebody is free to do what is found."""
        while True:
            await self._room.wait()
            owners = await self._agenda.next(MAX_LOOKS)
            if not owners:
                return
            # One in trouble may keep others waiting for long: a database that another process holds.
            alone = next((owner for owner in owners if owner in self._troubles), None)
            if alone is not None and len(owners) > 1:
                self._agenda.put_back([owner for owner in owners if owner is not alone])
                owners = [alone]
            self._begin(self._turn(owners))

    def _begin(self, work: Coroutine[Any, Any, None], *, reserved: bool = False) -> None:
        """Start a task that may run a job; its place is taken now, unless it was reserved."""
        if not reserved:
            self.take(1)
        turn = asyncio.create_task(work, name="remanent worker: turn")
        self._turns.add(turn)
        turn.add_done_callback(self._ended)

    def _ended(self, turn: "asyncio.Task[None]") -> None:
        self._turns.discard(turn)
        self.take(-1)

    def take(self, many: int) -> None:
        """Take places for jobs, or give them back, as one that only waits does."""
        self._free -= many
        if self._free > 0:
            self._room.set()
        else:
            self._room.clear()

    async def _turn(self, owners: list[Owner]) -> None:
        """Look at agents and run a job that is found; a few more of the same agent follow if it has any."""
        # Gathered, whatever goes wrong in a turn comes back as a value: a defect must not end all background work.
        [trouble] = await asyncio.gather(self._serve(owners), return_exceptions=True)
        if trouble is not None:
            for owner in owners:
                _logger.error("unforeseen error while working for %s", owner or "all agents", exc_info=trouble)
                self._agenda.looked(owner)
                self._postpone(owner)

    async def _serve(self, owners: list[Owner]) -> None:
        """Look and run, in turn; `owners` says whose turn it is, whatever happens."""
        for owner in self._resting.intersection(owners):
            self._agenda.looked(owner)
            owners.remove(owner)
        in_a_row = 0
        while owners and (job := await self._look(owners)) is not None:
            in_a_row += 1
            owner = job.scope.owner
            owners[:] = [owner]
            if not await self._run(job) or owner in self._resting:
                return
            if self._store.finds_work or in_a_row >= IN_A_ROW or not self._agenda.take(owner):
                self._look_now(owner)
                return

    async def _run(self, job: Job) -> bool:
        """Run a job; return whether its agent can be looked at again at once."""
        owner = job.scope.owner
        if self._stopping is not None or owner in self._resting:
            # A store that finds work by itself finds that of an agent at rest, too: not at once again.
            wait = timedelta(seconds=self._settings.poll if owner in self._resting else 0)
            self._record(await self._runner.give_back(job, wait=wait))
            return False
        self._running[owner] += 1
        try:
            with self._shares.asking(owner.org), self._shares.turn(owner.org, is_background=True) as seconds:
                try:
                    ended = await self._runner.run(job)
                finally:
                    self._shares.charge(owner.org, seconds(), is_background=True)
        finally:
            self._running[owner] -= 1
            if not self._running[owner]:
                del self._running[owner]
        self._record(ended)
        if ended.outcome is JobOutcome.UNWRITTEN:
            self._postpone(None if self._store.finds_work else owner)
            return False
        return True

    async def _run_beside(self, job: Job) -> None:
        """Run a job that was claimed with another."""
        if await self._run(job):
            self._look_now(job.scope.owner)

    async def _look(self, owners: list[Owner]) -> Job | None:
        """Claim jobs and start all but one, which is returned; arrange the next look at those that have none."""
        # Half of those who are free: others may find work elsewhere meanwhile.
        spare = max(0, self._free // 2)
        self.take(spare)
        now = self._clock()
        try:
            claims = await self._claim(owners, now=now, limit=1 + spare)
        except RemanentError as error:
            for owner in owners:
                self._agenda.looked(owner)
                self._trouble(owner, error)
            claims, owners = Claims(), []
        except BaseException:
            self.take(-spare)
            raise
        self.take(max(0, len(claims.jobs) - 1) - spare)
        is_full = len(claims.jobs) > spare
        if None in owners:
            self._arrange_next(claims, now=now, is_full=is_full)
        else:
            self._arrange(owners, claims, now=now, is_full=is_full)
        for job in claims.jobs[1:]:
            self._begin(self._run_beside(job), reserved=True)
        return claims.jobs[0] if claims.jobs else None

    async def _claim(self, owners: list[Owner], *, now: datetime, limit: int) -> Claims:
        """Write down what could not be written before, then claim; an agent that fails does not keep the others."""
        failed: dict[Scope, RemanentError] = {}
        for owner in self._runner.unwritten if owners == [None] else owners:
            try:
                while owner is not None and (ended := await self._runner.write_pending(owner)) is not None:
                    self._record(ended)
            except RemanentError as error:
                assert owner is not None
                failed[owner] = error
        among = None if owners == [None] else [owner for owner in owners if owner is not None and owner not in failed]
        if among == []:
            return Claims(failed=failed)
        claims = await self._runner.claim(worker=self._name, limit=limit, among=among)
        return replace(claims, failed={**claims.failed, **failed})

    def _arrange(self, owners: list[Owner], claims: Claims, *, now: datetime, is_full: bool) -> None:
        """Arrange the next look at each agent, and tell those who wait which of them have nothing to do."""
        claimed = {job.scope.owner for job in claims.jobs}
        unseen = [o for o in owners if o not in claims.wake_at and o not in claims.failed and o not in claimed]
        for owner in owners:
            if owner in unseen or owner is None:
                continue
            self._agenda.looked(owner)
            if owner in claims.failed:
                self._trouble(owner, claims.failed[owner])
                continue
            self._recovered(owner)
            if owner not in claimed:
                self._found_nothing(owner, claims.wake_at[owner], now=now)
            elif is_full:
                # Another of its lanes may have work for somebody else.
                self._agenda.look_now(owner)
            else:
                self._agenda.look_at(owner, self._next_look(None, now=now))
        if unseen:
            self._agenda.put_back(unseen)

    def _arrange_next(self, claims: Claims, *, now: datetime, is_full: bool) -> None:
        """Arrange the next look of a store that finds work by itself; whose queue is empty it is asked."""
        self._agenda.looked(None)
        if is_full:
            self._agenda.look_now(None)
        else:
            self._recovered(None)
            waits = [moment for moment in claims.wake_at.values() if moment is not None]
            self._agenda.look_at(None, self._next_look(min(waits, default=None), now=now))
        if not claims.jobs:
            for settlement in self._settlements:
                settlement.doubt(None)

    def _found_nothing(self, owner: Scope, wake_at: datetime | None, *, now: datetime) -> None:
        """Note that an agent has nothing to do, or nothing yet, for whoever waits until it has settled."""
        self._agenda.look_at(owner, self._next_look(wake_at, now=now))
        if not self._agenda.is_due(owner):
            for settlement in self._settlements:
                if wake_at is None:
                    settlement.settled(owner)
                else:  # what waits may be nothing but timers, for which nobody waits
                    settlement.doubt(owner)

    def _trouble(self, owner: Owner, error: RemanentError) -> None:
        """Tell of trouble with an agent's queue once, and look again later."""
        if owner not in self._troubles:
            whose = f"the queue of {owner}" if owner is not None else "the queue"
            _logger.warning("%s cannot be worked on, trying on: %s", whose, describe_failure(error))
        self._postpone(owner)
        for settlement in self._settlements:
            settlement.doubt(owner, error)

    def _recovered(self, owner: Owner) -> None:
        if self._troubles.pop(owner, 0):
            _logger.info("the queue%s can be worked on again", "" if owner is None else f" of {owner}")

    def _next_look(self, wake_at: datetime | None, *, now: datetime) -> datetime:
        """Return when a retry or a lease comes due, or else the next poll for what other processes enqueued."""
        watched = 1 if self._store.finds_work else len(self._watched)
        poll = now + max(timedelta(seconds=self._settings.poll), watched * IDLE_LOOK_INTERVAL)
        return poll if wake_at is None else max(now + MIN_LOOK_INTERVAL, min(wake_at, poll))

    def _postpone(self, owner: Owner) -> None:
        """Wait longer after every failure in a row: a full disk is not helped by looking at it more often."""
        troubles = self._troubles[owner] = self._troubles.get(owner, 0) + 1
        wait = retry_delay(troubles, base=self._settings.backoff_base, cap=self._settings.backoff_cap)
        self._agenda.look_at(owner, self._clock() + wait)

    def _record(self, ended: FinishedJob) -> None:
        """Count a job that ended for whoever waits, and keep a dead letter in mind until it was told of."""
        if ended.outcome is JobOutcome.BURIED:
            owner = ended.job.scope.owner
            self._failures[owner] = self._failures.get(owner, (0, ended))[0] + 1, ended
        for settlement in self._settlements:
            settlement.note(ended)

    def _tell_failures(self, owners: list[Scope]) -> None:
        """Raise once for all dead letters since the last time; they stay in the store for a person to look at."""
        told = [self._failures.pop(owner) for owner in owners if owner in self._failures]
        if told:
            count = sum(count for count, _ in told)
            gave_up = f"{count} jobs gave up and are kept as dead letters"
            kept = gave_up if count > 1 else "1 job gave up and is kept as a dead letter"
            _, last = told[-1]
            raise JobFailed(f"{kept}; the last one is {last.job.kind!r} for {last.job.scope.owner}: {last.error}")
