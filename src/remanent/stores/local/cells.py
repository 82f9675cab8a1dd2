"""Many vectors, sealed and sorted by cell: only the cells near a question are looked at.

An inverted file in the sense of the literature (IVF with flat storage): k-means gives centres, every vector lies with
its nearest centre, and a search compares the question with the centres and then only with the rows of the nearest
cells. Rows, ids and kinds are plain arrays, in memory or mapped from a file. That is why a vector can be erased where
it lies (zeros over its row, the centre worked out again) without building anything anew.

Ids are packed into rows of equal width and found by hash: a dict of a million strings would take some 180 MB.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from remanent.errors import StorageError
from remanent.model import Kind
from remanent.stores.local.products import ProductPool, normalise
from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The number that stands for a kind of record beside its vector is a byte, given in the order in which kinds are met.
# The set of kinds is open: a file of sealed cells says in its header which kinds its numbers stand for, so that a
# process that numbers them otherwise can read it.
_MAX_KINDS = 256
"""What a byte can tell apart."""

_CODES: dict[str, int] = {}


def kind_code(kind: Kind) -> int:
    """Return the number of a kind."""
    if not _CODES:
        # Those that are always there come first and in the same order, so that most files fit most processes.
        for number, common in enumerate(Kind):
            _CODES[common.value] = number
    code = _CODES.setdefault(kind.value, len(_CODES))
    if code >= _MAX_KINDS:
        del _CODES[kind.value]
        raise StorageError(f"vectors can tell {_MAX_KINDS} kinds of record apart, and {kind} would be one more")
    return code


def kind_names() -> tuple[str, ...]:
    """Return the names of the kinds in the order of their numbers."""
    kind_code(Kind.TURN)
    return tuple(_CODES)


def recoded(codes: "NDArray[np.uint8]", names: tuple[str, ...]) -> "NDArray[np.uint8]":
    """Return numbers that stand for these names as the numbers of this process."""
    table = np.array([kind_code(Kind(name)) for name in names], dtype=np.uint8)
    return codes if (table == np.arange(len(table))).all() else table[codes]


_WORD = 8
"""Bytes that are hashed at once; packed ids are a multiple of it."""
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
    """Return a hash of each packed id, eight letters at a time: one pass of numpy, not one Python call per id."""
    words = packed.view(np.uint64).reshape(len(packed), -1)
    hashes = np.zeros(len(packed), dtype=np.uint64)
    for column in range(words.shape[1]):
        hashes += words[:, column] * _MIX[column % len(_MIX)]
    return hashes


class IdTable:
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
        """Return the rows of those ids that are here, in no order.

        They are looked up by sorted hashes and compared in full only where a hash is the same: a dictionary would keep
        a Python object for every id, and be made anew whenever the file is opened.
        """
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


ROWS_PER_ROOT = 48
"""Rows looked at, per square root of the number of vectors: nearly all of the nearest are among them.

Chosen by measurement: with 200,000 clustered vectors of 384 dimensions, 96 of 100 of the ten nearest; a search that has
to look further raises its effort (`LocalVectors`).
"""


class Damaged(Exception):
    """The bytes of a file are not those that were written; everything in it is still in the store."""


class BackingFile(Protocol):
    """The file behind mapped cells."""

    def settled(self, sound: Callable[[int], bool], cell: int) -> bool:
        """Return whether something is sound while nobody erases in the file."""

    def overwrite(self, rows: "NDArray[np.int64]") -> None:
        """Write zeros over rows, durably."""

    def close(self) -> None:
        """Give up the file; what is mapped stays readable."""


@dataclass(frozen=True, slots=True)
class CellArrays:
    """The arrays that sealed cells are made of, in memory or mapped from a file."""

    matrix: "NDArray[np.float32]"
    """Normalised, cell after cell."""
    centres: "NDArray[np.float32]"
    offsets: "NDArray[np.int64]"
    """Where each cell begins, and behind the last one the end."""
    names: "NDArray[np.bytes_]"
    kinds: "NDArray[np.uint8]"
    checks: "NDArray[np.uint32] | None" = None
    """The checksum of each cell's rows, when they come from a file."""


