"""The store on PostgreSQL: all agents in one database, for many processes on many machines.

An agent is a number here, and every transaction names the one it acts for: row-level security shows it no other rows,
and none at all to a transaction that names nobody. Round trips are what costs, so that questions and commits go in
groups.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime, timedelta
from functools import partial
from importlib import resources
from typing import Any, Final

import psycopg

from remanent.errors import InvalidInput, LeaseLost, SchemaTooNew, StorageError, StoreClosed
from remanent.model import Scope, from_millis, to_millis
from remanent.stores import rows
from remanent.stores.postgres.connection import (
    ROLE,
    SCHEMA,
    ConnectionPool,
    Wakeups,
    ask_held,
    sql_file,
    statement,
    translated,
)
from remanent.stores.postgres.reads import POSTGRES_ANSWERS, PostgresDialect, VectorIndex
from remanent.stores.postgres.writes import Eraser, GroupCommit, encoded
from remanent.stores.queries import Claims, Erased, Erasure, ErasureDepth, Health, Hit, Query
from remanent.stores.query_steps import NOTHING, HeldMoment, Rows, Snapshot, answer_together, nothing_stored
from remanent.stores.sql import IN_USE, SqlStatement, in_use
from remanent.stores.store import MAX_WAIT, Store
from remanent.stores.transaction import Change, Committed
from remanent.stores.vectors import Vectors, VectorSearch

_INDEXES_LIFETIME = 60.0
"""Seconds that a list of indexes is kept; a new one makes large agents faster and no answer different."""
_MAX_KNOWN = 100_000
"""Agents whose numbers a process keeps in mind; a number is asked for again after that. Some 30 MB."""


class PostgresStore(Store):
    """Keeps every agent in one database, apart by row-level security.

    What is asked stands in `reads.py`, what a commit does in `sql/functions.sql`; the methods here
    find the agent's number and a connection.
    """

    finds_work = True

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        super().__init__()
        self._url = url
        self._connections = ConnectionPool(url, timeout=timeout)
        self._commits = GroupCommit(self._connections)
        self._agents: dict[Scope, int] = {}
        self._listeners: list[Callable[[Scope], None]] = []
        self._wakeups = Wakeups(url, self._connections, self._notify)
        self._indexes: dict[int, dict[str, VectorIndex]] = {}
        self._indexes_until = 0.0
        self._ready = False
        self._preparing = asyncio.Lock()
        self._closed = False

    # ── writing ──────────────────────────────────────────────────────────────

    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Apply all changes or none; on return they survive any crash."""
        agent = await self._agent(scope, make=True)
        committed = await self._commits.commit(agent, changes)
        if committed.enqueued:
            self._notify(scope)
            self._wakeups.tell(scope)
        return committed

    def _notify(self, scope: Scope) -> None:
        for notify in self._listeners:
            notify(scope.owner)

    async def load(self, scope: Scope, batches: AsyncIterator[Sequence[Change]]) -> None:
        """Fill an empty scope with all batches or nothing, keeping places and versions; refuse a scope in use."""
        agent = await self._agent(scope, make=True)
        with translated():
            async with self._connections.transaction(agent) as connection:
                # The tables are empty when the first batch is planned; the plans for that would be kept for all.
                await connection.execute(b"SET LOCAL plan_cache_mode = force_custom_plan")
                asked = in_use(PostgresDialect(agent, {}))
                found = await connection.execute(asked.sql.encode(), asked.values)
                if (await found.fetchone() or (False,))[0]:
                    raise InvalidInput(IN_USE)
                async for batch in batches:
                    await connection.execute(statement("load").encode(), (agent, *encoded(batch)))
        self._notify(scope)
        self._wakeups.tell(scope)

    async def erase(self, scope: Scope, erasure: Erasure) -> Erased:
        """Remove the rows of texts and vectors, and of all that was derived from them."""
        agent = await self._agent(scope)
        if agent == 0:
            return Erased()
        with translated():
            async with self._connections.transaction(agent) as connection:
                return await Eraser(connection, agent, scope.owner).erase(erasure)

    # ── reading ──────────────────────────────────────────────────────────────

    async def read(self, scope: Scope, queries: Sequence[Query[Any] | VectorSearch]) -> list[Any]:
        """Answer questions in as few round trips as the longest of them has steps; usually that is one."""
        agent = await self._agent(scope)
        if agent == 0:
            return [nothing_stored(query) for query in queries]
        if time.monotonic() > self._indexes_until and any(isinstance(query, VectorSearch) for query in queries):
            await self._look_for_indexes()
        dialect = PostgresDialect(agent, self._indexes.get(agent, {}))
        return await answer_together(POSTGRES_ANSWERS, dialect, scope, queries, partial(self._read, agent))

    def snapshot(self, scope: Scope) -> Snapshot:
        """Hold a reading transaction; an erasure does not wait for it, and ends it."""
        return Snapshot(scope, self._hold)

    async def _hold(self, scope: Scope, stack: AsyncExitStack) -> HeldMoment:
        agent = await self._agent(scope)
        if agent == 0:
            return NOTHING
        with translated():
            connection = await self._connections.hold(agent, stack)
        erasures = [SqlStatement(statement("erasures"), {"agent": agent})]
        dialect, turn = PostgresDialect(agent, {}), asyncio.Lock()

        async def fetch(statements: Sequence[SqlStatement]) -> Sequence[Rows]:
            with translated():
                async with turn:
                    return await ask_held(connection, statements)

        async def answer(scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
            return await answer_together(POSTGRES_ANSWERS, dialect, scope, queries, fetch)

        async def has_erased() -> bool:
            return await self._read(agent, erasures) != before

        before = await fetch(erasures)
        return HeldMoment(answer, has_erased, connection.close)

    async def _look_for_indexes(self) -> None:
        """See which large agents a migration gave indexes of their own."""
        self._indexes_until = time.monotonic() + _INDEXES_LIFETIME
        [found] = await self._read(0, [SqlStatement(statement("vector_indexes"))])
        self._indexes = {}
        for owner, name, model, size in found:
            self._indexes.setdefault(owner, {})[name] = VectorIndex(model, size)

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
        """Claim jobs of the agents given, or of all, in one call; who claims hears of others' work from then on."""
        await self._prepare()
        if self._listeners:
            await self._wakeups.listen()
        owners = None if among is None else {await self._agent(scope): scope.owner for scope in among}
        values = (
            None if owners is None else [agent for agent in owners if agent],
            worker,
            None if now is None else to_millis(now),
            _milliseconds(lease),
            _milliseconds(MAX_WAIT),
            limit,
        )
        found = await self._run("claim_any", values)
        jobs = []
        wake_at: dict[Scope, datetime | None] = {owner: None for agent, owner in (owners or {}).items() if not agent}
        for org, workspace, name, wake, _, *job in found:
            owner = Scope(org=org, workspace=workspace, agent=name)
            if job[0] is None:
                wake_at[owner] = None if wake is None else from_millis(wake)
            else:
                jobs.append(rows.job_of(owner, job))
        return Claims(tuple(jobs), wake_at)

    async def renew(
        self, scope: Scope, *, job_id: str, fence: int, lease: timedelta, now: datetime | None = None
    ) -> None:
        """Prolong a lease, from now on; refuse with `LeaseLost` when it was taken over."""
        agent = await self._agent(scope)
        values = (None if now is None else to_millis(now), _milliseconds(lease), agent, job_id, fence)
        with translated():
            async with self._connections.transaction(agent) as connection:
                done = await connection.execute(statement("renew").encode(), values)
        if done.rowcount == 0:
            raise LeaseLost(f"job {job_id} was taken over or finished by another worker")

    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called after a commit that added or revived jobs, by whatever process of the database."""
        self._listeners.append(notify)

    # ── care ─────────────────────────────────────────────────────────────────

    async def check(self, scope: Scope, *, quick: bool = False) -> Health:
        """Compare what must agree among an agent's rows; the pages themselves are the server's to check."""
        agent = await self._agent(scope)
        if agent == 0:
            return Health()
        asked = ("counts",) if quick else ("counts", "disagree")
        counts, *problems = await self._read(agent, [SqlStatement(statement(name), {"agent": agent}) for name in asked])
        names = ("entries", "records", "vectors", "bytes_on_disk", "engine")
        return Health(
            problems=tuple(str(row[0]) for found in problems for row in found),
            schema=len(steps()),
            **dict(zip(names, counts[0], strict=True)),
        )

    async def scopes(self) -> list[Scope]:
        """Return every agent that has data here, in a stable order."""
        return await self._scopes("agents")

    async def latest(self, *, limit: int) -> list[Scope]:
        """Return the agents that were written to last, newest first."""
        return await self._scopes("latest_agents", limit)

    async def close(self) -> None:
        """Finish what is under way and let go of every connection."""
        self._closed = True
        await self._wakeups.close()
        await self._commits.drain()
        await self._connections.close()

    # ── inside ───────────────────────────────────────────────────────────────

    async def _read(self, agent: int, statements: Sequence[SqlStatement]) -> Sequence[Rows]:
        with translated():
            return await self._connections.read(agent, statements)

    async def _run(self, name: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Run a statement by itself, for no agent in particular, and return its rows."""
        with translated():
            async with self._connections.connection() as connection:
                cursor = await connection.execute(statement(name).encode(), values)
                return await cursor.fetchall() if cursor.description else []

    async def _scopes(self, name: str, *values: object) -> list[Scope]:
        await self._prepare()
        [found] = await self._read(0, [SqlStatement(statement(name), values)])
        return [Scope(org=org, workspace=workspace, agent=agent) for org, workspace, agent in found]

    async def _prepare(self) -> None:
        """Make the tables of a database that has none, at the first call."""
        if self._closed:
            raise StoreClosed("the store is closed; open it again")
        if self._ready:
            return
        async with self._preparing:
            if not self._ready:
                await migrate(self._url, only_from_nothing=True)
                self._ready = True

    async def _agent(self, scope: Scope, *, make: bool = False) -> int:
        """Return the number of an agent, 0 when there is none; numbers never change."""
        await self._prepare()
        owner = scope.owner
        known = self._agents.get(owner)
        if known is not None:
            return known
        names = (owner.org, owner.workspace, owner.agent)
        [found] = await self._read(0, [SqlStatement(statement("agent"), names)])
        if not found and not make:
            return 0
        if not found:
            await self._run("make_agent", names)
            return await self._agent(scope)
        agent = int(found[0][0])
        if len(self._agents) >= _MAX_KNOWN:
            self._agents.clear()
        self._agents[owner] = agent
        return agent


def _milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)


