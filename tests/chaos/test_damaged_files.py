"""Damaged files: the right answer or a refusal, never a wrong answer, a crash, or a byte of the user's file changed."""

import json
import os

import pytest

from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import run

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

CASES = times(30, full=500)


def test_a_damaged_file_gives_right_answers_or_refuses_and_can_be_repaired() -> None:
    report = json.loads(run("damaged", CASES, SEED))
    for outcome, count in sorted(report["outcomes"].items()):
        print(f"{count:4} {outcome}")
    assert not report["problems"], f"seed {SEED}\n" + "\n".join(report["problems"][:20])
    assert sum(report["outcomes"].values()) == CASES
