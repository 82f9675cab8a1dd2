"""What every keeper of raw files, every cache, and every keeper of what belongs to no agent must keep."""

import asyncio
import hashlib
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from remanent.errors import InvalidInput, NotFound, StoreClosed
from remanent.model import Clock, Scope
from remanent.stores.blobs import Blobs
from remanent.stores.cache import Cache
from remanent.stores.conformance.base import Samples, SetClock
from remanent.stores.shelf import DAMAGED, Shelf

NO_DIGESTS = [
    "", "abc", "../../../etc/passwd", "/etc/passwd", "..", "g" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "\n",
    "0" * 64 + "\n", "0" * 62 + "/x", "../" + "0" * 61, "\x00" * 64, "０" * 64, "*" * 64,
]  # fmt: skip


class BlobsConformance:
    """The promises of `Blobs`; a backend gives `blobs`."""

    @pytest.fixture
    async def blobs(self) -> Blobs:
        """Return an empty keeper of files."""
        raise NotImplementedError

    @pytest.fixture
    def scope(self) -> Scope:
        """Return whose files they are."""
        return Samples().make_scope()

    @pytest.mark.parametrize("content", [b"", b"plain", bytes(range(256)) * 5000], ids=["empty", "plain", "large"])
    async def test_what_is_read_is_what_was_put(self, blobs: Blobs, scope: Scope, content: bytes) -> None:
        """Of any size, none at all included, and with any bytes: a file is not text."""
        digest = await blobs.put(scope, content)
        assert await blobs.get(scope, digest) == content

    async def test_the_digest_is_the_sha_256_of_the_bytes(self, blobs: Blobs, scope: Scope) -> None:
        """Entries keep the digest, and an export may be read by another backend: all must name a file alike."""
        assert await blobs.put(scope, b"plain") == hashlib.sha256(b"plain").hexdigest()

    async def test_the_same_bytes_are_kept_once(self, blobs: Blobs, scope: Scope) -> None:
        """A picture that is sent with every message must not take the room of every message."""
        first = await blobs.put(scope, b"again")
        assert await blobs.put(scope, b"again") == first
        assert await blobs.digests(scope) == [first]

    async def test_the_digests_of_all_that_is_kept_are_listed_in_order(self, blobs: Blobs, scope: Scope) -> None:
        """What no entry refers to is found by comparing this list with the journal."""
        assert await blobs.digests(scope) == []
        put = [await blobs.put(scope, b"%d" % number) for number in range(20)]
        assert await blobs.digests(scope) == sorted(put)

    async def test_what_was_never_put_is_not_found(self, blobs: Blobs, scope: Scope) -> None:
        """`NotFound` tells it from damage, which a caller must treat otherwise."""
        with pytest.raises(NotFound):
            await blobs.get(scope, "0" * 64)

    async def test_what_is_deleted_is_gone_and_can_be_put_again(self, blobs: Blobs, scope: Scope) -> None:
        """An erasure deletes; the same file may be given again later by somebody who has the right to."""
        digest = await blobs.put(scope, b"for a while")
        await blobs.delete(scope, digest)
        with pytest.raises(NotFound):
            await blobs.get(scope, digest)
        assert await blobs.digests(scope) == []
        assert await blobs.put(scope, b"for a while") == digest
        assert await blobs.get(scope, digest) == b"for a while"

    async def test_deleting_what_is_not_there_is_harmless(self, blobs: Blobs, scope: Scope) -> None:
        """An erasure that was cut short is carried out again from its beginning."""
        await blobs.delete(scope, "0" * 64)

    async def test_agents_do_not_see_each_others_files(self, blobs: Blobs, scope: Scope) -> None:
        """A digest that leaks must not open another agent's file."""
        digest = await blobs.put(scope, b"mine")
        others = [
            Scope(org=scope.org, workspace=scope.workspace, agent="bob"),
            Scope(org=scope.org, workspace="elsewhere", agent=scope.agent),
            Scope(org="other", workspace=scope.workspace, agent=scope.agent),
        ]
        for other in others:
            assert await blobs.digests(other) == []
            with pytest.raises(NotFound):
                await blobs.get(other, digest)
            await blobs.delete(other, digest)
        assert await blobs.get(scope, digest) == b"mine"

    async def test_sessions_of_an_agent_share_its_files(self, blobs: Blobs, scope: Scope) -> None:
        """The agent is the border of memory; a session only narrows what is read."""
        digest = await blobs.put(scope.within(session="one"), b"shared")
        assert await blobs.get(scope.within(session="two", task="t"), digest) == b"shared"

    @pytest.mark.parametrize("digest", NO_DIGESTS, ids=ascii)
    async def test_what_is_no_digest_is_refused(self, blobs: Blobs, scope: Scope, digest: str) -> None:
        """A digest becomes part of a path or a key: nothing else may, or a caller could climb out of the folder."""
        with pytest.raises(InvalidInput):
            await blobs.get(scope, digest)
        with pytest.raises(InvalidInput):
            await blobs.delete(scope, digest)

    async def test_many_at_once_are_all_kept(self, blobs: Blobs, scope: Scope) -> None:
        """Two writers of the same bytes race for one name, and neither may leave half a file under it."""
        contents = [b"%d" % (number % 10) for number in range(60)]
        digests = await asyncio.gather(*(blobs.put(scope, content) for content in contents))
        assert [await blobs.get(scope, digest) for digest in digests] == contents
        assert await blobs.digests(scope) == sorted(set(digests))


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
        for refused in (
            cache.set("key", b"x", ttl=ttl),
            cache.increment("key", ttl=ttl),
            cache.rank("key", {"a": 1.0}, ttl=ttl),
        ):
            with pytest.raises(InvalidInput):
                await refused
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
        for refused in (
            cache.increment("value"),
            cache.rank("value", {"a": 1.0}),
            cache.ranked("value", limit=1),
            cache.unrank("value", "a"),
            cache.get("set"),
            cache.increment("set"),
        ):
            with pytest.raises(InvalidInput):
                await refused
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
        for refused in (
            cache.get("key"),
            cache.set("key", b"x"),
            cache.increment("key"),
            cache.rank("key", {"a": 1.0}),
            cache.ranked("key", limit=1),
            cache.delete("key"),
        ):
            with pytest.raises(StoreClosed):
                await refused


