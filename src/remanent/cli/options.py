"""The options that commands share, and those that some have beside their operation's fields.

Help must appear at once, so that nothing heavy is imported here: no settings, no model classes, no store.
"""

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from remanent.bilingual import Bilingual, locale_language
from remanent.cli import words
from remanent.lightweight import dataclass
from remanent.plugins import CommandParameter

if TYPE_CHECKING:
    from remanent._sync import Memory
    from remanent.settings import Settings


def say(en: str, zh: str) -> str:
    """Return a help text in the user's language; help is made before any settings are read."""
    return zh if locale_language() == "zh" else en


def option(shown: str, about: Bilingual, **more: Any) -> Any:
    """Declare an option by how help shows it: its flags, then what stands for its value, if any (`--agent -a NAME`).

    What has no flags is given by its place.
    """
    flags = [word for word in shown.split() if word.startswith("-")]
    value = next((word for word in shown.split() if not word.startswith("-")), None)
    more |= {"metavar": value, "help": say(about.en, about.zh)}
    return typer.Option(*flags, **more) if flags else typer.Argument(**more)


Level = Literal["machine", "org", "workspace", "agent", "agents"]
"""What a command works on: `agents` is one agent if it is named, else all of a workspace."""


@dataclass(frozen=True, slots=True)
class CommonOptions:
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


_HOME = CommandParameter("home", Path | None, "--home FOLDER", words.HELP_HOME, None)
_ORG = CommandParameter("org", str | None, "--org NAME", words.HELP_ORG, None)
_WORKSPACE = CommandParameter("workspace", str | None, "--workspace NAME", words.HELP_WORKSPACE, None)
_AGENT = CommandParameter("agent", str | None, "--agent -a NAME", words.HELP_AGENT, None, variable="REMANENT_AGENT")
_AS_JSON = CommandParameter("as_json", bool, "--json", words.HELP_JSON, False)


@cache
def _common_options(level: Level, agent: str) -> tuple[inspect.Parameter, ...]:
    """Return the shared options of a level; `agent` is meant where none is named."""
    if level == "machine":
        shared = [_HOME]
    elif level == "org":
        shared = [_HOME, _ORG]
    else:
        shared = [_HOME, _ORG, _WORKSPACE]
    if level == "agent":
        shared.append(CommandParameter("agent", str, _AGENT.shown, _AGENT.help, agent, variable=_AGENT.variable))
    elif level == "agents":
        shared.append(_AGENT)
    return tuple(_shown(one) for one in (*shared, _AS_JSON))


def with_common_options(
    level: Level, parameters: Sequence[CommandParameter] | None = None, *, agent: str = "default"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options of its level, together as its first argument, and the agent meant by default.

    Typer is shown one flat signature: the command's own parameters, those of its function unless given, and the shared.
    """
    common = _common_options(level, agent)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def command(**given: Any) -> None:
            shared = {one.name: given.pop(one.name) for one in common}
            function(CommonOptions(**shared), **given)

        _, *own = inspect.signature(function).parameters.values()
        own = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        shown = [*(own if parameters is None else map(_shown, parameters)), *common]
        command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in shown}
        return command

    return decorate


def _shown(declared: CommandParameter) -> inspect.Parameter:
    """Return a parameter as typer reads it; the context of the command line itself is none of the user's."""
    if declared.type is typer.Context:
        return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, annotation=declared.type)
    more: dict[str, Any] = {"min": declared.least, "max": declared.most}
    if declared.is_file:
        more |= {"exists": True, "dir_okay": False}
    if declared.type in (datetime, datetime | None):
        more["parser"] = read_moment
    if declared.choices:
        more["autocompletion"] = _choices(*declared.choices.split(":"))
    if declared.variable:
        more["envvar"] = declared.variable
    default = inspect.Parameter.empty if declared.default is ... else declared.default
    annotation: Any = Annotated.__class_getitem__(  # type: ignore[attr-defined]
        (declared.type, option(declared.shown, declared.help, **more))
    )
    return inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def read_moment(text: str) -> datetime:
    """Return the moment of an ISO 8601 date or time; without a zone it is meant in the user's own."""
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else moment.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise typer.BadParameter(words.NOT_A_MOMENT.say(locale_language(), text=repr(text))) from error


