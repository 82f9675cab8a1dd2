"""A database moves to a newer schema with a backup, whole or not at all."""

import asyncio
from pathlib import Path
from typing import LiteralString

import apsw
import pytest

from remanent.errors import IntegrityError, SchemaTooNew, StorageError
from remanent.model import Kind, Scope
from remanent.model.kinds import RecordData, SemanticData, ShortTermData, TurnData
from remanent.stores import EntryQuery, Erasure
from remanent.stores.conformance.base import Samples
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS

NEXT: LiteralString = "ALTER TABLE entries ADD COLUMN mood TEXT; CREATE INDEX entries_by_mood ON entries (mood);"
BROKEN: LiteralString = "CREATE TABLE half_way (x); INSERT INTO no_such_table VALUES (1);"


async def remember(home: Path, text: str, *migrations: LiteralString) -> Scope:
    """Write one entry with a store of the given schema."""
    samples = Samples()
    scope = samples.make_scope()
    store = SqliteStore(home, migrations=migrations)
    try:
        async with store.transaction(scope) as tx:
            tx.append(samples.make_entry(scope, text))
    finally:
        await store.close()
    return scope


async def read(home: Path, scope: Scope, *migrations: LiteralString) -> list[str]:
    """Return the texts that a store of the given schema finds."""
    store = SqliteStore(home, migrations=migrations)
    try:
        return [entry.text for entry in await store.entries(scope, EntryQuery())]
    finally:
        await store.close()


def files(home: Path) -> list[str]:
    return sorted(path.name for path in home.rglob("*") if path.is_file())


async def test_an_older_database_is_brought_up_to_date_after_a_backup(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "from before", *MIGRATIONS)
    assert await read(tmp_path, scope, *MIGRATIONS, NEXT) == ["from before"]
    (backup,) = tmp_path.rglob(f"memory.db.backup-{len(MIGRATIONS)}")
    copy = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
    assert copy.pragma("user_version") == len(MIGRATIONS)
    assert copy.execute("SELECT text FROM entries").get == "from before"
    copy.close()


@pytest.mark.needs("cognition")
async def test_memories_from_before_are_found_by_why_they_are_told_whatever_the_words(tmp_path: Path) -> None:
    from remanent.cognition.model import INSTRUCTION, InstructionData

    samples = Samples()
    scope = samples.make_scope()
    made: dict[str, tuple[Kind, RecordData]] = {
        "pinned": (Kind.SEMANTIC, SemanticData(pinned=True, user="ann")),
        "lasting": (Kind.SEMANTIC, SemanticData(category="user_preference")),
        "passing": (Kind.PREFERENCE, ShortTermData(user="ann")),
        "instruction": (INSTRUCTION, InstructionData()),
        "plain": (Kind.SEMANTIC, SemanticData()),
        "turn": (Kind.TURN, TurnData()),
    }
    store = SqliteStore(tmp_path, migrations=MIGRATIONS[:3])
    async with store.transaction(scope) as tx:
        for text, (kind, data) in made.items():
            tx.put(samples.make_record(scope, text, kind=kind, data=data))
    await store.close()
    (file,) = tmp_path.rglob("memory.db")
    with apsw.Connection(str(file)) as connection:
        kept = sorted(connection.execute("SELECT tag, ref FROM record_tags"))
        connection.execute("DELETE FROM record_tags")
    connection.close()
    assert len(kept) == 8
    await read(tmp_path, scope, *MIGRATIONS)
    with apsw.Connection(str(file)) as connection:
        assert sorted(connection.execute("SELECT tag, ref FROM record_tags")) == kept
    connection.close()


async def test_a_database_that_is_up_to_date_is_not_backed_up(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "now", *MIGRATIONS)
    assert await read(tmp_path, scope, *MIGRATIONS) == ["now"]
    assert files(tmp_path) == ["memory.db", "meta.json"]


async def test_a_step_that_fails_leaves_the_old_schema_and_every_word(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "from before", *MIGRATIONS)
    with pytest.raises(StorageError):
        await read(tmp_path, scope, *MIGRATIONS, BROKEN)
    assert await read(tmp_path, scope, *MIGRATIONS) == ["from before"]
    assert await read(tmp_path, scope, *MIGRATIONS, NEXT) == ["from before"]


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "from the future", *MIGRATIONS, NEXT)
    (path,) = tmp_path.rglob("memory.db")
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="upgrade"):
        await read(tmp_path, scope, *MIGRATIONS)
    assert path.read_bytes() == before


async def test_a_file_of_somebody_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "ours", *MIGRATIONS)
    (path,) = tmp_path.rglob("memory.db")
    path.unlink()
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE recipes (name); INSERT INTO recipes VALUES ('soup')")
    other.close()
    before = path.read_bytes()
    with pytest.raises(IntegrityError):
        await read(tmp_path, scope, *MIGRATIONS)
    assert path.read_bytes() == before


async def test_stores_that_upgrade_at_the_same_moment_upgrade_once(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "from before", *MIGRATIONS)
    answers = await asyncio.gather(*(read(tmp_path, scope, *MIGRATIONS, NEXT) for _ in range(4)))
    assert answers == [["from before"]] * 4


async def test_erasing_takes_backups_along_because_they_hold_the_text(tmp_path: Path) -> None:
    scope = await remember(tmp_path, "the quokka secret", *MIGRATIONS)
    assert await read(tmp_path, scope, *MIGRATIONS, NEXT) == ["the quokka secret"]
    store = SqliteStore(tmp_path, migrations=(*MIGRATIONS, NEXT))
    entries = await store.entries(scope, EntryQuery())
    erased = await store.erase(scope, Erasure(entry_ids=(entries[0].id,)))
    await store.close()
    assert erased.backups == 1
    assert not any(b"quokka" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
