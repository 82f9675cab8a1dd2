"""kill -9 in a run of a stored bank: the next start finds no temporary file and goes on where the run was."""

import json
import os

import pytest

from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import run

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

ROUNDS = times(4, full=100)


@pytest.mark.spec("BANK-23", "BANK-28")
def test_a_killed_run_leaves_no_temporary_file_past_the_next_start_and_goes_on_where_it_was() -> None:
    report = json.loads(run("banker", ROUNDS, SEED))
    for outcome, count in sorted(report["outcomes"].items()):
        print(f"{count:4} {outcome}")
    expected = report["expected"]
    assert len(expected["texts"]) == 2, "the context and the upload were read"
    assert expected["conflicts"], "the two sources contradict each other"
    assert not report["problems"], f"seed {SEED}\n" + "\n".join(report["problems"][:20])
    assert any(outcome.startswith("killed") for outcome in report["outcomes"])
