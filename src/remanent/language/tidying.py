"""Bringing what a model wrote into bounds: one line, so many characters, each word once."""

import re
from collections.abc import Iterable

from remanent.language.shapes import MAX_KEYWORD, MAX_KEYWORDS, MAX_REMARK
from remanent.text.boundaries import excerpt
from remanent.text.budget import fit
from remanent.text.scripts import caseless
from remanent.text.sentences import sentences
from remanent.text.tokens import ESTIMATE

_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\ud800-\udfff]")


def one_line(text: str, limit: int) -> str:
    """Return the text as one line of at most so many characters, cut between words."""
    return excerpt(_SPACE.sub(" ", _CONTROL.sub(" ", text)).strip(), limit)


def multi_line(text: str, limit: int = MAX_REMARK) -> str:
    """Return the text, its lines kept, in at most so many characters, whole sentences as far as there are any."""
    told = _CONTROL.sub(" ", text.replace("\r\n", "\n"))
    told = _SPACE.sub(lambda space: "\n\n" if space[0].count("\n") > 1 else space[0], told)  # at most one blank line
    return shortened(told.strip(), limit)


def lines(texts: Iterable[str], *, most: int, limit: int = MAX_REMARK) -> tuple[str, ...]:
    """Return the texts as single lines, each once and none blank."""
    return tuple(_once(one_line(text, limit) for text in texts))[:most]


def keywords(words: Iterable[str], *, most: int = MAX_KEYWORDS) -> tuple[str, ...]:
    """Return the words without the marks around them, each once whatever its case, none blank."""
    return tuple(_once(one_line(word.strip(" \t\n#,，、。;；\"'“”‘’`"), MAX_KEYWORD) for word in words))[:most]


_LOOK_AHEAD = 1000
"""Characters behind the limit that are read; more than any white space or closing marks between two sentences."""


def shortened(text: str, limit: int) -> str:
    """Return the whole sentences from the beginning that fit into so many characters; at least a part of the first."""
    if len(text) <= limit:
        return text
    end = 0
    # A little beyond the limit tells where the last whole sentence ends; the rest of a long text need not be read.
    for sentence in sentences(text[: limit + _LOOK_AHEAD]):
        if sentence.end > limit and len(text[: sentence.end].rstrip()) > limit:
            break
        end = sentence.end
    return text[:end].rstrip() or excerpt(text, limit) or text[:limit]


def within_tokens(text: str, limit: int) -> str:
    """Return the beginning of a text, whole sentences if it has any, that is surely no more than so many tokens.

    The count is the safe estimate, so that a text is the same on every machine whatever tokenizer it has.
    """
    return fit(text, max(0, limit), counter=ESTIMATE)


def _once(texts: Iterable[str]) -> Iterable[str]:
    seen: set[str] = set()
    for text in texts:
        key = caseless(text)
        if text and key not in seen:
            seen.add(key)
            yield text
