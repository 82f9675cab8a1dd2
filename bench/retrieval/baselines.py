"""What a plain search finds: BM25 alone and vectors alone, exact and without anything clever."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.text.terms import index_terms, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75


class Bm25:
    """Okapi BM25 over the same terms that the product searches by."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._lengths: list[int] = []
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, text in enumerate(texts):
            counts = Counter(index_terms(text))
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._places[term].append((place, count))
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def ranking(self, question: str) -> list[tuple[int, float]]:
        """Return the places of texts that share a term with the question and their scores, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term in query_terms(question):
            places = self._places.get(term, ())
            rarity = math.log(1 + (len(self._lengths) - len(places) + 0.5) / (len(places) + 0.5))
            for place, count in places:
                damping = K1 * (1 - B + B * self._lengths[place] / self._mean)
                scores[place] += rarity * count * (K1 + 1) / (count + damping)
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def nearest(vectors: "NDArray[np.float32]", question: "NDArray[np.float32]") -> list[tuple[int, float]]:
    """Return the places of all vectors and their cosines to the question's, nearest first."""
    import numpy as np

    cosines = vectors @ question
    return [(int(place), float(cosines[place])) for place in np.argsort(-cosines, kind="stable")]
