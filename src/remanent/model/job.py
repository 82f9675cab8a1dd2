"""Background work that was promised: kept by whichever process runs next."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.model.base import Count, JsonObject, Model, Text
from remanent.model.clock import Instant, to_instant
from remanent.model.ids import Id
from remanent.model.scope import Scope

TIMER = "timer:"
"""Begins the lanes of jobs that wait for a moment and not for their turn: who waits for an empty queue does not wait
for them."""


class JobState(StrEnum):
    """Where a job stands; a finished one is gone."""

    PENDING = "pending"
    RUNNING = "running"
    DEAD = "dead"


class Job(Model):
    """One piece of background work; jobs of one lane of an agent run strictly in order."""

    id: Id
    seq: Count = 0
    """Place in the queue, given when it is stored; 0 before."""
    scope: Scope
    kind: Text
    lane: Text = "main"
    key: Text | None = None
    """While a job with this key waits in the lane, enqueuing another is a no-op."""
    payload: JsonObject = Field(default_factory=dict)
    """Ids and numbers only: texts stay in the journal, where erasure finds them."""
    state: JobState = JobState.PENDING
    attempts: Count = 0
    max_attempts: Annotated[int, Field(ge=1)] = 5
    enqueued_at: Instant
    not_before: Instant | None = None
    worker: Text | None = None
    fence: Count = 0
    """Rises with every claim; only the newest claim may finish the job."""
    lease_until: Instant | None = None
    error: Text = ""

    @classmethod
    def of_kind(cls, kind: str, job_id: str, *, scope: Scope, at: datetime) -> "Job":
        """Return a job of which one waits at a time, its kind being its lane and its key: every write asks for one."""
        return cls.checked_in_part(
            id=job_id, scope=scope, kind=kind, lane=kind, key=kind, payload={}, enqueued_at=to_instant(at)
        )
