"""From the model's objects to rows and back; whose memory it is comes from the file's place, never from a row.

What is filtered or sorted by has a column; the rest of a record is one JSON body under a checksum. Our own rows are
trusted to be valid (`checked`), not to be undamaged: every text is compared with its checksum when it is read.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, LiteralString
from zlib import crc32

from pydantic_core import from_json

from remanent.errors import IntegrityError, InvalidInput
from remanent.model import (
    Attachment,
    Conflict,
    Entry,
    EntryKind,
    Job,
    JobState,
    Kind,
    Link,
    Maker,
    Origin,
    Record,
    Scope,
    Source,
    Status,
    Tombstone,
    TurnData,
    Version,
    from_millis,
    to_millis,
)
from remanent.model.clock import Instant
from remanent.model.filters import RESERVED
from remanent.stores.queries import RecordPosition, Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TAGS = f"{RESERVED}tags"
"""The key under which tags stand among an entry's metadata, where they are found by the same index."""

Row = Sequence[Any]

ENTRY_COLUMNS = (
    "seq, id, caller_id, session, task, kind, role, text, occurred_at, recorded_at, metadata, attachments, "
    "origin, erased, crc"
)
USER_OF_ENTRY: LiteralString = (
    "ifnull(CASE WHEN json_valid(metadata) THEN CAST(metadata ->> 'user_id' AS TEXT) END, '')"
)
"""Whose an entry is, as `user_in` tells it."""
RECORD_COLUMNS = "session, task, access_count, scan_count, crc, body"
JOB_COLUMNS = (
    "seq, id, session, task, kind, lane, key, payload, state, attempts, max_attempts, enqueued_at, not_before, worker, "
    "fence, lease_until, error"
)
RECORD_FIELDS = (
    "id, kind, status, session, task, created_at, updated_at, occurred_at, valid_from, valid_to, expires_at, version, "
    "access_count, scan_count, body, crc"
)
"""What is written of a record, be it current or a version."""
_TOMBSTONE_COLUMNS = "record_id, session, task, body"
_CONFLICT_COLUMNS = "id, session, task, state, version, body"
LINK_COLUMNS = "from_id, to_id, relation, strength, created_at, updated_at"
_NO_BODY = {"scope", "access_count", "scan_count"}


class KindsByName(dict[str, Kind]):
    """Kinds by their names, each made once: a long list has few of them."""

    def __missing__(self, name: str) -> Kind:
        """Make the kind of a name; one that is not registered may be later, and is not kept."""
        kind = Kind(name)
        if kind.is_registered:
            self[name] = kind
        return kind


_KINDS = KindsByName()
_ORIGINS = {origin.value: origin for origin in Origin}
_STATUSES = {status.value: status for status in Status}
_ENTRY_KINDS = {kind.value: kind for kind in EntryKind}
_IN_A_RECORD, _IN_AN_ENTRY = tuple(Record.model_fields), tuple(Entry.model_fields)
_ENTRY, _JOB, _LINK = (columns.split(", ") for columns in (ENTRY_COLUMNS, JOB_COLUMNS, LINK_COLUMNS))
_MOMENTS = ("created_at", "updated_at", "occurred_at", "valid_from", "valid_to", "expires_at")
_DAMAGED = "a stored text is damaged; run `remanent doctor --repair` to save what is readable"


def millis(moment: Instant | None) -> int | None:
    """Return the stored form of a moment that may be missing."""
    return None if moment is None else to_millis(moment)


def _moment(value: int | None) -> Instant | None:
    return None if value is None else from_millis(value)


def parse(text: str) -> Any:
    """Return the value of stored JSON, which was written by us and can only be malformed when it is damaged."""
    try:
        return from_json(text)
    except ValueError as error:
        raise IntegrityError(_DAMAGED) from error


def vector_of(content: bytes) -> "NDArray[np.float32]":
    """Return the numbers of a vector; what is none is refused, and one of which no neighbour could be told."""
    import numpy as np

    if not content or len(content) % 4:
        raise InvalidInput("a vector is a sequence of float32 values")
    values = np.frombuffer(content, "<f4")
    if not np.isfinite(values).all():
        raise InvalidInput("a vector holds a number that is not finite")
    return values


def verify(crc: int, content: bytes) -> None:
    """Refuse bytes that are not those that were written."""
    if crc32(content) != crc:
        raise IntegrityError(_DAMAGED)


