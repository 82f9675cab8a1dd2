"""Questions as SQL, put together once for every engine; what an engine says in its own way is its `Dialect`.

No value of a caller is ever spliced into a statement: each is bound, and lists go as one value, so that the number of
placeholders stays the same and an engine can use a statement again that it has prepared.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, ClassVar, Final

from remanent.lightweight import dataclass
from remanent.model import MetadataCondition, Scope
from remanent.stores import queries as q
from remanent.stores.queries import Order, RecordFilter
from remanent.stores.rows import ENTRY_COLUMNS, JOB_COLUMNS, LINK_COLUMNS, RECORD_COLUMNS, TAGS, millis

MAX_TERMS: Final = 64
"""More terms than this say nothing new and cost time; chosen by hand, some four sentences."""
TO_SPARE: Final = 8
"""How many more than wanted are ranked first, because some may not pass the filter; chosen by hand."""


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """One statement with its values."""

    sql: str
    values: Any = ()
    columns: str = ""
    """The names of its columns, where there are so many rows that an engine may hand them over together."""
    binary: bool = False
    """Whether vectors come back."""
    prepared: bool = True
    """Whether a plan may be kept for it; one of when an agent had ten records may take seconds for a thousand."""


class Dialect(ABC):
    """What one engine says in its own words, about one agent."""

    listed: ClassVar[str]
    """From where the ids of a list come as `w.value`, up to the word that joins what they are looked up in."""
    trust: ClassVar[str]
    """How far a record is trusted."""
    more_columns: ClassVar[str] = ""
    """Columns of records that only this engine has and that a filter needs, each after a comma."""
    with_terms: ClassVar[tuple[str, str]]
    """The records `r` together with what they are found by, and the column of that."""
    quotes_record: ClassVar[str]
    """That a conflict quotes a record."""

    @abstractmethod
    def placeholder(self, number: int) -> str:
        """Return where the value of a number, from 1, stands."""

    @abstractmethod
    def array(self, options: Sequence[str]) -> Any:
        """Return a list as one value."""

    @abstractmethod
    def any_of(self, where: "SqlDraft", column: str, options: Sequence[str]) -> str:
        """Return that a column is one of the options."""

    @abstractmethod
    def past_tags(self, where: "SqlDraft", tags: Sequence[str]) -> str:
        """Return that a record of the history has one of the tags."""

    @abstractmethod
    def entry_holds(self, where: "SqlDraft", condition: MetadataCondition) -> str:
        """Return that a condition holds for the metadata of an entry `e`."""

    @abstractmethod
    def source_holds(self, where: "SqlDraft", condition: MetadataCondition, *, by_id: bool) -> str:
        """Return that a condition holds for the metadata of an entry that the record `r` came from."""

    def own(self, table: str = "") -> str:
        """Return that a row is the agent's, up to the word before the next condition; a file has no other rows."""
        return ""

    def bound(self, values: Sequence[Any]) -> Any:
        """Return the values of a statement as the engine takes them."""
        return values


@dataclass(slots=True)
class SqlDraft:
    """A statement in the making: what must hold for rows of one table, and the values that are bound so far."""

    dialect: Dialect
    table: str = ""
    """Its alias with a dot, where it has one."""
    parts: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def bind(self, value: Any) -> str:
        """Return where a value stands."""
        self.values.append(value)
        return self.dialect.placeholder(len(self.values))

    def bind_all(self, options: Sequence[str]) -> str:
        """Return where a list stands."""
        return self.bind(self.dialect.array(options))

    def add(self, part: str, *values: Any) -> None:
        """Add one more thing that must hold; each `{}` is one of the values."""
        self.parts.append(part.format(*map(self.bind, values)))

    def any_of(self, column: str, options: Sequence[str]) -> str:
        """Return that a column is one of the options."""
        return self.dialect.any_of(self, column, options)

    def among(self, column: str, options: Sequence[str] | None) -> None:
        """Require a column to be one of the options; `None` requires nothing."""
        if options is not None:
            self.parts.append(self.any_of(f"{self.table}{column}", options))

    def within(self, scope: Scope) -> None:
        """Require the session and task that the scope names."""
        for name, value in (("session", scope.session), ("task", scope.task)):
            if value is not None:
                self.add(f"{self.table}{name} = {{}}", value)

    def happened(self, start: datetime | None, end: datetime | None) -> None:
        """Require a moment from the one on and before the other."""
        for sign, moment in ((">=", start), ("<", end)):
            if moment is not None:
                self.add(f"{self.table}occurred_at {sign} {{}}", millis(moment))

    def related(self, column: str, found: str, by: str, options: Sequence[str] | None) -> None:
        """Require a row to have come from one of these entries, or to be where one of these records came from."""
        if options is not None:
            source = f"SELECT {found} FROM record_sources WHERE {self.dialect.own()}{self.any_of(by, options)}"
            self.parts.append(f"{self.table}{column} IN ({source})")

    @property
    def where(self) -> str:
        """The condition to put behind WHERE."""
        return self.dialect.own(self.table) + (" AND ".join(self.parts) or "TRUE")

    def statement(self, sql: str, *, columns: str = "") -> SqlStatement:
        """Return the statement, with what was bound."""
        return SqlStatement(sql, self.dialect.bound(self.values), columns)

    def listing(self, what: str, order: str, limit: int | None = None) -> SqlStatement:
        """Return the statement for columns of a table, the rows that hold in their order."""
        end = "" if limit is None else f" LIMIT {self.bind(limit)}"
        return self.statement(f"SELECT {what} WHERE {self.where} ORDER BY {order}{end}")


