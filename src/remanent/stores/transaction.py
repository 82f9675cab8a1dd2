"""The unit of work: changes as data, gathered in memory, and applied by a store all together or not at all.

A change is a frozen value and knows nothing of any engine: an adapter has one function for each type of them. That also
lets a unit of work be recorded, sent to a writer thread, repeated, or compared with a plain model in tests.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from datetime import datetime
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import Conflict, Entry, Job, Link, Record, Scope, Status, Tombstone, Version
from remanent.stores.search_terms import indexed_terms, is_searched
from remanent.text.spans import excerpt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class AppendEntry:
    """Append to the journal; the same caller's id with the same text in a session is stored once."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class PutRecord:
    """Write the next version of a record; the version it replaces becomes history.

    A forgotten record leaves the text and vector indexes. Vectors of a record whose content changed are dropped.
    The counters of a record that exists stay as they are: only `TouchRecords` moves them.
    """

    record: Record
    terms: str
    """Search terms joined by spaces, as `text.terms.index_terms` makes them."""
    expects: int = 0
    """The version that must be current; 0 when the record must be new."""
    embeds: bool = True
    """Whether its content is to get vectors; not where another record has the same words."""


@dataclass(frozen=True, slots=True)
class PutVersion:
    """Write a past version as it was; for loading an export only."""

    version: Version
    terms: str
    """Its search terms, for `as_of` searches; empty when it was forgotten then."""


@dataclass(frozen=True, slots=True)
class DropRecord:
    """Remove a derived record with its versions, index rows and outgoing links; incoming links dangle."""

    record_id: str


@dataclass(frozen=True, slots=True)
class TouchRecords:
    """Count accesses and scans; counters have no history."""

    record_ids: tuple[str, ...]
    accessed: int = 0
    scanned: int = 0


@dataclass(frozen=True, slots=True)
class PutVector:
    """Keep a record's vector of one embedding model."""

    record_id: str
    model: str
    values: bytes
    """Little-endian float32, one after the other."""
    expects: int | None = None
    """When given, the vector is dropped unless the record is still at this version: it was made from that text."""


@dataclass(frozen=True, slots=True)
class DropVectors:
    """Remove every vector of one embedding model, if it has any; a record left with none waits for one again."""

    model: str


@dataclass(frozen=True, slots=True)
class PutTombstone:
    """Note what a forgotten record was."""

    tombstone: Tombstone


@dataclass(frozen=True, slots=True)
class DropTombstone:
    """Take back the note, when the record is restored."""

    record_id: str


@dataclass(frozen=True, slots=True)
class PutLink:
    """Write a link, replacing the one of the same ends and relation."""

    link: Link


@dataclass(frozen=True, slots=True)
class DropLink:
    """Remove a link if it is there."""

    from_id: str
    to_id: str
    relation: str = ""


@dataclass(frozen=True, slots=True)
class FadeLinks:
    """Weaken every link that leaves these records; those that were below the floor before are removed."""

    from_ids: tuple[str, ...]
    factor: float
    """From 0 to 1; what each strength is multiplied with."""
    floor: float
    at: datetime


@dataclass(frozen=True, slots=True)
class PutConflict:
    """Write the next version of a conflict."""

    conflict: Conflict
    expects: int = 0


@dataclass(frozen=True, slots=True)
class PutState:
    """Keep a small named value of a discipline (ids and numbers; text belongs in the journal)."""

    key: str
    value: JsonValue
    """`None` removes the key."""
    expects: JsonValue | EllipsisType = ...
    """Only while the value is this one, `None` for none; unless given, whatever it is."""


NO_LIMIT = 2**53
"""Of jobs that wait: work that a job gives rise to is not refused, because the job itself was let in."""


@dataclass(frozen=True, slots=True)
class EnqueueJob:
    """Add a job to its lane, unless one with its key waits there already."""

    job: Job
    limit: int
    """Refuse with `QueueFull` when so many jobs of the agent wait or run."""


@dataclass(frozen=True, slots=True)
class FinishJob:
    """Take a finished job out; refuse with `LeaseLost` when another worker has claimed it since."""

    job_id: str
    fence: int


