"""A wrapper that counts what embedding costs."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from remanent.embedding.port import Embedder
from remanent.model import EmbeddingFigures
from remanent.text.language import Language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class EmbeddingUse:
    """What was embedded since the wrapper was made."""

    texts: int = 0
    characters: int = 0
    seconds: float = 0.0
    """From asking to answer, waiting included."""
    failures: int = 0


class MeteredEmbedder(Embedder):
    """Counts texts, characters and seconds; outside a cache it counts what was asked, inside what was computed.

    Two of them, one on each side of a cache, tell its hits: the difference between their texts.
    """

    # The inner embedder cuts what it is given into batches of its own.
    batch_texts: ClassVar[int] = sys.maxsize
    batch_characters: ClassVar[int] = sys.maxsize

    def __init__(self, inner: Embedder, *, timer: Callable[[], float] = time.perf_counter) -> None:
        self._inner = inner
        self._timer = timer
        self.use = EmbeddingUse()

    @property
    def model_id(self) -> str:
        """The inner embedder's model."""
        return self._inner.model_id

    @property
    def loading(self) -> bool:
        """Whether the inner embedder is still being loaded."""
        return self._inner.loading

    @property
    def dimension(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dimension

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return what the inner embedder returns, counted; what failed is counted apart."""
        begin = self._timer()
        done = False
        try:
            vectors = await self._inner.embed(texts)
            done = True
        finally:
            self.use.seconds += self._timer() - begin
            self.use.failures += not done
        self.use.texts += len(texts)
        self.use.characters += sum(map(len, texts))
        return vectors

    def skill(self, language: Language) -> float:
        """Return the inner embedder's skill."""
        return self._inner.skill(language)

    @property
    def figures(self) -> EmbeddingFigures:
        """What was embedded, with the model's name."""
        use = self.use
        return EmbeddingFigures(
            model=self.model_id,
            texts=use.texts,
            characters=use.characters,
            seconds=use.seconds,
            failures=use.failures,
        )

    async def close(self) -> None:
        """Close the inner embedder."""
        await self._inner.close()
