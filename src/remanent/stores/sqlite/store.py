"""The embedded store: one SQLite file per agent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import LiteralString, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from remanent.errors import IntegrityError, NotFound, StoreClosed
from remanent.model import Conflict, Entry, Job, Kind, Link, Origin, Record, Scope, Tombstone, Version
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    Erased,
    Erasure,
    Health,
    Hit,
    JobQuery,
    LinkQuery,
    Place,
    QueueState,
    RecordFilter,
    RecordQuery,
    SessionTerms,
    TermCounts,
    VectorChanges,
)
from remanent.stores.sqlite import erasure as erasing
from remanent.stores.sqlite import queue, reads, repair, search
from remanent.stores.sqlite.connection import READERS, bound_memory, descriptor_budget, translated
from remanent.stores.sqlite.database import Work
from remanent.stores.sqlite.layout import Layout
from remanent.stores.sqlite.migrations import MIGRATIONS
from remanent.stores.sqlite.pool import DatabasePool
from remanent.stores.sqlite.writes import apply_unit, load_database
from remanent.stores.store import MAX_WAIT, Store
from remanent.stores.transaction import Change, Committed

T = TypeVar("T")
_FEW = 32
"""Rows that are read in less time than it takes to wake a thread; chosen by hand."""
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
        migrations: Sequence[LiteralString] = MIGRATIONS,
    ) -> None:
        bound_memory()
        self.layout = Layout(home)
        self._migrations = migrations
        self._executor = ThreadPoolExecutor(READERS, thread_name_prefix="remanent-reader")
        self.descriptor_budget = descriptor_budget(max_open)
        self._pool = DatabasePool(
            self.layout,
            descriptor_budget=self.descriptor_budget,
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
            committed = await database.write(lambda connection: apply_unit(connection, changes))
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
            return Erased()
        async with self._pool.check_out(scope) as database:
            erased, traces = await database.write(lambda connection: erasing.erase_rows(connection, scope, erasure))
            await database.write(
                lambda connection: erasing.scrub(connection, traces, timeout=SCRUB_TIMEOUT), alone=True
            )
            return replace(erased, backups=await self._blocking(erasing.remove_backups, database.path))

    # ── reading ──────────────────────────────────────────────────────────────

    async def entries(self, scope: Scope, query: EntryQuery) -> list[Entry]:
        """Return journal entries, erased ones as stubs."""
        light = query.limit <= _FEW
        return await self._read(scope, lambda connection: reads.entries(connection, scope, query), [], light=light)

    async def records(self, scope: Scope, query: RecordQuery) -> list[Record]:
        """Return records; with `as_of`, as they stood then."""
        light = query.limit <= _FEW
        return await self._read(scope, lambda connection: reads.records(connection, scope, query), [], light=light)

    async def match(self, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter) -> list[str]:
        """Return those of the ids that pass the filter, in the given order."""
        return await self._read(
            scope,
            lambda connection: reads.match(connection, scope, record_ids, record_filter),
            [],
            snapshot=False,
        )

    async def places(
        self,
        scope: Scope,
        record_ids: Sequence[str],
        *,
        record_filter: RecordFilter,
        reach: int = 0,
        neighbours: bool = True,
    ) -> list[Place]:
        """Return where those of the ids stand that pass the filter, then their neighbours."""
        if reach or neighbours:
            return await self._read(
                scope, lambda connection: reads.places(connection, scope, record_ids, record_filter, reach), []
            )
        return await self._read(
            scope,
            lambda connection: reads.lone_places(connection, scope, record_ids, record_filter),
            [],
            snapshot=False,
        )

    async def revision(self, scope: Scope) -> int:
        """Return a number that rises whenever anything that can be read is changed."""
        return await self._read(scope, reads.revision, 0, light=True)

    async def unembedded(self, scope: Scope, *, limit: int) -> list[Record]:
        """Return records whose content has no vector yet, oldest first."""
        return await self._read(scope, lambda connection: reads.unembedded(connection, scope.owner, limit), [])

    async def versions(self, scope: Scope, record_id: str) -> list[Version]:
        """Return all versions of a record, oldest first, the current one last."""
        return await self._read(scope, lambda connection: reads.versions(connection, scope, record_id), [])

    async def past_versions(self, scope: Scope, *, after: tuple[str, int] | None, limit: int) -> list[Version]:
        """Return superseded versions of all records by (record id, number)."""
        return await self._read(scope, lambda connection: reads.past_versions(connection, scope, after, limit), [])

    async def links(self, scope: Scope, query: LinkQuery) -> list[Link]:
        """Return links by (from, to, relation)."""
        light = query.from_ids is not None or query.to_ids is not None
        return await self._read(scope, lambda connection: reads.links(connection, query), [], light=light)

    async def graph_revision(self, scope: Scope, kind: Kind) -> int:
        """Return a number that rises whenever a record of the kind or a link that leaves one changes."""
        return await self._read(scope, lambda connection: reads.graph_revision(connection, kind), 0, light=True)

    async def conflicts(self, scope: Scope, query: ConflictQuery) -> list[Conflict]:
        """Return conflicts, oldest first."""
        return await self._read(scope, lambda connection: reads.conflicts(connection, scope, query), [])

    async def tombstones(self, scope: Scope, record_ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return tombstones by record id."""
        return await self._read(scope, lambda connection: reads.tombstones(connection, scope, record_ids), [])

    async def states(self, scope: Scope, *, prefix: str = "") -> dict[str, JsonValue]:
        """Return all named values by key, or those whose key begins with a prefix."""
        return await self._read(scope, lambda connection: reads.states(connection, prefix), {}, light=True)

    async def state(self, scope: Scope, key: str) -> JsonValue:
        """Return one named value."""
        return await self._read(scope, lambda connection: reads.state(connection, key), None, light=True)

    async def search_text(
        self, scope: Scope, terms: Sequence[str], *, record_filter: RecordFilter, limit: int
    ) -> list[Hit]:
        """Return records that hold any of the terms, by BM25, best first."""
        return await self._read(
            scope,
            lambda connection: search.search_text(connection, scope, terms, record_filter, limit),
            [],
            snapshot=False,
        )

    async def term_counts(self, scope: Scope, terms: Sequence[str], *, most: int) -> TermCounts:
        """Return how many records of the agent hold each of the terms."""
        nothing = TermCounts(0, dict.fromkeys(terms, 0))
        return await self._read(
            scope, lambda connection: search.term_counts(connection, terms, most), nothing, light=True
        )

    async def session_terms(
        self,
        scope: Scope,
        sessions: Sequence[str],
        terms: Sequence[str],
        *,
        record_filter: RecordFilter,
        origins: Sequence[Origin] | None = None,
        most: int,
    ) -> dict[str, SessionTerms]:
        """Return how often sessions hold terms, over their latest records."""
        if record_filter.as_of is not None:
            return {}

        def read(connection: apsw.Connection) -> dict[str, SessionTerms]:
            return search.session_terms(
                connection, scope, sessions, terms, record_filter=record_filter, origins=origins, most=most
            )

        return await self._read(scope, read, {})

    async def vector_revision(self, scope: Scope) -> int:
        """Return a number that rises whenever any vector is put or removed, by any process."""
        return await self._read(scope, search.vector_revision, 0, light=True)

    async def vector_changes(self, scope: Scope, model: str, *, since: int) -> VectorChanges:
        """Return what happened to a model's vectors after a revision."""
        nothing = search.no_vectors(reset=since > 0)
        return await self._read(scope, lambda connection: search.vector_changes(connection, model, since), nothing)

    async def vectors(self, scope: Scope, record_ids: Sequence[str], *, model: str) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that a model gave to those of the records that have one."""
        return await self._read(scope, lambda connection: search.vectors(connection, record_ids, model), {})

    async def vector_models(self, scope: Scope) -> dict[str, int]:
        """Return the embedding models that have vectors here, each with its dimension."""
        return await self._read(scope, search.vector_models, {})

    async def vector_counts(self, scope: Scope, *, since: int = 0) -> dict[str, int]:
        """Return how many vectors of each model were put after a revision and are still there."""
        return await self._read(scope, lambda connection: search.vector_counts(connection, since), {})

    # ── the queue ────────────────────────────────────────────────────────────

    async def claim(self, scope: Scope, *, worker: str, now: datetime, lease: timedelta) -> Job | None:
        """Claim the next job that may run."""
        # A look first: most of the time nothing can be claimed, and looking costs no commit.
        standing = await self.queue(scope)
        if standing.wake_at is None or now < standing.wake_at <= now + MAX_WAIT:
            return None
        async with self._pool.check_out(scope) as database:
            return await database.write(
                lambda connection: queue.claim(connection, scope.owner, worker=worker, now=now, lease=lease)
            )

    async def renew(self, scope: Scope, *, job_id: str, fence: int, until: datetime) -> None:
        """Prolong a lease."""
        async with self._pool.check_out(scope) as database:
            await database.write(lambda connection: queue.renew(connection, job_id=job_id, fence=fence, until=until))

    async def queue(self, scope: Scope) -> QueueState:
        """Return how the agent's queue stands."""
        left = await self._pool.queue_when_closed(scope)
        return await self._read(scope, queue.state, QueueState(), light=True) if left is None else left

    async def jobs(self, scope: Scope, query: JobQuery) -> list[Job]:
        """Return jobs in queue order."""
        return await self._read(scope, lambda connection: queue.jobs(connection, scope, query), [])

    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called after a commit that added or revived jobs."""
        self._listeners.append(notify)

    # ── care ─────────────────────────────────────────────────────────────────

    async def check(self, scope: Scope) -> Health:
        """Examine every page, index and reference; report, change nothing."""
        path = self.layout.database(scope)
        if not self._is_stored(scope):
            raise NotFound(f"nothing is stored for {scope}")
        try:
            async with self._pool.check_out(scope) as database:
                return await database.write(lambda connection: repair.check(connection, path), alone=True)
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

    async def _read(self, scope: Scope, work: Work[T], nothing: T, *, light: bool = False, snapshot: bool = True) -> T:
        """Run work on a snapshot, which one statement is by itself.

        A scope that was never written to has nothing and is not made by asking.
        """
        pooled = self._pool.acquire_open(scope)
        if pooled is None:
            if scope not in self._pool:
                self._pool.refuse_when_closed()
                if not await self._blocking(self._is_stored, scope):
                    return nothing
            pooled = await self._pool.acquire(scope)
        assert pooled.database is not None
        try:
            return await pooled.database.read(work, light=light, snapshot=snapshot)
        finally:
            self._pool.release(scope, pooled)

    def _is_stored(self, scope: Scope) -> bool:
        with translated():
            return self.layout.is_stored(scope)

    async def _blocking(self, work: Callable[..., T], *arguments: object) -> T:
        """Run work that waits for the disk off the event loop; once begun it is not abandoned half-way."""
        if self._shut:
            raise StoreClosed("the store is closed; open it again")
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments))
