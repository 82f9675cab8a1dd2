"""Reading from one agent's file: how SQLite says what all statements have in common, and what only it is asked.

Every function runs on one connection, inside one snapshot. Lists go as JSON.

Full text is FTS5 over terms that were worked out before (`text.terms`): the tokenizer only splits at spaces, so that
Chinese and English are found alike. Vectors are only kept and handed out here; finding the nearest is another port.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from remanent.errors import StoreBusy, StoreClosed
from remanent.model import Kind, MetadataCondition, Record, Scope, from_millis
from remanent.model.job import TIMER
from remanent.stores import queries as q
from remanent.stores import rows, sql
from remanent.stores.queries import Query, QueueState, StandingQuery
from remanent.stores.query_steps import ANSWERS, Answer, HeldMoment, Rows, answer_in_turn, each, no_vectors, pairs
from remanent.stores.rows import KindsByName, dump, parse, place_of, verify
from remanent.stores.sql import (
    MAX_TERMS,
    OF_RECORD,
    PLACE_NAMES,
    TO_SPARE,
    Dialect,
    SqlDraft,
    SqlStatement,
    is_plain,
    place_columns,
    record_draft,
    record_table,
    with_entry,
)
from remanent.stores.sqlite.connection import close_quietly, translated
from remanent.stores.store import Store

# Of the records that some entries were told for: worked out once for all rows, or looked up for each of few rows.
_SOURCES = """r.id IN (
    SELECT s.record_id FROM entry_metadata m JOIN entries e ON e.seq = m.seq JOIN record_sources s ON s.entry_id = e.id
    WHERE {holds})"""
_SOURCE_OF_EACH = """EXISTS (
    SELECT 1 FROM record_sources s CROSS JOIN entries e ON e.id = s.entry_id
    CROSS JOIN entry_metadata m ON m.seq = e.seq WHERE s.record_id = r.id AND {holds})"""
_COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


class SqliteDialect(Dialect):
    """One file is one agent: no row need say whose it is."""

    listed = "json_each({}) w CROSS JOIN"
    trust = "json_extract(r.body, '$.trust')"
    with_terms = "records r CROSS JOIN records_text t ON t.rowid = r.ref", "t.terms"
    quotes_record = "id IN (SELECT conflict_id FROM conflict_records WHERE record_id = {})"

    def placeholder(self, number: int) -> str:
        """Return a numbered one."""
        return f"?{number}"

    def array(self, options: Sequence[str]) -> str:
        """Return a list as JSON."""
        return dump(list(options))

    def any_of(self, where: SqlDraft, column: str, options: Sequence[str]) -> str:
        """Compare with one by itself, so that an index is used for what is sorted by, too."""
        if len(options) == 1:
            return f"{column} = {where.bind(str(options[0]))}"
        return f"{column} IN (SELECT value FROM json_each({where.bind_all(options)}))"

    def past_tags(self, where: SqlDraft, tags: Sequence[str]) -> str:
        """Look into the bodies: versions have no rows of their own for tags."""
        return f"EXISTS (SELECT 1 FROM json_each(r.body, '$.tags') WHERE {self.any_of(where, 'value', tags)})"

    def entry_holds(self, where: SqlDraft, condition: MetadataCondition) -> str:
        """Go by the index of metadata."""
        return f"e.seq IN (SELECT m.seq FROM entry_metadata m WHERE {_holds(where, condition)})"

    def source_holds(self, where: SqlDraft, condition: MetadataCondition, *, by_id: bool) -> str:
        """Begin with the metadata, or with the records where they are few."""
        return (_SOURCE_OF_EACH if by_id else _SOURCES).format(holds=_holds(where, condition))


DIALECT = SqliteDialect()


def _holds(where: SqlDraft, condition: MetadataCondition) -> str:
    """Return the condition on `m`, the metadata of an entry."""
    key = where.bind(condition.key)
    if condition.comparison == "in":
        return f"""m.key = {key} AND m.value IN (
            SELECT CASE type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE atom END
            FROM json_each({where.bind(dump(condition.values))}))"""
    (value,) = condition.values
    # Every number lies before every text: what is of another sort is neither above nor below.
    sort = "typeof(m.value) = 'text'" if isinstance(value, str) else "typeof(m.value) IN ('integer', 'real')"
    return f"m.key = {key} AND m.value {_COMPARED[condition.comparison]} {where.bind(value)} AND {sort}"


def fetch(connection: apsw.Connection, statement: SqlStatement) -> Rows:
    """Return the rows of a statement.

    The engine hands them over at once where the statement names its columns: going to it and back for each of hundreds
    takes longer than finding them, and holds up every other thread.
    """
    if not statement.columns:
        return connection.execute(statement.sql, statement.values).fetchall()
    grouped = f"SELECT json_group_array(json_array({statement.columns})) FROM ({statement.sql})"
    return rows.parse(connection.execute(grouped, statement.values).get)  # type: ignore[no-any-return]


def by_steps(shared: Answer) -> Any:
    """Return what answers a question here by the steps that are the same everywhere."""
    return lambda connection, scope, query: answer_in_turn(
        shared(DIALECT, scope, query), lambda statement: fetch(connection, statement)
    )


_COMMON = 2_000
"""Records of some kinds from which on the newest are found by walking all records backwards: one in fifty of a hundred
thousand, so that a page of fifty is found among some thousands; sorting all of them takes longer. Chosen by hand."""


def _in_order(
    connection: apsw.Connection, statement: SqlStatement, kinds: Sequence[Kind] | None, *, limit: int
) -> SqlStatement:
    """Return a statement that looks for a page of records in their own order, where their kinds are common.

    By the index of kinds the engine would take every record of them and sort them, however few are wanted.
    """
    if not kinds or limit > _COMMON:
        return statement
    draft = SqlDraft(DIALECT)
    draft.among("kind", kinds)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM records WHERE {draft.where} LIMIT {draft.bind(_COMMON)})"
    if connection.execute(sql, draft.values).get < _COMMON:
        return statement
    return replace(statement, sql=statement.sql.replace("r.kind ", "+r.kind "))


def records(connection: apsw.Connection, scope: Scope, query: q.RecordQuery) -> list[Record]:
    """Return records, current or as they once stood."""
    statement = sql.records(DIALECT, scope, query)
    by_creation = query.order in {q.Order.FIRST_CREATED, q.Order.LAST_CREATED}
    is_named = query.record_ids is not None or query.source_entry_ids is not None
    if by_creation and not is_named and is_plain(scope, replace(query.filter, kinds=None)):
        statement = _in_order(connection, statement, query.filter.kinds, limit=query.limit)
    return [rows.record_of(scope, row) for row in fetch(connection, statement)]


def latest(connection: apsw.Connection, scope: Scope, query: q.LatestQuery) -> list[q.RecordPosition]:
    """Return where the records stand that happened last."""
    statement = sql.latest(DIALECT, scope, query)
    # Whose they are is looked up for each: few are looked at from the end of time, all by the index of kinds.
    if is_plain(scope, replace(query.filter, kinds=None, where=(), occurred_from=None, occurred_before=None)):
        statement = _in_order(connection, statement, query.filter.kinds, limit=query.limit)
    return [rows.place_of(row) for row in fetch(connection, statement)]


def tally(connection: apsw.Connection, _: Scope, query: q.TallyQuery) -> list[q.Tally]:
    """Count records by kind and status, with the flags of their data."""
    draft = SqlDraft(DIALECT)
    draft.among("kind", query.kinds)
    flags = "".join(
        f", sum(coalesce(json_extract(body, {draft.bind(f'$.data.{flag}')}), 0) NOT IN (0, '', '[]', '{{}}'))"
        for flag in query.flags
    )
    sql = f"""
        SELECT kind, status, count(*), sum(json_extract(body, '$.confidence')){flags}
        FROM records WHERE {draft.where} GROUP BY kind, status
    """
    return [rows.tally_of(query.flags, row) for row in connection.execute(sql, draft.values)]


_GRAPH = "graph:"
"""What the counter of a kind's graph begins with."""


