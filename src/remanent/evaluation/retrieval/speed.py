"""How fast recall is on many memories, the question's embedding included, and with many callers at once."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from remanent.embedding import open_embedders
from remanent.evaluation.corpus import Corpus, moment, percentile
from remanent.evaluation.figures import Figure, Report, at_most
from remanent.memory import AsyncAgent, aopen
from remanent.model import Record, Scope, id_source
from remanent.settings import load_settings
from remanent.stores import Change, search_terms
from remanent.stores.changes import PutRecord, PutVector
from remanent.stores.sqlite import SqliteStore

MEMORIES = 100_000
QUESTIONS = 200
CALLERS = 64
BATCH = 2000


@dataclass(frozen=True, slots=True)
class _Waits:
    seconds: list[float]
    errors: int


async def measure_speed(
    home: Path, *, memories: int = MEMORIES, quality: bool = True, report: Report = lambda _: None
) -> list[Figure]:
    """Load so many memories and ask: by default, in quality mode, and by many callers at once."""
    settings = load_settings(home=home)
    scope = Scope(org=settings.org, workspace=settings.workspace, agent="bench")
    report(f"load {memories} memories")
    await _fill(home, scope, memories)
    figures = []
    async with aopen(home) as memory:
        agent = memory.agent("bench")
        questions = Corpus().questions(2 * QUESTIONS + CALLERS + 20)
        await _ask(agent, questions[-20:])
        report("recall, one caller")
        plain = await _ask(agent, questions[:QUESTIONS])
        name = f"recall, {memories:,} memories"
        figures.append(at_most(f"{name}, p95", 1000 * percentile(plain.seconds, 0.95), "ms", 50))
        figures.append(Figure(f"{name}, p50", round(1000 * percentile(plain.seconds, 0.5), 1), "ms"))
        if quality:
            report("recall, quality mode")
            better = await _ask(agent, questions[QUESTIONS : 2 * QUESTIONS], recipe="quality")
            figures.append(at_most(f"{name}, quality mode, p95", 1000 * percentile(better.seconds, 0.95), "ms", 400))
        report(f"recall, {CALLERS} callers")
        together = await _ask_together(agent, questions[2 * QUESTIONS : 2 * QUESTIONS + CALLERS])
        figures.append(at_most(f"{name}, {CALLERS} callers at once, errors", together.errors, "", 0))
        wait = 1000 * percentile(together.seconds, 0.95)
        figures.append(Figure(f"{name}, {CALLERS} callers at once, p95", round(wait, 1), "ms"))
    return figures


async def _ask(agent: AsyncAgent, questions: Sequence[str], *, recipe: str | None = None) -> _Waits:
    waits = []
    for question in questions:
        begin = time.perf_counter()
        await agent.recall(question, recipe=recipe)
        waits.append(time.perf_counter() - begin)
    return _Waits(waits, 0)


async def _ask_together(agent: AsyncAgent, questions: Sequence[str]) -> _Waits:
    answers = await asyncio.gather(*(_ask(agent, [question]) for question in questions), return_exceptions=True)
    errors = sum(isinstance(answer, BaseException) for answer in answers)
    return _Waits([wait for answer in answers if isinstance(answer, _Waits) for wait in answer.seconds], errors)


async def _fill(home: Path, scope: Scope, memories: int) -> None:
    """Load turns with generated vectors: what is measured is search, not the embedding of the past."""
    embedders = open_embedders(load_settings(home=home).embedder)
    models = {} if embedders is None else {member.model_id: member.dimension for member in embedders.members}
    corpora = {model: Corpus(dimension=dimension) for model, dimension in models.items()}
    corpus, new_id = Corpus(), id_source(lambda: moment(0), seed=1)
    store = SqliteStore(home)

    async def batches() -> AsyncIterator[Sequence[Change]]:
        texts = list(corpus.texts(memories))
        for start in range(0, memories, BATCH):
            records = [
                Record.model_validate(
                    {
                        "id": new_id(),
                        "scope": scope.within(session=f"s{(start + place) // 20}"),
                        "kind": "turn",
                        "content": text,
                        "created_at": moment(start + place),
                        "updated_at": moment(start + place),
                        "occurred_at": moment(start + place),
                    }
                )
                for place, text in enumerate(texts[start : start + BATCH])
            ]
            yield [PutRecord(record, search_terms(record)) for record in records]
            for model, source in corpora.items():
                rows = source.vectors(len(records), stream=start // BATCH + 1)
                yield [PutVector(one.id, model, row.tobytes()) for one, row in zip(records, rows, strict=True)]

    await store.load(scope, batches())
    await store.close()
