"""Clusters of vectors: where their centres lie, and which one a vector belongs to."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from remanent.stores.local.normal import normalise
from remanent.stores.local.products import cross

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS_PER_ROOT = 8
"""Cells per square root of the number of vectors. Finer cells need fewer rows for the same recall, and more centres."""
SAMPLE_PER_CELL = 16
MAX_SAMPLE = 131_072
_ROUNDS = 5
_TOP_SAMPLE = 256
_NEAR_TOPS = 4
"""A vector is compared with the cells under so many top clusters: about as good as with all, and far cheaper."""
_AT_ONCE = 8_192


def cell_count(vectors: int) -> int:
    """Return how many cells so many vectors want."""
    return max(1, min(vectors, round(CELLS_PER_ROOT * math.sqrt(vectors))))


def train(
    sample: "NDArray[np.float32]", cells: int, *, rng: np.random.Generator, go_on: Callable[[], None] = lambda: None
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
    sample: "NDArray[np.float32]", count: int, *, rng: np.random.Generator, go_on: Callable[[], None] = lambda: None
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

    def __init__(self, centres: "NDArray[np.float32]", *, rng: np.random.Generator) -> None:
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