def standing(connection: apsw.Connection, _: Scope, query: q.StandingQuery) -> q.Standing:
    """Return all counters, and the named values that are asked for."""
    counters = dict(connection.execute("SELECT name, value FROM counters"))
    states: dict[str, JsonValue] = {}
    if query.states:
        named = fetch(connection, sql.named_states(DIALECT, query.states))
        states = {key: rows.parse(value) for key, value in named}
    return q.Standing(
        revision=counters.get("revision", 0),
        vector_revision=counters.get("vector_revision", 0),
        graphs={name.removeprefix(_GRAPH): value for name, value in counters.items() if name.startswith(_GRAPH)},
        states=states,
    )


# Everywhere here bm25() is called and sorted by; `ORDER BY rank` would have the index sort all matches with the
# places of their words first, which takes twice as long.

_WIDER = 4
"""How much further the next look goes when too few of the best have passed a filter; chosen by hand."""
_SAMPLE = 64
"""Matches that are looked at to tell whether most pass a filter of kinds or of a task: where the half does, ranking
first and looking up the few best is quicker than looking up every match. Chosen by hand."""
_AT_ONCE = 1024
"""Vectors that are copied together."""


def search_text(connection: apsw.Connection, scope: Scope, query: q.TextQuery) -> list[q.Hit]:
    """Return records that hold any of the terms, by BM25, best first, with their places if these are asked for."""
    terms = _any_of(query.terms)
    if not terms or query.limit <= 0:
        return []
    if query.filter.as_of is not None:
        return _search_history(connection, scope, terms, query)
    if is_plain(scope, query.filter) or _most_pass(connection, scope, terms, query.filter):
        return _search_then_filter(connection, scope, terms, query)
    draft = record_draft(DIALECT, scope, query.filter)
    # Places are joined to those that are handed out, not to all that match.
    best = f"""
        SELECT r.ref, -bm25(records_text) AS score
        FROM records_text CROSS JOIN records r ON r.ref = records_text.rowid
        WHERE records_text MATCH {draft.bind(terms)} AND {draft.where}
        ORDER BY score DESC, r.ref LIMIT {draft.bind(query.limit)}
    """
    columns, entry = _places(query)
    sql = f"""
        SELECT {columns}, t.score FROM ({best}) t CROSS JOIN records r ON r.ref = t.ref {entry}
        ORDER BY t.score DESC, r.ref
    """
    return _hits(connection, draft, sql, query)


