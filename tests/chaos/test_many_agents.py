"""One process serves any number of agents with the descriptors that it has."""

import json

import pytest

from tests.chaos.support.counts import FULL, times
from tests.chaos.support.places import fast_folder, run
from tests.descriptors import needs_proc

pytestmark = [pytest.mark.chaos, needs_proc]

AGENTS = times(300, full=10_000)
"""Several times what has room: of 256 descriptors 96 are for databases, each of which takes some."""


@pytest.mark.spec("USE-06")
def test_ten_thousand_agents_in_turn_are_served_with_256_descriptors() -> None:
    """Each is told something and asked for it; held ones, an export under way and the first are come back to."""
    with fast_folder() as folder:
        told = json.loads(run("many_agents", folder, AGENTS, "auto" if FULL else "none"))
    print(f"{AGENTS} agents: {told}")
    assert told["wrong"] == []
    assert told["peak"] < 256 * 3 // 4, "a quarter is for connections and whatever else the program opens"
    assert told["threads"] < 64
    assert told["left"] < 32
    assert told["exported"] > 0
    assert told["erased"] == 1
    assert not told["found after erasure"]
    assert told["unfinished"] == 0, "what was left to do for agents that were closed since is done"
