"""A briefing beside a plain recall, how soon what is remembered is found, and what a coding agent's hook takes.

Without a model and without vectors: what is measured is what the memory itself does.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from bench.corpus import Corpus
from bench.figures import Figure, Report, at_most
from bench.server import serving
from bench.store import bench_scope, fill
from remanent.memory import AsyncAgent, aopen
from remanent.recall.evaluation import percentile

QUESTIONS = 40
WARMING = 5
FACTS = 30
HOOKS = 40
_MEMORIES = 1000
"""What the user likes, among which a briefing chooses."""


def run_cognition_bench(home: Path, *, size: int = 100_000, report: Report = lambda _: None) -> list[Figure]:
    """Measure in a fresh folder, with so many records."""
    report(f"load {size} records")
    asyncio.run(fill(home, size))
    figures = asyncio.run(_measure(home, size, report))
    report(f"{HOOKS} hooks beside a running server")
    with serving(home):
        return [*figures, *_hooks(home)]


async def _measure(home: Path, size: int, report: Report) -> list[Figure]:
    scope = bench_scope()
    async with aopen(home, embedder="none") as memory:
        agent = memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
        report(f"{_MEMORIES} preferences")
        for start in range(0, _MEMORIES, 100):
            await agent.remember([f"I like tea number {start + number}." for number in range(100)])
        await agent.settle()
        if (await agent.cognition.health()).total < _MEMORIES:
            raise RuntimeError("what was told became no memories: a briefing would have nothing to choose among")
        asked = _questions()
        report(f"{QUESTIONS} plain recalls and as many briefings")
        plain, plain_spent = await _waits(asked, agent.recall)
        brief, brief_spent = await _waits(asked, agent.cognition.brief)
        report(f"{FACTS} facts, each asked for at once")
        told = [await _told(agent, number) for number in range(FACTS)]
    name = f"briefing among {size:,} records"
    return [
        at_most(f"{name}, p95", 1000 * percentile(brief, 0.95), "ms", 60),
        Figure(f"plain recall among {size:,} records, p95", round(1000 * percentile(plain, 0.95), 2), "ms"),
        Figure(f"{name}, processor time beside a plain recall", round(brief_spent / plain_spent, 2), "times"),
        at_most("told until recalled, p95", 1000 * percentile(told, 0.95), "ms", 150),
    ]


def _questions() -> Iterator[str]:
    """Yield as many questions as are asked: for what the records hold, and for what the user likes, in turn."""
    for number, question in enumerate(Corpus().questions(QUESTIONS + WARMING)):
        yield question
        yield f"Which tea do I like, number {number} or number {_MEMORIES - number}?"


async def _waits(questions: Iterator[str], ask: Callable[[str], Awaitable[object]]) -> tuple[list[float], float]:
    """Return how long each question took, and what all of them took of the processor."""
    for _ in range(WARMING):
        await ask(next(questions))
    waits, spent = [], time.process_time()
    for _ in range(QUESTIONS):
        begin = time.perf_counter()
        await ask(next(questions))
        waits.append(time.perf_counter() - begin)
    return waits, time.process_time() - spent


async def _told(agent: AsyncAgent, number: int) -> float:
    """Return how long it took from telling something to its being recalled."""
    word = f"quillon{number:04d}"
    begin = time.perf_counter()
    await agent.remember(f"The {word} lies in drawer {number}.")
    is_found = False
    while not is_found:
        found = await agent.recall(f"Where does the {word} lie?")
        is_found = any(word in item.text for item in found.items)
    return time.perf_counter() - begin


def _hooks(home: Path) -> list[Figure]:
    """Run a hook as a coding agent does, in a process of its own."""
    command = [sys.executable, "-m", "remanent", "hook", "run", "prompt-submit", "--home", str(home)]
    waits, before = [], os.times()
    for number in range(-WARMING, HOOKS):
        prompt = f"Where does quillon{abs(number):04d} lie?"
        said = json.dumps({"session_id": f"s{number}", "cwd": str(home), "prompt": prompt})
        begin = time.perf_counter()
        subprocess.run(command, input=said.encode(), capture_output=True, check=True)
        if number >= 0:  # the first ones find a server that has just begun
            waits.append(time.perf_counter() - begin)
    after = os.times()
    spent = (after.children_user + after.children_system - before.children_user - before.children_system) / (
        HOOKS + WARMING
    )
    return [
        at_most("hook beside a running server, p95", 1000 * percentile(waits, 0.95), "ms", 300),
        Figure("hook beside a running server, processor time of its process", round(1000 * spent, 1), "ms"),
    ]
