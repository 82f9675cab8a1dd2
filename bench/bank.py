"""How well a task bank does without a model: evidence in the prompt, contradictions, false alarms, calls, speed."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from pathlib import Path

from bench.figures import Figure, Report, at_least, at_most
from bench.tasks import TaskCase, TaskKind, task_cases
from remanent.bank.adapter import AsyncAdapter
from remanent.bank.adapter.framework import Uploads
from remanent.bank.bank import MemoryBank, open_bank
from remanent.bank.graph import NodeDraft, QueryGraph
from remanent.bank.settings import BankSettings
from remanent.embedding import Embedders, open_embedders
from remanent.language.engines import OfflineEngine
from remanent.language.role import Toolbox
from remanent.model import Scope, id_source, system_clock
from remanent.stores.blobs import AttachmentStore, FileBlobs

CASES = 50
SEED = 7
NODES = 10_000
_WINDOW = 600
"""Tokens of a window in the long-document tasks: small, so that a text of some pages is several windows long."""
_SCOPE = Scope(org="bench", workspace="bench", agent="bank", task="bench")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one task."""

    case: TaskCase
    has_evidence: bool
    """Whether the prompt that the Adapter makes for the first step holds the right value of the right thing."""
    raised: bool
    false_alarms: tuple[str, ...]
    calls: int


def new_bank(embedders: Embedders | None, *, window: int = 32_000) -> MemoryBank:
    """Return an empty bank that works without a model."""
    embedder = embedders.members[0] if embedders is not None else None
    return open_bank(
        _SCOPE,
        engine=OfflineEngine(Toolbox(embedder=embedder)),
        embedders=embedders,
        settings=BankSettings(),
        clock=system_clock,
        new_id=id_source(),
        window=window,
    )


async def attempt(case: TaskCase, embedders: Embedders | None) -> Outcome:
    """Give a bank the texts of a task, one after the other, and look at what it would put into the prompt."""
    bank = new_bank(embedders, window=_WINDOW if case.kind is TaskKind.DOCUMENT else 32_000)
    await bank.start(case.question)
    for passage in case.given:
        await bank.observe(passage.text)
    shown = unescape(await _prompt(bank))
    planted = [conflict for conflict in bank.conflicts.all if _is_planted(case, conflict.description)]
    return Outcome(
        case=case,
        has_evidence=case.evidence in shown or _told(case, shown),
        raised=bool(planted),
        false_alarms=tuple(
            conflict.description for conflict in bank.conflicts.all if not _is_planted(case, conflict.description)
        ),
        calls=sum(bank.runtime.calls.values()),
    )


async def _prompt(bank: MemoryBank) -> str:
    """Return what an agent is given for the first step: all but the Insight Doc, which holds the question only."""
    with tempfile.TemporaryDirectory(prefix="remanent-bench-") as folder:
        uploads = Uploads(Path(folder), new_id=id_source())
        kept = AttachmentStore(FileBlobs(lambda _: Path(folder)), bank.runtime.scope)
        adapter = AsyncAdapter(bank, uploads=uploads, kept=kept, new_id=id_source())
        await adapter.plan()
        prompt = await adapter.enhance()
        return f"{prompt.memory}\n{prompt.details}"


def _told(case: TaskCase, shown: str) -> bool:
    """Tell whether one of the other wordings of the evidence stands in what is shown: the value beside its subject."""
    return any(case.answer in line and all(name in line for name in case.about) for line in shown.splitlines())


def _is_planted(case: TaskCase, description: str) -> bool:
    return bool(case.wrong) and case.wrong in description and case.answer in description


async def study(
    kind: TaskKind, *, count: int = CASES, seed: int = SEED, embedders: Embedders | None, report: Report
) -> list[Outcome]:
    """Attempt generated tasks of one kind."""
    outcomes = []
    for number, case in enumerate(task_cases(kind, count=count, seed=seed), 1):
        outcomes.append(await attempt(case, embedders))
        if number % 10 == 0:
            report(f"{kind.value}: {number} of {count}")
    return outcomes


def figures_of(kind: TaskKind, outcomes: Sequence[Outcome]) -> list[Figure]:
    """Return the shares that were promised."""
    planted = [outcome for outcome in outcomes if outcome.case.wrong]
    evidence = sum(outcome.has_evidence for outcome in outcomes) / len(outcomes)
    alarmed = sum(bool(outcome.false_alarms) for outcome in outcomes) / len(outcomes)
    figures = [at_least(f"{kind.value}: right evidence in the prompt", 100 * evidence, "%", 80)]
    if planted:
        raised = sum(outcome.raised for outcome in planted) / len(planted)
        figures.append(at_least(f"{kind.value}: planted contradictions raised", 100 * raised, "%", 100))
    return [*figures, at_most(f"{kind.value}: tasks with a false alarm", 100 * alarmed, "%", 5)]


