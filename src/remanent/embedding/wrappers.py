"""Wrappers around any embedder: one that keeps vectors, one that counts what embedding costs.

Each is an embedder around another, so that what is kept and what is counted is decided where models are opened, and no
model knows of either.
"""

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from remanent.embedding.port import Embedder
from remanent.errors import InvalidInput
from remanent.model import CacheFigures, Clock, EmbeddingFigures, system_clock
from remanent.text.scripts import TextLanguage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Wrapper(Embedder):
    """An embedder as the one inside it is, which cuts what it is given into batches of its own."""

    batch_texts: ClassVar[int] = sys.maxsize
    batch_characters: ClassVar[int] = sys.maxsize

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

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

    def skill(self, language: TextLanguage) -> float:
        """Return the inner embedder's skill."""
        return self._inner.skill(language)

    async def close(self) -> None:
        """Close the inner embedder."""
        await self._inner.close()


class CachedEmbedder(_Wrapper):
    """Gives back the vector of a text it has seen, keyed by model and content hash; the least used go first.

    A vector is kept for `lifetime`. The texts themselves are not kept. 4,096 vectors of 512 numbers take about 10 MB.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        capacity: int = 4_096,
        lifetime: timedelta = timedelta(hours=24),
        clock: Clock = system_clock,
    ) -> None:
        if capacity < 1:
            raise InvalidInput(f"a cache needs room for at least 1 vector, not {capacity}")
        super().__init__(inner)
        self._capacity = capacity
        self._lifetime = lifetime
        self._clock = clock
        self._vectors: OrderedDict[tuple[str, bytes], tuple[datetime, NDArray[np.float32]]] = OrderedDict()
        self._lock = Lock()
        self._hits = 0
        self._misses = 0

    @property
    def figures(self) -> CacheFigures:
        """How often a vector was there."""
        return CacheFigures(name=f"embedding:{self.model_id}", hits=self._hits, misses=self._misses)

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, asking the inner embedder once for each text that is not remembered."""
        import numpy as np

        model_id = self.model_id
        keys = [(model_id, blake2b(text.encode("utf-8"), digest_size=16).digest()) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = await self._inner.embed(list(missing.values()))
            known |= {key: row.copy() for key, row in zip(missing, fresh, strict=True)}
            self._keep(known, list(missing))
        return np.stack([known[key] for key in keys])

    async def close(self) -> None:
        """Forget every vector and close the inner embedder."""
        self.clear()
        await super().close()

    def clear(self) -> None:
        """Forget every vector, as when what they were made from is erased."""
        with self._lock:
            self._vectors.clear()

    def _known(self, keys: list[tuple[str, bytes]]) -> "dict[tuple[str, bytes], NDArray[np.float32]]":
        """Return the vectors that are there and not too old, and count hits and misses."""
        now = self._clock()
        with self._lock:
            kept = {key: self._vectors[key] for key in keys if key in self._vectors}
            known = {key: vector for key, (end, vector) in kept.items() if now < end}
            for key in known:
                self._vectors.move_to_end(key)
            self._hits += sum(key in known for key in keys)
            self._misses += sum(key not in known for key in keys)
        return known

    def _keep(self, vectors: "dict[tuple[str, bytes], NDArray[np.float32]]", fresh: list[tuple[str, bytes]]) -> None:
        """Keep fresh vectors, and drop the longest unused ones beyond the capacity."""
        end = self._clock() + self._lifetime
        with self._lock:
            for key in fresh:
                self._vectors[key] = (end, vectors[key])
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


class MeteredEmbedder(_Wrapper):
    """Counts texts, characters and seconds; outside a cache it counts what was asked, inside what was computed.

    Two of them, one on each side of a cache, tell its hits: the difference between their texts.
    """

    def __init__(self, inner: Embedder, *, timer: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(inner)
        self._timer = timer
        self.figures = EmbeddingFigures(model=inner.model_id)
        """What was embedded since the wrapper was made; seconds go from asking to answer, waiting included."""

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return what the inner embedder returns, counted; what failed is counted apart."""
        begin = self._timer()
        embedded: Sequence[str] = ()
        try:
            vectors = await self._inner.embed(texts)
            embedded = texts
        finally:
            past = self.figures
            self.figures = past.replace(
                texts=past.texts + len(embedded),
                characters=past.characters + sum(map(len, embedded)),
                seconds=past.seconds + self._timer() - begin,
                failures=past.failures + (embedded is not texts),
            )
        return vectors
