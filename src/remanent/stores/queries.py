"""What can be asked of a store, and the shapes of the answers.

A question is a value, as a change is: an adapter has one function for each type of them, and any number of them go to
the store together. They belong to the port and are the same for every adapter. Frozen, because they are handed to other
threads and used as keys; plain dataclasses, because some of them are made by the thousand for one question.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from pydantic import JsonValue

from remanent.errors import RemanentError
from remanent.lightweight import dataclass
from remanent.model import (
    Conflict,
    ConflictState,
    Entry,
    EntryKind,
    Job,
    JobState,
    Kind,
    Link,
    MetadataCondition,
    Origin,
    Record,
    Scope,
    Status,
    Tombstone,
    Version,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

A_co = TypeVar("A_co", covariant=True)


class Query(Generic[A_co]):
    """A question that a store answers with an `A_co`; the type says what comes back, and nothing is kept here."""

    __slots__ = ()


LIVE = (Status.ACTIVE, Status.PROVISIONAL)
"""The states of records that answer questions."""


@dataclass(frozen=True, slots=True)
class EntryQuery(Query[list[Entry]]):
    """Which journal entries, in journal order; a scope's session and task narrow further."""

    entry_ids: tuple[str, ...] | None = None
    caller_ids: tuple[str, ...] | None = None
    source_of: tuple[str, ...] | None = None
    """The entries that any version of these records came from."""
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
class RecordQuery(Query[list[Record]]):
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
class LinkQuery(Query[list[Link]]):
    """Which links: from any of these, to any of these, of these relations, at least so strong."""

    from_ids: tuple[str, ...] | None = None
    to_ids: tuple[str, ...] | None = None
    relations: tuple[str, ...] | None = None
    min_strength: float = 0.0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ConflictQuery(Query[list[Conflict]]):
    """Which conflicts."""

    conflict_ids: tuple[str, ...] | None = None
    states: tuple[ConflictState, ...] | None = None
    record_id: str | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class JobQuery(Query[list[Job]]):
    """Which jobs, in queue order."""

    states: tuple[JobState, ...] | None = None
    lanes: tuple[str, ...] | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class QueueState:
    """How an agent's queue stands."""

    pending: int = 0
    """Jobs that wait for their turn; those that wait for a moment (`TIMER`) are not counted."""
    running: int = 0
    dead: int = 0
    oldest: datetime | None = None
    """When the oldest job that still waits or runs was enqueued."""
    wake_at: datetime | None = None
    """When the next job can be claimed: the past when at once, `None` when nothing waits."""


class RecordPosition(NamedTuple):
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
    place: RecordPosition | None = None
    """Where it stands, without its neighbours, if the search was asked for that."""


class Reached(NamedTuple):
    """A record that links lead to: how strong the best chain of them is, and the relation at its end."""

    place: RecordPosition
    strength: float
    relation: str


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
    """What happened to the vectors of one model since a revision, or a page of it."""

    revision: int
    """Ask again from here, once nothing is left."""
    reset: bool
    """Forget what was loaded before: the removals since the asked revision are no longer known."""
    record_ids: list[str]
    kinds: list[Kind]
    matrix: "NDArray[np.float32]"
    """One row per record id."""
    removed: list[str]
    after: int | None = None
    """Where the next page begins, `None` when nothing is left."""


@dataclass(frozen=True, slots=True)
class Standing:
    """All counters of an agent at one moment; each rises with what it counts, whichever process changed that."""

    revision: int = 0
    """Rises whenever anything that can be read is changed; counters of accesses and the queue do not count."""
    vector_revision: int = 0
    """Rises whenever any vector is put or removed."""
    graphs: Mapping[str, int] = field(default_factory=dict)
    """By kind, rises whenever a record of it or a link that leaves one changes; scans count, accesses do not."""
    states: Mapping[str, JsonValue] = field(default_factory=dict)
    """The named values that were asked for and exist."""


# ── questions whose answers are shapes from above ────────────────────────────


