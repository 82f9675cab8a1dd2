"""An erasure that is killed in the middle is carried to its end by whoever opens the memory next: no byte is left."""

import json
import os
from typing import Any

import pytest

from tests.chaos.support.counts import SEED, times
from tests.chaos.support.erasable import ERASED
from tests.chaos.support.places import fast_folder, run

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

CUTS = times(6, full=1_000)
"""At how many of an erasure's steps it is killed at the most."""


@pytest.fixture(scope="module")
def reports() -> dict[str, Any]:
    """What became of the erasures; each was carried out on copies of one home."""
    with fast_folder() as folder:
        return dict(json.loads(run("erasable", folder, CUTS)))


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("what", ERASED)
def test_nothing_is_left_live_after_stop_and_after_a_kill_at_any_step(what: str, reports: dict[str, Any]) -> None:
    report = reports[what]
    print(f"{what}: killed at {report['killed']} of {report['steps']} steps")
    assert not report["problems"], f"seed {SEED}\n" + "\n".join(report["problems"][:20])
    assert report["killed"] >= min(CUTS, 10, report["steps"]) - 1
