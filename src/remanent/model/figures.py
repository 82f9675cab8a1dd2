"""How parts of a running memory do."""

from remanent.model.word import Count, Text, Word


class CacheFigures(Word):
    """How often a cache had what was asked for, since the memory was opened."""

    name: Text
    hits: Count = 0
    misses: Count = 0

    @property
    def rate(self) -> float | None:
        """The share of questions that were answered from the cache; `None` before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None
