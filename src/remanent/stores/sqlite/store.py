"""The embedded store: one SQLite file per agent.

Under it lie, from the outside in: which files are open (`pool.py`), one file with its writer thread (`database.py`),
what a connection is (`connection.py`), and what is written and asked (`writes.py`, `reads.py`).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import apsw

from remanent.errors import IntegrityError, LeaseLost, RemanentError, StorageFull, StoreClosed
from remanent.fairness import FairThreads
from remanent.model import Job, Scope, system_clock, to_millis
from remanent.stores import rows
from remanent.stores.queries import Claims, Erased, Erasure, ErasureDepth, Health, Query, QueueQuery
from remanent.stores.query_steps import LOOK, NOTHING, HeldMoment, Snapshot, nothing_stored
from remanent.stores.sqlite import erasure as erasing
from remanent.stores.sqlite import reads, repair
from remanent.stores.sqlite.connection import MIGRATIONS, READERS, bound_memory, descriptor_budget, translated
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.folders import Layout
from remanent.stores.sqlite.pool import DatabasePool
from remanent.stores.sqlite.reads import scrubs_due, unheld
from remanent.stores.sqlite.writes import Unit, load_database
from remanent.stores.store import MAX_WAIT, Store
from remanent.stores.transaction import Change, Committed

T = TypeVar("T")
SCRUB_TIMEOUT = 10.0
"""Seconds that an erasure waits for readers to let go of the log; then it says that it has to be called again."""


class SqliteStore(Store):
    """Keeps each agent in its own file under the home folder; files open on first use and close when others need room.

    A file of its own makes an agent easy to back up, to move and to erase, lets agents write side by side, and keeps
    one agent's damage from another. The methods here only find the database, choose the thread and pass the work on;
    what is done lies in the modules beside this one.
    """

    def __init__(
        self,
        home: Path,
        *,
        busy_timeout: float = 10.0,
        max_open: int = 256,
        migrations: Sequence[str] = MIGRATIONS,
    ) -> None:
        super().__init__()
        bound_memory()
        self.layout = Layout(home)
        self._migrations = migrations
        self._executor = FairThreads(READERS, name="remanent-reader")
        self._pool = DatabasePool(
            self.layout,
            descriptor_budget=descriptor_budget(max_open),
            busy_timeout=busy_timeout,
            migrations=migrations,
            executor=self._executor,
        )
        self._listeners: list[Callable[[Scope], None]] = []
        self._shut = False

    def visit(self, scope: Scope) -> AbstractContextManager[None]:
        """Keep the agent's files open between the calls of one piece of work, while there is a choice."""
        return self._pool.visit(scope)

    # ── writing ──────────────────────────────────────────────────────────────

    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Apply all changes or none; on return they survive any crash."""
        async with self._pool.check_out(scope) as database:
            committed = await database.write(Unit(changes))
        if committed.enqueued:
            for notify in self._listeners:
                notify(scope.owner)
        return committed

    async def load(self, scope: Scope, batches: AsyncIterator[Sequence[Change]]) -> None:
        """Fill an empty scope with all batches or nothing."""
        async with self._pool.check_out_for_import(scope) as database:
            await load_database(database.path, batches, executor=self._executor)
        for notify in self._listeners:
            notify(scope.owner)

    async def erase(self, scope: Scope, erasure: Erasure) -> Erased:
        """Remove texts and vectors, and all that was derived from them, from every byte of every file."""
        if not await self._blocking(self._is_stored, scope):
            return Erased(depth=ErasureDepth.OVERWRITTEN)
        async with self._pool.check_out(scope) as database:
            erased, traces = await database.write(lambda connection: erasing.erase_rows(connection, scope, erasure))
            await database.write(
                lambda connection: erasing.scrub(connection, traces, timeout=SCRUB_TIMEOUT), alone=True
            )
            backups = await self._blocking(erasing.remove_backups, database.path)
            return replace(erased, backups=backups, depth=ErasureDepth.OVERWRITTEN)

    # ── reading ──────────────────────────────────────────────────────────────

    async def read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer questions, text searches beside each other and the rest on one snapshot."""
        return await self._read(scope, queries)

    async def _read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Do the same for a claim, which is one call from without.

        A file that was never written to has nothing and is not made by asking. How the queue of a closed agent stands
        is noted when it is closed: asking all of thousands of agents for work would otherwise open every file in turn.
        """
        pooled = self._pool.acquire_open(scope)
        if pooled is None:
            if all(isinstance(query, QueueQuery) for query in queries):
                left = await self._pool.queue_when_closed(scope)
                if left is not None:
                    return [left for _ in queries]
            if scope not in self._pool:
                self._pool.refuse_when_closed()
                if not await self._blocking(self._is_stored, scope):
                    return [nothing_stored(query) for query in queries]
            pooled = await self._pool.acquire(scope)
        assert pooled.database is not None
        try:
            return await self._answer(pooled.database, scope, queries)
        finally:
            self._pool.release(scope, pooled)

    def snapshot(self, scope: Scope) -> Snapshot:
        """Hold a reading transaction; one that begins while something is erased waits until the log is cut."""
        return Snapshot(scope, self._hold)

    async def _hold(self, scope: Scope, stack: AsyncExitStack) -> HeldMoment:
        if not await self._blocking(self._is_stored, scope):
            return NOTHING
        await stack.enter_async_context(self._pool.exports)
        database = await stack.enter_async_context(self._pool.check_out(scope))
        await self._wait_for_scrub(database)
        try:
            reader = await self._blocking(database.hold)
        except StorageFull:
            return unheld(self)

        async def has_erased() -> bool:
            return await database.read(scrubs_due, snapshot=False) > reader.scrubs_due

        answer = partial(self._blocking, reader.answer)
        return HeldMoment(answer, has_erased, partial(asyncio.to_thread, database.release, reader))

    async def _wait_for_scrub(self, database: Database) -> None:
        """Let an erasure end that is under way: it would wait for the snapshot. One that was cut short is left."""
        until = time.monotonic() + SCRUB_TIMEOUT
        while time.monotonic() < until:
            if not await database.read(scrubs_due, snapshot=False):
                return
            await asyncio.sleep(LOOK)

    async def _answer(self, database: Database, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer questions, several at a time where there are enough; half of the readers stay free for others."""
        groups = spread(queries, threads=READERS // 2)
        if len(groups) == 1:
            snapshot = not reads.is_one_statement(queries)
            return await database.read(lambda connection: reads.answer(connection, scope, queries), snapshot=snapshot)

        async def read(group: list[int]) -> None:
            asked = [queries[place] for place in group]
            found = await database.read(lambda connection: reads.answer(connection, scope, asked))
            answers.update(zip(group, found, strict=True))

        answers: dict[int, Any] = {}
        await asyncio.gather(*map(read, groups))
        return [answers[place] for place in range(len(queries))]

    # ── the queue ────────────────────────────────────────────────────────────

    async def claim_any(
        self,
        *,
        worker: str,
        limit: int,
        lease: timedelta,
        now: datetime | None = None,
        among: Sequence[Scope] | None = None,
    ) -> Claims:
        """Look at one agent after the other until enough is claimed; those behind are not looked at."""
        moment = system_clock() if now is None else now
        owners = [scope.owner for scope in among] if among is not None else await self.scopes()
        # So that one agent with many lanes does not take all.
        share = -(-limit // max(1, len(owners)))
        jobs: list[Job] = []
        wake_at: dict[Scope, datetime | None] = {}
        failed: dict[Scope, RemanentError] = {}
        for owner in owners:
            if len(jobs) >= limit:
                break
            try:
                found, wake_at[owner] = await self._claim(
                    owner, worker=worker, now=moment, lease=lease, limit=min(share, limit - len(jobs))
                )
                jobs += found
            except RemanentError as error:
                failed[owner] = error
        return Claims(tuple(jobs), wake_at, failed)

    async def _claim(
        self, owner: Scope, *, worker: str, now: datetime, lease: timedelta, limit: int
    ) -> tuple[list[Job], datetime | None]:
        """Claim jobs of one agent; return them, or when there will be one."""
        # A look first: most of the time nothing can be claimed, and looking costs no commit.
        [state] = await self._read(owner, [QueueQuery()])
        if state.wake_at is None or now < state.wake_at <= now + MAX_WAIT:
            return [], state.wake_at
        async with self._pool.check_out(owner) as database:
            claimed = await database.write(
                lambda connection: claim(connection, owner, worker=worker, now=now, lease=lease, limit=limit)
            )
        return claimed, state.wake_at

    async def renew(
        self, scope: Scope, *, job_id: str, fence: int, lease: timedelta, now: datetime | None = None
    ) -> None:
        """Prolong a lease, from now on."""
        until = (system_clock() if now is None else now) + lease
        async with self._pool.check_out(scope) as database:
            await database.write(lambda connection: renew(connection, job_id=job_id, fence=fence, until=until))

    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called after a commit that added or revived jobs."""
        self._listeners.append(notify)

    # ── care ─────────────────────────────────────────────────────────────────

    def folder(self, scope: Scope) -> Path:
        """Return the folder of an agent's files; refuse one that is not truly its own."""
        return self.layout.own_folder(scope)

    async def check(self, scope: Scope, *, quick: bool = False) -> Health:
        """Examine every page, index and reference; report, change nothing."""
        path = self.layout.database(scope)
        if not self._is_stored(scope):
            return Health()
        try:
            async with self._pool.check_out(scope) as database:
                return await database.write(lambda connection: repair.check(connection, path, quick=quick), alone=True)
        except IntegrityError as error:
            return Health(problems=(str(error),), bytes_on_disk=path.stat().st_size)

    async def repair(self, scope: Scope) -> Path:
        """Save what is readable to a new file beside the damaged one, which stays untouched."""
        self.layout.verify(scope)
        path = self.layout.database(scope)
        target = next(
            name for number in count(1) if not (name := path.with_name(f"memory.repaired-{number}.db")).exists()
        )
        await self._blocking(lambda: repair.repair(path, target, scope=scope.owner, migrations=self._migrations))
        return target

    async def scopes(self) -> list[Scope]:
        """Return every agent that has data here, by path."""
        return await self._blocking(lambda: list(self.layout.scopes()))

    async def latest(self, *, limit: int) -> list[Scope]:
        """Return the agents that were written to last, newest first."""

        def find() -> list[Scope]:
            scopes = list(self.layout.scopes())
            return sorted(scopes, key=self.layout.written_at, reverse=True)[:limit]

        return await self._blocking(find)

    async def close(self) -> None:
        """Finish what is under way and let go of every file."""
        await self._pool.close()
        self._shut = True
        self._executor.shutdown(wait=True)

    # ── inside ───────────────────────────────────────────────────────────────

    def _is_stored(self, scope: Scope) -> bool:
        with translated():
            return self.layout.is_stored(scope)

    async def _blocking(self, work: Callable[..., T], *arguments: object) -> T:
        """Run work that waits for the disk off the event loop; once begun it is not abandoned half-way."""
        if self._shut:
            raise StoreClosed("the store is closed; open it again")
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments))


