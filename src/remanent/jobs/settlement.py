"""Waiting until nothing waits or runs, and counting on the way."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from remanent.errors import BusyError, StoreBusy
from remanent.jobs.runner import FinishedJob, JobOutcome
from remanent.jobs.timing import Sleep, pause, wait_first
from remanent.model import Scope
from remanent.stores import Store

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


class Settlement:
    """One wait for the queues of some agents to run empty."""

    def __init__(
        self, store: Store, owners: Iterable[Scope], *, sleep: Sleep, report: Callable[[Progress], None] | None
    ) -> None:
        self._store = store
        self._sleep = sleep
        self._report = report
        self._outstanding = dict.fromkeys(owners, 0)
        self._unsure = set(self._outstanding)
        self._woken = asyncio.Event()
        self._done = 0
        self._failed = 0
        self._stopped = False
        self._late = False

    def note(self, ended: FinishedJob) -> None:
        """Count a job that ended."""
        owner = ended.job.scope.owner
        if owner in self._outstanding:
            self._done += ended.outcome is JobOutcome.DONE
            self._failed += ended.outcome is JobOutcome.BURIED
            self.touch(owner)

    def touch(self, owner: Scope) -> None:
        """Have an agent's queue read anew."""
        if owner in self._outstanding:
            self._unsure.add(owner)
            self._woken.set()

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
        """Count until nothing is left; what this process does wakes it, what others do shows at the next poll."""
        while await self._count():
            if self._stopped:
                raise BusyError("the worker stopped before the queue was empty; what waits is kept for the next start")
            if self._late:
                raise BusyError(f"{self._count_text()} after {timeout:g} seconds; wait longer or look at the queue")
            await wait_first(self._woken.wait(), pause(self._sleep, POLL))
            if not self._woken.is_set():
                self._unsure.update(owner for owner, count in self._outstanding.items() if count)

    async def _count(self) -> int:
        """Read the queues that may have changed; return how much there is still to do."""
        self._woken.clear()
        unsure, self._unsure = self._unsure, set()
        for owner in unsure:
            try:
                state = await self._store.queue(owner)
            except StoreBusy:
                self._outstanding[owner] = max(1, self._outstanding[owner])
            else:
                self._outstanding[owner] = state.pending + state.running
        pending = sum(self._outstanding.values())
        if self._report is not None:
            self._report(Progress(pending=pending, done=self._done, failed=self._failed))
        return pending

    def _count_text(self) -> str:
        pending = sum(self._outstanding.values())
        return f"{pending} job{'s' if pending != 1 else ''} still to do"

    async def _run_late(self, timeout: float) -> None:
        """End the wait by a flag, not by cancelling: a count that is under way is finished and reported first."""
        await self._sleep(timeout)
        self._late = True
        self._woken.set()
