"""Plays the scenario file through any interface and gives what came of each step, with chance and time taken out."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from remanent.errors import RemanentError

FILE = Path(__file__).parent / "moving.json"
_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
# What differs from run to run, and what differs between a process that goes on and one that starts anew.
_LEFT_OUT = frozenset(
    {
        "created_at",
        "updated_at",
        "recorded_at",
        "learned_at",
        "forgotten_at",
        "superseded_at",
        "bytes_on_disk",
        "wake_at",
        "cached",
        "changed_by",  # who asks differs from door to door
    }
)

Do = Callable[[str, dict[str, Any]], Any]
"""Does one operation, given by name and fields, and returns what the interface answers; raises the library's errors."""


def steps() -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def play(do: Do, *, without: frozenset[str] = frozenset()) -> list[Any]:
    """Play every step and return the outcomes in a form that can be compared, `without` some fields by name."""
    kept: dict[str, str] = {}
    names: dict[str, str] = {}
    outcomes = []
    for step in steps():
        given = _filled(step["given"], kept)
        try:
            answer = to_jsonable_python(do(step["do"], given))
            for name, path in step.get("keep", {}).items():
                kept[name] = _at(answer, path)
        except RemanentError as error:
            answer = {"error": type(error).__name__}
        outcomes.append(_plain(answer, names, _LEFT_OUT | without))
    return outcomes


def _filled(given: Any, kept: dict[str, str]) -> Any:
    if isinstance(given, str) and given.startswith("$"):
        return kept[given[1:]]
    if isinstance(given, list):
        return [_filled(one, kept) for one in given]
    if isinstance(given, dict):
        return {name: _filled(one, kept) for name, one in given.items()}
    return given


def _at(answer: Any, path: str) -> str:
    for name in path.split("."):
        answer = answer[int(name) if name.isdigit() else name]
    return str(answer)


def _plain(answer: Any, names: dict[str, str], left_out: frozenset[str]) -> Any:
    if isinstance(answer, dict):
        return {name: _plain(one, names, left_out) for name, one in answer.items() if name not in left_out}
    if isinstance(answer, list):
        return [_plain(one, names, left_out) for one in answer]
    if isinstance(answer, float):
        return round(answer, 2)
    if isinstance(answer, str):
        return _ID.sub(lambda found: names.setdefault(found[0], f"#{len(names) + 1}"), answer)
    return answer