@dataclass(frozen=True, slots=True)
class StandingQuery(Query[Standing]):
    """How an agent stands, with the named values of these keys: what a piece of work reads before all else."""

    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records of a kind have a status, how sure they are together, and how many have each flag set."""

    kind: Kind
    status: Status
    count: int
    confidence: float
    flags: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TallyQuery(Query[list[Tally]]):
    """How many records of these kinds there are, by kind and status; the engine counts, and no record is read.

    A flag is the name of a field of a record's data; it counts where that is neither missing nor false nor empty.
    """

    kinds: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchQuery(Query[list[str]]):
    """Which of the ids pass the filter, in the given order."""

    record_ids: tuple[str, ...]
    filter: RecordFilter


@dataclass(frozen=True, slots=True)
class PlaceQuery(Query[list[RecordPosition]]):
    """Where those of the ids stand that pass the filter, in the given order.

    With a `reach`, the turns up to so many entries before and after them follow, as far as they pass too. Without
    `neighbours` nobody wants to know who they are, and the places do not say.
    """

    record_ids: tuple[str, ...]
    filter: RecordFilter
    reach: int = 0
    neighbours: bool = True


@dataclass(frozen=True, slots=True)
class LatestQuery(Query[list[RecordPosition]]):
    """Where the records stand that pass the filter and happened last, newest first, without their neighbours."""

    filter: RecordFilter
    limit: int


@dataclass(frozen=True, slots=True)
class WalkQuery(Query[list[Reached]]):
    """What links lead to from records, in both directions, as `query_steps.Walk` says, as far as it passes the filter.

    The strongest come first, equal ones by id; those to start from are not among them.
    """

    record_ids: tuple[str, ...]
    filter: RecordFilter
    limit: int
    hops: int = 2
    width: int = 32
    min_strength: float = 0.0


@dataclass(frozen=True, slots=True)
class UnembeddedQuery(Query[list[Record]]):
    """Records of the agent whose content has no vector yet, oldest first; forgotten ones need none."""

    limit: int


@dataclass(frozen=True, slots=True)
class VersionQuery(Query[list[Version]]):
    """All versions of a record, oldest first, the current one last; empty when unknown."""

    record_id: str


@dataclass(frozen=True, slots=True)
class PastVersionQuery(Query[list[Version]]):
    """Superseded versions of all records by (record id, number), behind `after`."""

    after: tuple[str, int] | None
    limit: int


@dataclass(frozen=True, slots=True)
class TombstoneQuery(Query[list[Tombstone]]):
    """Tombstones by record id, all of them when no ids are given."""

    record_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class StatesQuery(Query[dict[str, JsonValue]]):
    """The named values of the agent by key, those whose key begins with a prefix."""

    prefix: str = ""


@dataclass(frozen=True, slots=True)
class StateQuery(Query[JsonValue]):
    """One named value; `None` when there is none."""

    key: str


@dataclass(frozen=True, slots=True)
class TextQuery(Query[list[Hit]]):
    """Records that hold any of the terms and pass the filter, by BM25, best first."""

    terms: tuple[str, ...]
    filter: RecordFilter
    limit: int
    places: bool = False
    """Whether each hit says where it stands: whoever ranks hits needs that, and it saves a call."""


@dataclass(frozen=True, slots=True)
class TermCountQuery(Query[TermCounts]):
    """How many records of the agent hold each of the terms, counting no further than `most`."""

    terms: tuple[str, ...]
    most: int


@dataclass(frozen=True, slots=True)
class SessionTermQuery(Query[dict[str, SessionTerms]]):
    """How often sessions hold terms, over their `most` latest records that pass and are of the origins.

    What was once true is not counted: a filter with `as_of` gives nothing.
    """

    sessions: tuple[str, ...]
    terms: tuple[str, ...]
    filter: RecordFilter
    most: int
    origins: tuple[Origin, ...] | None = None


VECTORS_AT_ONCE = 16_384
"""Vectors of a page: 25 MB with 384 dimensions, and one block of an index in memory."""


@dataclass(frozen=True, slots=True)
class VectorChangeQuery(Query[VectorChanges]):
    """What happened to a model's vectors after a revision; 0 asks for all of them.

    Removals come with the first page; the next has in `after` what this one ends with.
    """

    model: str
    since: int = 0
    after: int = 0
    limit: int = VECTORS_AT_ONCE


@dataclass(frozen=True, slots=True)
class VectorQuery(Query["dict[str, NDArray[np.float32]]"]):
    """The vectors that a model gave to those of the records that have one."""

    record_ids: tuple[str, ...]
    model: str


@dataclass(frozen=True, slots=True)
class VectorModelQuery(Query[dict[str, int]]):
    """The embedding models that have vectors here, each with its dimension."""


@dataclass(frozen=True, slots=True)
class VectorCountQuery(Query[dict[str, int]]):
    """How many vectors of each model were put after a revision and are still there."""

    since: int = 0


@dataclass(frozen=True, slots=True)
class QueueQuery(Query[QueueState]):
    """How the agent's queue stands."""


# ── what calls beside `read` and `commit` give and take ──────────────────────


@dataclass(frozen=True, slots=True)
class Claims:
    """What a look for work over many agents found."""

    jobs: tuple[Job, ...] = ()
    """Claimed; no two of one lane."""
    wake_at: Mapping[Scope, datetime | None] = field(default_factory=dict)
    """By agent that was looked at and may have more: when its next job can be claimed, `None` when nothing waits."""
    failed: Mapping[Scope, RemanentError] = field(default_factory=dict)
    """Agents whose queue could not be looked at; the others were."""


class ErasureDepth(StrEnum):
    """How far an erasure reached in the files of a store; backups made by others are beyond any."""

    OVERWRITTEN = "overwritten"
    """No byte of it is left in any file of the store, its log included."""
    UNREADABLE = "unreadable"
    """No statement returns it any more; the engine's own files may hold copies until it reuses their room."""


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
    """The entries that had their words until then; what was erased before is not erased again."""
    record_ids: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """Blobs that no entry refers to any more."""
    backups: int = 0
    """Backups that held the text and were removed."""
    depth: ErasureDepth = ErasureDepth.UNREADABLE
    """The least, unless the store says that it reached further."""


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
