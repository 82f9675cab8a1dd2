"""BM25 (Robertson and Zaragoza): how much a term that a text holds speaks for it, and texts in memory indexed by it.

The stores compute the same in SQL, with the same constants.

A bank's graph and an agent's search of texts at hand share the index: each had counted the words of every passage anew
for each question, 450 ms over 500 texts, which are 12 with it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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


class KeywordIndex:
    """BM25 over the terms of texts, by row; a row may be used again for another text.

    The rows of a term are put into arrays when a search first needs them, and these are dropped when one of its texts
    changes: an unchanged index gathers nothing again, and a changed one only what the next query asks for.
    """

    def __init__(self) -> None:
        self._terms: dict[int, Counter[str]] = {}
        self._rows_of: dict[str, dict[int, int]] = {}
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]] = {}
        self._length = 0
        self.gathered = 0
        """How many arrays were gathered so far; tests see by it that an unchanged index costs no rebuild."""

    def __len__(self) -> int:
        return len(self._terms)

    def put(self, row: int, terms: Sequence[str]) -> None:
        """Index the terms of a text in place of what the row had."""
        self.drop(row)
        counts = Counter(terms)
        self._terms[row] = counts
        self._length += counts.total()
        for term, count in counts.items():
            self._rows_of.setdefault(term, {})[row] = count
            self._postings.pop(term, None)

    def drop(self, row: int) -> None:
        """Remove the text of a row, if there is one."""
        counts = self._terms.pop(row, None)
        if counts is None:
            return
        self._length -= counts.total()
        for term in counts:
            rows = self._rows_of[term]
            del rows[row]
            self._postings.pop(term, None)
            if not rows:
                del self._rows_of[term]

    def scores(self, terms: Iterable[str], *, size: int) -> "NDArray[np.float32]":
        """Return the score of every row below `size`, divided by the best: it has 1, a row without any term 0."""
        return as_shares(self.weighted(dict.fromkeys(terms, 1.0), size=size))

    def weighted(self, weights: Mapping[str, float], *, size: int) -> "NDArray[np.float32]":
        """Return the plain BM25 score of every row below `size` for terms that count more or less."""
        import numpy as np

        scores = np.zeros(size, np.float32)
        count = len(self._terms)
        average = self._length / count if count else 1.0
        for term, weight in weights.items():
            if not weight or term not in self._rows_of:
                continue
            rows, times, lengths = self._posting(term)
            scores[rows] += weight * rarity(len(rows), count) * saturation(times, lengths / average)
        return scores

    def _posting(self, term: str) -> "tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]":
        """Return the rows that hold a term, with their counts and lengths; kept until a row changes."""
        import numpy as np

        known = self._postings.get(term)
        if known is None:
            rows = self._rows_of[term]
            lengths = (self._terms[row].total() for row in rows)
            known = (
                np.fromiter(rows.keys(), np.int32, len(rows)),
                np.fromiter(rows.values(), np.float32, len(rows)),
                np.fromiter(lengths, np.float32, len(rows)),
            )
            self._postings[term] = known
            self.gathered += 1
        return known


def as_shares(scores: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return scores divided by the best of them."""
    best = float(scores.max(initial=0))
    return scores / best if best > 0 else scores
