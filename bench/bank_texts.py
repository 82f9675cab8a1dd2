"""Banks on real multi-document tasks that nobody here wrote: evidence in the prompt, false conflicts, CPU.

HotpotQA and MuSiQue through the plain public face without a model, beside BM25 over whole paragraphs of the same room;
the documents of several tasks in one bank are what a bank that lives for more than one question holds.
"""

import asyncio
import gzip
import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import remanent
from bench.figures import Figure, Report, at_least, at_most
from bench.retrieval.baselines import Bm25

BUDGET = 800
TASKS = 25
JOINED = 5
_GOALS = {"hotpotqa": 94, "musique": 52}
_LONGEST_ANSWER = 200
_UNKNOWN = "Not enough is known"
_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class RealTask:
    """A question, its answer, the documents to find it in, and the sentences that it rests on."""

    name: str
    question: str
    answer: str
    documents: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What was counted over some tasks."""

    asked: int = 0
    found: int = 0
    by_bm25: int = 0
    with_conflict: int = 0
    documents: int = 0
    cpu: float = 0.0


def run_text_bench(data: Path, report: Report, *, count: int = TASKS) -> list[Figure]:
    """Measure with the tasks in a folder."""
    return asyncio.run(_measure(read_tasks(data), report, count))


def read_tasks(data: Path) -> dict[str, list[RealTask]]:
    """Return the tasks of each set."""
    found: dict[str, list[RealTask]] = {}
    with gzip.open(data / "multihop.tasks.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            documents = tuple(f"{one['title']}. {one['text']}" for one in row["documents"])
            task = RealTask(row["set"], row["question"], row["answer"], documents, tuple(row["evidence"]))
            found.setdefault(task.name, []).append(task)
    return found


async def _measure(sets: dict[str, list[RealTask]], report: Report, count: int) -> list[Figure]:
    figures: list[Figure] = []
    conflicts = asked = documents = 0
    cpu = 0.0
    for name, tasks in sets.items():
        for joined in (1, JOINED):
            report(f"{name}: {min(count, len(tasks))} tasks, {joined} in a bank")
            tally = await evidence(tasks[:count], joined=joined)
            ours, theirs = 100 * tally.found / tally.asked, 100 * tally.by_bm25 / tally.asked
            together = f", {joined} tasks joined" if joined > 1 else ""
            title = f"{name}{together}: all evidence in {BUDGET} tokens (n={tally.asked})"
            goal = max(theirs, _GOALS.get(name, 0)) if joined == 1 else theirs + 5
            figures += [at_least(title, ours, "%", goal), Figure(f"{title}, BM25 paragraphs", round(theirs, 2), "%")]
            if joined == 1:
                conflicts, asked = conflicts + tally.with_conflict, asked + tally.asked
                cpu, documents = cpu + tally.cpu, documents + tally.documents
    if hotpot := sets.get("hotpotqa", [])[:count]:
        report(f"hotpotqa: answers to {len(hotpot)} tasks, with the evidence and without it")
        figures += answer_figures(await answers(hotpot))
    figures.append(at_most(f"tasks with a false conflict (n={asked})", 100 * conflicts / max(1, asked), "%", 2))
    figures.append(at_most(f"CPU to take in 20 paragraphs (n={documents})", 20 * cpu / max(1, documents), "s", 3))
    return figures


async def evidence(tasks: Sequence[RealTask], *, joined: int) -> Tally:
    """Count the tasks whose whole evidence the bank's memory holds, and those where BM25 finds it."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as home:
        async with remanent.aopen(home) as memory:
            for group in _groups(tasks, joined):
                documents = list(dict.fromkeys(text for task in group for text in task.documents))
                for task in group:
                    async with memory.bank(task.question, prompt_tokens=BUDGET) as bank:
                        await bank.start()
                        spent = time.process_time()
                        for text in documents:
                            await bank.observe(text)
                        tally.cpu += time.process_time() - spent
                        shown = (await bank.adapter.enhance()).memory
                        tally.with_conflict += bool(bank.conflicts)
                    tally.asked += 1
                    tally.documents += len(documents)
                    tally.found += holds(_TAG.sub(" ", shown), task)
                    tally.by_bm25 += holds(by_bm25(task.question, documents), task)
    return tally


async def answers(tasks: Sequence[RealTask]) -> list[tuple[bool, bool, bool]]:
    """Tell of each task whether its answer is right, and whether it is called unanswerable, with evidence or not."""
    found = []
    with tempfile.TemporaryDirectory() as home:
        async with remanent.aopen(home) as memory:
            for task in tasks:
                beside = [text for text in task.documents if not has_evidence(text, task)]
                said = []
                for documents in (task.documents, beside):
                    async with memory.bank(task.question) as bank:
                        await bank.start()
                        for text in documents:
                            await bank.observe(text)
                        said.append((await bank.run()).answer)
                found.append((is_right(said[0], task), _UNKNOWN in said[0], _UNKNOWN in said[1]))
    return found


def has_evidence(text: str, task: RealTask) -> bool:
    """Tell whether a document holds a sentence that the answer rests on."""
    return any(_plain(one) in _plain(text) for one in task.evidence)


def is_right(answer: str, task: RealTask) -> bool:
    """Tell whether an answer holds the gold one and is short enough to be one; yes and no are its first word."""
    words, gold = _plain(answer), _plain(task.answer)
    return len(answer) <= _LONGEST_ANSWER and (words.split()[:1] == [gold] if gold in {"yes", "no"} else gold in words)


def answer_figures(told: Sequence[tuple[bool, bool, bool]]) -> list[Figure]:
    """Return the shares that were promised."""
    right, unknown, without = (100 * sum(column) / len(told) for column in zip(*told, strict=True))
    title = f"hotpotqa (n={len(told)})"
    return [
        at_least(f"{title}: gold in an answer of at most {_LONGEST_ANSWER} characters", right, "%", 45),
        at_most(f"{title}: called unanswerable", unknown, "%", 15),
        at_least(f"{title}: called unanswerable, the evidence taken away", without, "%", 70),
    ]


def _groups(tasks: Sequence[RealTask], size: int) -> Iterator[Sequence[RealTask]]:
    for start in range(0, len(tasks), size):
        yield tasks[start : start + size]


def holds(text: str, task: RealTask) -> bool:
    """Tell whether a text has every sentence that the answer rests on."""
    plain = _plain(unescape(text))
    return all(_plain(one) in plain for one in task.evidence)


def by_bm25(question: str, documents: Sequence[str]) -> str:
    """Return the best whole paragraphs that fit the budget; their titles stand in them."""
    chosen, room = [], BUDGET
    for place, _ in Bm25(documents).ranking(question):
        size = -(-len(documents[place]) // 4)
        if size <= room:
            chosen.append(documents[place])
            room -= size
    return " ".join(chosen)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
