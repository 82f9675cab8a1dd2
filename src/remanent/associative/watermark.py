"""Reading one's own writes: how far the graph must have come before a recall may look at it.

A recall sees every `remember` that was acknowledged before it. It notes the newest job of the lane, its watermark, and
waits until the lane has passed that. Nothing durable is written for a read: a job per recall would cost a commit, fill
the queue that writers need, and be left behind by askers who are gone.
"""

import asyncio
from contextlib import suppress

from remanent.model import Clock, Job, JobState, Scope
from remanent.stores import JobQuery, Store

LANE = "associative"
"""The lane of `remember`: one after the other, in the order of the calls."""

POLL = 0.05
"""Seconds between looks at the queue; commits of this process are heard of at once, those of another only so."""

MAX_WAITING = 100_000
"""More jobs than any queue may hold."""


class Watermark:
    """Waits until the graph holds what was remembered before."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._committed: dict[Scope, asyncio.Event] = {}

    def advance(self, scope: Scope) -> None:
        """Wake whoever waits: a job of the lane was committed."""
        if (waiting := self._committed.get(scope.owner)) is not None:
            waiting.set()

    async def reach(self, scope: Scope) -> int:
        """Wait for all that was asked before and can run; return how many messages are not in the graph yet.

        A job in back-off is not waited for, and those behind it cannot run before it: the reader would wait as long as
        a model is out of order.
        """
        owner = scope.owner
        if not await self._waiting(owner, limit=1):
            return 0
        mark = max((job.seq for job in await self._waiting(owner)), default=0)
        committed = self._committed.setdefault(owner, asyncio.Event())
        try:
            while True:
                committed.clear()
                head = await self._waiting(owner, limit=1)
                if not head or head[0].seq > mark or not self._can_run(head[0]):
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(committed.wait(), POLL)
        finally:
            self._committed.pop(owner, None)
        return sum(len(entries_of(job)) for job in await self._waiting(owner))

    async def _waiting(self, owner: Scope, *, limit: int = MAX_WAITING) -> list[Job]:
        query = JobQuery(states=(JobState.PENDING, JobState.RUNNING), lanes=(LANE,), limit=limit)
        return await self._store.jobs(owner, query)

    def _can_run(self, job: Job) -> bool:
        return job.state is JobState.RUNNING or job.not_before is None or job.not_before <= self._clock()


def entries_of(job: Job) -> tuple[str, ...]:
    """Return the entries that a job makes nodes of."""
    named = job.payload.get("entries")
    return tuple(str(entry_id) for entry_id in named) if isinstance(named, list) else ()
