"""Background work: the worker of the durable queue, its retries, and waiting for it to settle."""

from remanent.jobs.failure import Requeue, describe_failure
from remanent.jobs.retries import retry_delay
from remanent.jobs.running import Ended, Handler, Outcome
from remanent.jobs.settling import Progress
from remanent.jobs.waiting import Sleep
from remanent.jobs.worker import Worker

__all__ = [
    "Ended",
    "Handler",
    "Outcome",
    "Progress",
    "Requeue",
    "Sleep",
    "Worker",
    "describe_failure",
    "retry_delay",
]
