"""What the replies of models have in common: forms of a value that have one reading are taken for it.

Names and numbers that were not shown are passed over one by one, and a reply is refused only where none is left: a
model that cites five passages rightly and one that does not exist has still said something.
"""

import re
from collections.abc import Collection, Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from remanent.errors import Refused
from remanent.model.base import Share, Text

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
