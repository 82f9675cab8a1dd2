"""The first recall of an agent whose files are closed: what makes it cheap is that it reads a fixed number of times."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remanent import aopen
from remanent.stores.sqlite import connection
from remanent.stores.sqlite.database import Database


async def filled(home: Path, records: int) -> None:
    async with aopen(home, embedder="none") as memory:
        agent = memory.agent("ada")
        for start in range(0, records, 500):
            said = [f"Note {number} tells of garden {number}." for number in range(start, min(start + 500, records))]
            await agent.remember(said)
        await memory.settle()


async def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often a cold recall connects to a file and reads from it."""
    counted: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            counted[name] += 1
            return function(*args, **more)

        return call

    async with aopen(home, embedder="none") as memory:
        with monkeypatch.context() as patched:
            patched.setattr(connection, "connect", counting("connections", connection.connect))
            patched.setattr(Database, "read", counting("reads", Database.read))
            found = await memory.agent("ada").recall("what does note 7 tell of?")
        assert found.items
    return counted


@pytest.mark.spec("SAFE-07")
async def test_a_cold_recall_connects_and_reads_as_often_however_much_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = {}
    for records in (60, 1000):
        await filled(tmp_path / str(records), records)
        met[records] = await opened(tmp_path / str(records), monkeypatch)
    assert met[1000]["reads"] <= met[60]["reads"] + 2  # what is asked in one turn of the loop is read together
    assert met[1000]["connections"] <= 4  # a writer and up to three readers
    assert met[1000]["reads"] <= 16
