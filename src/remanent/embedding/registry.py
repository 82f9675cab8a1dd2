"""Which models embed what: by the names that settings give them, several side by side, and those of former times.

Two models side by side: the multilingual one reads everything, the English one only what is English, where it tells
more. A question is asked of each by how well it knows the language.

While records are embedded anew the former model answers, so that a changed setting does not empty a memory. How it is
opened is noted outside of the agent's data: an import must not name an address that questions are sent to.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from remanent.embedding.http import HttpEmbedder, HttpReranker
from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.embedding.onnx import BgeSmallEmbedder, LocalReranker, MiniLmEmbedder
from remanent.embedding.port import CachedEmbedder, Embedder, ImageReader, MeteredEmbedder, Reranker
from remanent.embedding.rapidocr import RapidOcrReader
from remanent.embedding.sentence_transformers import SentenceTransformersEmbedder
from remanent.errors import InvalidInput, InvalidSettings, MissingDependency, RemanentError, StorageError
from remanent.model import Clock, EmbeddingFigures, Model, system_clock
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


_QUESTIONS = 512
"""Vectors of questions that are kept for each former model."""


class ModelNotes(Protocol):
    """Where notes are kept: the shelf of the memory."""

    def read(self, name: str) -> bytes | None:
        """Return a note, or `None` where there is none."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Put a note durably."""
        ...


class _Opening(Model):
    """What must be known to open an embedder again; never its key."""

    model_id: str
    kind: Literal["http", "sentence-transformers"]
    name: str
    dimension: int
    base_url: str | None = None
    shorten: bool = False
    window: int = 4000


class KnownEmbedders:
    """Notes how the embedder in force is opened, and opens former ones while their vectors still answer.

    The notes lie on the shelf of the memory and not among an agent's own data: whoever imports an export must not be
    able to name an address that questions are sent to.
    """

    def __init__(
        self,
        notes: ModelNotes,
        *,
        folder: str = ".",
        kind: str,
        settings: EmbeddingSettings,
        lifetime: timedelta = timedelta(hours=24),
        clock: Clock = system_clock,
    ) -> None:
        self._notes = notes
        self._folder = folder
        self._kind = kind.strip().lower()
        self._settings = settings
        self._lifetime = lifetime
        self._clock = clock
        self._opened: dict[str, Embedder] = {}
        self._is_noted = False

    def note(self) -> None:
        """Write down how the embedder in force is opened, if the settings say that; once in a process."""
        if self._is_noted:
            return
        opening = self._in_force()
        if opening is not None and self._read(opening.model_id) != opening:
            self._write(opening)
        self._is_noted = True

    def open(self, model_id: str) -> Embedder:
        """Return the embedder that made vectors under this name; `MissingDependency` when it is not to be had here."""
        found = self._opened.get(model_id)
        if found is None:
            inner = self._find(model_id)
            found = CachedEmbedder(inner, capacity=_QUESTIONS, lifetime=self._lifetime, clock=self._clock)
            self._opened[model_id] = found
        return found

    async def close(self) -> None:
        """Close what was opened."""
        opened, self._opened = self._opened, {}
        for embedder in opened.values():
            await embedder.close()

    def _in_force(self) -> _Opening | None:
        """Return how the embedder in force is opened; None for a bundled one, which is known by its name."""
        settings = self._settings
        if self._kind not in {"http", "sentence-transformers"} or settings.name is None or settings.dimension is None:
            return None
        embedder = open_embedder(self._kind, embedding=settings)
        if embedder is None:
            return None
        is_path = self._kind == "sentence-transformers" and settings.name.startswith(("/", ".", "~"))
        return _Opening(
            model_id=embedder.model_id,
            kind="http" if self._kind == "http" else "sentence-transformers",
            # A folder is found again from wherever the program is started next.
            name=str(Path(settings.name).expanduser().absolute()) if is_path else settings.name,
            dimension=settings.dimension,
            base_url=settings.base_url if self._kind == "http" else None,
            shorten=settings.shorten,
            window=settings.window,
        )

    def _find(self, model_id: str) -> Embedder:
        """Open the embedder of a name, from its note or as a bundled one, and make sure that it is the one meant."""
        try:
            opening = self._read(model_id)
            found = (
                open_embedder(model_id)
                if opening is None
                else open_embedder(opening.kind, embedding=self._as_settings(opening))
            )
        except (InvalidInput, ValueError) as error:
            raise MissingDependency(
                f"the embedding model {model_id} used before is not known here; its vectors cannot "
                "be searched until the current model has made new ones"
            ) from error
        except MissingDependency:
            raise
        except RemanentError as error:
            raise MissingDependency(f"the embedding model {model_id} used before: {error}") from error
        if found is None or found.model_id != model_id:
            raise MissingDependency(f"the note about the embedding model {model_id} opens a different model")
        return found

    def _as_settings(self, opening: _Opening) -> EmbeddingSettings:
        """Return the settings in force with the model's own: bounds are taken from now, its address from then."""
        key = None
        if opening.base_url is not None:
            # A key goes only where it was given for.
            is_here = _origin(opening.base_url) == _origin(self._settings.base_url)
            key = self._settings.api_key if is_here else self._settings.former_api_key
        own = opening.model_dump(include={"base_url", "name", "dimension", "shorten", "window"})
        return EmbeddingSettings.model_validate(self._settings.model_dump() | own | {"api_key": key})

    # ── the notes, a document for each model ─────────────────────────────────

    def _name(self, model_id: str) -> str:
        """Return the name of a note: model names hold slashes and colons, so it is a hash."""
        return f"{self._folder}/{blake2b(model_id.encode(), digest_size=16).hexdigest()}.json"

    def _read(self, model_id: str) -> _Opening | None:
        """Return how a model is opened again, if that was noted."""
        try:
            content = self._notes.read(self._name(model_id))
            return None if content is None else _Opening.from_json(content)
        except InvalidInput:
            # A note that cannot be read is as good as none: the present embedder's is written anew.
            return None
        except OSError as error:
            raise StorageError(f"the notes about models cannot be read: {error.strerror}") from error

    def _write(self, opening: _Opening) -> None:
        """Write a note whole or not at all: a crash in between leaves the one before."""
        try:
            self._notes.write(self._name(opening.model_id), opening.to_json().encode())
        except OSError as error:
            raise StorageError(f"the notes about models cannot be written: {error.strerror}") from error


def _origin(url: str | None) -> tuple[str, str | None, int | None] | None:
    """Return scheme, host and port of an address: a key is given for these and not for a path."""
    if url is None:
        return None
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
