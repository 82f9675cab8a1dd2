"""What a key may allow."""

from enum import StrEnum


class Permission(StrEnum):
    """What a key may allow; each is given on its own, and `admin` allows everything."""

    READ = "read"
    WRITE = "write"
    APPROVE = "approve"
    ADMIN = "admin"