async def calls_per_10k(embedders: Embedders | None) -> float:
    """Return how many calls a text on one topic costs per 10,000 characters, planning included."""
    text = single_topic(20_000)
    bank = new_bank(embedders)
    await bank.start("What did the restoration of the lighthouse of Marn cost?", context=text)
    await bank.planner.plan()
    return 10_000 * sum(bank.runtime.calls.values()) / len(text)


def single_topic(length: int) -> str:
    """Return a text of so many characters about one thing."""
    parts = (
        "The lighthouse of Marn", "The tower of the lighthouse", "The lamp of the lighthouse", "The lighthouse keeper",
        "The stairs of the lighthouse", "The restoration of the lighthouse", "The foghorn of the lighthouse",
    )  # fmt: skip
    deeds = (
        "was examined by the harbour office", "needed new paint after the storms", "was described in the log book",
        "drew visitors to the coast of Marn", "was repaired with stone from the quarry", "served the ships of the bay",
        "was praised by the fishermen of Marn", "kept its place on every chart of the bay",
    )  # fmt: skip
    sentences: list[str] = []
    number = 0
    while sum(map(len, sentences)) < length:
        year = 1890 + number % 120
        sentences.append(f"{parts[number % len(parts)]} {deeds[number * 3 % len(deeds)]} in the year {year}. ")
        number += 1
    paragraphs = ["".join(sentences[start : start + 6]).strip() for start in range(0, len(sentences), 6)]
    return "\n\n".join(paragraphs)[:length]


async def search_times(
    embedders: Embedders | None, *, nodes: int = NODES, searches: int = 200
) -> list[tuple[float, float]]:
    """Return the milliseconds of the clock and of the processor that searches of a large graph take.

    The question's embedding is included.
    """
    bank = new_bank(embedders)
    await bank.start("bench")
    await fill(bank.graph, nodes)
    names = [f"harbour {number} and its {_THINGS[number % len(_THINGS)]}" for number in range(searches)]
    times = []
    for name in names:
        begun, used = time.perf_counter(), time.process_time()
        await bank.search(name)
        times.append((1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - used)))
    return times


_THINGS = ("cranes", "lighthouse", "fish market", "ferry", "customs house", "shipyard", "breakwater", "warehouses")


async def fill(graph: QueryGraph, nodes: int) -> None:
    """Add nodes that share many words; their vectors are made by chance, which costs a search just as much."""
    import numpy as np

    source = np.random.default_rng(3)
    real = (await graph.vectors_of([NodeDraft(summary="harbour")]))[0]
    moment = system_clock()
    new_id = id_source()
    previous: list[str] = []
    for start in range(0, nodes, 500):
        async with graph.bank_store.transaction() as tx:
            for number in range(start, min(start + 500, nodes)):
                thing = _THINGS[number % len(_THINGS)]
                draft = NodeDraft(
                    summary=f"Harbour {number} is known for its {thing}. The {thing} of harbour {number} is old.",
                    context=f"harbour {number} and its {thing}",
                    keywords=("harbour", thing, f"harbour {number}"),
                )
                vectors = {}
                for model, values in real.items():
                    row = source.standard_normal(len(values) // 4).astype("<f4")
                    vectors[model] = (row / np.linalg.norm(row)).astype("<f4").tobytes()
                node_id = new_id()
                graph.put_new(tx, draft, node_id=node_id, at=moment + timedelta(milliseconds=number), vectors=vectors)
                if previous:
                    graph.put_edge(tx, node_id, previous[-1], at=moment, known=(node_id, previous[-1]))
                previous.append(node_id)


def run_bank_bench(
    report: Report, *, count: int = CASES, seed: int = SEED, nodes: int = NODES, embedders: Embedders | None = None
) -> list[Figure]:
    """Measure everything that was promised of a task bank without a model."""
    return asyncio.run(_bench(report, count, seed, nodes, embedders or open_embedders()))


async def _bench(report: Report, count: int, seed: int, nodes: int, embedders: Embedders | None) -> list[Figure]:
    figures: list[Figure] = []
    for kind in TaskKind:
        outcomes = await study(kind, count=count, seed=seed, embedders=embedders, report=report)
        figures += figures_of(kind, outcomes)
    report("calls for a text on one topic")
    figures.append(at_most("calls per 10,000 characters on one topic", await calls_per_10k(embedders), "calls", 6))
    report(f"search among {nodes} nodes")
    times = await search_times(embedders, nodes=nodes)
    slow = statistics.quantiles([wall for wall, _ in times], n=20)[-1]
    figures.append(at_most(f"search of {nodes} nodes, p95", slow, "ms", 20))
    for name, values in (("p50", [wall for wall, _ in times]), ("p50 of processor time", [used for _, used in times])):
        figures.append(Figure(f"search of {nodes} nodes, {name}", round(statistics.median(values), 2), "ms"))
    return figures
