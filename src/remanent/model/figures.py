"""How parts of a running memory do."""

from remanent.model.base import Count, Model, Text


class CacheFigures(Model):
    """How often a cache had what was asked for, since the memory was opened."""

    name: Text
    hits: Count = 0
    misses: Count = 0

    @property
    def rate(self) -> float | None:
        """The share of questions that were answered from the cache; `None` before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


class EmbeddingFigures(Model):
    """What a model embedded since the memory was opened."""

    model: Text
    texts: Count = 0
    characters: Count = 0
    seconds: float = 0.0
    """From asking to answer, waiting included."""
    failures: Count = 0


class RoleFigures(Model):
    """What a role of language work took since the memory was opened."""

    role: Text
    runs: Count = 0
    requests: Count = 0
    """Requests to a model, further attempts and repairs included."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: float | None = None
    """In US dollars, of the answers whose price is known; `None` when that is none of them."""
    failures: Count = 0
    seconds: float = 0.0


class UsageFigures(Model):
    """What models took: by embedding model, and by role; the roles are empty where no model is asked."""

    embedding: tuple[EmbeddingFigures, ...] = ()
    roles: tuple[RoleFigures, ...] = ()
