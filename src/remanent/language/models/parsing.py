"""Finding the JSON in what a model wrote, also where it is not quite JSON.

What has one reading is read: fences and prose around it, comments, trailing and missing commas, single, typographic
and unescaped quotes, bad escapes, keys without quotes, full-width commas and colons, words of Python, closing brackets
that were forgotten. NaN and the infinities are no numbers, so they are read as null. Of a key that stands twice the
last value counts, as in every common JSON reader. What could mean two things is not read at all: the model is asked
again, which costs a request, while a guess costs a wrong memory.

Why not the library json-repair: it always returns something. Of the 36 malformed replies of the tests that have one
reading, version 0.64.2 reads 29 (24 when strict), and of the 17 that must be refused, because they break off or could
mean two things, it refuses 3 (6 when strict) and makes up a value for the rest. Its time grows with the square of the
text where quotes and braces alternate: 17 seconds for 16,000 characters, and a reply comes from outside.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Final, TypeVar

from pydantic import JsonValue

from remanent.lightweight import dataclass
from remanent.text.regex import lazy_regex
from remanent.text.scripts import well_formed

MAX_DEPTH: Final = 64
"""Levels of nesting; what is deeper is no answer. Chosen by hand."""

_MAX_DIGITS = 300
"""Characters of a number: more do not fit a float, and reading them takes the square of their number."""

_GAP = lazy_regex(r"(?:\s++|//[^\n]*+|/\*.*?\*/|#[^\n]*+)*+", re.DOTALL)
_NUMBER = lazy_regex(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])", re.ASCII)
_LITERAL = lazy_regex(r"(?:true|false|null|none|undefined|[-+]?(?:nan|inf(?:inity)?))(?![\w.-])", re.IGNORECASE)
_LITERALS = {"true": True, "false": False}
_BARE_KEY = lazy_regex(r"[\w$.-]+(?=\s*[:：])")
_BARE_WORD = lazy_regex(r"[^\W\d][\w.-]*(?=\s*(?:[,，}\]\n]|\Z))")

_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_PLAIN = {closing: re.compile(rf"[^{closing}\\]++") for closing in _CLOSING.values()}
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", **{char: char for char in "\"'\\/“”‘’\n"}}
_UNICODE = lazy_regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
_BYTE = lazy_regex(r"\\x([0-9a-fA-F]{2})")
# What may stand behind the quote that ends a string, and not behind one that somebody forgot to escape.
_AFTER_STRING = lazy_regex(
    r"""\s*+(?:[:：}\]]|[,，]\s*+(?:["'“‘{\[}\]\d-]|(?:true|false|null)\b|[\w$.-]+\s*[:：]|\Z)|\Z|```)|\s*\n\s*["'“‘]"""
)
_Container = TypeVar("_Container", dict[str, JsonValue], list[JsonValue])


class MalformedJson(Exception):
    """There is no value with one reading here: what was expected where, and whether the text ended too early."""

    def __init__(self, expected: str, *, at: int, cut: bool, is_begun: bool) -> None:
        super().__init__(f"{expected} was expected at character {at}")
        self.expected = expected
        self.at = at
        self.cut = cut
        self.is_begun = is_begun
        """Whether a key and its colon, or a list, had come before: then it is JSON, and broken."""


@dataclass(slots=True)
class _JsonReader:
    """Walks over the text once, a bracket at a time."""

    text: str
    position: int
    cut: bool
    """Whether a closing bracket that is missing was not forgotten: there was more to come."""
    guesses_quotes: bool = False
    """Whether a quote belongs to its string when nothing that can follow a string follows."""
    keeps_whole: bool = False
    """Whether the whole items of a list that was cut are kept, and those of an object that is not in one."""
    depth: int = 0
    is_firm: bool = True
    """Whether the last thing read cannot have been longer; a number at the very end could."""
    is_patched: bool = False
    """Whether a closing bracket of the other kind was taken for a missing one."""
    is_begun: bool = False

    def read(self) -> tuple[JsonValue, int]:
        """Return the value that begins here and the place behind it; raise `MalformedJson` when there is none."""
        value = self._value()
        if self.is_patched:
            self._skip()
            if not self._at_end():
                raise self._missing("the end")
        return value, self.position

    def _value(self) -> JsonValue:
        self._skip()
        if self._at_end():
            raise self._missing("a value", cut=True)
        char = self.text[self.position]
        if char == "{":
            return self._nested(self._object)
        if char == "[":
            return self._nested(self._list)
        if char in _CLOSING:
            return self._string()
        return self._scalar()

    def _nested(self, read: Callable[[], _Container]) -> _Container:
        if self.depth >= MAX_DEPTH:
            raise self._missing(f"no more than {MAX_DEPTH} levels")
        self.depth += 1
        self.position += 1
        try:
            return read()
        finally:
            self.depth -= 1

    def _object(self) -> dict[str, JsonValue]:
        members: dict[str, JsonValue] = {}
        try:
            self._read_members(members)
        except MalformedJson as error:
            # Of the outermost object, what came before the cut counts; one inside a list is not whole.
            if not (self.keeps_whole and error.cut and self.depth == 1 and members):
                raise
            if error.expected == "}" and not self.is_firm:
                members.popitem()
        return members

    def _read_members(self, members: dict[str, JsonValue]) -> None:
        has_comma = True
        while not self._closes("}", members, has_comma=bool(members) and has_comma):
            key = self._key()
            self._skip()
            if self.text[self.position : self.position + 1] not in {":", "："}:
                raise self._missing("a colon", cut=self._at_end())
            self.position += 1
            self.is_begun = True
            members[key] = self._value()
            has_comma = self._comma()

    def _list(self) -> list[JsonValue]:
        items: list[JsonValue] = []
        self.is_begun = True
        try:
            self._read_items(items)
        except MalformedJson as error:
            if not (self.keeps_whole and error.cut):
                raise
            if error.expected == "]" and not self.is_firm and items:
                items.pop()
            self.is_firm = True
        return items

    def _read_items(self, items: list[JsonValue]) -> None:
        has_comma = True
        while not self._closes("]", items, has_comma=bool(items) and has_comma):
            if items and not has_comma and self.text[self.position] not in '{["':
                raise self._missing("a comma")
            items.append(self._value())
            has_comma = self._comma()

    def _closes(self, bracket: str, container: _Container, *, has_comma: bool) -> bool:
        """Go past the closing bracket, if the container ends here."""
        self._skip()
        if self._at_end():
            if self.cut or has_comma or not container or not self.is_firm:
                raise self._missing(bracket, cut=True)
            return True
        char = self.text[self.position]
        if char == bracket:
            self.position += 1
            self.is_firm = True
            return True
        if char in "}]" and self.depth > 1 and container and not has_comma:
            self.is_patched = True
            return True
        return False

    def _comma(self) -> bool:
        self._skip()
        has_comma = self.text[self.position : self.position + 1] in {",", "，"}
        self.position += has_comma
        return has_comma

    def _key(self) -> str:
        if self.text[self.position] in _CLOSING:
            return self._string()
        match = _BARE_KEY.match(self.text, self.position)
        if match is None:
            raise self._missing("a key")
        self.position = match.end()
        return match.group()

    def _string(self) -> str:
        text, size, position = self.text, len(self.text), self.position + 1
        closing = _CLOSING[text[position - 1]]
        plain = _PLAIN[closing]
        pieces: list[str] = []
        while position < size:
            char = text[position]
            if char == "\\":
                self.position = position
                pieces.append(self._escape())
                position = self.position
            elif char != closing:
                match = plain.match(text, position)
                position += len(piece := match.group() if match else char)
                pieces.append(piece)
            elif self.guesses_quotes and not _AFTER_STRING.match(text, position + 1):
                pieces.append(closing)
                position += 1
            else:
                self.position = position + 1
                self.is_firm = True
                return "".join(pieces)
        self.position = size
        raise self._missing(closing, cut=True)

    def _escape(self) -> str:
        """Read what a backslash begins; where it begins nothing, it stands for itself."""
        following = self.text[self.position + 1 : self.position + 2]
        if following in _ESCAPED:
            self.position += 2
            return _ESCAPED[following]
        byte = _BYTE.match(self.text, self.position)
        if byte is not None:
            self.position = byte.end()
            return chr(int(byte[1], 16))
        character = _UNICODE.match(self.text, self.position)
        if character is None:
            self.position += 1
            return "\\"
        self.position = character.end()
        # Half of a pair is not a character; no file could hold it.
        return well_formed(json.loads(f'"{character.group()}"'))

    def _scalar(self) -> JsonValue:
        for pattern in (_NUMBER, _LITERAL, _BARE_WORD):
            match = pattern.match(self.text, self.position)
            if match is not None and len(said := match.group()) <= _MAX_DIGITS:
                self.position = match.end()
                self.is_firm = match.end() < len(self.text) or pattern is _LITERAL
                if pattern is _NUMBER:
                    return _read_float(said) if {*said} & {*".eE"} else int(said)
                # All but two of the words that have a meaning mean nothing.
                return _LITERALS.get(said.lower()) if pattern is _LITERAL else said
        raise self._missing("a value")

    def _missing(self, expected: str, *, cut: bool = False) -> MalformedJson:
        return MalformedJson(expected, at=self.position, cut=cut, is_begun=self.is_begun)

    def _skip(self) -> None:
        match = _GAP.match(self.text, self.position)
        if match is not None:
            self.position = match.end()

    def _at_end(self) -> bool:
        """Say whether the text ends here, or the fence around it."""
        return self.position >= len(self.text) or self.text.startswith("```", self.position)


MAX_TOLERATED = 1_000_000
"""Characters past which only well-formed JSON is read: the generous grammar is slow. Chosen by hand."""

_MAX_STARTS = 50
"""Places from which an object is looked for in prose, the first so many. Chosen by hand."""

# Reasoning that some models write before their answer.
_THOUGHTS = lazy_regex(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING_FENCE = lazy_regex(r"```[\w-]*\s*+")
_BRACE = lazy_regex(r"\{")


class UnreadableReply(Exception):
    """There is no JSON with one reading; says what is wrong, in words that a model can act on."""


def read_values(text: str, *, cut: bool = False) -> list[JsonValue]:
    """Return the objects and lists that the text holds, in their order; raise `UnreadableReply` when there are none.

    `cut` says that the model was stopped at its limit: what is missing at the end was not forgotten.
    """
    body = _THOUGHTS.sub("", text.removeprefix("\ufeff")).strip()
    whole = _read_exactly(body)
    if isinstance(whole, str):
        whole = _read_exactly(whole)
    if isinstance(whole, dict | list):
        return [whole]
    if len(body) > MAX_TOLERATED:
        raise UnreadableReply(f"it is longer than {MAX_TOLERATED} characters and not well-formed JSON")
    return _search(body, cut=cut)


def read_whole_items(text: str) -> dict[str, JsonValue] | None:
    """Return the object of a text that was cut inside a list: whole items and nothing of the last; `None` if none is.

    What was said before the limit is no guess, and a list is asked for where its items stand for themselves.
    """
    body = _THOUGHTS.sub("", text.removeprefix("\ufeff")).strip()
    start = body.find("{")
    if start < 0 or len(body) > MAX_TOLERATED:
        return None
    try:
        value = _JsonReader(body, start, cut=True, keeps_whole=True).read()[0]
    except MalformedJson:
        return None
    has_items = isinstance(value, dict) and any(isinstance(part, list) and part for part in value.values())
    return value if isinstance(value, dict) and has_items else None


def _read_exactly(text: str) -> JsonValue:
    """Return the value of well-formed JSON, and None for anything else."""
    try:
        value: JsonValue = json.loads(text, parse_constant=lambda _: None, parse_float=_read_float, strict=False)
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError, too
        return None
    return value


def _read_float(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) < float("inf") else None


def _search(text: str, *, cut: bool) -> list[JsonValue]:
    found: list[JsonValue] = []
    position = 0
    patience = 2 * len(text)
    # JSON may begin at any brace, and as a list where nothing but a fence is before it.
    fences = [match.end() for match in islice(_OPENING_FENCE.finditer(text), _MAX_STARTS)]
    lists = [place for place in (0, *fences) if text.startswith("[", place)]
    for start in sorted({*lists, *(match.start() for match in islice(_BRACE.finditer(text), _MAX_STARTS))}):
        if start < position:
            continue
        try:
            value, position = _JsonReader(text, start, cut=cut).read()
        except MalformedJson as error:
            if error.is_begun:
                with suppress(MalformedJson):
                    value, position = _JsonReader(text, start, cut=cut, guesses_quotes=True).read()
                    found.append(value)
                    continue
            # Nonsense of nothing but beginnings would be read from each of them to its end.
            patience -= error.at - start
            if not error.is_begun and patience > 0:
                continue
            # What stands inside something broken is a part of it, not an answer of its own; and what stands before
            # it may be a draft of it.
            problem = "its JSON ends in the middle" if error.cut else f"its JSON is not well-formed: {error}"
            raise UnreadableReply(problem) from error
        found.append(value)
    if not found:
        raise UnreadableReply("it contains no JSON object")
    return found