OpenShelf = Callable[[], Shelf]
"""Opens the same place again, as another process would."""


class ShelfConformance:
    """Subclass it with a fixture `open_shelf`."""

    @pytest.fixture
    def shelf(self, open_shelf: OpenShelf) -> Shelf:
        """Return a shelf on an empty place."""
        return open_shelf()

    def test_a_document_is_there_for_others_until_it_is_replaced_or_removed(self, open_shelf: OpenShelf) -> None:
        """Every process sees the same."""
        one, two = open_shelf(), open_shelf()
        assert (two.read(".a/x.json"), two.exists(".a/x.json"), two.state(".a/x.json")) == (None, False, None)
        one.write(".a/x.json", b"\0first\xff")
        assert (two.read(".a/x.json"), two.exists(".a/x.json")) == (b"\0first\xff", True)
        before = two.state(".a/x.json")
        assert two.state(".a/x.json") == before
        one.write(".a/x.json", b"second")
        assert two.read(".a/x.json") == b"second"
        assert two.state(".a/x.json") != before
        one.remove(".a/x.json")
        one.remove(".a/x.json")
        assert (two.read(".a/x.json"), two.state(".a/x.json")) == (None, None)

    def test_documents_of_a_folder_are_listed_and_no_others(self, shelf: Shelf) -> None:
        """Those of folders beneath, and of folders whose names are longer, are not."""
        for name in (".a/one.json", ".a/two.json", ".a/b/three.json", ".ab/four.json", "xa/five.json", ".a/lock"):
            shelf.write(name, b"1")
        assert sorted(shelf.names(".a")) == [".a/one.json", ".a/two.json"]
        assert shelf.names(".none") == []
        shelf.write(".a/one.json", b"again")
        assert dict(shelf.documents(".a")) == {".a/one.json": b"again", ".a/two.json": b"1"}

    def test_documents_are_listed_in_the_order_in_which_they_were_written(self, shelf: Shelf) -> None:
        """Whoever keeps so many removes the first; what is written again is the last."""
        for name in (".a/two.json", ".a/three.json", ".a/one.json", ".a/two.json"):
            # A file system tells times apart by some milliseconds: it is written until its time is later.
            for _ in range(1000):
                shelf.write(name, b"1")
                if shelf.names(".a")[-1] == name:
                    break
        assert shelf.names(".a") == [".a/three.json", ".a/one.json", ".a/two.json"]
        assert [name for name, _ in shelf.documents(".a")] == shelf.names(".a")

    def test_a_lock_lets_one_change_a_document_after_the_other(self, open_shelf: OpenShelf) -> None:
        """Nothing is lost when several read, change and write."""
        open_shelf().write(".a/count.json", b"0")

        def count() -> None:
            shelf = open_shelf()
            for _ in range(10):
                with shelf.locked(".a/lock"):
                    shelf.write(".a/count.json", str(int(shelf.read(".a/count.json") or b"0") + 1).encode())

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert open_shelf().read(".a/count.json") == b"40"

    def test_a_hold_is_seen_by_others_until_it_is_let_go(self, open_shelf: OpenShelf) -> None:
        """By which it is known whether a process is still there."""
        one, two = open_shelf(), open_shelf()
        assert not two.is_held(".a/me.lock")
        hold = one.hold(".a/me.lock")
        assert (two.is_held(".a/me.lock"), one.is_held(".a/me.lock"), hold.is_lost) == (True, True, False)
        hold.release()
        assert not two.is_held(".a/me.lock")

    def test_a_log_grows_and_is_read_from_both_ends(self, open_shelf: OpenShelf) -> None:
        """Lines keep their order and their bytes."""
        one, two = open_shelf().log(".a/log.jsonl"), open_shelf().log(".a/log.jsonl")
        assert (list(two.lines()), two.state()) == ([], None)
        with two.glance() as log:
            assert log is None
        lines = [f"{number}\n".encode() for number in range(25)]
        for start in range(0, 25, 5):
            with one.held() as log:
                log.put(lines[start : start + 5], place=log.end)
        assert list(two.lines()) == lines
        before = two.state()
        with two.glance() as log:
            assert log is not None
            assert [line for line, _ in log.backwards(within=1 << 20)] == lines[::-1]
        assert (one.state(), two.state()) == (before, before)
        with one.held() as log:
            log.put([b"25\n"], place=log.end)
        assert two.state() != before

    def test_what_is_set_aside_from_a_log_is_kept_and_the_log_goes_on_before_it(self, shelf: Shelf) -> None:
        """Nothing is thrown away."""
        log = shelf.log(".a/log.jsonl")
        with log.held() as held:
            held.put([b"good\n", b"bad\n", b"worse\n"], place=0)
        with log.held() as held:
            [*_, (line, place)] = list(held.backwards(within=1 << 20))
            assert line == b"good\n"
            name, digest = held.set_aside(place, name=lambda digest: f"log.{digest[:4]}{DAMAGED}")
            held.put([b"new\n"], place=place)
        assert list(log.lines()) == [b"good\n", b"new\n"]
        assert (log.aside(name), log.aside(f"other{DAMAGED}")) == (digest, None)
        assert shelf.logs(".a") == sorted([".a/log.jsonl", f".a/{name}"])
