"""Commands that no operation makes, made of what disciplines declare of them."""

import inspect
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from remanent.cli.options import CommonOptions, GeneratedCommand, argument, option, say, with_common_options
from remanent.plugins import CommandParameter, HandMadeCommand

if TYPE_CHECKING:
    from remanent.discipline.operation import FolderCommand


def make_command(discipline: str, declared: HandMadeCommand) -> GeneratedCommand:
    """Return a command; what it runs is imported when it does."""

    def run(place: CommonOptions, **given: Any) -> None:
        module, _, name = declared.run.partition(":")
        work = getattr(import_module(module), name)
        if callable(work):
            work(place, **given)
        else:
            _run_folder(place, work, given.pop("folder"), given)

    place = inspect.Parameter("place", inspect.Parameter.POSITIONAL_ONLY)
    shown = [place, *map(_parameter, declared.parameters)]
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    made = with_common_options(declared.level, agent=declared.agent)(run)
    help_text = say(declared.help.en, declared.help.zh)
    return GeneratedCommand((discipline, declared.name), help_text, made, discipline=discipline)


def _run_folder(place: CommonOptions, work: "FolderCommand", folder: Path, given: dict[str, Any]) -> None:
    """Do for a folder what is done, once or whenever its files change."""
    from remanent.cli.execution import perform_folder, watch_folder

    if given.pop("watch", False) and work.watch is not None:
        watch_folder(place, work, folder, partial(work.watch, folder=folder, given=given, agent=place.agent))
    else:
        perform_folder(place, work, folder, given)


def _parameter(declared: CommandParameter) -> inspect.Parameter:
    """Return a parameter as typer reads it."""
    checks = {"exists": True, "dir_okay": False} if declared.is_file else {}
    declare = option if declared.shown.startswith("-") else argument
    shown = declare(declared.shown, declared.help.en, declared.help.zh, **checks)
    default = inspect.Parameter.empty if declared.default is ... else declared.default
    annotation: Any = Annotated.__class_getitem__((declared.type, shown))  # type: ignore[attr-defined]
    return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
