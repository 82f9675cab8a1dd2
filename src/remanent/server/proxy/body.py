"""A chat request as bytes: read for what memory needs, and changed by inserting, so that every other byte stays."""

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from remanent.server.limits import separators

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()
MOST_VALUES = 200_000
"""As many as the JSON of any other request may hold."""
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


def read_body(data: bytes, *, values: int = MOST_VALUES) -> ChatBody:
    """Read a request; raise `Unreadable` where two readers could differ, and let upstream say what is wrong.

    One of more than so many values is not read either: no other thread runs while JSON is parsed.
    """
    if separators(data, most=values) >= values:
        raise Unreadable(f"a chat request of more than {values} values")
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
        if name == "messages":
            if found is not None:
                raise ValueError("messages are given twice")
            found, position = _messages(text, begin)
        else:
            _, position = _DECODER.raw_decode(text, begin)
        position = _next(text, position, end="}")
    if found is None:
        raise ValueError("no messages")
    if text[position + 1 :].strip(_SPACE):
        raise ValueError("something follows the request")
    return found


def _messages(text: str, begin: int) -> tuple[_Messages, int]:
    """Return the messages, where each begins, and where their list ends; read one by one, others get a turn between."""
    messages, starts = list[dict[str, Any]](), list[int]()
    if text[begin] != "[":
        raise ValueError("messages are no list of objects")
    position = _skip(text, begin + 1)
    while text[position] != "]":
        starts.append(position)
        message, position = _DECODER.raw_decode(text, position)
        if not isinstance(message, dict):
            raise ValueError("messages are no list of objects")
        messages.append(message)
        position = _next(text, position, end="]")
    return (tuple(messages), tuple(starts)), position + 1


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
