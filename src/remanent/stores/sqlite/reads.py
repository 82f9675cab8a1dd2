"""Reading entries, records, links and the rest back: every function runs on one connection, inside one snapshot.

A filter becomes a `Condition`: text with a placeholder for every value, and the values apart. No value of a caller is
ever spliced into SQL; lists go as one JSON array, so that the number of placeholders stays the same and the engine can
use a statement again that it has prepared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import apsw
from pydantic import JsonValue

from remanent.model import Conflict, Entry, Link, MetadataCondition, Record, Scope, Tombstone, Version
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    LatestQuery,
    LinkQuery,
    Order,
    PlaceQuery,
    Reached,
    RecordFilter,
    RecordPosition,
    RecordQuery,
    Standing,
    StandingQuery,
    Tally,
    TallyQuery,
    WalkQuery,
)
from remanent.stores.sqlite import rows
from remanent.stores.sqlite.rows import ENTRY_COLUMNS, LINK_COLUMNS, RECORD_COLUMNS, dump, millis
from remanent.stores.walking import Walk


@dataclass(slots=True)
class Condition:
    """A conjunction that grows, with its bindings."""

    parts: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, part: str, *values: Any) -> None:
        """Add one more thing that must hold."""
        self.parts.append(part)
        self.values.extend(values)

    def among(self, column: str, options: Sequence[str] | None) -> None:
        """Require a column to be one of the options; `None` requires nothing."""
        if options is None:
            return
        if len(options) == 1:
            self.add(f"{column} = ?", options[0])
        else:
            self.add(f"{column} IN (SELECT value FROM json_each(?))", dump([str(option) for option in options]))

    def within(self, scope: Scope, table: str = "") -> None:
        """Require the session and task that the scope names."""
        for name, value in (("session", scope.session), ("task", scope.task)):
            if value is not None:
                self.add(f"{table}{name} = ?", value)

    @property
    def text(self) -> str:
        """The condition to put behind WHERE."""
        return " AND ".join(self.parts) if self.parts else "1"


_AMONG = "IN (SELECT value FROM json_each(?))"

# Of the records that some entries were told for: worked out once for all rows, or looked up for each of few rows.
_SOURCES = """r.id IN (
    SELECT s.record_id FROM entry_metadata m JOIN entries e ON e.seq = m.seq JOIN record_sources s ON s.entry_id = e.id
    WHERE {holds})"""
_SOURCE_OF_EACH = """EXISTS (
    SELECT 1 FROM record_sources s CROSS JOIN entries e ON e.id = s.entry_id
    CROSS JOIN entry_metadata m ON m.seq = e.seq WHERE s.record_id = r.id AND {holds})"""
_EQUALS_ONE = """m.key = ? AND m.value IN (
    SELECT CASE type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE atom END FROM json_each(?))"""
_COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _holds(condition: MetadataCondition) -> tuple[str, tuple[Any, ...]]:
    """Return the condition on `m`, the metadata of an entry, and its values, which are never put into the text."""
    if condition.comparison == "in":
        return _EQUALS_ONE, (condition.key, dump(condition.values))
    (value,) = condition.values
    # Every number lies before every text: what is of another sort is neither above nor below.
    sort = "typeof(m.value) = 'text'" if isinstance(value, str) else "typeof(m.value) IN ('integer', 'real')"
    return f"m.key = ? AND m.value {_COMPARED[condition.comparison]} ? AND {sort}", (condition.key, value)


def record_condition(scope: Scope, wanted: RecordFilter, *, by_id: bool = False) -> Condition:
    """Return the condition on columns of `r` (records, or the history of them when `as_of` is set).

    With `by_id` the rows are those of a few ids, and nothing is worked out for all records beforehand.
    """
    condition = Condition()
    condition.within(scope, "r.")
    condition.among("r.kind", wanted.kinds)
    condition.among("r.status", wanted.statuses)
    if wanted.not_sessions:
        condition.add(
            "(r.session IS NULL OR r.session NOT IN (SELECT value FROM json_each(?)))", dump(list(wanted.not_sessions))
        )
    if wanted.occurred_from is not None:
        condition.add("r.occurred_at >= ?", millis(wanted.occurred_from))
    if wanted.occurred_before is not None:
        condition.add("r.occurred_at < ?", millis(wanted.occurred_before))
    if wanted.valid_at is not None:
        moment = millis(wanted.valid_at)
        condition.add("(r.valid_from IS NULL OR r.valid_from <= ?)", moment)
        condition.add("(r.valid_to IS NULL OR r.valid_to > ?)", moment)
    if wanted.alive_at is not None:
        condition.add("(r.expires_at IS NULL OR r.expires_at > ?)", millis(wanted.alive_at))
    for tags in [*([tag] for tag in wanted.tags), *([wanted.any_tags] if wanted.any_tags else [])]:
        if wanted.as_of is None:
            condition.add(f"r.ref IN (SELECT ref FROM record_tags WHERE tag {_AMONG})", dump(tags))
        else:
            condition.add(f"EXISTS (SELECT 1 FROM json_each(r.body, '$.tags') WHERE value {_AMONG})", dump(tags))
    for one in wanted.where:
        holds, values = _holds(one)
        condition.add((_SOURCE_OF_EACH if by_id else _SOURCES).format(holds=holds), *values)
    if wanted.as_of is not None:
        moment = millis(wanted.as_of)
        condition.add("r.updated_at <= ? AND (r.superseded_at IS NULL OR r.superseded_at > ?)", moment, moment)
    return condition


def is_plain(scope: Scope, wanted: RecordFilter) -> bool:
    """Return whether nearly every indexed record passes, so that filtering after ranking is cheaper."""
    return (
        scope.session is None
        and scope.task is None
        and wanted.kinds is None
        and not wanted.tags
        and not wanted.any_tags
        and not wanted.where
        and not wanted.not_sessions
        and wanted.occurred_from is None
        and wanted.occurred_before is None
        and wanted.valid_at is None
        and wanted.as_of is None
    )


HISTORY = """(
    SELECT ref, id, kind, status, session, task, created_at, updated_at, occurred_at, valid_from, valid_to, expires_at,
           version, access_count, scan_count, crc, body, NULL AS superseded_at
    FROM records
    UNION ALL
    SELECT ref, id, kind, status, session, task, created_at, updated_at, occurred_at, valid_from, valid_to, expires_at,
           version, access_count, scan_count, crc, body, superseded_at
    FROM versions
)"""


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


def entries(connection: apsw.Connection, scope: Scope, query: EntryQuery) -> list[Entry]:
    """Return journal entries in journal order."""
    where = Condition()
    where.within(scope)
    where.add("seq > ?", query.after_seq)
    if query.before_seq is not None:
        where.add("seq < ?", query.before_seq)
    where.among("id", query.entry_ids)
    where.among("caller_id", query.caller_ids)
    if query.source_of is not None:
        where.add(
            "id IN (SELECT entry_id FROM record_sources WHERE record_id IN (SELECT value FROM json_each(?)))",
            dump(list(query.source_of)),
        )
    where.among("kind", query.kinds)
    if query.occurred_from is not None:
        where.add("occurred_at >= ?", millis(query.occurred_from))
    if query.occurred_before is not None:
        where.add("occurred_at < ?", millis(query.occurred_before))
    tagged = [*([tag] for tag in query.tags), *([query.any_tags] if query.any_tags else [])]
    for one in (*query.where, *(MetadataCondition(rows.TAGS, "in", tuple(tags)) for tags in tagged)):
        holds, values = _holds(one)
        where.add(f"seq IN (SELECT m.seq FROM entry_metadata m WHERE {holds})", *values)
    direction = "DESC" if query.newest_first else "ASC"
    sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE {where.text} ORDER BY seq {direction} LIMIT ?"
    return [rows.entry_of(scope, row) for row in connection.execute(sql, (*where.values, query.limit))]


_COMMON = 2_000
"""Records of some kinds from which on the newest are found by walking all records backwards: one in fifty of a hundred
thousand, so that a page of fifty is found among some thousands; sorting all of them takes longer. Chosen by hand."""


def _is_common(connection: apsw.Connection, query: RecordQuery) -> bool:
    """Tell whether a page of records is better looked for in their own order than by the index of kinds.

    The engine would take every record of the kinds and sort them, however few are wanted.
    """
    if query.order not in {Order.FIRST_CREATED, Order.LAST_CREATED} or query.limit > _COMMON:
        return False
    if query.record_ids is not None or query.source_entry_ids is not None or not query.filter.kinds:
        return False
    where = Condition()
    where.among("kind", query.filter.kinds)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM records WHERE {where.text} LIMIT ?)"
    return bool(connection.execute(sql, (*where.values, _COMMON)).get == _COMMON)


def tally(connection: apsw.Connection, query: TallyQuery) -> list[Tally]:
    """Count records by kind and status, with the flags of their data."""
    where = Condition()
    where.among("kind", query.kinds)
    flags = "".join(", sum(ifnull(json_extract(body, ?), 0) NOT IN (0, '', '[]', '{}'))" for _ in query.flags)
    sql = f"""
        SELECT kind, status, count(*), sum(json_extract(body, '$.confidence')){flags}
        FROM records WHERE {where.text} GROUP BY kind, status
    """
    values = (*(f"$.data.{flag}" for flag in query.flags), *where.values)
    return [rows.tally_of(query.flags, row) for row in connection.execute(sql, values)]


def records(connection: apsw.Connection, scope: Scope, query: RecordQuery) -> list[Record]:
    """Return records, current or as they once stood."""
    where = record_condition(scope, query.filter)
    where.among("r.id", query.record_ids)
    if query.source_entry_ids is not None:
        where.add(
            "r.id IN (SELECT record_id FROM record_sources WHERE entry_id IN (SELECT value FROM json_each(?)))",
            rows.dump(query.source_entry_ids),
        )
    past = query.filter.as_of is not None
    if query.after_id is not None:
        _continue_behind(where, query, past=past)
    if not past and is_plain(scope, replace(query.filter, kinds=None)) and _is_common(connection, query):
        where.parts = [part.replace("r.kind ", "+r.kind ") for part in where.parts]  # not by the index of kinds
    order = (_AS_OF_ORDERS if past else _ORDERS)[query.order]
    columns = ", ".join(f"r.{name}" for name in RECORD_COLUMNS.split(", "))
    sql = f"SELECT {columns} FROM {record_table(query.filter)} r WHERE {where.text} ORDER BY {order} LIMIT ?"
    return [rows.record_of(scope, row) for row in connection.execute(sql, (*where.values, query.limit))]


def _continue_behind(where: Condition, query: RecordQuery, *, past: bool) -> None:
    """Add where the page before has ended, by the same order in which records are listed."""
    comparison = "<" if query.order is Order.LAST_CREATED else ">"
    if past:
        place = "(SELECT created_at, id FROM records WHERE id = ?)"
        where.add(f"(r.created_at, r.id) {comparison} {place}", query.after_id)
    else:
        where.add(f"r.ref {comparison} (SELECT ref FROM records WHERE id = ?)", query.after_id)


def unembedded(connection: apsw.Connection, scope: Scope, limit: int) -> list[Record]:
    """Return records whose content has no vector yet, oldest first."""
    columns = ", ".join(f"r.{name}" for name in RECORD_COLUMNS.split(", "))
    sql = f"""
        SELECT {columns} FROM unembedded u JOIN records r ON r.ref = u.ref
        WHERE r.status != 'forgotten' ORDER BY u.ref LIMIT ?
    """
    return [rows.record_of(scope, row) for row in connection.execute(sql, (limit,))]


def match(
    connection: apsw.Connection, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter
) -> list[str]:
    """Return those of the ids that pass, in the given order."""
    where = record_condition(scope, record_filter, by_id=True)
    sql = f"""
        SELECT json_group_array(r.id) FROM json_each(?) w
        CROSS JOIN {record_table(record_filter)} r ON r.id = w.value WHERE {where.text}
    """
    passing = set(rows.parse(connection.execute(sql, (rows.dump(list(record_ids)), *where.values)).get))
    return [record_id for record_id in record_ids if record_id in passing]


PLACE_COLUMNS = """
    r.id, r.kind, r.session, r.occurred_at, ifnull(e.recorded_at, r.created_at) AS recorded_at,
    coalesce(e.origin, json_extract(r.body, '$.trust')) AS origin,
    ifnull(e.seq, 0) AS seq, ifnull(e.role, '') AS role
