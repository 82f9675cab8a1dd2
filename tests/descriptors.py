"""What this process has open, by the system's own account."""

import os
from pathlib import Path

import pytest

OPEN = Path("/proc/self/fd")
needs_proc = pytest.mark.skipif(not OPEN.is_dir(), reason="the system does not list open files")


def open_under(folder: Path) -> list[str]:
    """Return the files under a folder that are open, each as often as it is."""
    found = []
    for descriptor in OPEN.iterdir():
        try:
            path = os.readlink(descriptor)
        except FileNotFoundError:  # the listing's own
            continue
        if path.startswith(f"{folder}{os.sep}"):
            found.append(path.removesuffix(" (deleted)"))
    return sorted(found)


def open_agents(folder: Path) -> set[str]:
    """Return the names of the agents whose database is open."""
    return {Path(path).parent.name for path in open_under(folder) if Path(path).name == "memory.db"}
