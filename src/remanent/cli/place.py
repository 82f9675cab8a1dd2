"""The options that most commands share: where the memory lies, whose it is, and how to answer."""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from remanent._sync import Memory
    from remanent.settings import Settings

Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="FOLDER", help="The folder that holds all memory (also REMANENT_HOME)."),
]
Org = Annotated[str | None, typer.Option("--org", metavar="NAME", help="The organisation (also REMANENT_ORG).")]
Workspace = Annotated[
    str | None, typer.Option("--workspace", metavar="NAME", help="The workspace (also REMANENT_WORKSPACE).")
]
WhichAgent = Annotated[
    str, typer.Option("--agent", "-a", metavar="NAME", envvar="REMANENT_AGENT", help="Whose memory.")
]
PerhapsAgent = Annotated[
    str | None, typer.Option("--agent", "-a", metavar="NAME", envvar="REMANENT_AGENT", help="Whose memory.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with one JSON value; errors are JSON too.")]


Level = Literal["machine", "org", "workspace", "agent", "agents"]
"""What a command works on: `agents` is one agent if it is named, else all of a workspace."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which memory a command works on, and how it answers."""

    home: Path | None = None
    org: str | None = None
    workspace: str | None = None
    agent: str | None = None
    as_json: bool = False

    def overrides(self) -> dict[str, Any]:
        """Return the settings that were given as options."""
        return {"home": self.home, "org": self.org, "workspace": self.workspace}

    def open(self, settings: "Settings") -> AbstractContextManager["Memory"]:
        """Open the memory."""
        from remanent._sync import open as open_memory

        return open_memory(settings=settings)


def placed(level: Level) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options of its level; it gets them together as its first argument."""
    options: dict[str, tuple[Any, Any]] = {"home": (Home, None)}
    if level != "machine":
        options["org"] = (Org, None)
    if level in {"workspace", "agent", "agents"}:
        options["workspace"] = (Workspace, None)
    if level == "agent":
        options["agent"] = (WhichAgent, inspect.Parameter.empty)
    elif level == "agents":
        options["agent"] = (PerhapsAgent, None)
    options["as_json"] = (AsJson, False)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def command(**values: Any) -> None:
            shared = {name: values.pop(name) for name in options}
            function(Place(**shared), **values)

        _, *own = inspect.signature(function).parameters.values()
        shown = [own_one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for own_one in own]
        shown += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in options.items()
        ]
        command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
        return command

    return decorate


def read_moment(text: str) -> datetime:
    """Return the moment of an ISO 8601 date or time; without a zone it is meant in the user's own."""
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else moment.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise typer.BadParameter(
            f"{text!r} is no date or time; write it like 2026-05-31 or 2026-05-31T18:30:00+08:00"
        ) from error