"""
"""What a place without neighbours is made of; `e` is the entry of the same id, if there is one."""
PLACE_NAMES = "id, kind, session, occurred_at, recorded_at, origin, seq, role"


def fetch_together(connection: apsw.Connection, columns: str, sql: str, values: Sequence[Any]) -> list[rows.Row]:
    """Return all rows of a query that selects columns of these names.

    The engine hands them over at once: going to it and back for each of hundreds takes longer than finding them, and
    holds up every other thread.
    """
    grouped = f"SELECT json_group_array(json_array({columns})) FROM ({sql})"
    return rows.parse(connection.execute(grouped, values).get)  # type: ignore[no-any-return]


# The first of each pair goes by the index of sessions, the second by the journal itself.
_NEIGHBOURS = """
    CASE WHEN e.session IS NOT NULL
        THEN (SELECT o.id FROM entries o WHERE o.session = e.session AND o.seq < e.seq ORDER BY o.seq DESC LIMIT 1)
        ELSE (SELECT o.id FROM entries o WHERE o.seq = e.seq - 1 AND o.session IS NULL) END,
    CASE WHEN e.session IS NOT NULL
        THEN (SELECT o.id FROM entries o WHERE o.session = e.session AND o.seq > e.seq ORDER BY o.seq LIMIT 1)
        ELSE (SELECT o.id FROM entries o WHERE o.seq = e.seq + 1 AND o.session IS NULL) END
