"""The Nth call to the operating system fails: a clean error, nothing falsely acknowledged, and life goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.support.counts import SEED, times
from tests.chaos.support.faulty import OPERATIONS
from tests.chaos.support.places import run

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the tap knows the tables of the unix VFS"),
]

ATTEMPTS = times(4, full=1_000_000)
"""Of each manner of failing: a few chosen calls in an ordinary run, every one in a full run."""


@pytest.fixture(scope="module")
def reports() -> dict[str, Any]:
    """What became of each operation."""
    return dict(json.loads(run("faulty", ATTEMPTS, SEED)))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_failing_call_gives_a_clean_error_and_harms_nothing(operation: str, reports: dict[str, Any]) -> None:
    for report in reports[operation]:
        print(f"{operation}, {report['manner']}: {report['tried']} of {report['calls']} calls failed")
        assert not report["problems"], f"seed {SEED}\n" + "\n".join(report["problems"][:20])
