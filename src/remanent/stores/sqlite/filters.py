"""A record filter as an SQL condition; every value is bound, none is spliced in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from remanent.model import Scope
from remanent.stores.queries import RecordFilter
from remanent.stores.sqlite.rows import dump, millis


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


def record_condition(scope: Scope, wanted: RecordFilter) -> Condition:
    """Return the condition on columns of `r` (records, or the history of them when `as_of` is set)."""
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
    for tag in wanted.tags:
        if wanted.as_of is None:
            condition.add("r.ref IN (SELECT ref FROM record_tags WHERE tag = ?)", tag)
        else:
            condition.add("EXISTS (SELECT 1 FROM json_each(r.body, '$.tags') WHERE value = ?)", tag)
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
