"""The commands and their options. Everything heavy is imported when a command runs, so that help is instant.

Commands are declared as data: those of operations in `commands`, which `generation` wrote; all others here and in the
module `commands` of a discipline, with the name of what they run.
"""

import atexit
import gc
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from remanent.cli import words
from remanent.cli.commands import COMMANDS
from remanent.cli.exits import quiet_pipe, run_guarded
from remanent.cli.options import (
    PLAIN,
    TAKES,
    BoundCommand,
    CommandGroup,
    CommonOptions,
    OperationCommand,
    add_commands,
    option,
    say,
    with_common_options,
)
from remanent.cli.running_server import perform
from remanent.plugins import (
    OURS,
    CommandParameter,
    HandMadeCommand,
    commands_of_ours,
    others_declared,
    ours_available,
)


def _of_operation(declared: OperationCommand) -> BoundCommand:
    """Return a command that hands what it is given to `perform`."""
    taken = TAKES[declared.takes] if declared.takes else ()
    beside = _beside(declared, takes_file=any(one.name == "file" for one in taken))

    def run(place: CommonOptions, **given: Any) -> None:
        more: dict[str, Any] = {one.name: given.pop(one.name) for one in beside}
        if "explain" in more:
            more["options"] = {"explain": more.pop("explain")}
        if declared.takes:
            more["intake"] = {one.name: given.pop(one.name) for one in taken}
        if declared.each:
            more["each"] = (declared.each, given.pop(declared.each))
        if isinstance(given.get("query"), list):
            given["query"] = " ".join(given["query"])
        perform(declared.operation, place, given, **more)

    first = 1 if declared.each else 0
    files = [one for one in beside if one.name == "file"]
    shown = [*declared.parameters[:first], *taken, *files, *declared.parameters[first:]]
    shown += [one for one in beside if one not in files]
    function = with_common_options(declared.level, shown, agent=declared.agent)(run)
    return BoundCommand(declared.path, declared.help, function, declared.group)


def _beside(declared: OperationCommand, *, takes_file: bool) -> list[CommandParameter]:
    """Return what a command is given beside the fields of its request."""
    beside = []
    if declared.writes_file:
        beside.append(CommandParameter("file", Path, "FILE", words.HELP_EXPORT_FILE, Path("-")))
    if declared.reads_file:
        beside.append(CommandParameter("file", Path, "FILE", words.HELP_IMPORT_FILE))
    if declared.explains:
        beside.append(CommandParameter("explain", bool, "--explain", words.HELP_EXPLAIN, False))
    if declared.settles and takes_file:
        beside.append(CommandParameter("wait", bool | None, "--wait/--no-wait", words.HELP_WAIT_FOR_FILE, None))
    elif declared.settles:
        beside.append(CommandParameter("wait", bool, "--wait/--no-wait", words.HELP_WAIT, True))
    if declared.destroys:
        beside.append(CommandParameter("yes", bool, "--yes -y", words.HELP_YES, False))
    return beside


def make_command(declared: HandMadeCommand, *, discipline: str = "") -> BoundCommand:
    """Return a command that no operation makes; what it runs is imported when it does."""

    def run(place: CommonOptions, **given: Any) -> None:
        module, _, name = declared.run.partition(":")
        work = getattr(import_module(module), name)
        if callable(work):
            work(place, **given)
        else:
            from remanent.cli.execution import perform_folder

            perform_folder(place, work, given.pop("folder"), given)

    path = tuple(f"{discipline} {declared.name}".split())
    function = with_common_options(declared.level, declared.parameters, agent=declared.agent)(run)
    return BoundCommand(path, declared.help, function, words.GROUPS.get(path[0]))


_HOOKS_OF = (
    CommandParameter("tool", str, "--for TOOL", words.HELP_HOOK_TOOL),
    CommandParameter("dry_run", bool, "--dry-run", words.HELP_HOOK_DRY_RUN, False),
    CommandParameter("file", Path | None, "--file PATH", words.HELP_HOOK_FILE, None),
)

