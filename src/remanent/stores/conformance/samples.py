"""Data for tests of storage: builders over a clock that stands still and ids that repeat from run to run."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from remanent.model import Claim, Conflict, Entry, Job, Kind, Link, Record, Scope, Source, Tombstone, id_source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
MODEL = "sample-4"
"""The embedding model of sample vectors; they have four dimensions."""


class SetClock:
    """A clock that shows what it was set to until somebody moves it."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the moment it was set to."""
        return self.now

    def advance(self, *, seconds: float) -> datetime:
        """Move on, and return the new moment."""
        self.now += timedelta(seconds=seconds)
        return self.now


class Samples:
    """Makes valid data; every field can be given, every other is filled with something plain."""

    def __init__(self, *, start: datetime = START, seed: int = 7) -> None:
        self.clock = SetClock(start)
        self.new_id = id_source(self.clock, seed=seed)

    def make_scope(self, agent: str = "ada", *, workspace: str = "lab", org: str = "acme", **labels: str) -> Scope:
        """Return a scope; `session` and `task` narrow it."""
        return Scope(org=org, workspace=workspace, agent=agent, **labels)

    def make_entry(self, scope: Scope, text: str = "I moved to Lisbon in May.", **fields: Any) -> Entry:
        """Return an entry that happens now."""
        now = self.clock()
        given: dict[str, Any] = {"id": self.new_id(), "occurred_at": now, "recorded_at": now, **fields}
        return Entry(scope=scope, text=text, **given)

    def make_record(self, scope: Scope, content: str = "She lives in Lisbon.", **fields: Any) -> Record:
        """Return the first version of a record, made now."""
        now = self.clock()
        given: dict[str, Any] = {"id": self.new_id(), "kind": Kind.TURN, **fields}
        given = {"created_at": now, "updated_at": now, "occurred_at": now, **given}
        given.setdefault("data", Kind(given["kind"]).data())
        return Record(scope=scope, content=content, **given)

    def make_record_of(self, entry: Entry, content: str | None = None, **fields: Any) -> Record:
        """Return a record that was derived from an entry."""
        given = {"sources": (Source(entry_id=entry.id),), **fields}
        return self.make_record(entry.scope, entry.text if content is None else content, **given)

    def next_version(self, record: Record, **changes: Any) -> Record:
        """Return the version after this one, written now."""
        return record.replace(**{"version": record.version + 1, "updated_at": self.clock(), **changes})

    def make_link(self, from_id: str, to_id: str, relation: str = "about", **fields: Any) -> Link:
        """Return a link made now."""
        now = self.clock()
        given: dict[str, Any] = {"created_at": now, "updated_at": now, **fields}
        return Link(from_id=from_id, to_id=to_id, relation=relation, **given)

    def make_conflict(self, scope: Scope, records: Sequence[Record], **fields: Any) -> Conflict:
        """Return an open conflict in which each record claims its content."""
        now = self.clock()
        claims = tuple(Claim(record_id=record.id, text=record.content, evidence=record.sources) for record in records)
        given: dict[str, Any] = {"id": self.new_id(), "created_at": now, "updated_at": now, **fields}
        return Conflict(scope=scope, claims=claims, **given)

    def make_tombstone(self, record: Record, **fields: Any) -> Tombstone:
        """Return what is left of a record that is forgotten now."""
        given: dict[str, Any] = {
            "record_id": record.id,
            "scope": record.scope,
            "kind": record.kind,
            "about": record.content[:40],
            "learned_at": record.created_at,
            "forgotten_at": self.clock(),
            "size": len(record.content),
            **fields,
        }
        return Tombstone(**given)

    def make_job(self, scope: Scope, kind: str = "embed", **fields: Any) -> Job:
        """Return a job that is enqueued now."""
        given: dict[str, Any] = {"id": self.new_id(), "enqueued_at": self.clock(), **fields}
        return Job(scope=scope, kind=kind, **given)


def make_vector(*values: float) -> "NDArray[np.float32]":
    """Return a vector of four numbers, the missing ones 0."""
    import numpy as np

    return np.array([*values, *[0.0] * (4 - len(values))], dtype=np.float32)


def vector_bytes(*values: float) -> bytes:
    """Return such a vector as a store keeps it."""
    return make_vector(*values).astype("<f4").tobytes()
