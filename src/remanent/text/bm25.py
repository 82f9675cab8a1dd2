"""BM25 (Robertson and Zaragoza): how much a term that a text holds speaks for it, for whoever has the counts at hand.

The stores compute the same in SQL, with the same constants.
"""

import math
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
"""How soon a repeated term stops counting. The usual value, as in SQLite's own bm25()."""
B = 0.75
"""How far a long text is held back. The usual value."""

_Number = TypeVar("_Number", float, "NDArray[np.floating[Any]]")


def rarity(holding: int, texts: int) -> float:
    """Return what a term is worth that so many of the texts hold."""
    return math.log(1 + (max(texts - holding, 0) + 0.5) / (holding + 0.5))


def saturation(times: _Number, length: _Number) -> _Number:
    """Return what a term counts that a text holds so many times, below K1 + 1; `length` is a share of the average."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length))
