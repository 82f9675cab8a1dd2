"""Finding the JSON in what a model wrote, also where it is not quite JSON.

What has one reading is read: fences and prose around it, comments, trailing and missing commas, single, typographic
and unescaped quotes, bad escapes, keys without quotes, full-width commas and colons, words of Python, closing brackets
that were forgotten. NaN and the infinities are no numbers, so they are read as null. Of a key that stands twice the
last value counts, as in every common JSON reader. What could mean two things is not read at all.
"""

import json
import re
from itertools import islice

from pydantic import JsonValue

from remanent.language.models.grammar import Malformed, read_value

LONGEST_TOLERATED = 1_000_000
"""Characters past which only well-formed JSON is read: the generous grammar is slow."""

_MOST_STARTS = 50

# Reasoning that some models write before their answer.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING_FENCE = re.compile(r"```[\w-]*\s*+")
_BRACE = re.compile(r"\{")


class Unreadable(Exception):
    """There is no JSON with one reading; says what is wrong, in words that a model can act on."""


def read_values(text: str, *, cut: bool = False) -> list[JsonValue]:
    """Return the objects and lists that the text holds, in their order; raise `Unreadable` when there are none.

    `cut` says that the model was stopped at its limit: what is missing at the end was not forgotten.
    """
    body = _THOUGHTS.sub("", text.removeprefix("\ufeff")).strip()
    whole = _read_exactly(body)
    if isinstance(whole, str):
        whole = _read_exactly(whole)
    if isinstance(whole, dict | list):
        return [whole]
    if len(body) > LONGEST_TOLERATED:
        raise Unreadable(f"it is longer than {LONGEST_TOLERATED} characters and not well-formed JSON")
    return _search(body, cut=cut)


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
    for start in _starts(text):
        if start < position:
            continue
        try:
            value, position = read_value(text, start, cut=cut)
        except Malformed as error:
            # Nonsense of nothing but beginnings would be read from each of them to its end.
            patience -= error.at - start
            if not error.is_begun and patience > 0:
                continue
            # What stands inside something broken is a part of it, not an answer of its own; and what stands before
            # it may be a draft of it.
            problem = "its JSON ends in the middle" if error.cut else f"its JSON is not well-formed: {error}"
            raise Unreadable(problem) from error
        found.append(value)
    if not found:
        raise Unreadable("it holds no JSON object")
    return found


def _starts(text: str) -> list[int]:
    """Return the places where JSON may begin: at any brace, and for a list where nothing but a fence is before it."""
    fences = [match.end() for match in islice(_OPENING_FENCE.finditer(text), _MOST_STARTS)]
    lists = [place for place in (0, *fences) if text.startswith("[", place)]
    objects = [match.start() for match in islice(_BRACE.finditer(text), _MOST_STARTS)]
    return sorted({*lists, *objects})