def record_draft(dialect: Dialect, scope: Scope, wanted: RecordFilter, *, by_id: bool = False) -> SqlDraft:
    """Return what must hold for `r` (records, or the history of them when `as_of` is set).

    With `by_id` the rows are those of a few ids, and nothing is worked out for all records beforehand.
    """
    draft = SqlDraft(dialect, "r.")
    draft.within(scope)
    draft.among("kind", wanted.kinds)
    draft.among("status", wanted.statuses)
    if wanted.not_sessions:
        draft.parts.append(f"(r.session IS NULL OR NOT {draft.any_of('r.session', wanted.not_sessions)})")
    draft.happened(wanted.occurred_from, wanted.occurred_before)
    if wanted.valid_at is not None:
        moment = millis(wanted.valid_at)
        draft.add("(r.valid_from IS NULL OR r.valid_from <= {})", moment)
        draft.add("(r.valid_to IS NULL OR r.valid_to > {})", moment)
    if wanted.alive_at is not None:
        draft.add("(r.expires_at IS NULL OR r.expires_at > {})", millis(wanted.alive_at))
    for tags in _alternatives(wanted.tags, wanted.any_tags):
        if wanted.as_of is None:
            tagged = f"SELECT ref FROM record_tags WHERE {dialect.own()}{draft.any_of('tag', tags)}"
            draft.parts.append(f"r.ref IN ({tagged})")
        else:
            draft.parts.append(dialect.past_tags(draft, tags))
    draft.parts += [dialect.source_holds(draft, one, by_id=by_id) for one in wanted.where]
    if wanted.as_of is not None:
        moment = millis(wanted.as_of)
        draft.add("r.updated_at <= {} AND (r.superseded_at IS NULL OR r.superseded_at > {})", moment, moment)
    return draft


def _alternatives(all_of: Sequence[str], any_of: Sequence[str]) -> list[Sequence[str]]:
    """Return lists of tags of each of which a row must have one."""
    return [*([tag] for tag in all_of), *([any_of] if any_of else [])]


def is_plain(scope: Scope, wanted: RecordFilter) -> bool:
    """Return whether nearly every indexed record passes, so that filtering after ranking is cheaper."""
    if wanted.tags or wanted.any_tags or wanted.where or wanted.not_sessions:
        return False
    bounds = (wanted.kinds, wanted.occurred_from, wanted.occurred_before, wanted.valid_at, wanted.as_of)
    return (scope.session, scope.task, *bounds) == (None,) * 7


_OF_HISTORY = (
    "ref, id, kind, status, session, task, created_at, updated_at, occurred_at, valid_from, valid_to, expires_at, "
    "version, access_count, scan_count, crc, body"
)


def record_table(dialect: Dialect, wanted: RecordFilter) -> str:
    """Return what to select records from: the current ones, or all versions when `as_of` is set."""
    if wanted.as_of is None:
        return "records"
    columns = f"{_OF_HISTORY}{dialect.more_columns}"
    return f"""(
        SELECT {columns}, CAST(NULL AS bigint) AS superseded_at FROM records
        UNION ALL SELECT {columns}, superseded_at FROM versions)"""


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