class PostgresVectors(Vectors):
    """Searches the store's own rows: nothing is kept beside them, and so nothing can be stale or left behind."""

    depth = ErasureDepth.OVERWRITTEN

    def __init__(self, store: PostgresStore) -> None:
        super().__init__()
        self._store = store

    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return what each of the searches finds, in order, in one round trip."""
        return await self._store.read(scope, searches)

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Do nothing: the rows went with the records."""

    async def close(self) -> None:
        """Do nothing: the store has the connections."""


# ── the tables, as numbered steps ──

_OLDEST: Final = 160000
"""PostgreSQL 16; older ones are not tested."""
_OLDEST_VECTOR: Final = (0, 8)
"""Of pgvector, likewise."""
_LOCK: Final = 0x52454D41
"""The advisory lock of whoever migrates: "REMA"."""


def steps() -> list[str]:
    """Return the steps from nothing to this version, in order."""
    folder = resources.files(__package__) / "sql"
    return [sql_file(name) for name in sorted(file.name for file in folder.iterdir()) if name[:4].isdigit()]


def _version_of(connection: "psycopg.Connection[tuple[object, ...]]") -> int:
    """Return the number of the last step that was taken here; 0 when there is nothing."""
    found = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.migrations",)).fetchone()
    if (found or (None,))[0] is None:
        return 0
    row = connection.execute(f"SELECT coalesce(max(step), 0) FROM {SCHEMA}.migrations".encode()).fetchone()
    return int(str(row[0])) if row else 0


