"""Reading: how PostgreSQL says what all statements have in common, and what only it is asked.

Every condition names the agent, and row-level security holds it a second time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from remanent.model import MetadataCondition, Scope, from_millis
from remanent.model.filters import MAX_VALUE_LENGTH
from remanent.stores import queries as q
from remanent.stores import rows
from remanent.stores.query_steps import ANSWERS, Answer, Rows, Steps, each, no_vectors, pairs
from remanent.stores.sql import (
    MAX_TERMS,
    OF_RECORD,
    TO_SPARE,
    Dialect,
    SqlDraft,
    SqlStatement,
    is_plain,
    named_states,
    place_columns,
    record_draft,
    record_table,
    with_entry,
)
from remanent.stores.vectors import VectorSearch

_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


class VectorIndex(NamedTuple):
    """An index of one model's vectors of one agent."""

    model: int
    dimension: int


class PostgresDialect(Dialect):
    """One agent among the rows of all; the values of a statement are named, and a list is an array."""

    listed = "unnest({}::text[]) w (value) JOIN"
    trust = "r.trust"
    more_columns = ", agent, trust, tags"
    with_terms = "records r", "r.terms"
    quotes_record = "{} = ANY (record_ids)"

    def __init__(self, agent: int, indexes: Mapping[str, VectorIndex]) -> None:
        self.agent = agent
        self.indexes = indexes
        """By model, what a migration made for this agent because it is large."""

    def placeholder(self, number: int) -> str:
        """Return a named one."""
        return f"%(p{number})s"

    def array(self, options: Sequence[str]) -> list[str]:
        """Return plain texts."""
        return [str(option) for option in options]

    def any_of(self, where: SqlDraft, column: str, options: Sequence[str]) -> str:
        """Compare with an array, of whatever length."""
        return f"{column} = ANY ({where.bind_all(options)})"

    def past_tags(self, where: SqlDraft, tags: Sequence[str]) -> str:
        """Compare with the tags of the version."""
        return f"r.tags && {where.bind_all(tags)}"

    def entry_holds(self, where: SqlDraft, condition: MetadataCondition) -> str:
        """Look at each element of a list, and at what is no list by itself; entries without metadata are not parsed."""
        held = f"e.metadata::jsonb -> {where.bind(condition.key)}"
        if condition.comparison == "in":
            fits = f"found.value = ANY ({where.bind([rows.dump(one) for one in condition.values])}::jsonb[])"
        else:
            (value,) = condition.values
            compared = f"{_SIGNS[condition.comparison]} {where.bind(value)}"
            sort, text = "number", "(found.value #>> '{}')"
            fits = f"{text}::numeric {compared}"
            if isinstance(value, str):
                sort, fits = "string", f'length({text}) <= {MAX_VALUE_LENGTH} AND {text} COLLATE "C" {compared}'
            fits = f"CASE jsonb_typeof(found.value) WHEN '{sort}' THEN {fits} ELSE false END"
        return f"""e.metadata IS NOT NULL AND EXISTS (
            SELECT 1 FROM jsonb_array_elements(
                CASE jsonb_typeof({held}) WHEN 'array' THEN {held} ELSE jsonb_build_array({held}) END
            ) AS found (value) WHERE {fits})"""

    def source_holds(self, where: SqlDraft, condition: MetadataCondition, *, by_id: bool) -> str:
        """Begin with the entries, as many as there are."""
        return f"""r.id IN (
            SELECT s.record_id FROM record_sources s JOIN entries e ON e.agent = s.agent AND e.id = s.entry_id
            WHERE {self.own("s.")}{self.entry_holds(where, condition)})"""

    def own(self, table: str = "") -> str:
        """Name the agent."""
        return f"{table}agent = %(agent)s AND "

    def bound(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values by their names."""
        return {"agent": self.agent, **{f"p{number}": value for number, value in enumerate(values, 1)}}

    def ask(self, sql: str, *, binary: bool = False, **values: Any) -> SqlStatement:
        """Return a statement about the agent that is always the same."""
        return SqlStatement(sql, {"agent": self.agent, **values}, binary=binary)


_STANDING = """
SELECT revision, vector_revision,
    (SELECT jsonb_object_agg(kind, g.revision) FROM graphs g WHERE g.agent = %(agent)s AND kind <> '.erased')
FROM agents WHERE id = %(agent)s
"""


def _standing(dialect: PostgresDialect, _: Scope, query: q.StandingQuery) -> Steps[q.Standing]:
    counters, states = yield [dialect.ask(_STANDING), named_states(dialect, query.states)]
    revision, vector_revision, graphs = counters[0]
    return q.Standing(revision, vector_revision, graphs or {}, {key: rows.parse(value) for key, value in states})


_UNSET = """('false', 'null', '0', '""', '[]', '{}')"""


def _tally(dialect: PostgresDialect, _: Scope, query: q.TallyQuery) -> Steps[list[q.Tally]]:
    """Count records by kind and status, with how many have a flag set, inside the engine."""
    draft = SqlDraft(dialect)
    draft.among("kind", query.kinds)
    flags = "".join(
        f", count(*) FILTER (WHERE coalesce(body::jsonb #> ARRAY['data', {draft.bind(flag)}::text], 'false')"
        f" NOT IN {_UNSET})"
        for flag in query.flags
    )
    sql = f"""
        SELECT kind, status, count(*), sum((body::jsonb ->> 'confidence')::float8){flags}
        FROM records WHERE {draft.where} GROUP BY kind, status
    """
    [found] = yield [draft.statement(sql)]
    return [rows.tally_of(query.flags, row) for row in found]


_UNEMBEDDED = f"""
SELECT {OF_RECORD} FROM records r
WHERE agent = %(agent)s AND NOT embedded AND status <> 'forgotten' ORDER BY ref LIMIT %(limit)s
"""
_QUEUE = """
SELECT count(*) FILTER (WHERE state = 'pending' AND NOT starts_with(lane, 'timer:')),
       count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'dead'),
       min(enqueued_at) FILTER (WHERE state = 'running' OR state = 'pending' AND NOT starts_with(lane, 'timer:')),
       (SELECT min(wake) FROM heads WHERE agent = %(agent)s)
