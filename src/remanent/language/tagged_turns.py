"""Turns of a model in tags: where thoughts, calls of tools and the answer begin and end, and what the calls say.

Models forget tags, nest them, quote them inside of arguments and make up results; all of that is read as it was meant.

A call without its tags counts, and a result that a model made up itself does not: what follows it was said to a
result that nobody gave.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import field
from itertools import accumulate, chain

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.language.models.parsing import UnreadableReply, read_values
from remanent.language.shapes import MAX_REMARK, one_line
from remanent.lightweight import dataclass
from remanent.model import JsonObject, Model
from remanent.model.base import Text


class ToolCall(Model):
    """A call of a tool that was declared."""

    name: Text
    arguments: JsonObject


_MAX_CALLS = 20
"""Tool calls of one turn that are made; the agent is told that the others were not. Chosen by hand."""
_CANDIDATES = 5
"""Closing tags that are tried for the end of a body: looking at all would take the square of their number. Chosen by
hand."""
_TAG = re.compile(r"<\s*+(/?)\s*+(think(?:ing)?|tool_calls?|answer|tool_response)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_NAMED = {"thinking": "think", "tool_calls": "tool_call"}
_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    closes: bool
    start: int
    end: int


@dataclass(slots=True)
class ParsedTurn:
    """What was found up to now."""

    thoughts: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    answer: str | None = None
    loose: list[str] = field(default_factory=list)
    """Text outside of any tag."""
    answered: int = 0
    """Where the answer begins."""
    called: int = 0
    """Where the last tool call begins."""
    said: int = 0
    """Where the turn ends; what follows was made up."""


def scan_turn(text: str) -> ParsedTurn:
    """Return the parts of a turn; results of tools that it wrote itself, and all behind them, are left out."""
    tags = [_Tag(_NAMED.get(tag[2].lower(), tag[2].lower()), bool(tag[1]), *tag.span()) for tag in _TAG.finditer(text)]
    closings: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        if tag.closes:
            closings.setdefault(tag.name, []).append(number)
    turn = ParsedTurn(said=len(text))
    position = index = 0
    while index < len(tags):
        tag = tags[index]
        loose = text[position : tag.start].strip()
        if tag.closes:
            # Some models' templates open the thoughts for them, so that only the closing tag is written.
            (turn.thoughts if tag.name == "think" else turn.loose).append(loose)
            position, index = tag.end, index + 1
            continue
        turn.loose.append(loose)
        position = tag.start
        if tag.name == "tool_response":
            # Results are given to the agent; those that it writes itself are made up, and so is all that follows.
            turn.said = tag.start
            break
        end, index = _body_end(text, tags, closings, index)
        body = text[tag.end : end].strip()
        if tag.name == "think":
            turn.thoughts.append(body)
        elif tag.name == "tool_call":
            turn.calls.append(body)
            turn.called = tag.start
        elif not turn.answer:
            turn.answer, turn.answered = body, tag.start
        position = tags[index - 1].end if tags[index - 1].closes and tags[index - 1].start == end else end
    else:
        turn.loose.append(text[position:].strip())
    turn.loose = [part for part in turn.loose if part]
    turn.thoughts = [part for part in turn.thoughts if part]
    return turn


def _body_end(text: str, tags: list[_Tag], closings: dict[str, list[int]], opened: int) -> tuple[int, int]:
    """Return where the body of an opened tag ends, and the number of the first tag after it."""
    name = tags[opened].name
    every = closings.get(name, [])
    first = bisect_right(every, opened)
    if first == len(every):
        return _open_end(text, tags, opened)
    chosen = every[first]
    if name == "tool_call":  # the first up to which there is JSON: one inside an argument does not count
        for number in every[first : first + _CANDIDATES]:
            with suppress(UnreadableReply):
                read_values(text[tags[opened].end : tags[number].start])
                chosen = number
                break
    elif name != "think":  # tags of the same name may be quoted in the body
        depths = accumulate((1 - 2 * tag.closes) * (tag.name == name) for tag in tags[opened:])
        chosen = next((opened + place for place, depth in enumerate(depths) if depth == 0), every[-1])
    return tags[chosen].start, chosen + 1


def _open_end(text: str, tags: list[_Tag], opened: int) -> tuple[int, int]:
    """Return where a body that is never closed ends: at the next tag that opens something else, or at the end."""
    name, after = tags[opened].name, range(opened + 1, len(tags))
    ends: Iterator[int] = (number for number in after if tags[number].name == "tool_response")
    if name != "answer":
        opens = (number for number in after if not tags[number].closes)
        ends = chain((number for number in opens if tags[number].name != name or name == "tool_call"), ends)
    number = next(ends, len(tags))
    return tags[number].start if number < len(tags) else len(text), number


def read_calls(bodies: list[str], tools: Collection[str]) -> tuple[list[ToolCall], list[str]]:
    """Return the calls that can be made, and what is wrong with the others, to tell the model."""
    calls: list[ToolCall] = []
    problems: list[str] = []
    for body in bodies:
        try:
            values = read_values(body)
        except UnreadableReply as error:
            problems.append(_problem(f'a tool call cannot be read: {error}; write {{"name": …, "arguments": {{…}}}}'))
            continue
        for value in values:
            for item in value if isinstance(value, list) else [value]:
                call = _call(item, tools)
                (calls if isinstance(call, ToolCall) else problems).append(call)  # type: ignore[arg-type]
    if len(calls) > _MAX_CALLS:
        problems.append(f"only the first {_MAX_CALLS} of {len(calls)} tool calls are made; call fewer at once")
    return calls[:_MAX_CALLS], problems


def _call(value: JsonValue, tools: Collection[str]) -> ToolCall | str:
    """Return the call that an object means, or what is wrong with it."""
    if not isinstance(value, dict):
        return "a tool call must be an object with name and arguments"
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = next((part for key in _NAME_KEYS if isinstance(part := value.get(key), str)), "").strip()
    if name not in tools:
        return _problem(f"there is no tool {name!r}; the tools are: {', '.join(tools) or 'none'}")
    arguments = next((value[key] for key in _ARGUMENT_KEYS if value.get(key) is not None), {})
    if isinstance(arguments, str):
        try:
            arguments = read_values(arguments)[0]
        except UnreadableReply:
            return f"the arguments of {name} are not a JSON object"
    if not isinstance(arguments, dict):
        return f"the arguments of {name} must be a JSON object"
    try:
        return ToolCall(name=name, arguments=arguments)
    except InvalidInput as error:
        return _problem(f"the arguments of {name} cannot be used: {error}")


def _problem(text: str) -> str:
    return one_line(text, MAX_REMARK)
