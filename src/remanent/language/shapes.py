"""The shapes that requests and responses share, and bringing what a model wrote into their form and bounds.

Bounds are here so that neither a caller's text nor a model's reply can make a prompt, a row or a page of any size; no
measurement stands behind them but where one is named.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue

from remanent.errors import InvalidInput, Refused
from remanent.model import Instant, Model, Origin
from remanent.model.base import Count, Share, Text
from remanent.model.ids import Id
from remanent.text.scripts import caseless
from remanent.text.sentences import sentences
from remanent.text.spans import excerpt
from remanent.text.tokens import ESTIMATE, fit

MAX_TEXT = 1_000_000
MAX_SUMMARY = 20_000
MAX_REMARK = 2_000
"""Characters of a text that a role is given, of a summary that it writes, and of a remark: each far above what is
usual, so that nothing runs away. Chosen by hand."""
SHORT_TEXT = 300
"""Characters of two or three sentences: one topic, of which each sentence is a fact (chosen by hand)."""
MAX_CONTEXT = 500
MAX_KEYWORD = 60
"""Characters of the sentence that says what something is about, and of one keyword. Chosen by hand."""
MAX_SEGMENT = 200
"""Characters of a piece of memory, as the design of the associative memory has it."""
MAX_KEYWORDS = 12
"""Keywords of one thing; models are asked for eight at most. Chosen by hand."""


def _check_said(text: str) -> str:
    if not text.strip():
        raise InvalidInput("must not be blank")
    return text


LongText = Annotated[Text, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_check_said)]
"""A text that somebody wrote; not blank."""

Summary = Annotated[Text, Field(max_length=MAX_SUMMARY)]
Remark = Annotated[Text, Field(max_length=MAX_REMARK)]
"""A few sentences: a reason, a description, a task."""

Context = Annotated[Text, Field(max_length=MAX_CONTEXT)]
"""One sentence that says what something is about."""

Keyword = Annotated[Text, Field(min_length=1, max_length=MAX_KEYWORD)]
Keywords = Annotated[tuple[Keyword, ...], Field(max_length=MAX_KEYWORDS)]


class Utterance(Model):
    """Something that was said: by whom, and when if that is known."""

    speaker: Annotated[Text, Field(min_length=1, max_length=200)] = "user"
    text: Annotated[Text, Field(max_length=MAX_TEXT)]
    occurred_at: Instant | None = None
    origin: Origin | None = None
    """Whose word it is, where that is known; what a tool or a page says commands nothing."""


class UtteranceSpan(Model):
    """A stretch of one of the utterances that were given: its number from 0, and characters, the end exclusive."""

    utterance: Count
    start: Count
    end: Count


class TextSpan(Model):
    """A stretch of the text that was given, in characters, the end exclusive."""

    start: Count
    end: Count


class GraphNode(Model):
    """A node of a task's graph as a role sees it: no embedding, no edges."""

    node_id: Id
    summary: Summary
    context: Context = ""
    keywords: Keywords = ()
    timestamp: Instant | None = None
    texts: tuple[Id, ...] = ()
    """The texts that it was made from; no prompt shows them."""


class Neighbour(Model):
    """A node beside those at hand: what it is about, without what it says."""

    node_id: Id
    context: Context = ""
    keywords: Keywords = ()


# ── what a model wrote, in form and bounds ───────────────────────────────────

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


# ── what the replies of models have in common: forms of a value that have one reading are taken for it ──
# Names and numbers that were not shown are passed over one by one, and a reply is refused only where none is left: a
# model that cites five passages rightly and one that does not exist has still said something.

_RANGE = re.compile(r"\D{0,12}?(\d{1,6})\s*(?:[-–—~～]|to|至|到)\s*\D{0,4}?(\d{1,6})\D{0,4}")
_NUMBER = re.compile(r"\D{0,12}?(\d{1,6})\D{0,4}")
_SEPARATOR = re.compile(r"[,，、;；]")
_LONGEST_RANGE = 1000
"""Numbers that "4-6" may stand for: as many as a reply may list."""
MAX_ITEMS = 1000
"""Things that a reply may list; far more than any request can give rise to. Chosen by hand."""


def _numbers(value: object) -> object:
    """Read 3, "3", "p3", "1, 2" and "4-6" as the numbers that they name."""
    items = value if isinstance(value, list | tuple) else [value]
    numbers: list[object] = []
    for item in items:
        parts = [part.strip() for part in _SEPARATOR.split(item)] if isinstance(item, str) else [item]
        for part in parts:
            numbers += _named(part) if isinstance(part, str) else [part]
    return numbers


def _named(text: str) -> list[object]:
    if not text.strip():
        return []
    span = _RANGE.fullmatch(text)
    if span and 0 <= int(span[2]) - int(span[1]) < _LONGEST_RANGE:
        return list(range(int(span[1]), int(span[2]) + 1))
    one = _NUMBER.fullmatch(text)
    return [int(one[1])] if one else [text]


def _share(value: object) -> object:
    """Read 95 as 0.95: a model that writes so means per cent."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
        return value / 100
    return value


Numbers = Annotated[
    tuple[Annotated[int, Field(ge=0, le=2**31)], ...], BeforeValidator(_numbers), Field(max_length=5000)
]
"""Numbers of passages that were shown."""

Confidence = Annotated[Share, BeforeValidator(_share)]
"""How sure a model says that it is."""

Prose = Annotated[Text, Field(max_length=100_000)]
"""What a model wrote; brought into the bounds of the response when it is read."""

Words = Annotated[
    tuple[Annotated[Text, Field(max_length=2_000)], ...], Field(max_length=200, json_schema_extra={"maxItems": 8})
]
"""Keywords: a model is told of eight, and more are read."""
Lines = Annotated[tuple[Prose, ...], Field(max_length=200)]


_BEFORE = re.compile(r"[\s\[\](){}<>\"'“”‘’`#]*")
_AFTER = re.compile(r"[\s\[\](){}<>\"'“”‘’`#.,:;]*")


class IdAliases:
    """The names n1, n2 … of the ids that are shown, in their order."""

    def __init__(self, ids: Sequence[str], *, prefix: str = "n") -> None:
        self._named = {f"{prefix}{number}": real for number, real in enumerate(ids, 1)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the ids."""
        return tuple(self._named)

    def find(self, name: str) -> str | None:
        """Return the id behind a name, or nothing for one that was not shown: it is passed over, the rest counts."""
        bare = _AFTER.sub("", _BEFORE.sub("", name, count=1)[::-1], count=1)[::-1].lower()
        return self._named.get(bare)

    def require(self, found: Collection[object], *, named: Collection[str]) -> None:
        """Refuse a reply in which names stand and none of them was shown."""
        if named and not found and self._named:
            first = next(iter(named))
            raise Refused(f"{first[:40]!r} was not shown; use only these names: {', '.join(self._named)}")


def numbered(count: int) -> dict[str, JsonValue]:
    """Return what a schema says of a list of the numbers from 1 to `count`."""
    return {"maxItems": count, "items": {"type": "integer", "minimum": 1, "maximum": count}}


def known_numbers(numbers: Sequence[int], *, shown: int) -> list[int]:
    """Return the numbers that were shown, each once; the others are passed over."""
    return list(dict.fromkeys(number for number in numbers if 1 <= number <= shown))


def require_known(numbers: Sequence[int], *, shown: int) -> None:
    """Refuse a reply in which numbers stand and none of them was shown."""
    if numbers and not known_numbers(numbers, shown=shown):
        raise Refused(f"passage {numbers[0]} was not shown; the numbers are 1 to {shown}")
