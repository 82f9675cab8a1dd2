"""The commands and their options. Everything heavy is imported when a command runs, so that help is instant."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from remanent.cli.border import guarded, quiet_pipe
from remanent.cli.place import PerhapsAgent, Place, placed, read_moment

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


# No markup: the styled help takes longer to load than to read.
_PLAIN: dict[str, Any] = {"rich_markup_mode": None, "no_args_is_help": True}
app = typer.Typer(name="remanent", cls=Commands, help=HELP, pretty_exceptions_enable=False, **_PLAIN)
bench = typer.Typer(help="Measure this machine.", **_PLAIN)
app.add_typer(bench, name="bench")


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


def _kinds(incomplete: str) -> list[str]:
    from remanent.model import Kind

    return [kind for kind in Kind if kind.startswith(incomplete)]


Session = Annotated[str | None, typer.Option("--session", "-s", metavar="NAME", help="The session.")]
Since = Annotated[
    datetime | None, typer.Option("--since", metavar="WHEN", parser=read_moment, help="What happened from then on.")
]
Until = Annotated[
    datetime | None, typer.Option("--until", metavar="WHEN", parser=read_moment, help="What happened before then.")
]
RecordIds = Annotated[list[str], typer.Argument(metavar="RECORD_ID", help="As `recall` and `entries` show them.")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is indexed, or leave that to later.")]


@app.command()
@placed()
def remember(
    place: Place,
    *,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="The words of one message; `-` reads it from standard input."),
    ] = None,
    role: Annotated[str, typer.Option(metavar="ROLE", help="Who said it: user, assistant, tool …")] = "user",
    session: Session = None,
    message_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Your own id: the same one is stored once in a session.")
    ] = None,
    at: Annotated[
        datetime | None, typer.Option(metavar="WHEN", parser=read_moment, help="When it was said; now, unless given.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Messages as JSON lines: role, content, id, occurred_at, metadata, session; `-` is standard input.",
        ),
    ] = None,
    wait: Wait = True,
) -> None:
    """Keep a message, or a file of messages, for good."""
    from remanent.cli import remembering

    message = {"role": role, "id": message_id, "occurred_at": at}
    remembering.remember(place, texts=text or [], message=message, file=file, session=session, wait=wait)


@app.command()
@placed()
def recall(
    place: Place,
    *,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="The question, in Chinese or English.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="How many answers at most.")
    ] = 5,
    session: Session = None,
    since: Since = None,
    until: Until = None,
    as_of: Annotated[
        datetime | None, typer.Option("--as-of", metavar="WHEN", parser=read_moment, help="What was known then.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", autocompletion=_kinds, help="Only this kind; repeatable.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only what has this tag; repeatable.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each answer came to its place.")] = False,
) -> None:
    """Answer a question from what is remembered. Every answer comes with its sources."""
    from remanent.cli import reading

    limits = {"since": since, "until": until, "as_of": as_of, "kinds": kind, "tags": tag or ()}
    reading.recall(place, " ".join(query), limit=limit, session=session, explain=explain, **limits)


@app.command()
@placed()
def entries(
    place: Place,
    *,
    session: Session = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, max=100_000, help="How many at most.")
    ] = 100,
    after: Annotated[int, typer.Option("--after", metavar="SEQ", min=0, help="Page on behind this place.")] = 0,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="The other way round.")] = False,
) -> None:
    """Show what was said, raw and in order."""
    from remanent.cli import reading

    reading.entries(
        place, session=session, since=since, until=until, after_seq=after, newest_first=newest_first, limit=limit
    )


@app.command()
@placed()
def forget(
    place: Place,
    *,
    record_ids: RecordIds,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the tombstone.")] = "",
) -> None:
    """Put records out of mind. A tombstone stays, and `restore` brings them back."""
    from remanent.cli import forgetting

    forgetting.forget(place, record_ids, reason=reason)


@app.command()
@placed()
def restore(place: Place, *, record_ids: RecordIds) -> None:
    """Bring forgotten records back to mind."""
    from remanent.cli import forgetting

    forgetting.restore(place, record_ids)


@app.command()
@placed()
def erase(
    place: Place,
    *,
    entry: Annotated[list[str] | None, typer.Option(metavar="ID", help="An entry; repeatable.")] = None,
    record: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A record and the entries it came from; repeatable.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", metavar="NAME", help="A whole session.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All that the agent remembers.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Destroy texts for good. All that came from them goes too: no byte stays, nothing can be restored."""
    from remanent.cli import forgetting

    forgetting.erase(
        place, entry_ids=entry or [], record_ids=record or [], session=session, everything=everything, yes=yes
    )


