"""The store on PostgreSQL: all agents in one database, for many processes on many machines."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pydantic import JsonValue

from remanent.errors import InvalidInput, LeaseLost, NotFound, StoreClosed
from remanent.model import (
    Conflict,
    Entry,
    Job,
    Kind,
    Link,
    Origin,
    Record,
    Scope,
    Tombstone,
    Version,
    from_millis,
    to_millis,
)
from remanent.stores.postgres import reads
from remanent.stores.postgres.connection import Connections, Statement, translated
from remanent.stores.postgres.erasure import Eraser
from remanent.stores.postgres.migrations import migrate, steps
from remanent.stores.postgres.writes import Encoder, GroupCommit, to_json
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
from remanent.stores.sqlite import rows
from remanent.stores.store import MAX_WAIT, Store
from remanent.stores.transaction import Change, Committed

_PAGE = 500
"""Rows that a check reads together; chosen by hand."""
Rows = list[tuple[Any, ...]]


class PostgresStore(Store):
    """Keeps every agent in one database, apart by row-level security.

    The methods here find the agent's number, ask in one round trip and make objects of the rows; what is asked stands in
    `reads.py`, what is done by a commit in `sql/functions.sql`.
    """

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        self._url = url
        self._connections = Connections(url, timeout=timeout)
        self._commits = GroupCommit(self._connections)
        self._agents: dict[Scope, int] = {}
        self._listeners: list[Callable[[Scope], None]] = []
        self._ready = False
        self._closed = False

    # ── writing ──────────────────────────────────────────────────────────────

    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Apply all changes or none; on return they survive any crash."""
        agent = await self._agent(scope, make=True)
        committed = await self._commits.commit(agent, changes)
        if committed.enqueued:
            self._notify(scope)
        return committed

    def _notify(self, scope: Scope) -> None:
        for notify in self._listeners:
            notify(scope.owner)

    async def load(self, scope: Scope, batches: AsyncIterator[Sequence[Change]]) -> None:
        """Fill an empty scope with all batches or nothing, keeping places and versions; refuse a scope in use."""
        agent = await self._agent(scope, make=True)
        with translated():
            async with self._connections.transaction(agent) as connection:
                found = await connection.execute(_IN_USE.encode(), {"agent": agent})
                if (await found.fetchone() or (False,))[0]:
                    raise InvalidInput(
                        "this agent has memories already; import into a new agent, or erase everything first"
                    )
                async for batch in batches:
                    encoder = Encoder([])
                    unit = to_json(encoder.unit(batch))
                    await connection.execute(_LOAD, (agent, unit, encoder.vectors))
        self._notify(scope)

    async def erase(self, scope: Scope, erasure: Erasure) -> Erased:
        """Remove the rows of texts and vectors, and of all that was derived from them."""
        agent = await self._agent(scope)
        if agent == 0:
            return Erased()
        with translated():
            async with self._connections.transaction(agent) as connection:
                return await Eraser(connection, agent, scope.owner).erase(erasure)

    # ── reading ──────────────────────────────────────────────────────────────

    async def entries(self, scope: Scope, query: EntryQuery) -> list[Entry]:
        """Return journal entries, erased ones as stubs."""
        found = await self._ask(scope, lambda agent: reads.entries(agent, scope, query))
        return [rows.entry_of(scope, row) for row in found]

    async def records(self, scope: Scope, query: RecordQuery) -> list[Record]:
        """Return records; with `as_of`, as they stood then."""
        found = await self._ask(scope, lambda agent: reads.records(agent, scope, query))
        return [rows.record_of(scope, row) for row in found]

    async def match(self, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter) -> list[str]:
        """Return those of the ids that pass the filter, in the given order."""
        found = await self._ask(scope, lambda agent: reads.match(agent, scope, record_ids, record_filter))
        passing = {row[0] for row in found}
        return [record_id for record_id in record_ids if record_id in passing]

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
        found: dict[str, Place] = {}
        asked: set[str] = set()
        wanted = dict.fromkeys(record_ids)
        for _ in range(reach + 1):
            around = bool(neighbours or reach)

            def question(agent: int, ids: list[str] = list(wanted), around: bool = around) -> Statement:
                return reads.places(agent, scope, ids, record_filter, neighbours=around)

            near = {row[0]: rows.place_of(row) for row in await self._ask(scope, question)}
            asked |= wanted.keys()
            found |= near
            beside = (one for place in near.values() for one in (place.before_id, place.after_id))
            wanted = dict.fromkeys(one for one in beside if one is not None and one not in asked)
            if not wanted:
                break
        return list(found.values())

    async def revision(self, scope: Scope) -> int:
        """Return a number that rises whenever anything that can be read is changed."""
        return await self._counter(scope, "revision")

    async def unembedded(self, scope: Scope, *, limit: int) -> list[Record]:
        """Return records whose content has no vector yet, oldest first."""
        found = await self._ask(scope, lambda agent: reads.unembedded(agent, limit))
        return [rows.record_of(scope.owner, row) for row in found]

    async def versions(self, scope: Scope, record_id: str) -> list[Version]:
        """Return all versions of a record, oldest first, the current one last."""
        found = await self._ask(scope, lambda agent: reads.versions(agent, scope, record_id))
        return [rows.version_of(scope, row) for row in found]

    async def past_versions(self, scope: Scope, *, after: tuple[str, int] | None, limit: int) -> list[Version]:
        """Return superseded versions of all records by (record id, number)."""
        found = await self._ask(scope, lambda agent: reads.past_versions(agent, scope, after, limit))
        return [rows.version_of(scope, row) for row in found]

    async def links(self, scope: Scope, query: LinkQuery) -> list[Link]:
        """Return links by (from, to, relation)."""
        return [rows.link_of(row) for row in await self._ask(scope, lambda agent: reads.links(agent, query))]

    async def graph_revision(self, scope: Scope, kind: Kind) -> int:
        """Return a number that rises whenever a record of the kind or a link that leaves one changes."""
        sql = "SELECT revision FROM graphs WHERE agent = %s AND kind = %s"
        found = await self._ask(scope, lambda agent: Statement(sql, (agent, kind.value)))
        return int(found[0][0]) if found else 0

    async def conflicts(self, scope: Scope, query: ConflictQuery) -> list[Conflict]:
        """Return conflicts, oldest first."""
        found = await self._ask(scope, lambda agent: reads.conflicts(agent, scope, query))
        return [rows.conflict_of(scope, row) for row in found]

    async def tombstones(self, scope: Scope, record_ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return tombstones by record id."""
        found = await self._ask(scope, lambda agent: reads.tombstones(agent, scope, record_ids))
        return [rows.tombstone_of(scope, row) for row in found]

    async def states(self, scope: Scope, *, prefix: str = "") -> dict[str, JsonValue]:
        """Return all named values by key, or those whose key begins with a prefix."""
        found = await self._ask(scope, lambda agent: reads.states(agent, prefix))
        return {key: rows.parse(value) for key, value in found}

    async def state(self, scope: Scope, key: str) -> JsonValue:
        """Return one named value."""
        sql = "SELECT value FROM states WHERE agent = %s AND key = %s"
        found = await self._ask(scope, lambda agent: Statement(sql, (agent, key)))
        return rows.parse(found[0][0]) if found else None

    # ── searching ────────────────────────────────────────────────────────────

    async def search_text(
        self, scope: Scope, terms: Sequence[str], *, record_filter: RecordFilter, limit: int
    ) -> list[Hit]:
        """Return records that hold any of the terms, by BM25, best first."""
        asked = reads.asked_terms(terms)
        if not asked or limit <= 0:
            self._refuse_when_closed()
            return []
        found = await self._ask(scope, lambda agent: reads.search_text(agent, scope, asked, record_filter, limit))
        return [Hit(*row) for row in found]

    async def nearest(
        self, scope: Scope, vector: NDArray[np.float32], *, model: str, record_filter: RecordFilter, limit: int
    ) -> list[Hit]:
        """Return the records nearest to a vector of a model's size; the port for it is `PostgresVectors`."""

        def question(agent: int) -> Statement:
            return reads.nearest(agent, scope, vector, model=model, record_filter=record_filter, limit=limit)

        return [Hit(*row) for row in await self._ask(scope, question)]

    async def term_counts(self, scope: Scope, terms: Sequence[str], *, most: int) -> TermCounts:
        """Return how many records of the agent hold each of the terms."""
        found = await self._ask(scope, lambda agent: reads.term_counts(agent, [term for term in terms if term], most))
        (_, records), *counts = found or [("", 0)]
        return TermCounts(records, dict.fromkeys(terms, 0) | {str(term): int(held) for term, held in counts})

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
        found = await self._ask(
            scope,
            lambda agent: reads.session_terms(
                agent, scope, sessions, record_filter=record_filter, origins=origins, most=most
            ),
        )
        asked = frozenset(terms)
        lengths: Counter[str] = Counter()
        counts: dict[str, Counter[str]] = {}
        for session, text in found:
            words = text.split()
            lengths[session] += len(words)
            held = counts.setdefault(session, Counter())
            for word in asked.intersection(words):
                held[word] += words.count(word)
        return {session: SessionTerms(lengths[session], dict(held)) for session, held in counts.items()}

    async def vector_revision(self, scope: Scope) -> int:
        """Return a number that rises whenever any vector is put or removed, by any process."""
        return await self._counter(scope, "vector_revision")

    async def vector_changes(self, scope: Scope, model: str, *, since: int) -> VectorChanges:
        """Return what happened to a model's vectors after a revision."""
        agent = await self._agent(scope)
        found = await self._read(agent, reads.vector_changes(agent, model, since)) if agent else [[], [], []]
        standing, put, removed = found
        revision, floor, dimension = standing[0] if standing else (0, 0, None)
        if dimension is None:
            return VectorChanges(revision, since > 0, [], [], np.empty((0, 0), np.float32), [])
        reset = 0 < since < floor
        matrix = np.stack([row[2] for row in put]) if put else np.empty((0, dimension), np.float32)
        kind_of = rows.KindsByName()
        record_ids = [row[0] for row in put]
        gone = [] if reset or since == 0 else [row[0] for row in removed if row[0] not in set(record_ids)]
        return VectorChanges(revision, reset, record_ids, [kind_of[row[1]] for row in put], matrix, gone)

    async def vectors(self, scope: Scope, record_ids: Sequence[str], *, model: str) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that a model gave to those of the records that have one."""
        found = await self._ask(scope, lambda agent: reads.vectors(agent, record_ids, model))
        return dict(found)  # type: ignore[arg-type]

    async def vector_models(self, scope: Scope) -> dict[str, int]:
        """Return the embedding models that have vectors here, each with its dimension."""
        return dict(await self._ask(scope, lambda agent: Statement(reads.VECTOR_MODELS, (agent,))))  # type: ignore[arg-type]

    async def vector_counts(self, scope: Scope, *, since: int = 0) -> dict[str, int]:
        """Return how many vectors of each model were put after a revision and are still there."""
        return dict(await self._ask(scope, lambda agent: Statement(reads.VECTOR_COUNTS, (agent, since))))  # type: ignore[arg-type]

    # ── the queue ────────────────────────────────────────────────────────────

    async def claim(self, scope: Scope, *, worker: str, now: datetime, lease: timedelta) -> Job | None:
        """Claim the next job that may run."""
        # A look first: most of the time nothing can be claimed, and looking takes no lock.
        standing = await self.queue(scope)
        if standing.wake_at is None or now < standing.wake_at <= now + MAX_WAIT:
            return None
        agent = await self._agent(scope)
        values = (agent, worker, to_millis(now), to_millis(now + lease), to_millis(now + MAX_WAIT))
        with translated():
            async with self._connections.transaction(agent) as connection:
                sql = f"SELECT {rows.JOB_COLUMNS} FROM claim(%s, %s, %s, %s, %s)"
                row = await (await connection.execute(sql.encode(), values)).fetchone()
        return None if row is None else rows.job_of(scope.owner, row)

    async def renew(self, scope: Scope, *, job_id: str, fence: int, until: datetime) -> None:
        """Prolong a lease; refuse with `LeaseLost` when it was taken over."""
        agent = await self._agent(scope)
        sql = """
            UPDATE jobs SET lease_until = %s WHERE agent = %s AND id = %s AND fence = %s AND state = 'running'
        """
        with translated():
            async with self._connections.transaction(agent) as connection:
                done = await connection.execute(sql, (to_millis(until), agent, job_id, fence))
        if done.rowcount == 0:
            raise LeaseLost(f"job {job_id} was taken over or finished by another worker")

    async def queue(self, scope: Scope) -> QueueState:
        """Return how the agent's queue stands."""
        found = await self._ask(scope, lambda agent: Statement(reads.QUEUE, (agent, agent)))
        if not found:
            return QueueState()
        pending, running, dead, oldest, wake = found[0]
        return QueueState(
            pending,
            running,
            dead,
            oldest=None if oldest is None else from_millis(oldest),
            wake_at=None if wake is None else from_millis(wake),
        )

    async def jobs(self, scope: Scope, query: JobQuery) -> list[Job]:
        """Return jobs in queue order."""
        return [rows.job_of(scope, row) for row in await self._ask(scope, lambda agent: reads.jobs(agent, query))]

    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called after a commit that added or revived jobs."""
        self._listeners.append(notify)

    # ── care ─────────────────────────────────────────────────────────────────

    async def check(self, scope: Scope) -> Health:
        """Read every row of an agent, and compare what must agree; report, change nothing."""
        agent = await self._agent(scope)
        if agent == 0:
            raise NotFound(f"nothing is stored for {scope}")
        statements = [Statement(_COUNTS, {"agent": agent}), Statement(_DISAGREE, {"agent": agent})]  # type: ignore[arg-type]
        counts, problems = await self._read(agent, statements)
        entries, records, vectors, size, engine = counts[0]
        return Health(
            problems=tuple(str(row[0]) for row in problems),
            entries=entries,
            records=records,
            vectors=vectors,
            bytes_on_disk=size,
            schema=len(steps()),
            engine=f"PostgreSQL {engine}",
        )

    async def repair(self, scope: Scope) -> Path:
        """Refuse: a server's files are its own."""
        raise InvalidInput("a database server is repaired by its own tools; restore it from a backup")

    async def scopes(self) -> list[Scope]:
        """Return every agent that has data here, in a stable order."""
        return await self._scopes("ORDER BY org, workspace, agent")

    async def latest(self, *, limit: int) -> list[Scope]:
        """Return the agents that were written to last, newest first."""
        return await self._scopes("ORDER BY written_at DESC, id DESC LIMIT %s", limit)

    async def close(self) -> None:
        """Finish what is under way and let go of every connection."""
        self._closed = True
        await self._commits.drain()
        await self._connections.close()

    # ── inside ───────────────────────────────────────────────────────────────

    async def _ask(self, scope: Scope, question: Callable[[int], Statement]) -> Rows:
        """Return the rows that answer one question; none for an agent that was never written to."""
        agent = await self._agent(scope)
        if agent == 0:
            return []
        [found] = await self._read(agent, [question(agent)])
        return found

    async def _read(self, agent: int, statements: Sequence[Statement]) -> list[Rows]:
        with translated():
            return await self._connections.read(agent, statements)

    async def _counter(self, scope: Scope, name: str) -> int:
        found = await self._ask(scope, lambda agent: Statement(f"SELECT {name} FROM agents WHERE id = %s", (agent,)))
        return int(found[0][0]) if found else 0

    async def _scopes(self, how: str, *values: object) -> list[Scope]:
        await self._prepare()
        [found] = await self._read(0, [Statement(f"SELECT org, workspace, agent FROM agents {how}", values)])
        return [Scope(org=org, workspace=workspace, agent=agent) for org, workspace, agent in found]

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; open it again")

    async def _prepare(self) -> None:
        """Make the tables of a database that has none, at the first call."""
        self._refuse_when_closed()
        if not self._ready:
            await migrate(self._url, only_from_nothing=True)
            self._ready = True

    async def _agent(self, scope: Scope, *, make: bool = False) -> int:
        """Return the number of an agent, 0 when there is none; numbers never change."""
        self._refuse_when_closed()
        owner = scope.owner
        known = self._agents.get(owner)
        if known is not None:
            return known
        await self._prepare()
        names = (owner.org, owner.workspace, owner.agent)
        [found] = await self._read(0, [Statement(_AGENT, names)])
        if not found and make:
            with translated():
                async with self._connections.connection() as connection:
                    await connection.execute(_MAKE_AGENT, names)
            [found] = await self._read(0, [Statement(_AGENT, names)])
        if not found:
            return 0
        agent = int(found[0][0])
        self._agents[owner] = agent
        return agent


_AGENT = "SELECT id FROM agents WHERE org = %s AND workspace = %s AND agent = %s"
_MAKE_AGENT = "INSERT INTO agents (org, workspace, agent) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_LOAD = "SELECT apply_unit(%s, %s::jsonb, %b::vector[], true)"
_USED = ("entries", "records", "versions", "tombstones", "links", "conflicts", "states", "jobs")
_IN_USE = "SELECT " + " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE agent = %(agent)s)" for table in _USED)
_COUNTS = """
SELECT (SELECT count(*) FROM entries WHERE agent = %(agent)s), (SELECT count(*) FROM records WHERE agent = %(agent)s),
       (SELECT count(*) FROM vectors WHERE agent = %(agent)s),
       (SELECT coalesce(sum(length(text)), 0) FROM entries WHERE agent = %(agent)s)
       + (SELECT coalesce(sum(length(body)), 0) FROM records WHERE agent = %(agent)s),
       current_setting('server_version')
"""
_DISAGREE = """
SELECT 'the number of indexed texts is wrong' FROM agents a WHERE id = %(agent)s
    AND documents <> (SELECT count(*) FROM records WHERE agent = %(agent)s AND terms IS NOT NULL)
UNION ALL SELECT 'vectors without a record' WHERE EXISTS (
    SELECT 1 FROM vectors v LEFT JOIN records r ON r.agent = v.agent AND r.ref = v.ref
    WHERE v.agent = %(agent)s AND r.ref IS NULL)
UNION ALL SELECT 'terms of no record' WHERE EXISTS (
    SELECT 1 FROM postings p LEFT JOIN records r ON r.agent = p.agent AND r.ref = p.ref
    WHERE p.agent = %(agent)s AND r.ref IS NULL)
"""
