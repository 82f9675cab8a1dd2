from pathlib import Path

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
