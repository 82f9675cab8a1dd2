"""Record ids in little room, found by hash."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 8
_MIX = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    dtype=np.uint64,
)
"""One odd factor for each eight letters of an id; the unused end is zero and adds nothing."""


def pack(names: Sequence[str], *, width: int | None = None) -> "NDArray[np.bytes_]":
    """Return ids as rows of equal width, a multiple of eight."""
    if width is None:
        longest = max(map(len, names), default=1)
        width = -(-longest // _WORD) * _WORD
    return np.array(names, dtype=f"S{width}")


def _hashes(packed: "NDArray[np.bytes_]") -> "NDArray[np.uint64]":
    words = packed.view(np.uint64).reshape(len(packed), -1)
    hashes = np.zeros(len(packed), dtype=np.uint64)
    for column in range(words.shape[1]):
        hashes += words[:, column] * _MIX[column % len(_MIX)]
    return hashes


class Names:
    """A sealed table of ids, one per row."""

    def __init__(self, packed: "NDArray[np.bytes_]") -> None:
        self.packed = packed
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def nbytes(self) -> int:
        """The memory that looking ids up takes."""
        return 0 if self._sorted is None else sum(part.nbytes for part in self._sorted)

    def at(self, rows: "NDArray[np.int64]") -> list[str]:
        """Return the ids of rows."""
        return [name.decode("ascii") for name in self.packed[rows].tolist()]

    def rows_of(self, names: Iterable[str]) -> "NDArray[np.int64]":
        """Return the rows of those ids that are here, in no order."""
        width = self.packed.dtype.itemsize
        wanted = [name for name in names if len(name) <= width]
        if not wanted or not len(self):
            return np.empty(0, dtype=np.int64)
        if self._sorted is None:
            hashes = _hashes(self.packed)
            order = np.argsort(hashes, kind="stable").astype(np.int64)
            self._sorted = hashes[order], order
        hashes, order = self._sorted
        packed = pack(wanted, width=width)
        asked = _hashes(packed)
        first = np.searchsorted(hashes, asked, side="left")
        last = np.searchsorted(hashes, asked, side="right")
        found = [
            order[place]
            for name, start, end in zip(packed, first, last, strict=True)
            for place in range(start, end)
            if self.packed[order[place]] == name
        ]
        return np.array(sorted(set(found)), dtype=np.int64)
