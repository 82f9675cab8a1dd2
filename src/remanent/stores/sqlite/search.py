"""Full-text and vector reads.

Full text is FTS5 over terms that were worked out before (`text.terms`): the tokenizer only splits at spaces, so that
Chinese and English are found alike. Vectors are only kept and handed out here; finding the nearest is another port.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from remanent.model import Kind, Scope
from remanent.stores.queries import (
    Hit,
    PlaceQuery,
    RecordFilter,
    SessionTermQuery,
    SessionTerms,
    TermCounts,
    TextQuery,
    VectorChanges,
)
from remanent.stores.sqlite.reads import (
    HISTORY,
    PLACE_COLUMNS,
    PLACE_NAMES,
    fetch_together,
    is_plain,
    places,
    record_condition,
)
from remanent.stores.sqlite.rows import KindsByName, dump, parse, place_of, verify

MAX_TERMS = 64
"""More terms than this say nothing new and cost time; chosen by hand, some four sentences."""

# Everywhere here bm25() is called and sorted by; `ORDER BY rank` would have the index sort all matches with the
# places of their words first, which takes twice as long.

_WIDER = 4
"""How much further the next look goes when too few of the best have passed a filter; chosen by hand."""
_AT_ONCE = 1024
"""Vectors that are copied together."""


def search_text(connection: apsw.Connection, scope: Scope, query: TextQuery) -> list[Hit]:
    """Return records that hold any of the terms, by BM25, best first, with their places if these are asked for."""
    terms, record_filter, limit = _any_of(query.terms), query.filter, query.limit
    if not terms or limit <= 0:
        return []
    if record_filter.as_of is not None:
        hits = _search_history(connection, scope, terms, record_filter, limit)
        if not query.places:
            return hits
        found = PlaceQuery(tuple(hit.record_id for hit in hits), record_filter, neighbours=False)
        by_id = {place.record_id: place for place in places(connection, scope, found)}
        return [hit._replace(place=by_id.get(hit.record_id)) for hit in hits]
    if is_plain(scope, record_filter):
        return _search_then_filter(connection, scope, terms, query)
    condition = record_condition(scope, record_filter)
    # Places are joined to those that are handed out, not to all that match.
    best = f"""
        SELECT r.ref, -bm25(records_text) AS score
        FROM records_text CROSS JOIN records r ON r.ref = records_text.rowid
        WHERE records_text MATCH ? AND {condition.text} ORDER BY score DESC, r.ref LIMIT ?
    """
    sql = f"""
        SELECT {_columns(query)}, t.score FROM ({best}) t CROSS JOIN records r ON r.ref = t.ref
        {_ENTRY if query.places else ""} ORDER BY t.score DESC, r.ref
    """
    return _hits(connection, sql, (terms, *condition.values, limit), query)


_ENTRY = "LEFT JOIN entries e ON e.id = r.id"


def _columns(query: TextQuery) -> str:
    return PLACE_COLUMNS if query.places else "r.id"


def _hits(connection: apsw.Connection, sql: str, values: Sequence[Any], query: TextQuery) -> list[Hit]:
    if not query.places:
        return [Hit(*row) for row in fetch_together(connection, "id, score", sql, values)]
    columns = f"{PLACE_NAMES}, score"
    return [Hit(row[0], row[-1], place_of(row[:-1])) for row in fetch_together(connection, columns, sql, values)]


def _any_of(terms: Sequence[str]) -> str:
    unique = dict.fromkeys(term.replace("\0", "") for term in terms)
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in list(unique)[:MAX_TERMS] if term.strip())


def _search_then_filter(connection: apsw.Connection, scope: Scope, terms: str, query: TextQuery) -> list[Hit]:
    """Rank first and look up few rows; widen while too many of the best do not pass."""
    condition = record_condition(scope, query.filter)
    sql = f"""
        SELECT {_columns(query)}, t.score FROM (
            SELECT rowid AS ref, -bm25(records_text) AS score FROM records_text WHERE records_text MATCH ?
            ORDER BY score DESC, rowid LIMIT ?
        ) t CROSS JOIN records r ON r.ref = t.ref {_ENTRY if query.places else ""}
        WHERE {condition.text} ORDER BY t.score DESC, r.ref LIMIT ?
    """
    width = query.limit + 8
    while True:
        hits = _hits(connection, sql, (terms, width, *condition.values, query.limit), query)
        if len(hits) >= query.limit or _matches_at_most(connection, terms, width):
            return hits
        width *= _WIDER


def _matches_at_most(connection: apsw.Connection, query: str, count: int) -> bool:
    sql = "SELECT count(*) FROM (SELECT 1 FROM records_text WHERE records_text MATCH ? LIMIT ?)"
    found: int = connection.execute(sql, (query, count + 1)).get
    return found <= count


def _search_history(
    connection: apsw.Connection, scope: Scope, query: str, record_filter: RecordFilter, limit: int
) -> list[Hit]:
    """Search current and past versions alike; the filter lets through what was current then."""
    condition = record_condition(scope, record_filter)
    sql = f"""
        SELECT r.id, max(t.score) AS score FROM (
            SELECT 0 AS past, rowid AS ref, -bm25(records_text) AS score FROM records_text WHERE records_text MATCH ?
            UNION ALL SELECT 1, rowid, -bm25(versions_text) FROM versions_text WHERE versions_text MATCH ?
        ) t JOIN {HISTORY} r ON r.ref = t.ref AND (r.superseded_at IS NOT NULL) = t.past
        WHERE {condition.text} GROUP BY r.id ORDER BY score DESC, r.id LIMIT ?
    """
    return [Hit(*row) for row in connection.execute(sql, (query, query, *condition.values, limit))]


def term_counts(connection: apsw.Connection, terms: Sequence[str], most: int) -> TermCounts:
    """Return how many records hold each of the terms, counting no further than `most`."""
    # The index keeps one small row per text it knows; counting those touches no text.
    records: int = connection.execute("SELECT count(*) FROM records_text_docsize").get
    asked = {term: query for term in dict.fromkeys(terms) if (query := _any_of([term]))}
    sql = """
        SELECT json_group_array((
            SELECT count(*) FROM (SELECT 1 FROM records_text WHERE records_text MATCH w.value LIMIT ?)
        )) FROM json_each(?) w
    """
    counts = parse(connection.execute(sql, (most, dump(list(asked.values())))).get) if asked else []
    return TermCounts(records, dict.fromkeys(terms, 0) | dict(zip(asked, counts, strict=True)))


def session_terms(connection: apsw.Connection, scope: Scope, query: SessionTermQuery) -> dict[str, SessionTerms]:
    """Return how often sessions hold terms, over the latest records that pass."""
    if query.filter.as_of is not None:
        return {}
    condition = record_condition(scope, query.filter)
    condition.among("r.session", query.sessions)
    condition.among("coalesce(e.origin, json_extract(r.body, '$.trust'))", query.origins)
    sql = f"""
        SELECT r.session, t.terms FROM records r CROSS JOIN records_text t ON t.rowid = r.ref
        LEFT JOIN entries e ON e.id = r.id WHERE {condition.text} ORDER BY r.ref DESC LIMIT ?
    """
    asked = frozenset(query.terms)
    lengths: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    for session, text in connection.execute(sql, (*condition.values, query.most)):
        words = text.split()
        lengths[session] += len(words)
        held = counts.setdefault(session, Counter())
        for word in asked.intersection(words):
            held[word] += words.count(word)
    return {session: SessionTerms(lengths[session], dict(held)) for session, held in counts.items()}


def vector_revision(connection: apsw.Connection) -> int:
    """Return the number that rises with every change of any vector."""
    revision: int = connection.execute("SELECT value FROM counters WHERE name = 'vector_revision'").get
    return revision


def vectors(connection: apsw.Connection, record_ids: Sequence[str], model: str) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of some records by one model."""
    sql = """
        SELECT r.id, v.crc, v.data FROM json_each(?) w CROSS JOIN records r ON r.id = w.value
        JOIN vectors v ON v.record = r.ref AND v.model = (SELECT ref FROM models WHERE name = ?)
    """
    found: dict[str, NDArray[np.float32]] = {}
    for record_id, crc, data in connection.execute(sql, (dump(list(record_ids)), model)):
        verify(crc, data)
        found[record_id] = np.frombuffer(data, "<f4")
    return found


