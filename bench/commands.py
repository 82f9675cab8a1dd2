"""The commands of the bench: what each runs, and how its figures are shown beside what was promised."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bench.associative import run_associative_bench
from bench.bank import run_bank_bench
from bench.bank_texts import run_text_bench
from bench.cognition import run_cognition_bench
from bench.documents import run_documents_bench
from bench.embedding import run_embedding_bench
from bench.figures import Figure
from bench.keywords import run_keyword_bench
from bench.knowledge import run_knowledge_bench
from bench.knowledge_speed import run_knowledge_speed_bench
from bench.language import run_language_bench
from bench.language_texts import run_planted_bench
from bench.pages import run_pages_bench
from bench.premises import EACH as PREMISES_EACH
from bench.premises import run_premises_bench
from bench.proxy import run_proxy_bench
from bench.retrieval.bench import Plan, run_recall_bench, sets_of
from bench.retrieval.product import Advance
from bench.scale import run_scale_bench
from bench.server import run_server_bench
from bench.store import run_store_bench
from bench.updates import run_updates_bench
from bench.workspace import run_workspace_bench
from remanent.bilingual import Bilingual
from remanent.cli import words
from remanent.cli.app import Commands
from remanent.cli.exits import Exit
from remanent.cli.options import PLAIN, CommonOptions, with_common_options
from remanent.cli.screen import Terminal, begin
from remanent.errors import InvalidInput

app = typer.Typer(
    name="bench",
    help="Measure what was promised, on this machine. Ends with 1 where a promise is not kept.",
    pretty_exceptions_enable=False,
    **{**PLAIN, "cls": Commands},
)


_Data = Annotated[Path | None, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")]
_NeededData = Annotated[Path, typer.Option("--data", envvar="REMANENT_EVAL_DATA", help="Folder with the public sets.")]
_Report = Annotated[Path | None, typer.Option("--report", help="Folder to leave the report and its drawings in.")]
_Size = Annotated[int, typer.Option("--size", metavar="N", min=100, help="Memories to search.")]


@app.command()
@with_common_options("machine")
def associative(
    place: CommonOptions,
    *,
    messages: Annotated[
        int,
        typer.Option("--messages", metavar="N", min=0, help="How many messages the year has; 0 measures speed only."),
    ] = 20_000,
    folder: _Report = None,
    data: _Data = None,
) -> None:
    """Live through a year of generated messages with both schedules, and measure recall, compression and real talk."""
    _measure_in_folder(place, partial(run_associative_bench, messages=messages, folder=folder, data=data))


@app.command()
@with_common_options("machine")
def store(
    place: CommonOptions,
    *,
    full: Annotated[bool, typer.Option("--full", help="Go to a million records; takes some twenty minutes.")] = False,
) -> None:
    """Measure writes, search, import and opening, in a fresh folder (under --home if given)."""
    _measure_in_folder(place, partial(run_store_bench, full=full))


@app.command()
@with_common_options("machine")
def pages(
    place: CommonOptions,
    *,
    size: _Size = 100_000,
) -> None:
    """Measure the pages in a real browser: first view, search while typing, long lists, a large graph."""
    _measure_in_folder(place, partial(run_pages_bench, size=size))


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
    data: _NeededData,
) -> None:
    """Find the right documents among many, with each technique off and on, beside BM25."""
    _measure(place, partial(run_knowledge_bench, data, tasks=tasks, questions=questions, rivals=rivals))


@app.command("knowledge-speed")
@with_common_options("machine")
def knowledge_speed(
    place: CommonOptions,
    *,
    chunks: Annotated[int, typer.Option("--chunks", metavar="N", min=2000, help="Chunks to search.")] = 100_000,
) -> None:
    """Measure how fast documents are added and searched, and what adding costs those who recall meanwhile."""
    _measure_in_folder(place, partial(run_knowledge_speed_bench, chunks=chunks))


@app.command()
@with_common_options("machine")
def workspace(
    place: CommonOptions,
    *,
    files: Annotated[int, typer.Option("--files", metavar="N", min=200, help="Notes in the folder.")] = 1000,
) -> None:
    """Measure a folder of notes searched and edited, and a long conversation shortened, by processor time."""
    _measure_in_folder(place, partial(run_workspace_bench, files=files))


@app.command()
@with_common_options("machine")
def cognition(place: CommonOptions, *, size: _Size = 100_000) -> None:
    """Measure a briefing beside a plain recall, how soon what was told is found, and a coding agent's hook."""
    _measure_in_folder(place, partial(run_cognition_bench, size=size))


@app.command()
@with_common_options("machine")
def server(
    place: CommonOptions,
    *,
    size: _Size = 100_000,
) -> None:
    """Measure recalls of 10 and of 1,000 clients at once, over HTTP on this machine."""
    _measure_in_folder(place, partial(run_server_bench, size=size))


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
    _measure_in_folder(place, partial(run_scale_bench, url=url, agents=agents, records=records))


