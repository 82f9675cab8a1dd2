"""Indexing goes on however full the queue is: what was let in is worked on to its end."""

from pathlib import Path

import pytest

import remanent.memory as facade
from remanent.embedding import Embedders
from remanent.errors import QueueFull
from remanent.memory import aopen
from remanent.model import JobState, Scope
from remanent.stores import JobQuery
from tests.embedding.fakes import HashEmbedder

SCOPE = Scope(org="default", workspace="default", agent="ada")


@pytest.fixture(autouse=True)
def _hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facade, "open_embedders", lambda *_, **__: Embedders(HashEmbedder(model_id="hash")))


@pytest.mark.spec("ASSOC-03")
@pytest.mark.parametrize(("associate", "limit"), [(False, 1), (True, 2)])
async def test_a_queue_that_is_full_keeps_no_message_from_its_index(
    tmp_path: Path,
    associate: bool,
    limit: int,
) -> None:
    refused: list[str] = []
    async with aopen(tmp_path, jobs={"queue_limit": limit}, associative={"max_queue_size": limit}) as memory:
        ada = memory.agent("ada")
        kept: list[str] = []
        for number in range(8):
            remember = ada.associative.remember if associate else ada.remember
            try:
                receipt = await remember(f"Ada keeps bee number {number}.")
            except QueueFull as error:
                refused.append(str(error))
            else:
                kept += receipt.entry_ids
        await memory.settle()
        store = memory._parts.store
        assert [entry.id for entry in await ada.entries()] == kept
        assert await store.jobs(SCOPE, JobQuery(states=(JobState.DEAD,))) == []
        assert await store.unembedded(SCOPE, limit=10) == []
        assert len(kept) + len(refused) == 8
        assert all("let them run, then try again" in said for said in refused)
        assert kept
        assert len(await ada.associative.nodes()) == (len(kept) if associate else 0)
