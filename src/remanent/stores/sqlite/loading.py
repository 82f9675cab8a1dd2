"""Filling an empty database from an export, in one transaction of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor

import apsw

from remanent.errors import InvalidInput
from remanent.stores.changes import Change
from remanent.stores.sqlite import connection as opening
from remanent.stores.sqlite.apply import load_unit
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.faults import translated

_TABLES = ("entries", "records", "versions", "tombstones", "links", "conflicts", "states", "jobs")
_IN_USE = "SELECT " + " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in _TABLES)


async def load_database(database: Database, batches: AsyncIterator[Sequence[Change]], *, executor: Executor) -> None:
    """Apply all batches or none; other writers of this agent wait meanwhile."""
    loop = asyncio.get_running_loop()

    async def run(work: Callable[[], None]) -> None:
        await asyncio.shield(loop.run_in_executor(executor, work))

    connection = await loop.run_in_executor(executor, lambda: opening.connect(database.path, busy_timeout=30))
    try:
        await run(lambda: _begin(connection))
        async for batch in batches:
            await run(lambda batch=batch: _apply(connection, batch))  # type: ignore[misc]
        await run(lambda: _commit(connection))
    finally:
        await run(lambda: connection.close(True))  # an open transaction is rolled back


def _begin(connection: apsw.Connection) -> None:
    with translated(connection):
        connection.execute("PRAGMA cache_size=-65536")
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute(_IN_USE).get:
            raise InvalidInput("this agent has memories already; import into a new agent, or erase everything first")


def _apply(connection: apsw.Connection, batch: Sequence[Change]) -> None:
    with translated(connection):
        try:
            load_unit(connection, batch)
        except apsw.ConstraintError as error:
            raise InvalidInput("the export holds the same thing twice; nothing was loaded") from error


def _commit(connection: apsw.Connection) -> None:
    with translated(connection):
        connection.execute("COMMIT")
