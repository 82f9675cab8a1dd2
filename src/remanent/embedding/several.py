"""Several models side by side: each text is embedded by those that suit its language."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.embedding.metered import MeteredEmbedder
from remanent.embedding.port import Embedder
from remanent.model import EmbeddingFigures
from remanent.text.language import Language, language_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How much each model's ranks count for a question in a language; a model that is not named there is not asked.
_GENERAL: dict[Language, float] = {"en": 0.3, "mixed": 1.0, "zh": 1.0, "other": 1.0}
_ENGLISH: dict[Language, float] = {"en": 1.0, "mixed": 0.5}


class Embedders:
    """One model for every language and, beside it, one that is better at English."""

    def __init__(self, general: Embedder, *, english: Embedder | None = None) -> None:
        self._general = general
        self._english = english

    @property
    def members(self) -> tuple[Embedder, ...]:
        """The models, the one for every language first."""
        return (self._general,) if self._english is None else (self._general, self._english)

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(member.model_id for member in self.members)

    @property
    def figures(self) -> tuple[EmbeddingFigures, ...]:
        """What those of them that are metered embedded."""
        return tuple(member.figures for member in self.members if isinstance(member, MeteredEmbedder))

    def weight(self, member: Embedder, text: str) -> float:
        """Return how much a model's answer counts for a question; 0 when it need not be asked."""
        if self._english is None:
            return self._general.skill(language_of(text))
        weights = _ENGLISH if member.model_id == self._english.model_id else _GENERAL
        return weights.get(language_of(text), 0.0)

    async def embed(
        self, texts: Sequence[str], *, among: Sequence[str] | None = None
    ) -> "list[dict[str, NDArray[np.float32]]]":
        """Return each text's vectors by model; `among` bounds the models."""
        found: list[dict[str, NDArray[np.float32]]] = [{} for _ in texts]
        for member in self.members:
            if among is not None and member.model_id not in among:
                continue
            places = [place for place, text in enumerate(texts) if self._suits(member, text)]
            vectors = await member.embed([texts[place] for place in places])
            for place, vector in zip(places, vectors, strict=True):
                found[place][member.model_id] = vector
        return found

    async def close(self) -> None:
        """Close every model."""
        for member in self.members:
            await member.close()

    def can_do_without(self, member: Embedder, text: str) -> str | None:
        """Return the model which alone knows best what a question means, wherever it has read as much as this one."""
        if self._english is None or member.model_id == self._english.model_id or language_of(text) != "en":
            return None
        return self._english.model_id

    def _suits(self, member: Embedder, text: str) -> bool:
        # A text without a letter is no language's: it is to keep no model from knowing everything.
        return member is self._general or language_of(text) in _ENGLISH or not any(map(str.isalpha, text))
