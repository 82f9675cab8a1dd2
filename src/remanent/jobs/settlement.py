"""Waiting until nothing waits or runs, and counting on the way.

For tests, scripts and people who want to see the outcome of what they just said; nothing in Remanent itself waits so.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from remanent.errors import BusyError, RemanentError, StorageFull, StoreBusy
from remanent.jobs.runner import FinishedJob, JobOutcome, Sleep, pause, wait_first
from remanent.model import Scope
from remanent.stores import Store
from remanent.values import dataclass

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
                if self._told_no_room and not self._no_room:  # what is told last is how it stands
                    await self._tell()
                return
            if self._stopped or self._late:
                pending = sum([await self._count(owner) for owner in self._unsettled])
                if not pending:
                    return
                if self._stopped:
                    raise BusyError(
                        "the worker stopped before the queue was empty; what waits is kept for the next start"
                    )
                jobs = f"{pending} job{'s' if pending != 1 else ''} still to do"
                raise BusyError(f"{jobs} after {timeout:g} seconds; wait longer or look at the queue")
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
