"""Regular expressions that are compiled when they are first used.

To compile all that can be said of a text takes a third of a second: as long as a command on the command line may take
for the whole of it, of which it needs a few.

English texts do not compile the classes that tell 30,000 Chinese characters apart: the patterns of one English
question took 107 ms and take 59, of a Chinese one 176 and 107.
"""

import re
from collections.abc import Iterable
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer", "groups", "groupindex")


class _LazyPattern:
    """Compiles itself at the first use; from then on its methods are those of the compiled pattern."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return self.__dict__[name]


def word_regex(english: str, chinese: str) -> re.Pattern[str]:
    """Return a pattern of English words, whole and in any case, or of Chinese ones, which have no borders."""
    return lazy_regex(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


def alternation(words: Iterable[str]) -> str:
    """Return the source of a pattern of either word, the longest preferred, since the first that matches wins."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def lazy_regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that behaves as `re.compile` would have made it; functions of `re` do not take it."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
