"""What reaches the server for a unit of work, and on what terms."""

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from remanent.stores.conformance.base import MODEL, Samples, put, vector_bytes
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.writes import COMMIT_UNITS, LANES, GroupCommit
from remanent.stores.transaction import Change, PutRecord, PutState, PutVector


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the statements that are sent from now on; each is a transaction, with a sync of the log at its end."""
    statements: list[Any] = []
    execute = psycopg.AsyncConnection.execute

    async def watched(connection: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        assert connection.autocommit
        statements.append(query)
        return await execute(connection, query, *arguments, **options)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", watched)
    return statements


async def test_a_unit_is_one_call_and_those_that_come_together_share_it(
    database: Callable[[str], str], sent: list[Any]
) -> None:
    store, samples = PostgresStore(database("here")), Samples()
    scope = samples.make_scope()
    await put(store, samples.make_record(scope))  # makes the tables, the agent and the connection
    sent.clear()
    records = [samples.make_record(scope, f"text {number}") for number in range(5)]
    unit: list[Change] = [PutRecord(record, record.content) for record in records]
    unit += [PutVector(record.id, MODEL, vector_bytes(1)) for record in records]
    await store.commit(scope, unit)
    assert sent == [COMMIT_UNITS]
    await asyncio.gather(*(store.commit(scope, [PutState(f"{number}", number)]) for number in range(20)))
    assert sent == [COMMIT_UNITS] * 2
    await store.close()


async def test_units_of_many_agents_that_come_together_are_a_commit_for_each_lane(
    database: Callable[[str], str], sent: list[Any]
) -> None:
    store, samples = PostgresStore(database("here")), Samples()
    scopes = [samples.make_scope(f"agent-{number}") for number in range(3 * LANES)]
    await asyncio.gather(*(store.commit(scope, [PutState("made", True)]) for scope in scopes))
    sent.clear()
    units = [(scope, number) for scope in scopes for number in range(10)]
    done = await asyncio.gather(*(store.commit(scope, [PutState(f"{n}", n)]) for scope, n in units))
    assert len(done) == len(units) == 120
    assert sent == [COMMIT_UNITS] * LANES
    assert [len(await store.states(scope)) for scope in scopes] == [11] * len(scopes)
    await store.close()


async def test_units_that_come_while_a_commit_is_under_way_share_the_next_one(
    database: Callable[[str], str], sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, scope = PostgresStore(database("here")), Samples().make_scope()
    await store.commit(scope, [PutState("made", True)])
    sent.clear()
    under_way, may_end = asyncio.Event(), asyncio.Event()
    run = GroupCommit._run

    async def held(commits: GroupCommit, group: list[Any]) -> Any:
        under_way.set()
        await may_end.wait()
        return await run(commits, group)

    monkeypatch.setattr(GroupCommit, "_run", held)
    tasks = [asyncio.create_task(store.commit(scope, [PutState("first", 1)]))]
    await under_way.wait()
    for number in range(100):  # each in a breath of its own, as if from one client each
        tasks.append(asyncio.create_task(store.commit(scope, [PutState(f"{number}", number)])))
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks), "nothing is acknowledged before its commit"
    may_end.set()
    await asyncio.gather(*tasks)
    assert sent == [COMMIT_UNITS] * 3, "the first, then 64 and 36"
    await store.close()


async def test_no_connection_compiles_its_statements(database: Callable[[str], str]) -> None:
    store = PostgresStore(f"{database('here')}?options=-cjit%3Don")
    await store.scopes()
    async with store._connections.connection() as connection:
        assert await (await connection.execute("SHOW jit")).fetchone() == ("off",)
    await store.close()
