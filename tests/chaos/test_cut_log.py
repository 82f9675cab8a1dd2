"""A write-ahead log that was cut at the border of any frame: what was acknowledged before the cut is there, whole."""

import shutil
from pathlib import Path

import pytest

from remanent.errors import IntegrityError
from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.counts import FULL
from tests.chaos.support.places import fast_folder
from tests.chaos.support.units import Ledger, commit_unit, faults_of, read_contents, scope_of

pytestmark = pytest.mark.chaos

ADA = scope_of("ada")
UNITS = 12
LOG_HEADER, FRAME = 32, 24 + 4096
EVERY = 1 if FULL else 9
"""Of how many borders one is cut at; those at which something was acknowledged are cut at in any case."""


async def write_units(home: Path) -> list[int]:
    """Write units of work, and keep the files as a crash would leave them; return the log's length after each."""
    store = SqliteStore(home / "live")
    try:
        await commit_unit(store, ADA, 0)
        log = store.folder(ADA) / "memory.db-wal"
        lengths = [log.stat().st_size]
        for number in range(1, UNITS):
            await commit_unit(store, ADA, number)
            lengths.append(log.stat().st_size)
        shutil.copytree(home / "live", home / "crashed")
    finally:
        await store.close()
    assert lengths == sorted(set(lengths)), "the log was not moved on the way"
    assert (lengths[-1] - LOG_HEADER) % FRAME == 0
    return lengths


def borders(lengths: list[int]) -> list[int]:
    """Return the lengths to cut the log to."""
    every = range(LOG_HEADER, lengths[-1], FRAME)
    return sorted({*every[::EVERY], *lengths[:-1], *(length - FRAME for length in lengths)})


def cut(home: Path, length: int, *, with_index: bool) -> Path:
    """Make a home whose log was cut, with the index that vouches for it or without."""
    shutil.rmtree(home / "cut", ignore_errors=True)
    shutil.copytree(home / "crashed", home / "cut")
    folder = SqliteStore(home / "cut").folder(ADA)
    with open(folder / "memory.db-wal", "rb+") as log:
        log.truncate(length)
    if not with_index:
        (folder / "memory.db-shm").unlink()
    return folder


@pytest.mark.spec("SAFE-06")
async def test_a_cut_log_is_named_and_nothing_before_the_cut_is_lost_in_the_repair() -> None:
    """While the index beside it tells how long it was: nothing is answered from half, and no byte is changed."""
    with fast_folder() as home:
        lengths = await write_units(home)
        for length in borders(lengths):
            folder = cut(home, length, with_index=True)
            before = {path.name: path.read_bytes() for path in folder.iterdir()}
            store = SqliteStore(home / "cut")
            try:
                [problem] = (await store.check(ADA)).problems
                assert "write-ahead log" in problem
                with pytest.raises(IntegrityError):
                    await read_contents(store, ADA)
                repaired = await store.repair(ADA)
            finally:
                await store.close()
            assert {name: (folder / name).read_bytes() for name in before} == before
            repaired.rename(folder / "memory.db")
            for name in ("memory.db-wal", "memory.db-shm"):
                (folder / name).unlink()
            await _holds_what_was_acknowledged(home / "cut", lengths, length)


@pytest.mark.spec("SAFE-06")
async def test_a_log_cut_without_a_trace_gives_what_was_acknowledged_before_the_cut() -> None:
    """As after a power cut, which leaves no index: all up to the cut is there, and nothing of what was cut in two."""
    with fast_folder() as home:
        lengths = await write_units(home)
        for length in borders(lengths):
            cut(home, length, with_index=False)
            await _holds_what_was_acknowledged(home / "cut", lengths, length)


async def _holds_what_was_acknowledged(home: Path, lengths: list[int], length: int) -> None:
    kept = [number for number, end in enumerate(lengths) if end <= length]
    store = SqliteStore(home)
    try:
        faults = await faults_of(store, ADA, Ledger(acknowledged=set(kept)), attempted=kept)
    finally:
        await store.close()
    assert not faults, f"cut to {length} of {lengths[-1]}: {faults}"
