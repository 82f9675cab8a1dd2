"""Telling the C library how to hand out memory in a process that runs for long and has many threads."""

import contextlib
import ctypes
import os
import sys

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""As glibc's malloc.h numbers them."""
_LARGE = 1 << 20
MOST_ARENAS = 8


def tame_allocator(*, cores: int | None = None) -> bool:
    """Have glibc share its pools among threads and give large blocks back; return whether it was told.

    Left alone, it makes up to eight pools a core, none of which uses what is free in another, and keeps blocks of up to
    32 MB for itself once it has seen some: a server of twenty threads grows for hours although it holds no more than
    before. Call it before threads are started. Elsewhere than on Linux with glibc there is nothing to tell.
    """
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL("libc.so.6").mallopt
        arenas = max(2, min(MOST_ARENAS, cores or os.cpu_count() or 2))
        return all(
            mallopt(option, value) == 1
            for option, value in ((_ARENA_MAX, arenas), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, 2 * _LARGE))
        )
    return False
