"""Serves many agents with few descriptors: `python -m tests.chaos.support.many_agents <home> <agents> <embedder>`.

Remembers and recalls for one agent after another under a limit of 256, keeps the handles of some, leaves work behind
on all of them, and comes back to the first. Prints what it found as JSON.
"""

import asyncio
import json
import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any

import remanent

LIMIT = 256
HELD = 20


def descriptors() -> int:
    """Return how many descriptors this process has open, the one that looks left aside."""
    return len(os.listdir("/proc/self/fd")) - 1


class Visitor:
    """Goes from agent to agent and notes what is wrong."""

    def __init__(self, memory: remanent.AsyncMemory) -> None:
        self.memory = memory
        self.wrong: list[int] = []
        self.peak = 0
        self.threads = 0

    async def first(self, number: int) -> remanent.AsyncAgent:
        """Tell an agent something and ask for it."""
        agent = self.memory.agent(f"agent{number}")
        await agent.remember(f"The garden of number {number} has {number} roses.")
        await self.again(agent, number)
        return agent

    async def again(self, agent: remanent.AsyncAgent, number: int) -> None:
        """Ask an agent that was told something before."""
        found = await agent.recall("How many roses are in the garden?")
        if f"has {number} roses" not in found.text:
            self.wrong.append(number)
        self.peak = max(self.peak, descriptors())
        self.threads = max(self.threads, threading.active_count())


async def visit(home: Path, agents: int, embedder: str) -> dict[str, Any]:
    """Return what was seen on the way."""
    begun = time.perf_counter()
    async with remanent.aopen(home, embedder=embedder) as memory:
        visitor = Visitor(memory)
        held = []
        for number in range(agents):
            agent = await visitor.first(number)
            if number < HELD:
                held.append(agent)
        export = held[0].export()
        lines = [await anext(export)]
        await asyncio.gather(*(visitor.again(agent, number) for number, agent in enumerate(held)))
        # In the middle of an export, and with its agent closed since.
        lines += [line async for line in export]
        for number in range(0, agents, max(1, agents // 50)):
            await visitor.again(memory.agent(f"agent{number}"), number)
        erased = await memory.agent("agent1").erase(everything=True)
        await memory.settle()
        states = await memory.backlog(limit=agents)
        gone = b"1 roses" in b"".join(
            path.read_bytes() for path in (home / "default/default/agent1").glob("memory.db*")
        )
    return {
        "wrong": visitor.wrong,
        "peak": visitor.peak,
        "threads": visitor.threads,
        "left": descriptors(),
        "exported": sum('"roses' in line or "roses" in line for line in lines),
        "erased": len(erased.entry_ids),
        "found after erasure": gone,
        "unfinished": sum(state.pending + state.running for state in states),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "seconds": round(time.perf_counter() - begun, 1),
        "cpu seconds": round(time.process_time(), 1),
    }


def main(home: Path, agents: int, embedder: str) -> None:
    """Run under the limit."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    print(json.dumps(asyncio.run(visit(home, agents, embedder))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
