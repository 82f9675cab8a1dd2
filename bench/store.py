"""How fast the store writes, searches, opens and loads; each figure beside what was promised."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeVar

from bench.corpus import Corpus, moment
from bench.figures import Figure, Report, at_least, at_most
from remanent.memory import aopen
from remanent.model import Record, Scope, id_source
from remanent.recall.evaluation import percentile
from remanent.stores import Change, RecordFilter, search_terms
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore
from remanent.stores.transaction import PutRecord, PutVector
from remanent.text.terms import query_terms

T = TypeVar("T")

MODEL = "generated"
BATCH = 2000
QUESTIONS = 300


def run_store_bench(home: Path, *, full: bool = False, report: Report = lambda _: None) -> list[Figure]:
    """Measure in a fresh folder; `full` goes to a million records, which takes some twenty minutes."""
    figures = asyncio.run(_measure_writes(home / "writes", report))
    report("recall agents whose files are closed")
    figures.append(asyncio.run(measure_cold_recall(home / "cold")))
    sizes = (10_000, 100_000, 1_000_000) if full else (10_000, 100_000)
    searches: dict[int, dict[str, float]] = {}
    for size in sizes:
        report(f"load {size} records")
        seconds = asyncio.run(fill(home / str(size), size))
        if size == 100_000:
            figures.append(at_least("bulk load without embedding", size / seconds, "records/s", 5000))
        report(f"search {size} records")
        searches[size] = _probe(home / str(size))
        figures += _search_figures(size, searches[size])
    for small, large in pairwise(sizes):
        figures += _growth_figures(small, large, searches)
    return figures


# ── agents that were closed ──────────────────────────────────────────────────


async def measure_cold_recall(home: Path, *, records: int = 1000, rounds: int = 20) -> Figure:
    """Measure what the first recall of an agent takes longer than its next, when its files were closed before."""
    async with aopen(home, embedder="none") as memory:
        await memory.agent("bench").remember([f"Note {number} tells of garden {number}." for number in range(records)])
        await memory.settle()
        await memory.agent("bench").recall("what does note 6 tell of?")  # what a process loads once is no part of it
    added: list[float] = []
    for _ in range(rounds):
        async with aopen(home, embedder="none") as memory:
            took = []
            for number in (7, 8):  # two questions: the answer to one is kept
                begun = time.perf_counter()
                await memory.agent("bench").recall(f"what does note {number} tell of?")
                took.append(time.perf_counter() - begun)
            added.append(1000 * (took[0] - took[1]))
    return at_most(f"cold recall adds, p95 of {rounds}, {records} records", percentile(added, 0.95), "ms", 60)


# ── writing ──────────────────────────────────────────────────────────────────


async def _measure_writes(home: Path, report: Report) -> list[Figure]:
    async with aopen(home, embedder="none") as memory:
        agent = memory.agent("bench")

        async def write(clients: int, each: int) -> tuple[float, list[float]]:
            waits: list[float] = []

            async def client(number: int) -> None:
                for place in range(each):
                    begin = time.perf_counter()
                    await agent.remember(f"client {number} says thing {place} about the weather in Lisbon")
                    waits.append(time.perf_counter() - begin)

            begin = time.perf_counter()
            await asyncio.gather(*(client(number) for number in range(clients)))
            return clients * each / (time.perf_counter() - begin), waits

        await write(1, 50)
        report("acknowledged writes, 1 client")
        alone, _ = await write(1, 1000)
        await memory.settle()
        report("acknowledged writes, 64 clients")
        together, waits = await write(64, 400)
        return [
            at_least("acknowledged writes, 1 client", alone, "writes/s", 250),
            at_least("acknowledged writes, 64 clients", together, "writes/s", 5000),
            at_most("acknowledged writes, 64 clients, p99", 1000 * percentile(waits, 0.99), "ms", 60),
        ]


# ── loading ──────────────────────────────────────────────────────────────────


async def fill(home: Path, size: int) -> float:
    """Load so many records with vectors; return the seconds that records alone took."""
    store = SqliteStore(home)
    corpus, scope = Corpus(), bench_scope()
    spent = 0.0

    async def batches() -> AsyncIterator[Sequence[Change]]:
        nonlocal spent
        for number, batch in enumerate(_batched(_records(corpus, scope, size), BATCH)):
            begin = time.perf_counter()
            yield [PutRecord(record, search_terms(record)) for record in batch]
            spent += time.perf_counter() - begin
            vectors = corpus.vectors(len(batch), stream=number + 1)
            yield [PutVector(record.id, MODEL, row.tobytes()) for record, row in zip(batch, vectors, strict=True)]

    await store.load(scope, batches())
    await store.close()
    return spent


def _records(corpus: Corpus, scope: Scope, size: int) -> Iterator[Record]:
    new_id = id_source(lambda: moment(0), seed=1)
    for number, text in enumerate(corpus.texts(size)):
        when = moment(number)
        yield Record.model_validate(
            {
                "id": new_id(),
                "scope": scope,
                "kind": "turn",
                "content": text,
                "created_at": when,
                "updated_at": when,
                "occurred_at": when,
            }
        )


def _batched(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch


def bench_scope() -> Scope:
    """Return whose records are loaded and asked for."""
    return Scope(org="bench", workspace="bench", agent="bench")


# ── searching, in a process of its own ───────────────────────────────────────


def _probe(home: Path) -> dict[str, float]:
    """Search in a new process, twice: the second, which finds the file in the system's memory, is measured."""
    command = [sys.executable, "-m", "bench.store", str(home)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    result: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return result


async def _search(home: Path) -> dict[str, float]:
    corpus, scope = Corpus(), bench_scope()
    questions = [query_terms(text) for text in corpus.questions(QUESTIONS)]
    vectors = corpus.vectors(QUESTIONS)
    base = _resident_megabytes()
    begin = time.perf_counter()
    store = SqliteStore(home)
    index = LocalVectors(store)

    async def text(number: int) -> float:
        start = time.perf_counter()
        await store.search_text(scope, questions[number], record_filter=RecordFilter(), limit=20)
        return time.perf_counter() - start

    async def vector(number: int) -> float:
        start = time.perf_counter()
        await index.search(scope, vectors[number], model=MODEL, record_filter=RecordFilter(), limit=20)
        return time.perf_counter() - start

    async def both(number: int) -> float:
        start = time.perf_counter()
        await asyncio.gather(text(number), vector(number))
        return time.perf_counter() - start

    await both(0)
    opened = time.perf_counter() - begin
    await index.settle()
    results = {"opened": opened, "base": base}
    for name, search in (("text", text), ("vector", vector), ("both", both)):
        waits = [await search(number) for number in range(QUESTIONS)]
        results[f"{name}_p50"] = 1000 * percentile(waits, 0.5)
        results[f"{name}_p95"] = 1000 * percentile(waits, 0.95)
    results["resident"] = _resident_megabytes()
    await index.close()
    await store.close()
    return results


def _resident_megabytes() -> float:
    """Return the memory this process holds now; its peak where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (2**20 if sys.platform == "darwin" else 1024)
    return pages * 4096 / 2**20


def _search_figures(size: int, measured: dict[str, float]) -> list[Figure]:
    name = f"{size:,} records"
    if size != 100_000:
        return [
            Figure(f"keyword + vector search, {name}, p95", round(measured["both_p95"], 2), "ms"),
            Figure(f"open and first search, {name}", round(measured["opened"], 2), "s"),
            Figure(f"resident memory, {name}", round(measured["resident"], 1), "MB"),
        ]
    return [
        at_most(f"keyword + vector search, {name}, p95", measured["both_p95"], "ms", 15),
        Figure(f"keyword search alone, {name}, p95", round(measured["text_p95"], 2), "ms"),
        Figure(f"vector search alone, {name}, p95", round(measured["vector_p95"], 2), "ms"),
        at_most(f"open and first search, {name}", measured["opened"], "s", 1),
        at_most(f"resident memory, {name}", measured["resident"], "MB", 400),
    ]


def _growth_figures(small: int, large: int, searches: dict[int, dict[str, float]]) -> list[Figure]:
    ratio = large / small
    vectors = ratio / 2 if small >= 100_000 else ratio  # our own bound for large agents: half of linear
    span = f"{small:,} → {large:,} records"
    grown = {
        name: searches[large][f"{name}_p50"] / max(searches[small][f"{name}_p50"], 0.001) for name in ("both", "vector")
    }
    return [
        at_most(f"growth of search cost, {span}", grown["both"], "×", ratio),
        at_most(f"growth of vector search cost, {span}", grown["vector"], "×", vectors),
    ]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_search(Path(sys.argv[1])))))  # noqa: T201  (the parent process reads it)
