"""Doing an operation for a command: its request from the options, its answer on the screen."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from remanent.cli import intakes, words
from remanent.cli.exits import Exit
from remanent.cli.input import STANDARD, read_bytes, read_lines, size_of
from remanent.cli.moving import target
from remanent.cli.place import Place
from remanent.cli.screen import Meter, Screen, begin
from remanent.cli.showing import Shown, question_of, show
from remanent.memory import AsyncMemory, aopen
from remanent.operations import CATALOGUE, Body, Operation, ProgressStep, Service
from remanent.operations import Place as Where
from remanent.settings import Settings


def perform(
    name: str,
    place: Place,
    fields: Mapping[str, Any],
    *,
    each: tuple[str, Sequence[str]] | None = None,
    intake: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    file: Path = STANDARD,
    wait: bool = False,
    yes: bool = False,
) -> None:
    """Do an operation once, or once for each of several values, and show what it answers."""
    screen, settings = begin(place)
    operation = CATALOGUE[name]
    given = {field: value for field, value in fields.items() if value is not None and value != []}
    requests = [given]
    if each is not None:
        requests = [{**given, each[0]: value} for value in each[1]]
    elif intake is not None:
        command = operation.command
        requests = getattr(intakes, f"take_{command.takes if command else None}")(screen, given, **intake)
    if operation.destroys:
        _confirm(screen, operation, requests[0], place, yes=yes)
    where = Where(org=settings.org, workspace=settings.workspace, agent=place.agent)
    work = _Work(screen, settings, operation, where=where, file=file)
    shown = asyncio.run(work.run(requests, several=each is not None, options=options or {}, wait=wait))
    if shown.ends_with:
        raise typer.Exit(shown.ends_with)


def _confirm(
    screen: Screen, operation: Operation[Any, Any], request: Mapping[str, Any], place: Place, *, yes: bool
) -> None:
    question = question_of(screen, operation, request, agent=place.agent)
    if not yes and not screen.ask(question):
        screen.tell(words.NOT_ERASED)
        raise typer.Exit(Exit.NO)


class _Work:
    """One command's work on an open memory."""

    def __init__(
        self,
        screen: Screen,
        settings: Settings,
        operation: Operation[Any, Any],
        *,
        where: Where,
        file: Path,
    ) -> None:
        self._screen = screen
        self._settings = settings
        self._operation = operation
        self._where = where
        self._file = file

    async def run(
        self, requests: Sequence[Mapping[str, Any]], *, several: bool, options: Mapping[str, Any], wait: bool
    ) -> Shown:
        """Do it, show it, and wait for the index if that is wanted."""
        operation = self._operation
        read = [operation.request.model_validate(dict(request)) for request in requests]
        async with aopen(settings=self._settings) as memory, Service(memory) as service:
            if operation.answers is Body.LINES:
                return await self._write_lines(service, read[0])
            answers = []
            with self._screen.meter(words.WORKING, total=_total(operation, self._file, read)) as meter:
                for request in read:
                    upload = self._upload(meter) if operation.reads is not Body.JSON else None
                    answers.append(
                        await service.perform(
                            operation.name, request, place=self._where, upload=upload, report=_to(meter)
                        )
                    )
                    if operation.reads is Body.JSON and len(read) > 1:
                        meter.advance()
            shown = Shown(self._screen, operation, read, answers, several, options, self._where, self._file)
            show(shown)
            if wait:
                await settle(self._screen, memory)
            return shown

    async def _write_lines(self, service: Service, request: Any) -> Shown:
        """Write lines to a file, whole or not at all, or to standard output."""
        lines = await service.stream(self._operation.name, request, place=self._where)
        count = 0
        with target(self._file) as stream, self._screen.meter(words.EXPORTING) as meter:
            async for line in lines:
                stream.write(line.encode() + b"\n")
                count += 1
                meter.note(f"{count}")
        shown = Shown(self._screen, self._operation, [request], [count], False, {}, self._where, self._file)
        show(shown)
        return shown

    async def _upload(self, meter: Meter) -> AsyncIterator[bytes]:
        if self._operation.reads is Body.BYTES:
            yield read_bytes(self._file)
            return
        for line in read_lines(self._file):
            piece = line.encode() + b"\n"
            meter.advance(len(piece))
            yield piece


def _total(operation: Operation[Any, Any], file: Path, requests: Sequence[object]) -> float | None:
    if operation.reads is Body.LINES:
        return size_of(file)
    return len(requests) if len(requests) > 1 else None


def _to(meter: Meter) -> Any:
    def report(step: ProgressStep) -> None:
        meter.note(step.note or (f"{step.done}/{step.total}" if step.total else f"{step.done}"))

    return report


async def settle(screen: Screen, memory: AsyncMemory) -> None:
    """Wait for the index, and show that there is something to wait for."""
    with screen.indexing() as report:
        await memory.settle(on_progress=report)