def _places(query: q.TextQuery) -> tuple[str, str]:
    """Return the columns of hits, and what is joined for them."""
    return (place_columns(DIALECT), with_entry(DIALECT)) if query.places else ("r.id", "")


def _hits(connection: apsw.Connection, draft: SqlDraft, sql: str, query: q.TextQuery) -> list[q.Hit]:
    found = fetch(connection, draft.statement(sql, columns=f"{PLACE_NAMES if query.places else 'id'}, score"))
    return [q.Hit(row[0], row[-1], place_of(row[:-1]) if query.places else None) for row in found]


def _any_of(terms: Sequence[str]) -> str:
    unique = dict.fromkeys(term.replace("\0", "") for term in terms)
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in list(unique)[:MAX_TERMS] if term.strip())


def _most_pass(connection: apsw.Connection, scope: Scope, terms: str, record_filter: q.RecordFilter) -> bool:
    """Tell by the first matches whether a filter of kinds or of a task lets most pass; of others few do as a rule."""
    if scope.session is not None or not is_plain(scope.owner, replace(record_filter, kinds=None)):
        return False
    draft = record_draft(DIALECT, scope, record_filter)
    sql = f"""
        SELECT count(*) FROM (
            SELECT rowid AS ref FROM records_text WHERE records_text MATCH {draft.bind(terms)}
            LIMIT {draft.bind(_SAMPLE)}
        ) t CROSS JOIN records r ON r.ref = t.ref WHERE {draft.where}
    """
    passing: int = connection.execute(sql, draft.values).get
    return 2 * passing >= _SAMPLE


