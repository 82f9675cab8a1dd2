"""A memory with a clock that is set by hand."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

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
