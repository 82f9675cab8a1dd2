"""An embedder for tests: texts that share words lie close together."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from remanent.embedding import Embedder
from remanent.text.terms import query_terms


class WordEmbedder(Embedder):
    """Counts a text's terms into 256 places."""

    @property
    def model_id(self) -> str:
        return "words"

    @property
    def dimension(self) -> int:
        return 256

    async def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for term in query_terms(text):
                rows[row, crc32(term.encode()) % self.dimension] += 1
        return rows