@dataclass(frozen=True, slots=True)
class RetryJob:
    """Give a failed job back for later, at its place or at the tail of its lane."""

    job_id: str
    fence: int
    not_before: datetime
    error: str
    to_tail: bool = False
    counts: bool = True
    """Whether the attempt counts; one that was cut off rather than failed does not."""


@dataclass(frozen=True, slots=True)
class BuryJob:
    """Keep a job that failed for good as a dead letter."""

    job_id: str
    fence: int
    error: str


@dataclass(frozen=True, slots=True)
class ReviveJob:
    """Put a dead letter back at the tail of its lane, with fresh attempts."""

    job_id: str


Change = (
    AppendEntry
    | PutRecord
    | PutVersion
    | DropRecord
    | TouchRecords
    | PutVector
    | DropVectors
    | PutTombstone
    | DropTombstone
    | PutLink
    | DropLink
    | FadeLinks
    | PutConflict
    | PutState
    | EnqueueJob
    | FinishJob
    | RetryJob
    | BuryJob
    | ReviveJob
)


@dataclass(frozen=True, slots=True)
class Committed:
    """What became of a unit of work; what the caller could only learn by reading again."""

    entry_ids: tuple[str, ...] = ()
    """One per appended entry, in order; for a repeated one the id that was there."""
    last_seq: int = 0
    """The highest journal place among them."""
    repeated: int = 0
    enqueued: tuple[str, ...] = ()
    """Ids of the jobs that were really added."""
    graphs: Mapping[str, int] = field(default_factory=dict)
    """The new graph revision of each kind of record that was changed, or that a link which changed leaves."""


_NOTHING = Committed()
Commit = Callable[[Scope, Sequence[Change]], Awaitable[Committed]]


_ACTOR: ContextVar[str] = ContextVar("remanent-actor", default="")


@contextmanager
def acting_for(name: str) -> Iterator[None]:
    """Have what is written meanwhile say on whose behalf it was; a job says nobody's, whoever waits for it."""
    token = _ACTOR.set(name)
    try:
        yield
    finally:
        _ACTOR.reset(token)


