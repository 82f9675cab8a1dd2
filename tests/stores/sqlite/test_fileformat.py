"""The proof of damage from the bytes of a write-ahead log: right about real logs, silent about tears."""

import random
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from remanent.errors import IntegrityError
from remanent.stores.sqlite import fileformat
from remanent.stores.sqlite.connection import connect, create
from remanent.stores.sqlite.fileformat import PAGE_SIZE, PageFile, file_chunks, is_sound, seal

FRAME = 24 + 4096


@dataclass(frozen=True)
class Sample:
    """The files of a database as a kill leaves them: a log of several transactions and its index."""

    folder: Path
    commits: tuple[int, ...]
    """Frames in the log after each transaction."""

    def bytes_of(self, suffix: str) -> bytes:
        return (self.folder / f"memory.db{suffix}").read_bytes()

    def copy(self, target: Path) -> Path:
        shutil.copytree(self.folder, target)
        return target / "memory.db"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    live = tmp_path_factory.mktemp("live")
    counts: list[int] = []
    with closing(apsw.Connection(str(live / "memory.db"))) as connection:
        connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0").fetchall()

        def note(_connection: apsw.Connection, _name: str, frames: int) -> int:
            counts.append(frames)
            return apsw.SQLITE_OK

        connection.set_wal_hook(note)
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        for unit in range(12):
            with connection:
                connection.executemany("INSERT INTO t (b) VALUES (?)", [(f"{unit} " * 700,) for _ in range(5)])
        folder = tmp_path_factory.mktemp("sample") / "copy"
        shutil.copytree(live, folder)
    return Sample(folder, tuple(counts))


def _flipped(content: bytes, place: int) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 0x10
    return bytes(changed)


def _frames_sqlite_recovers(database: Path) -> int:
    with closing(apsw.Connection(str(database))) as connection:
        _, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").get
        return int(frames)


def test_a_whole_log_is_read_as_sqlite_reads_it(sample: Sample) -> None:
    log = fileformat.examine(sample.bytes_of("-wal"), index=fileformat.read_index(sample.bytes_of("-shm")))
    assert (log.recoverable, log.damage) == (sample.commits[-1], "")
    assert log.database_pages == max(log.pages)


def test_the_index_names_the_frames_that_were_durable(sample: Sample) -> None:
    index = fileformat.read_index(sample.bytes_of("-shm"))
    assert index is not None
    assert index.frames == sample.commits[-1]


def test_an_index_that_does_not_check_out_says_nothing(sample: Sample) -> None:
    shared = sample.bytes_of("-shm")
    assert fileformat.read_index(b"") is None
    assert all(fileformat.read_index(_flipped(shared, place)) is None for place in range(96))


def test_a_log_cut_anywhere_recovers_what_sqlite_recovers_and_is_no_damage(sample: Sample, tmp_path: Path) -> None:
    whole = sample.bytes_of("-wal")
    rng = random.Random(4)
    for number in range(25):
        length = rng.randrange(len(whole))
        database = sample.copy(tmp_path / str(number))
        (database.parent / "memory.db-shm").unlink()
        (database.parent / "memory.db-wal").write_bytes(whole[:length])
        log = fileformat.examine(whole[:length])
        assert log.damage == ""
        assert log.recoverable == _frames_sqlite_recovers(database), f"cut at {length}"


