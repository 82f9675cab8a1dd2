"""Which nodes hold the words of a question, by BM25; each change is taken in at once, so nothing is ever rebuilt."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SATURATION = 1.2
_LENGTH_SHARE = 0.75


class KeywordIndex:
    """Terms of texts by row; a row is a small number that the caller gives to each text."""

    def __init__(self) -> None:
        self._terms: dict[int, Counter[str]] = {}
        self._rows_of: dict[str, dict[int, int]] = {}
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]] = {}
        self._length = 0
        self.gathered = 0
        """How many lists of rows were put together since the beginning: it stays while nothing changes."""

    def __len__(self) -> int:
        return len(self._terms)

    def put(self, row: int, terms: Sequence[str]) -> None:
        """Index a text in place of what the row had."""
        self.drop(row)
        counts = Counter(terms)
        self._terms[row] = counts
        self._length += counts.total()
        for term, count in counts.items():
            self._rows_of.setdefault(term, {})[row] = count
            self._postings.pop(term, None)

    def drop(self, row: int) -> None:
        """Take a text out, if it is there."""
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

    def scores(self, terms: Sequence[str], *, size: int) -> "NDArray[np.float32]":
        """Return the score of every row below `size`, brought to 0 … 1: the best has 1, one without any term 0."""
        import numpy as np

        scores = np.zeros(size, np.float32)
        count = len(self._terms)
        average = self._length / count if count else 1.0
        for term in dict.fromkeys(terms):
            if term not in self._rows_of:
                continue
            rows, times, lengths = self._posting(term)
            rarity = math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5))
            damped = times + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / average)
            scores[rows] += rarity * times * (_SATURATION + 1) / damped
        best = float(scores.max(initial=0))
        return scores / best if best > 0 else scores

    def _posting(self, term: str) -> "tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]":
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
