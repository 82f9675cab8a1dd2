"""Folders for tests of stores: on a disk where it is asked what a disk keeps, in memory where it is not."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(disk_path: Path) -> Path:
    """Return an empty folder on the disk: the files of the embedded stores are proved there."""
    return disk_path


@pytest.fixture
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield an empty folder in memory: waiting for a disk is most of what tests do that ask what a store says."""
    folder = tmp_path_factory.mktemp("quick")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
