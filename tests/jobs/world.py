"""A worker's surroundings under control: a clock that stands still until told, and a store that fails on demand."""

import asyncio
import heapq
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from remanent.errors import StoreClosed
from remanent.fairness import Shares
from remanent.jobs import Handler, Worker
from remanent.model import Job, JobState, Scope, id_source
from remanent.settings import JobSettings
from remanent.stores import JobQuery, Store
from remanent.stores.sqlite.store import SqliteStore
from remanent.stores.store import Batches

T = TypeVar("T")

ADA = Scope(org="lab", workspace="home", agent="ada")
BOB = Scope(org="lab", workspace="home", agent="bob")
TAPPED = ("claim_any", "commit", "read", "renew")
SPINS = 3
"""Turns of the event loop with nothing else to run, after which nothing comes any more."""


class Time:
    """A clock and a sleep that move together, and only when told."""

    def __init__(self) -> None:
        self.now = datetime(2025, 1, 1, tzinfo=UTC)
        self._order = itertools.count()
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []

    def clock(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + timedelta(seconds=seconds), next(self._order), future))
        await future

    def next_waking(self) -> datetime | None:
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    def move_to(self, moment: datetime) -> None:
        self.now = max(self.now, moment)
        while (waking := self.next_waking()) is not None and waking <= self.now:
            heapq.heappop(self._sleepers)[2].set_result(None)


class World:
    """A real store in a folder, whose calls are counted and can be made to fail, and the time."""

    def __init__(self, home: Path) -> None:
        self.time = Time()
        self.new_id = id_source(self.time.clock, seed=7)
        self.home = home
        self.faults: dict[str, list[BaseException]] = defaultdict(list)
        """By method: raised in place of the next calls, first one first."""
        self.lasting: dict[str, BaseException] = {}
        """By method: raised until taken out."""
        self.late: dict[str, list[BaseException]] = defaultdict(list)
        """By method: raised after the call took effect, as when the caller is cut off."""
        self.calls_left: dict[Store, int] = {}
        """Stores of processes that are killed: after so many calls more, what they do has no effect; the last call
        that has one is never answered."""
        self._in_flight = 0
        self._landed = asyncio.Event()
        self.stores: list[Store] = []
        self.workers: list[Worker] = []
        self.store = self.open_store()

    def open_store(self) -> Store:
        """Open the files anew, as another process would."""
        store = self.make_store()
        for name in TAPPED:
            setattr(store, name, self._tap(store, name, getattr(store, name)))
        store._reads = Batches(store.read)  # which was bound to the untapped one
        self.stores.append(store)
        return store

    def make_store(self) -> Store:
        return SqliteStore(self.home)

    def _tap(self, store: Store, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def tapped(*arguments: Any, **options: Any) -> Any:
            killed = self._count_down(store)
            if self.faults[name]:
                raise self.faults[name].pop(0)
            if name in self.lasting:
                raise self.lasting[name]
            self._in_flight += 1
            try:
                result = await method(*arguments, **options)
            finally:
                self._in_flight -= 1
                self._landed.set()
            if killed:
                raise StoreClosed("the process has ended")
            if self.late[name]:
                raise self.late[name].pop(0)
            return result

        return tapped

    def _count_down(self, store: Store) -> bool:
        """Count a call of a process that is to be killed; return whether it is the last that has an effect."""
        left = self.calls_left.get(store)
        if left is None:
            return False
        if left == 0:
            raise StoreClosed("the process has ended")
        self.calls_left[store] = left - 1
        return left == 1

    def worker(
        self,
        handlers: Mapping[str, Handler],
        *,
        store: Store | None = None,
        start: bool = True,
        shares: Shares | None = None,
        **settings: Any,
    ) -> Worker:
        worker = Worker(
            store or self.store,
            handlers=handlers,
            settings=JobSettings(**settings),
            clock=self.time.clock,
            new_id=self.new_id,
            sleep=self.time.sleep,
            shares=shares,
        )
        if start:
            worker.start()
            self.workers.append(worker)
        return worker

    async def enqueue(
        self, kinds: Iterable[str], *, scope: Scope = ADA, lane: str = "main", limit: int = 1000, **fields: Any
    ) -> list[str]:
        """Enqueue one job per kind, each in a unit of work of its own; return their ids."""
        job_ids = []
        for kind in kinds:
            job = Job(id=self.new_id(), scope=scope, kind=kind, lane=lane, enqueued_at=self.time.now, **fields)
            async with self.store.transaction(scope) as tx:
                tx.enqueue(job, limit=limit)
            job_ids.append(job.id)
        return job_ids

    async def jobs(self, scope: Scope = ADA, *, state: JobState | None = None) -> list[Job]:
        return await self.store.jobs(scope, JobQuery(states=None if state is None else (state,), limit=10_000))

    async def quiet(self) -> None:
        """Return when nothing moves any more unless time does."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # to turn 50 times was half of all CPU
        spins = 0
        while spins < SPINS:
            if self._in_flight:
                self._landed.clear()
                await self._landed.wait()
                spins = 0
            else:
                await asyncio.sleep(0)
                spins = 0 if ready else spins + 1

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass, waking each sleeper at its moment."""
        end = self.time.now + timedelta(seconds=seconds)
        await self.quiet()
        while (waking := self.time.next_waking()) is not None and waking <= end:
            self.time.move_to(waking)
            await self.quiet()
        self.time.move_to(end)

    async def until(self, awaitable: Awaitable[T], *, within: float = 100_000) -> T:
        """Let time pass from sleeper to sleeper until the awaitable is done; return its result."""
        task = asyncio.ensure_future(awaitable)
        end = self.time.now + timedelta(seconds=within)
        await self.quiet()
        while not task.done():
            waking = self.time.next_waking()
            if waking is None or waking > end:
                task.cancel()
                raise AssertionError("nothing is left that could ever end the wait")
            self.time.move_to(waking)
            await self.quiet()
        return await task

    async def close(self) -> None:
        self.lasting.clear()
        self.faults.clear()
        for worker in self.workers:
            await self.until(worker.stop(drain=False))
        for store in self.stores:
            await store.close()