def _owned(scope: Scope, session: str | None, task: str | None) -> Scope:
    """Return the agent's scope narrowed to the session and task of a row."""
    if session == scope.session and task == scope.task:
        return scope
    return Scope.checked(org=scope.org, workspace=scope.workspace, agent=scope.agent, session=session, task=task)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Made once: `json.dumps` makes an encoder for every call that says how it wants its JSON."""


def dump(value: object) -> str:
    """Return compact JSON that keeps the order of keys."""
    return _encode(value)


_PLAIN = frozenset({str, int, float, bool, dict, type(None)})
"""Types that columns hold as they are; JSON is written by whoever knows how."""


def _cell(value: Any) -> Any:
    """Return what a column holds for a moment, or for a word of ours."""
    if isinstance(value, datetime):
        return to_millis(value)
    return value.value


def _cells(columns: str, *, without: Sequence[str] = ()) -> Callable[[Any], list[Any]]:
    """Return what makes a row of an object: a cell for each column, session and task from its scope."""
    names = [name for name in columns.split(", ") if name not in without]
    values = attrgetter(*(f"scope.{name}" if name in {"session", "task"} else name for name in names))
    return lambda item: [value if type(value) in _PLAIN else _cell(value) for value in values(item)]


_entry_cells = _cells(ENTRY_COLUMNS, without=("seq", "metadata", "attachments", "origin", "erased", "crc"))


def entry_row(entry: Entry) -> Row:
    """Return the columns of an entry, without its place."""
    noted = {**entry.metadata, TAGS: entry.tags} if entry.tags else entry.metadata
    files = [item.model_dump(mode="json") for item in entry.attachments]
    return (
        *_entry_cells(entry),
        dump(noted) if noted else None,
        dump(files) if files else None,
        entry.origin.value,
        int(entry.erased),
        crc32(entry.text.encode()),
    )


def entry_of(scope: Scope, row: Row) -> Entry:
    """Return the entry of a row; our own rows were checked when they were written."""
    told = dict(zip(_ENTRY, row, strict=True))
    verify(told["crc"], told["text"].encode())
    noted, files = told["metadata"], told["attachments"]
    told["scope"] = _owned(scope, told["session"], told["task"])
    told["kind"], told["origin"] = _ENTRY_KINDS[told["kind"]], _ORIGINS[told["origin"]]
    told["occurred_at"], told["recorded_at"] = from_millis(told["occurred_at"]), from_millis(told["recorded_at"])
    told["metadata"] = parse(noted) if noted else {}
    told["tags"] = tuple(told["metadata"].pop(TAGS, ()))
    told["attachments"] = tuple(Attachment.model_validate(item) for item in parse(files)) if files else ()
    told["erased"] = bool(told["erased"])
    return Entry.checked(**{name: told[name] for name in _IN_AN_ENTRY})


def digests_of(attachments: str) -> set[str]:
    """Return the files that an entry names in its stored attachments."""
    return {item["digest"] for item in parse(attachments) if item.get("digest")}


_ERASED = ("entries", "records", "digests", "sent")


def erasing_note(kept: str | None, went: Mapping[str, Any]) -> str:
    """Return the ids of what an erasure takes, added to those of erasures before it that did not come to their end."""
    known = {} if kept is None else parse(kept)
    note = {name: sorted({*known.get(name, ()), *went.get(name, ())}) for name in _ERASED}
    return dump({**note, "everything": bool(known.get("everything") or went.get("everything"))})


def place_of(row: Row) -> RecordPosition:
    """Return the place of a row: id, kind, session, occurred, recorded, trust, seq, role, and neighbours if wanted."""
    record_id, kind, session, occurred, recorded, trust, seq, role = row[:8]
    before_id, after_id = row[8:] or (None, None)
    return RecordPosition(
        record_id,
        _KINDS[kind],
        session,
        from_millis(occurred),
        _ORIGINS[trust],
        seq,
        role,
        before_id,
        after_id,
        from_millis(recorded),
    )


_record_cells = _cells(RECORD_FIELDS, without=("body", "crc"))


def record_row(record: Record) -> Row:
    """Return the columns of a record; its body leaves out what columns hold or the file's place tells."""
    body = record.model_dump_json(exclude=_NO_BODY if record.changed_by else {*_NO_BODY, "changed_by"})
    return (*_record_cells(record), body, crc32(body.encode()))


