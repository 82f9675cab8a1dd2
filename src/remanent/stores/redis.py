"""A cache in Valkey or Redis, so that what one process worked out serves all of them.

It holds copies only: the truth is in the store. When the server is away, nothing is found and nothing is kept, and
answers are worked out anew; only what would lie about having been done (removing, counting) is refused.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Final, LiteralString

import redis.asyncio as redis
from redis.exceptions import RedisError, ResponseError

from remanent.errors import InvalidInput, StoreBusy, StoreClosed
from remanent.model import Clock, system_clock, to_millis
from remanent.stores.cache import Cache

_PREFIX: Final = "remanent:"
"""Before every key, so that the server may be shared."""
_TIMEOUT: Final = 1.0
"""Seconds: waiting longer for a copy costs more than working it out anew. Chosen by hand."""
_SIZE: Final = 8
"""Connections of one process; chosen by hand, as for the store."""
PAUSE: Final = 1.0
"""Seconds without a question after one that got no answer, so that a server that is away holds nobody up."""

# Every script gets the key, the key of its time limit, and the moment; what is over is removed first. The time limit is
# kept beside the value because it goes by our clock; the server's own limit follows, to free its memory.
_FRESH: LiteralString = """
local over = redis.call('GET', KEYS[2])
if over and tonumber(over) <= tonumber(ARGV[1]) then redis.call('DEL', KEYS[1], KEYS[2]) end
local function limit(ttl)
    if ttl == '' then return end
    redis.call('SET', KEYS[2], tonumber(ARGV[1]) + tonumber(ttl), 'PX', ttl)
    redis.call('PEXPIRE', KEYS[1], ttl)
end
"""
_SCRIPTS: Final[dict[str, LiteralString]] = {
    "get": _FRESH + "return redis.call('GET', KEYS[1])",
    "set": _FRESH + "redis.call('DEL', KEYS[1], KEYS[2]) redis.call('SET', KEYS[1], ARGV[2]) limit(ARGV[3])",
    "delete": "redis.call('DEL', KEYS[1], KEYS[2])",
    "increment": _FRESH
    + """
        local new = redis.call('EXISTS', KEYS[1]) == 0
        local count = redis.call('INCRBY', KEYS[1], ARGV[2])
        if new then limit(ARGV[3]) end
        return count
    """,
    "rank": _FRESH
    + """
        for n = 3, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[n + 1], ARGV[n]) end
        limit(ARGV[2])
    """,
    # Equal scores come by name: of those at the border all are fetched, since the server has them the other way round.
    "ranked": _FRESH
    + """
        local best = redis.call('ZRANGE', KEYS[1], '+inf', ARGV[3], 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
        if #best == 0 then return best end
        local border = best[#best]
        local equal = redis.call('ZRANGE', KEYS[1], border, border, 'BYSCORE', 'WITHSCORES')
        for n = 1, #equal do best[#best + 1] = equal[n] end
        return best
    """,
    "unrank": _FRESH + "redis.call('ZREM', KEYS[1], unpack(ARGV, 2))",
}


class RedisCache(Cache):
    """Keeps values, counters and sorted sets on a server."""

    def __init__(self, url: str, *, clock: Clock = system_clock) -> None:
        self._clock = clock
        # Bounded, and whoever comes later waits: a hundred questions at once must not open a hundred connections.
        pool = redis.BlockingConnectionPool.from_url(
            url, max_connections=_SIZE, timeout=10 * _TIMEOUT, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT
        )
        self._client = redis.Redis(connection_pool=pool)
        self._scripts: dict[str, Callable[..., Any]] = {
            name: self._client.register_script(script) for name, script in _SCRIPTS.items()
        }
        self._away_until = 0.0
        self._closed = False

    async def get(self, key: str) -> bytes | None:
        """Return the value, or `None` when it is absent, its time is over, or the server is away."""
        try:
            value: bytes | None = await self._run("get", key)
        except StoreBusy:
            return None
        return value

    async def set(self, key: str, value: bytes, *, ttl: timedelta | None = None) -> None:
        """Keep a value, in place of whatever the key named; nothing when the server is away."""
        limit = _milliseconds(ttl)
        with suppress(StoreBusy):
            await self._run("set", key, value, limit)

    async def delete(self, key: str) -> None:
        """Remove a value, counter or sorted set."""
        await self._run("delete", key)

    async def increment(self, key: str, *, by: int = 1, ttl: timedelta | None = None) -> int:
        """Add to a counter and return it; a new counter starts at 0 and lives for the time given."""
        count: int = await self._run("increment", key, by, _milliseconds(ttl))
        return count

    async def rank(self, key: str, scores: dict[str, float], *, ttl: timedelta | None = None) -> None:
        """Put members into a sorted set with their scores; nothing when the server is away."""
        if any(math.isnan(score) for score in scores.values()):
            raise InvalidInput("a score must be a number, not NaN")
        pairs = (part for name, score in scores.items() for part in (name, repr(float(score))))
        limit = _milliseconds(ttl)
        with suppress(StoreBusy):
            await self._run("rank", key, limit, *pairs)

    async def ranked(self, key: str, *, limit: int, lowest: float | None = None) -> list[tuple[str, float]]:
        """Return members with the highest scores first, equal scores by name, none below `lowest`."""
        bound = "-inf" if lowest is None else repr(float(lowest))
        found: list[bytes] = await self._run("ranked", key, max(limit, 0), bound)
        members = {name.decode(): float(score) for name, score in zip(found[::2], found[1::2], strict=True)}
        return sorted(members.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    async def unrank(self, key: str, *members: str) -> None:
        """Take members out of a sorted set; with the last one the set is gone."""
        if members:
            await self._run("unrank", key, *members)

    async def close(self) -> None:
        """Let go of the connections; what is kept stays for others."""
        if not self._closed:
            self._closed = True
            await self._client.aclose()
            await self._client.connection_pool.disconnect()

    async def _run(self, name: str, key: str, *values: object) -> Any:
        """Run a script on a key; for a moment after a failure none is, so that a dead server slows nobody down."""
        if self._closed:
            raise StoreClosed("the cache was closed; open another")
        if time.monotonic() < self._away_until:
            raise StoreBusy(_AWAY)
        with self._translated(key):
            keys = [f"{_PREFIX}{key}", f"{_PREFIX}{key}\0until"]
            return await self._scripts[name](keys=keys, args=[to_millis(self._clock()), *values])

    @contextmanager
    def _translated(self, key: str) -> Iterator[None]:
        """Turn the server's errors into ours: wrong use into `InvalidInput`, all else into `StoreBusy` and a pause."""
        try:
            yield
        except ResponseError as error:
            if "WRONGTYPE" in str(error):
                raise InvalidInput(f"{key!r} holds another kind of value; use another key") from error
            if "not an integer" in str(error):
                raise InvalidInput(f"{key!r} holds a value that is not a number; count under another key") from error
            raise StoreBusy(_AWAY) from error
        except (RedisError, OSError) as error:
            self._away_until = time.monotonic() + PAUSE
            raise StoreBusy(_AWAY) from error


_AWAY = "the cache does not answer; check that the server in `cache` is running"


def _milliseconds(ttl: timedelta | None) -> str:
    """Return a time to live as scripts take it, empty for none; one that is over already is refused."""
    if ttl is None:
        return ""
    if ttl <= timedelta():
        raise InvalidInput("ttl must be above 0; use delete() to remove a key at once")
    return str(max(1, int(ttl.total_seconds() * 1000)))