def entries(dialect: Dialect, scope: Scope, query: q.EntryQuery) -> SqlStatement:
    """Journal entries in journal order."""
    draft = SqlDraft(dialect, "e.")
    draft.within(scope)
    draft.add("e.seq > {}", query.after_seq)
    if query.before_seq is not None:
        draft.add("e.seq < {}", query.before_seq)
    draft.among("id", query.entry_ids)
    draft.among("caller_id", query.caller_ids)
    draft.related("id", "entry_id", "record_id", query.source_of)
    draft.among("kind", query.kinds)
    draft.happened(query.occurred_from, query.occurred_before)
    tagged = (MetadataCondition(TAGS, "in", tuple(tags)) for tags in _alternatives(query.tags, query.any_tags))
    draft.parts += [dialect.entry_holds(draft, one) for one in (*query.where, *tagged)]
    direction = "DESC" if query.newest_first else "ASC"
    return draft.listing(f"{ENTRY_COLUMNS} FROM entries e", f"e.seq {direction}", query.limit)


OF_RECORD: Final = ", ".join(f"r.{name}" for name in RECORD_COLUMNS.split(", "))


def records(dialect: Dialect, scope: Scope, query: q.RecordQuery) -> SqlStatement:
    """Records, current or as they once stood."""
    draft = record_draft(dialect, scope, query.filter)
    draft.among("id", query.record_ids)
    draft.related("id", "record_id", "entry_id", query.source_entry_ids)
    past = query.filter.as_of is not None
    if query.after_id is not None:  # where the page before has ended, by the same order
        comparison = "<" if query.order is Order.LAST_CREATED else ">"
        place, of_place = ("(r.created_at, r.id)", "created_at, id") if past else ("r.ref", "ref")
        last = f"SELECT {of_place} FROM records WHERE {dialect.own()}id = {{}}"
        draft.add(f"{place} {comparison} ({last})", query.after_id)
    order = (_AS_OF_ORDERS if past else _ORDERS)[query.order]
    return draft.listing(f"{OF_RECORD} FROM {record_table(dialect, query.filter)} r", order, query.limit)


def match(dialect: Dialect, scope: Scope, query: q.MatchQuery) -> SqlStatement:
    """Return the statement for those of some ids whose records pass a filter."""
    draft = record_draft(dialect, scope, query.filter, by_id=True)
    listed = dialect.listed.format(draft.bind_all(query.record_ids))
    table = record_table(dialect, query.filter)
    return draft.statement(f"SELECT r.id FROM {listed} {table} r ON r.id = w.value WHERE {draft.where}", columns="id")


PLACE_NAMES: Final = "id, kind, session, occurred_at, recorded_at, origin, seq, role"


def place_columns(dialect: Dialect) -> str:
    """Return what a place without neighbours is made of; `e` is the entry of the same id, if there is one."""
    return f"""
        r.id, r.kind, r.session, r.occurred_at, coalesce(e.recorded_at, r.created_at) AS recorded_at,
        coalesce(e.origin, {dialect.trust}) AS origin, coalesce(e.seq, 0) AS seq, coalesce(e.role, '') AS role"""


def with_entry(dialect: Dialect) -> str:
    """Return what joins to a record `r` the entry `e` of the same id."""
    return f"LEFT JOIN entries e ON {dialect.own('e.')}e.id = r.id"


def _neighbour(dialect: Dialect, comparison: str, step: str, order: str) -> str:
    """Return the entry beside `e`, in its session by the index of sessions, else by the journal itself."""
    beside = f"SELECT o.id FROM entries o WHERE {dialect.own('o.')}"
    return f""",
        CASE WHEN e.session IS NOT NULL
            THEN ({beside}o.session = e.session AND o.seq {comparison} e.seq ORDER BY o.seq {order} LIMIT 1)
            ELSE ({beside}o.seq = e.seq {step} AND o.session IS NULL) END"""


def places(
    dialect: Dialect, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter, *, neighbours: bool = False
) -> SqlStatement:
    """Where records stand, and who their neighbours are, in any order."""
    draft = record_draft(dialect, scope, record_filter, by_id=True)
    around, names = "", PLACE_NAMES
    if neighbours:
        around, names = _neighbour(dialect, "<", "- 1", "DESC") + _neighbour(dialect, ">", "+ 1", "ASC"), ""
    listed = dialect.listed.format(draft.bind_all(record_ids))
    sql = f"""
        SELECT {place_columns(dialect)}{around} FROM {listed} {record_table(dialect, record_filter)} r
        ON r.id = w.value {with_entry(dialect)} WHERE {draft.where}"""
    return draft.statement(sql, columns=names)


def latest(dialect: Dialect, scope: Scope, query: q.LatestQuery) -> SqlStatement:
    """Where the records stand that happened last."""
    draft = record_draft(dialect, scope, query.filter)
    order = (_ORDERS if query.filter.as_of is None else _AS_OF_ORDERS)[Order.LAST_OCCURRED]
    sql = f"""
        SELECT {place_columns(dialect)} FROM {record_table(dialect, query.filter)} r {with_entry(dialect)}
        WHERE {draft.where} ORDER BY {order} LIMIT {draft.bind(query.limit)}"""
    return draft.statement(sql, columns=PLACE_NAMES)


