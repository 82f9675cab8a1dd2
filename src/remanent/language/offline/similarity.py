"""How alike texts are: by their vectors where there is an embedder, by their words where there is none."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.errors import InvalidInput
from remanent.language.role import Toolbox
from remanent.text.bm25 import K1, rarity, saturation
from remanent.text.terms import index_terms, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Texts are compared by their beginnings; what matters of a longer one is said there. Chosen by hand.
_READ = 2_000
MAX_TEXTS = 8_000
"""Each is compared with every other, so more take gigabytes; a task's node and fifty others have 6,120 statements."""
_BLOCK = 4_096
"""Terms that are multiplied at once. Chosen by hand."""


async def similarity_matrix(texts: Sequence[str], toolbox: Toolbox) -> "NDArray[np.float32]":
    """Return how alike each two of at most `MAX_TEXTS` texts are, from 0 to 1; the same text is alike by 1."""
    import numpy as np

    if len(texts) > MAX_TEXTS:
        raise InvalidInput(f"at most {MAX_TEXTS} texts are compared with each other, not {len(texts)}; give fewer")
    by_words = _cosines(texts)
    if toolbox.embedder is None or not texts:
        return by_words
    vectors = await toolbox.embedder.embed([text[:_READ] for text in texts])
    by_meaning = np.clip(vectors @ vectors.T, 0, 1)
    # Words that are shared count beside the meaning: a name or a number says more than any vector tells. The weights
    # were chosen by hand.
    both = 0.75 * by_meaning + 0.25 * by_words
    return np.asarray(np.maximum(both, np.where(by_words > 0.999, 1, 0)), np.float32)


async def similarities(text: str, others: Sequence[str], toolbox: Toolbox) -> list[float]:
    """Return how alike one text is to each of the others."""
    matrix = await similarity_matrix([text, *others], toolbox)
    return [float(value) for value in matrix[0, 1:]]


def term_overlap(one: str, other: str) -> float:
    """Return the share of the shorter text's terms that the other has, too."""
    first, second = set(query_terms(one)), set(query_terms(other))
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


def _cosines(texts: Sequence[str]) -> "NDArray[np.float32]":
    """Return the cosines of the texts' terms, those that many of the texts have weighing less."""
    import numpy as np

    counts = [Counter(query_terms(text[:_READ])) for text in texts]
    spread = Counter(term for count in counts for term in count)
    told = [
        {
            term: (1 + math.log(times)) * (1.0 if len(texts) < 3 else math.log(1 + len(texts) / spread[term]))
            for term, times in count.items()
        }
        for count in counts
    ]
    lengths = [math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0 for weights in told]
    # Terms that one text alone has add nothing to its similarity with any other; the rest go in blocks.
    shared = [term for term, times in spread.items() if times > 1]
    same: NDArray[np.float32] = np.zeros((len(texts), len(texts)), np.float32)
    for start in range(0, len(shared), _BLOCK):
        places = {term: place for place, term in enumerate(shared[start : start + _BLOCK])}
        rows = np.zeros((len(texts), len(places)), np.float32)
        for row, weights in enumerate(told):
            for term in weights.keys() & places.keys():
                rows[row, places[term]] = weights[term] / lengths[row]
        same += rows @ rows.T
    same = np.clip(same, 0, 1)
    np.fill_diagonal(same, 1)
    return same


def word_scores(query: str, texts: list[str]) -> list[float]:
    """Return how well each text covers the words of a question: BM25 as a share of the best score possible."""
    asked = query_terms(query)
    counts = [Counter(index_terms(text)) for text in texts]
    if not asked:
        return [0.0] * len(texts)
    spread = {term: sum(term in count for count in counts) for term in asked}
    weights = {term: rarity(found, len(texts)) for term, found in spread.items()}
    average = sum(count.total() for count in counts) / len(counts) or 1.0
    best = sum(weights.values()) * (K1 + 1)
    scores = []
    for count in counts:
        length = count.total() / average
        score = sum(weights[term] * saturation(times, length) for term in asked if (times := count[term]))
        scores.append(min(1.0, score / best) if best else 0.0)
    return scores
