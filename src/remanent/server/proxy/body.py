"""A chat request as bytes: read for what memory needs, and changed by inserting, so that every other byte stays."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()
_Messages = tuple[tuple[dict[str, Any], ...], tuple[int, ...]]


class Unreadable(ValueError):
    """The body is no chat request that can be read in one way only."""


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A chat request: as it came, its messages, and where each of them begins."""

    data: bytes
    text: str
    messages: tuple[dict[str, Any], ...]
    starts: tuple[int, ...]

    def with_message(self, message: dict[str, Any], *, before: int) -> bytes:
        """Return the request with one more message in front of the one named; nothing else is changed."""
        start = self.starts[before]
        written = json.dumps(message, ensure_ascii=False)
        return f"{self.text[:start]}{written}, {self.text[start:]}".encode()


def read_body(data: bytes) -> ChatBody:
    """Read a request; raise `Unreadable` where two readers could differ, and let upstream say what is wrong."""
    try:
        text = data.decode()
        messages, starts = _read(text)
    except (ValueError, IndexError, RecursionError) as error:
        raise Unreadable(f"not a chat request: {error}") from error
    return ChatBody(data, text, messages, starts)


def _read(text: str) -> _Messages:
    found: _Messages | None = None
    position = _skip(text, 0)
    if text[position] != "{":
        raise ValueError("no object")
    position = _skip(text, position + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        if not isinstance(name, str):
            _refuse("a name")
        position = _skip(text, position)
        if text[position] != ":":
            _refuse("a colon")
        begin = _skip(text, position + 1)
        value, position = _DECODER.raw_decode(text, begin)
        if name == "messages":
            if found is not None:
                raise ValueError("messages are given twice")
            found = _messages(text, begin, value)
        position = _next(text, position, end="}")
    if found is None:
        raise ValueError("no messages")
    if text[position + 1 :].strip(_SPACE):
        raise ValueError("something follows the request")
    return found


def _messages(text: str, begin: int, value: object) -> _Messages:
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        raise ValueError("messages are no list of objects")
    return tuple(value), tuple(_element_starts(text, begin))


def _element_starts(text: str, begin: int) -> Iterator[int]:
    position = _skip(text, begin + 1)
    while text[position] != "]":
        yield position
        _, position = _DECODER.raw_decode(text, position)
        position = _next(text, position, end="]")


def _next(text: str, position: int, *, end: str) -> int:
    """Return where the next element begins, or where the list or object ends."""
    position = _skip(text, position)
    if text[position] == end:
        return position
    if text[position] != ",":
        _refuse("a comma")
    position = _skip(text, position + 1)
    if text[position] == end:
        _refuse("an element")
    return position


def _skip(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"{what} is missing")
