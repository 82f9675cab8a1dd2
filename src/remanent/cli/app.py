"""The commands and their options. Everything heavy is imported when a command runs, so that help is instant."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from remanent.cli.commands import COMMANDS
from remanent.cli.exits import guarded, quiet_pipe
from remanent.cli.options import PLAIN, Made, Place, add_commands, placed
from remanent.plugins import others_declared, ours_available


def commands() -> Iterator[Made]:
    """Yield every command that is made of an operation."""
    available = {"", *ours_available()}
    yield from (made for made in COMMANDS if made.discipline in available)
    if others_declared():
        yield from _of_others()


def _of_others() -> list[Made]:
    """Make the commands of other distributions' disciplines."""
    from remanent.cli.generation import commands_text
    from remanent.discipline import registered
    from remanent.plugins import OURS

    operations = [operation for one in registered() if one.name not in OURS for operation in one.operations()]
    names: dict[str, Any] = {"__name__": f"{__name__}.others"}
    exec(compile(commands_text(operations), "<commands of disciplines>", "exec"), names)
    return list(names["COMMANDS"])


Command = TypeVar("Command", bound=Callable[..., None])

HELP = """A memory that LLM agents can trust: durable, traceable, searchable, erasable; local first.

Data goes to standard output, everything else to standard error. Exit codes: docs/cli.md."""


class Commands(TyperGroup):
    """The commands, with one border where every error becomes a line and an exit code."""

    def main(self, *args: Any, **options: Any) -> Any:  # noqa: D102
        standalone, options["standalone_mode"] = options.get("standalone_mode", True), False
        given = options.get("args", args[0] if args else None)
        arguments = sys.argv[1:] if given is None else list(given)
        code = guarded(lambda: super(Commands, self).main(*args, **options), arguments)
        if standalone:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:  # noqa: D102
        with quiet_pipe():
            return super().invoke(ctx)


app = typer.Typer(name="remanent", cls=Commands, help=HELP, pretty_exceptions_enable=False, **PLAIN)
mcp = typer.Typer(**PLAIN)
app.add_typer(mcp, name="mcp")


def main() -> None:
    """Run the command that the arguments name."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")  # a terminal that cannot show a character must not end the command
    app(prog_name="remanent")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"remanent {version('remanent')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    del version


GROUPS: dict[str, typer.Typer] = {}
"""The groups of commands that are made of operations, by their first word."""
add_commands(app, commands(), groups=GROUPS)


def drawn(discipline: str, name: str | None = None) -> Callable[[Command], Command]:
    """Add a command that draws what a discipline holds, which a table cannot show, where the discipline is there."""
    return GROUPS[discipline].command(name) if discipline in GROUPS else lambda function: function


@app.command()
@placed("agents")
def doctor(
    place: Place,
    *,
    ctx: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Save what is readable of damaged agents to new files beside them.")
    ] = False,
) -> None:
    """Examine the installation, the machine and every agent of the home; --org, --workspace and --agent narrow that."""
    from remanent.cli import doctor as examination

    # The environment says whose memory to use; only the command line says to look at nobody else's.
    source = ctx.get_parameter_source("agent")
    is_asked_for = source is not None and source.name == "COMMANDLINE"
    examination.examine(place, repair=repair, only=place.agent if is_asked_for else None)


@app.command()
@placed("machine")
def serve(
    place: Place,
    *,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where to listen; other than loopback needs a key first.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65_535, help="The port; 0 takes a free one.")
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Fill a workspace with a small bilingual sample, if it is empty.")
    ] = False,
) -> None:
    """Serve memory over HTTP: REST, MCP and a proxy for any OpenAI-compatible model."""
    from remanent.cli import serving

    serving.serve(place, host=host, port=port, sample=sample)


@mcp.callback(invoke_without_command=True)
@placed("agents")
def serve_mcp(place: Place, *, ctx: typer.Context) -> None:
    """Serve an agent that speaks MCP, over standard input and output; its client starts this by itself."""
    if ctx.invoked_subcommand is None:
        from remanent.cli import serving

        serving.serve_mcp(place)


@mcp.command("install")
@placed("agents")
def install_mcp(
    place: Place,
    *,
    client: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="CLIENT",
            help="claude-desktop, claude-code, cursor, vscode, windsurf or gemini-cli.",
        ),
    ],
    write: Annotated[
        bool,
        typer.Option("--write", help="Put it into the client's file; other entries stay, the old file is kept beside."),
    ] = False,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="PATH", help="Another file than the client's usual one.")
    ] = None,
) -> None:
    """Show the configuration that gives an MCP client this memory, or write it."""
    from remanent.cli import serving

    serving.install_mcp(place, name=client, write=write, file=file)


@app.command()
@placed("machine")
def demo(place: Place) -> None:
    """Show it working on a small bilingual sample. Without --home, in a folder that is removed at the end."""
    from remanent.cli import demo as show

    show.run(place)


@drawn("bank")
@placed("agents")
def run(
    place: Place,
    *,
    task: Annotated[str, typer.Option("--task", "-t", metavar="TEXT", help="The question or task.")],
    context: Annotated[
        list[Path] | None,
        typer.Option(
            "--context", "-c", metavar="FILE", exists=True, dir_okay=False, help="A text to read; repeatable."
        ),
    ] = None,
    image: Annotated[
        list[Path] | None,
        typer.Option(
            "--image", "-i", metavar="FILE", exists=True, dir_okay=False, help="A picture or file; repeatable."
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write the whole bank there as JSON.")
    ] = None,
    bank_id: Annotated[
        str | None, typer.Option("--id", metavar="NAME", help="Keep the bank in the store until the task is done.")
    ] = None,
) -> None:
    """Read, cross-check and answer. Everything is cleared at the end unless it is exported."""
    from remanent.cli import bank

    bank.run(place, task=task, context=context or [], images=image or [], export=export, bank_id=bank_id)


@drawn("bank")
@placed("machine")
def show(
    place: Place,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="An exported bank.")],
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Where to draw; beside the export unless given.")
    ] = None,
) -> None:
    """Draw the Query Graph of an exported bank and print its Interaction Trees."""
    from remanent.cli import bank

    bank.show(place, file, svg=svg)


@drawn("associative", "show")
@placed("agent")
def show_associative(
    place: Place,
    *,
    svg: Annotated[bool, typer.Option("--svg", help="Draw it: focuses, strengths, and ends that dangle.")] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Where the drawing goes; standard output if not given."),
    ] = None,
) -> None:
    """Show an agent's associative memory: its size, what is in focus, or a drawing of the graph."""
    from remanent.cli import associative

    associative.show(place, svg=svg, file=file)
