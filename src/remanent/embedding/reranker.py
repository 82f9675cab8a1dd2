"""The port of reranking, and the local cross-encoder: it reads question and text together, slowly and well."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

from remanent.embedding.local import BACKGROUND, RERANKER, batches, is_loaded, load
from remanent.text.language import Language


class Reranker(ABC):
    """Says how well texts answer a question."""

    @abstractmethod
    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score between 0 and 1 per text, in order; higher is better."""

    async def prepare(self) -> None:  # noqa: B027 - most adapters load nothing
        """Load what the first question would have to wait for."""

    def knows(self, language: Language) -> bool:
        """Tell whether a question in that language can be judged."""
        return True

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open."""


class LocalReranker(Reranker):
    """ms-marco-MiniLM-L-12 on onnxruntime: English only, some hundred texts a second."""

    def __init__(self) -> None:
        RERANKER.find()

    async def prepare(self) -> None:
        """Load the model, unless it is there."""
        if not is_loaded(RERANKER):
            await BACKGROUND.run(lambda: load(RERANKER))

    def knows(self, language: Language) -> bool:
        """Tell whether there is English in it."""
        return language in {"en", "mixed"}

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score in small batches of similar length; an empty text answers nothing."""
        places = [place for place, text in enumerate(texts) if text.strip()]
        scores = [0.0] * len(texts)
        if not places or not question.strip():
            return scores
        pairs = [(_well_formed(question), _well_formed(texts[place])) for place in places]
        encoded = await BACKGROUND.run(lambda: load(RERANKER).tokenize(pairs))
        together = list(batches([len(item.ids) for item in encoded]))
        works = [partial(_scores, [encoded[number] for number in batch]) for batch in together]
        for batch, found in zip(together, await BACKGROUND.run_each(works), strict=True):
            for number, score in zip(batch, found, strict=True):
                scores[places[number]] = score
        return scores


def _scores(encoded: Sequence[Any]) -> list[float]:
    import numpy as np

    logits, _ = load(RERANKER).run(encoded)
    scores: list[float] = (1 / (1 + np.exp(-logits[:, 0].astype(np.float64)))).tolist()
    return scores


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
