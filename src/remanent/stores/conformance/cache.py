"""What every cache must keep."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from remanent.errors import InvalidInput, StoreClosed
from remanent.model import Clock
from remanent.stores.cache import Cache
from remanent.stores.conformance.base import SetClock

MINUTE = timedelta(minutes=1)


class CacheConformance:
    """The promises of `Cache`; a backend gives `open_cache`."""

    @pytest.fixture
    def open_cache(self) -> Callable[[Clock], Cache]:
        """Return what opens an empty cache that goes by a clock."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> SetClock:
        """Return the clock that the cache goes by."""
        return SetClock()

    @pytest.fixture
    async def cache(self, open_cache: Callable[[Clock], Cache], clock: SetClock) -> Cache:
        """Return an empty cache."""
        return open_cache(clock)

    async def test_a_value_comes_back_as_it_was_set(self, cache: Cache) -> None:
        """Values are bytes: zeros, line ends and emptiness are as good as any."""
        for value in (b"", b"plain", bytes(range(256))):
            await cache.set("key", value)
            assert await cache.get("key") == value

    async def test_an_unknown_key_has_no_value(self, cache: Cache) -> None:
        """Asking for something that is not there is the normal case, and no error."""
        assert await cache.get("nobody") is None
        assert await cache.ranked("nobody", limit=5) == []

    async def test_keys_of_any_writing_do_not_touch_each_other(self, cache: Cache) -> None:
        """Keys are made of users' own names; separators of the engine must mean nothing in them."""
        keys = ["a", "A", "a:b", "a b", "钥匙", "", "*", "a\nb", "k" * 2000]
        for number, key in enumerate(keys):
            await cache.set(key, b"%d" % number)
        assert [await cache.get(key) for key in keys] == [b"%d" % number for number in range(len(keys))]

    async def test_a_value_is_gone_when_its_time_is_over_and_not_before(self, cache: Cache, clock: SetClock) -> None:
        """The clock is passed in, so that both sides of the moment can be tested without waiting."""
        await cache.set("short", b"x", ttl=MINUTE)
        await cache.set("long", b"y")
        clock.advance(seconds=59)
        assert await cache.get("short") == b"x"
        clock.advance(seconds=1)
        assert await cache.get("short") is None
        assert await cache.get("long") == b"y"

    async def test_setting_again_without_a_time_keeps_the_value_for_ever(self, cache: Cache, clock: SetClock) -> None:
        """The old time belongs to the old value; some engines keep it unless told otherwise."""
        await cache.set("key", b"x", ttl=MINUTE)
        await cache.set("key", b"y")
        clock.advance(seconds=3600)
        assert await cache.get("key") == b"y"

    async def test_reading_a_value_does_not_prolong_its_time(self, cache: Cache, clock: SetClock) -> None:
        """A time limit bounds how stale an answer can be, however often it is asked for."""
        await cache.set("key", b"x", ttl=MINUTE)
        clock.advance(seconds=40)
        await cache.get("key")
        clock.advance(seconds=40)
        assert await cache.get("key") is None

    @pytest.mark.parametrize("ttl", [timedelta(), timedelta(seconds=-1)])
    async def test_a_time_that_is_no_time_is_refused(self, cache: Cache, ttl: timedelta) -> None:
        """Engines differ: some delete, some keep for ever. Neither is what the caller meant."""
        with pytest.raises(InvalidInput):
            await cache.set("key", b"x", ttl=ttl)
        with pytest.raises(InvalidInput):
            await cache.increment("key", ttl=ttl)
        with pytest.raises(InvalidInput):
            await cache.rank("key", {"a": 1.0}, ttl=ttl)
        assert await cache.get("key") is None

    async def test_what_is_deleted_is_gone_whatever_it_was(self, cache: Cache) -> None:
        """A caller that deletes does not have to know what the key named."""
        await cache.set("value", b"x")
        await cache.increment("counter")
        await cache.rank("set", {"a": 1.0})
        for key in ("value", "counter", "set", "nobody"):
            await cache.delete(key)
            assert await cache.get(key) is None

    async def test_a_counter_starts_at_nothing_and_adds_up(self, cache: Cache) -> None:
        """Counting down is adding, too."""
        assert await cache.increment("hits") == 1
        assert await cache.increment("hits", by=5) == 6
        assert await cache.increment("hits", by=-10) == -4
        assert await cache.get("hits") == b"-4"

    async def test_a_counter_lives_for_the_time_of_its_first_count(self, cache: Cache, clock: SetClock) -> None:
        """Rate limits count within a window; one that moved with every count would never end."""
        await cache.increment("window", ttl=MINUTE)
        clock.advance(seconds=59)
        assert await cache.increment("window", ttl=MINUTE) == 2
        clock.advance(seconds=1)
        assert await cache.increment("window", ttl=MINUTE) == 1

    async def test_counts_of_many_tasks_are_all_counted(self, cache: Cache) -> None:
        """A read and a write apart would lose counts, and with them the limit they guard."""
        counts = await asyncio.gather(*(cache.increment("hits") for _ in range(100)))
        assert sorted(counts) == list(range(1, 101))

    async def test_members_are_ranked_by_score_and_equal_ones_by_name(self, cache: Cache) -> None:
        """Equal scores are common; without a rule two backends would answer differently."""
        await cache.rank("set", {"b": 1.0, "c": 3.5, "a": 1.0, "d": -2.0, "乙": 1.0})
        assert await cache.ranked("set", limit=10) == [("c", 3.5), ("a", 1.0), ("b", 1.0), ("乙", 1.0), ("d", -2.0)]
        assert await cache.ranked("set", limit=2) == [("c", 3.5), ("a", 1.0)]
        assert await cache.ranked("set", limit=0) == []

    async def test_no_member_below_the_lowest_score_is_returned(self, cache: Cache) -> None:
        """Scores are often moments: this asks for what is not too old."""
        await cache.rank("set", {"a": 1.0, "b": 0.5, "c": 0.0})
        assert await cache.ranked("set", limit=10, lowest=0.5) == [("a", 1.0), ("b", 0.5)]

    async def test_ranking_a_member_again_moves_it_and_keeps_the_others(self, cache: Cache) -> None:
        """A sorted set is added to bit by bit and never written as a whole."""
        await cache.rank("set", {"a": 1.0, "b": 2.0})
        await cache.rank("set", {"a": 3.0, "c": 0.0})
        assert await cache.ranked("set", limit=10) == [("a", 3.0), ("b", 2.0), ("c", 0.0)]

    async def test_members_taken_out_are_gone_and_with_the_last_one_the_set(self, cache: Cache) -> None:
        """An empty set must not keep its key from being used for something else."""
        await cache.rank("set", {"a": 1.0, "b": 2.0})
        await cache.unrank("set", "a", "nobody")
        assert await cache.ranked("set", limit=10) == [("b", 2.0)]
        await cache.unrank("set", "b")
        await cache.set("set", b"free for another use")
        await cache.unrank("nothing there", "a")

    async def test_a_sorted_set_is_gone_when_its_time_is_over(self, cache: Cache, clock: SetClock) -> None:
        """As a whole: members have no time of their own."""
        await cache.rank("set", {"a": 1.0}, ttl=MINUTE)
        clock.advance(seconds=40)
        await cache.rank("set", {"b": 2.0})
        clock.advance(seconds=20)
        assert await cache.ranked("set", limit=10) == []

    async def test_a_time_given_again_starts_anew_for_the_whole_set(self, cache: Cache, clock: SetClock) -> None:
        """A set that is in use must not vanish from under its users."""
        await cache.rank("set", {"a": 1.0}, ttl=MINUTE)
        clock.advance(seconds=40)
        await cache.rank("set", {"b": 2.0}, ttl=MINUTE)
        clock.advance(seconds=40)
        assert await cache.ranked("set", limit=10) == [("b", 2.0), ("a", 1.0)]

    async def test_a_score_that_is_no_number_is_refused(self, cache: Cache) -> None:
        """NaN compares with nothing: one of them would leave the order of all undefined."""
        with pytest.raises(InvalidInput):
            await cache.rank("set", {"a": 1.0, "b": float("nan")})
        assert await cache.ranked("set", limit=10) == []

    async def test_a_key_is_not_asked_for_what_it_is_not(self, cache: Cache) -> None:
        """A mistake in the caller shows at once, not as an empty answer."""
        await cache.set("value", b"words")
        await cache.rank("set", {"a": 1.0})
        with pytest.raises(InvalidInput):
            await cache.increment("value")
        with pytest.raises(InvalidInput):
            await cache.rank("value", {"a": 1.0})
        with pytest.raises(InvalidInput):
            await cache.ranked("value", limit=1)
        with pytest.raises(InvalidInput):
            await cache.unrank("value", "a")
        with pytest.raises(InvalidInput):
            await cache.get("set")
        with pytest.raises(InvalidInput):
            await cache.increment("set")
        assert await cache.get("value") == b"words"
        assert await cache.ranked("set", limit=1) == [("a", 1.0)]

    async def test_a_value_takes_the_place_of_whatever_was_there(self, cache: Cache) -> None:
        """Setting is the one call that does not mind what the key named."""
        await cache.rank("key", {"a": 1.0})
        await cache.set("key", b"x")
        assert await cache.get("key") == b"x"

    async def test_a_closed_cache_refuses_everything_and_closing_twice_is_harmless(self, cache: Cache) -> None:
        """What is shut down in any order must neither hang nor pretend to have kept something."""
        await cache.set("key", b"x")
        await cache.close()
        await cache.close()
        with pytest.raises(StoreClosed):
            await cache.get("key")
        with pytest.raises(StoreClosed):
            await cache.set("key", b"x")
        with pytest.raises(StoreClosed):
            await cache.increment("key")
        with pytest.raises(StoreClosed):
            await cache.rank("key", {"a": 1.0})
        with pytest.raises(StoreClosed):
            await cache.ranked("key", limit=1)
        with pytest.raises(StoreClosed):
            await cache.delete("key")
