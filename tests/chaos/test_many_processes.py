"""Many processes write to one agent at once: all of it is there, and nobody hears of locks."""

import json
import os
from pathlib import Path

import pytest

from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.counts import times
from tests.chaos.support.crowd import SCOPE
from tests.chaos.support.places import fast_folder, run
from tests.chaos.support.units import Ledger, faults_of

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

PROCESSES = times(4, full=8)
WRITES = times(50, full=500)


async def test_many_processes_write_to_one_agent_and_nobody_hears_of_locks() -> None:
    with fast_folder() as folder:
        told = json.loads(run("crowd", folder, PROCESSES, WRITES))
        problems = [problem for one in told for problem in one["problems"]]
        assert not problems, problems[:10]
        acknowledged = {number for one in told for number in one["acknowledged"]}
        erased = {number for one in told for number in one["erased"]}
        assert len(acknowledged) == PROCESSES * WRITES
        assert erased
        assert sum(one["refused"] for one in told) == PROCESSES * WRITES // 10
        store = SqliteStore(folder)
        faults = await faults_of(store, SCOPE, Ledger(acknowledged, erased, erased), attempted=acknowledged)
        await store.close()
        assert not faults, faults[:10]
        print(f"{len(acknowledged)} units of work by {PROCESSES} processes, {told[-1]['looks']} looks meanwhile")


def test_no_plain_handle_touches_a_database_that_is_open(tmp_path: Path) -> None:
    assert json.loads(run("handles", tmp_path)) == []
