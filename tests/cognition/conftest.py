"""A memory with a clock that is set by hand."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent import Agent
from remanent import open as open_memory
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.stores.conformance.base import SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 1, 5, 12, tzinfo=UTC))


@pytest.fixture
async def memory(tmp_path: Path, clock: SetClock) -> AsyncIterator[AsyncMemory]:
    async with aopen(tmp_path / "home", embedder="none", clock=clock, recall={"path_timeout": 60}) as opened:
        yield opened


@pytest.fixture
def ada(memory: AsyncMemory) -> AsyncAgent:
    return memory.agent("ada")


@contextmanager
def told(home: Path, *texts: str | Sequence[dict[str, str]], embedder: str = "none") -> Iterator[Agent]:
    """An agent that was told texts, or lists of messages, one after the other, and has learned from all of them."""
    with open_memory(home, embedder=embedder) as memory:
        agent = memory.agent("x")
        for text in texts:
            agent.remember(text)
        memory.settle()
        yield agent