FROM jobs WHERE agent = %(agent)s
"""


def _queue(dialect: PostgresDialect, _: Scope, query: q.QueueQuery) -> Steps[q.QueueState]:
    [[(pending, running, dead, *moments)]] = yield [dialect.ask(_QUEUE)]
    return q.QueueState(pending, running, dead, *(None if one is None else from_millis(one) for one in moments))


# ── the best of many ─────────────────────────────────────────────────────────

# BM25 as FTS5 has it (k1 = 1.2, b = 0.75; a term in most texts counts next to nothing), so that both stores rank alike.
# What depends on the term alone is worked out once for each, hence MATERIALIZED, and in float8, ten times as fast as
# numeric. Scores are rounded to compare, because sums of the same parts in another order differ in their last bits, and
# equals go by their age.
# In a large agent, terms that most texts hold are left out unless there is no rarer one: they would be most of the work
# and change no place among the best. Each term is read by the index on its own (LATERAL).
_BM25 = """
    WITH weights AS MATERIALIZED (
        SELECT c.term, 0.9::float8 * greatest(a.documents, 1) / greatest(a.document_terms, 1) AS per_length,
               2.2::float8 * greatest(1e-6, ln((a.documents - least(c.held, a.documents) + 0.5::float8)
                                               / (c.held + 0.5::float8))) AS gain
        FROM (SELECT o.term, count(*) AS held, row_number() OVER (ORDER BY count(*)) AS place FROM postings o
              WHERE o.agent = %(agent)s AND o.past = {past} AND o.term = ANY ({terms}) GROUP BY o.term) c, agents a
        WHERE a.id = %(agent)s AND (a.documents < {large} OR c.held * 2 <= a.documents OR c.place = 1)
    )
    SELECT {past} AS past, p.ref, sum(w.gain * p.tf / (p.tf + 0.3::float8 + w.per_length * p.len)) AS score
    FROM weights w CROSS JOIN LATERAL (
        SELECT ref, tf, len FROM postings WHERE agent = %(agent)s AND past = {past} AND term = w.term OFFSET 0
    ) p GROUP BY p.ref