def _search_then_filter(connection: apsw.Connection, scope: Scope, terms: str, query: q.TextQuery) -> list[q.Hit]:
    """Rank first and look up few rows; widen while too many of the best do not pass.

    Where most rows pass, that is far cheaper than looking all of them up before they are ranked.
    """
    columns, entry = _places(query)
    width = query.limit + TO_SPARE
    while True:
        draft = record_draft(DIALECT, scope, query.filter)
        sql = f"""
            SELECT {columns}, t.score FROM (
                SELECT rowid AS ref, -bm25(records_text) AS score FROM records_text
                WHERE records_text MATCH {draft.bind(terms)} ORDER BY score DESC, rowid LIMIT {draft.bind(width)}
            ) t CROSS JOIN records r ON r.ref = t.ref {entry}
            WHERE {draft.where} ORDER BY t.score DESC, r.ref LIMIT {draft.bind(query.limit)}
        """
        hits = _hits(connection, draft, sql, query)
        if len(hits) >= query.limit or _matches_at_most(connection, terms, width):
            return hits
        width *= _WIDER


def _matches_at_most(connection: apsw.Connection, query: str, count: int) -> bool:
    sql = "SELECT count(*) FROM (SELECT 1 FROM records_text WHERE records_text MATCH ? LIMIT ?)"
    found: int = connection.execute(sql, (query, count + 1)).get
    return found <= count


def _search_history(connection: apsw.Connection, scope: Scope, terms: str, query: q.TextQuery) -> list[q.Hit]:
    """Search current and past versions alike; the filter lets through what was current then, one of each record."""
    draft = record_draft(DIALECT, scope, query.filter)
    match = draft.bind(terms)
    columns, entry = _places(query)
    sql = f"""
        SELECT {columns}, t.score FROM (
            SELECT 0 AS past, rowid AS ref, -bm25(records_text) AS score
            FROM records_text WHERE records_text MATCH {match}
            UNION ALL SELECT 1, rowid, -bm25(versions_text) FROM versions_text WHERE versions_text MATCH {match}
        ) t JOIN {record_table(DIALECT, query.filter)} r ON r.ref = t.ref AND (r.superseded_at IS NOT NULL) = t.past
        {entry} WHERE {draft.where} ORDER BY t.score DESC, r.id LIMIT {draft.bind(query.limit)}
    """
    return _hits(connection, draft, sql, query)


def term_counts(connection: apsw.Connection, _: Scope, query: q.TermCountQuery) -> q.TermCounts:
    """Return how many records hold each of the terms, counting no further than `most`."""
    # The index keeps one small row per text it knows; counting those touches no text.
    records: int = connection.execute("SELECT count(*) FROM records_text_docsize").get
    asked = {term: match for term in dict.fromkeys(query.terms) if (match := _any_of([term]))}
    sql = """
        SELECT json_group_array((
            SELECT count(*) FROM (SELECT 1 FROM records_text WHERE records_text MATCH w.value LIMIT ?)
        )) FROM json_each(?) w
    """
    counts = parse(connection.execute(sql, (query.most, dump(list(asked.values())))).get) if asked else []
    return q.TermCounts(records, dict.fromkeys(query.terms, 0) | dict(zip(asked, counts, strict=True)))


_VECTORS = """
SELECT r.id, v.crc, v.data FROM json_each(?) w CROSS JOIN records r ON r.id = w.value
JOIN vectors v ON v.record = r.ref AND v.model = (SELECT ref FROM models WHERE name = ?)
"""


