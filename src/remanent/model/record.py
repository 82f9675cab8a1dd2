"""What is remembered: records and their versions, links and conflicts between them, what is left of the forgotten.

Everything here came from entries and says from which. A record changes by a new version; the old ones stay readable,
and what is forgotten leaves a tombstone, so that a memory knows what it no longer knows.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Self

from pydantic import Field, SerializeAsAny, ValidationInfo, field_validator, model_validator

from remanent.errors import InvalidInput
from remanent.model.base import Count, Model, Share, Text, check_json
from remanent.model.clock import Instant
from remanent.model.entry import Origin
from remanent.model.ids import Id
from remanent.model.kinds import Kind, MemoryData, RawData, RecordData, standing_mark
from remanent.model.scope import Scope


class Status(StrEnum):
    """Where a record stands."""

    ACTIVE = "active"
    PROVISIONAL = "provisional"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    """Its time is over: it answers nothing, is counted, and can be restored until it is cleaned away."""


class Source(Model):
    """A span of a journal entry that a record came from; the end is exclusive, `None` means all of it."""

    entry_id: Id
    start: Count = 0
    end: Count | None = None


def covers(sources: Iterable[Source], start: int, end: int) -> bool:
    """Tell whether spans of one entry, taken together, leave nothing out between two places of it."""
    for source in sorted(sources, key=lambda source: source.start):
        if source.start <= start and (source.end is None or source.end > start):
            start = end if source.end is None else source.end
    return start >= end


class Maker(Model):
    """Which role, engine and version derived a record."""

    role: Text = "journal"
    engine: Text = "code"
    version: Text = "1"


BY_HAND = Maker(role="caller")
"""Who wrote what nobody said: a person, or a program on somebody's behalf."""


class Record(Model):
    """One memory, derived from journal entries, with its standing and its history counter."""

    id: Id
    scope: Scope
    kind: Kind
    content: Text
    summary: Text = ""
    keywords: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    confidence: Share = 1.0
    importance: Annotated[float, Field(ge=0)] = 0.0
    evidence_count: Count = 1
    access_count: Count = 0
    scan_count: Count = 0
    created_at: Instant
    updated_at: Instant
    """When this version was written: what `as_of` reads go by."""
    occurred_at: Instant
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    expires_at: Instant | None = None
    status: Status = Status.ACTIVE
    version: Annotated[int, Field(ge=1)] = 1
    sources: tuple[Source, ...] = ()
    trust: Origin = Origin.USER
    made_by: Maker = Field(default_factory=Maker)
    changed_by: Text = ""
    """On whose behalf this version was written: the name of a key; empty where the memory did it of itself."""
    data: SerializeAsAny[RecordData]

    @property
    def memory(self) -> MemoryData:
        """What it carries as a memory that was made of what was said; where it is none, that of one about nothing."""
        return self.data if isinstance(self.data, MemoryData) else _no_memory()

    @property
    def index_tags(self) -> frozenset[str]:
        """What a store's index of tags holds of it: its tags, and marks where it is told whatever the words."""
        if not isinstance(self.data, MemoryData):
            return frozenset(self.tags)
        why = self.data.standing | ({"preference"} if self.kind is Kind.PREFERENCE else frozenset())
        return frozenset((*self.tags, *(standing_mark(one, user) for one in why for user in (None, self.data.user))))

    @model_validator(mode="before")
    @classmethod
    def _give_the_kind_its_data(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("data") is None and isinstance(value.get("kind"), str):
            return {**value, "data": {}}
        return value

    @field_validator("data", mode="wrap")
    @classmethod
    def _type_the_data(cls, value: Any, handler: Any, info: ValidationInfo) -> RecordData:
        del handler
        kind = info.data.get("kind")
        if kind is None:
            raise ValueError("cannot be read without a valid kind")
        wanted: type[RecordData] = kind.data
        if wanted is RawData or isinstance(value, RawData):
            return _raw(value, wanted)
        if isinstance(value, RecordData) and type(value) is not wanted:
            raise InvalidInput(f"a record of kind {kind} carries {wanted.__name__}, not {type(value).__name__}")
        return wanted.model_validate(value)

    @model_validator(mode="after")
    def _check_the_validity(self) -> "Record":
        if self.valid_from is not None and self.valid_to is not None and self.valid_to < self.valid_from:
            raise InvalidInput("valid_to is before valid_from; swap them")
        return self


@cache
def _no_memory() -> MemoryData:
    """Return what a record carries that is no memory; made when asked for, since its checks take a while to build."""
    return MemoryData()


def _raw(value: Any, wanted: type[RecordData]) -> RecordData:
    """Return the data of a kind that nobody knows, or that somebody knows again."""
    fields = value.model_dump() if isinstance(value, RecordData) else value
    if not isinstance(fields, dict):
        raise ValueError("must be an object")
    check_json(fields)
    return wanted.model_validate(fields)


class Version(Model):
    """A record as it once was, and for how long."""

    record: Record
    superseded_at: Instant | None = None
    """When the next version replaced it; `None` for the current one."""

    @property
    def number(self) -> int:
        """The version's number."""
        return self.record.version


class Tombstone(Model):
    """What is left of a forgotten record: that it was known, about what, and from where it could be rebuilt."""

    record_id: Id
    scope: Scope
    kind: Kind
    about: Text
    keywords: tuple[Text, ...] = ()
    learned_at: Instant
    forgotten_at: Instant
    size: Count
    reason: Text = ""
    sources: tuple[Source, ...] = ()

    @classmethod
    def of(cls, record: Record, *, about: str, size: int, at: datetime, reason: str = "") -> Self:
        """Return what is left of a record that is forgotten at a moment; `size` is that of its whole text."""
        return cls(
            record_id=record.id,
            scope=record.scope,
            kind=record.kind,
            about=record.summary or about,
            keywords=record.keywords,
            learned_at=record.created_at,
            forgotten_at=at,
            size=size,
            reason=reason,
            sources=record.sources,
        )


class Link(Model):
    """A directed tie between two records; the far end may be gone."""

    from_id: Id
    to_id: Id
    relation: Text = ""
    strength: Share = 1.0
    created_at: Instant
    updated_at: Instant


class ConflictState(StrEnum):
    """How far a contradiction has been worked out."""

    OPEN = "open"
    VALIDATING = "validating"
    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"


class Claim(Model):
    """What one record says in a conflict, and on what grounds."""

    record_id: Id
    text: Text
    evidence: tuple[Source, ...] = ()


class Verdict(Model):
    """How a conflict ended, and the record versions to go back to if that was wrong."""

    text: Text
    upheld: tuple[Id, ...] = ()
    """Ids of the records that were found right; empty when none was."""
    decided_by: Text
    decided_at: Instant
    undo: dict[Id, int] = Field(default_factory=dict)
    """Record id to the version that restores what was before the verdict."""


class Conflict(Model):
    """A contradiction between records, kept until it is settled and undoable after."""

    id: Id
    scope: Scope
    claims: Annotated[tuple[Claim, ...], Field(min_length=2)]
    description: Text = ""
    state: ConflictState = ConflictState.OPEN
    verdict: Verdict | None = None
    created_at: Instant
    updated_at: Instant
    version: Annotated[int, Field(ge=1)] = 1
