"""The unit of work: changes gathered in memory, committed together."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.model import Conflict, Entry, Job, Link, Record, Scope, Status, Tombstone, TurnData
from remanent.stores import changes
from remanent.stores.changes import Change, Committed
from remanent.text.boundaries import excerpt
from remanent.text.terms import index_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Commit = Callable[[Scope, Sequence[Change]], Awaitable[Committed]]


def search_terms(record: Record) -> str:
    """Return the terms under which full-text search finds a record."""
    speaker = record.data.speaker if isinstance(record.data, TurnData) else ""
    parts = [record.content, record.summary, *record.keywords, *record.tags, speaker]
    return " ".join(index_terms("\n".join(part for part in parts if part)))


class Transaction:
    """Gathers changes; leaving its `async with` without an error commits them, all or none.

    Reads do not see what is gathered. Whoever changes a record says which version was read (`expects`),
    and the commit is refused with `VersionConflict` when somebody was faster.
    """

    def __init__(self, commit: Commit, scope: Scope) -> None:
        self.scope = scope
        self.changes: list[Change] = []
        self.committed = Committed()
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
        self.changes.append(changes.AppendEntry(entry))

    def put(self, record: Record, *, expects: int = 0, terms: str | None = None) -> None:
        """Write a record as the version after `expects`; its search terms are worked out unless given."""
        self._check(record.scope)
        if record.version != expects + 1:
            raise InvalidInput(f"a record put over version {expects} must be version {expects + 1}")
        if record.status is Status.FORGOTTEN:
            terms = ""
        elif terms is None:
            terms = search_terms(record)
        self.changes.append(changes.PutRecord(record, terms, expects))

    def drop(self, record_id: str) -> None:
        """Remove a derived record and all that hangs on it; links to it dangle."""
        self.changes.append(changes.DropRecord(record_id))

    def forget(self, record: Record, *, at: datetime, reason: str = "") -> None:
        """Put a record out of mind: a tombstone says what it was, and it can be restored."""
        tombstone = Tombstone(
            record_id=record.id,
            scope=record.scope,
            kind=record.kind,
            about=record.summary or excerpt(record.content, 40),
            keywords=record.keywords,
            learned_at=record.created_at,
            forgotten_at=at,
            size=len(record.content),
            reason=reason,
            sources=record.sources,
        )
        forgotten = record.replace(status=Status.FORGOTTEN, version=record.version + 1, updated_at=at)
        self.put(forgotten, expects=record.version)
        self.changes.append(changes.PutTombstone(tombstone))

    def restore(self, record: Record, *, at: datetime) -> None:
        """Bring a forgotten record back to mind."""
        restored = record.replace(status=Status.ACTIVE, version=record.version + 1, updated_at=at)
        self.put(restored, expects=record.version)
        self.changes.append(changes.DropTombstone(record.id))

    def touch(self, record_ids: Sequence[str], *, accessed: int = 0, scanned: int = 0) -> None:
        """Count accesses and scans."""
        self.changes.append(changes.TouchRecords(tuple(record_ids), accessed=accessed, scanned=scanned))

    def vector(self, record_id: str, *, model: str, values: "NDArray[np.float32]", expects: int | None = None) -> None:
        """Keep a record's vector of one embedding model; with `expects`, only while the record is at that version."""
        self.changes.append(changes.PutVector(record_id, model, values.astype("<f4", copy=False).tobytes(), expects))

    def drop_vectors(self, model: str) -> None:
        """Remove every vector of one embedding model."""
        self.changes.append(changes.DropVectors(model))

    def link(self, link: Link) -> None:
        """Write a link."""
        self.changes.append(changes.PutLink(link))

    def unlink(self, from_id: str, to_id: str, *, relation: str = "") -> None:
        """Remove a link."""
        self.changes.append(changes.DropLink(from_id, to_id, relation))

    def fade(self, from_ids: Sequence[str], *, factor: float, floor: float, at: datetime) -> None:
        """Weaken every link that leaves these records; those that were below the floor before are removed."""
        if not 0 <= factor <= 1:
            raise InvalidInput(f"links fade by a factor from 0 to 1, not {factor}")
        self.changes.append(changes.FadeLinks(tuple(from_ids), factor, floor, at))

    def conflict(self, conflict: Conflict, *, expects: int = 0) -> None:
        """Write a conflict as the version after `expects`."""
        self._check(conflict.scope)
        if conflict.version != expects + 1:
            raise InvalidInput(f"a conflict put over version {expects} must be version {expects + 1}")
        self.changes.append(changes.PutConflict(conflict, expects))

    def state(self, key: str, value: JsonValue) -> None:
        """Keep a small named value; `None` removes it."""
        self.changes.append(changes.PutState(key, value))

    def enqueue(self, job: Job, *, limit: int) -> None:
        """Add a job; it exists if and only if the rest of this unit of work does."""
        self._check(job.scope)
        self.changes.append(changes.EnqueueJob(job, limit))

    def finish(self, job: Job) -> None:
        """Take a job out together with its effects."""
        self.changes.append(changes.FinishJob(job.id, job.fence))

    def retry(self, job: Job, *, not_before: datetime, error: str, to_tail: bool = False, counts: bool = True) -> None:
        """Give a job back for later; an attempt that was cut off rather than failed need not count."""
        self.changes.append(changes.RetryJob(job.id, job.fence, not_before, error, to_tail, counts))

    def bury(self, job: Job, *, error: str) -> None:
        """Keep a job that failed for good as a dead letter."""
        self.changes.append(changes.BuryJob(job.id, job.fence, error))

    def revive(self, job_id: str) -> None:
        """Put a dead letter back into its lane."""
        self.changes.append(changes.ReviveJob(job_id))

    def _check(self, scope: Scope) -> None:
        if scope is not self.scope and scope.owner != self.scope.owner:
            raise InvalidInput(f"this unit of work belongs to {self.scope.owner}, not to {scope.owner}")