def record_of(scope: Scope, row: Row) -> Record:
    """Return the record of a row; our own rows were checked when they were written."""
    session, task, accessed, scanned, crc, body = row[:6]
    verify(crc, body.encode())
    told = parse(body)
    told["scope"], told["access_count"], told["scan_count"] = _owned(scope, session, task), accessed, scanned
    told["kind"] = kind = _KINDS[told["kind"]]
    told["status"], told["trust"] = _STATUSES[told["status"]], _ORIGINS[told["trust"]]
    told["keywords"], told["tags"] = tuple(told["keywords"]), tuple(told["tags"])
    for name in _MOMENTS:
        if (moment := told[name]) is not None:
            told[name] = datetime.fromisoformat(moment)
    told["sources"] = tuple([Source.checked(**one) for one in told["sources"]])
    told["made_by"] = Maker.checked(**told["made_by"])
    # Nearly all that a question is answered from are turns.
    told["data"] = _turn_data(**told["data"]) if kind is Kind.TURN else kind.data.model_validate(told["data"])
    told.setdefault("changed_by", "")
    return Record.checked(**{name: told[name] for name in _IN_A_RECORD})


def _turn_data(role: str = "user", repeats: Sequence[str] = ()) -> TurnData:
    return TurnData.checked(role=role, repeats=tuple(repeats))


def version_of(scope: Scope, row: Row) -> Version:
    """Return the version of a row whose last column says when it was superseded."""
    return Version(record=record_of(scope, row), superseded_at=_moment(row[6]))


def tombstone_row(stone: Tombstone) -> Row:
    """Return the columns of a tombstone."""
    return stone.record_id, stone.scope.session, stone.scope.task, stone.model_dump_json(exclude={"scope"})


def tombstone_of(scope: Scope, row: Row) -> Tombstone:
    """Return the tombstone of a row (session, task, body)."""
    return Tombstone.model_validate({**parse(row[2]), "scope": _owned(scope, row[0], row[1])})


def conflict_row(conflict: Conflict) -> Row:
    """Return the columns of a conflict."""
    scope, body = conflict.scope, conflict.model_dump_json(exclude={"scope"})
    return conflict.id, scope.session, scope.task, conflict.state.value, conflict.version, body


def conflict_of(scope: Scope, row: Row) -> Conflict:
    """Return the conflict of a row (session, task, body)."""
    return Conflict.model_validate({**parse(row[2]), "scope": _owned(scope, row[0], row[1])})


link_row = _cells(LINK_COLUMNS)
"""Returns the columns of a link."""


def link_of(row: Row) -> Link:
    """Return the link of a row."""
    *told, created, updated = row
    moments = {"created_at": _shared_moment(created), "updated_at": _shared_moment(updated)}
    return Link.checked(**dict(zip(_LINK, told, strict=False)), **moments)


# Links are made and weakened by the thousand in one moment.
_shared_moment = lru_cache(maxsize=4096)(from_millis)


_job_cells = _cells(JOB_COLUMNS, without=("seq",))
_PAYLOAD = JOB_COLUMNS.split(", ").index("payload") - 1


def job_row(job: Job) -> Row:
    """Return the columns of a job, without its place."""
    row = _job_cells(job)
    row[_PAYLOAD] = dump(job.payload)
    return row


def job_of(scope: Scope, row: Row) -> Job:
    """Return the job of a row."""
    told = dict(zip(_JOB, row, strict=True))
    told["scope"] = _owned(scope, told["session"], told["task"])
    told["payload"], told["state"] = parse(told["payload"]), JobState(told["state"])
    for name in ("enqueued_at", "not_before", "lease_until"):
        told[name] = _moment(told[name])
    return Job.checked(**{name: told[name] for name in Job.model_fields})


def named_row(item: Entry | Record | Tombstone | Link | Conflict | Job) -> dict[str, Any]:
    """Return the columns by their names, with the place of an entry or a job, 0 where it is to get one."""
    columns, row = _NAMED[type(item)]
    return dict(zip(columns.split(", "), row(item), strict=True))


_NAMED: dict[type[Any], tuple[str, Callable[[Any], Row]]] = {
    Entry: (ENTRY_COLUMNS, lambda entry: (entry.seq, *entry_row(entry))),
    Record: (RECORD_FIELDS, record_row),
    Tombstone: (_TOMBSTONE_COLUMNS, tombstone_row),
    Link: (LINK_COLUMNS, link_row),
    Conflict: (_CONFLICT_COLUMNS, conflict_row),
    Job: (JOB_COLUMNS, lambda job: (job.seq, *job_row(job))),
}


def tally_of(flags: Sequence[str], row: Row) -> Tally:
    """Return how many records of a kind have a status."""
    kind, status, count, confidence, *set_flags = row
    return Tally(
        _KINDS[kind],
        Status(status),
        count,
        confidence or 0.0,
        {name: number or 0 for name, number in zip(flags, set_flags, strict=True)},
    )
