"""What a unit of work may hold: each change is data, and a store applies all of them or none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from remanent.model import Conflict, Entry, Job, Link, Record, Tombstone, Version


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
    """Search terms joined by spaces, as `text.words.index_terms` makes them."""
    expects: int = 0
    """The version that must be current; 0 when the record must be new."""


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
    """What became of a unit of work."""

    entry_ids: tuple[str, ...] = ()
    """One per appended entry, in order; for a repeated one the id that was there."""
    last_seq: int = 0
    """The highest journal place among them."""
    repeated: int = 0
    enqueued: tuple[str, ...] = ()
    """Ids of the jobs that were really added."""
    graphs: Mapping[str, int] = field(default_factory=dict)
    """The new graph revision of each kind of record that was changed, or that a link which changed leaves."""
