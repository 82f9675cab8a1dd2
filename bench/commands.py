"""What each command of the bench runs, and how its figures are shown beside what was promised."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import typer
from rich.table import Table

from bench.associative import run_associative_bench
from bench.bank import run_bank_bench
from bench.bank_texts import run_text_bench
from bench.documents import run_documents_bench
from bench.embedding import run_embedding_bench
from bench.figures import Figure
from bench.keywords import run_keyword_bench
from bench.knowledge import run_knowledge_bench
from bench.knowledge_speed import run_knowledge_speed_bench
from bench.language import run_language_bench
from bench.pages import run_pages_bench
from bench.proxy import run_proxy_bench
from bench.retrieval.bench import Plan, run_recall_bench, sets_of
from bench.retrieval.product import Advance
from bench.scale import run_scale_bench
from bench.server import run_server_bench
from bench.store import run_store_bench
from bench.updates import run_updates_bench
from bench.workspace import run_workspace_bench
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin
from remanent.errors import InvalidInput


def store(place: CommonOptions, *, full: bool) -> None:
    """Measure the store; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_store_bench(Path(folder), full=full, report=screen.note)
    _end(screen, place, figures)


def proxy(place: CommonOptions) -> None:
    """Measure what the proxy adds to a chat; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_proxy_bench(Path(folder), report=screen.note)
    _end(screen, place, figures)


def server(place: CommonOptions, *, size: int) -> None:
    """Measure a server under load; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_server_bench(Path(folder), size=size, report=screen.note)
    _end(screen, place, figures)


def scale(place: CommonOptions, *, url: str | None, agents: int, records: int) -> None:
    """Measure the embedded store beside PostgreSQL."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_scale_bench(Path(folder), url=url, agents=agents, records=records, report=screen.note)
    _end(screen, place, figures)


def knowledge(place: CommonOptions, *, tasks: int, questions: int, rivals: bool, data: Path) -> None:
    """Measure knowledge bases; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    figures = run_knowledge_bench(data, tasks=tasks, questions=questions, rivals=rivals, report=screen.note)
    _end(screen, place, figures)


def knowledge_speed(place: CommonOptions, *, chunks: int) -> None:
    """Measure the speed of knowledge bases; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_knowledge_speed_bench(Path(folder), chunks=chunks, report=screen.note)
    _end(screen, place, figures)


def workspace(place: CommonOptions, *, files: int) -> None:
    """Measure notes and shortening; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_workspace_bench(Path(folder), files=files, report=screen.note)
    _end(screen, place, figures)


def updates(place: CommonOptions, *, questions: int, embedder: str, data: Path) -> None:
    """Measure questions whose answer has changed; ends with `Exit.NO` when plain recall does better."""
    screen, _ = begin(place)
    _end(screen, place, run_updates_bench(data, screen.note, most=questions, embedder=embedder))


def pages(place: CommonOptions, *, size: int) -> None:
    """Measure the pages in a browser; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as folder:
        figures = run_pages_bench(Path(folder), size=size, report=screen.note)
    _end(screen, place, figures)


def documents(place: CommonOptions) -> None:
    """Measure the reading of documents; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    _end(screen, place, run_documents_bench(report=screen.note))


def embedding(place: CommonOptions) -> None:
    """Measure the local MiniLM beside another runtime; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    _end(screen, place, run_embedding_bench(report=screen.note))


def language(place: CommonOptions, *, data: Path | None, folder: Path | None) -> None:
    """Measure language work without a model; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    figures = run_language_bench(data, screen.note, folder=folder)
    _end(screen, place, figures + run_keyword_bench(data, screen.note))


def bank(place: CommonOptions, *, count: int, seed: int, data: Path | None) -> None:
    """Measure the task bank without a model; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    figures = run_bank_bench(screen.note, count=count, seed=seed)
    _end(screen, place, [*figures, *(run_text_bench(data, screen.note) if data is not None else ())])


def associative(place: CommonOptions, *, messages: int, folder: Path | None, data: Path | None) -> None:
    """Measure the associative memory; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-", dir=place.home) as home:
        figures = run_associative_bench(Path(home), messages=messages, report=screen.note, folder=folder, data=data)
    _end(screen, place, figures)


def recall(
    place: CommonOptions,
    *,
    name: str,
    data: Path | None,
    folder: Path | None,
    questions: int,
    quality: bool,
    alone: bool,
) -> None:
    """Measure recall on public sets; ends with `Exit.NO` when a promise is not kept."""
    screen, _ = begin(place)
    if data is None:
        raise InvalidInput("name the folder with the public sets: --data, or REMANENT_EVAL_DATA")
    plan = Plan(data, sets_of(name), questions=questions, quality=quality, rivals=not alone, home=place.home)
    with ExitStack() as open_meters:

        def begin_stretch(label: str, total: int) -> Advance:
            open_meters.close()
            screen.note(label)
            return open_meters.enter_context(screen.meter(words.MEASURING, total=total)).advance

        figures = run_recall_bench(plan, screen.note, folder=folder, meter=begin_stretch)
    _end(screen, place, figures)


def _end(screen: Terminal, place: CommonOptions, figures: Sequence[Figure]) -> None:
    if place.as_json:
        screen.give(figures)
    else:
        screen.show(_table(screen, figures))
    if any(figure.kept is False for figure in figures):
        raise typer.Exit(Exit.NO)


def _table(screen: Terminal, figures: Sequence[Figure]) -> Table:
    table = Table(screen.word(words.FIGURE))
    for phrase in (words.MEASURED, words.PROMISED):
        table.add_column(screen.word(phrase), justify="right")
    table.add_column("")
    signs = {True: "✓", False: "✗", None: ""}
    for figure in figures:
        table.add_row(figure.name, f"{figure.value:,g} {figure.unit}", figure.promise, signs[figure.kept])
    return table
