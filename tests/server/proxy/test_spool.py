import fcntl
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent.context.spool import FOLDER, LOCK, REFUSED, WaitingTurns
from remanent.errors import DuplicateEntry, StoreBusy
from remanent.model import Message, Scope, id_source
from remanent.server.proxy.memory import ChatTurn, Spool
from remanent.stores.shelf import FolderShelf
from tests.power import Disk

ADA, BOB = (Scope(org="o", workspace="w", agent=name, session="s") for name in ("ada", "bob"))


def turn(scope: Scope, text: str) -> ChatTurn:
    said_at = datetime(2026, 3, 1, tzinfo=UTC)
    return ChatTurn(scope=scope, messages=(Message(content=text, id=text, occurred_at=said_at),))


def waiting(home: Path) -> WaitingTurns:
    return WaitingTurns(FolderShelf(home), home)


def spool_of(home: Path) -> Spool:
    return Spool(waiting(home), new_id=id_source())


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
    spool, memory = spool_of(tmp_path / "deep"), Memory()
    turns = [turn(ADA, "one"), turn(BOB, "二"), turn(ADA, "three")]
    for one in turns:
        await spool.put(one)
    assert spool.count() == 3
    # Another process reads the same folder.
    assert (await spool_of(tmp_path / "deep").drain(memory)).stored == 3
    assert memory.taken == turns
    assert spool.count() == 0
    assert (await spool.drain(memory)).stored == 0


async def test_an_agent_that_fails_keeps_its_order_and_holds_up_no_other(tmp_path: Path) -> None:
    spool, memory = spool_of(tmp_path), Memory()
    for one in (turn(ADA, "one"), turn(BOB, "two"), turn(ADA, "three")):
        await spool.put(one)
    memory.faults[ADA] = StoreBusy("later")
    assert (await spool.drain(memory)).waiting == 2
    assert memory.taken == [turn(BOB, "two")]
    memory.faults.clear()
    assert (await spool.drain(memory)).waiting == 0
    assert memory.taken[1:] == [turn(ADA, "one"), turn(ADA, "three")]


async def test_what_memory_will_never_take_is_set_aside_and_not_deleted(tmp_path: Path) -> None:
    spool, memory = spool_of(tmp_path), Memory()
    await spool.put(turn(ADA, "one"))
    await spool.put(turn(BOB, "two"))
    (tmp_path / FOLDER / "torn.json").write_text('{"scope": ')
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
        ids = id_source(lambda clock=clock: clock, seed=place)  # type: ignore[misc]
        await Spool(waiting(tmp_path), new_id=ids).put(one)
    memory = Memory()
    await spool_of(tmp_path).drain(memory)
    assert memory.taken == turns


@pytest.mark.spec("SAFE-06")
async def test_what_waits_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    spool = spool_of(disk.root / "deep")
    for number in range(2):
        await spool.put(turn(ADA, f"{number}"))
        memory = Memory()
        left = disk.image(tmp_path / f"after-{number}")
        await spool_of(left / "deep").drain(memory)
        assert [one.messages[0].content for one in memory.taken] == [f"{count}" for count in range(number + 1)]


@pytest.mark.spec("SAFE-06")
async def test_what_was_stored_or_erased_does_not_come_back_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    spool, memory = spool_of(home), Memory()
    await spool.put(turn(ADA, "stored"))
    disk = Disk(home, monkeypatch)
    await spool.drain(memory)
    assert spool_of(disk.image(tmp_path / "one")).count() == 0
    for scope in (ADA, BOB):
        await spool.put(turn(scope, "erased"))
    memory.faults[ADA] = DuplicateEntry("taken")
    memory.faults[BOB] = StoreBusy("later")
    await spool.drain(memory)
    for scope in (ADA, BOB):
        assert waiting(home).erase(scope, everything=True) == 1
    left = disk.image(tmp_path / "two")
    assert not [*FolderShelf(left).names(FOLDER), *FolderShelf(left).names(REFUSED)]


@pytest.mark.spec("SAFE-06")
async def test_what_is_set_aside_is_never_in_no_place_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    spool, memory = spool_of(disk.root), Memory()
    await spool.put(turn(ADA, "one"))
    memory.faults[ADA] = DuplicateEntry("taken")
    before = len(disk.syncs)
    await spool.drain(memory)
    left = disk.image(tmp_path / "after")
    (aside,) = (left / REFUSED).iterdir()
    assert b"one" in aside.read_bytes()
    assert waiting(left).all() == []
    assert disk.syncs[before:][-2:] == [disk.root / REFUSED, disk.root / FOLDER]


def can_lock(home: Path, how: int) -> bool:
    """Tell whether another process could take the lock of what waits in this way now."""
    with (home / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.spec("SAFE-06")
async def test_nobody_erases_while_a_turn_goes_from_the_folder_to_memory(tmp_path: Path) -> None:
    """Else it would be stored after the erasure that was to take it, and stay."""
    spool, seen = spool_of(tmp_path), list[tuple[bool, bool]]()
    await spool.put(turn(ADA, "one"))

    async def look(_: ChatTurn) -> None:
        seen.append((can_lock(tmp_path, fcntl.LOCK_EX), can_lock(tmp_path, fcntl.LOCK_SH)))

    await spool.drain(look)
    assert seen == [(False, True)], "others may store meanwhile, nobody may erase"
    assert can_lock(tmp_path, fcntl.LOCK_EX)


@pytest.mark.spec("SAFE-06")
async def test_nobody_stores_a_turn_while_turns_are_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await spool_of(tmp_path).put(turn(ADA, "one"))
    seen: list[bool] = []
    gone = FolderShelf.remove

    def look(self: FolderShelf, name: str) -> None:
        gone(self, name)
        seen.append(can_lock(tmp_path, fcntl.LOCK_SH))

    monkeypatch.setattr(FolderShelf, "remove", look)
    assert waiting(tmp_path).erase(ADA, everything=True) == 1
    assert seen == [False]


class Shared(FolderShelf):
    """Stands for a shelf in a database that can be away."""

    is_shared = True
    is_away = False

    def names(self, folder: str) -> list[str]:
        if self.is_away:
            raise StoreBusy("away")
        return super().names(folder)


@pytest.mark.spec("SAFE-06")
async def test_while_the_database_is_away_turns_wait_on_the_machine_and_keep_their_order(tmp_path: Path) -> None:
    shelf, home = Shared(tmp_path / "database"), tmp_path / "home"
    spool, memory = Spool(WaitingTurns(shelf, home), new_id=id_source()), Memory()
    await spool.put(turn(ADA, "one"))
    assert not (home / FOLDER).exists(), "what the database takes lies there alone, for every server to see"
    shelf.is_away = True
    await spool.put(turn(ADA, "two"))
    with pytest.raises(StoreBusy):
        await spool.holds(ADA.owner)
    shelf.is_away = False
    assert await spool.holds(ADA.owner)
    await spool.put(turn(ADA, "three"))
    assert (await spool.drain(memory)).stored == 3
    assert memory.taken == [turn(ADA, "one"), turn(ADA, "two"), turn(ADA, "three")]
    shelf.is_away = True
    await spool.put(turn(ADA, "erased"))
    shelf.is_away = False
    assert WaitingTurns(shelf, home).erase(ADA, everything=True) == 1
    assert spool.count() == 0
