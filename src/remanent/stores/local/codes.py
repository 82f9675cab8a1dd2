"""Vectors in a byte a dimension, to tell without reading them whole which of them cannot be among the nearest.

A code comes with the length of what it leaves out. By Cauchy and Schwarz the product of two vectors differs from that
of their codes by no more than these lengths allow, so looking only at vectors that may be near loses none: the answer
stays exact, and a quarter of the memory is read for it.
"""

from typing import TYPE_CHECKING, cast

import numpy as np
import simsimd

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEVELS = 127
_ROUNDING = np.float32(2e-6)
"""More than single precision loses in any of the sums here."""
_AT_ONCE = 512
"""Rows that stay in the processor's cache while they are encoded."""


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

    def wipe(self, row: int) -> None:
        """Overwrite a row."""
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

    def bounds(self, question: "Question", lowest: "NDArray[np.float32]", highest: "NDArray[np.float32]") -> None:
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


class Question:
    """A vector of length one, encoded to be held against codes."""

    def __init__(self, vector: "NDArray[np.float32]") -> None:
        code, scale, left_out = _encode(vector.reshape(1, -1))
        self.code: NDArray[np.int8] = code
        self.scale = np.float32(scale[0])
        self.left_out = np.float32(left_out[0])


def _encode(
    rows: "NDArray[np.float32]",
) -> "tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]":
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
