"""Reading rows straight from pages: the same rows that SQL gives, and none from a damaged page."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from remanent.stores.sqlite.connection import connect, create
from remanent.stores.sqlite.pages import PAGE_SIZE, PageFile, file_chunks, is_sound, seal

TABLE = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB, d REAL, e INTEGER)"
INDEXED = "CREATE TABLE w (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    create(path, migrations=("CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER);", TABLE + ";" + INDEXED))
    rng = random.Random(3)
    with closing(connect(path, busy_timeout=1)) as connection:
        for number in range(400):
            text = "".join(rng.choices("abc灯塔 ", k=rng.choice((0, 5, 300, 9000))))
            row = (number * 7 + 1, text, rng.randbytes(rng.choice((0, 40, 5000))), rng.random(), rng.getrandbits(62))
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("INSERT INTO w VALUES (?, ?)", (f"{rng.getrandbits(60):x}", text[:3000]))
        connection.execute("INSERT INTO t VALUES (2, NULL, NULL, 0.0, -5), (3, '', x'', 1e300, 1)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path


def _rows(path: Path) -> tuple[set[Any], set[Any]]:
    with closing(connect(path, busy_timeout=1)) as connection:
        return set(connection.execute("SELECT * FROM t")), set(connection.execute("SELECT * FROM w"))


def _found(content: bytes) -> tuple[set[Any], set[Any]]:
    pages = PageFile(content)
    numbered, plain = set(), set()
    for page in range(1, len(pages) + 1):
        for number, values in pages.rows(page):
            if number is not None and len(values) == 5 and not isinstance(values[0], str):
                numbered.add((number, *values[1:]))
            elif number is None and len(values) == 2 and isinstance(values[1], str):
                plain.add(tuple(values))
    return numbered, plain


def test_pages_give_the_rows_that_sql_gives(database: Path) -> None:
    assert _found(database.read_bytes()) == _rows(database)


def test_every_page_that_was_written_is_sound_and_no_changed_one_is(database: Path) -> None:
    content = database.read_bytes()
    pages = [content[start : start + PAGE_SIZE] for start in range(0, len(content), PAGE_SIZE)]
    assert all(is_sound(page) for page in pages)
    rng = random.Random(4)
    for page in pages:
        changed = bytearray(page)
        changed[rng.randrange(PAGE_SIZE)] ^= 1 << rng.randrange(8)
        assert not is_sound(bytes(changed))
    assert not is_sound(bytes(PAGE_SIZE))
    assert seal(pages[3][:-8] + bytes(8)) == pages[3]


def test_a_damaged_page_loses_its_rows_and_no_others_and_invents_none(database: Path) -> None:
    whole, (numbered, plain) = database.read_bytes(), _rows(database)
    rng = random.Random(5)
    for _ in range(40):
        damaged = bytearray(whole)
        page = rng.randrange(1, len(whole) // PAGE_SIZE)
        start = page * PAGE_SIZE + rng.randrange(PAGE_SIZE - 50)
        damaged[start : start + 50] = rng.randbytes(50)
        found, found_plain = _found(bytes(damaged))
        assert found <= numbered
        assert found_plain <= plain
        assert len(numbered - found) + len(plain - found_plain) < 60


def test_a_file_is_read_in_chunks_while_it_is_open(database: Path) -> None:
    with closing(connect(database, busy_timeout=1)) as connection:
        assert b"".join(file_chunks(str(database))) == database.read_bytes()
        assert connection.execute("SELECT count(*) FROM t").get == 402


def test_what_sqlite_wrote_without_checksums_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    with closing(apsw.Connection(str(path), vfs="unix")) as connection:
        connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
        connection.execute(TABLE)
        connection.executemany("INSERT INTO t VALUES (?, ?, NULL, 0.5, 2)", [(n, "x" * 900) for n in range(1, 50)])
    pages = PageFile(path.read_bytes(), checksums=False)
    rows = [number for page in range(1, len(pages) + 1) for number, values in pages.rows(page) if len(values) == 5]
    assert set(range(1, 50)) <= {number for number in rows if number is not None}
