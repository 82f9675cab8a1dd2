"""What can be asked of a store, and the shapes of the answers.

They belong to the port and are the same for every adapter. Frozen, because they are handed to other threads and used as
keys; plain dataclasses, because some of them are made by the thousand for one question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from remanent.model import ConflictState, EntryKind, JobState, Kind, MetadataCondition, Origin, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIVE = (Status.ACTIVE, Status.PROVISIONAL)
"""The states of records that answer questions."""


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Which journal entries, in journal order; a scope's session and task narrow further."""

    entry_ids: tuple[str, ...] | None = None
    caller_ids: tuple[str, ...] | None = None
    kinds: tuple[EntryKind, ...] | None = None
    occurred_from: datetime | None = None
    occurred_before: datetime | None = None
    where: tuple[MetadataCondition, ...] = ()
    """All of these hold for its metadata."""
    tags: tuple[str, ...] = ()
    """All of these."""
    any_tags: tuple[str, ...] = ()
    """At least one of these, if any is named."""
    after_seq: int = 0
    before_seq: int | None = None
    newest_first: bool = False
    limit: int = 100


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records count; a scope's session and task narrow further."""

    kinds: tuple[Kind, ...] | None = None
    statuses: tuple[Status, ...] | None = LIVE
    tags: tuple[str, ...] = ()
    """All of these."""
    any_tags: tuple[str, ...] = ()
    """At least one of these, if any is named."""
    where: tuple[MetadataCondition, ...] = ()
    """Each holds for the metadata of an entry that the record came from."""
    occurred_from: datetime | None = None
    occurred_before: datetime | None = None
    valid_at: datetime | None = None
    """Valid at that moment; an open end is valid for ever."""
    alive_at: datetime | None = None
    """Not expired at that moment."""
    as_of: datetime | None = None
    """As the store stood at that moment: versions written later are not seen."""
    not_sessions: tuple[str, ...] = ()
    """Of none of these; what belongs to no session passes."""


class Order(StrEnum):
    """The order of listed records."""

    FIRST_CREATED = "first_created"
    LAST_CREATED = "last_created"
    LAST_OCCURRED = "last_occurred"
    LEAST_SCANNED = "least_scanned"


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """Which records to list, and how."""

    filter: RecordFilter = field(default_factory=RecordFilter)
    record_ids: tuple[str, ...] | None = None
    source_entry_ids: tuple[str, ...] | None = None
    """Derived from any of these entries."""
    order: Order = Order.FIRST_CREATED
    after_id: str | None = None
    """Continue behind this record; with the created orders only."""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class LinkQuery:
    """Which links: from any of these, to any of these, of these relations, at least so strong."""

    from_ids: tuple[str, ...] | None = None
    to_ids: tuple[str, ...] | None = None
    relations: tuple[str, ...] | None = None
    min_strength: float = 0.0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ConflictQuery:
    """Which conflicts."""

    conflict_ids: tuple[str, ...] | None = None
    states: tuple[ConflictState, ...] | None = None
    record_id: str | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class JobQuery:
    """Which jobs, in queue order."""

    states: tuple[JobState, ...] | None = None
    lanes: tuple[str, ...] | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class QueueState:
    """How an agent's queue stands."""

    pending: int = 0
    running: int = 0
    dead: int = 0
    oldest: datetime | None = None
    """When the oldest job that still waits or runs was enqueued."""
    wake_at: datetime | None = None
    """When the next job can be claimed: the past when at once, `None` when nothing waits."""


class Place(NamedTuple):
    """Where a record stands among what was said, without its text; a record that is no turn has no neighbours.

    Plain, because every candidate of every question has one.
    """

    record_id: str
    kind: Kind
    session: str | None
    occurred_at: datetime
    trust: Origin = Origin.USER
    seq: int = 0
    """The turn's place in the journal; 0 when the record is no turn."""
    role: str = ""
    """Who said it, or the part they played; empty when the record is no turn."""
    before_id: str | None = None
    """The entry before it in its session, or among those without one."""
    after_id: str | None = None
    recorded_at: datetime | None = None
    """When it was told; `None` when that is not known."""


class Hit(NamedTuple):
    """A record found by one search, with that search's own score: higher is better."""

    record_id: str
    score: float


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How common terms are: the records that full-text search knows, and how many of them hold each term."""

    records: int
    holding: Mapping[str, int]
    """One number per term that was asked for; 0 when no record holds it."""


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """What the texts of one session hold together: how many terms, and how often each of those asked for."""

    length: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class VectorChanges:
    """What happened to the vectors of one model since a revision."""

    revision: int
    """Ask again from here."""
    reset: bool
    """Forget what was loaded before: the removals since the asked revision are no longer known."""
    record_ids: list[str]
    kinds: list[Kind]
    matrix: "NDArray[np.float32]"
    """One row per record id."""
    removed: list[str]


@dataclass(frozen=True, slots=True)
class Erasure:
    """What to erase: these entries, these records with the entries they rest on, a session, or all of the agent."""

    entry_ids: tuple[str, ...] = ()
    record_ids: tuple[str, ...] = ()
    session: str | None = None
    everything: bool = False
    up_to: int | None = None
    """The last place of the journal that a session or everything reaches to: what was said later stays."""
    keeps_note: bool = False
    """Whether the store keeps ids of what went under `ERASING`, until who erases has removed the rest and clears it."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed."""

    entry_ids: tuple[str, ...] = ()
    record_ids: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """Blobs that no entry refers to any more."""
    backups: int = 0
    """Backups that held the text and were removed."""


@dataclass(frozen=True, slots=True)
class Health:
    """The result of a thorough check."""

    problems: tuple[str, ...] = ()
    """Empty when all is well."""
    indexes: tuple[str, ...] = ()
    """What is wrong with files that are built from the database; no answer is wrong for it, and none is lost."""
    attachments: tuple[str, ...] = ()
    """Files that are not as they were put."""
    entries: int = 0
    records: int = 0
    vectors: int = 0
    bytes_on_disk: int = 0
    schema: int = 0
    engine: str = ""
    """Name and version of the database engine."""
    checksums: bool = False
    """Whether every page read is verified."""
