from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remanent.embedding import Embedder


class HashEmbedder(Embedder):
    """Gives every text a vector made from its hash and writes down what it was asked."""

    batch_texts = 3
    batch_characters = 20

    def __init__(self, *, model_id: str = "hash", scale: float = 7.0) -> None:
        self._model_id = model_id
        self._scale = scale
        self.batches: list[list[str]] = []
        self.closed = False

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimension(self) -> int:
        return 32

    async def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(list(texts))
        rows = [np.frombuffer(sha256((self._model_id + text).encode()).digest(), np.uint8) for text in texts]
        return np.stack(rows).astype(np.float32) * np.float32(self._scale)

    async def close(self) -> None:
        self.closed = True


class StandInSentenceTransformer:
    """Takes what the package's class takes, and gives the length of a text and its letters a."""

    made: list[tuple[str, dict[str, Any]]]
    batches: list[int]

    def __init__(self, name: str, **options: Any) -> None:
        self.made.append((name, options))
        if "nowhere" in name:
            raise OSError("not found")

    def encode(self, texts: list[str], *, normalize_embeddings: bool, **_: Any) -> Any:
        self.batches.append(len(texts))
        rows = np.array([[len(text), text.count("a"), 1] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) if normalize_embeddings else rows