@app.command("export")
@placed()
def export_(
    place: Place,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; standard output unless given.")] = Path("-"),
) -> None:
    """Write everything that an agent remembers as JSON lines."""
    from remanent.cli import moving

    moving.export(place, file)


@app.command("import")
@placed()
def import_(
    place: Place,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An export; `-` is standard input.")],
    wait: Wait = True,
) -> None:
    """Fill an empty agent from an export: all of it or nothing."""
    from remanent.cli import moving

    moving.load(place, file, wait=wait)


@app.command()
@placed(agent=PerhapsAgent)
def doctor(
    place: Place,
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Save what is readable of damaged agents to new files beside them.")
    ] = False,
    all_agents: Annotated[
        bool, typer.Option("--all-agents", help="Examine the agents of every organisation and workspace.")
    ] = False,
) -> None:
    """Examine the installation, the machine and the stored bytes."""
    from remanent.cli import doctor as examination

    examination.examine(place, repair=repair, all_agents=all_agents)


def _roles(incomplete: str) -> list[str]:
    from remanent.language.roles import ROLES

    return [name for name in ROLES if name.startswith(incomplete)]


@app.command()
@placed(scoped=False)
def roles(place: Place) -> None:
    """Show who does the language work: every role with its engine, model and settings."""
    from remanent.cli import roles as work

    work.show(place)


@app.command("try")
@placed(scoped=False)
def try_(
    place: Place,
    *,
    role: Annotated[str, typer.Argument(metavar="ROLE", autocompletion=_roles, help="As `roles` names it.")],
    file: Annotated[
        Path, typer.Option(metavar="FILE", help="The request as JSON; standard input unless given.")
    ] = Path("-"),
    schema: Annotated[bool, typer.Option("--schema", help="Only show the JSON schema of a request.")] = False,
    prompt: Annotated[bool, typer.Option("--prompt", help="Only show what a model would be told.")] = False,
) -> None:
    """Run one role by hand: a request goes in, the checked response comes out."""
    from remanent.cli import roles as work

    work.attempt(place, role, file=file, schema=schema, prompt=prompt)


@app.command()
@placed(scoped=False)
def demo(place: Place) -> None:
    """Show it working on a small bilingual sample. Without --home, in a folder that is removed at the end."""
    from remanent.cli import demo as show

    show.run(place)


@bench.command()
@placed(scoped=False)
def store(
    place: Place,
    *,
    full: Annotated[bool, typer.Option("--full", help="Go to a million records; takes some twenty minutes.")] = False,
) -> None:
    """Measure writes, search, import and opening, in a fresh folder (under --home if given)."""
    from remanent.cli import measuring

    measuring.store(place, full=full)


@bench.command()
@placed(scoped=False)
def embedding(place: Place) -> None:
    """Measure MiniLM beside sentence-transformers on torch, which is installed into .venv-bench/ the first time."""
    from remanent.cli import measuring

    measuring.embedding(place)


@bench.command()
@placed(scoped=False)
def language(
    place: Place,
    *,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder with the public sentence pairs and key-phrase sets.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--report", help="Folder to leave the report and its curve in.")
    ] = None,
) -> None:
    """Measure language work without a model: conflicts between memories, and key phrases beside YAKE and jieba."""
    from remanent.cli import measuring

    measuring.language(place, data=data, folder=folder)