async def migrate(url: str, *, dry_run: bool = False, only_from_nothing: bool = False) -> tuple[int, int]:
    """Take the steps that are missing, and return the number before and after; a dry run only says which."""
    return await asyncio.to_thread(migrate_now, url, dry_run=dry_run, only_from_nothing=only_from_nothing)


def migrate_now(url: str, *, dry_run: bool = False, only_from_nothing: bool = False) -> tuple[int, int]:
    """Do the same on this thread."""
    connection: psycopg.Connection[tuple[object, ...]]
    with translated(), psycopg.connect(url, autocommit=True) as connection:
        _check_versions(connection)
        wanted = steps()
        before = _version_of(connection)
        if before > len(wanted):
            raise SchemaTooNew(
                f"the database is at step {before}, but this version of Remanent "
                f"only knows {len(wanted)}; upgrade Remanent"
            )
        if dry_run or (only_from_nothing and before > 0):
            return before, len(wanted)
        # Before the transaction: one that began earlier would not see what it has waited for. It ends with the
        # connection.
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        with _owning(), connection.transaction():
            before = _version_of(connection)
            connection.execute(_PREPARE.encode())
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, public".encode())
            for number, step in enumerate(wanted[before:], before + 1):
                connection.execute(step.encode())
                connection.execute("INSERT INTO migrations (step) VALUES (%s)", (number,))
            connection.execute(sql_file("functions.sql").encode())  # made anew by every migration
        return before, len(wanted)


