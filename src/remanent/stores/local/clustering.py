"""Sealing: everything an index holds becomes new cells, in a file or in memory, while searches go on.

The centres come from k-means in two levels: a sample is clustered coarsely, and each cluster is cut into cells by its
share of the sample. Assigning a vector goes through the coarse level as well, which is what makes it fast enough to
seal 200,000 vectors in some seconds on one core. While the number of vectors stays within a factor of two (or four,
when it shrinks) the centres are used again, and only new vectors are assigned.

Sealing works on a snapshot and may be cancelled at every step; a file gets its name only when it is complete.
"""

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from remanent.stores.local.cells import CellArrays, Cells, middle, pack
from remanent.stores.local.files import Header, model_digest
from remanent.stores.local.products import cross, normalise
from remanent.stores.local.rows import Rows
from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELLS_PER_ROOT = 8
"""Cells per square root of the number of vectors. Finer cells need fewer rows for the same recall, and more centres."""
_SAMPLE_PER_CELL = 16
"""Vectors per cell from which its centre is found; it is put right from all of its rows afterwards."""
_MAX_SAMPLE = 131_072
"""Vectors that centres are found from at the most: 200 MB at 384 dimensions."""
_ROUNDS = 5
"""Rounds of k-means; chosen by hand, since cells only have to be near enough."""
_TOP_SAMPLE = 256
"""Vectors per centre that a round of k-means looks at, at the most; chosen by hand."""
_NEAR_TOPS = 4
"""A vector is compared with the cells under so many top clusters: about as good as with all, and far cheaper."""
_AT_ONCE = 8_192
"""Vectors whose products with all centres are held at a time: that matrix is what takes most memory here."""


def cell_count(vectors: int) -> int:
    """Return how many cells so many vectors want."""
    return max(1, min(vectors, round(_CELLS_PER_ROOT * math.sqrt(vectors))))


def train(
    sample: "NDArray[np.float32]", cells: int, *, rng: "np.random.Generator", go_on: Callable[[], None] = lambda: None
) -> "NDArray[np.float32]":
    """Return cell centres: clusters of a sample, each cut into cells by its share of it.

    `go_on` is called often, and may raise to end the work.
    """
    cells = min(cells, len(sample))
    tops = _means(sample, round(cells**0.5), rng=rng, go_on=go_on)
    nearest = np.concatenate(
        [cross(sample[start : start + _AT_ONCE], tops).argmax(axis=1) for start in range(0, len(sample), _AT_ONCE)]
    )
    sizes = np.bincount(nearest, minlength=len(tops))
    centres = [
        _means(sample[nearest == top], max(1, round(sizes[top] * cells / len(sample))), rng=rng, go_on=go_on)
        for top in np.flatnonzero(sizes).tolist()
    ]
    return np.concatenate(centres)