def vector_models(connection: apsw.Connection) -> dict[str, int]:
    """Return the models that have vectors here, with their dimensions."""
    sql = "SELECT name, dimension FROM models WHERE ref IN (SELECT model FROM vectors) ORDER BY name"
    return {str(name): int(dimension) for name, dimension in connection.execute(sql)}


def vector_counts(connection: apsw.Connection, since: int) -> dict[str, int]:
    """Return how many vectors each model has that are newer than a revision; the index alone tells."""
    sql = """
        SELECT m.name, (SELECT count(*) FROM vectors v WHERE v.model = m.ref AND v.revision > ?) AS held
        FROM models m WHERE held > 0 ORDER BY m.name
    """
    return {str(name): int(held) for name, held in connection.execute(sql, (since,))}


def no_vectors(*, reset: bool, revision: int = 0) -> VectorChanges:
    """Return the answer of a model that has no vectors here."""
    return VectorChanges(revision, reset, [], [], np.empty((0, 0), np.float32), [])


def vector_changes(connection: apsw.Connection, model: str, since: int) -> VectorChanges:
    """Return vectors put, and records whose vector went, after a revision."""
    revision = vector_revision(connection)
    known = connection.execute("SELECT ref, dimension FROM models WHERE name = ?", (model,)).get
    if known is None:
        return no_vectors(reset=since > 0, revision=revision)
    ref, dimension = known
    floor: int = connection.execute("SELECT value FROM counters WHERE name = 'vector_floor'").get
    reset = 0 < since < floor
    start = 0 if reset else since
    sql = """
        SELECT record_id, kind, crc, data FROM vectors WHERE model = ? AND revision > ? ORDER BY revision
    """
    if start == 0:  # all of them: in the order they lie in the file
        sql = sql.replace("ORDER BY revision", "ORDER BY ref").replace("model =", "+model =")
    count: int = connection.execute("SELECT count(*) FROM vectors WHERE model = ? AND revision > ?", (ref, start)).get
    matrix = np.empty((count, dimension), np.float32)
    record_ids: list[str] = []
    kinds: list[Kind] = []
    kind_of = KindsByName()
    rows = connection.execute(sql, (ref, start))
    while some := list(islice(rows, _AT_ONCE)):
        for _, _, crc, data in some:
            verify(crc, data)
        joined = np.frombuffer(b"".join(row[3] for row in some), "<f4")
        matrix[len(record_ids) : len(record_ids) + len(some)] = joined.reshape(len(some), dimension)
        record_ids += [row[0] for row in some]
        kinds += [kind_of[row[1]] for row in some]
    removed = [] if start == 0 else _removed(connection, ref, start, set(record_ids))
    return VectorChanges(revision, reset, record_ids, kinds, matrix, removed)


def _removed(connection: apsw.Connection, model: int, since: int, put_since: set[str]) -> list[str]:
    sql = "SELECT DISTINCT record_id FROM vector_removals WHERE model = ? AND revision > ?"
    return [row[0] for row in connection.execute(sql, (model, since)) if row[0] not in put_since]
