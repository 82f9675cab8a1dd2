"""Where tests put their files.

In memory where there is room: what is acknowledged is synced, and waiting for a disk to do so was a third of the time
that tests of the whole memory took. Tests that prove something about files on a disk ask for `disk_path`, or their
package does so for all of them.
"""

import os
from pathlib import Path

ROOM = 2 << 30
"""Bytes that have to be free: many times what the tests of all workers hold at once."""


def _memory() -> Path | None:
    place = Path("/dev/shm")
    if not place.is_dir():
        return None
    state = os.statvfs(place)
    # Tests install packages and run them.
    return place if state.f_bavail * state.f_frsize >= ROOM and not state.f_flag & os.ST_NOEXEC else None


MEMORY = _memory()
"""A folder that lies in memory, if there is one with room."""
