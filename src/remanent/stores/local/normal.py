"""Vectors of length one, so that a dot product is a cosine."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CLOSE_ENOUGH = 1e-6
_AT_ONCE = 8_192


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