"""


def places(connection: apsw.Connection, scope: Scope, query: PlaceQuery) -> list[RecordPosition]:
    """Return where records stand, and their neighbours up to a distance."""
    record_ids, record_filter, reach = query.record_ids, query.filter, query.reach
    if not (reach or query.neighbours):
        return _lone_places(connection, scope, record_ids, record_filter)
    found: dict[str, RecordPosition] = {}
    asked: set[str] = set()
    wanted = dict.fromkeys(record_ids)
    for distance in range(reach + 1):
        near = _places(connection, scope, list(wanted), record_filter)
        asked |= wanted.keys()
        found |= near
        if distance == reach:
            break
        around = (neighbour for place in near.values() for neighbour in (place.before_id, place.after_id))
        wanted = dict.fromkeys(one for one in around if one is not None and one not in asked)
    return list(found.values())


def _places(
    connection: apsw.Connection, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter
) -> dict[str, RecordPosition]:
    """Return records with their neighbours, which are found by an index each, by id."""
    where = record_condition(scope, record_filter, by_id=True)
    sql = f"""
        SELECT {PLACE_COLUMNS}, {_NEIGHBOURS} FROM json_each(?) w
        JOIN {record_table(record_filter)} r ON r.id = w.value
        LEFT JOIN entries e ON e.id = r.id WHERE {where.text} ORDER BY w.key
    """
    found = connection.execute(sql, (rows.dump(list(record_ids)), *where.values))
    return {row[0]: rows.place_of(row) for row in found}


def _lone_places(
    connection: apsw.Connection, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter
) -> list[RecordPosition]:
    """Return where records stand, without who their neighbours are."""
    where = record_condition(scope, record_filter, by_id=True)
    sql = f"""
        SELECT {PLACE_COLUMNS} FROM json_each(?) w
        JOIN {record_table(record_filter)} r ON r.id = w.value
        LEFT JOIN entries e ON e.id = r.id WHERE {where.text}
    """
    found = fetch_together(connection, PLACE_NAMES, sql, (rows.dump(list(record_ids)), *where.values))
    places = {row[0]: rows.place_of(row) for row in found}
    return [places[record_id] for record_id in dict.fromkeys(record_ids) if record_id in places]


def latest(connection: apsw.Connection, scope: Scope, query: LatestQuery) -> list[RecordPosition]:
    """Return where the records stand that happened last."""
    where = record_condition(scope, query.filter)
    order = (_ORDERS if query.filter.as_of is None else _AS_OF_ORDERS)[Order.LAST_OCCURRED]
    sql = f"""
        SELECT {PLACE_COLUMNS} FROM {record_table(query.filter)} r
        LEFT JOIN entries e ON e.id = r.id WHERE {where.text} ORDER BY {order} LIMIT ?
    """
    return [rows.place_of(row) for row in fetch_together(connection, PLACE_NAMES, sql, (*where.values, query.limit))]


def walk(connection: apsw.Connection, scope: Scope, query: WalkQuery) -> list[Reached]:
    """Return what links lead to."""
    walked = Walk(query.record_ids, hops=query.hops, width=query.width)
    while walked.border:
        leaving = links(connection, LinkQuery(from_ids=walked.border, min_strength=query.min_strength))
        arriving = links(connection, LinkQuery(to_ids=walked.border, min_strength=query.min_strength))
        walked.follow(leaving + arriving)
    reached = walked.reached
    if not reached:
        return []
    found = [
        Reached(place, *reached[place.record_id])
        for place in _lone_places(connection, scope, list(reached), query.filter)
    ]
    return sorted(found, key=lambda one: (-one.strength, one.place.record_id))[: query.limit]


_GRAPH = "graph:"
"""What the counter of a kind's graph begins with."""