@app.command()
@with_common_options("machine")
def proxy(place: CommonOptions) -> None:
    """Measure what the proxy adds to a chat beyond recall, with a real server and a model that answers at once."""
    _measure_in_folder(place, run_proxy_bench)


@app.command()
@with_common_options("machine")
def documents(place: CommonOptions) -> None:
    """Measure how many pages of a PDF are read in a second."""
    _measure(place, run_documents_bench)


@app.command()
@with_common_options("machine")
def embedding(place: CommonOptions) -> None:
    """Measure MiniLM beside sentence-transformers on torch, which is installed into .venv-bench/ the first time."""
    _measure(place, run_embedding_bench)


@app.command()
@with_common_options("machine")
def language(
    place: CommonOptions,
    *,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder with the public sentence pairs and key-phrase sets.")
    ] = None,
    folder: _Report = None,
) -> None:
    """Measure language work without a model: conflicts between memories, and key phrases beside YAKE and jieba."""
    screen, _ = begin(place)
    figures = run_language_bench(data, screen.note, folder=folder)
    _end(screen, place, figures + run_keyword_bench(data, screen.note))


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
    planted: Annotated[
        bool, typer.Option("--planted", help="Only contradictions planted into the public texts, kind by kind.")
    ] = False,
) -> None:
    """Measure task banks without a model: evidence, contradictions, false alarms, calls, search of 10,000 nodes."""
    screen, _ = begin(place)
    if planted:
        if data is None:
            raise InvalidInput(["--planted needs --data"])
        _end(screen, place, run_planted_bench(data, screen.note))
        return
    figures = run_bank_bench(screen.note, count=count, seed=seed)
    _end(screen, place, [*figures, *(run_text_bench(data, screen.note) if data is not None else ())])


@app.command()
@with_common_options("machine")
def premises(
    place: CommonOptions,
    *,
    each: Annotated[int, typer.Option("--each", min=1, help="Episodes of each type, way and end.")] = PREMISES_EACH,
) -> None:
    """Change what memories rest on: is what followed known to be stale, and what is gone admitted to be?"""
    screen, _ = begin(place)
    _end(screen, place, run_premises_bench(screen.note, each=each))


@app.command()
@with_common_options("machine")
def updates(
    place: CommonOptions,
    *,
    questions: Annotated[int, typer.Option("--questions", min=1, help="Ask at most so many of each sort.")] = 100,
    embedder: Annotated[str, typer.Option("--embedder", help="Which embedder: auto, none, or a name.")] = "auto",
    data: _NeededData,
) -> None:
    """Ask public questions whose answer has changed: is the newest word before the older ones?"""
    _measure(place, partial(run_updates_bench, data, most=questions, embedder=embedder))


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
    data: _Data = None,
    folder: _Report = None,
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
    screen, _ = begin(place)
    if data is None:
        raise InvalidInput("name the folder with the public sets: --data, or REMANENT_EVAL_DATA")
    plan = Plan(data, sets_of(name), questions=questions, quality=quality, rivals=not alone, home=place.home)
    with ExitStack() as open_meters:

        def begin_stretch(label: str, total: int) -> Advance:
            open_meters.close()
            screen.note(label)
            return open_meters.enter_context(screen.meter(Bilingual("Measuring", "正在测量"), total=total)).advance

        figures = run_recall_bench(plan, screen.note, folder=folder, meter=begin_stretch)
    _end(screen, place, figures)


def _measure_in_folder(place: CommonOptions, run: Callable[..., Sequence[Figure]]) -> None:
    """Measure in a fresh folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        _measure(place, partial(run, Path(folder)))


def _measure(place: CommonOptions, run: Callable[..., Sequence[Figure]]) -> None:
    screen, _ = begin(place)
    _end(screen, place, run(report=screen.note))


def _end(screen: Terminal, place: CommonOptions, figures: Sequence[Figure]) -> None:
    """Show the figures; a promise that is not kept ends with `Exit.NO`."""
    if place.as_json:
        screen.give(figures)
    else:
        screen.show(_table(screen, figures))
    if any(figure.kept is False for figure in figures):
        raise typer.Exit(Exit.NO)


def _table(screen: Terminal, figures: Sequence[Figure]) -> Table:
    table = Table(screen.word(words.FIGURE))
    for phrase in (words.MEASURED, Bilingual("promised", "承诺")):
        table.add_column(screen.word(phrase), justify="right")
    table.add_column("")
    signs = {True: "✓", False: "✗", None: ""}
    for figure in figures:
        table.add_row(figure.name, f"{figure.value:,g} {figure.unit}", figure.promise, signs[figure.kept])
    return table
