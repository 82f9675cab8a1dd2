"""Knowledge bases on public texts: how often the right documents are found, with each technique off and on.

The documents of multi-document tasks are pooled in one base (English), and the passages of CMRC in another (Chinese).
Beside them stands BM25 over the same documents and, where asked for, others that store documents. Other parts of the
sets are kept back by whoever judges.
"""

import asyncio
import gzip
import json
import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import remanent
from bench.figures import Figure, Report, at_least
from bench.retrieval.comparing import Field
from bench.retrieval.rivals import DOCUMENT_RIVALS, Material
from remanent.embedding import open_embedders
from remanent.errors import MissingDependency
from remanent.recall.evaluation import interval
from remanent.settings import load_settings
from remanent.text.terms import index_terms, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TECHNIQUES: Mapping[str, dict[str, bool]] = {
    "plain": {},
    "rewrite": {"rewrite": True},
    "hyde": {"hyde": True},
    "parents": {"parents": True},
    "summaries": {"summaries": True},
}
K1, B = 1.5, 0.75


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the documents that answer it."""

    question: str
    gold: frozenset[str]


def pooled_tasks(data: Path, *, tasks: int) -> tuple[dict[str, str], list[Asked]]:
    """Return the documents of the first tasks by name, and the questions with the documents of their evidence."""
    texts: dict[str, str] = {}
    asked = []
    for task in list(_lines(data / "multihop.tasks.jsonl.gz"))[:tasks]:
        own = [f"{one['title']}. {one['text']}" for one in task["documents"]]
        for text in own:
            texts.setdefault(text, f"d{len(texts)}")
        gold = frozenset(texts[text] for text in own if any(one in text for one in task["evidence"]))
        asked.append(Asked(task["question"], gold))
    return {name: text for text, name in texts.items()}, asked


def passages(data: Path, *, questions: int) -> tuple[dict[str, str], list[Asked]]:
    """Return all passages of CMRC, and the first questions."""
    (store,) = _lines(data / "cmrc.stores.jsonl.gz")
    texts = {one["session"]: one["turns"][0]["text"] for one in store["sessions"]}
    asked = list(_lines(data / "cmrc.questions.jsonl.gz"))[:questions]
    return texts, [Asked(one["question"], frozenset(one["evidence_sessions"])) for one in asked]


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def bm25(texts: Mapping[str, str]) -> Callable[[str], list[str]]:
    """Return what ranks the documents for a question by BM25, the simplest thing that works."""
    counts = {name: Counter(index_terms(text)) for name, text in texts.items()}
    sizes = {name: sum(one.values()) for name, one in counts.items()}
    mean = sum(sizes.values()) / max(1, len(sizes))
    held = Counter(term for one in counts.values() for term in one)
    idf = {term: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for term, n in held.items()}

    def score(name: str, terms: Sequence[str]) -> float:
        tf, length = counts[name], K1 * (1 - B + B * sizes[name] / mean)
        return sum(idf[term] * tf[term] * (K1 + 1) / (tf[term] + length) for term in terms if term in tf)

    return lambda question: sorted(texts, key=lambda one: -score(one, query_terms(question)))[:5]


def run_knowledge_bench(
    data: Path, *, tasks: int = 100, questions: int = 300, rivals: bool = False, report: Report = lambda _: None
) -> list[Figure]:
    """Measure both sets; the promises are those of the plain call."""
    field = Field(DOCUMENT_RIVALS if rivals else (), report)
    pooled = pooled_tasks(data, tasks=tasks)
    english = _measure("multihop", *pooled, techniques=TECHNIQUES, field=field, report=report)
    plain = {"plain": TECHNIQUES["plain"]}
    chinese = _measure("cmrc", *passages(data, questions=questions), techniques=plain, field=field, report=report)
    return [
        at_least("multihop any@1", english["plain"]["any@1"], "share", 0.8),
        at_least("multihop all@5", english["plain"]["all@5"], "share", 0.45),
        at_least("cmrc any@1 beside BM25", chinese["plain"]["any@1"], "share", chinese["BM25"]["any@1"]),
    ]


def _measure(
    name: str,
    texts: Mapping[str, str],
    asked: Sequence[Asked],
    *,
    techniques: Mapping[str, dict[str, bool]],
    field: Field,
    report: Report,
) -> dict[str, dict[str, float]]:
    figures = {"BM25": _scores(asked, bm25(texts)), **_others(texts, asked, field)}
    with tempfile.TemporaryDirectory(prefix="remanent-bench-") as home, remanent.open(home) as memory:
        base = memory.knowledge(workspace="bench")
        begin = time.perf_counter()
        chunks = sum(base.add(text=text, name=one).document.chunks for one, text in texts.items())
        added = time.perf_counter() - begin
        memory.settle()
        both = time.perf_counter() - begin
        report(f"{name}: {chunks} chunks, {chunks / added:.0f}/s before their vectors, {chunks / both:.0f}/s with them")
        for technique, switches in techniques.items():

            def find(question: str, switches: dict[str, bool] = switches) -> list[str]:
                return [item.document for item in base.search(question, limit=5, **switches).items]  # type: ignore[arg-type]

            begin = time.perf_counter()
            figures[technique] = _scores(asked, find)
            figures[technique]["ms"] = 1000 * (time.perf_counter() - begin) / len(asked)
    for technique, held in figures.items():
        report(f"{name} n={len(asked)} {technique}: " + ", ".join(f"{key} {value:.2f}" for key, value in held.items()))
    return figures


def _others(texts: Mapping[str, str], asked: Sequence[Asked], field: Field) -> dict[str, dict[str, float]]:
    """Return how others fare that are handed whole documents, and the vectors of the model that suits the questions."""
    if not field.rivals:
        return {}
    questions = [one.question for one in asked]
    vectors = asyncio.run(_vectors([*texts.values(), *questions], asked=" ".join(questions)[:2000]))
    material = Material(list(texts), list(texts.values()), questions, [len(texts)] * len(asked), vectors)
    figures = {}
    for rival in field.rivals:
        given = field.ask(rival, [material], lambda _: None)
        if given is not None:
            answers = {question: answer.ids for question, answer in zip(questions, given[0], strict=True)}
            figures[rival.name] = _scores(asked, answers.__getitem__)
    return figures


async def _vectors(texts: Sequence[str], *, asked: str) -> "NDArray[np.float32]":
    with tempfile.TemporaryDirectory(prefix="remanent-bench-") as home:
        embedders = open_embedders(load_settings(home=Path(home)).embedder)
    if embedders is None:
        raise MissingDependency("others are compared by the vectors of our embedder, and there is none")
    best = max(embedders.members, key=lambda member: embedders.weight(member, asked))
    return await best.embed(texts)


def _scores(asked: Sequence[Asked], find: Callable[[str], list[str]]) -> dict[str, float]:
    """Return the shares of questions, each with the bounds of its 95 % interval, by resampling the questions."""
    told: dict[str, list[float]] = {"any@1": [], "any@5": [], "all@5": []}
    for one in asked:
        found = list(dict.fromkeys(find(one.question)))
        told["any@1"].append(bool(one.gold & set(found[:1])))
        told["any@5"].append(bool(one.gold & set(found[:5])))
        told["all@5"].append(one.gold <= set(found[:5]))
    figures: dict[str, float] = {}
    for key, values in told.items():
        low, high = interval(values)
        figures |= {key: sum(values) / len(values), f"{key} from": low, f"{key} to": high}
    return figures