def standing(connection: apsw.Connection, query: StandingQuery) -> Standing:
    """Return all counters, and the named values that are asked for."""
    counters = dict(connection.execute("SELECT name, value FROM counters"))
    states: dict[str, JsonValue] = {}
    if query.states:
        sql = "SELECT key, value FROM states WHERE key IN (SELECT value FROM json_each(?))"
        states = {key: rows.parse(value) for key, value in connection.execute(sql, (dump(list(query.states)),))}
    return Standing(
        revision=counters.get("revision", 0),
        vector_revision=counters.get("vector_revision", 0),
        graphs={name.removeprefix(_GRAPH): value for name, value in counters.items() if name.startswith(_GRAPH)},
        states=states,
    )


def versions(connection: apsw.Connection, scope: Scope, record_id: str) -> list[Version]:
    """Return all versions of a record, the current one last."""
    where = Condition()
    where.within(scope)
    where.add("id = ?", record_id)
    past = f"SELECT {RECORD_COLUMNS}, superseded_at FROM versions WHERE {where.text} ORDER BY version"
    current = f"SELECT {RECORD_COLUMNS}, NULL FROM records WHERE {where.text}"
    return [rows.version_of(scope, row) for sql in (past, current) for row in connection.execute(sql, where.values)]


def past_versions(
    connection: apsw.Connection, scope: Scope, after: tuple[str, int] | None, limit: int
) -> list[Version]:
    """Return superseded versions of all records, by record and number."""
    where = Condition()
    where.within(scope)
    if after is not None:
        where.add("(id, version) > (?, ?)", *after)
    sql = f"SELECT {RECORD_COLUMNS}, superseded_at FROM versions WHERE {where.text} ORDER BY id, version LIMIT ?"
    return [rows.version_of(scope, row) for row in connection.execute(sql, (*where.values, limit))]