def versions(dialect: Dialect, scope: Scope, query: q.VersionQuery) -> list[SqlStatement]:
    """The past versions of a record, and the current one."""
    draft = SqlDraft(dialect)
    draft.within(scope)
    draft.add("id = {}", query.record_id)
    return [
        draft.listing(f"{RECORD_COLUMNS}, {superseded} FROM {table}", "version")
        for superseded, table in (("superseded_at", "versions"), ("NULL", "records"))
    ]


def past_versions(dialect: Dialect, scope: Scope, query: q.PastVersionQuery) -> SqlStatement:
    """Superseded versions of all records, by record and number."""
    draft = SqlDraft(dialect)
    draft.within(scope)
    if query.after is not None:
        draft.add("(id, version) > ({}, {})", *query.after)
    return draft.listing(f"{RECORD_COLUMNS}, superseded_at FROM versions", "id, version", query.limit)


def links(dialect: Dialect, _: Scope, query: q.LinkQuery) -> SqlStatement:
    """Links by ends and relation."""
    draft = SqlDraft(dialect)
    draft.among("from_id", query.from_ids)
    draft.among("to_id", query.to_ids)
    draft.among("relation", query.relations)
    if query.min_strength > 0:
        draft.add("strength >= {}", query.min_strength)
    return draft.listing(f"{LINK_COLUMNS} FROM links", "from_id, to_id, relation", query.limit)


def conflicts(dialect: Dialect, scope: Scope, query: q.ConflictQuery) -> SqlStatement:
    """Conflicts, oldest first."""
    draft = SqlDraft(dialect)
    draft.within(scope)
    draft.among("id", query.conflict_ids)
    draft.among("state", query.states)
    if query.record_id is not None:
        draft.add(dialect.quotes_record, query.record_id)
    return draft.listing("session, task, body FROM conflicts", "ref", query.limit)


def tombstones(dialect: Dialect, scope: Scope, query: q.TombstoneQuery) -> SqlStatement:
    """Tombstones by record."""
    draft = SqlDraft(dialect)
    draft.within(scope)
    draft.among("record_id", query.record_ids)
    return draft.listing("session, task, body FROM tombstones", "record_id")


def states(dialect: Dialect, _: Scope, query: q.StatesQuery) -> SqlStatement:
    """Named values whose key begins with a prefix."""
    draft = SqlDraft(dialect)
    if query.prefix:
        # No key goes on with the last character there is, so that this bound leaves out none that has the prefix.
        draft.add("key >= {} AND key < {}", query.prefix, f"{query.prefix}\U0010ffff")
    return draft.listing("key, value FROM states", "key")


def named_states(dialect: Dialect, keys: Sequence[str]) -> SqlStatement:
    """Named values of these keys."""
    draft = SqlDraft(dialect)
    draft.among("key", keys)
    return draft.listing("key, value FROM states", "key")


def jobs(dialect: Dialect, _: Scope, query: q.JobQuery) -> SqlStatement:
    """Jobs in queue order."""
    draft = SqlDraft(dialect)
    draft.among("state", query.states)
    draft.among("lane", query.lanes)
    return draft.listing(f"{JOB_COLUMNS} FROM jobs", "seq", query.limit)


IN_USE: Final = "this agent already has memories; import into a new agent, or erase everything first"


def in_use(dialect: Dialect) -> SqlStatement:
    """Whether an agent has anything, so that nothing can be imported into it."""
    tables = ("entries", "records", "versions", "tombstones", "links", "conflicts", "states", "jobs")
    any_row = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {dialect.own()}TRUE)" for table in tables)
    return SqlStatement(f"SELECT {any_row}", dialect.bound(()))


def session_terms(dialect: Dialect, scope: Scope, query: q.SessionTermQuery) -> SqlStatement:
    """The terms of the latest records of sessions."""
    draft = record_draft(dialect, scope, query.filter)
    draft.among("session", query.sessions)
    if query.origins is not None:
        draft.parts.append(draft.any_of(f"coalesce(e.origin, {dialect.trust})", query.origins))
    table, terms = dialect.with_terms
    draft.parts.append(f"{terms} IS NOT NULL")
    return draft.listing(f"r.session, {terms} FROM {table} {with_entry(dialect)}", "r.ref DESC", query.most)
