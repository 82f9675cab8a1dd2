"""Full-text and vector reads.

Full text is FTS5 over terms that were worked out before (`text.terms`): the tokenizer only splits at spaces, so that
Chinese and English are found alike. Vectors are only kept and handed out here; finding the nearest is another port.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from remanent.model import Kind, Scope
from remanent.stores import queries as q
from remanent.stores.answers import ANSWERS, no_vectors
from remanent.stores.rows import KindsByName, dump, parse, place_of, verify
from remanent.stores.sqlite import queue, reads
from remanent.stores.sqlite.reads import DIALECT, fetch
from remanent.stores.statements import (
    MAX_TERMS,
    PLACE_NAMES,
    SqlDraft,
    is_plain,
    place_columns,
    record_draft,
    record_table,
    with_entry,
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
    """Rank first and look up few rows; widen while too many of the best do not pass."""
    columns, entry = _places(query)
    width = query.limit + 8
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


def vectors(connection: apsw.Connection, _: Scope, query: q.VectorQuery) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of some records by one model."""
    sql = """
        SELECT r.id, v.crc, v.data FROM json_each(?) w CROSS JOIN records r ON r.id = w.value
        JOIN vectors v ON v.record = r.ref AND v.model = (SELECT ref FROM models WHERE name = ?)
    """
    found: dict[str, NDArray[np.float32]] = {}
    for record_id, crc, data in connection.execute(sql, (dump(list(query.record_ids)), query.model)):
        verify(crc, data)
        found[record_id] = np.frombuffer(data, "<f4")
    return found


def vector_models(connection: apsw.Connection, _: Scope, query: q.VectorModelQuery) -> dict[str, int]:
    """Return the models that have vectors here, with their dimensions."""
    sql = "SELECT name, dimension FROM models WHERE ref IN (SELECT model FROM vectors) ORDER BY name"
    return {str(name): int(dimension) for name, dimension in connection.execute(sql)}


def vector_counts(connection: apsw.Connection, _: Scope, query: q.VectorCountQuery) -> dict[str, int]:
    """Return how many vectors each model has that are newer than a revision; the index alone tells."""
    sql = """
        SELECT m.name, (SELECT count(*) FROM vectors v WHERE v.model = m.ref AND v.revision > ?) AS held
        FROM models m WHERE held > 0 ORDER BY m.name
    """
    return {str(name): int(held) for name, held in connection.execute(sql, (query.since,))}


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
    removed = [] if start == 0 or query.after else _removed(connection, ref, start, set(record_ids))
    return q.VectorChanges(revision, reset, record_ids, kinds, matrix, removed, last)


def _removed(connection: apsw.Connection, model: int, since: int, put_since: set[str]) -> list[str]:
    sql = "SELECT DISTINCT record_id FROM vector_removals WHERE model = ? AND revision > ?"
    return [row[0] for row in connection.execute(sql, (model, since)) if row[0] not in put_since]


# ── which function answers which question ────────────────────────────────────

SQLITE_ANSWERS: dict[type[Any], Callable[[apsw.Connection, Scope, Any], Any]] = {
    **{kind: reads.by_steps(shared) for kind, shared in ANSWERS.items()},
    q.StandingQuery: reads.standing,
    q.RecordQuery: reads.records,
    q.LatestQuery: reads.latest,
    q.TallyQuery: reads.tally,
    q.UnembeddedQuery: reads.unembedded,
    q.TextQuery: search_text,
    q.TermCountQuery: term_counts,
    q.VectorChangeQuery: vector_changes,
    q.VectorQuery: vectors,
    q.VectorModelQuery: vector_models,
    q.VectorCountQuery: vector_counts,
    q.QueueQuery: lambda connection, *_: queue.state(connection),
}
APART = frozenset({q.TallyQuery, q.TextQuery, q.SessionTermQuery, q.VectorChangeQuery})
"""What may take long enough to be worth a thread and a reader of its own."""
