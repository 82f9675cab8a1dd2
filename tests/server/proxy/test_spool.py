import fcntl
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent.context import spool as waiting
from remanent.context.spool import REFUSED, SpoolFolder
from remanent.errors import DuplicateEntry, StoreBusy
from remanent.model import Message, Scope, id_source
from remanent.server.proxy.memory import ChatTurn, Spool
from tests.power import Disk

ADA, BOB = (Scope(org="o", workspace="w", agent=name, session="s") for name in ("ada", "bob"))


def turn(scope: Scope, text: str) -> ChatTurn:
    said_at = datetime(2026, 3, 1, tzinfo=UTC)
    return ChatTurn(scope=scope, messages=(Message(content=text, id=text, occurred_at=said_at),))


class Memory:
    """Takes turns, or fails as told."""

    def __init__(self) -> None:
        self.taken: list[ChatTurn] = []
        self.faults: dict[Scope, Exception] = {}

    async def __call__(self, given: ChatTurn) -> None:
        if fault := self.faults.get(given.scope):
            raise fault
        self.taken.append(given)


async def test_turns_come_out_as_they_went_in_and_in_their_order(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path / "deep" / "spool", new_id=id_source()), Memory()
    turns = [turn(ADA, "one"), turn(BOB, "二"), turn(ADA, "three")]
    for one in turns:
        await spool.put(one)
    assert spool.count() == 3
    # Another process reads the same folder.
    assert (await Spool(tmp_path / "deep" / "spool", new_id=id_source()).drain(memory)).stored == 3
    assert memory.taken == turns
    assert spool.count() == 0
    assert (await spool.drain(memory)).stored == 0


async def test_an_agent_that_fails_keeps_its_order_and_holds_up_no_other(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path, new_id=id_source()), Memory()
    for one in (turn(ADA, "one"), turn(BOB, "two"), turn(ADA, "three")):
        await spool.put(one)
    memory.faults[ADA] = StoreBusy("later")
    assert (await spool.drain(memory)).waiting == 2
    assert memory.taken == [turn(BOB, "two")]
    memory.faults.clear()
    assert (await spool.drain(memory)).waiting == 0
    assert memory.taken[1:] == [turn(ADA, "one"), turn(ADA, "three")]


async def test_what_memory_will_never_take_is_set_aside_and_not_deleted(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path, new_id=id_source()), Memory()
    await spool.put(turn(ADA, "one"))
    await spool.put(turn(BOB, "two"))
    (tmp_path / "torn.json").write_text('{"scope": ')
    memory.faults[ADA] = DuplicateEntry("taken")
    assert (await spool.drain(memory)).waiting == 0
    assert memory.taken == [turn(BOB, "two")]
    aside = sorted((tmp_path / REFUSED).iterdir())
    assert [file.name == "torn.json" for file in aside] == [False, True]
    assert json.loads(aside[0].read_text())["messages"][0]["content"] == "one"


@pytest.mark.spec("SAFE-06")
async def test_the_order_is_that_of_coming_whatever_the_clock_says(tmp_path: Path) -> None:
    turns = [turn(ADA, f"{number}") for number in range(12)]
    for place, one in enumerate(turns):
        # A process of its own each time, on a machine whose clock is set back every time.
        clock = datetime(2026, 3, 1, 12, 60 - 4 * place - 1, tzinfo=UTC)
        await Spool(tmp_path, new_id=id_source(lambda clock=clock: clock, seed=place)).put(one)  # type: ignore[misc]
    memory = Memory()
    await Spool(tmp_path, new_id=id_source()).drain(memory)
    assert memory.taken == turns


@pytest.mark.spec("SAFE-06")
async def test_what_waits_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    spool = Spool(disk.root / "deep" / "spool", new_id=id_source())
    for number in range(2):
        await spool.put(turn(ADA, f"{number}"))
        memory = Memory()
        left = disk.image(tmp_path / f"after-{number}")
        await Spool(left / "deep" / "spool", new_id=id_source()).drain(memory)
        assert [one.messages[0].content for one in memory.taken] == [f"{count}" for count in range(number + 1)]


@pytest.mark.spec("SAFE-06")
async def test_what_was_stored_or_erased_does_not_come_back_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / "spool"
    spool, memory = Spool(folder, new_id=id_source()), Memory()
    await spool.put(turn(ADA, "stored"))
    disk = Disk(tmp_path / "home", monkeypatch)
    await spool.drain(memory)
    assert Spool(disk.image(tmp_path / "one") / "spool", new_id=id_source()).count() == 0
    for scope in (ADA, BOB):
        await spool.put(turn(scope, "erased"))
    memory.faults[ADA] = DuplicateEntry("taken")
    memory.faults[BOB] = StoreBusy("later")
    await spool.drain(memory)
    for scope in (ADA, BOB):
        assert SpoolFolder(folder).erase(scope, everything=True) == 1
    left = disk.image(tmp_path / "two")
    assert not SpoolFolder(left / "spool").has_any()


@pytest.mark.spec("SAFE-06")
async def test_what_is_set_aside_is_never_in_no_place_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    folder = disk.root / "spool"
    spool, memory = Spool(folder, new_id=id_source()), Memory()
    await spool.put(turn(ADA, "one"))
    memory.faults[ADA] = DuplicateEntry("taken")
    before = len(disk.syncs)
    await spool.drain(memory)
    left = disk.image(tmp_path / "after") / "spool"
    (aside,) = (left / REFUSED).iterdir()
    assert b"one" in aside.read_bytes()
    assert SpoolFolder(left).files() == []
    assert disk.syncs[before:][-2:] == [folder / REFUSED, folder]


def can_lock(folder: Path, how: int) -> bool:
    """Tell whether another process could take the folder's lock in this way now."""
    with (folder / ".lock").open("a") as lock:
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.spec("SAFE-06")
async def test_nobody_erases_while_a_turn_goes_from_the_folder_to_memory(tmp_path: Path) -> None:
    """Else it would be stored after the erasure that was to take it, and stay."""
    spool, seen = Spool(tmp_path, new_id=id_source()), list[tuple[bool, bool]]()
    await spool.put(turn(ADA, "one"))

    async def look(_: ChatTurn) -> None:
        seen.append((can_lock(tmp_path, fcntl.LOCK_EX), can_lock(tmp_path, fcntl.LOCK_SH)))

    await spool.drain(look)
    assert seen == [(False, True)], "others may store meanwhile, nobody may erase"
    assert can_lock(tmp_path, fcntl.LOCK_EX)


@pytest.mark.spec("SAFE-06")
async def test_nobody_stores_a_turn_while_turns_are_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await Spool(tmp_path, new_id=id_source()).put(turn(ADA, "one"))
    seen: list[bool] = []
    monkeypatch.setattr(waiting, "sync_folder", lambda folder: seen.append(can_lock(folder, fcntl.LOCK_SH)))
    assert SpoolFolder(tmp_path).erase(ADA, everything=True) == 1
    assert seen == [False]
