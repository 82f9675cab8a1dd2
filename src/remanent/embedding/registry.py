"""Which models embed what: by the names that settings give them, and several side by side by language.

Two models side by side: the multilingual one reads everything, the English one only what is English, where it tells
more. A question is asked of each by how well it knows the language.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.embedding.http import HttpEmbedder, HttpReranker
from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.embedding.onnx import BgeSmallEmbedder, LocalReranker, MiniLmEmbedder
from remanent.embedding.port import Embedder, ImageReader, Reranker
from remanent.embedding.rapidocr import RapidOcrReader
from remanent.embedding.sentence_transformers import SentenceTransformersEmbedder
from remanent.embedding.wrappers import CachedEmbedder, MeteredEmbedder
from remanent.errors import InvalidInput, InvalidSettings, MissingDependency
from remanent.model import EmbeddingFigures
from remanent.settings import EmbeddingSettings, RerankerSettings
from remanent.text.scripts import TextLanguage, language_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How much each model's ranks count for a question in a language; a model that is not named there is not asked.
_GENERAL: dict[TextLanguage, float] = {"en": 0.3, "mixed": 1.0, "zh": 1.0, "other": 1.0}
_ENGLISH: dict[TextLanguage, float] = {"en": 1.0, "mixed": 0.5}


class Embedders:
    """One model for every language and, beside it, one that is better at English."""

    def __init__(self, general: Embedder, *, english: Embedder | None = None) -> None:
        self._general = general
        self._english = english
        self.remembering = CachedEmbedder(general)
        """The general model for work that meets the same texts again: nodes of a bank, statements to compare."""

    @property
    def members(self) -> tuple[Embedder, ...]:
        """The models, the one for every language first."""
        return (self._general,) if self._english is None else (self._general, self._english)

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(member.model_id for member in self.members)

    @property
    def finer(self) -> str | None:
        """The model that reads a second time, after the first has read everything, what it knows better."""
        return None if self._english is None else self._english.model_id

    @property
    def figures(self) -> tuple[EmbeddingFigures, ...]:
        """What those of them that are metered embedded."""
        return tuple(member.figures for member in self.members if isinstance(member, MeteredEmbedder))

    def weight(self, member: Embedder, text: str, *, finer: bool = True) -> float:
        """Return how much a model's answer counts for a question; 0 when it need not be asked.

        Without `finer`, as if there were no model but the one for every language: the other has not read enough yet.
        """
        if self._english is None or not finer:
            return self._general.skill(language_of(text)) if member.model_id == self._general.model_id else 0.0
        weights = _ENGLISH if member.model_id == self._english.model_id else _GENERAL
        return weights.get(language_of(text), 0.0)

    async def embed(
        self, texts: Sequence[str], *, among: Sequence[str] | None = None
    ) -> "list[dict[str, NDArray[np.float32]]]":
        """Return each text's vectors by model; `among` bounds the models."""
        asked = [
            (member, [place for place, text in enumerate(texts) if self.suits(member.model_id, text)])
            for member in self.members
            if among is None or member.model_id in among
        ]
        # Beside each other: each has threads of its own, and one alone does not use every core.
        rows = await asyncio.gather(*(member.embed([texts[place] for place in places]) for member, places in asked))
        found: list[dict[str, NDArray[np.float32]]] = [{} for _ in texts]
        for (member, places), vectors in zip(asked, rows, strict=True):
            for place, vector in zip(places, vectors, strict=True):
                found[place][member.model_id] = vector
        return found

    async def close(self) -> None:
        """Close every model."""
        for member in self.members:
            await member.close()

    def can_do_without(self, member: Embedder, text: str) -> str | None:
        """For an English question, return the English model: it replaces this one once it has read the same records."""
        if self._english is None or member.model_id == self._english.model_id or language_of(text) != "en":
            return None
        return self._english.model_id

    def suits(self, model_id: str, text: str) -> bool:
        """Tell whether a model is to embed a text at all."""
        # Text without letters is embedded by every model, so that none counts as incomplete.
        return model_id == self._general.model_id or language_of(text) in _ENGLISH or not any(map(str.isalpha, text))


_DEFAULT_EMBEDDER = "multilingual"
_AUTO = "auto"

_NONE = frozenset({"none", "off"})
_OPENERS: Mapping[str, Callable[[], Embedder]] = {
    _AUTO: MultilingualEmbedder,  # where one model is wanted, the one for every language
    _DEFAULT_EMBEDDER: MultilingualEmbedder,
    "default": MultilingualEmbedder,
    "local": MultilingualEmbedder,
    MultilingualEmbedder.model_id: MultilingualEmbedder,
    "bge-small": BgeSmallEmbedder,
    BgeSmallEmbedder.model_id: BgeSmallEmbedder,
    "minilm": MiniLmEmbedder,
    MiniLmEmbedder.model_id.lower(): MiniLmEmbedder,
}
# These are told in the settings which model they are to take.
_CONFIGURED: Mapping[str, Callable[[EmbeddingSettings], Embedder]] = {
    "http": HttpEmbedder,
    "sentence-transformers": SentenceTransformersEmbedder,
}


def open_embedder(name: str = _DEFAULT_EMBEDDER, *, embedding: EmbeddingSettings | None = None) -> Embedder | None:
    """Return the embedder of that name, or None for "none": search then goes by words alone.

    Opening is cheap; a model is loaded when the first text is embedded. A package that is not installed is
    reported here.
    """
    wanted = name.strip().lower()
    if wanted in _NONE:
        return None
    configured = _CONFIGURED.get(wanted)
    if configured is not None:
        return configured(embedding or EmbeddingSettings())
    opener = _OPENERS.get(wanted)
    if opener is None:
        raise InvalidInput(
            f'unknown embedder {name!r}: choose "auto" (the default), "multilingual", "bge-small", "minilm", '
            '"http", "sentence-transformers" or "none"'
        )
    return opener()


def open_embedders(name: str = _AUTO, *, embedding: EmbeddingSettings | None = None) -> Embedders | None:
    """Return what embeds records: for "auto" the multilingual model and, if it is installed, bge-small for English."""
    general = open_embedder(name, embedding=embedding)
    if general is None:
        return None
    metered = MeteredEmbedder(general)
    if name.strip().lower() != _AUTO:
        return Embedders(metered)
    try:
        return Embedders(metered, english=MeteredEmbedder(BgeSmallEmbedder()))
    except MissingDependency:
        return Embedders(metered)


def open_reranker(settings: RerankerSettings) -> Reranker | None:
    """Return the cross-encoder of the settings; `None` for "none", and for "auto" where none is installed."""
    if settings.kind == "none":
        return None
    if settings.kind == "http":
        if settings.base_url is None or settings.name is None:
            raise InvalidSettings(
                "the reranker http needs recall.reranker.base_url and recall.reranker.name; see docs/settings.md"
            )
        return HttpReranker(settings.base_url, name=settings.name, api_key=settings.api_key)
    try:
        return LocalReranker()
    except MissingDependency:
        if settings.kind == "local":
            raise
        return None


def open_image_reader(name: str = _AUTO) -> ImageReader | None:
    """Return what reads the writing in pictures; `None` for "none", and for "auto" where none is installed."""
    if name == "none":
        return None
    try:
        return RapidOcrReader()
    except MissingDependency:
        if name != _AUTO:
            raise
        return None
