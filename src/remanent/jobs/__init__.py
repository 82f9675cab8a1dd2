"""Background work: the worker of the durable queue, its retries, and waiting for it to settle."""

from remanent.jobs.runner import Handler, Postponed, Progress, Requeue, describe_failure, retry_delay
from remanent.jobs.worker import Worker

__all__ = [
    "Handler",
    "Postponed",
    "Progress",
    "Requeue",
    "Worker",
    "describe_failure",
    "retry_delay",
]