def vectors(connection: apsw.Connection, _: Scope, query: q.VectorQuery) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of some records by one model."""
    found: dict[str, NDArray[np.float32]] = {}
    for record_id, crc, data in connection.execute(_VECTORS, (dump(query.record_ids), query.model)):
        verify(crc, data)
        found[record_id] = np.frombuffer(data, "<f4")
    return found


_UNEMBEDDED = f"""
SELECT {OF_RECORD} FROM unembedded u JOIN records r ON r.ref = u.ref
WHERE r.status != 'forgotten' ORDER BY u.ref LIMIT ?
"""
_VECTOR_MODELS = "SELECT name, dimension FROM models WHERE ref IN (SELECT model FROM vectors) ORDER BY name"
# The index alone tells how many are newer than a revision.
_VECTOR_COUNTS = """
SELECT m.name, (SELECT count(*) FROM vectors v WHERE v.model = m.ref AND v.revision > ?) AS held
FROM models m WHERE held > 0 ORDER BY m.name
"""


_REMOVED = "SELECT DISTINCT record_id FROM vector_removals WHERE model = ? AND revision > ?"


def vector_changes(connection: apsw.Connection, _: Scope, query: q.VectorChangeQuery) -> q.VectorChanges:
    """Return a page of the vectors put after a revision, and the records whose vector went."""
    since = query.since
    revision: int = connection.execute("SELECT value FROM counters WHERE name = 'vector_revision'").get
    known = connection.execute("SELECT ref, dimension FROM models WHERE name = ?", (query.model,)).get
    if known is None:
        return no_vectors(query, revision=revision)
    ref, dimension = known
    floor: int = connection.execute("SELECT value FROM counters WHERE name = 'vector_floor'").get
    reset = 0 < since < floor and query.after == 0
    start = query.after or (0 if reset else since)
    sql = """
        SELECT record_id, kind, crc, data, revision FROM vectors WHERE model = ? AND revision > ?
        ORDER BY revision LIMIT ?
    """
    held = "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE model = ? AND revision > ? LIMIT ?)"
    count: int = connection.execute(held, (ref, start, query.limit)).get
    if start == 0 and count < query.limit:  # all of them: in the order they lie in the file
        sql = sql.replace("ORDER BY revision", "ORDER BY ref").replace("model =", "+model =")
    last = None
    matrix = np.empty((count, dimension), np.float32)
    record_ids: list[str] = []
    kinds: list[Kind] = []
    kind_of = KindsByName()
    rows = connection.execute(sql, (ref, start, query.limit))
    while some := list(islice(rows, _AT_ONCE)):
        for _, _, crc, data, _ in some:
            verify(crc, data)
        joined = np.frombuffer(b"".join(row[3] for row in some), "<f4")
        matrix[len(record_ids) : len(record_ids) + len(some)] = joined.reshape(len(some), dimension)
        record_ids += [row[0] for row in some]
        kinds += [kind_of[row[1]] for row in some]
        last = some[-1][4] if count == query.limit else None
    removed: list[str] = []
    if start > 0 and not query.after:
        put = set(record_ids)
        removed = [row[0] for row in connection.execute(_REMOVED, (ref, start)) if row[0] not in put]
    return q.VectorChanges(revision, reset, record_ids, kinds, matrix, removed, last)


# ── the queue ──

# The first living job of each lane: only that one may run.
HEADS = "SELECT min(seq) FROM jobs WHERE state != 'dead' GROUP BY lane"

_IS_TIMER = f"(state = 'pending' AND lane GLOB '{TIMER}*')"
_COUNTS = f"SELECT state, count(*) FROM jobs WHERE NOT {_IS_TIMER} GROUP BY state"


def queue_state(connection: apsw.Connection) -> QueueState:
    """Return how the queue stands.

    Timers are left out of the oldest, since they wait by design. When to look again is told by the heads of the lanes
    alone: what stands behind one cannot run before it.
    """
    counts = {str(name): int(many) for name, many in connection.execute(_COUNTS)}
    oldest, wake = connection.execute(
        f"""
        SELECT (SELECT min(enqueued_at) FROM jobs WHERE state != 'dead' AND NOT {_IS_TIMER}),
               min(max(ifnull(not_before, enqueued_at), ifnull(lease_until, enqueued_at)))
        FROM jobs WHERE seq IN ({HEADS})
        """
    ).get
    return QueueState(
        pending=counts.get("pending", 0),
        running=counts.get("running", 0),
        dead=counts.get("dead", 0),
        oldest=None if oldest is None else from_millis(oldest),
        wake_at=None if wake is None else from_millis(wake),
    )


# ── which function answers which question ────────────────────────────────────

SQLITE_ANSWERS: dict[type[Any], Callable[[apsw.Connection, Scope, Any], Any]] = {
    **{kind: by_steps(shared) for kind, shared in ANSWERS.items()},
    q.StandingQuery: standing,
    q.RecordQuery: records,
    q.LatestQuery: latest,
    q.TallyQuery: tally,
    q.UnembeddedQuery: by_steps(
        each(
            lambda _, __, query: SqlStatement(_UNEMBEDDED, (query.limit,)),
            lambda scope, row: rows.record_of(scope.owner, row),
        )
    ),
    q.TextQuery: search_text,
    q.TermCountQuery: term_counts,
    q.VectorChangeQuery: vector_changes,
    q.VectorQuery: vectors,
    q.VectorModelQuery: by_steps(pairs(lambda *_: SqlStatement(_VECTOR_MODELS))),
    q.VectorCountQuery: by_steps(pairs(lambda _, __, query: SqlStatement(_VECTOR_COUNTS, (query.since,)))),
    q.QueueQuery: lambda connection, *_: queue_state(connection),
}


def answer(connection: apsw.Connection, scope: Scope, queries: Sequence[q.Query[Any]]) -> list[Any]:
    """Answer questions one after the other."""
    return [SQLITE_ANSWERS[type(query)](connection, scope, query) for query in queries]


APART = frozenset({q.TallyQuery, q.TextQuery, q.SessionTermQuery, q.VectorChangeQuery})
"""What may take long enough to be worth a thread and a reader of its own."""
_ONE_STATEMENT = frozenset({q.EntryQuery, q.RecordQuery, q.LatestQuery, q.MatchQuery, q.LinkQuery, q.TextQuery})
"""What is answered by one statement; one before it may look how many rows there are, to choose how."""


def is_one_statement(queries: Sequence[q.Query[Any]]) -> bool:
    """Tell whether questions are answered by one statement: it sees one moment, also without a transaction.

    To begin and end one is more than a search of a few ids takes, since each step hands the interpreter to others.
    """
    if len(queries) != 1:
        return False
    [query] = queries
    if isinstance(query, q.StandingQuery):
        return not query.states
    if isinstance(query, q.PlaceQuery):
        return not (query.reach or query.neighbours)
    return type(query) in _ONE_STATEMENT


# ── a reader that keeps to one moment: a reading transaction that stays open from one question to the next ──
# Writers go on beside it, and what they write stays in the log until it has gone. The log cannot be cut before, either,
# so that an erasure waits for it: whoever holds one looks for erasures (`Snapshot`).

_SCRUBS_DUE = "SELECT value FROM counters WHERE name = 'scrub_due'"


def scrubs_due(connection: apsw.Connection) -> int:
    """Return how many erasures have taken their rows and not yet overwritten what was left of them."""
    return connection.execute(_SCRUBS_DUE).get or 0


class HeldReader:
    """A connection inside its transaction, for one thread at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = connection
        try:
            with translated(connection):
                connection.execute("BEGIN")
                self.scrubs_due = scrubs_due(connection)  # the first look is what fixes the moment
        except BaseException:
            self.let_go()
            raise

    def answer(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer questions one after the other; blocks."""
        with self._lock:
            if self._connection is None:
                raise StoreClosed("the store is closed; open it again")
            with translated(self._connection):
                return answer(self._connection, scope, queries)

    def let_go(self) -> None:
        """Close the connection, once nobody reads; blocks until then."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                close_quietly(connection)


def unheld(store: Store) -> HeldMoment:
    """Return what stands in on a disk without the room that a reader takes beside others, where little can change.

    Nothing is held: every answer is of its own moment, and one of another than the first is refused.
    """
    first: list[int] = []

    async def answer(scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        standing, *answers = await store.read(scope, (StandingQuery(), *queries))
        first.append(standing.revision)
        if standing.revision != first[0]:
            raise StoreBusy(f"{scope.owner} changed during the export; let its jobs finish, then export again")
        return answers

    return HeldMoment(answer)
