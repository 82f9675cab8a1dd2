"""How records hang together, and where they contradict each other."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.model.base import Model, Share, Text
from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.model.record import Source
from remanent.model.scope import Scope


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
