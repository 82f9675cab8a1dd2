from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.memory import aopen
from remanent.operations import Service


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    """Operations over a fresh memory that searches by words only."""
    async with aopen(tmp_path / "home", embedder="none") as memory, Service(memory) as service:
        yield service
