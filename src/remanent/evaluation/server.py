"""How a server bears load: recalls of a few and of very many clients at once, over real HTTP on loopback."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from remanent.client.remote import AsyncRemoteAgent, aconnect
from remanent.errors import RemanentError
from remanent.evaluation.corpus import Corpus, percentile
from remanent.evaluation.figures import Figure, Report, at_most
from remanent.evaluation.store import fill

FEW, MANY = 10, 1000
EACH_OF_FEW = 20
CONNECTIONS = 100
"""Requests that one client has under way at the same time."""


def run_server_bench(home: Path, *, size: int = 100_000, report: Report = lambda _: None) -> list[Figure]:
    """Fill an agent, serve it from a process of its own, and ask it by words from many clients at once."""
    report(f"load {size} records")
    asyncio.run(fill(home, size))
    with _serving(home) as url:
        return asyncio.run(_measure(url, size, report))


@contextmanager
def _serving(home: Path) -> Iterator[str]:
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", "REMANENT_SERVER__RATE": "0"}
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["url"])
        finally:
            server.terminate()


async def _measure(url: str, size: int, report: Report) -> list[Figure]:
    questions = [" ".join(text.split()[:4]) for text in Corpus().questions(MANY)]
    async with AsyncExitStack() as stack:
        agents = []
        for _ in range(MANY // CONNECTIONS):
            memory = await stack.enter_async_context(aconnect(url, org="bench", workspace="bench", timeout=60))
            agents.append(memory.agent("bench"))
        await asyncio.gather(*(_ask(agent, questions[0]) for agent in agents))
        report(f"{FEW} clients")
        few: list[float] = []
        faults = 0
        for start in range(0, FEW * EACH_OF_FEW, FEW):
            waits, failed = await _together(agents[:1], questions[start : start + FEW])
            few += waits
            faults += failed
        report(f"{MANY} clients")
        many, failed = await _together(agents, questions)
    name = f"recall by words among {size:,}"
    return [
        at_most(f"{name}, {FEW} clients at once, p95", 1000 * percentile(few, 0.95), "ms", 100),
        at_most(f"{name}, {MANY} clients at once, p99", percentile(many, 0.99), "s", 5),
        at_most(f"{name}, failed requests", float(faults + failed), "", 0),
    ]


async def _together(agents: list[AsyncRemoteAgent], questions: list[str]) -> tuple[list[float], int]:
    """Ask all questions at once; return how long each took and how many failed."""
    asked = [_ask(agents[place % len(agents)], question) for place, question in enumerate(questions)]
    answers = await asyncio.gather(*asked)
    return [seconds for seconds, _ in answers], sum(not well for _, well in answers)


async def _ask(agent: AsyncRemoteAgent, question: str) -> tuple[float, bool]:
    begin = time.perf_counter()
    try:
        await agent.recall(question)
    except RemanentError:
        return time.perf_counter() - begin, False
    return time.perf_counter() - begin, True
