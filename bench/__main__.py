"""`python -m bench`: measure every promise that has a figure, on this machine and beside others."""

from pathlib import Path
from typing import Annotated

import typer

from bench import commands
from remanent.cli.app import Commands
from remanent.cli.options import PLAIN, CommonOptions, with_common_options

app = typer.Typer(
    name="bench",
    cls=Commands,
    help="Measure what was promised, on this machine. Ends with 1 where a promise is not kept.",
    pretty_exceptions_enable=False,
    **PLAIN,
)


@app.command()
@with_common_options("machine")
def associative(
    place: CommonOptions,
    *,
    messages: Annotated[
        int,
        typer.Option("--messages", metavar="N", min=0, help="How many messages the year has; 0 measures speed only."),
    ] = 20_000,
    folder: Annotated[
        Path | None, typer.Option("--report", help="Folder to leave the report and its curves in.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")
    ] = None,
) -> None:
    """Live through a year of generated messages with both schedules, and measure recall, compression and real talk."""
    commands.associative(place, messages=messages, folder=folder, data=data)


@app.command()
@with_common_options("machine")
def store(
    place: CommonOptions,
    *,
    full: Annotated[bool, typer.Option("--full", help="Go to a million records; takes some twenty minutes.")] = False,
) -> None:
    """Measure writes, search, import and opening, in a fresh folder (under --home if given)."""
    commands.store(place, full=full)


@app.command()
@with_common_options("machine")
def pages(
    place: CommonOptions,
    *,
    size: Annotated[int, typer.Option("--size", metavar="N", min=100, help="Memories to search.")] = 100_000,
) -> None:
    """Measure the pages in a real browser: first view, search while typing, long lists, a large graph."""
    commands.pages(place, size=size)


@app.command()
@with_common_options("machine")
def knowledge(
    place: CommonOptions,
    *,
    tasks: Annotated[int, typer.Option("--tasks", metavar="N", min=1, help="Multi-document tasks to pool.")] = 100,
    questions: Annotated[int, typer.Option("--questions", metavar="N", min=1, help="Questions of CMRC.")] = 300,
    rivals: Annotated[
        bool, typer.Option("--rivals", help="Ask others, too, which are installed into .venv-bench-recall/.")
    ] = False,
    data: Annotated[Path, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")],
) -> None:
    """Find the right documents among many, with each technique off and on, beside BM25."""
    commands.knowledge(place, tasks=tasks, questions=questions, rivals=rivals, data=data)


@app.command("knowledge-speed")
@with_common_options("machine")
def knowledge_speed(
    place: CommonOptions,
    *,
    chunks: Annotated[int, typer.Option("--chunks", metavar="N", min=2000, help="Chunks to search.")] = 100_000,
) -> None:
    """Measure how fast documents are added and searched, and what adding costs those who recall meanwhile."""
    commands.knowledge_speed(place, chunks=chunks)


@app.command()
@with_common_options("machine")
def workspace(
    place: CommonOptions,
    *,
    files: Annotated[int, typer.Option("--files", metavar="N", min=200, help="Notes in the folder.")] = 1000,
) -> None:
    """Measure a folder of notes searched and edited, and a long conversation shortened, by processor time."""
    commands.workspace(place, files=files)


@app.command()
@with_common_options("machine")
def server(
    place: CommonOptions,
    *,
    size: Annotated[int, typer.Option("--size", metavar="N", min=100, help="Memories to search.")] = 100_000,
) -> None:
    """Measure recalls of 10 and of 1,000 clients at once, over HTTP on this machine."""
    commands.server(place, size=size)


@app.command()
@with_common_options("machine")
def scale(
    place: CommonOptions,
    *,
    url: Annotated[str | None, typer.Option("--url", help="A PostgreSQL; by default one is started here.")] = None,
    agents: Annotated[int, typer.Option("--agents", metavar="N", min=1, help="Agents to recall from.")] = 20,
    records: Annotated[int, typer.Option("--records", metavar="N", min=10, help="Records of each.")] = 200,
) -> None:
    """Measure writes and recall of the embedded store beside PostgreSQL."""
    commands.scale(place, url=url, agents=agents, records=records)


@app.command()
@with_common_options("machine")
def proxy(place: CommonOptions) -> None:
    """Measure what the proxy adds to a chat beyond recall, with a real server and a model that answers at once."""
    commands.proxy(place)


@app.command()
@with_common_options("machine")
def documents(place: CommonOptions) -> None:
    """Measure how many pages of a PDF are read in a second."""
    commands.documents(place)


@app.command()
@with_common_options("machine")
def embedding(place: CommonOptions) -> None:
    """Measure MiniLM beside sentence-transformers on torch, which is installed into .venv-bench/ the first time."""
    commands.embedding(place)


@app.command()
@with_common_options("machine")
def language(
    place: CommonOptions,
    *,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder with the public sentence pairs and key-phrase sets.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--report", help="Folder to leave the report and its curve in.")
    ] = None,
) -> None:
    """Measure language work without a model: conflicts between memories, and key phrases beside YAKE and jieba."""
    commands.language(place, data=data, folder=folder)


@app.command()
@with_common_options("machine")
def bank(
    place: CommonOptions,
    *,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="Generated tasks of each kind.")] = 50,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="What the tasks are made from.")] = 7,
    data: Annotated[
        Path | None, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public tasks.")
    ] = None,
) -> None:
    """Measure task banks without a model: evidence, contradictions, false alarms, calls, search of 10,000 nodes."""
    commands.bank(place, count=count, seed=seed, data=data)


@app.command()
@with_common_options("machine")
def updates(
    place: CommonOptions,
    *,
    questions: Annotated[int, typer.Option("--questions", min=1, help="Ask at most so many of each sort.")] = 100,
    embedder: Annotated[str, typer.Option("--embedder", help="Which embedder: auto, none, or a name.")] = "auto",
    data: Annotated[Path, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")],
) -> None:
    """Ask public questions whose answer has changed: is the newest word before the older ones?"""
    commands.updates(place, questions=questions, embedder=embedder, data=data)


@app.command()
@with_common_options("machine")
def recall(
    place: CommonOptions,
    *,
    name: Annotated[
        str,
        typer.Option(
            "--set",
            help="locomo, longmemeval-pool, longmemeval-s, beam, realmem, memdaily, cmrc, speed, or all.",
        ),
    ] = "all",
    data: Annotated[
        Path | None, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--report", help="Folder to leave the report and its drawings in.")
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="Ask at most so many questions of each set.")
    ] = 1_000_000,
    quality: Annotated[bool, typer.Option("--quality", help="Measure the cross-encoder, too; slow.")] = False,
    alone: Annotated[
        bool,
        typer.Option("--alone", help="Leave out other memories, which else are installed into .venv-bench-recall/."),
    ] = False,
) -> None:
    """Measure how well and how fast questions are answered, beside BM25, vectors and other memories.

    With --home, what was remembered, embedded and answered stays there: after an interruption the run goes on where it
    was, and the next one asks only those who have changed, or other questions.
    """
    commands.recall(place, name=name, data=data, folder=folder, questions=questions, quality=quality, alone=alone)


if __name__ == "__main__":
    app(prog_name="python -m bench")
