"""What offline language work may use."""

from dataclasses import dataclass

from remanent.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The means of the offline engine; without an embedder, likeness is judged by words alone."""

    embedder: Embedder | None = None
