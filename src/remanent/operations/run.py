"""Long work as people see it."""

from enum import StrEnum

from pydantic import JsonValue

from remanent.discipline.call import ProgressStep
from remanent.model import Model
from remanent.model.clock import Instant
from remanent.model.ids import Id


class RunState(StrEnum):
    """How long work stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The process that did it ended before it was done."""


class Run(Model):
    """Long work as it stands."""

    run_id: Id
    operation: str
    state: RunState = RunState.RUNNING
    started_at: Instant
    ended_at: Instant | None = None
    step: ProgressStep = ProgressStep()
    response: JsonValue = None
    """The operation's answer, once it is done."""
    error: str | None = None
    """The name of the error that it failed with."""
    message: str = ""