# ── on how many threads a read is spread ──


def spread(queries: Sequence[Query[Any]], *, threads: int) -> list[list[int]]:
    """Return the places of questions that are answered one after the other, a list for each thread.

    Text searches of large agents take longer than the way to another thread; all the rest goes together, on one
    snapshot. The first of the long ones goes with the rest, since that thread is under way anyhow. They are given but
    some of the threads that read, so that a hundred searches for one do not keep others waiting.
    """
    groups: list[list[int]] = [[]]
    long = 0
    for place, query in enumerate(queries):
        if type(query) not in reads.APART:
            groups[0].append(place)
            continue
        if 0 < long < threads:
            groups.append([place])
        else:
            groups[long % threads].append(place)
        long += 1
    return groups


# ── leases: a claim raises the fence of a job, and refuses with `LeaseLost` what is written under an older one ──

_CLAIM = f"""
UPDATE jobs SET state = 'running', worker = ?, fence = fence + 1, attempts = attempts + 1, lease_until = ?
WHERE seq IN (
    SELECT seq FROM jobs
    WHERE seq IN ({reads.HEADS}) AND (not_before IS NULL OR not_before NOT BETWEEN ? AND ?)
        AND (state = 'pending' OR lease_until NOT BETWEEN ? AND ?)
    ORDER BY seq LIMIT ?
)
RETURNING {rows.JOB_COLUMNS}
"""


def claim(
    connection: apsw.Connection, scope: Scope, *, worker: str, now: datetime, lease: timedelta, limit: int
) -> list[Job]:
    """Claim the next jobs that may run, each of another lane, oldest first."""
    waits = (to_millis(now) + 1, to_millis(now + MAX_WAIT))
    claimed = connection.execute(_CLAIM, (worker, to_millis(now + lease), *waits, *waits, limit)).fetchall()
    return sorted((rows.job_of(scope, row) for row in claimed), key=lambda job: job.seq)


def renew(connection: apsw.Connection, *, job_id: str, fence: int, until: datetime) -> None:
    """Prolong a lease that still holds."""
    sql = "UPDATE jobs SET lease_until = ? WHERE id = ? AND fence = ? AND state = 'running' RETURNING 1"
    if connection.execute(sql, (to_millis(until), job_id, fence)).get is None:
        raise LeaseLost(f"job {job_id} was taken over or finished by another worker")