# No markup: the styled help takes longer to load than to read.


class CommandGroup(TyperGroup):
    """Commands whose list tells the first sentence of each whole, in as many lines as it takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: D102
        found = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, _first_sentence(command.help or "")) for name, command in found if not command.hidden]
            )


def _first_sentence(text: str) -> str:
    first = re.split(r"(?<=\.)\s|(?<=[。；])|\n\n", text.strip())[0]
    return " ".join(first.replace("；", "。").split())


_UNBROKEN = re.compile(r"\s+|[（“《]*(?:[!-~]+|.)[，。、；：）》”！？…]*")
"""What stays in one line of Chinese: a word in Latin letters or a sign, with the marks that belong to it."""


def _lines(text: str, room: int) -> Iterator[str]:
    """Yield a Chinese text in lines of so many columns: its signs are two wide, and may be parted without a space."""
    line, left = "", room
    for part in _UNBROKEN.findall(text):
        width = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in part)
        if width > left and line:
            yield line.rstrip()
            line, left = "", room
        if line or not part.isspace():
            line, left = line + part, left - width
    yield line.rstrip()


_ParserContext: Any = CommandGroup.context_class
_Formatter: Any = _ParserContext.formatter_class
_NOTES = re.compile(r"\[[^][]*\]$")
"""What stands behind the help of an option: its default, its range, and whether it must be given."""


class HelpFormatter(_Formatter):  # type: ignore[misc]
    """Help in words for people: no types of Python, and what the parser itself says in Chinese, too."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: D102
        args = re.sub(r"\{(\w+)\}", r"\1", args)
        for word, zh in (("[OPTIONS]", "[选项]"), ("COMMAND", "命令"), ("[ARGS]", "[参数]")):
            args = args.replace(word, say(word, zh))
        super().write_usage(prog, args, prefix or say("Usage: ", "用法："))

    def section(self, name: str) -> Any:  # noqa: D102
        return super().section(self._said(name))

    def write_dl(self, rows: Iterable[tuple[str, str]], **options: Any) -> None:  # noqa: D102
        told = [(re.sub(r" <[^<>]+>$", "", name), self._said(text)) for name, text in rows]
        names = max((len(name) for name, _ in told), default=0)
        room = self.width - self.current_indent - min(names, options.get("col_max", 30)) - 4
        super().write_dl([(name, self._parted(text, room)) for name, text in told], **options)

    def write_text(self, text: str) -> None:  # noqa: D102
        room = self.width - self.current_indent
        super().write_text("\n\n".join(self._parted(one, room) for one in text.split("\n\n")))

    def _parted(self, text: str, room: int) -> str:
        """Part Chinese into lines, and mark them so that they stay as they are: help parts words, by letters."""
        if locale_language() != "zh" or text.startswith("\b"):
            return text
        return "\b\n" + "\n".join(_lines("".join(map(str.strip, text.split("\n"))), max(10, room)))

    def _said(self, text: str) -> str:
        """Return a text of the help in the user's language, the notes about defaults and bounds included."""
        if locale_language() != "zh":
            return text
        text = words.HELP.get(text, text)
        return _NOTES.sub(lambda notes: _in_chinese(notes[0]), text)


def _in_chinese(notes: str) -> str:
    for en, zh in (("default: ", "默认："), ("env var: ", "环境变量："), ("required", "必填")):
        notes = notes.replace(en, zh)
    return notes


class _Context(_ParserContext):  # type: ignore[misc]
    formatter_class = HelpFormatter


CommandGroup.context_class = _Context


class HelpfulCommand(TyperCommand):
    """A command whose help is in words for people."""

    context_class = _Context


PLAIN: dict[str, Any] = {"rich_markup_mode": None, "no_args_is_help": True, "cls": CommandGroup}


