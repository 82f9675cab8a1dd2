import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.model import Clock
from remanent.stores.cache import KEY_COST, Cache, InProcessCache
from remanent.stores.conformance import CacheConformance
from remanent.stores.conformance.base import SetClock


class TestInProcessCache(CacheConformance):
    @pytest.fixture
    def open_cache(self) -> Callable[[Clock], Cache]:
        return lambda clock: InProcessCache(clock=clock)


def held(cache: InProcessCache) -> int:
    return cache._bytes


async def test_beyond_its_bound_the_cache_lets_go_of_what_was_used_longest_ago() -> None:
    cache = InProcessCache(max_bytes=3 * (KEY_COST + 101))
    for key in "abc":
        await cache.set(key, b"x" * 100)
    await cache.get("a")
    await cache.set("d", b"x" * 100)
    assert [key for key in "abcd" if await cache.get(key) is not None] == ["a", "c", "d"]


async def test_what_is_larger_than_the_bound_is_not_kept_and_drives_nothing_out() -> None:
    cache = InProcessCache(max_bytes=1000)
    await cache.set("small", b"x")
    await cache.set("huge", b"x" * 1001)
    assert await cache.get("huge") is None
    assert await cache.get("small") == b"x"
    await cache.set("small", b"x" * 1001)
    assert await cache.get("small") is None


async def test_a_sorted_set_that_outgrows_the_bound_is_let_go() -> None:
    cache = InProcessCache(max_bytes=2000)
    for number in range(100):
        await cache.rank("set", {f"member {number}": float(number)})
        assert held(cache) <= 2000
    assert len(await cache.ranked("set", limit=100)) < 100


async def test_what_is_over_makes_room_when_it_is_met() -> None:
    clock = SetClock()
    cache = InProcessCache(clock=clock)
    await cache.set("key", b"x", ttl=timedelta(seconds=1))
    clock.advance(seconds=1)
    assert await cache.get("key") is None
    assert held(cache) == 0


async def test_a_value_is_a_copy_of_what_was_given() -> None:
    cache, scores = InProcessCache(), {"a": 1.0}
    await cache.rank("set", scores)
    scores["b"] = 2.0
    assert await cache.ranked("set", limit=5) == [("a", 1.0)]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["set", "delete", "increment", "rank", "unrank", "wait"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 300),
    ),
    max_size=40,
)


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_the_bound_holds_and_nothing_leaks_whatever_is_done(steps: list[tuple[str, str, int]]) -> None:
    async def run() -> None:
        clock = SetClock()
        cache = InProcessCache(clock=clock, max_bytes=1500)
        for what, key, number in steps:
            await step(cache, clock, what, key, number)
            assert 0 <= held(cache) <= 1500
        for key in "abc":
            for prefix in ("value", "count", "set"):
                await cache.delete(f"{prefix} {key}")
        assert held(cache) == 0

    asyncio.run(run())


async def step(cache: InProcessCache, clock: SetClock, what: str, key: str, number: int) -> None:
    ttl = timedelta(seconds=number) if number % 3 == 1 else None
    if what == "set":
        await cache.set(f"value {key}", b"x" * number, ttl=ttl)
    elif what == "delete":
        await cache.delete(f"value {key}")
    elif what == "increment":
        await cache.increment(f"count {key}", by=number, ttl=ttl)
    elif what == "rank":
        await cache.rank(f"set {key}", {f"m{number % 9}": float(number), "x" * number: 1.0}, ttl=ttl)
    elif what == "unrank":
        await cache.unrank(f"set {key}", f"m{number % 9}", "x" * number, "nobody")
    else:
        clock.advance(seconds=number)


async def test_what_nobody_asks_for_any_more_goes_when_its_time_is_over() -> None:
    clock = SetClock(datetime(2024, 5, 1, tzinfo=UTC))
    cache = InProcessCache(clock=clock)
    for number in range(1000):
        await cache.set(f"answer {number}", b"x" * 100, ttl=timedelta(minutes=5))
        clock.advance(seconds=10)
    assert len(cache._kept) <= 31
    assert cache._bytes == sum(kept.cost for kept in cache._kept.values())
    assert await cache.get("answer 999") is not None
