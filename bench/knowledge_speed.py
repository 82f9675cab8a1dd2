"""How fast documents are added and searched: chunks a second, and search beside a plain recall of the same size.

Processor time where the machine is shared would mislead: threads that wait for each other cost none. Rates are given by
both; ratios are of one run, question by question in turn.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from itertools import count, cycle, islice
from pathlib import Path

from bench.corpus import Corpus, moment
from bench.figures import Figure, Report, at_least, at_most
from bench.retrieval.speed import fill as fill_turns
from remanent.embedding import open_embedders
from remanent.knowledge.model import COLLECTION
from remanent.knowledge.records import collection_scope, document_id_of
from remanent.memory import AsyncMemory, aopen
from remanent.model import Entry, EntryKind, Kind, PassageData, Record, Scope, Source, id_source
from remanent.recall.evaluation import percentile
from remanent.recall.indexing import MODELS
from remanent.recall.windows import vector_names
from remanent.settings import load_settings
from remanent.stores import Change, search_terms
from remanent.stores.sqlite import SqliteStore
from remanent.stores.transaction import AppendEntry, PutRecord, PutState, PutVector

CHUNKS = 100_000
QUESTIONS = 60
WARMING = 10
ADDED = 600
"""Chunks that are added without vectors, and with vectors in a base of their own."""
LOOKS = 0.05
"""Seconds between looks at whether all is found by its meaning."""
PER_DOCUMENT = 20
BATCH = 100
"""Documents that are loaded together."""


def run_knowledge_speed_bench(home: Path, *, chunks: int = CHUNKS, report: Report = lambda _: None) -> list[Figure]:
    """Measure in a fresh folder."""
    figures = asyncio.run(_adding(home / "plain", embedder="none", chunks=ADDED, bound=300, report=report))
    figures += asyncio.run(_adding(home / "vectors", embedder="auto", chunks=ADDED, bound=60, report=report))
    figures += asyncio.run(_searching(home / "search", chunks, report))
    return figures


# ── adding ───────────────────────────────────────────────────────────────────


async def _adding(home: Path, *, embedder: str, chunks: int, bound: float, report: Report) -> list[Figure]:
    named = "without vectors" if embedder == "none" else "with vectors"
    report(f"add {chunks} chunks {named}")
    texts = _documents(chunks // PER_DOCUMENT)  # before the clock runs: making them takes a second
    async with aopen(home, embedder=embedder) as memory:
        base = memory.knowledge()
        await base.add(text="Loads what adding needs. 先加载所需。", name="first")
        await memory.settle()
        began, spent, added = time.perf_counter(), time.process_time(), 0
        for number, text in enumerate(texts):
            added += (await base.add(text=text, name=f"d{number}")).document.chunks
        if embedder == "none":
            await memory.settle()
        while (await base.stats()).unembedded:  # noqa: ASYNC110 - nobody is told of it
            await asyncio.sleep(LOOKS)
        took, computed = time.perf_counter() - began, time.process_time() - spent
        await memory.settle()
        both = time.perf_counter() - began
    name = f"knowledge, {added} chunks added {named}"
    return [
        at_least(name, added / took, "chunks/s", bound),
        Figure(f"{name}, processor time of each", round(1000 * computed / added, 2), "ms"),
        Figure(f"{name}, until nothing is left to do", round(added / both, 1), "chunks/s"),
    ]


def _documents(count: int) -> list[str]:
    """Return texts of some twenty chunks, English and Chinese in turn: few documents change their language."""
    corpus = Corpus()
    english = (one for one in corpus.texts(10_000_000) if one.isascii())
    chinese = (one for one in corpus.texts(10_000_000) if not one.isascii())
    return [
        f"# Report {number}\n\n" + "\n\n".join(f"{one.capitalize()}." for one in islice(said, 4 * PER_DOCUMENT))
        for number, said in zip(range(count), cycle((english, chinese)), strict=False)
    ]


# ── searching ────────────────────────────────────────────────────────────────


async def _searching(home: Path, chunks: int, report: Report) -> list[Figure]:
    settings = load_settings(home=home)
    speaker = Scope(org=settings.org, workspace=settings.workspace, agent="turns")
    report(f"load {chunks:,} chunks, and as many turns")
    await fill_turns(home, speaker, chunks)
    await _fill(home, speaker.shared, chunks)
    async with aopen(home) as memory:
        base, agent = memory.knowledge(), memory.agent("turns")
        # Of one language: by generated vectors every third chunk would look written in another than the question, which
        # is then searched for a second time.
        questions = (one for one in Corpus().questions(10_000) if one.isascii())
        for question in islice(questions, WARMING):
            await base.search(question)
            await agent.recall(question)
        report("search them")
        searches, recalls = [], []
        # Each its own questions: whoever asked one second would find its vector made already, a third of the work.
        for _ in range(QUESTIONS):
            searches.append(await _timed(base.search, next(questions)))
            recalls.append(await _timed(agent.recall, next(questions)))
        report("recall while documents are added")
        idle, busy = await _beside(memory, questions)
    wall = [percentile([one[0] for one in asked], 0.95) for asked in (searches, recalls)]
    cpu = [percentile([one[1] for one in asked], 0.95) for asked in (searches, recalls)]
    name = f"knowledge, search of {chunks:,} chunks"
    return [
        at_most(f"{name}, p95 {1000 * wall[0]:.0f} ms, beside a plain recall", wall[0] / wall[1], "times", 1.3),
        at_most(f"{name}, p95 of processor time, beside a plain recall", cpu[0] / cpu[1], "times", 1.3),
        at_most(f"recall while documents are added, p95 {1000 * busy:.0f} ms, beside idle", busy / idle, "times", 2),
    ]


async def _timed(ask: Callable[[str], Awaitable[object]], question: str) -> tuple[float, float]:
    """Return the seconds that an answer took, and those of the processor."""
    began, spent = time.perf_counter(), time.process_time()
    await ask(question)
    return time.perf_counter() - began, time.process_time() - spent


async def _beside(memory: AsyncMemory, questions: Iterator[str]) -> tuple[float, float]:
    """Return the p95 of a recall while nothing is done, and while documents are added one after the other."""
    agent, base = memory.agent("turns"), memory.knowledge("bulk")
    texts = _documents(BATCH)
    idle = [(await _timed(agent.recall, question))[0] for question in islice(questions, QUESTIONS)]

    async def add() -> None:
        for number in count():
            await base.add(text=f"{number}\n{texts[number % BATCH]}", name=f"bulk{number}")

    adding = asyncio.create_task(add())
    try:
        busy = [(await _timed(agent.recall, question))[0] for question in islice(questions, QUESTIONS)]
    finally:
        adding.cancel()
    return percentile(idle, 0.95), percentile(busy, 0.95)


async def _fill(home: Path, scope: Scope, chunks: int) -> None:
    """Load chunks with generated vectors, as adding documents would leave them."""
    embedders = open_embedders(load_settings(home=home).embedder)
    corpora = {} if embedders is None else {one.model_id: Corpus(dimension=one.dimension) for one in embedders.members}
    new_id, texts = id_source(lambda: moment(0), seed=2), (one for one in Corpus().texts(2 * chunks) if one.isascii())
    store = SqliteStore(home)

    async def batches() -> AsyncIterator[Sequence[Change]]:
        yield [PutState(MODELS, list(vector_names(*corpora)))]  # or they would be embedded anew while it is measured
        for start in range(0, chunks // PER_DOCUMENT, BATCH):
            entries, records = list[Change](), list[Record]()
            for number in range(start, start + BATCH):
                own = list(islice(texts, PER_DOCUMENT))
                entry = _entry(scope, number, new_id())
                entries.append(AppendEntry(entry))
                records += [_chunk(entry, place, text, new_id()) for place, text in enumerate(own)]
            yield [*entries, *(PutRecord(record, search_terms(record)) for record in records)]
            for model, source in corpora.items():
                rows = source.vectors(len(records), stream=start + 1)
                yield [PutVector(one.id, model, row.tobytes()) for one, row in zip(records, rows, strict=True)]

    await store.load(scope, batches())
    await store.close()


def _entry(scope: Scope, number: int, entry_id: str) -> Entry:
    name = f"d{number}"
    home = collection_scope(scope, COLLECTION).within(session=document_id_of(COLLECTION, name))
    return Entry(
        id=entry_id,
        scope=home,
        kind=EntryKind.DOCUMENT,
        role="document",
        text="",
        occurred_at=moment(number),
        recorded_at=moment(number),
        metadata={"collection": COLLECTION, "name": name, "source": "", "path": name},
    )


def _chunk(entry: Entry, place: int, text: str, record_id: str) -> Record:
    data = PassageData(document_id=str(entry.scope.session), position=place, start=600 * place, end=600 * place + 600)
    return Record(
        id=record_id,
        scope=entry.scope,
        kind=Kind.CHUNK,
        content=text,
        created_at=entry.recorded_at,
        updated_at=entry.recorded_at,
        occurred_at=entry.occurred_at,
        sources=(Source(entry_id=entry.id, start=data.start, end=data.end),),
        data=data,
    )
