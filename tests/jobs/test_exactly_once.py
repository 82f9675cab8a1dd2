"""Whatever befalls handlers, commits and processes: every effect happens once, and each lane keeps its order."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import StorageFull, StoreBusy, VersionConflict
from remanent.model import Entry, Job, Scope
from remanent.stores import EntryQuery, Transaction
from tests.folders import MEMORY
from tests.jobs.world import ADA, BOB, World

LANES = [(ADA, "main"), (ADA, "slow"), (BOB, "main")]
LEASE = 10.0
FATES = ("done", "done", "fails", "cancels itself", "lasts", "loses a race", "disk full", "answer lost")
EVENTS = ("time passes", "lease runs out", "stopped", "cut off", "killed", "killed", "renewals fail")
"""Each with a number: the seconds before it; for a kill, how many calls more reach the store."""


class Life:
    """A few jobs, and processes that come and go."""

    def __init__(self, world: World, fates: Sequence[str]) -> None:
        self.world = world
        self.fates = list(fates)
        self.begin()

    async def handle(self, job: Job, tx: Transaction) -> None:
        fate = self.fates.pop(0) if self.fates else "done"
        now = self.world.time.now
        entry = Entry(
            id=self.world.new_id(), scope=job.scope, text=job.lane, role=job.id, occurred_at=now, recorded_at=now
        )
        tx.append(entry)
        if fate == "fails":
            raise RuntimeError("no")
        if fate == "cancels itself":
            raise asyncio.CancelledError
        if fate == "lasts":
            await self.world.time.sleep(LEASE * 1.5)
        elif fate == "loses a race":
            self.world.faults["commit"].append(VersionConflict("somebody was faster"))
        elif fate == "disk full":
            self.world.faults["commit"].append(StorageFull("no room is left"))
        elif fate == "answer lost":
            self.world.late["commit"].append(StoreBusy("the answer was lost"))

    def begin(self) -> None:
        """Start a process."""
        self.store = self.world.open_store()
        self.worker = self.world.worker({"work": self.handle}, store=self.store, lease=LEASE)
        self.worker.watch(ADA)
        self.worker.watch(BOB)

    async def undergo(self, event: str, number: int) -> None:
        if event == "killed":
            self.world.calls_left[self.store] = number
        await self.world.pass_time(number)
        if event == "renewals fail":
            self.world.faults["renew"] = [StoreBusy("held")] * 9
        elif event == "lease runs out":
            await self.world.pass_time(LEASE + 1)
        elif event in {"stopped", "cut off"}:
            await self.world.until(self.worker.stop(drain=event == "stopped", timeout=3))
            self.begin()
        elif event == "killed":
            self.begin()


async def live(home: Path, plan: Sequence[int], fates: Sequence[str], events: Sequence[tuple[str, int]]) -> None:
    world = World(home)
    wanted: dict[tuple[Scope, str], list[str]] = {lane: [] for lane in LANES}
    for choice in plan:
        scope, lane = LANES[choice]
        wanted[scope, lane] += await world.enqueue(["work"], scope=scope, lane=lane, max_attempts=1000)
    life = Life(world, fates)
    for event, number in events:
        await life.undergo(event, number)
    life.fates.clear()
    world.faults.clear()
    world.late.clear()
    world.calls_left.setdefault(life.store, 0)
    life.begin()
    await world.until(life.worker.settle())
    for scope in (ADA, BOB):
        entries = await world.store.entries(scope, EntryQuery(limit=1000))
        for lane in (lane for owner, lane in LANES if owner == scope):
            assert [entry.role for entry in entries if entry.text == lane] == wanted[scope, lane]
        assert await world.jobs(scope) == []
    await world.close()


@pytest.mark.spec("ASSOC-03")
@settings(max_examples=30, deadline=None)
@given(
    plan=st.lists(st.integers(0, len(LANES) - 1), min_size=1, max_size=8),
    fates=st.lists(st.sampled_from(FATES), max_size=24),
    events=st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 12)), max_size=6),
)
def test_under_failures_cancellations_and_restarts_every_effect_happens_once_and_in_order(
    plan: list[int], fates: list[str], events: list[tuple[str, int]]
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as home:
        asyncio.run(live(Path(home), plan, fates, events))