def test_a_log_cut_short_of_what_the_index_vouches_for_is_damage(sample: Sample) -> None:
    whole, index = sample.bytes_of("-wal"), fileformat.read_index(sample.bytes_of("-shm"))
    assert fileformat.examine(whole[: -FRAME // 2], index=index).damage
    assert fileformat.examine(whole + bytes(100), index=index).damage == ""


def test_a_log_that_is_gone_is_damage_unless_all_of_it_was_copied(sample: Sample) -> None:
    index = fileformat.read_index(sample.bytes_of("-shm"))
    assert index is not None
    assert fileformat.examine(b"", index=index).damage
    assert fileformat.examine(bytes(32), index=index).damage
    assert fileformat.examine(b"", index=fileformat.LogIndex(index.salts, index.frames, index.frames)).damage == ""


def test_an_index_of_another_round_of_the_log_vouches_for_nothing(sample: Sample) -> None:
    whole = sample.bytes_of("-wal")
    assert fileformat.examine(whole[:-1], index=fileformat.LogIndex((1, 2), 10_000, 0)).damage == ""


def test_a_flipped_bit_before_the_last_transaction_is_damage_even_without_the_index(sample: Sample) -> None:
    whole = sample.bytes_of("-wal")
    last_transaction = 32 + FRAME * sample.commits[-2]
    rng = random.Random(5)
    for _ in range(200):
        place = rng.randrange(32, last_transaction)
        frame, inside = divmod(place - 32, FRAME)
        if frame + 1 == sample.commits[-2] and (inside < 24 or _straddles(frame)):
            continue  # the last commit frame before, and its header cannot be trusted: only the index can tell
        assert fileformat.examine(_flipped(whole, place)).damage, f"flip at {place}"


def _straddles(frame: int) -> bool:
    return (32 + FRAME * frame) % 512 > 512 - 24


def test_a_header_torn_between_two_sectors_is_no_commit() -> None:
    log = bytearray(_log_of([(1, 1), *((page, 0) for page in range(2, 80))]))
    # Page and size of this frame's header end one sector, its salts begin the next.
    torn = next(frame for frame in range(80) if (32 + 536 * frame) % 512 == 504)
    border = 32 + 536 * torn + 8
    log[32 + 536 : border] = b"\x01" * (border - 32 - 536)
    assert fileformat.examine(bytes(log)).damage == ""


def test_a_flipped_bit_anywhere_is_damage_with_the_index(sample: Sample) -> None:
    whole, index = sample.bytes_of("-wal"), fileformat.read_index(sample.bytes_of("-shm"))
    rng = random.Random(6)
    for place in [*range(56), *(rng.randrange(len(whole)) for _ in range(200))]:
        assert fileformat.examine(_flipped(whole, place), index=index).damage, f"flip at {place}"


def test_a_torn_last_transaction_is_no_damage(sample: Sample) -> None:
    whole = sample.bytes_of("-wal")
    start = 32 + FRAME * sample.commits[-2]
    for sector in range(start, len(whole), 512):
        torn = whole[:sector] + bytes(512) + whole[sector + 512 :]
        assert fileformat.examine(torn[: len(whole)]).damage == ""


def test_a_repeated_commit_frame_begins_no_transaction() -> None:
    """A disk without safe overwriting has the commit frame several times in one write."""
    log = _log_of([(1, 0), (2, 2), (2, 2), (2, 2)])
    assert fileformat.examine(log).recoverable == 4
    assert fileformat.examine(_flipped(log, 32 + 100)).damage == ""


def _log_of(frames: list[tuple[int, int]]) -> bytes:
    """Return a log of small pages, each frame with its page and the size of the database if it commits."""
    header = fileformat._HEADER.pack(0x377F0682, 3007000, 512, 0, 7, 9, 0, 0)[:24]
    sums = fileformat._checksum(header, (0, 0), "little")
    log = header + b"".join(part.to_bytes(4, "big") for part in sums)
    for page, commit in frames:
        head = page.to_bytes(4, "big") + commit.to_bytes(4, "big")
        body = bytes([page]) * 512
        sums = fileformat._checksum(head + body, sums, "little")
        log += head + b"".join(part.to_bytes(4, "big") for part in (7, 9, *sums)) + body
    return log


def test_a_database_file_cut_short_is_damage(sample: Sample, tmp_path: Path) -> None:
    database = sample.copy(tmp_path / "short")
    with closing(apsw.Connection(str(database))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fileformat.check_before_open(database)
    whole = database.read_bytes()
    for length in (0, 99, 4096, len(whole) - 1):
        database.write_bytes(whole[:length])
        with pytest.raises(IntegrityError, match="too short"):
            fileformat.check_before_open(database)


def test_a_missing_database_with_a_log_is_damage_and_with_none_is_new(sample: Sample, tmp_path: Path) -> None:
    database = sample.copy(tmp_path / "gone")
    database.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        fileformat.check_before_open(database)
    (database.parent / "memory.db-wal").unlink()
    fileformat.check_before_open(database)


def test_pages_that_are_only_in_the_log_are_not_missing(sample: Sample) -> None:
    fileformat.check_before_open(sample.folder / "memory.db")
    log = fileformat.examine(sample.bytes_of("-wal"))
    assert len(sample.bytes_of("")) < 4096 * log.database_pages


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
