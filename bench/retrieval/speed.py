"""How fast recall is on many memories, the question's embedding included, and with many callers at once."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bench.corpus import Corpus, moment
from bench.figures import Figure, Report, at_most
from remanent.embedding import open_embedders
from remanent.errors import RemanentError
from remanent.memory import AsyncAgent, aopen
from remanent.model import RecallOptions, Record, Scope, id_source
from remanent.recall.evaluation import percentile
from remanent.recall.indexing import MODELS
from remanent.recall.windows import vector_names
from remanent.settings import load_settings
from remanent.stores import Change, search_terms
from remanent.stores.sqlite import SqliteStore
from remanent.stores.transaction import PutRecord, PutState, PutVector

MEMORIES = 100_000
QUESTIONS = 200
CALLERS = 64
WARMING = 20
PATIENCE = 3.0
RECIPES = (None, "quality")
BATCH = 2000


@dataclass(slots=True)
class _Asked:
    """What callers saw."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    lacking: int = 0
    """Answers that say of a path that it was left out."""
    processor: float = 0.0
    """Seconds that all threads worked."""


async def measure_speed(
    home: Path, *, memories: int = MEMORIES, quality: bool = True, report: Report = lambda _: None
) -> list[Figure]:
    """Load so many memories and ask: by default, in quality mode, and by many callers at once.

    Every question is asked once only. The stored vectors are generated, so that the gate would hold most answers back:
    what comes behind it is measured without it, and so is quality mode.
    """
    settings = load_settings(home=home)
    scope = Scope(org=settings.org, workspace=settings.workspace, agent="bench")
    report(f"load {memories} memories")
    await fill(home, scope, memories)
    name = f"recall, {memories:,} memories"
    async with aopen(home) as memory:
        agent = memory.agent("bench")
        questions = iter(Corpus().questions(3 * QUESTIONS + CALLERS + (WARMING + 1) * len(RECIPES)))
        report("load the models and the vectors")
        for recipe in RECIPES:
            await _warm(agent, questions, recipe=recipe)
        report("recall, one caller")
        plain = await _ask(agent, islice(questions, QUESTIONS))
        figures = _figures(name, plain, bound=50)
        told = await _ask(agent, islice(questions, QUESTIONS), gate=False)
        figures += _figures(f"{name}, no gate", told, bound=50)
        lacking = plain.lacking + told.lacking
        if quality:
            report("recall, quality mode")
            better = await _ask(agent, islice(questions, QUESTIONS), recipe="quality", gate=False)
            figures += _figures(f"{name}, quality mode, no gate", better, bound=400)
        report(f"recall, {CALLERS} callers")
        callers = (_ask(agent, [question]) for question in islice(questions, CALLERS))
        together = await asyncio.gather(*callers)
    waits = [seconds for asked in together for seconds in asked.seconds]
    lacking += sum(asked.lacking for asked in together)
    return [
        *figures,
        at_most(f"{name}, {CALLERS} callers at once, errors", sum(asked.errors for asked in together), "", 0),
        Figure(f"{name}, {CALLERS} callers at once, p95", round(1000 * percentile(waits, 0.95), 1), "ms"),
        at_most(f"{name}, answers that lack a path", lacking, "", 0),
    ]


def _figures(name: str, asked: _Asked, *, bound: float) -> list[Figure]:
    return [
        at_most(f"{name}, p95", 1000 * percentile(asked.seconds, 0.95), "ms", bound),
        Figure(f"{name}, p50", round(1000 * percentile(asked.seconds, 0.5), 1), "ms"),
        Figure(f"{name}, processor time", round(1000 * asked.processor / len(asked.seconds), 1), "ms"),
    ]


async def _warm(agent: AsyncAgent, questions: Iterator[str], *, recipe: str | None) -> None:
    """Ask some questions, slowly while models or vectors are still being loaded."""
    for question in islice(questions, WARMING):
        found = await agent.recall(question, options=RecallOptions(recipe=recipe, gate=False))
        if any(left.path != "reranker" for left in found.left_out):
            await asyncio.sleep(PATIENCE)


async def _ask(
    agent: AsyncAgent, questions: Iterable[str], *, recipe: str | None = None, gate: bool | None = None
) -> _Asked:
    """Ask one question after the other."""
    asked = _Asked()
    spent = time.process_time()
    for question in questions:
        begin = time.perf_counter()
        try:
            found = await agent.recall(question, options=RecallOptions(recipe=recipe, gate=gate))
        except RemanentError:
            asked.errors += 1
            continue
        asked.seconds.append(time.perf_counter() - begin)
        asked.lacking += bool(found.left_out)
    asked.processor = time.process_time() - spent
    return asked


async def fill(home: Path, scope: Scope, memories: int) -> None:
    """Load turns with generated vectors: what is measured is search, not the embedding of the past."""
    embedders = open_embedders(load_settings(home=home).embedder)
    models = {} if embedders is None else {member.model_id: member.dimension for member in embedders.members}
    corpora = {model: Corpus(dimension=dimension) for model, dimension in models.items()}
    corpus, new_id = Corpus(), id_source(lambda: moment(0), seed=1)
    store = SqliteStore(home)

    async def batches() -> AsyncIterator[Sequence[Change]]:
        yield [PutState(MODELS, list(vector_names(*models)))]  # or they would be embedded anew while it is measured
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
