"""Any reranking API of the form that Cohere and Jina gave it: POST /rerank."""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from remanent.embedding.reranker import Reranker
from remanent.errors import ModelUnavailable
from remanent.http.jsonapi import Bounds, JsonApi
from remanent.model import Clock, system_clock

if TYPE_CHECKING:
    from pydantic import SecretStr

_REQUEST_TEXTS = 100
_MOST_EXPONENT = 700
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
        bounds: Bounds | None = None,
        clock: Clock = system_clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name = name
        self._window = window
        self._api = JsonApi(base_url, key=api_key, bounds=bounds, clock=clock, sleep=sleep)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score between 0 and 1 per text, in order; an empty text answers nothing and is not sent."""
        places = [place for place, text in enumerate(texts) if text.strip()]
        scores = [0.0] * len(texts)
        if not places or not question.strip():
            return scores
        raw: list[float] = []
        for start in range(0, len(places), _REQUEST_TEXTS):
            sent = [self._cut(texts[place]) for place in places[start : start + _REQUEST_TEXTS]]
            raw += await self._ask(self._cut(question), sent)
        is_raw = any(not 0 <= score <= 1 for score in raw)
        for place, score in zip(places, raw, strict=True):
            scores[place] = _logistic(score) if is_raw else score
        return scores

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _cut(self, text: str) -> str:
        return text[: self._window].encode("utf-8", "replace").decode("utf-8")

    async def _ask(self, question: str, texts: list[str]) -> list[float]:
        body = {"model": self._name, "query": question, "documents": texts, "top_n": len(texts)}
        scores = _ordered(await self._api.post("rerank", body), len(texts))
        if scores is None:
            raise ModelUnavailable(f"{self._api.place} answered with something that is no list of {len(texts)} scores")
        return scores


def _ordered(answer: bytes, count: int) -> list[float] | None:
    """Return the scores by their index, or None when that is not what the answer holds."""
    try:
        results = json.loads(answer)["results"]
        found = {item["index"]: item["relevance_score"] for item in results}
        ordered = [found[number] for number in range(count)]
        is_sound = len(results) == count and all(
            isinstance(score, int | float) and math.isfinite(score) for score in ordered
        )
    except (LookupError, OverflowError, RecursionError, TypeError, ValueError):
        return None
    return [float(score) for score in ordered] if is_sound else None


def _logistic(score: float) -> float:
    return 1 / (1 + math.exp(min(-score, _MOST_EXPONENT)))
