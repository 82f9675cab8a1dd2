"""Values that may vanish: the port, and the adapter inside the process.

What is kept here is bounded in time or in size, and losing all of it loses no memory; so an adapter needs no
durability.
"""

import heapq
import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from datetime import datetime, timedelta

from remanent.errors import InvalidInput, StoreClosed
from remanent.lightweight import dataclass
from remanent.model import Clock, system_clock


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


_MAX_BYTES = 64 * 2**20
"""What all values together may take unless it is said otherwise: thousands of answers, and little beside the models."""
KEY_COST = 200
"""Bytes that a key costs beside its value: the entry, the strings' headers, the table slot."""
_MEMBER_COST = 120
"""The same for a member of a sorted set."""


@dataclass(slots=True)
class _CacheEntry:
    thing: bytes | dict[str, float]
    expires_at: datetime | None
    cost: int


class InProcessCache(Cache):
    """Keeps what was used last and lets go of the rest beyond `max_bytes`.

    No method awaits anything, so on one event loop each of them happens at once: tasks never see half of a change.
    """

    def __init__(self, *, clock: Clock = system_clock, max_bytes: int = _MAX_BYTES) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, _CacheEntry] = OrderedDict()
        self._bytes = 0
        self._closed = False

    async def get(self, key: str) -> bytes | None:
        """Return the value, or `None` when it is absent or its time is over."""
        kept = self._find(key)
        return None if kept is None else _value(key, kept)

    async def set(self, key: str, value: bytes, *, ttl: timedelta | None = None) -> None:
        """Keep a value, for ever or for a time, in place of whatever the key named."""
        self._keep(key, bytes(value), self._end(ttl))

    async def delete(self, key: str) -> None:
        """Remove a value, counter or sorted set."""
        if self._find(key) is not None:
            self._let_go(key)

    async def increment(self, key: str, *, by: int = 1, ttl: timedelta | None = None) -> int:
        """Add to a counter and return it; a new counter starts at 0 and lives for the time given."""
        kept, end = self._find(key), self._end(ttl)
        if kept is None:
            self._keep(key, b"%d" % by, end)
            return by
        try:
            count = int(_value(key, kept)) + by
        except ValueError as error:
            raise InvalidInput(f"{key!r} holds a value that is not a number; count under another key") from error
        self._keep(key, b"%d" % count, kept.expires_at)
        return count

    async def rank(self, key: str, scores: dict[str, float], *, ttl: timedelta | None = None) -> None:
        """Put members into a sorted set with their scores; a time given starts anew for the whole set."""
        if any(math.isnan(score) for score in scores.values()):
            raise InvalidInput("a score must be a number, not NaN")
        kept, end = self._find(key), self._end(ttl)
        if kept is None:
            if scores:
                self._keep(key, dict(scores), end)
            return
        members = _members(key, kept)
        new = {name: score for name, score in scores.items() if name not in members}
        members.update(scores)
        if ttl is not None:
            kept.expires_at = end
        self._charge(kept, _cost(new))

    async def ranked(self, key: str, *, limit: int, lowest: float | None = None) -> list[tuple[str, float]]:
        """Return members with the highest scores first, equal scores by name, none below `lowest`."""
        kept = self._find(key)
        members = {} if kept is None else _members(key, kept)
        wanted = [(name, score) for name, score in members.items() if lowest is None or score >= lowest]
        return heapq.nsmallest(limit, wanted, key=lambda pair: (-pair[1], pair[0]))

    async def unrank(self, key: str, *members: str) -> None:
        """Take members out of a sorted set; with the last one the set is gone."""
        kept = self._find(key)
        if kept is None:
            return
        there = _members(key, kept)
        gone = {name: there.pop(name) for name in set(members) if name in there}
        self._charge(kept, -_cost(gone))
        if not there:
            self._let_go(key)

    async def close(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._bytes = 0
        self._closed = True

    def _find(self, key: str) -> _CacheEntry | None:
        """Return what a key names, as used just now; what has expired goes when it is met."""
        if self._closed:
            raise StoreClosed("the cache was closed; open another")
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.expires_at is not None and kept.expires_at <= self._clock():
            self._let_go(key)
            return None
        self._kept.move_to_end(key)
        return kept

    def _end(self, ttl: timedelta | None) -> datetime | None:
        """Return when a time limit that starts now is over."""
        if ttl is None:
            return None
        if ttl <= timedelta():
            raise InvalidInput("ttl must be above 0; use delete() to remove a key at once")
        return self._clock() + ttl

    def _keep(self, key: str, thing: bytes | dict[str, float], end: datetime | None) -> None:
        """Put a thing under a key, and drive out what was not used for longest when there is no room."""
        if self._closed:
            raise StoreClosed("the cache was closed; open another")
        if key in self._kept:
            self._let_go(key)
        self._let_go_of_the_dead()
        cost = KEY_COST + len(key) + _cost(thing)
        # Something larger than the whole bound is not kept at all, rather than drive everything else out.
        if cost <= self._max_bytes:
            self._kept[key] = kept = _CacheEntry(thing, end, 0)
            self._charge(kept, cost)

    def _charge(self, kept: _CacheEntry, cost: int) -> None:
        """Count what a value costs, and let go of the longest unused until all fit."""
        kept.cost += cost
        self._bytes += cost
        while self._bytes > self._max_bytes:
            self._let_go(next(iter(self._kept)))

    def _let_go_of_the_dead(self) -> None:
        """Drop what was not used for longest if its time is over: nobody may ask for it ever again."""
        now = self._clock()
        while self._kept:
            key, kept = next(iter(self._kept.items()))
            if kept.expires_at is None or kept.expires_at > now:
                return
            self._let_go(key)

    def _let_go(self, key: str) -> None:
        self._bytes -= self._kept.pop(key).cost


def _cost(thing: bytes | dict[str, float]) -> int:
    if isinstance(thing, bytes):
        return len(thing)
    return sum(_MEMBER_COST + len(name) for name in thing)


def _value(key: str, kept: _CacheEntry) -> bytes:
    if isinstance(kept.thing, bytes):
        return kept.thing
    raise InvalidInput(f"{key!r} names a sorted set, not a value; read it with ranked()")


def _members(key: str, kept: _CacheEntry) -> dict[str, float]:
    if isinstance(kept.thing, bytes):
        raise InvalidInput(f"{key!r} names a value, not a sorted set; use another key")
    return kept.thing
