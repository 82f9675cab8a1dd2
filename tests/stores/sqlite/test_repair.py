"""Repair: all that can be read is in the copy, the damaged files stay as they are, a note tells the loss."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from remanent.errors import IntegrityError
from remanent.stores import EntryQuery
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import connect
from tests.chaos.support.units import Contents, commit_unit, read_contents, scope_of, state_of

ADA = scope_of("ada")
PLACE = Path("org/lab/ada")
UNITS = range(25)
PAGE = 4096


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home as a kill leaves it, most of it still in the log."""
    store = SqliteStore(tmp_path / "live")
    for number in UNITS[:12]:
        await commit_unit(store, ADA, number)
    await store.close()
    store = SqliteStore(tmp_path / "live")
    for number in UNITS[12:]:
        await commit_unit(store, ADA, number)
    shutil.copytree(tmp_path / "live", tmp_path / "home")
    await store.close()
    shutil.rmtree(tmp_path / "live")
    return tmp_path / "home"


async def _close_cleanly(home: Path) -> None:
    store = SqliteStore(home)
    await store.entries(ADA, EntryQuery(limit=1))
    await store.close()


def _change(path: Path, change: Callable[[bytearray], None]) -> None:
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)


async def _repaired(home: Path) -> tuple[Contents, str, list[str]]:
    """Repair; return what the copy holds, the note, and what a check of the copy finds."""
    before = {path.name: path.read_bytes() for path in (home / PLACE).iterdir()}
    store = SqliteStore(home)
    copy = await store.repair(ADA)
    await store.close()
    for name, content in before.items():
        assert (home / PLACE / name).read_bytes() == content, f"{name} was changed"
    target = home.with_name("repaired")
    (target / PLACE).mkdir(parents=True)
    shutil.copyfile(copy, target / PLACE / "memory.db")
    store = SqliteStore(target)
    contents, health = await read_contents(store, ADA), await store.check(ADA)
    await store.close()
    return contents, copy.with_suffix(".txt").read_text(encoding="utf-8"), list(health.problems)


def _whole(contents: Contents) -> set[int]:
    return {number for number in UNITS if state_of(contents, ADA, number) == "whole"}


def _root_page(home: Path, table: str) -> int:
    with closing(connect(home / PLACE / "memory.db", busy_timeout=1)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
    return int(page)


@pytest.mark.parametrize("table", ["entries", "records", "vectors"])
async def test_a_lost_root_page_loses_no_row_that_is_elsewhere(home: Path, table: str) -> None:
    await _close_cleanly(home)
    page = _root_page(home, table)
    database = home / PLACE / "memory.db"
    is_inner = database.read_bytes()[(page - 1) * PAGE] in {2, 5}
    _change(database, lambda content: content.__setitem__(slice((page - 1) * PAGE, page * PAGE), bytes(PAGE)))
    contents, _, problems = await _repaired(home)
    assert problems == []
    assert is_inner
    assert _whole(contents) == set(UNITS)


async def test_a_lost_first_page_loses_nothing(home: Path) -> None:
    await _close_cleanly(home)
    _change(home / PLACE / "memory.db", lambda content: content.__setitem__(slice(0, PAGE), b"\x55" * PAGE))
    contents, note, problems = await _repaired(home)
    assert (_whole(contents), problems) == (set(UNITS), [])
    assert "places of the journal with no entry: none" in note


async def test_what_lies_behind_damage_in_the_log_is_saved(home: Path) -> None:
    def flip(content: bytearray) -> None:
        content[32 + 60 * (PAGE + 24) + 500] ^= 1

    _change(home / PLACE / "memory.db-wal", flip)
    store = SqliteStore(home)
    with pytest.raises(IntegrityError):
        await store.entries(ADA, EntryQuery())
    await store.close()
    contents, _, problems = await _repaired(home)
    assert problems == []
    assert len(_whole(contents)) >= len(UNITS) - 3
    assert UNITS[-1] in _whole(contents)


async def test_a_lost_log_header_loses_next_to_nothing(home: Path) -> None:
    _change(home / PLACE / "memory.db-wal", lambda content: content.__setitem__(slice(0, 32), bytes(32)))
    contents, _, problems = await _repaired(home)
    assert problems == []
    assert len(_whole(contents)) >= len(UNITS) - 1


async def test_the_note_tells_which_places_of_the_journal_are_lost(home: Path) -> None:
    await _close_cleanly(home)
    database = home / PLACE / "memory.db"
    with closing(connect(database, busy_timeout=1)) as connection:
        page = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 1"
        ).get
    _change(database, lambda content: content.__setitem__(slice((page - 1) * PAGE, page * PAGE), bytes(PAGE)))
    contents, note, problems = await _repaired(home)
    assert problems == []
    lost = 2 * len(UNITS) - len(contents.entries)
    assert 0 < lost < 20
    line = next(line for line in note.splitlines() if line.startswith("places of the journal"))
    first, last = line.split(":")[1].split()[0].rstrip(",").split("-")
    assert int(last) - int(first) + 1 == lost
    assert not any(entry.text[:20] in note for entry in contents.entries.values())


async def test_a_repair_that_fails_leaves_nothing_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(path.name for path in (home / PLACE).iterdir())

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("remanent.stores.sqlite.repair._save", refuse)
    store = SqliteStore(home)
    with pytest.raises(Exception, match="no space left"):
        await store.repair(ADA)
    await store.close()
    assert sorted(path.name for path in (home / PLACE).iterdir()) == before
