"""Units of work on PostgreSQL that are committed together; here without a server."""

import asyncio
from typing import Any, cast

import pytest

from remanent.stores.postgres.connection import ConnectionPool
from remanent.stores.postgres.writes import GroupCommit
from remanent.stores.transaction import PutState


class Broken:
    """Connections that fail in a way that nobody has thought of."""

    def connection(self) -> Any:
        raise KeyError("what nobody has thought of")


async def test_whoever_waits_for_a_commit_is_told_of_any_failure() -> None:
    commits = GroupCommit(cast("ConnectionPool", Broken()))
    units = [commits.commit(1, [PutState("key", number)]) for number in range(3)]
    async with asyncio.timeout(5):
        outcomes = await asyncio.gather(*units, return_exceptions=True)
        await commits.drain()
    assert [type(outcome) for outcome in outcomes] == [KeyError] * 3
    with pytest.raises(KeyError):
        await commits.commit(1, [PutState("key", 4)])