OWN = (
    HandMadeCommand(
        "doctor",
        words.HELP_DOCTOR,
        "remanent.cli.maintenance:examine",
        "agents",
        (
            CommandParameter("repair", bool, "--repair", words.HELP_DOCTOR_REPAIR, False),
            CommandParameter("context", typer.Context, "context", words.HELP_DOCTOR),
        ),
    ),
    HandMadeCommand(
        "migrate",
        words.HELP_MIGRATE,
        "remanent.cli.maintenance:migrate",
        "machine",
        (CommandParameter("dry_run", bool, "--dry-run", words.HELP_MIGRATE_DRY_RUN, False),),
    ),
    HandMadeCommand(
        "move",
        words.HELP_MOVE,
        "remanent.cli.maintenance:move",
        "machine",
        (
            CommandParameter("source", str, "--from URL", words.HELP_MOVE_SOURCE),
            CommandParameter("target", str, "--to URL", words.HELP_MOVE_TARGET),
        ),
    ),
    HandMadeCommand(
        "serve",
        words.HELP_SERVE,
        "remanent.cli.serving:serve",
        "machine",
        (
            CommandParameter("host", str | None, "--host ADDRESS", words.HELP_SERVE_HOST, None),
            CommandParameter("port", int | None, "--port N", words.HELP_SERVE_PORT, None, least=0, most=65_535),
            CommandParameter("sample", bool, "--sample", words.HELP_SERVE_SAMPLE, False),
        ),
    ),
    HandMadeCommand("demo", words.HELP_DEMO, "remanent.cli.demo:run", "machine"),
    HandMadeCommand("mcp", words.HELP_MCP, "remanent.cli.serving:serve_mcp", "agents"),
    HandMadeCommand(
        "mcp install",
        words.HELP_MCP_INSTALL,
        "remanent.cli.integrations:install_mcp",
        "agents",
        (
            CommandParameter("client", str, "--for CLIENT", words.HELP_MCP_INSTALL_CLIENT),
            CommandParameter("write", bool, "--write", words.HELP_MCP_INSTALL_WRITE, False),
            CommandParameter("file", Path | None, "--file PATH", words.HELP_MCP_INSTALL_FILE, None),
        ),
    ),
    HandMadeCommand(
        "context shrink",
        words.HELP_CONTEXT_SHRINK,
        "remanent.cli.execution:shrink",
        "agents",
        (
            CommandParameter("file", Path, "FILE", words.HELP_CONTEXT_SHRINK_FILE),
            CommandParameter("level", int | None, "--level N", words.HELP_CONTEXT_SHRINK_LEVEL, None, least=0, most=3),
            CommandParameter("budget", int | None, "--budget TOKENS", words.HELP_CONTEXT_SHRINK_BUDGET, None, least=1),
            CommandParameter("report", bool, "--report", words.HELP_CONTEXT_SHRINK_REPORT, False),
        ),
    ),
    HandMadeCommand(
        "hook install", words.HELP_HOOK_INSTALL, "remanent.cli.integrations:install_for", "agents", _HOOKS_OF
    ),
    HandMadeCommand(
        "hook remove", words.HELP_HOOK_REMOVE, "remanent.cli.integrations:remove_from", "agents", _HOOKS_OF
    ),
    HandMadeCommand(
        "hook run",
        words.HELP_HOOK_RUN,
        "remanent.cli.hook_run:run",
        "agents",
        (CommandParameter("event", str, "EVENT", words.HELP_HOOK_RUN_EVENT),),
    ),
    HandMadeCommand(
        "roles check",
        words.HELP_ROLES_CHECK,
        "remanent.cli.maintenance:check_roles",
        "machine",
        (
            CommandParameter("minutes", float, "--minutes", words.HELP_ROLES_CHECK_MINUTES, 2.0, least=0.01),
            CommandParameter("dry_run", bool, "--dry-run", words.HELP_ROLES_CHECK_DRY_RUN, False),
            CommandParameter("file", Path | None, "--file FILE", words.HELP_ROLES_CHECK_FILE, None),
        ),
    ),
)
"""The commands that belong to no discipline and that no operation makes."""


HELP = say(words.HELP_REMANENT.en, words.HELP_REMANENT.zh)


class Commands(CommandGroup):
    """The commands, with one border where every error becomes a line and an exit code."""

    def main(self, *args: Any, **options: Any) -> Any:  # noqa: D102
        standalone, options["standalone_mode"] = options.get("standalone_mode", True), False
        given = options.get("args", args[0] if args else None)
        arguments = sys.argv[1:] if given is None else list(given)
        code = run_guarded(lambda: super(Commands, self).main(*args, **options), arguments)
        if standalone:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:  # noqa: D102
        with quiet_pipe():
            return super().invoke(ctx)


def _declared() -> Iterator[tuple[str, Callable[[], BoundCommand]]]:
    """Yield the first word of every command with what makes it, in the order of help: first those within groups."""
    ours = ours_available()
    yield from ((one.name.split()[0], partial(make_command, one)) for one in OWN if " " in one.name)
    yield from ((one.path[0], partial(_of_operation, one)) for one in COMMANDS if one.discipline in {"", *ours})
    for name in ours:
        yield from ((name, partial(make_command, one, discipline=name)) for one in commands_of_ours(name))
    if others_declared():
        from remanent.cli.generation import commands_of
        from remanent.discipline import registered

        for other in registered():
            if other.name not in OURS:
                yield from ((one.path[0], partial(_of_operation, one)) for one in commands_of(other.operations()))
                yield from ((other.name, partial(make_command, one, discipline=other.name)) for one in other.commands())
    yield from ((one.name, partial(make_command, one)) for one in OWN if " " not in one.name)


@cache
def make_app(named: str = "") -> typer.Typer:
    """Return the commands: those under one word, if it names any. To prepare all takes as long as to run one."""
    made = typer.Typer(name="remanent", help=HELP, pretty_exceptions_enable=False, **(PLAIN | {"cls": Commands}))
    made.callback()(_root)
    declared = list(_declared())
    chosen = [make for word, make in declared if word == named] or [make for _, make in declared]
    add_commands(made, [make() for make in chosen])
    return made


def __getattr__(name: str) -> typer.Typer:
    """Return `app`, all of the commands, made when they are asked for."""
    if name != "app":
        raise AttributeError(f"there is no {name} here")
    return make_app()


def _show_version(wanted: bool) -> None:
    """Print the version and end, before any other option is looked at."""
    if wanted:
        from importlib.metadata import version

        print(f"remanent {version('remanent')}")
        raise typer.Exit


def _root(
    version: Annotated[bool, option("--version", words.HELP_VERSION, is_eager=True, callback=_show_version)] = False,
) -> None:
    """Take the options that stand before a command."""
    del version


def main() -> None:
    """Run the command that the arguments name."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")  # a terminal that cannot show a character must not end the command
    # All that a command makes ends with it: to look through it once more at the end takes a quarter of a second.
    atexit.register(gc.freeze)
    make_app(*sys.argv[1:2])(prog_name="remanent")