"""
_LARGE = 10_000
"""Texts; in fewer every term is cheap. Chosen by hand."""
_ALL: Final = 2**31
"""More than any agent has."""


def _best(
    draft: SqlDraft,
    query: q.TextQuery | VectorSearch,
    *,
    scores: str,
    width: int,
    record: str = "",
    equals: str = "place",
) -> SqlStatement:
    """The best by score that pass the filter; before it only so many.

    Each row ends with the score and with how many were ranked: fewer than `width` are all there are. `OFFSET 0` has
    each score worked out once, and each record looked up by its number: in tables that were never analysed the engine
    takes thousands for a few, and would compare all with all. Entries are joined to what is handed out.
    """
    dialect = draft.dialect
    columns, entry = (place_columns(dialect), with_entry(dialect)) if query.places else ("r.id", "")
    record = record or f"records n WHERE {dialect.own('n.')}n.ref = t.ref"
    sql = f"""
        WITH best AS MATERIALIZED (
            SELECT * FROM ({scores} OFFSET 0) s ORDER BY round(score * 1e9) DESC, ref LIMIT {draft.bind(width)})
        SELECT {columns}, r.score, (SELECT count(*) FROM best) FROM (
            SELECT r.* FROM best t CROSS JOIN LATERAL (SELECT n.*, t.score, t.ref AS place FROM {record} OFFSET 0) r
            WHERE {draft.where} ORDER BY round(r.score * 1e9) DESC, r.{equals} LIMIT {draft.bind(query.limit)}
        ) r {entry} ORDER BY round(r.score * 1e9) DESC, r.{equals}
    """
    return replace(draft.statement(sql), prepared=False)


def _hits(found: Rows, *, places: bool) -> list[q.Hit]:
    """Return the hits of rows that end with the score and with how many were ranked."""
    return [q.Hit(row[0], row[-2], rows.place_of(row[:-2]) if places else None) for row in found]


def _rank(
    scope: Scope, query: q.TextQuery | VectorSearch, statement: Callable[[int], SqlStatement]
) -> Steps[list[q.Hit]]:
    """Rank first and look up few rows; all of them when too many of the best do not pass the filter."""
    width = query.limit + TO_SPARE if is_plain(scope, query.filter) else _ALL
    [found] = yield [statement(width)]
    if width != _ALL and len(found) < query.limit and not (found and found[0][-1] < width):
        [found] = yield [statement(_ALL)]
    return _hits(found, places=query.places)


def _search_text(dialect: PostgresDialect, scope: Scope, query: q.TextQuery) -> Steps[list[q.Hit]]:
    """Find by words, with BM25 counted in SQL; for a moment in the past over the versions of then as well."""
    words = list(dict.fromkeys(term for term in query.terms if term.strip("\0 ")))[:MAX_TERMS]
    if not words or query.limit <= 0:
        return []

    def statement(width: int) -> SqlStatement:
        draft = record_draft(dialect, scope, query.filter)
        terms = draft.bind(words)
        current = _BM25.format(terms=terms, large=_LARGE, past=False)
        if query.filter.as_of is None:
            return _best(draft, query, scores=current, width=width)
        past = _BM25.format(terms=terms, large=_LARGE, past=True)
        # A version that was current then is the only one of its record.
        record = f"""{record_table(dialect, query.filter)} n
            WHERE {dialect.own("n.")}n.ref = t.ref AND (n.superseded_at IS NOT NULL) = t.past"""
        scores = f"SELECT * FROM ({current}) c UNION ALL SELECT * FROM ({past}) h"
        return _best(draft, query, scores=scores, width=width, record=record, equals="id")

    return (yield from _rank(scope, query, statement))


def _term_counts(dialect: PostgresDialect, _: Scope, query: q.TermCountQuery) -> Steps[q.TermCounts]:
    """Answer by how many records hold each term; before them comes the number of all records."""
    sql = """
        SELECT '', documents FROM agents WHERE id = %(agent)s
        UNION ALL SELECT w, (SELECT count(*) FROM (
            SELECT 1 FROM postings WHERE agent = %(agent)s AND NOT past AND term = w LIMIT %(most)s) held)
        FROM unnest(%(terms)s::text[]) w
    """
    [found] = yield [dialect.ask(sql, terms=[term for term in query.terms if term], most=query.most)]
    (_, records), *counts = found
    return q.TermCounts(records, dict.fromkeys(query.terms, 0) | {str(term): int(held) for term, held in counts})


# ── vectors ──────────────────────────────────────────────────────────────────

_MAX_INDEXED: Final = 200
"""Neighbours that an index is asked for; for more, all are compared. Half of what it looks at."""
# Looked at beside each candidate: as many as give nine of ten of the nearest in measurements of others.
_EFFORT: Final = SqlStatement("SELECT set_config('hnsw.ef_search', '400', true)")
_OF_MODEL = "(SELECT id FROM models WHERE agent = %(agent)s AND name = {})"


def _nearest(dialect: PostgresDialect, scope: Scope, search: VectorSearch) -> Steps[list[q.Hit]]:
    """Ask the index of a large agent, and compare all when too few of what it finds pass, or there is none."""
    if search.limit <= 0:
        return []
    index, width = dialect.indexes.get(search.model), search.limit + TO_SPARE
    # A model that was dropped and came again has another number, and perhaps another size, than the index.
    fits = index is not None and len(search.vector) == index.dimension and width <= _MAX_INDEXED
    if fits and is_plain(scope, search.filter):
        _, found = yield [_EFFORT, _near(dialect, scope, search, width=width, index=index)]
        if len(found) >= search.limit:
            return _hits(found, places=search.places)
    return (yield from _rank(scope, search, lambda width: _near(dialect, scope, search, width=width)))


def _near(
    dialect: PostgresDialect, scope: Scope, search: VectorSearch, *, width: int, index: VectorIndex | None = None
) -> SqlStatement:
    """The records nearest to a vector; one of zeros is near to nothing."""
    draft = record_draft(dialect, scope, search.filter)
    vector = draft.bind(search.vector)
    scores = "SELECT ref, coalesce(nullif(1 - ({data} <=> {vector}), 'NaN'), 0) AS score FROM vectors WHERE {held}"
    if index is None:
        held = f"{dialect.own()}model = {_OF_MODEL.format(draft.bind(search.model))}"
        scores = scores.format(data="data", vector=vector, held=held)
    else:
        # The numbers stand in the text: the index is one of the rows of just these, and so must the statement be.
        data = f"data::vector({int(index.dimension)})"
        held = f"agent = {int(dialect.agent)} AND model = {int(index.model)}"
        held = f"{held} ORDER BY {data} <=> {vector} LIMIT {draft.bind(width)}"
        scores = scores.format(data=data, vector=vector, held=held)
    record = ""
    if search.filter.as_of is not None:  # the vectors of now, of what answered then
        record = f"""records now JOIN {record_table(dialect, search.filter)} n
            ON {dialect.own("n.")}n.id = now.id WHERE {dialect.own("now.")}now.ref = t.ref"""
    return _best(draft, search, scores=scores, width=width, record=record)


def _vector_changes(dialect: PostgresDialect, _: Scope, query: q.VectorChangeQuery) -> Steps[q.VectorChanges]:
    """The standing of a model, a page of what was put behind a revision, and what was removed."""
    asked: dict[str, Any] = {"model": query.model, "since": query.since}
    model = _OF_MODEL.format("%(model)s")
    standing, put, removed = yield [
        dialect.ask(
            """
            SELECT a.vector_revision, a.vector_floor, m.dimension FROM agents a
            LEFT JOIN models m ON m.agent = a.id AND m.name = %(model)s WHERE a.id = %(agent)s
            """,
            **asked,
        ),
        dialect.ask(
            f"""
            SELECT r.id, r.kind, v.data, v.revision
            FROM vectors v JOIN records r ON r.agent = v.agent AND r.ref = v.ref
            WHERE v.agent = %(agent)s AND v.model = {model} AND v.revision > greatest(%(after)s, CASE
                WHEN %(since)s < (SELECT vector_floor FROM agents WHERE id = %(agent)s) THEN 0 ELSE %(since)s END)
            ORDER BY v.revision LIMIT %(limit)s
            """,
            **asked,
            after=query.after,
            limit=query.limit,
            binary=True,
        ),
        dialect.ask(
            f"""
            SELECT DISTINCT record_id FROM vector_removals
            WHERE agent = %(agent)s AND model = {model} AND revision > %(since)s
            """,
            **asked,
        ),
    ]
    revision, floor, dimension = standing[0]
    if dimension is None:
        return no_vectors(query, revision=revision)
    first = query.after == 0
    reset = first and 0 < query.since < floor
    matrix = np.stack([row[2] for row in put]) if put else np.empty((0, dimension), np.float32)
    kind_of = rows.KindsByName()
    record_ids = [row[0] for row in put]
    there = set(record_ids)
    known = first and query.since > 0 and not reset
    gone = [row[0] for row in removed if row[0] not in there] if known else []
    last = put[-1][3] if len(put) == query.limit else None
    return q.VectorChanges(revision, reset, record_ids, [kind_of[row[1]] for row in put], matrix, gone, last)


_VECTORS = f"""
SELECT r.id, v.data FROM records r JOIN vectors v ON v.agent = r.agent AND v.ref = r.ref
WHERE r.agent = %(agent)s AND r.id = ANY (%(ids)s) AND v.model = {_OF_MODEL.format("%(model)s")}
"""
_VECTOR_MODELS = """
SELECT name, dimension FROM models m WHERE agent = %(agent)s
    AND EXISTS (SELECT 1 FROM vectors v WHERE v.agent = m.agent AND v.model = m.id) ORDER BY name
