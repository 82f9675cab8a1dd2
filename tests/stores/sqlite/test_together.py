"""Units of work that share a commit go in by few statements, and each still has its own answer."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from remanent.errors import DuplicateEntry, InvalidInput, NotFound, VersionConflict
from remanent.model import Entry, Job, Kind, Record, Scope, Source, TurnData
from remanent.stores import Change, search_terms
from remanent.stores.sqlite.connection import MIGRATIONS, connect, create
from remanent.stores.sqlite.writes import Unit, apply_together
from remanent.stores.transaction import AppendEntry, EnqueueJob, PutRecord, PutVector, TouchRecords
from tests.chaos.support.places import fast_folder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCOPE = Scope(org="org", workspace="lab", agent="ada")


@pytest.fixture
def writer() -> Iterator[apsw.Connection]:
    with fast_folder() as folder:
        path = Path(folder) / "memory.db"
        create(path, migrations=MIGRATIONS)
        with closing(connect(path, busy_timeout=1)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection


def said(number: int, **fields: Any) -> AppendEntry:
    text = f"saffron {number}"
    return AppendEntry(Entry(id=f"e{number}", scope=SCOPE, text=text, occurred_at=NOW, recorded_at=NOW, **fields))


def job(number: int) -> EnqueueJob:
    return EnqueueJob(
        Job(id=f"j{number}", scope=SCOPE, kind="turns", lane="turns", key="turns", enqueued_at=NOW), limit=10
    )


def turn(number: int) -> PutRecord:
    record = Record(
        id=f"r{number}",
        scope=SCOPE,
        kind=Kind.TURN,
        content=f"saffron {number}",
        tags=("spice",),
        created_at=NOW,
        updated_at=NOW,
        occurred_at=NOW,
        sources=(Source(entry_id=f"e{number}", end=9),),
        data=TurnData(role="user"),
    )
    return PutRecord(record, search_terms(record))


def vector(number: int) -> PutVector:
    return PutVector(f"r{number}", "m", bytes([number] * 8), 1)


def units(*works: Sequence[Change]) -> list[Unit]:
    return [Unit(work) for work in works]


def statements_of(writer: apsw.Connection, work: Callable[[], object]) -> int:
    """Return by how many statements something is written."""
    counted: list[str] = []

    def count(_: object, sql: str, __: object) -> bool:
        counted.append(sql)
        return True

    writer.exec_trace = count
    work()
    writer.exec_trace = None
    return len(counted)


def dump(writer: apsw.Connection) -> dict[str, list[Any]]:
    """Return everything that was written, of every table; how the text index lies in its own is for the engine."""
    tables = writer.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%|_text|_%' ESCAPE '|'"
    )
    names = [name for (name,) in tables if name != "counters"]
    return {name: sorted(map(repr, writer.execute(f"SELECT * FROM {name}"))) for name in names}


def test_clients_that_write_at_once_take_few_statements(writer: apsw.Connection) -> None:
    """A statement may wait 5 ms for the interpreter, while others compute: 64 of them took 100 ms."""
    works = [Unit([said(number), job(number)]) for number in range(64)]
    assert statements_of(writer, lambda: apply_together(writer, works)) <= 5
    assert writer.execute("SELECT count(*), max(seq) FROM entries").get == (64, 64)


def test_records_that_are_new_take_few_statements(writer: apsw.Connection) -> None:
    """A batch of the index takes 15 ms so, where record by record it held up every writer for 60."""
    apply_together(writer, units([said(number) for number in range(128)]))
    works = units([turn(number) for number in range(128)])
    assert statements_of(writer, lambda: apply_together(writer, works)) <= 20


def test_records_that_are_counted_take_few_statements(writer: apsw.Connection) -> None:
    """A writer waited twice as long as counting took, for the interpreter that every one of a hundred let go of."""
    apply_together(writer, units([said(number) for number in range(100)], [turn(number) for number in range(100)]))
    touched = TouchRecords(tuple(f"r{number}" for number in range(100)), accessed=2, scanned=1)
    assert statements_of(writer, lambda: apply_together(writer, units([touched]))) <= 5
    assert writer.execute("SELECT sum(access_count), sum(scan_count) FROM records").get == (200, 100)


def test_vectors_take_few_statements(writer: apsw.Connection) -> None:
    """One by one, those of a batch were 320 statements inside the transaction that every write waits for."""
    apply_together(writer, units([said(number) for number in range(64)], [turn(number) for number in range(64)]))
    works = units([vector(number) for number in range(64)])
    assert statements_of(writer, lambda: apply_together(writer, works)) <= 7
    assert writer.execute("SELECT count(DISTINCT revision) FROM vectors").get == 64
    assert writer.execute("SELECT count(*) FROM unembedded").get == 0


def test_a_vector_of_a_record_that_moved_on_is_passed_over_among_others(writer: apsw.Connection) -> None:
    apply_together(writer, units([said(1), said(2)], [turn(1), turn(2)]))
    apply_together(writer, units([vector(1), PutVector("r2", "m", b"\0" * 8, 7), PutVector("gone", "m", b"\0" * 8, 1)]))
    assert writer.execute("SELECT record_id FROM vectors").fetchall() == [("r1",)]
    with pytest.raises(NotFound, match="gone"):
        apply_together(writer, units([vector(2), PutVector("gone", "m", b"\0" * 8)]))
    with pytest.raises(InvalidInput, match="2 dimensions here, not 3"):
        apply_together(writer, units([vector(2), PutVector("r2", "m", b"\0" * 12)]))


def test_what_is_written_together_is_what_is_written_one_by_one(writer: apsw.Connection) -> None:
    works: list[list[Change]] = [
        [said(1), job(1)],
        [said(2, caller_id="m2", metadata={"place": "Lisbon"}, tags=("spice",)), said(3), job(2)],
        [turn(1), turn(2), turn(3)],
        [vector(1), vector(3), vector(1)],
    ]
    writer.execute("SAVEPOINT before")
    for work in works:
        for change in work:
            Unit([change])(writer)
    one_by_one = dump(writer)
    writer.execute("ROLLBACK TO before")
    together = apply_together(writer, units(*works))
    assert [(one.entry_ids, one.last_seq, one.enqueued) for one in together] == [
        (("e1",), 1, ("j1",)),
        (("e2", "e3"), 3, ()),
        ((), 0, ()),
        ((), 0, ()),
    ]
    assert dump(writer) == one_by_one
    assert writer.execute("SELECT rowid FROM records_text('saffron') ORDER BY rowid").fetchall() == [(1,), (2,), (3,)]


def test_an_id_sent_twice_at_once_is_kept_once(writer: apsw.Connection) -> None:
    again = AppendEntry(said(1, caller_id="m1").entry.replace(id="e9"))
    first, second = apply_together(writer, units([said(1, caller_id="m1")], [again]))
    assert (first.entry_ids, second.entry_ids, second.repeated) == (("e1",), ("e1",), 1)


def test_an_id_that_was_sent_before_is_known_among_others(writer: apsw.Connection) -> None:
    apply_together(writer, units([said(1, caller_id="m1")]))
    again = AppendEntry(said(1, caller_id="m1").entry.replace(id="e9"))
    other, known = apply_together(writer, units([said(2)], [again, said(3)]))
    assert (other.entry_ids, known.entry_ids, known.repeated) == (("e2",), ("e1", "e3"), 1)


def test_an_entry_that_exists_is_refused_among_others(writer: apsw.Connection) -> None:
    apply_together(writer, units([said(1)]))
    with pytest.raises(DuplicateEntry):
        apply_together(writer, units([said(2)], [said(1)]))


def test_a_record_that_exists_is_refused_among_new_ones(writer: apsw.Connection) -> None:
    apply_together(writer, units([said(1), said(2), turn(1)]))
    with pytest.raises(VersionConflict, match="r1"):
        apply_together(writer, units([turn(2), turn(1)]))


def test_a_record_of_an_erased_text_is_refused_among_others(writer: apsw.Connection) -> None:
    apply_together(writer, units([said(1), said(2)]))
    writer.execute("UPDATE entries SET text = '', erased = 1, crc = 0 WHERE id = 'e2'")
    with pytest.raises(VersionConflict, match="e2 was erased"):
        apply_together(writer, units([turn(1), turn(2)]))
