"""An erasure that is killed in the middle is carried to its end by whoever opens the memory next: no byte is left."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder, run

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

CUTS = times(6, full=1_000)
"""At how many of an erasure's steps it is killed at the most."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A home that every erasure begins with; each is carried out on copies of it."""
    with fast_folder() as folder:
        run("erasable", folder, "fill", 0)
        yield folder


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("what", ["entry", "session", "agent", "document"])
def test_nothing_is_left_live_after_stop_and_after_a_kill_at_any_step(what: str, folder: Path) -> None:
    report = json.loads(run("erasable", folder, what, CUTS))
    print(f"{what}: killed at {report['killed']} of {report['steps']} steps")
    assert not report["problems"], f"seed {SEED}\n" + "\n".join(report["problems"][:20])
    assert report["killed"] >= min(CUTS, 10, report["steps"]) - 1
