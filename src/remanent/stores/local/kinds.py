"""The number that stands for a kind of record beside its vector: a byte, given in the order in which kinds are met.

The set of kinds is open. A file of sealed cells says in its header which kinds its numbers stand for, so that a process
that numbers them otherwise can read it.
"""

from typing import TYPE_CHECKING

import numpy as np

from remanent.errors import StorageError
from remanent.model import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 256
"""What a byte can tell apart."""

_CODES: dict[str, int] = {}


def kind_code(kind: Kind) -> int:
    """Return the number of a kind."""
    if not _CODES:
        # Those that are always there come first and in the same order, so that most files fit most processes.
        for number, common in enumerate(Kind):
            _CODES[common.value] = number
    code = _CODES.setdefault(kind.value, len(_CODES))
    if code >= MOST:
        del _CODES[kind.value]
        raise StorageError(f"vectors can tell {MOST} kinds of record apart, and {kind} would be one more")
    return code


def kind_names() -> tuple[str, ...]:
    """Return the names of the kinds in the order of their numbers."""
    kind_code(Kind.TURN)
    return tuple(_CODES)


def recoded(codes: "NDArray[np.uint8]", names: tuple[str, ...]) -> "NDArray[np.uint8]":
    """Return numbers that stand for these names as the numbers of this process."""
    table = np.array([kind_code(Kind(name)) for name in names], dtype=np.uint8)
    return codes if (table == np.arange(len(table))).all() else table[codes]
