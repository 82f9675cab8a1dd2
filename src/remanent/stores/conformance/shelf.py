"""What every shelf promises: documents whole, locks that exclude, logs that only grow, and who is still there."""

import threading
from collections.abc import Callable

import pytest

from remanent.stores.shelf import DAMAGED, Shelf

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
