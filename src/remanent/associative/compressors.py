"""Ways to make a memory's text shorter; each gives content, phrase and keywords together."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.roles import ANNOTATION
from remanent.language.roles.annotation import AnnotationRequest
from remanent.model import Maker

LEVELS = 5
"""Steps from the original length to nothing."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A text that was made shorter, with what it is about, and who did it."""

    content: str
    phrase: str
    keywords: tuple[str, ...]
    made_by: Maker


class Compressor(ABC):
    """Makes texts shorter. Failures are `LanguageError`."""

    @abstractmethod
    async def shorten(self, text: str, *, target: int, original_length: int) -> Shortened:
        """Return the text in at most `target` characters, with its phrase and keywords."""


class RoleCompressor(Compressor):
    """Has the engine's annotation role do it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def shorten(self, text: str, *, target: int, original_length: int) -> Shortened:
        """Ask the role for a compression to the length."""
        answer = await self._engine.run(ANNOTATION, AnnotationRequest(text=text, target_length=target))
        value = answer.value
        return Shortened(value.content, value.phrase, value.keywords, answer.made_by)


class KeySentences(RoleCompressor):
    """Keeps the sentences that say most, in their own words, whatever the engine."""

    def __init__(self) -> None:
        super().__init__(OfflineEngine())


class Levels(Compressor):
    """Goes down in steps: a text is rewritten when its importance falls to the next level, not at every scan."""

    def __init__(self, inner: Compressor, *, levels: int = LEVELS) -> None:
        self._inner = inner
        self._levels = levels

    async def shorten(self, text: str, *, target: int, original_length: int) -> Shortened:
        """Shorten to the level below the target; below the last level, to the target itself."""
        step = max(1, original_length // self._levels)
        level = target // step * step
        return await self._inner.shorten(text, target=level or target, original_length=original_length)


def open_compressor(name: str, engine: Engine) -> Compressor:
    """Return the way that settings choose."""
    if name == "key-sentences":
        return KeySentences()
    return Levels(RoleCompressor(engine)) if name == "levels" else RoleCompressor(engine)
