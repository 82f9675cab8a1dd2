from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.associative.world import MemoryWorld

Make = Callable[..., MemoryWorld]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Make worlds with settings of their own, each in a home of its own."""
    made: list[MemoryWorld] = []

    def one(**settings: Any) -> MemoryWorld:
        made.append(MemoryWorld(tmp_path / str(len(made)), **settings))
        return made[-1]

    yield one
    for world in made:
        await world.close()


@pytest.fixture
def world(make: Make) -> MemoryWorld:
    return make()