"""
_VECTOR_COUNTS = """
SELECT m.name, count(*) FROM models m JOIN vectors v ON v.agent = m.agent AND v.model = m.id
WHERE m.agent = %(agent)s AND v.revision > %(since)s GROUP BY m.name ORDER BY m.name
"""

# ── which of them answers which question ─────────────────────────────────────

POSTGRES_ANSWERS: dict[type[Any], Answer] = {
    **ANSWERS,
    q.StandingQuery: _standing,
    q.TallyQuery: _tally,
    q.UnembeddedQuery: each(
        lambda dialect, _, query: dialect.ask(_UNEMBEDDED, limit=query.limit),
        lambda scope, row: rows.record_of(scope.owner, row),
    ),
    q.TextQuery: _search_text,
    q.TermCountQuery: _term_counts,
    q.VectorChangeQuery: _vector_changes,
    q.VectorQuery: pairs(
        lambda dialect, _, query: dialect.ask(_VECTORS, ids=list(query.record_ids), model=query.model, binary=True)
    ),
    q.VectorModelQuery: pairs(lambda dialect, *_: dialect.ask(_VECTOR_MODELS)),
    q.VectorCountQuery: pairs(lambda dialect, _, query: dialect.ask(_VECTOR_COUNTS, since=query.since)),
    q.QueueQuery: _queue,
    VectorSearch: _nearest,
}
