"""Arithmetic on many rows: vectors of length one, and dot products spread over threads of our own.

Vectors are kept at length one, so that a dot product is a cosine. The threads are ours, because those of BLAS wait for
each other busily and are at their worst exactly when the machine is busy.
"""

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CLOSE_ENOUGH = 1e-6
"""By how much the square of a length may differ from 1: rounding in 32 bits alone makes as much."""
_AT_ONCE = 8_192
"""Rows that are looked at together: some 12 MB, so that the copy of a large matrix is never whole."""


def normalise(matrix: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the rows at length one, in place where that can be; rows without a direction become zeros."""
    matrix = np.require(matrix, np.float32, ["C_CONTIGUOUS", "WRITEABLE", "ALIGNED"])
    for start in range(0, len(matrix), _AT_ONCE):
        rows = matrix[start : start + _AT_ONCE]
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


_T = TypeVar("_T")

MatrixPair = tuple["NDArray[np.float32]", "NDArray[np.float32]"]
"""Rows, and where their products go."""

_BELOW_BLAS_THREADS = 9_216
"""OpenBLAS takes threads of its own for the product of a vector with a matrix of this many elements.

They wait for each other busily: with another process on the machine a product of 6 ms takes 16, and many small ones
take hundreds. So every product is cut into stacks below that size, which also gives each row the same rounding
wherever it lies, and the cut pieces are shared out to threads that never wait.
"""
_BELOW_BLAS_THREADS_OF_MATRICES = 262_144
"""The same for two matrices: rows times columns times what they share."""
_WORTH_A_THREAD = 1 << 20
"""Elements below which sharing the work costs more than it saves."""
_SHARE = 1 << 19
"""Elements that a thread takes at a time, about."""


def _height(dimension: int) -> int:
    """Return how many rows are multiplied together."""
    height = max(1, (_BELOW_BLAS_THREADS - 1) // dimension)
    return height - (height % 4 if height > 4 else 0)


def dot(rows: "NDArray[np.float32]", vector: "NDArray[np.float32]", out: "NDArray[np.float32]", height: int) -> None:
    """Write the product of each row with the vector, on this thread only."""
    count, dimension = rows.shape
    rest = count % height
    if rest:
        np.matmul(rows[-rest:], vector, out=out[-rest:])
    if rest < count:
        whole = count - rest
        np.matmul(rows[:whole].reshape(-1, height, dimension), vector, out=out[:whole].reshape(-1, height))


def cross(rows: "NDArray[np.float32]", others: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the product of every row with each of the others, on this thread only.

    It is done in blocks that are small enough for OpenBLAS not to take threads of its own, which wait for each other
    busily (see `_BELOW_BLAS_THREADS`).
    """
    dimension = rows.shape[1]
    out = np.empty((len(rows), len(others)), dtype=np.float32)
    width = max(1, min(len(others), _BELOW_BLAS_THREADS_OF_MATRICES // (4 * dimension)))
    height = max(1, _BELOW_BLAS_THREADS_OF_MATRICES // (width * dimension))
    height -= height % 4 if height > 4 else 0
    whole = len(rows) // height * height
    stacks = rows[:whole].reshape(-1, height, dimension)
    for start in range(0, len(others), width):
        some = others[start : start + width].T
        if whole:
            out[:whole, start : start + width] = np.matmul(stacks, some).reshape(whole, -1)
        if whole < len(rows):
            out[whole:, start : start + width] = np.matmul(rows[whole:], some)
    return out


class ProductPool:
    """Works out products on a few threads; a caller on one of these threads is never left waiting for itself."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = threads or min(4, _cores())
        self.pool = ThreadPoolExecutor(self._threads, thread_name_prefix="vectors")

    def fill(self, pieces: Sequence[MatrixPair], vector: "NDArray[np.float32]") -> None:
        """Write the products of all pieces."""
        height = _height(len(vector))
        if sum(len(rows) for rows, _ in pieces) * len(vector) < _WORTH_A_THREAD or self._threads == 1:
            for rows, out in pieces:
                dot(rows, vector, out, height)
            return

        def work(share: list[MatrixPair]) -> None:
            for rows, out in share:
                dot(rows, vector, out, height)

        self.share(work, _shares(pieces, max(height, _SHARE // len(vector) // height * height)))

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


def _shares(pieces: Sequence[MatrixPair], step: int) -> list[list[MatrixPair]]:
    """Cut long pieces and join short ones, so that every share has about so many rows."""
    shares: list[list[MatrixPair]] = [[]]
    room = step
    for rows, out in pieces:
        count = len(rows)
        for start in range(0, count, step):
            if room <= 0:
                shares.append([])
                room = step
            shares[-1].append((rows, out) if count <= step else (rows[start : start + step], out[start : start + step]))
            room -= min(step, count - start)
    return shares
