"""Waiting one's turn in an agent's queue: what is asked after something was told sees it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from remanent.errors import JobFailed, RemanentError
from remanent.model import Clock, Job, JobState, NewId, Scope
from remanent.stores import JobQuery, Store, Transaction

RECALL = "associative.recall"
"""The job that marks the turn of a recall. It holds no words: whoever asks keeps them and waits."""

LANE = "associative"
"""The lane of remember and recall: one after the other, in the order of the calls."""

POLL = 0.5
"""Seconds between looks at a turn that another process may have taken."""
MANY = 100_000

T = TypeVar("T")


class Line:
    """Has work done when everything that was asked of the agent before is done."""

    def __init__(self, store: Store, *, clock: Clock, new_id: NewId, limit: int) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._limit = limit
        self._waiting: dict[str, Callable[[], Awaitable[None]]] = {}

    async def in_turn(self, scope: Scope, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work at its turn; at once when nothing waits. `QueueFull` when too much waits."""
        if not await self._waits(scope):
            return await work()
        job = Job(
            id=self._new_id(),
            scope=scope.owner,
            kind=RECALL,
            lane=LANE,
            enqueued_at=self._clock(),
            max_attempts=MANY,
        )
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def do() -> None:
            try:
                result = await work()
            except RemanentError as error:
                # It is the asker's to hear of; the turn itself was taken.
                if not done.done():
                    done.set_exception(error)
                return
            if not done.done():
                done.set_result(result)

        self._waiting[job.id] = do
        try:
            async with self._store.transaction(scope.owner) as tx:
                tx.enqueue(job, limit=self._limit)
            return await self._until(done, job, work)
        finally:
            self._waiting.pop(job.id, None)

    async def take_turn(self, job: Job, tx: Transaction) -> None:
        """Do what waits for this turn; when whoever asked is gone or elsewhere, there is nothing to do."""
        waiting = self._waiting.get(job.id)
        if waiting is not None:
            await waiting()

    async def _until(self, done: "asyncio.Future[T]", job: Job, work: Callable[[], Awaitable[T]]) -> T:
        while True:
            await asyncio.wait({done}, timeout=POLL)
            if done.done():
                return done.result()
            mine = [other for other in await self._jobs(job.scope) if other.id == job.id]
            if not mine and not done.done():
                return await work()  # another process took the turn for nothing: it has come all the same
            if mine and mine[0].state is JobState.DEAD:
                raise JobFailed("the turn of this recall was given up; ask again")

    async def _waits(self, scope: Scope) -> bool:
        query = JobQuery(states=(JobState.PENDING, JobState.RUNNING), lanes=(LANE,), limit=1)
        return bool(await self._store.jobs(scope.owner, query))

    async def _jobs(self, scope: Scope) -> list[Job]:
        return await self._store.jobs(scope, JobQuery(lanes=(LANE,), limit=MANY))