@dataclass(frozen=True, slots=True)
class OperationCommand:
    """A command that does an operation: its words, what it is for, what it is given, and what becomes of that."""

    path: tuple[str, ...]
    help: Bilingual
    operation: str
    level: Level
    parameters: tuple[CommandParameter, ...]
    """What is given for the fields of the request; one that is given several times comes first."""
    group: Bilingual | None = None
    """What the group is for that it stands in."""
    discipline: str = ""
    """The discipline that it comes with; empty for those of every memory."""
    agent: str = "default"
    each: str = ""
    """The field for each of whose values the operation is done."""
    takes: str = ""
    """What is given in the place of a field, by its name in `TAKES`."""
    explains: bool = False
    writes_file: bool = False
    reads_file: bool = False
    settles: bool = False
    destroys: bool = False


@dataclass(frozen=True, slots=True)
class BoundCommand:
    """A command as typer takes it: its words, what it is for, and what it runs."""

    path: tuple[str, ...]
    help: Bilingual
    function: Callable[..., None]
    group: Bilingual | None = None
    """What the group is for that it stands in."""


def add_commands(app: typer.Typer, commands: Sequence[BoundCommand]) -> None:
    """Add commands, those with two words in the group of the first; a command of that name is done where none is."""
    groups: dict[str, typer.Typer] = {}
    for made in sorted(commands, key=lambda one: len(one.path), reverse=True):
        *above, name = made.path
        where = app
        if above:
            group = above[0]
            if group not in groups:
                groups[group] = typer.Typer(help=_said(made.group), **PLAIN)
                app.add_typer(groups[group], name=group)
            where = groups[group]
        elif name in groups:
            said = groups[name].info.help or _said(made.help)
            groups[name].callback(invoke_without_command=True, no_args_is_help=False, help=said)(_alone(made.function))
            continue
        where.command(name, help=_said(made.help), cls=HelpfulCommand)(made.function)


def _said(about: Bilingual | None) -> str | None:
    return None if about is None else say(about.en, about.zh)


def _alone(function: Callable[..., None]) -> Callable[..., None]:
    """Return what a group does when none of its commands is named."""

    @wraps(function)
    def run(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is None:
            function(**given)

    own = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    declared = inspect.signature(function)
    vars(run)["__signature__"] = declared.replace(parameters=[own, *declared.parameters.values()])
    run.__annotations__ = {**function.__annotations__, "context": typer.Context}
    return run


def _choices(module: str, name: str) -> Callable[[str], list[str]]:
    """Return what completes a value of an enumeration, which is loaded only then."""

    def complete(incomplete: str) -> list[str]:
        from importlib import import_module

        return [str(one.value) for one in getattr(import_module(module), name) if one.value.startswith(incomplete)]

    return complete


TAKES: Mapping[str, tuple[CommandParameter, ...]] = {
    "messages": (
        CommandParameter("text", list[str] | None, "TEXT", words.HELP_TEXT, None),
        CommandParameter("role", str, "--role ROLE", words.HELP_ROLE, "user"),
        CommandParameter("message_id", str | None, "--id ID", words.HELP_MESSAGE_ID, None),
        CommandParameter("at", datetime | None, "--at WHEN", words.HELP_AT, None),
        CommandParameter("file", Path | None, "--file FILE", words.HELP_MESSAGES_FILE, None),
    ),
    "request": (
        CommandParameter("file", Path, "--file FILE", words.HELP_REQUEST_FILE, Path("-")),
        CommandParameter("schema", bool, "--schema", words.HELP_SCHEMA, False),
        CommandParameter("prompt", bool, "--prompt", words.HELP_PROMPT, False),
    ),
    "questions": (
        CommandParameter("file", Path, "FILE", words.HELP_QUESTIONS_FILE),
        CommandParameter("save", Path | None, "--save FILE", words.HELP_SAVE, None),
        CommandParameter("against", Path | None, "--against FILE", words.HELP_AGAINST, None),
        CommandParameter("minimum", float | None, "--min SHARE", words.HELP_MINIMUM, None, least=0, most=1),
    ),
    "targets": (),
}
"""What commands take in the place of a field, and give to the function `take_…` of `execution`; those that name what
they work on must name something, and take nothing else."""
