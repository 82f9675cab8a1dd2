"""What one process commits is taken up by the others without waiting for their next look."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest

from remanent.model import Scope
from remanent.stores.conformance.base import Samples
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.connection import CHANNEL

HANGS = 60.0
LEASE = timedelta(minutes=1)


class Heard:
    """What a store was told."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.any = asyncio.Event()

    def __call__(self, scope: Scope) -> None:
        self.scopes.append(scope)
        self.any.set()


async def _enqueue(store: PostgresStore, samples: Samples, scope: Scope) -> None:
    async with store.transaction(scope) as tx:
        tx.enqueue(samples.make_job(scope), limit=10**6)


async def test_another_process_is_told_of_work_once_for_many_commits(database: Callable[[str], str]) -> None:
    one, two = (PostgresStore(database("here")) for _ in range(2))
    own, heard, samples = Heard(), Heard(), Samples()
    one.on_enqueue(own)
    two.on_enqueue(heard)
    for store in (one, two):
        await store.claim_any(worker="w", limit=1, lease=LEASE)
    scope = samples.make_scope()
    await asyncio.gather(*(_enqueue(one, samples, scope) for _ in range(50)))
    await asyncio.wait_for(heard.any.wait(), HANGS)
    assert set(heard.scopes) == {scope.owner}
    assert len(own.scopes) == 50, "its own listeners hear of each commit at once, and of none twice"
    assert len(heard.scopes) < 10
    for store in (one, two):
        await store.close()


async def test_a_word_that_is_none_of_ours_or_a_lost_connection_stops_nobody(database: Callable[[str], str]) -> None:
    one, two = (PostgresStore(database("here")) for _ in range(2))
    heard, samples = Heard(), Samples()
    two.on_enqueue(heard)
    await two.claim_any(worker="w", limit=1, lease=LEASE)
    scope = samples.make_scope()
    with psycopg.connect(database("here"), autocommit=True) as admin:
        for word in ("", "{", "[1]", json.dumps(["x", "o", "../w", "a"]), json.dumps(["x", 1, 2, 3])):
            admin.execute("SELECT pg_notify(%s, %s)", (CHANNEL, word))
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'remanent'")
    await _enqueue(one, samples, scope)
    await asyncio.wait_for(heard.any.wait(), HANGS)
    assert heard.scopes == [scope.owner]
    [job] = (await two.claim_any(worker="w", limit=1, lease=LEASE)).jobs
    assert job.scope.owner == scope.owner
    for store in (one, two):
        await store.close()


@pytest.mark.parametrize("listens", [True, False])
async def test_closing_ends_what_listens(database: Callable[[str], str], listens: bool) -> None:
    before = asyncio.all_tasks()
    store = PostgresStore(database("here"))
    if listens:
        store.on_enqueue(Heard())
    await store.claim_any(worker="w", limit=1, lease=LEASE)
    await store.close()
    assert asyncio.all_tasks() <= before
