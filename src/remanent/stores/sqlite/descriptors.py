"""How many file descriptors the stores of a process may take, by the limit that the process runs under."""

import errno
import os
import sys
from contextlib import suppress
from dataclasses import dataclass

READERS = 4
"""Threads that read for one store, and so the readers that one agent can have at work."""

PER_DATABASE = 5
"""Descriptors of an open database: file and log of its writer and of one reader, and the shared memory of the log."""

PER_READER = 2
"""Descriptors of each further reader: the file and the log."""

PER_INDEX = 2
"""Descriptors of an open file of vectors: its own, and the copy that its mapping keeps."""

FEWEST = 2
"""Databases that are open at the same time however low the limit: an import may read from one into another."""

_STARVED = frozenset({errno.EMFILE, errno.ENFILE})
_PROBE = 4
"""Free descriptors below which opening a database may have failed for want of them: SQLite does not say why it did."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one open memory may hold open at a time."""

    databases: int
    readers: int
    """Beyond the first of each database."""
    index_files: int


def allowance(most_open: int, *, limit: int | None = None) -> Allowance:
    """Return what may be open under a limit of descriptors, that of this process unless given.

    Half of them are for databases (three quarters of these for one writer and one reader each, the rest for further
    readers), an eighth is for files of vectors. The rest stays for connections, models, and whatever else the program
    opens: at a limit of 256 that is 96.
    """
    limit = soft_limit() if limit is None else limit
    databases = max(FEWEST, min(most_open, limit * 3 // 8 // PER_DATABASE))
    return Allowance(
        databases=databases,
        readers=min(databases * (READERS - 1), limit // 8 // PER_READER),
        index_files=max(FEWEST, min(most_open, limit // 8 // PER_INDEX)),
    )


def soft_limit() -> int:
    """Return how many descriptors this process may have open; very many where the system has no such limit."""
    try:
        import resource
    except ImportError:  # Windows: handles are bounded by memory only
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else int(soft)


def says_starved(error: OSError) -> bool:
    """Return whether the system refused because too many files are open."""
    return error.errno in _STARVED


def is_starved() -> bool:
    """Return whether the process has hardly any descriptor left."""
    taken: list[int] = []
    try:
        for _ in range(_PROBE):
            taken.append(os.open(os.devnull, os.O_RDONLY))  # noqa: PERF401 - all that were opened are closed
    except OSError as error:
        return says_starved(error)
    finally:
        for descriptor in taken:
            with suppress(OSError):
                os.close(descriptor)
    return False