class Transaction:
    """Gathers changes; leaving its `async with` without an error commits them, all or none.

    Reads do not see what is gathered. Whoever changes a record says which version was read (`expects`),
    and the commit is refused with `VersionConflict` when somebody was faster.
    """

    def __init__(self, commit: Commit, scope: Scope) -> None:
        self.scope = scope
        self.changes: list[Change] = []
        self.committed = _NOTHING
        self._commit = commit
        self._effects: list[Callable[[Committed], None]] = []

    async def __aenter__(self) -> Self:
        """Start gathering."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commit, unless an error is on its way out."""
        if kind is None and self.changes:
            self.committed = await self._commit(self.scope, self.changes)
            for effect in self._effects:
                effect(self.committed)

    def then(self, effect: Callable[[Committed], None]) -> None:
        """Have something done in this process once the unit of work is durable, and only then."""
        self._effects.append(effect)

    def append(self, entry: Entry) -> None:
        """Append an entry to the journal."""
        self._check(entry.scope)
        self.changes.append(AppendEntry(entry))

    def put(self, record: Record, *, expects: int = 0, terms: str | None = None) -> None:
        """Write a record as the version after `expects`; its search terms are worked out unless given."""
        self._check(record.scope)
        if record.version != expects + 1:
            raise InvalidInput(f"a record put over version {expects} must be version {expects + 1}")
        if record.changed_by != _ACTOR.get():
            record = record.replace(changed_by=_ACTOR.get())
        if terms is None or record.status is Status.FORGOTTEN:
            terms = indexed_terms(record)
        self.changes.append(PutRecord(record, terms, expects, is_searched(record)))

    def drop(self, record_id: str) -> None:
        """Remove a derived record and all that hangs on it; links to it dangle."""
        self.changes.append(DropRecord(record_id))

    def forget(self, record: Record, *, at: datetime, reason: str = "") -> None:
        """Put a record out of mind: a tombstone says what it was, and it can be restored."""
        about, size = excerpt(record.content, 40), len(record.content)
        tombstone = Tombstone.of(record, about=about, size=size, at=at, reason=reason)
        forgotten = record.replace(status=Status.FORGOTTEN, version=record.version + 1, updated_at=at)
        self.put(forgotten, expects=record.version)
        self.changes.append(PutTombstone(tombstone))

    def restore(self, record: Record, *, at: datetime) -> None:
        """Bring a forgotten record back to mind."""
        restored = record.replace(status=Status.ACTIVE, version=record.version + 1, updated_at=at)
        self.put(restored, expects=record.version)
        self.changes.append(DropTombstone(record.id))

    def touch(self, record_ids: Sequence[str], *, accessed: int = 0, scanned: int = 0) -> None:
        """Count accesses and scans."""
        self.changes.append(TouchRecords(tuple(record_ids), accessed=accessed, scanned=scanned))

    def vector(self, record_id: str, *, model: str, values: "NDArray[np.float32]", expects: int | None = None) -> None:
        """Keep a record's vector of one embedding model; with `expects`, only while the record is at that version."""
        self.changes.append(PutVector(record_id, model, values.astype("<f4", copy=False).tobytes(), expects))

    def drop_vectors(self, model: str) -> None:
        """Remove every vector of one embedding model."""
        self.changes.append(DropVectors(model))

    def link(self, link: Link) -> None:
        """Write a link."""
        self.changes.append(PutLink(link))

    def unlink(self, from_id: str, to_id: str, *, relation: str = "") -> None:
        """Remove a link."""
        self.changes.append(DropLink(from_id, to_id, relation))

    def fade(self, from_ids: Sequence[str], *, factor: float, floor: float, at: datetime) -> None:
        """Weaken every link that leaves these records; those that were below the floor before are removed."""
        if not 0 <= factor <= 1:
            raise InvalidInput(f"links fade by a factor from 0 to 1, not {factor}")
        self.changes.append(FadeLinks(tuple(from_ids), factor, floor, at))

    def conflict(self, conflict: Conflict, *, expects: int = 0) -> None:
        """Write a conflict as the version after `expects`."""
        self._check(conflict.scope)
        if conflict.version != expects + 1:
            raise InvalidInput(f"a conflict put over version {expects} must be version {expects + 1}")
        self.changes.append(PutConflict(conflict, expects))

    def state(self, key: str, value: JsonValue, *, expects: JsonValue | EllipsisType = ...) -> None:
        """Keep a small named value; `None` removes it. With `expects`, only while the value is that one as read."""
        self.changes.append(PutState(key, value, expects))

    def enqueue(self, job: Job, *, limit: int) -> None:
        """Add a job; it exists if and only if the rest of this unit of work does."""
        self._check(job.scope)
        self.changes.append(EnqueueJob(job, limit))

    def request(
        self,
        kind: str,
        *,
        job_id: str,
        at: datetime,
        lane: str | None = None,
        key: str | None = None,
        payload: Mapping[str, JsonValue] | None = None,
        not_before: datetime | None = None,
        limit: int = NO_LIMIT,
    ) -> None:
        """Ask for a job; its kind is its lane unless one is named, and one of the same key is not added twice."""
        owner = self.scope.owner
        if key == kind and lane is None and not payload and not_before is None:
            self.enqueue(Job.of_kind(kind, job_id, scope=owner, at=at), limit=limit)
            return
        job = Job(
            id=job_id,
            scope=owner,
            kind=kind,
            lane=lane or kind,
            key=key,
            payload=dict(payload or {}),
            enqueued_at=at,
            not_before=not_before,
        )
        self.enqueue(job, limit=limit)

    def finish(self, job: Job) -> None:
        """Take a job out together with its effects."""
        self.changes.append(FinishJob(job.id, job.fence))

    def retry(self, job: Job, *, not_before: datetime, error: str, to_tail: bool = False, counts: bool = True) -> None:
        """Give a job back for later; an attempt that was cut off rather than failed need not count."""
        self.changes.append(RetryJob(job.id, job.fence, not_before, error, to_tail, counts))

    def bury(self, job: Job, *, error: str) -> None:
        """Keep a job that failed for good as a dead letter."""
        self.changes.append(BuryJob(job.id, job.fence, error))

    def revive(self, job_id: str) -> None:
        """Put a dead letter back into its lane."""
        self.changes.append(ReviveJob(job_id))

    def _check(self, scope: Scope) -> None:
        if scope is not self.scope and scope.owner != self.scope.owner:
            raise InvalidInput(f"this unit of work belongs to {self.scope.owner}, not to {scope.owner}")
