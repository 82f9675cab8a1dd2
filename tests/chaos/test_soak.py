"""A mixed load that goes on: nothing fails, and the server does not grow.

`make chaos` lets it run for thirty minutes; `REMANENT_SOAK_SECONDS` gives another time, for a check or a longer one.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.chaos.support.counts import FULL, SEED, times
from tests.chaos.support.places import fast_folder
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import says

pytestmark = pytest.mark.chaos

SECONDS = float(os.environ.get("REMANENT_SOAK_SECONDS", "1800" if FULL else "0"))
LEAST_ROUNDS = times(2, full=4)
"""Of each client, however short the time is."""
CLIENTS = times(2, full=6)
SESSIONS = 12
"""Of each agent at the same time: the oldest is erased for each new one, so that what is kept does not grow."""
LONG_ENOUGH = 240.0
"""Seconds from which on the slope of memory says something."""
MOST_SLOPE = 1.0
"""Megabytes a minute."""

TOPICS = ("Lisbon", "the ferry", "王芳", "发布日期", "the budget", "Crane 7", "杭州", "the garden")
QUESTIONS = [
    f"{what} {topic}?" for what in ("where is", "who has", "什么时候", "why", "how much is") for topic in TOPICS
]


@contextmanager
def served(home: Path, upstream: str) -> Iterator[str]:
    environment = {
        **os.environ,
        "REMANENT_EMBEDDER": "multilingual",
        "REMANENT_SERVER__RATE": "0",
        "REMANENT_PROXY__BASE_URL": upstream,
    }
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["url"])
        finally:
            server.terminate()


@dataclass
class Load:
    """Clients of every sort, and what they were answered."""

    http: httpx2.AsyncClient
    answers: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)
    """Minutes since the beginning, and megabytes."""

    async def ask(self, what: str, method: str, path: str, **sent: Any) -> Any:
        answer = await self.http.request(method, path, **sent)
        assert answer.status_code < 500, f"{what}: {answer.status_code} {answer.text}"
        self.answers[f"{what} {answer.status_code}"] += 1
        return answer

    async def round(self, agent: str, number: int, rng: random.Random) -> None:
        """Do a bit of everything, and erase what was said some rounds ago."""
        at = f"/v1/orgs/soak/workspaces/lab/agents/{agent}"
        topic, session = rng.choice(TOPICS), f"s{number}"
        said = [f"In round {number} {topic} was item {item} of {agent}." for item in range(4)]
        keyed = {"idempotency-key": f"{agent}-{number}"}
        told = await self.ask(
            "remember", "POST", f"{at}/entries", json={"messages": said, "session": session}, headers=keyed
        )
        for _ in range(4):
            body = {"query": rng.choice(QUESTIONS), "limit": 5}
            await self.ask("recall", "POST", f"{at}/recall", json=body)
        await self.ask("entries", "GET", f"{at}/entries", params={"newest_first": True, "limit": 20})
        await self.ask("scratchpad", "POST", f"{at}/scratchpad", json={"key": "round", "value": f"{number}"})
        chat = {"model": "m", "messages": [{"role": "user", "content": f"{rng.choice(QUESTIONS)} {number}"}]}
        whose = {"x-remanent-org": "soak", "x-remanent-workspace": "lab", "x-remanent-agent": agent}
        whose["x-remanent-session"] = session
        await self.ask("chat", "POST", "/v1/chat/completions", json=chat, headers=whose)
        # Followed to its end: an export that something is written under is broken off, as it must be.
        run = await self.ask("settle", "POST", f"{at}/settle", json={})
        await self.ask("follow", "GET", f"/v1/orgs/soak/runs/{run.json()['run_id']}/events")
        if number % 25 == 0:
            await self.ask("export", "GET", f"{at}/export")
        record = told.json()["entry_ids"][0]
        for deed in ("forget", "restore"):
            await self.ask(deed, "POST", f"{at}/records/{record}/{deed}", json={})
        if number >= SESSIONS:
            await self.ask("erase", "POST", f"{at}/erase", json={"session": f"s{number - SESSIONS}"})

    async def client(self, agent: str, *, until: float) -> None:
        rng = random.Random(f"{SEED} {agent}")
        number = 0
        while number < LEAST_ROUNDS or time.monotonic() < until:
            await self.round(agent, number, rng)
            number += 1

    async def watch(self, begin: float, done: asyncio.Event) -> None:
        while not done.is_set():
            figures = (await self.http.get("/metrics")).text.splitlines()
            (line,) = [line for line in figures if line.startswith("remanent_resident_memory_bytes ")]
            self.memory.append(((time.monotonic() - begin) / 60, float(line.split()[1]) / 1e6))
            try:
                await asyncio.wait_for(done.wait(), max(SECONDS / 200, 0.5))
            except TimeoutError:
                continue


def slope(points: list[tuple[float, float]]) -> float:
    """The straight line through points, by least squares."""
    count = len(points)
    middle_x, middle_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


@asynccontextmanager
async def _load(home: Path) -> AsyncIterator[Load]:
    async with ScriptedServer(forever=says("Noted.")) as upstream:
        with served(home, upstream.base_url) as url:
            async with httpx2.AsyncClient(base_url=url, timeout=120) as http:
                yield Load(http)
        upstream.requests.clear()


async def test_a_server_under_a_mixed_load_answers_and_does_not_grow() -> None:
    with fast_folder() as folder:
        async with _load(folder / "home") as load:
            begin, done = time.monotonic(), asyncio.Event()
            watching = asyncio.create_task(load.watch(begin, done))
            try:
                async with asyncio.TaskGroup() as group:
                    for number in range(CLIENTS):
                        group.create_task(load.client(f"agent{number}", until=begin + SECONDS))
            finally:
                done.set()
                await watching
    # The first third fills caches and loads models.
    settled = [point for point in load.memory if point[0] >= load.memory[-1][0] / 3]
    grown = slope(settled)
    print(
        f"{sum(load.answers.values())} requests in {load.memory[-1][0]:.1f} min: {dict(sorted(load.answers.items()))}"
    )
    print(f"memory {load.memory[0][1]:.0f} to {load.memory[-1][1]:.0f} MB, {grown:+.2f} MB/min after the first third")
    print("course", " ".join(f"{megabytes:.0f}" for _, megabytes in load.memory[:: max(1, len(load.memory) // 20)]))
    refused = {what: count for what, count in load.answers.items() if not what.endswith((" 200", " 202"))}
    assert not refused
    if SECONDS >= LONG_ENOUGH:
        assert grown <= MOST_SLOPE


def test_the_slope_is_that_of_the_line() -> None:
    assert slope([(x / 10, 5 + 2 * x / 10) for x in range(30)]) == pytest.approx(2)
    assert slope([(1.0, 3.0)]) == 0
