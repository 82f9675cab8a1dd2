"""Doing an operation for a command: its request from what the user gave, its answer on the screen.

Most requests are made of options alone. Some commands take words, a file of lines or a question before they destroy;
for each of these there is a function `take_<what>`, whose parameters behind the second are the command's own options.
A file is read and checked completely before anything of it is stored.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from pydantic import JsonValue

from remanent.cli import words
from remanent.cli.display import CommandResult, question_of, read_evaluation, show
from remanent.cli.exits import Exit
from remanent.cli.options import CommonOptions
from remanent.cli.screen import (
    STANDARD,
    ProgressMeter,
    Terminal,
    begin,
    read_bytes,
    read_lines,
    read_messages,
    read_text,
    size_of,
    target,
    waits,
)
from remanent.discipline.operation import FolderCommand
from remanent.embedding.onnx import load_unoptimised
from remanent.errors import InvalidInput, StorageFull
from remanent.jobs import Progress as JobProgress
from remanent.memory import AsyncMemory, aopen
from remanent.model import Message, Probe
from remanent.model.chat import expand_message
from remanent.operations import CATALOGUE, Body, Operation, Service, Target
from remanent.settings import Settings

if TYPE_CHECKING:
    from remanent.context import ContextView

BATCH = 256
"""Messages that are made durable together."""

SessionMessage = tuple[str | None, Message]
"""A message and its session."""

Requests = list[dict[str, Any]]


def take_messages(
    screen: Terminal, given: Mapping[str, Any], *, text: Sequence[str] | None, file: Path | None, **message: Any
) -> Requests:
    """Make requests of the words of one message, or of a file of many: batches, each of one session."""
    session = given.get("session")
    told = list(_messages_of(screen, text or (), file=file, session=session, message=message))
    if not told:
        raise InvalidInput("this file contains no messages")
    requests = []
    for name, group in groupby(told, key=lambda one: one[0]):
        messages = [one for _, one in group]
        for start in range(0, len(messages), BATCH):
            request = {**given, "messages": messages[start : start + BATCH]}
            requests.append(request if name is None else {**request, "session": name})
    return requests


def _messages_of(
    screen: Terminal, texts: Sequence[str], *, file: Path | None, session: str | None, message: dict[str, Any]
) -> Iterator[SessionMessage]:
    """Yield the messages that a command was given, by one of three ways that exclude each other."""
    if file is not None:
        if texts:
            raise typer.BadParameter(screen.word(words.TEXT_AND_FILE))
        yield from _read_messages_file(file, session=session)
        return
    if list(texts) == [str(STANDARD)] or (not texts and waits()):
        content = read_text(STANDARD)
    elif texts:
        content = " ".join(texts)
    else:
        raise typer.BadParameter(screen.word(words.NO_TEXT))
    named = {"role": message["role"], "id": message["message_id"], "occurred_at": message["at"]}
    yield session, Message.model_validate({**named, "content": content})


def _read_messages_file(file: Path, *, session: str | None) -> list[SessionMessage]:
    """Return the messages of a file, all of them checked before the first is kept."""
    told: list[SessionMessage] = []
    tools: dict[str, str] = {}
    for place, value in read_messages(file):
        try:
            own = value.pop("session", None) if isinstance(value, dict) else None
            if own is not None and not isinstance(own, str):
                raise InvalidInput("session must be text")
            told += [(session if own is None else own, message) for message in expand_message(value, tools)]
        except InvalidInput as error:
            raise InvalidInput(f"{place}: {error}") from error
    return told


def take_targets(screen: Terminal, given: Mapping[str, Any]) -> Requests:
    """Make sure that something is named."""
    if not any(given.values()):
        raise typer.BadParameter(screen.word(words.NOTHING_TO_ERASE))
    return [dict(given)]


def take_questions(
    screen: Terminal, given: Mapping[str, Any], *, file: Path, against: Path | None, **checks: Any
) -> Requests:
    """Make a request of a file of questions, one JSON object a line; what they are held against must be readable."""
    del screen, checks
    if against is not None:
        read_evaluation(against)
    questions = []
    for number, line in enumerate(read_lines(file), start=1):
        if line.strip():
            try:
                questions.append(Probe.from_json(line))
            except InvalidInput as error:
                raise InvalidInput(f"line {number} of {file}: {error}") from error
    if not questions:
        raise InvalidInput("this file contains no questions")
    return [{**given, "questions": questions}]


def take_role_request(
    screen: Terminal, given: Mapping[str, Any], *, file: Path, schema: bool, prompt: bool
) -> Requests:
    """Make a request of a language role of JSON; or only show what a request is, or what a model would be told."""
    from remanent.operations.administration import role_of

    role = role_of(given["role"])
    if schema:
        screen.give(role.request.model_json_schema())
        raise typer.Exit
    request = role.request.from_json(read_text(file))
    if prompt:
        _show_prompt(screen, role, request)
        raise typer.Exit
    return [{**given, "request": request.model_dump(mode="json")}]


_INTAKES: Mapping[str, Callable[..., Requests]] = {
    "messages": take_messages,
    "questions": take_questions,
    "request": take_role_request,
    "targets": take_targets,
}
"""Makes the requests of a command, by what it declares that it `takes`."""


def _show_prompt(screen: Terminal, role: Any, request: Any) -> None:
    """Show what a model would be told for a request, without asking one."""
    told = role.prompt(request, language=role.language(request))
    turns: list[dict[str, JsonValue]] = [{"speaker": "user", "text": told.content}]
    turns += [{"speaker": turn.speaker, "text": turn.text} for turn in told.turns]
    if screen.as_json:
        screen.give({"instructions": told.instructions, "turns": turns})
    else:
        screen.show(f"[instructions]\n{told.instructions}")
        for turn in turns:
            screen.show(f"\n[{turn['speaker']}]\n{turn['text']}")


def perform_folder(place: CommonOptions, work: FolderCommand, folder: Path, given: dict[str, Any]) -> None:
    """Do what a command does for a whole folder, which is read where it lies, and show what came of it.

    Where it is watched, that is done and shown whenever its files change, until the user has enough of it.
    """
    screen, settings = begin(place)
    show_report = screen.give if place.as_json else partial(work.show, screen)
    is_watched = given.pop("watch", False)
    with place.open(settings) as memory:
        if is_watched and work.watch is not None:
            with contextlib.suppress(KeyboardInterrupt):
                screen.tell(words.WATCHING, folder=folder)
                for report in work.watch(memory, folder=folder, given=given, agent=place.agent):
                    show_report(report)
            return
        with screen.meter(words.READING_FILES) as meter:

            def tell(done: int, total: int, name: str) -> None:
                meter.note(f"{done}/{total} {name}")

            report = work.run(memory, folder, given, agent=place.agent, on_progress=tell)
        with screen.indexing() as indexed:
            memory.settle(on_progress=indexed)
    show_report(report)


def perform(
    name: str,
    place: CommonOptions,
    fields: Mapping[str, Any],
    *,
    each: tuple[str, Sequence[str]] | None = None,
    intake: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    file: Path = STANDARD,
    wait: bool | None = None,
    yes: bool = False,
) -> None:
    """Do an operation once, or once for each of several values, and show what it answers."""
    screen, settings = begin(place)
    operation = CATALOGUE[name]
    given = {field: value for field, value in fields.items() if value is not None and value != []}
    if operation.command is not None and operation.command.folder is not None and file.is_dir():
        perform_folder(place, operation.command.folder, file, given)
        return
    requests = [given]
    if each is not None:
        requests = [{**given, each[0]: value} for value in each[1]]
    elif intake is not None:
        assert operation.command is not None
        assert operation.command.takes is not None
        requests = _INTAKES[operation.command.takes](screen, given, **intake)
    if operation.reads is Body.BYTES and file != STANDARD and given.get("name") == "":
        given["name"] = file.name
    if operation.destroys:
        _confirm(screen, operation, requests[0], place, yes=yes)
    if wait is None:
        wait = intake is not None and intake.get("file") is not None
    if not wait and operation.reads is Body.JSON:
        load_unoptimised(settings.home)
    shown = CommandResult(
        screen,
        operation,
        [operation.request.model_validate(dict(request)) for request in requests],
        several=each is not None,
        options={**(intake or {}), **(options or {})},
        place=Target(org=settings.org, workspace=settings.workspace, agent=place.agent),
        file=file,
        home=settings.home,
    )
    asyncio.run(_do(shown, settings, wait=wait))
    if shown.ends_with:
        raise typer.Exit(shown.ends_with)


def _confirm(
    screen: Terminal, operation: Operation[Any, Any], request: Mapping[str, Any], place: CommonOptions, *, yes: bool
) -> None:
    """Ask before something is destroyed; without a terminal the answer is no, so that no script destroys by mistake."""
    question = question_of(screen, operation, request, agent=place.agent)
    if not yes and not screen.ask(question):
        screen.tell(words.NOT_ERASED)
        raise typer.Exit(Exit.NO)


async def _do(shown: CommandResult, settings: Settings, *, wait: bool) -> None:
    """Do an operation on the memory, show what it answers, and wait for the index if that is wanted."""
    screen, operation, several = shown.screen, shown.operation, len(shown.requests) > 1
    total = float(len(shown.requests)) if several else None
    async with aopen(settings=_opened(settings, operation, wait=wait)) as memory, Service(memory) as service:
        if operation.answers is Body.LINES:
            shown.answers.append(await _write_lines(shown, service))
            show(shown)
            return
        if operation.command is not None and operation.command.settles_first and shown.place.agent is not None:
            await _settle_first(shown, memory)
        with screen.meter(
            words.WORKING, total=size_of(shown.file) if operation.reads is Body.LINES else total
        ) as meter:
            for request in shown.requests:
                upload = _upload(shown, meter) if operation.reads is not Body.JSON else None
                answer = await service.perform(
                    operation.name, request, place=shown.place, upload=upload, report=meter.report
                )
                shown.answers.append(answer)
                if operation.reads is Body.JSON and several:
                    meter.advance()
        show(shown)
        if wait:
            await settle(screen, memory)


async def _settle_first(shown: CommandResult, memory: AsyncMemory) -> None:
    """Wait for the index of what was told before; on a full disk that never ends, and reading needs no room."""
    where = shown.place
    with shown.screen.indexing() as report:

        def advance(progress: JobProgress) -> None:
            report(progress)
            if progress.no_room:
                raise StorageFull

        try:
            agent = memory.agent(where.agent or "", workspace=where.workspace, org=where.org)
            await agent.settle(on_progress=advance)
        except StorageFull:
            shown.screen.tell(words.NO_ROOM_TO_INDEX)


def _opened(settings: Settings, operation: Operation[Any, Any], *, wait: bool) -> Settings:
    """Return the settings to open with: what is only taken down is indexed by the next process that reads.

    To load the models takes many times as long as to keep a sentence, and recall finds it by its words meanwhile.
    An export takes what waits along.
    """
    if wait or (operation.name != "remember" and operation.answers is not Body.LINES):
        return settings
    return settings.model_copy(update={"jobs": settings.jobs.model_copy(update={"enabled": False})})


async def _write_lines(shown: CommandResult, service: Service) -> int:
    """Write lines to a file, whole or not at all, or to standard output; return how many."""
    lines = await service.stream(shown.operation.name, shown.requests[0], place=shown.place)
    count = 0
    with target(shown.file) as stream, shown.screen.meter(words.EXPORTING) as meter:
        async for line in lines:
            stream.write(line.encode() + b"\n")
            count += 1
            meter.note(f"{count}")
    return count


async def _upload(shown: CommandResult, meter: ProgressMeter) -> AsyncIterator[bytes]:
    """Yield what is sent beside the request, and move the meter by its bytes."""
    if shown.operation.reads is Body.BYTES:
        yield read_bytes(shown.file)
        return
    for line in read_lines(shown.file):
        piece = line.encode() + b"\n"
        meter.advance(len(piece))
        yield piece


async def settle(screen: Terminal, memory: AsyncMemory) -> None:
    """Wait for the index, and show that there is something to wait for."""
    with screen.indexing() as report:
        await memory.settle(on_progress=report)


def shrink(place: CommonOptions, *, file: Path, level: int | None, budget: int | None, report: bool) -> None:
    """Shorten the messages of a file; print them, or a table of what was saved."""
    screen, settings = begin(place)
    messages = [message for _, message in read_messages(file)]
    if not messages or not all(isinstance(message, dict) for message in messages):
        raise InvalidInput(f"{file} contains no messages: give a list of objects with `role` and `content`")
    with place.open(settings) as memory:
        view = memory.agent(place.agent or settings.agent).context(messages, budget=budget, level=level)
    if place.as_json:
        screen.give(view.model_dump(mode="json"))
    elif report:
        _show_shrunk(screen, view, given=len(messages))
    else:
        print(json.dumps(view.messages, ensure_ascii=False, indent=2))
    if not view.fits:
        screen.tell(words.NO_FIT, budget=view.budget)


def _show_shrunk(screen: Terminal, view: "ContextView", *, given: int) -> None:
    """Show a table of what each strategy did, and the whole."""
    rows = [[screen.word(words.STRATEGIES[one.strategy.name]), *_figures(one.before, one.after)] for one in view.report]
    rows.append([screen.word(words.SHRUNK_TOTAL), *_figures(view.tokens_before, view.tokens)])
    screen.rows(words.SHRUNK_HEADINGS, rows)
    screen.tell(words.SHRUNK, level=view.level, messages=len(view.messages), given=given)


def _figures(before: int, after: int) -> list[str]:
    share = (before - after) / before if before else 0.0
    return [f"{before:,}", f"{after:,}", f"{before - after:,} ({share:.0%})"]
