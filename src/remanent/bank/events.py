"""What happens in a bank, told as it happens: for live views, logs and those who follow a run."""

from collections.abc import Callable
from enum import StrEnum

from pydantic import Field

from remanent.model import Instant, JsonObject, Model
from remanent.model.base import Text


class EventKind(StrEnum):
    """What can happen."""

    CHUNK = "chunk"
    """A chunk of an over-long text was sorted by topics."""
    NODE = "node"
    EDGE = "edge"
    CONFLICT = "conflict"
    MERGE = "merge"
    VERDICT = "verdict"
    UNRESOLVED = "unresolved"
    UNDONE = "undone"
    PLAN = "plan"
    ROUND = "round"
    TOOL = "tool"
    RETRY = "retry"
    """A call of a role failed and is tried once more."""
    FAILED = "failed"
    """A step failed; the run goes on."""
    LIMIT = "limit"
    """A bound was reached; what it stopped is said."""
    ANSWER = "answer"
    CLEARED = "cleared"


class BankEvent(Model):
    """One thing that happened."""

    kind: EventKind
    at: Instant
    text: Text = ""
    data: JsonObject = Field(default_factory=dict)


EventListener = Callable[[BankEvent], None]
"""Is told every event, in order; it must not block."""
