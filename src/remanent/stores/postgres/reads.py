"""Reading: each type of question becomes statements.

A filter becomes a `WhereClause`: text with a placeholder for every value, and the values apart. No value of a caller is
ever spliced into SQL; lists go as one array, so that a statement can be prepared once. Every condition names the agent,
and row-level security holds it a second time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from remanent.model import MetadataCondition, Scope
from remanent.model.filters import MAX_VALUE_LENGTH
from remanent.stores.postgres.connection import SqlStatement
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    JobQuery,
    LatestQuery,
    LinkQuery,
    Order,
    RecordFilter,
    RecordQuery,
    SessionTermQuery,
    TallyQuery,
    TextQuery,
)
from remanent.stores.sqlite.rows import (
    ENTRY_COLUMNS,
    JOB_COLUMNS,
    LINK_COLUMNS,
    RECORD_COLUMNS,
    TAGS,
    dump,
    millis,
)
from remanent.stores.vectors import VectorSearch

MAX_TERMS: Final = 64
"""More terms than this say nothing new and cost time; chosen by hand, some four sentences."""


@dataclass(slots=True)
class WhereClause:
    """A conjunction that grows, with its bindings."""

    parts: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, part: str, *values: Any) -> None:
        """Add one more thing that must hold."""
        self.parts.append(part)
        self.values.extend(values)

    def among(self, column: str, options: Sequence[str] | None) -> None:
        """Require a column to be one of the options; `None` requires nothing."""
        if options is not None:
            self.add(f"{column} = ANY (%s)", [str(option) for option in options])

    def within(self, scope: Scope, table: str = "") -> None:
        """Require the session and task that the scope names."""
        for name, value in (("session", scope.session), ("task", scope.task)):
            if value is not None:
                self.add(f"{table}{name} = %s", value)

    @property
    def text(self) -> str:
        """The condition to put behind WHERE."""
        return " AND ".join(self.parts)


def _of_agent(agent: int, table: str = "") -> WhereClause:
    condition = WhereClause()
    condition.add(f"{table}agent = %s", agent)
    return condition


_SOURCES = """r.id IN (
    SELECT s.record_id FROM record_sources s JOIN entries e ON e.agent = s.agent AND e.id = s.entry_id
    WHERE s.agent = %s AND {holds})"""
# Of a list, each element is looked at; what is no list is looked at by itself. The first line spares the parsing of
# entries without metadata.
_ELEMENTS = """e.metadata IS NOT NULL AND EXISTS (
    SELECT 1 FROM jsonb_array_elements(
        CASE jsonb_typeof(e.metadata::jsonb -> %s) WHEN 'array' THEN e.metadata::jsonb -> %s
        ELSE jsonb_build_array(e.metadata::jsonb -> %s) END
    ) AS found (value) WHERE {fits})"""
_TEXT_FITS = """CASE jsonb_typeof(found.value) WHEN 'string' THEN length(found.value #>> '{{}}') <= %s
    AND (found.value #>> '{{}}') COLLATE "C" {sign} %s ELSE false END"""
_NUMBER_FITS = """CASE jsonb_typeof(found.value) WHEN 'number' THEN (found.value #>> '{{}}')::numeric {sign} %s
    ELSE false END"""
_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _holds(condition: MetadataCondition) -> tuple[str, tuple[Any, ...]]:
    """Return the condition on `e`, an entry, and its values, which are never put into the text."""
    key = (condition.key,) * 3
    if condition.comparison == "in":
        return _ELEMENTS.format(fits="found.value = ANY (%s::jsonb[])"), (*key, [dump(one) for one in condition.values])
    (value,) = condition.values
    sign = _SIGNS[condition.comparison]
    if isinstance(value, str):
        return _ELEMENTS.format(fits=_TEXT_FITS.format(sign=sign)), (*key, MAX_VALUE_LENGTH, value)
    return _ELEMENTS.format(fits=_NUMBER_FITS.format(sign=sign)), (*key, value)


def record_condition(agent: int, scope: Scope, wanted: RecordFilter) -> WhereClause:
    """Return the condition on columns of `r` (records, or the history of them when `as_of` is set)."""
    condition = _of_agent(agent, "r.")
    condition.within(scope, "r.")
    condition.among("r.kind", wanted.kinds)
    condition.among("r.status", wanted.statuses)
    if wanted.not_sessions:
        condition.add("(r.session IS NULL OR r.session <> ALL (%s))", list(wanted.not_sessions))
    if wanted.occurred_from is not None:
        condition.add("r.occurred_at >= %s", millis(wanted.occurred_from))
    if wanted.occurred_before is not None:
        condition.add("r.occurred_at < %s", millis(wanted.occurred_before))
    if wanted.valid_at is not None:
        moment = millis(wanted.valid_at)
        condition.add("(r.valid_from IS NULL OR r.valid_from <= %s)", moment)
        condition.add("(r.valid_to IS NULL OR r.valid_to > %s)", moment)
    if wanted.alive_at is not None:
        condition.add("(r.expires_at IS NULL OR r.expires_at > %s)", millis(wanted.alive_at))
    for tags in [*([tag] for tag in wanted.tags), *([list(wanted.any_tags)] if wanted.any_tags else [])]:
        if wanted.as_of is None:
            condition.add("r.ref IN (SELECT ref FROM record_tags WHERE agent = %s AND tag = ANY (%s))", agent, tags)
        else:
            condition.add("r.tags && %s", tags)
    for one in wanted.where:
        holds, values = _holds(one)
        condition.add(_SOURCES.format(holds=holds), agent, *values)
    if wanted.as_of is not None:
        moment = millis(wanted.as_of)
        condition.add("r.updated_at <= %s AND (r.superseded_at IS NULL OR r.superseded_at > %s)", moment, moment)
    return condition


_ALL = "agent, ref, id, kind, status, session, task, created_at, updated_at, occurred_at, valid_from, valid_to, "
_ALL += "expires_at, access_count, scan_count, trust, tags, body, crc"
HISTORY: Final = (
    f"(SELECT {_ALL}, NULL::bigint AS superseded_at FROM records UNION ALL SELECT {_ALL}, superseded_at FROM versions)"
)


def record_table(wanted: RecordFilter) -> str:
    """Return what to select records from: the current ones, or all versions when `as_of` is set."""
    return "records" if wanted.as_of is None else HISTORY


_ORDERS = {
    Order.FIRST_CREATED: "r.ref",
    Order.LAST_CREATED: "r.ref DESC",
    Order.LAST_OCCURRED: "r.occurred_at DESC, r.ref DESC",
    Order.LEAST_SCANNED: "r.scan_count, r.ref",
}
_AS_OF_ORDERS = {
    Order.FIRST_CREATED: "r.created_at, r.id",
    Order.LAST_CREATED: "r.created_at DESC, r.id DESC",
    Order.LAST_OCCURRED: "r.occurred_at DESC, r.id DESC",
    Order.LEAST_SCANNED: "r.scan_count, r.id",
}


def entries(agent: int, scope: Scope, query: EntryQuery) -> SqlStatement:
    """Journal entries in journal order."""
    where = _of_agent(agent)
    where.within(scope)
    where.add("seq > %s", query.after_seq)
    if query.before_seq is not None:
        where.add("seq < %s", query.before_seq)
    where.among("id", query.entry_ids)
    where.among("caller_id", query.caller_ids)
    where.among("kind", query.kinds)
    if query.source_of is not None:
        where.add(
            "id IN (SELECT entry_id FROM record_sources WHERE agent = %s AND record_id = ANY (%s))",
            agent,
            list(query.source_of),
        )
    if query.occurred_from is not None:
        where.add("occurred_at >= %s", millis(query.occurred_from))
    if query.occurred_before is not None:
        where.add("occurred_at < %s", millis(query.occurred_before))
    tagged = [*([tag] for tag in query.tags), *([query.any_tags] if query.any_tags else [])]
    for one in (*query.where, *(MetadataCondition(TAGS, "in", tuple(tags)) for tags in tagged)):
        holds, values = _holds(one)
        where.add(holds, *values)
    direction = "DESC" if query.newest_first else "ASC"
    sql = f"SELECT {ENTRY_COLUMNS} FROM entries e WHERE {where.text} ORDER BY seq {direction} LIMIT %s"
    return SqlStatement(sql, (*where.values, query.limit))


_OF_RECORD = ", ".join(f"r.{name}" for name in RECORD_COLUMNS.split(", "))


def records(agent: int, scope: Scope, query: RecordQuery) -> SqlStatement:
    """Records, current or as they once stood."""
    where = record_condition(agent, scope, query.filter)
    where.among("r.id", query.record_ids)
    if query.source_entry_ids is not None:
        where.add(
            "r.id IN (SELECT record_id FROM record_sources WHERE agent = %s AND entry_id = ANY (%s))",
            agent,
            list(query.source_entry_ids),
        )
    past = query.filter.as_of is not None
    if query.after_id is not None:
        _continue_behind(where, agent, query, past=past)
    order = (_AS_OF_ORDERS if past else _ORDERS)[query.order]
    sql = f"SELECT {_OF_RECORD} FROM {record_table(query.filter)} r WHERE {where.text} ORDER BY {order} LIMIT %s"
    return SqlStatement(sql, (*where.values, query.limit))


def _continue_behind(where: WhereClause, agent: int, query: RecordQuery, *, past: bool) -> None:
    """Add where the page before has ended, by the same order in which records are listed."""
    comparison = "<" if query.order is Order.LAST_CREATED else ">"
    if past:
        place = "(SELECT created_at, id FROM records WHERE agent = %s AND id = %s)"
        where.add(f"(r.created_at, r.id) {comparison} {place}", agent, query.after_id)
    else:
        place = "(SELECT ref FROM records WHERE agent = %s AND id = %s)"
        where.add(f"r.ref {comparison} {place}", agent, query.after_id)


def unembedded(agent: int, limit: int) -> SqlStatement:
    """Records whose content has no vector yet, oldest first."""
    sql = f"""
        SELECT {_OF_RECORD} FROM records r
        WHERE agent = %s AND NOT embedded AND status <> 'forgotten' ORDER BY ref LIMIT %s
    """
    return SqlStatement(sql, (agent, limit))


def tally(agent: int, query: TallyQuery) -> SqlStatement:
    """How many records of some kinds there are, by kind and status, with the flags of their data."""
    flags = "".join(
        ", count(*) FILTER (WHERE coalesce(body::jsonb #> ARRAY['data', %s::text], 'false') NOT IN "
        "('false', 'null', '0', '\"\"', '[]', '{}'))"
        for _ in query.flags
    )
    sql = f"""
        SELECT kind, status, count(*), sum((body::jsonb ->> 'confidence')::float8){flags}
        FROM records WHERE agent = %s AND kind = ANY(%s) GROUP BY kind, status
    """
    return SqlStatement(sql, [*query.flags, agent, [str(kind) for kind in query.kinds]])


def match(agent: int, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter) -> SqlStatement:
    """Those of the ids that pass."""
    where = record_condition(agent, scope, record_filter)
    where.among("r.id", list(record_ids))
    return SqlStatement(f"SELECT DISTINCT r.id FROM {record_table(record_filter)} r WHERE {where.text}", where.values)


PLACE_COLUMNS: Final = """
    r.id, r.kind, r.session, r.occurred_at, coalesce(e.recorded_at, r.created_at), coalesce(e.origin, r.trust),
    coalesce(e.seq, 0), coalesce(e.role, '')
"""
_NEIGHBOURS = """,
    CASE WHEN e.session IS NOT NULL
        THEN (SELECT o.id FROM entries o WHERE o.agent = e.agent AND o.session = e.session AND o.seq < e.seq
              ORDER BY o.seq DESC LIMIT 1)
        ELSE (SELECT o.id FROM entries o WHERE o.agent = e.agent AND o.seq = e.seq - 1 AND o.session IS NULL) END,
    CASE WHEN e.session IS NOT NULL
        THEN (SELECT o.id FROM entries o WHERE o.agent = e.agent AND o.session = e.session AND o.seq > e.seq
              ORDER BY o.seq LIMIT 1)
        ELSE (SELECT o.id FROM entries o WHERE o.agent = e.agent AND o.seq = e.seq + 1 AND o.session IS NULL) END
"""


def latest(agent: int, scope: Scope, query: LatestQuery) -> SqlStatement:
    """Where the records stand that happened last."""
    where = record_condition(agent, scope, query.filter)
    order = (_ORDERS if query.filter.as_of is None else _AS_OF_ORDERS)[Order.LAST_OCCURRED]
    sql = f"""
        SELECT {PLACE_COLUMNS} FROM {record_table(query.filter)} r {_ENTRY} WHERE {where.text} ORDER BY {order} LIMIT %s
    """
    return SqlStatement(sql, (*where.values, query.limit))


def places(
    agent: int, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter, *, neighbours: bool
) -> SqlStatement:
    """Where records stand, in the given order, and who their neighbours are."""
    where = record_condition(agent, scope, record_filter)
    around = _NEIGHBOURS if neighbours else ""
    sql = f"""
        SELECT {PLACE_COLUMNS}{around} FROM unnest(%s::text[]) WITH ORDINALITY w(id, place)
        JOIN {record_table(record_filter)} r ON r.id = w.id {_ENTRY} WHERE {where.text} ORDER BY w.place
    """
    return SqlStatement(sql, (list(record_ids), *where.values))


def versions(agent: int, scope: Scope, record_id: str) -> SqlStatement:
    """All versions of a record, the current one last."""
    where = _of_agent(agent)
    where.within(scope)
    where.add("id = %s", record_id)
    sql = f"""
        SELECT {RECORD_COLUMNS}, superseded_at, version FROM versions WHERE {where.text}
        UNION ALL SELECT {RECORD_COLUMNS}, NULL, version FROM records WHERE {where.text}
    """
    ordered = f"SELECT * FROM ({sql}) v ORDER BY superseded_at IS NULL, version"
    return SqlStatement(ordered, (*where.values, *where.values))


def past_versions(agent: int, scope: Scope, after: tuple[str, int] | None, limit: int) -> SqlStatement:
    """Superseded versions of all records, by record and number."""
    where = _of_agent(agent)
    where.within(scope)
    if after is not None:
        where.add("(id, version) > (%s, %s)", *after)
    sql = f"SELECT {RECORD_COLUMNS}, superseded_at FROM versions WHERE {where.text} ORDER BY id, version LIMIT %s"
    return SqlStatement(sql, (*where.values, limit))


def links(agent: int, query: LinkQuery) -> SqlStatement:
    """Links by ends and relation."""
    where = _of_agent(agent)
    where.among("from_id", query.from_ids)
    where.among("to_id", query.to_ids)
    where.among("relation", query.relations)
    if query.min_strength > 0:
        where.add("strength >= %s", query.min_strength)
    sql = f"SELECT {LINK_COLUMNS} FROM links WHERE {where.text} ORDER BY from_id, to_id, relation LIMIT %s"
    return SqlStatement(sql, (*where.values, query.limit))


def conflicts(agent: int, scope: Scope, query: ConflictQuery) -> SqlStatement:
    """Conflicts, oldest first."""
    where = _of_agent(agent)
    where.within(scope)
    where.among("id", query.conflict_ids)
    where.among("state", query.states)
    if query.record_id is not None:
        where.add("%s = ANY (record_ids)", query.record_id)
    sql = f"SELECT session, task, body FROM conflicts WHERE {where.text} ORDER BY ref LIMIT %s"
    return SqlStatement(sql, (*where.values, query.limit))


def tombstones(agent: int, scope: Scope, record_ids: Sequence[str] | None) -> SqlStatement:
    """Tombstones by record."""
    where = _of_agent(agent)
    where.within(scope)
    where.among("record_id", record_ids)
    return SqlStatement(
        f"SELECT session, task, body FROM tombstones WHERE {where.text} ORDER BY record_id", where.values
    )


def states(agent: int, prefix: str) -> SqlStatement:
    """Named values whose key begins with a prefix."""
    # No key goes on with the last character there is, so that this bound leaves out none that begins with the prefix.
    sql = "SELECT key, value FROM states WHERE agent = %s AND key >= %s AND (%s = '' OR key < %s) ORDER BY key"
    return SqlStatement(sql, (agent, prefix, prefix, f"{prefix}\U0010ffff"))


def jobs(agent: int, query: JobQuery) -> SqlStatement:
    """Jobs in queue order."""
    where = _of_agent(agent)
    where.among("state", query.states)
    where.among("lane", query.lanes)
    sql = f"SELECT {JOB_COLUMNS} FROM jobs WHERE {where.text} ORDER BY seq LIMIT %s"
    return SqlStatement(sql, (*where.values, query.limit))


STANDING: Final = """
SELECT revision, vector_revision, (SELECT jsonb_object_agg(kind, g.revision) FROM graphs g WHERE g.agent = %s)
FROM agents WHERE id = %s
"""
NAMED_STATES: Final = "SELECT key, value FROM states WHERE agent = %s AND key = ANY (%s)"
QUEUE: Final = """
SELECT count(*) FILTER (WHERE state = 'pending' AND NOT starts_with(lane, 'timer:')),
       count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'dead'),
       min(enqueued_at) FILTER (WHERE state = 'running' OR state = 'pending' AND NOT starts_with(lane, 'timer:')),
       (SELECT min(greatest(coalesce(not_before, enqueued_at), coalesce(lease_until, enqueued_at)))
        FROM heads WHERE agent = %s)
FROM jobs WHERE agent = %s
"""

# ── full text ────────────────────────────────────────────────────────────────

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
        FROM (SELECT o.term, count(*) AS held, row_number() OVER (ORDER BY count(*)) AS place FROM {postings} o
              WHERE o.agent = %s AND o.term = ANY (%s) GROUP BY o.term) c, agents a
        WHERE a.id = %s AND (a.documents < {large} OR c.held * 2 <= a.documents OR c.place = 1)
    )
    SELECT p.ref, sum(w.gain * p.tf / (p.tf + 0.3::float8 + w.per_length * p.len)) AS score
    FROM weights w CROSS JOIN LATERAL (
        SELECT ref, tf, len FROM {postings} WHERE agent = %s AND term = w.term OFFSET 0
    ) p GROUP BY p.ref
"""
_LARGE = 10_000
"""Texts; in fewer every term is cheap. Chosen by hand."""
CURRENT: Final = _BM25.format(postings="postings", large=_LARGE)
PAST: Final = _BM25.format(postings="past_postings", large=_LARGE)
_BY_SCORE = "ORDER BY round(score * 1e9) DESC"
_ENTRY = "LEFT JOIN entries e ON e.agent = r.agent AND e.id = r.id"
ALL: Final = 2**31
"""More than any agent has."""


def asked_terms(terms: Sequence[str]) -> list[str]:
    """Return the terms that are looked for: each once, and not too many."""
    return list(dict.fromkeys(term for term in terms if term.strip("\0 ")))[:MAX_TERMS]


def is_plain(scope: Scope, wanted: RecordFilter) -> bool:
    """Return whether nearly every indexed record passes, so that filtering after ranking is cheaper."""
    narrowed = scope.session or scope.task or wanted.kinds or wanted.tags or wanted.not_sessions
    times = (wanted.occurred_from, wanted.occurred_before, wanted.valid_at, wanted.as_of)
    return not narrowed and all(time is None for time in times)


def search_text(agent: int, scope: Scope, query: TextQuery, *, width: int) -> SqlStatement:
    """The records that hold any of the terms, by BM25; before the filter only so many of the best.

    Each row ends with the score and with how many were ranked: fewer than `width` are all there are.
    """
    where = record_condition(agent, scope, query.filter)
    words = asked_terms(query.terms)
    columns, entry = (PLACE_COLUMNS, _ENTRY) if query.places else ("r.id", "")
    sql = f"""
        WITH best AS MATERIALIZED (SELECT * FROM ({CURRENT}) c {_BY_SCORE}, ref LIMIT %s)
        SELECT {columns}, t.score, (SELECT count(*) FROM best) FROM best t JOIN records r ON r.ref = t.ref {entry}
        WHERE {where.text} {_BY_SCORE}, r.ref LIMIT %s
    """
    return SqlStatement(sql, (agent, words, agent, agent, width, *where.values, query.limit))


def search_history(agent: int, scope: Scope, query: TextQuery) -> SqlStatement:
    """The same over current and past versions; the filter lets through what was current then."""
    where = record_condition(agent, scope, query.filter)
    words = asked_terms(query.terms)
    ranked = (agent, words, agent, agent)
    columns, entry = (PLACE_COLUMNS, _ENTRY) if query.places else ("r.id", "")
    # A version that was current then is the only one of its record.
    sql = f"""
        SELECT {columns}, t.score, 0 FROM (
            SELECT false AS past, c.* FROM ({CURRENT}) c UNION ALL SELECT true, h.* FROM ({PAST}) h
        ) t JOIN {HISTORY} r ON r.ref = t.ref AND (r.superseded_at IS NOT NULL) = t.past {entry}
        WHERE {where.text} {_BY_SCORE}, r.id LIMIT %s
    """
    return SqlStatement(sql, (*ranked, *ranked, *where.values, query.limit))


def term_counts(agent: int, terms: Sequence[str], most: int) -> SqlStatement:
    """How many records hold each term, counting no further than `most`; before them the number of all records."""
    sql = """
        SELECT '', documents FROM agents WHERE id = %s
        UNION ALL SELECT w, (SELECT count(*) FROM (
            SELECT 1 FROM postings WHERE agent = %s AND term = w LIMIT %s) held) FROM unnest(%s::text[]) w
    """
    return SqlStatement(sql, (agent, agent, most, list(terms)))


def session_terms(agent: int, scope: Scope, query: SessionTermQuery) -> SqlStatement:
    """The terms of the latest records of sessions."""
    where = record_condition(agent, scope, query.filter)
    where.among("r.session", query.sessions)
    where.among("coalesce(e.origin, r.trust)", query.origins)
    sql = f"""
        SELECT r.session, r.terms FROM records r {_ENTRY}
        WHERE {where.text} AND r.terms IS NOT NULL ORDER BY r.ref DESC LIMIT %s
    """
    return SqlStatement(sql, (*where.values, query.most))


# ── vectors ──────────────────────────────────────────────────────────────────


def vector_changes(agent: int, model: str, since: int) -> list[SqlStatement]:
    """The standing of a model, what was put behind a revision, and what was removed."""
    of_model = "(SELECT id FROM models WHERE agent = %s AND name = %s)"
    standing = """
        SELECT a.vector_revision, a.vector_floor, m.dimension FROM agents a
        LEFT JOIN models m ON m.agent = a.id AND m.name = %s WHERE a.id = %s
    """
    start = "CASE WHEN %s < (SELECT vector_floor FROM agents WHERE id = %s) THEN 0 ELSE %s END"
    put = f"""
        SELECT r.id, r.kind, v.data FROM vectors v JOIN records r ON r.agent = v.agent AND r.ref = v.ref
        WHERE v.agent = %s AND v.model = {of_model} AND v.revision > {start} ORDER BY v.revision
    """
    removed = (
        f"SELECT DISTINCT record_id FROM vector_removals WHERE agent = %s AND model = {of_model} AND revision > %s"
    )
    return [
        SqlStatement(standing, (model, agent)),
        SqlStatement(put, (agent, agent, model, since, agent, since), binary=True),
        SqlStatement(removed, (agent, agent, model, since)),
    ]


def vectors(agent: int, record_ids: Sequence[str], model: str) -> SqlStatement:
    """The vectors of some records by one model."""
    sql = """
        SELECT r.id, v.data FROM records r JOIN vectors v ON v.agent = r.agent AND v.ref = r.ref
        WHERE r.agent = %s AND r.id = ANY (%s) AND v.model = (SELECT id FROM models WHERE agent = %s AND name = %s)
    """
    return SqlStatement(sql, (agent, list(record_ids), agent, model), binary=True)


VECTOR_MODELS: Final = """
SELECT name, dimension FROM models m WHERE agent = %s
    AND EXISTS (SELECT 1 FROM vectors v WHERE v.agent = m.agent AND v.model = m.id) ORDER BY name
"""
VECTOR_COUNTS: Final = """
SELECT m.name, count(*) FROM models m JOIN vectors v ON v.agent = m.agent AND v.model = m.id
WHERE m.agent = %s AND v.revision > %s GROUP BY m.name ORDER BY m.name
"""


class VectorIndex(NamedTuple):
    """An index of one model's vectors of one agent."""

    model: int
    dimension: int


_EXACT = """
    SELECT agent, ref, coalesce(nullif(1 - distance, 'NaN'), 0) AS score FROM (
        SELECT agent, ref, data <=> %b AS distance FROM vectors
        WHERE agent = %s AND model = (SELECT id FROM models WHERE agent = %s AND name = %s) OFFSET 0
    ) near ORDER BY round(coalesce(nullif(1 - distance, 'NaN'), 0) * 1e9) DESC, ref LIMIT %s
"""
# The numbers stand in the text: the index is one of the rows of just these, and so must the statement be.
_BY_INDEX = """
    SELECT agent, ref, coalesce(nullif(1 - (data::vector({dimension}) <=> %b), 'NaN'), 0) AS score FROM vectors
    WHERE agent = {agent} AND model = {model} ORDER BY data::vector({dimension}) <=> %b LIMIT %s
"""
# Looked at beside each candidate: as many as give nine of ten of the nearest in measurements of others.
EFFORT: Final = SqlStatement("SELECT set_config('hnsw.ef_search', '400', true)")


def nearest(
    agent: int, scope: Scope, search: VectorSearch, *, width: int, index: VectorIndex | None = None
) -> SqlStatement:
    """The records nearest to a vector; before the filter only so many, and the same last columns as for text.

    A vector of zeros is near to nothing. `OFFSET 0` has each distance worked out once.
    """
    where = record_condition(agent, scope, search.filter)
    columns, entry = (PLACE_COLUMNS, _ENTRY) if search.places else ("r.id", "")
    table = "records r ON r.agent = v.agent AND r.ref = v.ref"
    if search.filter.as_of is not None:  # the vectors of now, of what answered then
        table = f"records n ON n.agent = v.agent AND n.ref = v.ref JOIN {HISTORY} r ON r.id = n.id"
    best, values = _EXACT, [search.vector, agent, agent, search.model, width]
    if index is not None:
        best = _BY_INDEX.format(agent=int(agent), model=int(index.model), dimension=int(index.dimension))
        values = [search.vector, search.vector, width]
    sql = f"""
        WITH best AS MATERIALIZED ({best})
        SELECT {columns}, v.score, (SELECT count(*) FROM best) FROM best v JOIN {table} {entry}
        WHERE {where.text} {_BY_SCORE}, v.ref LIMIT %s
    """
    return SqlStatement(sql, (*values, *where.values, search.limit))
