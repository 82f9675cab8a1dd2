"""Background work: the worker of the durable queue, its retries, and waiting for it to settle."""

from remanent.jobs.runner import FinishedJob, Handler, JobOutcome, Postponed, Requeue, describe_failure, retry_delay
from remanent.jobs.settlement import Progress
from remanent.jobs.timing import Sleep
from remanent.jobs.worker import Worker

__all__ = [
    "FinishedJob",
    "Handler",
    "JobOutcome",
    "Postponed",
    "Progress",
    "Requeue",
    "Sleep",
    "Worker",
    "describe_failure",
    "retry_delay",
]
