"""The vectors of an index, compared one by one: added at the end, removed in place, overwritten when removed.

Vectors are kept at length one, so that a dot product is a cosine. Comparing all of them is exact, and its cost is
reading memory: 150 MB for 100,000 vectors of 384 dimensions. So a code of a byte a dimension is read first (`Codes`),
with the length of what the code leaves out. By Cauchy and Schwarz the product of two vectors differs from that of their
codes by no more than these lengths allow; rows that cannot be among the nearest are ruled out by that bound, and only
the rest is read in full. The answer stays exact, and a quarter of the memory is read for it.
"""

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import simsimd

from remanent.model import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_T = TypeVar("_T")

_CLOSE_ENOUGH = 1e-6
"""By how much the square of a length may differ from 1: rounding in 32 bits alone makes as much."""
_NORMALISED_AT_ONCE = 8_192
"""Rows that are looked at together: some 12 MB, so that the copy of a large matrix is never whole."""


def normalise(matrix: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the rows at length one, in place where that can be; rows without a direction become zeros."""
    matrix = np.require(matrix, np.float32, ["C_CONTIGUOUS", "WRITEABLE", "ALIGNED"])
    for start in range(0, len(matrix), _NORMALISED_AT_ONCE):
        rows = matrix[start : start + _NORMALISED_AT_ONCE]
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
        crooked = np.flatnonzero(~(np.abs(squares - 1) <= _CLOSE_ENOUGH))
        if len(crooked):
            rows[crooked] = _straighten(rows[crooked])
    return matrix


def _straighten(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return rows of any size at length one: the largest and the smallest floats have no square."""
    wide = rows.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    sound = np.isfinite(lengths) & (lengths > 0)
    wide[~sound] = 0
    wide[sound] /= lengths[sound, None]
    return wide.astype(np.float32)


_BELOW_BLAS_THREADS = 9_216
"""OpenBLAS takes threads of its own for the product of a vector with a matrix of this many elements.

They wait for each other busily: with another process on the machine a product of 6 ms takes 16, and many small ones
take hundreds. So every product is cut into stacks below that size, which also gives each row the same rounding
wherever it lies.
"""


def dot(
    rows: "NDArray[np.float32]", vector: "NDArray[np.float32]", *, height: int | None = None
) -> "NDArray[np.float32]":
    """Return the product of each row with the vector, on this thread only; so many rows are multiplied together."""
    count, dimension = rows.shape
    if height is None:
        height = max(1, (_BELOW_BLAS_THREADS - 1) // dimension)
        height -= height % 4 if height > 4 else 0
    out = np.empty(count, dtype=np.float32)
    whole = count - count % height
    np.matmul(rows[:whole].reshape(-1, height, dimension), vector, out=out[:whole].reshape(-1, height))
    np.matmul(rows[whole:], vector, out=out[whole:])
    return out


class ProductPool:
    """A few threads that products are shared out to; a caller on one of them is never left waiting for itself.

    The threads are ours, because those of BLAS wait for each other busily and are at their worst exactly when the
    machine is busy.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = threads or min(4, _cores())
        self.pool = ThreadPoolExecutor(self._threads, thread_name_prefix="vectors")

    def share(self, one: Callable[[_T], None], things: Sequence[_T]) -> None:
        """Do the same with each of some things, on this thread and on whichever others are free."""
        turns = itertools.count()

        def work() -> None:
            while (turn := next(turns)) < len(things):
                one(things[turn])

        helpers: list[Future[None]] = [self.pool.submit(work) for _ in range(min(self._threads, len(things)) - 1)]
        work()
        for helper in helpers:
            # One that has not started has nothing left to do; one that has is at its last share.
            if not helper.cancel():
                helper.result()

    def close(self) -> None:
        """Let the threads end when they have finished."""
        self.pool.shutdown(wait=False, cancel_futures=True)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_LEVELS = 127
"""Steps to either side of zero: what a signed byte holds without its lowest value, which has no opposite."""
_ROUNDING = np.float32(2e-6)
"""More than single precision loses in any of the sums here."""
_AT_ONCE = 256
"""Rows that stay in the processor's cache while they are encoded, with what is computed of them: 384 dimensions of
100,000 rows take 0.15 s of it, 0.21 to 0.36 with twice as many."""


class Codes:
    """The codes of a block of rows, in the order of the block."""

    def __init__(self, size: int, dimension: int) -> None:
        self._bytes = np.zeros((size, dimension), dtype=np.int8)
        self._scales = np.zeros(size, dtype=np.float32)
        self._left_out = np.zeros(size, dtype=np.float32)

    def __len__(self) -> int:
        """Return how many rows have room."""
        return len(self._bytes)

    @property
    def nbytes(self) -> int:
        """The memory taken."""
        return self._bytes.nbytes + self._scales.nbytes + self._left_out.nbytes

    def write(self, start: int, rows: "NDArray[np.float32]") -> None:
        """Encode rows of length one, or of zeros, from a place on."""
        for first in range(0, len(rows), _AT_ONCE):
            some = rows[first : first + _AT_ONCE]
            place = slice(start + first, start + first + len(some))
            self._bytes[place], self._scales[place], self._left_out[place] = _encode(some)

    def wipe(self, row: int | slice) -> None:
        """Overwrite a row, or several."""
        self._bytes[row] = 0
        self._scales[row] = self._left_out[row] = 0

    def move(self, row: int, source: "Codes", source_row: int) -> None:
        """Take over a row of another block and wipe it there."""
        self._bytes[row] = source._bytes[source_row]
        self._scales[row] = source._scales[source_row]
        self._left_out[row] = source._left_out[source_row]
        source.wipe(source_row)

    def grown(self, size: int) -> "Codes":
        """Return the same codes with room for more."""
        larger = Codes(size, self._bytes.shape[1])
        larger._bytes[: len(self)] = self._bytes
        larger._scales[: len(self)] = self._scales
        larger._left_out[: len(self)] = self._left_out
        return larger

    def bounds(self, question: "EncodedQuery", lowest: "NDArray[np.float32]", highest: "NDArray[np.float32]") -> None:
        """Write between what the products of the question with the first rows lie."""
        count = len(lowest)
        products = simsimd.cdist(question.code, self._bytes[:count], "dot", out_dtype="f32")
        about = cast("NDArray[np.float32]", np.asarray(products)).reshape(-1)
        about *= self._scales[:count]
        about *= question.scale
        margin = self._left_out[:count] * (1 + question.left_out)
        margin += question.left_out + _ROUNDING
        np.subtract(about, margin, out=lowest)
        np.add(about, margin, out=highest)


class EncodedQuery:
    """A vector of length one, encoded to be held against codes."""

    def __init__(self, vector: "NDArray[np.float32]") -> None:
        code, scale, left_out = _encode(vector.reshape(1, -1))
        self.code: NDArray[np.int8] = code
        self.scale = np.float32(scale[0])
        self.left_out = np.float32(left_out[0])


def _encode(rows: "NDArray[np.float32]") -> "tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]":
    """Return codes, what one step of each row is worth, and the length of what its code leaves out."""
    largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    steps = largest / np.float32(_LEVELS)
    with np.errstate(divide="ignore"):
        finer = np.where(steps > np.finfo(np.float32).tiny, 1 / steps, 0).astype(np.float32)
    levels = np.rint(rows * finer[:, None])
    codes = levels.astype(np.int8)
    levels *= steps[:, None]
    np.subtract(rows, levels, out=levels)
    left_out = np.sqrt(np.einsum("ij,ij->i", levels, levels)).astype(np.float32)
    return codes, steps.astype(np.float32), left_out


_BLOCK = 16_384
"""Rows of a block. Blocks are never copied to grow, and memory that is not written to is not taken."""
_FIRST = 64
"""Rows of the first block of a small agent; it doubles until it is a whole block."""
_ID_COST = 180
"""Bytes that an id costs: the text, its place in the list and its entry in the table."""


class Rows:
    """Normalised vectors with their ids and kinds, in blocks. What is removed is zeroed at once."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._blocks: list[NDArray[np.float32]] = []
        self._codes: list[Codes] = []
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._code_of: dict[Kind, int] = {}
        """The numbers that stand for kinds, in the order in which they are met."""
        self._kinds = np.zeros(_FIRST, dtype=np.uint16)
        self._alive = np.zeros(_FIRST, dtype=np.bool_)

    def __len__(self) -> int:
        """Return how many vectors are here."""
        return len(self._row_of)

    @property
    def end(self) -> int:
        """The place behind the last row, removed ones counted."""
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """The memory taken, about."""
        arrays = sum(block.nbytes for block in self._blocks) + sum(codes.nbytes for codes in self._codes)
        return arrays + self.end * _ID_COST

    def put(self, ids: Sequence[str], kinds: Sequence[Kind], matrix: "NDArray[np.float32]") -> None:
        """Add vectors; one that is here under the same id goes. What makes whole blocks is taken over, not copied."""
        self.remove(ids)
        matrix = normalise(matrix)
        start = self.end
        self._reserve(start + len(ids))
        for kind in dict.fromkeys(kinds):
            self._code_of.setdefault(kind, len(self._code_of))
        self._kinds[start : start + len(ids)] = [self._code_of[kind] for kind in kinds]
        self._alive[start : start + len(ids)] = True
        self._ids += ids
        self._row_of.update(zip(ids, range(start, self.end), strict=True))
        place = start
        while place < self.end:
            number, offset = divmod(place, _BLOCK)
            stop = min(self.end, (number + 1) * _BLOCK)
            rows = matrix[place - start : stop - start]
            if len(rows) == _BLOCK:
                self._blocks.append(rows)
                self._codes.append(Codes(_BLOCK, self.dimension))
            else:
                self._grow(number, stop - number * _BLOCK)
                self._blocks[number][offset : offset + len(rows)] = rows
            self._codes[number].write(offset, rows)
            place = stop

    def remove(self, ids: Iterable[str]) -> None:
        """Take vectors out, if they are here, and overwrite them."""
        for record_id in filter(self._row_of.__contains__, ids):
            row = self._row_of.pop(record_id)
            self._alive[row] = False
            self._blocks[row // _BLOCK][row % _BLOCK] = 0
            self._codes[row // _BLOCK].wipe(row % _BLOCK)
        if (self.end - len(self)) * 8 > self.end:
            self._close_gaps()

    def wipe(self) -> None:
        """Overwrite everything, since memory that is given back keeps what it held."""
        for block, codes in zip(self._blocks, self._codes, strict=True):
            block[:] = 0
            codes.wipe(slice(None))

    def near(
        self, products: ProductPool, vector: "NDArray[np.float32]", *, kinds: tuple[Kind, ...] | None, count: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32], bool]":
        """Return rows with their cosines to the vector, the nearest `count` of the kinds among them, and whether
        nothing else is of these kinds."""
        wanted = self._alive[: self.end]
        if kinds is not None:
            of_kinds = np.array([kind in kinds for kind in self._code_of], dtype=np.bool_)
            wanted = wanted & of_kinds[self._kinds[: self.end]]
        rows = np.flatnonzero(wanted)
        everything = len(rows) <= count
        if not everything:
            rows = self._may_be_near(products, vector, rows, count)
        return rows, dot(self.take(rows), vector), everything

    def _may_be_near(
        self, products: ProductPool, vector: "NDArray[np.float32]", rows: "NDArray[np.int64]", count: int
    ) -> "NDArray[np.int64]":
        """Leave out the rows that have so many nearer ones for certain."""
        lowest, highest = np.empty(self.end, dtype=np.float32), np.empty(self.end, dtype=np.float32)
        question = EncodedQuery(vector)

        def bound(number: int) -> None:
            place = slice(number * _BLOCK, min((number + 1) * _BLOCK, self.end))
            self._codes[number].bounds(question, lowest[place], highest[place])

        products.share(bound, range(len(self._codes)))
        if len(rows) < self.end:
            lowest, highest = lowest[rows], highest[rows]
        enough = np.partition(lowest, len(lowest) - count)[len(lowest) - count]
        near: NDArray[np.int64] = rows[highest >= enough]
        return near

    def ids_at(self, rows: "NDArray[np.int64]") -> list[str]:
        """Return the ids of rows."""
        return [self._ids[row] for row in rows.tolist()]

    def take(self, rows: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """Return a copy of rows."""
        out = np.empty((len(rows), self.dimension), dtype=np.float32)
        numbers = rows // _BLOCK
        for number in sorted(set(numbers.tolist())):  # `np.unique` loads the half of numpy that is not used here
            of_block = numbers == number
            out[of_block] = self._blocks[number][rows[of_block] - number * _BLOCK]
        return out

    def _reserve(self, rows: int) -> None:
        """Make room for rows, at least twice as much as there was: growing one by one would copy all each time."""
        if rows > len(self._kinds):
            size = max(rows, 2 * len(self._kinds))
            self._kinds = np.concatenate([self._kinds, np.zeros(size - len(self._kinds), dtype=np.uint16)])
            self._alive = np.concatenate([self._alive, np.zeros(size - len(self._alive), dtype=np.bool_)])

    def _grow(self, number: int, rows: int) -> None:
        """Make room in a block: the first one doubles, since most agents are small; others are made whole at once."""
        if number == len(self._blocks):
            self._blocks.append(np.empty((0, self.dimension), dtype=np.float32))
            self._codes.append(Codes(0, self.dimension))
        block = self._blocks[number]
        if rows > len(block):
            size = _BLOCK if number else min(_BLOCK, max(_FIRST, rows, 2 * len(block)))
            larger = np.empty((size, self.dimension), dtype=np.float32)
            larger[: len(block)] = block
            smaller, self._codes[number] = self._codes[number], self._codes[number].grown(size)
            block[:] = 0
            smaller.wipe(slice(None))
            self._blocks[number] = larger

    def _close_gaps(self) -> None:
        """Move rows from the end into the places of removed ones."""
        count = len(self)
        gaps = np.flatnonzero(~self._alive[:count]).tolist()
        movers = (np.flatnonzero(self._alive[count : self.end]) + count).tolist()
        for gap, row in zip(gaps, movers, strict=True):
            source = self._blocks[row // _BLOCK][row % _BLOCK]
            self._blocks[gap // _BLOCK][gap % _BLOCK] = source
            source[:] = 0
            self._codes[gap // _BLOCK].move(gap % _BLOCK, self._codes[row // _BLOCK], row % _BLOCK)
            self._kinds[gap] = self._kinds[row]
            self._ids[gap] = self._ids[row]
            self._row_of[self._ids[gap]] = gap
        self._alive[:count] = True
        self._alive[count:] = False
        del self._ids[count:]
        del self._blocks[-(-count // _BLOCK) :]
        del self._codes[-(-count // _BLOCK) :]
