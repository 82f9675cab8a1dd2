"""The wall clock is set back or forward while a memory is used: nothing is lost, and order is the journal's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remanent import aopen
from remanent.model import Status

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
YEAR = timedelta(days=365)
JUMPS = [pytest.param(-YEAR, id="back"), pytest.param(YEAR, id="forward")]


class Wall:
    """A clock that goes on by a second at each look, and can be set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def jump(self, by: timedelta) -> None:
        self.now += by


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.mark.parametrize("by", JUMPS)
async def test_what_was_said_keeps_its_order_and_is_found_when_the_clock_jumps_between_two_messages(
    tmp_path: Path, wall: Wall, by: timedelta
) -> None:
    async with aopen(tmp_path, embedder="none", clock=wall) as memory:
        ada = memory.agent("ada")
        await ada.remember("The first boat is red.")
        wall.jump(by)
        await ada.remember("The second boat is green.")
        wall.jump(-by)
        await ada.remember("The third boat is blue.")
        await memory.settle()
        assert [entry.text.split()[1] for entry in await ada.entries()] == ["first", "second", "third"]
        found = await ada.recall("Which boats are there?", limit=10)
        assert {item.text.split()[1] for item in found.items} == {"first", "second", "third"}
        assert not found.left_out


@pytest.mark.parametrize("by", JUMPS)
async def test_work_that_waited_is_done_after_a_jump_while_nothing_ran(
    tmp_path: Path, wall: Wall, by: timedelta
) -> None:
    async with aopen(tmp_path, embedder="none", clock=wall, jobs={"drain_timeout": 0.001}) as memory:
        for number in range(20):
            await memory.agent("ada").remember(f"Boat number {number} is at sea.")
    wall.jump(by)
    async with aopen(tmp_path, embedder="none", clock=wall) as memory:
        ada = memory.agent("ada")
        await ada.remember("The harbour is full.")
        await memory.settle(timeout=60)
        assert (await ada.admin.queue()).dead == 0
        assert len(await ada.records(limit=100)) == 21
        assert len(await ada.entries(limit=100)) == 21


@pytest.mark.parametrize("by", JUMPS)
async def test_forgetting_restoring_and_erasing_hold_across_a_jump(tmp_path: Path, wall: Wall, by: timedelta) -> None:
    async with aopen(tmp_path, embedder="none", clock=wall) as memory:
        ada = memory.agent("ada")
        kept = await ada.remember("The lighthouse blinks twice.")
        gone = await ada.remember("The password is swordfish.")
        await memory.settle()
        record_id = kept.entry_ids[0]
        await ada.forget(record_id)
        wall.jump(by)
        restored = await ada.restore(record_id)
        assert (restored.status, restored.version) == (Status.ACTIVE, 3)
        assert [version.record.version for version in await ada.history(record_id)] == [1, 2, 3]
        await ada.erase(entry_ids=gone.entry_ids)
    wall.jump(-by)
    async with aopen(tmp_path, embedder="none", clock=wall) as memory:
        ada = memory.agent("ada")
        assert "swordfish" not in (await ada.recall("password")).text
        assert [item.text for item in (await ada.recall("lighthouse")).items] == ["The lighthouse blinks twice."]
