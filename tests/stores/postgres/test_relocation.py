import asyncio
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from remanent.errors import SchemaTooNew, StorageError
from remanent.model import Kind
from remanent.model.kinds import RecordData, SemanticData, ShortTermData, TurnData
from remanent.settings import Settings
from remanent.stores.conformance.base import Samples
from remanent.stores.postgres.connection import ROLE
from remanent.stores.postgres.store import migrate, steps
from remanent.stores.registry import open_stores
from tests.stores.test_relocation import at, check_move, close, fill


async def test_a_memory_moves_to_the_server_and_back(database: Callable[[str], str], tmp_path: Path) -> None:
    shared = open_stores(Settings(home=tmp_path / "home", store=database("here")))  # type: ignore[arg-type]
    first, second = at(tmp_path / "one"), at(tmp_path / "two")
    await fill(first)
    await check_move(first, shared)
    await check_move(shared, second)
    await close(first, shared, second)


async def test_many_who_come_first_at_once_make_the_tables_once(database: Callable[[str], str]) -> None:
    url = database("new")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS remanent CASCADE")
    taken = await asyncio.gather(*(migrate(url, only_from_nothing=True) for _ in range(20)))
    assert [before for before, _ in taken].count(0) == 1


async def test_a_dry_run_changes_nothing_and_a_newer_database_is_refused(database: Callable[[str], str]) -> None:
    url = database("new")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS remanent CASCADE")
        assert await migrate(url, dry_run=True) == (0, len(steps()))
        assert connection.execute("SELECT to_regnamespace('remanent')").fetchone() == (None,)
        assert await migrate(url) == (0, len(steps()))
        assert await migrate(url) == (len(steps()), len(steps()))
        connection.execute("INSERT INTO remanent.migrations (step) VALUES (99)")
        with pytest.raises(SchemaTooNew, match="step 99"):
            await migrate(url)
        connection.execute("DELETE FROM remanent.migrations WHERE step = 99")


async def test_a_login_that_does_not_own_the_tables_is_told_who_must_migrate(database: Callable[[str], str]) -> None:
    url = database("owned")
    await migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS server_login")
        connection.execute(f"CREATE ROLE server_login LOGIN IN ROLE {ROLE}")
        try:
            with pytest.raises(StorageError, match="run `remanent migrate` as the user who owns them"):
                await migrate(url.replace("postgres@", "server_login@"))
        finally:
            connection.execute("DROP ROLE server_login")


@pytest.mark.needs("cognition")
async def test_memories_from_before_get_the_marks_that_they_are_found_by(
    database: Callable[[str], str], tmp_path: Path
) -> None:
    from remanent.cognition.model import INSTRUCTION, InstructionData

    url, samples = database("here"), Samples()
    scope = samples.make_scope()
    stores = open_stores(Settings(home=tmp_path, store=url))  # type: ignore[arg-type]
    made: dict[str, tuple[Kind, RecordData]] = {
        "pinned": (Kind.SEMANTIC, SemanticData(pinned=True, user="ann")),
        "lasting": (Kind.SEMANTIC, SemanticData(category="user_preference")),
        "passing": (Kind.PREFERENCE, ShortTermData(user="ann")),
        "instruction": (INSTRUCTION, InstructionData()),
        "turn": (Kind.TURN, TurnData()),
    }
    async with stores.store.transaction(scope) as tx:
        for text, (kind, data) in made.items():
            tx.put(samples.make_record(scope, text, kind=kind, data=data))
    await close(stores)
    with psycopg.connect(url, autocommit=True) as connection:
        marks = "SELECT tag, ref FROM remanent.record_tags ORDER BY 1, 2"
        held = "SELECT ref, (SELECT array_agg(t ORDER BY t) FROM unnest(tags) t) FROM remanent.records ORDER BY 1"
        before = [connection.execute(sql).fetchall() for sql in (marks, held)]
        connection.execute("DELETE FROM remanent.record_tags")
        connection.execute("UPDATE remanent.records SET tags = '{}'")
        connection.execute("DELETE FROM remanent.migrations WHERE step = 2")
        assert await migrate(url) == (1, len(steps()))
        assert [connection.execute(sql).fetchall() for sql in (marks, held)] == before
        assert len(before[0]) == 8


@pytest.mark.parametrize(("server", "fits"), [(150_019, False), (160_000, True)])
async def test_a_server_older_than_16_is_refused(
    database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, server: int, fits: bool
) -> None:
    monkeypatch.setattr(psycopg.ConnectionInfo, "server_version", server)
    if fits:
        await migrate(database("here"), dry_run=True)
    else:
        with pytest.raises(StorageError, match="PostgreSQL 15 is too old; use 16"):
            await migrate(database("here"), dry_run=True)


@pytest.mark.parametrize(("version", "fits"), [("0.7.4", False), ("0.8.0", True), ("0.10.0", True)])
async def test_a_pgvector_older_than_0_8_is_refused(database: Callable[[str], str], version: str, fits: bool) -> None:
    url = database("here")
    await migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        assert row is not None
        noted = "UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'"
        connection.execute(noted, (version,))
        try:
            if fits:
                await migrate(url)
            else:
                with pytest.raises(StorageError, match=r"pgvector 0\.7\.4 is too old; install 0\.8"):
                    await migrate(url)
        finally:
            connection.execute(noted, row)
