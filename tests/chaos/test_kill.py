"""kill -9 at random moments: what was acknowledged is there, nothing is half there, every page is sound."""

import os
import random
import shutil
import signal
import threading
from pathlib import Path

import pytest

from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder
from tests.chaos.support.units import Ledger, faults_of, scope_of
from tests.chaos.support.writers import Order, Writers, writers

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

ROUNDS = times(15, full=1000)
ROUNDS_PER_AGENT = 25
LONGEST_LIFE = 0.15


async def test_a_killed_writer_loses_nothing_that_was_acknowledged() -> None:
    rng = random.Random(SEED)
    ledger, begun, written = Ledger(), set[int](), 0
    with fast_folder() as folder, writers() as server:
        home = folder / "home"
        home.mkdir()
        for number in range(ROUNDS):
            agent = f"agent{number // ROUNDS_PER_AGENT}"
            if number % ROUNDS_PER_AGENT == 0:
                ledger, begun = Ledger(), set()
            before = len(ledger.acknowledged)
            order = Order(str(home), agent, first=max(begun, default=-1) + 1, seed=rng.randrange(1 << 30), erase=True)
            life = rng.random() ** 2 * LONGEST_LIFE
            _let_live_for(server, order, life, ledger, begun, is_patient=number % 3 == 0)
            faults = await _faults_of_a_copy(home, folder / "copy", agent, ledger, begun)
            assert not faults, f"seed {SEED}, round {number}: {faults}"
            written += len(ledger.acknowledged) - before
    assert written, "no writer lived long enough to write anything"
    print(f"{ROUNDS} kills, {written} units of work acknowledged, none lost")


def _let_live_for(
    server: Writers, order: Order, seconds: float, ledger: Ledger, begun: set[int], *, is_patient: bool
) -> None:
    """Kill a writer after a while; a patient killer counts from the first acknowledged unit: machines are busy."""
    process_id = server.start(order)
    killer = threading.Timer(seconds, os.kill, (process_id, signal.SIGKILL))
    if not is_patient:
        killer.start()
    status = server.listen(ledger, begun, at_first_acknowledged=killer.start if is_patient else None)
    killer.join()
    assert os.WIFSIGNALED(status), f"the writer ended by itself with status {status}"


async def _faults_of_a_copy(home: Path, copy: Path, agent: str, ledger: Ledger, begun: set[int]) -> list[str]:
    """Look at a copy, so that the next writer finds the files as the kill left them."""
    shutil.copytree(home, copy)
    store = SqliteStore(copy)
    try:
        if not ledger.acknowledged and not (copy / "org/lab" / agent / "memory.db").exists():
            return []
        return await faults_of(store, scope_of(agent), ledger, attempted=begun)
    finally:
        await store.close()
        shutil.rmtree(copy)