@contextmanager
def _owning() -> Iterator[None]:
    """Say who must migrate, where whoever does may not: a server's own login may use the tables and not change them."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageError(
            "the login is not allowed to create or change the tables; run `remanent migrate` as the user who "
            "owns them, or, in an empty database, as one who may create them"
        ) from error


def _check_versions(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Refuse a server, or a pgvector, that lacks what the statements count on."""
    if connection.info.server_version < _OLDEST:
        raise StorageError(f"PostgreSQL {connection.info.server_version // 10000} is too old; use 16 or newer")
    found = connection.execute(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if found is None:
        raise StorageError("the database's machine has no pgvector; install 0.8 or newer there")
    version = str(found[0])
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_VECTOR:
        raise StorageError(
            f"pgvector {version} is too old; install 0.8 or newer and run: ALTER EXTENSION vector UPDATE"
        )


_LARGE: Final = 50_000
"""Vectors of an agent from which an index is worth its cost: below it an exact search takes some tens of milliseconds,
and an index over few vectors of many agents finds a tenth of what is near."""


async def index_large_agents(url: str, *, at_least: int = _LARGE) -> int:
    """Give the vectors of each large agent an index of their own, beside writers; return how many were made."""
    made = 0
    with translated():
        connection: psycopg.AsyncConnection[tuple[object, ...]]
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(f"SET search_path = {SCHEMA}, public".encode())
            await connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            agents = await (await connection.execute("SELECT id FROM agents ORDER BY id")).fetchall()
            for (agent,) in agents:
                await connection.execute("SELECT set_config('remanent.agent', %s, false)", (str(agent),))
                found = await connection.execute(_LARGE_MODELS, (agent, at_least))
                for model, name, dimension in await found.fetchall():
                    # Numbers of our own, which no placeholder can carry here.
                    await connection.execute(
                        f"""
                        CREATE INDEX CONCURRENTLY IF NOT EXISTS vectors_of_{agent}_{model} ON vectors
                        USING hnsw ((data::vector({dimension})) vector_cosine_ops)
                        WHERE agent = {agent} AND model = {model}
                        """.encode()
                    )
                    await connection.execute(
                        "INSERT INTO vector_indexes VALUES (%s, %s, %s, %s)", (agent, model, name, dimension)
                    )
                    made += 1
    return made


# pgvector indexes up to 2,000 dimensions.
_LARGE_MODELS = """
SELECT m.id, m.name, m.dimension FROM models m JOIN vectors v ON v.agent = m.agent AND v.model = m.id
WHERE m.agent = %s AND m.dimension <= 2000
    AND NOT EXISTS (SELECT 1 FROM vector_indexes i WHERE i.agent = m.agent AND i.model = m.id)
GROUP BY m.id, m.name, m.dimension HAVING count(*) >= %s
"""


# The role has no password and nobody logs in as it; whoever migrates may become it, and lets others with a GRANT.
_PREPARE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}') THEN
        CREATE ROLE {ROLE} NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, '{ROLE}', 'SET') THEN
        EXECUTE format('GRANT {ROLE} TO %I', current_user);
    END IF;
END $$;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (step integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON {SCHEMA}.migrations TO {ROLE};
"""
