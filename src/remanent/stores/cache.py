"""The port of values that may vanish: time-limited values, counters and sorted sets."""

from abc import ABC, abstractmethod
from datetime import timedelta


class Cache(ABC):
    """Keeps bytes for a while. Nothing in it is true on its own; losing all of it loses no memory.

    A key names one thing: a value, a counter (which reads as its digits) or a sorted set. Asking it for
    another is `InvalidInput`, and so is a time that is not longer than nothing; after `close`, `StoreClosed`.
    """

    @abstractmethod
    async def get(self, key: str) -> bytes | None:
        """Return the value, or `None` when it is absent or its time is over."""

    @abstractmethod
    async def set(self, key: str, value: bytes, *, ttl: timedelta | None = None) -> None:
        """Keep a value, for ever or for a time, in place of whatever the key named."""

    @abstractmethod
    async def delete(self, key: str) -> None:
        """Remove a value, counter or sorted set."""

    @abstractmethod
    async def increment(self, key: str, *, by: int = 1, ttl: timedelta | None = None) -> int:
        """Add to a counter and return it; a new counter starts at 0 and lives for the time given."""

    @abstractmethod
    async def rank(self, key: str, scores: dict[str, float], *, ttl: timedelta | None = None) -> None:
        """Put members into a sorted set with their scores; a time given starts anew for the whole set."""

    @abstractmethod
    async def ranked(self, key: str, *, limit: int, lowest: float | None = None) -> list[tuple[str, float]]:
        """Return members with the highest scores first, equal scores by name, none below `lowest`."""

    @abstractmethod
    async def unrank(self, key: str, *members: str) -> None:
        """Take members out of a sorted set; with the last one the set is gone."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything."""
