from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.jobs.script import Script
from tests.jobs.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.close()


@pytest.fixture
def script(world: World) -> Script:
    return Script(world)
