"""Works on a disk that fills up: `… fulldisk <folder> <mount | limit> <store | facade | command>`.

With `mount` the folder becomes a small file system of its own (in a mount namespace that ends with the process); with
`limit` no file may grow beyond a size. Either is lifted half-way, and everything must go on in the same process.
"""

import asyncio
import os
import resource
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from remanent.errors import StorageFull
from remanent.memory import AsyncAgent, aopen
from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.units import Ledger, commit_unit, erase_unit, faults_of, read_contents, scope_of

SCOPE = scope_of("ada")
ROOM = 700_000
MOST_UNITS = 400


class Mounted:
    """A small file system of this process's own, nearly full of ballast."""

    SIZE = 8 * 1024 * 1024

    def __init__(self, folder: Path) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "tmpfs", str(folder)], check=True)
        self._ballast = folder / "ballast"
        self._ballast.write_bytes(bytes(self.SIZE - ROOM))

    def make_room(self) -> None:
        """Throw the ballast out."""
        self._ballast.unlink()

    def fill_up(self) -> None:
        """Leave not one byte."""
        with open(self._ballast, "wb", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(bytes(4096))


class Limited:
    """No file may grow beyond a size."""

    def __init__(self, _folder: Path) -> None:
        _, self._hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        self._limit(ROOM)

    def _limit(self, size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, self._hard))

    def make_room(self) -> None:
        """Lift the limit."""
        self._limit(self._hard)

    def fill_up(self) -> None:
        """Let no file grow at all."""
        self._limit(0)


Disk = Mounted | Limited


async def _refused(store: SqliteStore, number: int) -> bool:
    try:
        await commit_unit(store, SCOPE, number)
    except StorageFull:
        return True
    return False


async def _fill(store: SqliteStore, ledger: Ledger) -> int:
    """Write until there is no room, and return the unit that found none."""
    for number in range(MOST_UNITS):
        if await _refused(store, number):
            return number
        ledger.acknowledged.add(number)
    raise AssertionError("the disk never filled up")


async def _still_answers(store: SqliteStore, ledger: Ledger) -> None:
    wrong = ledger.faults(await read_contents(store, SCOPE), SCOPE, attempted=ledger.acknowledged)
    assert not wrong, f"with the disk full: {wrong}"


async def play_with_the_facade(home: Path, disk: Disk) -> None:
    """The same at the level of messages, with the background worker at work all the while."""
    async with aopen(home, embedder="none") as memory:
        agent = memory.agent("bea", workspace="lab", org="org")
        await agent.remember("The lighthouse keeper plays chess on Thursdays.")
        await memory.settle()
        said = await _fill_with_messages(agent)
        for _ in range(3):
            found = await agent.recall("Who plays chess?", limit=3)
            assert "lighthouse" in found.text, f"recall found {found.text!r}"
        assert len(await agent.entries(limit=10_000)) == said + 1
        disk.make_room()
        await agent.remember("The harbour master plays checkers on Fridays.")
        await memory.settle()
        assert "checkers" in (await agent.recall("Who plays checkers?", limit=3)).text
        assert len(await agent.entries(limit=10_000)) == said + 2
        assert not await agent.admin.dead_letters()
        assert not (await agent.admin.check()).problems
    print(f"{said} messages acknowledged")


async def _fill_with_messages(agent: AsyncAgent) -> int:
    for number in range(MOST_UNITS):
        try:
            await agent.remember(f"Message {number}: " + "sea gulls and salt water " * 200)
        except StorageFull:
            return number
    raise AssertionError("the disk never filled up")


async def play_with_the_command(home: Path, disk: Disk) -> None:
    """What was told and not yet indexed is found on a disk that is full to the last byte; then all goes on."""
    disk.make_room()
    _remanent(home, "remember", "The lighthouse keeper plays chess on Thursdays.")
    disk.fill_up()
    for _ in range(2):
        answered = _remanent(home, "recall", "Who plays chess?")
        assert "lighthouse" in answered.stdout, answered
        assert "No space is left" in answered.stderr, answered
    disk.make_room()
    answered = _remanent(home, "recall", "Who plays chess?")
    assert "lighthouse" in answered.stdout, answered
    assert not answered.stderr, answered
    print("acknowledged")


def _remanent(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "remanent", words[0], "--home", str(home), "-a", "ada", *words[1:]]
    settings = {**os.environ, "REMANENT_EMBEDDER": "none", "LC_ALL": "C.UTF-8"}
    return subprocess.run(line, env=settings, capture_output=True, text=True, check=True, timeout=300)


async def play(home: Path, disk: Disk) -> None:
    """Fill, read, be refused, make room, go on."""
    store, ledger = SqliteStore(home), Ledger()
    first_refused = await _fill(store, ledger)
    assert ledger.acknowledged, "there was no room for anything"
    for _ in range(3):
        await _still_answers(store, ledger)
        assert await _refused(store, first_refused), "a write went through on a full disk"
    # Another reader, with nothing opened yet.
    beside = SqliteStore(home)
    await _still_answers(beside, ledger)
    await beside.close()
    disk.make_room()
    for number in (first_refused, first_refused + 1):
        await commit_unit(store, SCOPE, number)
        ledger.acknowledged.add(number)
    await erase_unit(store, SCOPE, 0)
    ledger.erasing.add(0)
    ledger.erased.add(0)
    shutil.copytree(home, home.with_name("killed"))  # what a kill right now would leave
    wrong = await faults_of(store, SCOPE, ledger, attempted=ledger.acknowledged)
    await store.close()
    assert not wrong, f"after room was made: {wrong}"
    for start in (home, home.with_name("killed")):
        await _open_without_room(start, ledger, disk)
    print(f"{len(ledger.acknowledged)} units acknowledged, refused at {first_refused}")


async def _open_without_room(home: Path, ledger: Ledger, disk: Disk) -> None:
    """Begin on a disk that is full to the last byte, as every call of a command line does."""
    disk.fill_up()
    store = SqliteStore(home)
    await _still_answers(store, ledger)
    refused = max(ledger.acknowledged) + 1
    assert await _refused(store, refused)
    await _still_answers(store, ledger)
    disk.make_room()
    await commit_unit(store, SCOPE, refused)
    after = Ledger(ledger.acknowledged | {refused}, ledger.erasing, ledger.erased)
    wrong = await faults_of(store, SCOPE, after, attempted=after.acknowledged)
    await store.close()
    assert not wrong, f"begun without room: {wrong}"


if __name__ == "__main__":
    place = Path(sys.argv[1])
    made = Mounted(place) if sys.argv[2] == "mount" else Limited(place)
    plays = {"store": play, "facade": play_with_the_facade, "command": play_with_the_command}
    asyncio.run(plays[sys.argv[3]](place / "home", made))
