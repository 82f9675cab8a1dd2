"""Sealing: everything an index holds becomes new cells, in a file or in memory, while searches go on."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from remanent.stores.local import clusters
from remanent.stores.local.cells import Cells, Parts, middle
from remanent.stores.local.files import Header, model_digest
from remanent.stores.local.names import pack
from remanent.stores.local.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 16_384
"""Rows that are copied together."""
_SEED = 20_240_229


class Abandoned(Exception):
    """Sealing was told to stop."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Everything an index holds at one moment: rows are named by number, those of the cells before the others."""

    model: str
    revision: int
    cells: Cells | None
    cell_rows: "NDArray[np.int64]"
    rows: Rows
    row_rows: "NDArray[np.int64]"
    ids: list[str]
    """Of the rows outside cells."""
    kinds: "NDArray[np.uint8]"
    """Of all."""
    stop: threading.Event
    """Set when the result is no longer wanted."""

    def __len__(self) -> int:
        return len(self.cell_rows) + len(self.row_rows)

    def go_on(self) -> None:
        """Raise `Abandoned` when the result is no longer wanted."""
        if self.stop.is_set():
            raise Abandoned

    def take(self, numbers: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """Return a copy of some vectors."""
        self.go_on()
        out = np.empty((len(numbers), self.rows.dimension), dtype=np.float32)
        sealed = numbers < len(self.cell_rows)
        if self.cells is not None:
            out[sealed] = self.cells.parts.matrix[self.cell_rows[numbers[sealed]]]
        out[~sealed] = self.rows.take(self.row_rows[numbers[~sealed] - len(self.cell_rows)])
        return out


class Sink(Protocol):
    """Where the rows of new cells go, cell after cell."""

    def begin(self, header: Header) -> None:
        """Hear what will come."""

    def write(self, rows: "NDArray[np.float32]") -> None:
        """Take the rows of the next cell."""

    def finish(self, parts: Parts) -> Cells:
        """Take everything else, and return the cells."""


class MemorySink:
    """Keeps the rows in memory, for an index that has no folder."""

    def begin(self, header: Header) -> None:
        """Make room."""
        self._header = header
        self.matrix = np.empty((header.count, header.dimension), dtype=np.float32)
        self._place = 0

    def write(self, rows: "NDArray[np.float32]") -> None:
        """Keep the rows of the next cell."""
        self.matrix[self._place : self._place + len(rows)] = rows
        self._place += len(rows)

    def finish(self, parts: Parts) -> Cells:
        """Return the cells."""
        parts = replace(parts, matrix=self.matrix)
        return Cells(parts, revision=self._header.revision, trained=self._header.trained)


def seal(holdings: Holdings, sink: Sink) -> Cells:
    """Return new cells of everything held; `Abandoned`, `Damaged` or `OSError` when that is not to be."""
    if holdings.cells is not None:
        holdings.cells.verify()  # a new checksum must not bless what is damaged
    rng = np.random.default_rng(_SEED)
    count = len(holdings)
    centres, trained = _centres(holdings, rng)
    cell_of = _assign(holdings, centres, rng)
    order = np.argsort(cell_of, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(cell_of, minlength=len(centres)))]).astype(np.int64)
    names = _names(holdings, order)
    header = Header(
        model=model_digest(holdings.model),
        dimension=holdings.rows.dimension,
        count=count,
        cells=len(centres),
        width=names.dtype.itemsize,
        revision=holdings.revision,
        trained=trained,
    )
    sink.begin(header)
    # The true middle finds better than the sampled one; and nothing must be left that comes from no row of the cell.
    middles = np.zeros_like(centres)
    for cell, rows in _in_cells(holdings, order, offsets):
        sink.write(rows)
        middles[cell] = middle(rows)
    none = np.empty((0, holdings.rows.dimension), dtype=np.float32)
    return sink.finish(Parts(none, middles, offsets, names, holdings.kinds[order]))


def _centres(holdings: Holdings, rng: np.random.Generator) -> "tuple[NDArray[np.float32], int]":
    """Return the centres in use while they still suit the number of vectors, else new ones."""
    count, cells = len(holdings), holdings.cells
    if cells is not None and cells.trained / 4 < count < cells.trained * 2:
        return cells.parts.centres, cells.trained
    wanted = clusters.cell_count(count)
    size = min(count, clusters.MAX_SAMPLE, wanted * clusters.SAMPLE_PER_CELL)
    sample = holdings.take(np.sort(rng.choice(count, size, replace=False)))
    return clusters.train(sample, wanted, rng=rng, go_on=holdings.go_on), count


def _assign(holdings: Holdings, centres: "NDArray[np.float32]", rng: np.random.Generator) -> "NDArray[np.int32]":
    """Return the cell of every vector; those in cells stay there when the centres do."""
    count, cells = len(holdings), holdings.cells
    cell_of = np.empty(count, dtype=np.int32)
    start = 0
    if cells is not None and centres is cells.parts.centres:
        start = len(holdings.cell_rows)
        cell_of[:start] = np.searchsorted(cells.parts.offsets, holdings.cell_rows, side="right") - 1
    assignment = clusters.Assignment(centres, rng=rng)
    for place in range(start, count, _AT_ONCE):
        numbers = np.arange(place, min(count, place + _AT_ONCE), dtype=np.int64)
        cell_of[numbers] = assignment.cells_of(holdings.take(numbers))
    return cell_of


def _names(holdings: Holdings, order: "NDArray[np.int64]") -> "NDArray[np.bytes_]":
    fresh = pack(holdings.ids)
    if holdings.cells is None:
        return fresh[order]
    sealed = holdings.cells.parts.names[holdings.cell_rows]
    return np.concatenate([sealed, fresh])[order]


def _in_cells(
    holdings: Holdings, order: "NDArray[np.int64]", offsets: "NDArray[np.int64]"
) -> "Iterator[tuple[int, NDArray[np.float32]]]":
    """Yield the rows of each cell; cells are copied some at a time."""
    cell, last = 0, len(offsets) - 1
    while cell < last:
        after = max(cell + 1, int(np.searchsorted(offsets, offsets[cell] + _AT_ONCE, side="right")) - 1)
        rows = holdings.take(order[offsets[cell] : offsets[after]])
        for one in range(cell, after):
            yield one, rows[offsets[one] - offsets[cell] : offsets[one + 1] - offsets[cell]]
        cell = after
