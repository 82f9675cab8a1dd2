"""The models that a memory was used with: how those that are not bundled are opened again after a change.

While records are embedded anew the former model answers, so that a changed setting does not empty a memory. How it is
opened is noted outside of the agent's data: an import must not name an address that questions are sent to.
"""

from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlsplit

from remanent.embedding.port import Embedder
from remanent.embedding.registry import open_embedder
from remanent.embedding.wrappers import CachedEmbedder
from remanent.errors import InvalidInput, MissingDependency, RemanentError, StorageError
from remanent.model import Clock, Model, system_clock
from remanent.settings import EmbeddingSettings

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
                f"the embedding model {model_id} that was used before is not known here; its vectors do not answer "
                "until the present model has made its own"
            ) from error
        except MissingDependency:
            raise
        except RemanentError as error:
            raise MissingDependency(f"the embedding model {model_id} that was used before: {error}") from error
        if found is None or found.model_id != model_id:
            raise MissingDependency(f"what is noted of the embedding model {model_id} opens another one")
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
            raise StorageError(f"notes of models cannot be read: {error.strerror}") from error

    def _write(self, opening: _Opening) -> None:
        """Write a note whole or not at all: a crash in between leaves the one before."""
        try:
            self._notes.write(self._name(opening.model_id), opening.to_json().encode())
        except OSError as error:
            raise StorageError(f"notes of models cannot be written: {error.strerror}") from error


def _origin(url: str | None) -> tuple[str, str | None, int | None] | None:
    """Return scheme, host and port of an address: a key is given for these and not for a path."""
    if url is None:
        return None
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
