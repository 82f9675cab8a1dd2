"""Small reads that are asked for at the same time share one trip to a thread, and each has its own outcome."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from remanent.errors import InvalidInput, StoreClosed
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.migrations import MIGRATIONS


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    with ThreadPoolExecutor(2) as executor:
        opened = Database(tmp_path / "memory.db", busy_timeout=60, executor=executor)
        await asyncio.to_thread(opened.open, migrations=MIGRATIONS)
        yield opened
        await asyncio.to_thread(opened.close)


async def test_light_reads_of_one_turn_of_the_loop_see_one_snapshot(database: Database) -> None:
    seen: list[apsw.Connection] = []

    def look(reader: apsw.Connection) -> int:
        assert reader.in_transaction
        seen.append(reader)
        return len(seen)

    assert await asyncio.gather(*(database.read(look, light=True) for _ in range(5))) == [1, 2, 3, 4, 5]
    assert len({id(reader) for reader in seen}) == 1


async def test_a_light_read_that_fails_fails_for_its_own_caller_only(database: Database) -> None:
    def fail(reader: apsw.Connection) -> int:
        raise InvalidInput("not this one")

    reads = [lambda _: 1, fail, lambda _: 3]
    outcomes = await asyncio.gather(*(database.read(read, light=True) for read in reads), return_exceptions=True)
    assert outcomes[::2] == [1, 3]
    assert isinstance(outcomes[1], InvalidInput)


async def test_a_light_read_whose_caller_has_gone_does_not_keep_the_others(database: Database) -> None:
    gone, stays = (asyncio.create_task(database.read(lambda _: 1, light=True)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays == 1
    assert gone.cancelled()


async def test_a_light_read_after_closing_is_refused(tmp_path: Path) -> None:
    executor = ThreadPoolExecutor(1)
    database = Database(tmp_path / "memory.db", busy_timeout=60, executor=executor)
    await asyncio.to_thread(database.open, migrations=MIGRATIONS)
    await asyncio.to_thread(database.close)
    with pytest.raises(StoreClosed):
        await database.read(lambda _: 1, light=True)
    executor.shutdown()
    with pytest.raises(StoreClosed):
        await database.read(lambda _: 1, light=True)
