"""Reading from one agent's file: how SQLite says what all statements have in common, and what only it is asked.

Every function runs on one connection, inside one snapshot. Lists go as JSON.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw
from pydantic import JsonValue

from remanent.model import Kind, MetadataCondition, Record, Scope
from remanent.stores import rows, statements
from remanent.stores.answers import Answer, Rows, answer_in_turn
from remanent.stores.queries import (
    LatestQuery,
    Order,
    RecordPosition,
    RecordQuery,
    Standing,
    StandingQuery,
    Tally,
    TallyQuery,
    UnembeddedQuery,
)
from remanent.stores.rows import dump
from remanent.stores.statements import OF_RECORD, Dialect, SqlDraft, SqlStatement, is_plain

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
        return dump([str(option) for option in options])

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


def records(connection: apsw.Connection, scope: Scope, query: RecordQuery) -> list[Record]:
    """Return records, current or as they once stood."""
    statement = statements.records(DIALECT, scope, query)
    by_creation = query.order in {Order.FIRST_CREATED, Order.LAST_CREATED}
    is_named = query.record_ids is not None or query.source_entry_ids is not None
    if by_creation and not is_named and is_plain(scope, replace(query.filter, kinds=None)):
        statement = _in_order(connection, statement, query.filter.kinds, limit=query.limit)
    return [rows.record_of(scope, row) for row in fetch(connection, statement)]


def latest(connection: apsw.Connection, scope: Scope, query: LatestQuery) -> list[RecordPosition]:
    """Return where the records stand that happened last."""
    statement = statements.latest(DIALECT, scope, query)
    # Whose they are is looked up for each: few are looked at from the end of time, all by the index of kinds.
    if is_plain(scope, replace(query.filter, kinds=None, where=(), occurred_from=None, occurred_before=None)):
        statement = _in_order(connection, statement, query.filter.kinds, limit=query.limit)
    return [rows.place_of(row) for row in fetch(connection, statement)]


def tally(connection: apsw.Connection, _: Scope, query: TallyQuery) -> list[Tally]:
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


def unembedded(connection: apsw.Connection, scope: Scope, query: UnembeddedQuery) -> list[Record]:
    """Return records whose content has no vector yet, oldest first."""
    sql = f"""
        SELECT {OF_RECORD} FROM unembedded u JOIN records r ON r.ref = u.ref
        WHERE r.status != 'forgotten' ORDER BY u.ref LIMIT ?
    """
    return [rows.record_of(scope.owner, row) for row in connection.execute(sql, (query.limit,))]


_GRAPH = "graph:"
"""What the counter of a kind's graph begins with."""


def standing(connection: apsw.Connection, _: Scope, query: StandingQuery) -> Standing:
    """Return all counters, and the named values that are asked for."""
    counters = dict(connection.execute("SELECT name, value FROM counters"))
    states: dict[str, JsonValue] = {}
    if query.states:
        named = fetch(connection, statements.named_states(DIALECT, query.states))
        states = {key: rows.parse(value) for key, value in named}
    return Standing(
        revision=counters.get("revision", 0),
        vector_revision=counters.get("vector_revision", 0),
        graphs={name.removeprefix(_GRAPH): value for name, value in counters.items() if name.startswith(_GRAPH)},
        states=states,
    )
