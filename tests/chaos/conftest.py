from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(disk_path: Path) -> Path:
    """Return an empty folder on the disk: what survives is proved there, unless a test asks for `fast_folder`."""
    return disk_path