def middle(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the centre of a cell's rows; of nothing but zeros it is zero.

    The centre of a single row is that row: whoever erases a row must work out the centre again.
    """
    return normalise(rows.sum(axis=0, dtype=np.float32).reshape(1, -1)).reshape(-1)


class Cells:
    """Finds what is near among sealed vectors; removed ones are masked until the cells are built anew."""

    def __init__(self, parts: CellArrays, *, revision: int, trained: int, file: BackingFile | None = None) -> None:
        self.parts = parts
        self.revision = revision
        """Of the store, when these vectors were all there were."""
        self.trained = trained
        """How many vectors there were when the centres were found."""
        self.file = file
        self.names = IdTable(parts.names)
        self.alive = np.ones(len(parts.kinds), dtype=np.bool_)
        self.dead = 0
        self._sound = np.full(len(parts.centres), parts.checks is None)

    def __len__(self) -> int:
        """Return how many vectors are here."""
        return self.end - self.dead

    @property
    def end(self) -> int:
        """How many rows there are, removed ones counted."""
        return len(self.alive)

    @property
    def nbytes(self) -> int:
        """The memory taken, about; what is mapped from a file belongs to the system."""
        own = self.alive.nbytes + self.names.nbytes
        if self.file is not None:
            return own
        parts = self.parts
        return own + parts.matrix.nbytes + parts.centres.nbytes + parts.names.nbytes + parts.kinds.nbytes

    def remove(self, ids: Iterable[str]) -> "NDArray[np.int64]":
        """Mask vectors, if they are here; return the rows of all that were named, so that they can be overwritten."""
        rows = self.names.rows_of(ids)
        self.dead += int(np.count_nonzero(self.alive[rows]))
        self.alive[rows] = False
        if self.file is None and len(rows):
            self.parts.matrix[rows] = 0
            for cell in self.cells_at(rows).tolist():
                start, end = self.parts.offsets[cell : cell + 2].tolist()
                self.parts.centres[cell] = middle(self.parts.matrix[start:end])
        return rows

    def cells_at(self, rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the cells in which rows lie."""
        return np.unique(np.searchsorted(self.parts.offsets, rows, side="right") - 1)

    def verify(self, cells: "NDArray[np.int64] | None" = None) -> None:
        """Check the rows of cells that are looked at for the first time; `Damaged` when they are not as written."""
        unchecked = np.flatnonzero(~self._sound) if cells is None else cells[~self._sound[cells]]
        for cell in unchecked.tolist():
            if not self.is_sound(cell) and not (self.file is not None and self.file.settled(self.is_sound, cell)):
                raise Damaged(f"cell {cell} is damaged")
            self._sound[cell] = True

    def is_sound(self, cell: int) -> bool:
        """Tell whether a cell's rows are as they were written."""
        start, end = self.parts.offsets[cell : cell + 2].tolist()
        return self.parts.checks is None or zlib.crc32(self.parts.matrix[start:end].data) == self.parts.checks[cell]

    def fill(
        self,
        products: ProductPool,
        vector: "NDArray[np.float32]",
        *,
        of_kinds: "NDArray[np.bool_] | None",
        effort: float,
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32], bool]":
        """Return rows near the vector with their cosines, and whether these are all there are."""
        wanted = self.alive if of_kinds is None else self.alive & of_kinds[self.parts.kinds]
        count = int(np.count_nonzero(wanted))
        # Of fewer wanted vectors a larger share must be looked at to find the nearest of them.
        budget = effort * ROWS_PER_ROOT * self.end / max(count, 1) ** 0.5
        if 2 * count <= budget < self.end:
            return *self._score_only(products, vector, np.flatnonzero(wanted)), True
        cells = self._near(products, vector, budget)
        self.verify(cells)
        rows, scores = self._score_cells(products, vector, cells)
        keep = np.flatnonzero(wanted[rows])
        if len(keep) < len(rows):
            rows, scores = rows[keep], scores[keep]
        return rows, scores, len(cells) == len(self.parts.centres)

    def _near(self, products: ProductPool, vector: "NDArray[np.float32]", budget: float) -> "NDArray[np.int64]":
        """Return the nearest cells that hold so many rows together, by their place."""
        scores = np.empty(len(self.parts.centres), dtype=np.float32)
        products.fill([(self.parts.centres, scores)], vector)
        order = np.argsort(-scores)
        sizes = np.diff(self.parts.offsets)
        enough = int(np.searchsorted(np.cumsum(sizes[order]), budget)) + 1
        return np.sort(order[:enough])

    def _score_cells(
        self, products: ProductPool, vector: "NDArray[np.float32]", cells: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Return the rows of cells with their cosines; neighbouring cells are multiplied as one piece."""
        # Cells under one top cluster lie side by side, so the near ones often make one piece.
        breaks = np.flatnonzero(np.diff(cells) > 1)
        starts = self.parts.offsets[cells[np.concatenate([[0], breaks + 1])]]
        ends = self.parts.offsets[cells[np.concatenate([breaks, [len(cells) - 1]])] + 1]
        bounds = np.concatenate([[0], np.cumsum(ends - starts)])
        scores = np.empty(bounds[-1], dtype=np.float32)
        rows = np.arange(bounds[-1], dtype=np.int64) + np.repeat(starts - bounds[:-1], ends - starts)
        matrix = self.parts.matrix
        pieces = [
            (matrix[start:end], scores[place : place + end - start])
            for start, end, place in zip(starts.tolist(), ends.tolist(), bounds.tolist(), strict=False)
        ]
        products.fill(pieces, vector)
        return rows, scores

    def _score_only(
        self, products: ProductPool, vector: "NDArray[np.float32]", rows: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Return the cosines of chosen rows, where fewer are wanted than a search of cells would look at."""
        self.verify(self.cells_at(rows))
        scores = np.empty(len(rows), dtype=np.float32)
        products.fill([(self.parts.matrix[rows], scores)], vector)
        return rows, scores
