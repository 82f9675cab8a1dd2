"""What some commands take beside their operation's own fields: words, files, things to look at.

`take_<what>` makes the requests of a command that `takes` it; its parameters behind the second are the options.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import typer
from pydantic import JsonValue

from remanent.cli import words
from remanent.cli.input import STANDARD, read_lines, read_text, waits
from remanent.cli.screen import Screen
from remanent.errors import InvalidInput
from remanent.language import Role
from remanent.model import Message, Probe
from remanent.operations.language import role_of

BATCH = 256
"""Messages that are made durable together."""

Told = tuple[str | None, Message]
"""A message and its session."""

Requests = list[dict[str, Any]]


def take_messages(
    screen: Screen, given: Mapping[str, Any], *, text: Sequence[str] | None, file: Path | None, **message: Any
) -> Requests:
    """Make requests of the words of one message, or of a file of many: batches, each of one session."""
    session = given.get("session")
    told = list(_told(screen, text or (), file=file, session=session, message=message))
    if not told:
        raise InvalidInput("there is no message in this file")
    requests = []
    for name, group in groupby(told, key=lambda one: one[0]):
        messages = [one for _, one in group]
        for start in range(0, len(messages), BATCH):
            request = {**given, "messages": messages[start : start + BATCH]}
            requests.append(request if name is None else {**request, "session": name})
    return requests


def _told(
    screen: Screen, texts: Sequence[str], *, file: Path | None, session: str | None, message: dict[str, Any]
) -> Iterator[Told]:
    if file is not None:
        if texts:
            raise typer.BadParameter(screen.word(words.TEXT_AND_FILE))
        yield from read_messages_file(file, session=session)
        return
    if list(texts) == [str(STANDARD)] or (not texts and waits()):
        content = read_text(STANDARD)
    elif texts:
        content = " ".join(texts)
    else:
        raise typer.BadParameter(screen.word(words.NO_TEXT))
    named = {"role": message["role"], "id": message["message_id"], "occurred_at": message["at"]}
    yield session, Message.model_validate({**named, "content": content})


def read_messages_file(file: Path, *, session: str | None) -> Iterator[Told]:
    """Yield the messages of a file, all of them checked before the first is kept."""
    for number, line in enumerate(read_lines(file), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise InvalidInput("a JSON object with role and content was expected")
            own = value.pop("session", None)
            if own is not None and not isinstance(own, str):
                raise InvalidInput("session must be text")
            yield own if own is not None else session, Message.model_validate(value)
        except ValueError as error:
            raise InvalidInput(f"line {number} of {file} is no JSON: {error}") from error
        except InvalidInput as error:
            raise InvalidInput(f"line {number} of {file}: {error}") from error


def take_targets(screen: Screen, given: Mapping[str, Any]) -> Requests:
    """Make sure that something is named."""
    if not any(given.values()):
        raise typer.BadParameter(screen.word(words.NOTHING_TO_ERASE))
    return [dict(given)]


def take_questions(screen: Screen, given: Mapping[str, Any], *, file: Path) -> Requests:
    """Make a request of a file of questions, one JSON object a line."""
    del screen
    questions = []
    for number, line in enumerate(read_lines(file), start=1):
        if line.strip():
            try:
                questions.append(Probe.from_json(line))
            except InvalidInput as error:
                raise InvalidInput(f"line {number} of {file}: {error}") from error
    if not questions:
        raise InvalidInput("there is no question in this file")
    return [{**given, "questions": questions}]


def take_request(screen: Screen, given: Mapping[str, Any], *, file: Path, schema: bool, prompt: bool) -> Requests:
    """Make a request of JSON; or only show what a request is, or what a model would be told."""
    role = role_of(given["role"])
    if schema:
        screen.give(role.request.model_json_schema())
        raise typer.Exit
    request = role.request.from_json(read_text(file))
    if prompt:
        _show_prompt(screen, role, request)
        raise typer.Exit
    return [{**given, "request": request.model_dump(mode="json")}]


def _show_prompt(screen: Screen, role: Role[Any, Any, Any], request: Any) -> None:
    told = role.prompt(request, tongue=role.tongue(request))
    turns: list[dict[str, JsonValue]] = [{"speaker": "user", "text": told.content}]
    turns += [{"speaker": turn.speaker, "text": turn.text} for turn in told.turns]
    if screen.as_json:
        screen.give({"instructions": told.instructions, "turns": turns})
    else:
        screen.show(f"[instructions]\n{told.instructions}")
        for turn in turns:
            screen.show(f"\n[{turn['speaker']}]\n{turn['text']}")
