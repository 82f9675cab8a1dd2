import fcntl
from pathlib import Path
from typing import IO

import pytest

from remanent.stores.conformance import ShelfConformance
from remanent.stores.conformance.small_ports import OpenShelf
from remanent.stores.shelf import FolderShelf
from tests.power import Disk


class TestFolderShelf(ShelfConformance):
    @pytest.fixture
    def open_shelf(self, tmp_path: Path) -> OpenShelf:
        return lambda: FolderShelf(tmp_path / "home")


@pytest.mark.spec("SAFE-01")
def test_a_document_and_its_removal_survive_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    shelf = FolderShelf(disk.root)
    shelf.write(".a/x.json", b"there")
    assert FolderShelf(disk.image(tmp_path / "written")).read(".a/x.json") == b"there"
    shelf.remove(".a/x.json")
    assert FolderShelf(disk.image(tmp_path / "removed")).read(".a/x.json") is None


def test_a_hold_that_is_taken_for_one_that_was_left_before_it_is_locked_holds_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever begins to hold removes lock files that nobody holds, and one may be about to be."""
    shelf, other = FolderShelf(tmp_path), FolderShelf(tmp_path)
    flock = fcntl.flock
    raced: list[IO[str] | int] = []

    def slow(file: IO[str] | int, how: int) -> None:
        if how == fcntl.LOCK_EX and not raced:
            raced.append(file)
            other.hold(".a/other.lock").release()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    hold = shelf.hold(".a/me.lock")
    assert raced
    assert other.is_held(".a/me.lock")
    hold.release()
    assert not other.is_held(".a/me.lock")
