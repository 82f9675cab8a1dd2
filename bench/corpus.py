"""A generated bilingual corpus of any size: the same seed gives the same texts and vectors."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = datetime(2024, 1, 1, tzinfo=UTC)
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "el", "is")]
_HAN_START, _HAN_END = 0x4E00, 0x9000
_VOCABULARY = 30_000
_COMMON = 50
"""The most frequent words: what stop words are in a real language, so no question asks for them."""


class Corpus:
    """Texts whose word frequencies fall as in real language, and vectors that lie in clusters as real ones do."""

    def __init__(self, *, seed: int = 7, dimension: int = 384) -> None:
        self._seed = seed
        self.dimension = dimension
        source = random.Random(seed)
        self._english = ["".join(source.choices(_SYLLABLES, k=source.randint(2, 4))) for _ in range(_VOCABULARY)]
        self._chinese = [
            "".join(chr(source.randrange(_HAN_START, _HAN_END)) for _ in range(source.randint(1, 3)))
            for _ in range(_VOCABULARY)
        ]
        total, weights = 0.0, []
        for rank in range(1, _VOCABULARY + 1):
            total += 1.0 / rank
            weights.append(total)
        self._weights = weights

    def texts(self, count: int) -> Iterator[str]:
        """Yield texts of 8 to 40 words, every third of them Chinese."""
        source = random.Random(self._seed + 1)
        for number in range(count):
            words = self._chinese if number % 3 == 2 else self._english
            chosen = source.choices(words, cum_weights=self._weights, k=source.randint(8, 40))
            yield ("" if words is self._chinese else " ").join(chosen)

    def questions(self, count: int) -> list[str]:
        """Return questions of three to six words that are not the most frequent ones, every third Chinese."""
        source = random.Random(self._seed + 2)
        questions = []
        for number in range(count):
            words = self._chinese if number % 3 == 2 else self._english
            chosen: list[str] = []
            wanted = source.randint(3, 6)
            while len(chosen) < wanted:
                (word,) = source.choices(words, cum_weights=self._weights)
                if word not in words[:_COMMON]:
                    chosen.append(word)
            questions.append((", " if words is self._chinese else " ").join(chosen))
        return questions

    def vectors(self, count: int, *, stream: int = 0) -> "NDArray[np.float32]":
        """Return unit vectors around some thousand centres, in a space of about 48 real dimensions."""
        import numpy as np

        shape = np.random.default_rng(self._seed)
        basis = shape.standard_normal((48, self.dimension), dtype=np.float32)
        centres = shape.standard_normal((4000, 48), dtype=np.float32)
        source = np.random.default_rng([self._seed, stream])
        chosen = centres[source.integers(0, len(centres), count)]
        vectors = (chosen + 0.6 * source.standard_normal((count, 48), dtype=np.float32)) @ basis
        vectors += 0.3 * source.standard_normal((count, self.dimension), dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def moment(number: int) -> datetime:
    """Return the moment of the so-manieth text: one a minute."""
    return START + timedelta(minutes=number)
