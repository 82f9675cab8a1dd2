"""What reaches the server for a unit of work, and on what terms."""

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from remanent.stores.conformance.base import MODEL, Samples, put, vector_bytes
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.writes import COMMIT_UNITS
from remanent.stores.transaction import Change, PutRecord, PutState, PutVector


async def test_a_unit_is_one_call_and_those_that_come_together_share_it(
    database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, samples = PostgresStore(database("here")), Samples()
    scope = samples.make_scope()
    await put(store, samples.make_record(scope))  # makes the tables, the agent and the connection
    sent: list[Any] = []
    execute = psycopg.AsyncConnection.execute

    async def watched(connection: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        sent.append(query)
        return await execute(connection, query, *arguments, **options)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", watched)
    records = [samples.make_record(scope, f"text {number}") for number in range(5)]
    unit: list[Change] = [PutRecord(record, record.content) for record in records]
    unit += [PutVector(record.id, MODEL, vector_bytes(1)) for record in records]
    await store.commit(scope, unit)
    assert sent == [COMMIT_UNITS]
    await asyncio.gather(*(store.commit(scope, [PutState(f"{number}", number)]) for number in range(20)))
    assert sent == [COMMIT_UNITS] * 2
    await store.close()


async def test_no_connection_compiles_its_statements(database: Callable[[str], str]) -> None:
    store = PostgresStore(f"{database('here')}?options=-cjit%3Don")
    await store.scopes()
    async with store._connections.connection() as connection:
        assert await (await connection.execute("SHOW jit")).fetchone() == ("off",)
    await store.close()
