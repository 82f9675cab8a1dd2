"""Folders for tests that ask what a store says, not whether the disk keeps it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    """Yield an empty folder in memory where the system has one: waiting for a disk is most of what such tests do."""
    if not MEMORY.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="remanent-test-") as folder:
        yield Path(folder)