def _means(
    sample: "NDArray[np.float32]", count: int, *, rng: "np.random.Generator", go_on: Callable[[], None] = lambda: None
) -> "NDArray[np.float32]":
    """Return the centres of k-means by cosine."""
    count = max(1, min(count, len(sample)))
    if len(sample) > _TOP_SAMPLE * count:
        sample = sample[rng.choice(len(sample), _TOP_SAMPLE * count, replace=False)]
    centres = sample[rng.choice(len(sample), count, replace=False)].copy()
    for _ in range(_ROUNDS):
        nearest = np.empty(len(sample), dtype=np.int64)
        fit = np.empty(len(sample), dtype=np.float32)
        for start in range(0, len(sample), _AT_ONCE):
            go_on()
            scores = cross(sample[start : start + _AT_ONCE], centres)
            best = scores.argmax(axis=1)
            nearest[start : start + len(best)] = best
            fit[start : start + len(best)] = scores[np.arange(len(best)), best]
        sizes = np.bincount(nearest, minlength=count)
        filled = np.flatnonzero(sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        centres[filled] = np.add.reduceat(sample[np.argsort(nearest, kind="stable")], starts[filled], axis=0)
        empty = np.flatnonzero(sizes == 0)
        centres[empty] = sample[np.argsort(fit)[: len(empty)]]  # where the present centres fit worst
        centres = normalise(centres)
    return centres


class Assignment:
    """Finds the nearest cell of many vectors through clusters of the cells themselves."""

    def __init__(self, centres: "NDArray[np.float32]", *, rng: "np.random.Generator") -> None:
        self._centres = centres
        self._tops = _means(centres, round(len(centres) ** 0.5), rng=rng)
        top_of = cross(centres, self._tops).argmax(axis=1)
        self._under = [np.flatnonzero(top_of == top) for top in range(len(self._tops))]

    def cells_of(self, rows: "NDArray[np.float32]") -> "NDArray[np.int32]":
        """Return the cell of each row."""
        cells = np.empty(len(rows), dtype=np.int32)
        for start in range(0, len(rows), _AT_ONCE):
            cells[start : start + _AT_ONCE] = self._some(rows[start : start + _AT_ONCE])
        return cells

    def _some(self, rows: "NDArray[np.float32]") -> "NDArray[np.int32]":
        """Return the cells of some rows: the best among all cells under the few top clusters nearest to each.

        A row that lies at the border of its top cluster may belong to a cell under the next one, which is why more than
        one is looked under.
        """
        near = cross(rows, self._tops)
        if near.shape[1] > _NEAR_TOPS:
            border = np.partition(near, -_NEAR_TOPS, axis=1)[:, -_NEAR_TOPS]
            look = near >= border[:, None]
        else:
            look = np.ones(near.shape, dtype=np.bool_)
        best = np.full(len(rows), -np.inf, dtype=np.float32)
        cells = np.zeros(len(rows), dtype=np.int32)
        for top, under in enumerate(self._under):
            asking = np.flatnonzero(look[:, top])
            if not len(asking) or not len(under):
                continue
            scores = cross(rows[asking], self._centres[under])
            nearest = scores.argmax(axis=1)
            score = scores[np.arange(len(asking)), nearest]
            better = score > best[asking]
            best[asking[better]] = score[better]
            cells[asking[better]] = under[nearest[better]]
        return cells


_ROWS_AT_ONCE = 16_384
"""Rows that are copied together."""
_SEED = 20_240_229
"""The same vectors make the same cells in every process, so that what a search missed can be looked into."""


class SealingCancelled(Exception):
    """Sealing was told to stop."""


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
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
        """Raise `SealingCancelled` when the result is no longer wanted."""
        if self.stop.is_set():
            raise SealingCancelled

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

    def finish(self, parts: CellArrays) -> Cells:
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

    def finish(self, parts: CellArrays) -> Cells:
        """Return the cells."""
        parts = replace(parts, matrix=self.matrix)
        return Cells(parts, revision=self._header.revision, trained=self._header.trained)


def seal(snapshot: IndexSnapshot, sink: Sink) -> Cells:
    """Return new cells of everything held; raises `SealingCancelled`, `Damaged` or `OSError`."""
    if snapshot.cells is not None:
        snapshot.cells.verify()  # a new checksum must not bless what is damaged
    rng = np.random.default_rng(_SEED)
    count = len(snapshot)
    centres, trained = _centres(snapshot, rng)
    cell_of = _assign(snapshot, centres, rng)
    order = np.argsort(cell_of, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(cell_of, minlength=len(centres)))]).astype(np.int64)
    names = _names(snapshot, order)
    header = Header(
        model=model_digest(snapshot.model),
        dimension=snapshot.rows.dimension,
        count=count,
        cells=len(centres),
        width=names.dtype.itemsize,
        revision=snapshot.revision,
        trained=trained,
    )
    sink.begin(header)
    # The true middle finds better than the sampled one; and nothing must be left that comes from no row of the cell.
    middles = np.zeros_like(centres)
    for cell, rows in _in_cells(snapshot, order, offsets):
        sink.write(rows)
        middles[cell] = middle(rows)
    none = np.empty((0, snapshot.rows.dimension), dtype=np.float32)
    return sink.finish(CellArrays(none, middles, offsets, names, snapshot.kinds[order]))


def _centres(snapshot: IndexSnapshot, rng: "np.random.Generator") -> "tuple[NDArray[np.float32], int]":
    """Return the centres in use while they still suit the number of vectors, else new ones."""
    count, cells = len(snapshot), snapshot.cells
    if cells is not None and cells.trained / 4 < count < cells.trained * 2:
        return cells.parts.centres, cells.trained
    wanted = cell_count(count)
    size = min(count, _MAX_SAMPLE, wanted * _SAMPLE_PER_CELL)
    sample = snapshot.take(np.sort(rng.choice(count, size, replace=False)))
    return train(sample, wanted, rng=rng, go_on=snapshot.go_on), count


def _assign(snapshot: IndexSnapshot, centres: "NDArray[np.float32]", rng: "np.random.Generator") -> "NDArray[np.int32]":
    """Return the cell of every vector; those in cells stay there when the centres do."""
    count, cells = len(snapshot), snapshot.cells
    cell_of = np.empty(count, dtype=np.int32)
    start = 0
    if cells is not None and centres is cells.parts.centres:
        start = len(snapshot.cell_rows)
        cell_of[:start] = np.searchsorted(cells.parts.offsets, snapshot.cell_rows, side="right") - 1
    assignment = Assignment(centres, rng=rng)
    for place in range(start, count, _ROWS_AT_ONCE):
        numbers = np.arange(place, min(count, place + _ROWS_AT_ONCE), dtype=np.int64)
        cell_of[numbers] = assignment.cells_of(snapshot.take(numbers))
    return cell_of


def _names(snapshot: IndexSnapshot, order: "NDArray[np.int64]") -> "NDArray[np.bytes_]":
    """Return the packed ids in the order of the new rows."""
    fresh = pack(snapshot.ids)
    if snapshot.cells is None:
        return fresh[order]
    sealed = snapshot.cells.parts.names[snapshot.cell_rows]
    return np.concatenate([sealed, fresh])[order]


def _in_cells(
    snapshot: IndexSnapshot, order: "NDArray[np.int64]", offsets: "NDArray[np.int64]"
) -> "Iterator[tuple[int, NDArray[np.float32]]]":
    """Yield the rows of each cell; cells are copied some at a time."""
    cell, last = 0, len(offsets) - 1
    while cell < last:
        after = max(cell + 1, int(np.searchsorted(offsets, offsets[cell] + _ROWS_AT_ONCE, side="right")) - 1)
        rows = snapshot.take(order[offsets[cell] : offsets[after]])
        for one in range(cell, after):
            yield one, rows[offsets[one] - offsets[cell] : offsets[one + 1] - offsets[cell]]
        cell = after
