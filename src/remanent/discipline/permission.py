"""What a key may allow."""

from enum import StrEnum


class Permission(StrEnum):
    """What a key may allow; each is given on its own, and `admin` allows everything."""

    READ = "read"
    WRITE = "write"
    APPROVE = "approve"
    ADMIN = "admin"
    METRICS = "metrics"
    """The figures of the whole server, and nothing of any memory: for what scrapes `/metrics`."""
