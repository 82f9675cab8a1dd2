"""The embedded store beside PostgreSQL in one run: acknowledged writes, and recall over many agents or few large."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.corpus import Corpus, moment
from bench.figures import Figure, Report
from remanent.memory import AsyncMemory, aopen
from remanent.model import Entry, Scope, id_source, system_clock
from remanent.recall.evaluation import percentile
from remanent.recall.indexing import TURNS, turn_of
from remanent.settings import Settings, load_settings
from remanent.stores import Change
from remanent.stores.registry import open_stores
from remanent.stores.transaction import AppendEntry, PutRecord, PutState
from remanent.text.terms import index_terms

CLIENTS = 16
"""Writers at once; group commit lets them share a sync."""
QUESTIONS = 100
BATCH = 1000
"""Messages of one step of filling."""


def run_scale_bench(home: Path, *, url: str | None, agents: int, records: int, report: Report) -> list[Figure]:
    """Measure both; without a URL a server that comes as a package is started, with its data on disk and synced."""
    with _database(url) as address:
        embedded = asyncio.run(_measure(home / "embedded", "embedded", agents, records, report, store="sqlite"))
        shared = asyncio.run(_measure(home / "shared", "PostgreSQL", agents, records, report, store=address))
    return [figure for pair in zip(embedded, shared, strict=True) for figure in pair]


@contextmanager
def _database(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    from tests.servers import postgres

    with postgres(durable=True) as server:
        yield server.make_database()


async def _measure(home: Path, name: str, agents: int, records: int, report: Report, **store: Any) -> list[Figure]:
    workspace = uuid4().hex  # a database that is given may have been measured before
    texts = list(Corpus().texts(records))
    report(f"{name}: fill {agents} agents of {records} records")
    seconds = await _fill(load_settings(home=home, workspace=workspace, **store), texts, agents=agents)
    async with aopen(home, embedder="none", workspace=workspace, **store) as memory:
        report(f"{name}: acknowledged writes, {CLIENTS} clients")
        written = await _write(memory, each=50)
        await memory.settle()
        report(f"{name}: recall")
        waits = await _recall(memory, texts, agents=agents)
    size = f"{agents:,} × {records:,} records"
    return [
        Figure(f"bulk load, {size}, {name}", round(agents * records / seconds), "records/s"),
        Figure(f"writes, {CLIENTS} clients, {name}", round(written, 1), "writes/s"),
        Figure(f"recall p50 of {QUESTIONS}, {size}, {name}", round(1000 * percentile(waits, 0.5), 1), "ms"),
        Figure(f"recall p95 of {QUESTIONS}, {size}, {name}", round(1000 * percentile(waits, 0.95), 1), "ms"),
    ]


async def _fill(settings: Settings, texts: Sequence[str], *, agents: int) -> float:
    """Give every agent the texts as its journal and as turns, as an import does, and return the seconds it took.

    A million messages told one by one would take an hour; what recall finds is the same. There are no vectors.
    """
    store, *_ = open_stores(settings)
    terms = [" ".join(index_terms(text)) for text in texts]
    new_id = id_source(system_clock)
    begin = time.perf_counter()

    async def batches(owner: Scope) -> AsyncIterator[list[Change]]:
        for start in range(0, len(texts), BATCH):
            batch: list[Change] = []
            for place in range(start, min(start + BATCH, len(texts))):
                when = moment(place)
                entry = Entry(id=new_id(), scope=owner, text=texts[place], occurred_at=when, recorded_at=when)
                batch += [AppendEntry(entry), PutRecord(turn_of(entry), terms[place])]
            yield batch
        yield [PutState(TURNS, len(texts))]

    for number in range(agents):
        owner = Scope(org=settings.org, workspace=settings.workspace, agent=f"agent-{number}")
        await store.load(owner, batches(owner))
    seconds = time.perf_counter() - begin
    await store.close()
    return seconds


async def _write(memory: AsyncMemory, *, each: int) -> float:
    async def client(number: int) -> None:
        agent = memory.agent(f"writer-{number}")
        for place in range(each):
            await agent.remember(f"client {number} says thing {place} about the weather in Lisbon")

    begin = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    return CLIENTS * each / (time.perf_counter() - begin)


async def _recall(memory: AsyncMemory, texts: list[str], *, agents: int) -> list[float]:
    """Ask agents in turn for words of one of their texts; the first question of each is not counted."""
    waits: list[float] = []
    for number in range(min(agents, QUESTIONS)):
        await memory.agent(f"agent-{number}").recall("warm up")
    for number in range(QUESTIONS):
        words = " ".join(texts[number * 7 % len(texts)].split()[:6])
        begin = time.perf_counter()
        await memory.agent(f"agent-{number % agents}").recall(f"{words}?")
        waits.append(time.perf_counter() - begin)
    return waits
