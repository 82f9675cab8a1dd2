"""`roles check`: examines the configured model, shows its marks, and writes which roles it should do."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.table import Table

from remanent.cli import words
from remanent.cli.options import CommonOptions
from remanent.cli.screen import ProgressMeter, Terminal, begin
from remanent.durability import make_folder, write_durably
from remanent.errors import InvalidSettings
from remanent.language.engines import OfflineEngine
from remanent.language.examination import EXERCISES, Exercise, RoleMarks, examine
from remanent.language.models.engine import ModelEngine
from remanent.settings import Settings, profile_file, read_profile


def check(place: CommonOptions, *, minutes: float, dry_run: bool, file: Path | None) -> None:
    """Examine the model of the settings in every role, and write the profile that follows from its marks."""
    screen, settings = begin(place)
    if not settings.uses_model:
        raise InvalidSettings("there is no model to examine: set model.provider and model.name, or model.base_url")
    with screen.meter(words.EXAMINING, total=len(EXERCISES)) as meter:
        marks = asyncio.run(_marks(settings, seconds=60 * minutes, meter=meter))
    profile = {"model": {"roles": {mark.role: {"engine": mark.engine} for mark in marks}}}
    target = None if dry_run else _write(profile, file or profile_file())
    if place.as_json:
        screen.give({"marks": marks, "profile": profile, "file": None if target is None else str(target)})
        return
    screen.out.print(_table(screen, marks))
    if target is not None:
        screen.tell(words.PROFILE_WRITTEN, file=str(target))


async def _marks(settings: Settings, *, seconds: float, meter: ProgressMeter) -> list[RoleMarks]:
    """Return how well a model does each role beside the offline engine."""
    # One attempt each: an examination that waits for a server to recover marks the server.
    model = ModelEngine(settings.model.model_copy(update={"attempts": 1}))

    async def report(exercise: Exercise) -> None:
        meter.note(exercise.role)
        meter.advance()

    try:
        return await examine(model, OfflineEngine(), seconds=seconds, report=report)
    finally:
        await model.close()


def _table(screen: Terminal, marks: list[RoleMarks]) -> Table:
    """Lay the marks out: what the model did beside what is done without one."""
    table = Table(box=None, pad_edge=False)
    for heading in words.MARK_HEADINGS:
        table.add_column(screen.word(heading))
    for mark in marks:
        seconds = f"{mark.seconds:.0f}" if mark.looked_at else "–"
        right = f"{mark.right}/{mark.exercises}" if mark.looked_at else "–"
        offline = f"{mark.offline}/{mark.exercises}"
        table.add_row(mark.role, right, str(mark.refused), offline, seconds, mark.engine)
    return table


def _write(profile: dict[str, Any], file: Path) -> Path:
    """Put the profile into a configuration file; what else it holds stays, and the old file is kept beside it."""
    import yaml  # type: ignore[import-untyped]

    text = yaml.safe_dump(read_profile(file, profile), allow_unicode=True, sort_keys=False)
    make_folder(file.parent)
    # Private, as everything written so: they may hold a key.
    with suppress(FileNotFoundError):
        write_durably(file.with_name(f"{file.name}.bak"), file.read_bytes())
    write_durably(file, text.encode())
    return file
