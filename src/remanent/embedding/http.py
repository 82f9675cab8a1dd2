"""Models behind an address: OpenAI-compatible embedding, and reranking in the form of Cohere and Jina.

Whoever names an address sends it every text that is remembered, so that none is ever taken from data: only settings
name one (`registry.py`).
"""

import asyncio
import json
import math
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from remanent.embedding.port import Embedder, Reranker, windows
from remanent.errors import InvalidSettings, ModelRejected, ModelUnavailable
from remanent.http.client import JsonApi, RequestLimits
from remanent.model import Clock, system_clock
from remanent.settings import EmbeddingSettings
from remanent.text.scripts import well_formed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import SecretStr


class HttpEmbedder(Embedder):
    """Sends texts to `/embeddings` of an address; a text longer than the model's window goes in pieces."""

    # Chosen by hand, below what the known APIs take in one request.
    batch_texts: ClassVar[int] = 64
    batch_characters: ClassVar[int] = 64_000

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        clock: Clock = system_clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if settings.base_url is None or settings.name is None or settings.dimension is None:
            raise InvalidSettings(
                "the embedder http needs embedding.base_url, embedding.name and embedding.dimension; "
                "see docs/settings.md"
            )
        self._name = settings.name
        self._dimension = settings.dimension
        self._settings = settings
        self._api = JsonApi(
            settings.base_url,
            key=settings.api_key,
            group="embedding",
            bounds=RequestLimits(
                timeout=settings.timeout,
                request_timeout=settings.request_timeout,
                max_answer=int(settings.max_answer),
                attempts=settings.attempts,
            ),
            clock=clock,
            sleep=sleep,
        )

    @property
    def model_id(self) -> str:
        """The model's name and dimension; not the address, so that a model may move."""
        return f"http:{self._name}:{self._dimension}"

    @property
    def dimension(self) -> int:
        """What the settings say; an answer that differs is refused."""
        return self._dimension

    def pieces(self, text: str) -> Sequence[str]:
        """Return the pieces that the window holds; they count alike."""
        return windows(text, self._settings.window)

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text."""
        body: dict[str, Any] = {"model": self._name, "input": list(texts)}
        if self._settings.shorten:
            body["dimensions"] = self._dimension
        answer = await self._api.post("embeddings", body)
        # In a thread: some hundred thousand numbers as text take a while to read.
        return await asyncio.to_thread(self._read, answer, len(texts))

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _read(self, answer: bytes, count: int) -> "NDArray[np.float32]":
        """Return the unit vectors of an answer, in the order of the texts."""
        import numpy as np

        rows = _by_index(answer, count, items="data", value="embedding")
        if rows is None or not all(isinstance(row, list) for row in rows):
            raise ModelUnavailable(f"{self._api.place} did not answer with a list of {count} embeddings")
        lengths = {len(row) for row in rows}
        if lengths != {self._dimension}:
            found = " and ".join(str(length) for length in sorted(lengths))
            raise ModelRejected(
                f"{self._api.place} returns vectors of {found} numbers, not {self._dimension}; correct "
                "embedding.dimension, or set embedding.shorten if the model can shorten its vectors"
            )
        try:
            vectors = np.array(rows, np.float64)
        except (OverflowError, TypeError, ValueError):
            vectors = np.full((count, self._dimension), np.nan)
        if not np.isfinite(vectors).all():
            raise ModelUnavailable(f"{self._api.place} gives vectors that contain something other than numbers")
        # Divided by the largest first: the squares of large numbers overflow.
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        vectors /= np.where(largest == 0, 1, largest)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms == 0, 1, norms), np.float32)


def _by_index(answer: bytes, count: int, *, items: str, value: str) -> list[Any] | None:
    """Return the values of an answer's items by their index, or None when that is not what it holds."""
    try:
        listed = json.loads(answer)[items]
        found = {item["index"]: item[value] for item in listed}
        return [found[number] for number in range(count)] if len(listed) == count else None
    except (LookupError, RecursionError, TypeError, ValueError):
        return None


# Cohere's and Jina's APIs take more; chosen by hand, so that one request stays short.
_RERANKED_TOGETHER = 100
_MAX_EXPONENT = 700
"""Past it, the exponential does not fit a float."""


class HttpReranker(Reranker):
    """Sends question and texts to `/rerank` of an address.

    Some servers give raw scores of any size. If one lies outside of 0 to 1, all of the call are brought there by the
    logistic function, which keeps their order.
    """

    def __init__(
        self,
        base_url: str,
        *,
        name: str,
        api_key: "SecretStr | None" = None,
        window: int = 4000,
        bounds: RequestLimits | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name = name
        self._window = window
        self._api = JsonApi(base_url, key=api_key, bounds=bounds, sleep=sleep)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score between 0 and 1 per text, in order; an empty text answers nothing and is not sent."""
        places = [place for place, text in enumerate(texts) if text.strip()]
        scores = [0.0] * len(texts)
        if not places or not question.strip():
            return scores
        raw: list[float] = []
        for start in range(0, len(places), _RERANKED_TOGETHER):
            sent = [self._cut(texts[place]) for place in places[start : start + _RERANKED_TOGETHER]]
            raw += await self._ask(self._cut(question), sent)
        is_raw = any(not 0 <= score <= 1 for score in raw)
        for place, score in zip(places, raw, strict=True):
            scores[place] = _logistic(score) if is_raw else score
        return scores

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _cut(self, text: str) -> str:
        """Cut a text to the window, in characters that UTF-8 can carry."""
        return well_formed(text[: self._window])

    async def _ask(self, question: str, texts: list[str]) -> list[float]:
        body = {"model": self._name, "query": question, "documents": texts, "top_n": len(texts)}
        answer = await self._api.post("rerank", body)
        scores = _by_index(answer, len(texts), items="results", value="relevance_score")
        if scores is None or not all(map(_is_finite, scores)):
            raise ModelUnavailable(f"{self._api.place} did not answer with a list of {len(texts)} scores")
        return [float(score) for score in scores]


def _is_finite(score: object) -> bool:
    """Tell whether a score is a number that a float can hold."""
    return isinstance(score, int | float) and -sys.float_info.max <= score <= sys.float_info.max


def _logistic(score: float) -> float:
    """Bring a raw score into 0 to 1; the exponent is bounded, since some servers send any number."""
    return 1 / (1 + math.exp(min(-score, _MAX_EXPONENT)))