def links(connection: apsw.Connection, query: LinkQuery) -> list[Link]:
    """Return links by ends and relation."""
    where = Condition()
    where.among("from_id", query.from_ids)
    where.among("to_id", query.to_ids)
    where.among("relation", query.relations)
    if query.min_strength > 0:
        where.add("strength >= ?", query.min_strength)
    limit = -1 if query.limit is None else query.limit
    sql = f"SELECT {LINK_COLUMNS} FROM links WHERE {where.text} ORDER BY from_id, to_id, relation LIMIT ?"
    return [rows.link_of(row) for row in connection.execute(sql, (*where.values, limit))]


def conflicts(connection: apsw.Connection, scope: Scope, query: ConflictQuery) -> list[Conflict]:
    """Return conflicts, oldest first."""
    where = Condition()
    where.within(scope)
    where.among("id", query.conflict_ids)
    where.among("state", query.states)
    if query.record_id is not None:
        where.add("id IN (SELECT conflict_id FROM conflict_records WHERE record_id = ?)", query.record_id)
    sql = f"SELECT session, task, body FROM conflicts WHERE {where.text} ORDER BY ref LIMIT ?"
    return [rows.conflict_of(scope, row) for row in connection.execute(sql, (*where.values, query.limit))]


def tombstones(connection: apsw.Connection, scope: Scope, record_ids: Sequence[str] | None) -> list[Tombstone]:
    """Return tombstones by record."""
    where = Condition()
    where.within(scope)
    where.among("record_id", record_ids)
    sql = f"SELECT session, task, body FROM tombstones WHERE {where.text} ORDER BY record_id"
    return [rows.tombstone_of(scope, row) for row in connection.execute(sql, where.values)]


def states(connection: apsw.Connection, prefix: str = "") -> dict[str, JsonValue]:
    """Return the named values whose key begins with a prefix."""
    # No key goes on with the last character there is, so that this bound leaves out none that begins with the prefix.
    sql = "SELECT key, value FROM states WHERE key >= ?1 AND (?1 = '' OR key < ?1 || char(0x10FFFF)) ORDER BY key"
    return {key: rows.parse(value) for key, value in connection.execute(sql, (prefix,))}


def state(connection: apsw.Connection, key: str) -> JsonValue:
    """Return one named value."""
    value = connection.execute("SELECT value FROM states WHERE key = ?", (key,)).get
    return None if value is None else rows.parse(value)
