"""A change of embedding models: new vectors in the background, the old ones answer until then."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from remanent import assembly
from remanent.embedding import Embedder, Embedders, KnownEmbedders
from remanent.memory import AsyncMemory, aopen
from remanent.model import Scope
from remanent.recall import Indexing, indexing
from remanent.recall.windows import vector_names
from remanent.stores import Store
from remanent.stores.conformance.base import claim
from tests.embedding.fakes import HashEmbedder

SCOPE = Scope(org="default", workspace="default", agent="ada")


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models in force, the one for every language first; tests change the list between openings."""
    names = ["old"]

    def opened(_: str, *, embedding: object) -> Embedders:
        members = [HashEmbedder(model_id=name) for name in names]
        return Embedders(members[0], english=members[1] if len(members) > 1 else None)

    def former(_: KnownEmbedders, name: str) -> Embedder:
        return HashEmbedder(model_id=name)

    monkeypatch.setattr(assembly, "open_embedders", opened)
    monkeypatch.setattr(KnownEmbedders, "open", former)
    monkeypatch.setattr(indexing, "RECORD_BATCH", 4)
    return names


def _store(memory: AsyncMemory) -> Store:
    return memory._parts.store


async def _vectors(memory: AsyncMemory) -> dict[str, int]:
    store = _store(memory)
    models = await store.vector_models(SCOPE)
    return {model: len((await store.vector_changes(SCOPE, model, since=0)).record_ids) for model in models}


async def _fill(home: Path, texts: Sequence[str]) -> None:
    async with aopen(home) as memory:
        await memory.agent("ada").remember(list(texts))
        await memory.settle()


TEXTS = [f"Ada keeps bee number {number}." for number in range(10)] + ["她养蜜蜂。"]


async def test_records_get_new_vectors_and_lose_the_old_ones(tmp_path: Path, wanted: list[str]) -> None:
    await _fill(tmp_path, TEXTS)
    wanted[:] = ["new"]
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").recall("bees")
        await memory.settle()
        assert await _vectors(memory) == {"new": 11}
        assert (await _store(memory).states(SCOPE))[indexing.MODELS] == list(vector_names("new"))


async def test_a_model_for_english_is_added_beside_the_first_for_english_texts(
    tmp_path: Path, wanted: list[str]
) -> None:
    await _fill(tmp_path, TEXTS)
    wanted.append("english")
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").remember("One more bee.")
        await memory.settle()
        assert await _vectors(memory) == {"old": 12, "english": 11}


async def test_the_old_vectors_answer_until_the_new_ones_are_there(
    tmp_path: Path, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await _fill(tmp_path, TEXTS)
    wanted[:] = ["new"]

    async def unwilling(self: Indexing, scope: Scope) -> None:
        """Never ask for new vectors."""

    with monkeypatch.context() as patch:
        patch.setattr(Indexing, "follow_models", unwilling)
        async with aopen(tmp_path) as memory:
            found = await memory.agent("ada").recall(TEXTS[3])
            assert "vector:former" in {rank.path for item in found.items for rank in item.ranks}
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").recall("bees")
        await memory.settle()
        found = await memory.agent("ada").recall(TEXTS[3])
        assert {rank.path for item in found.items for rank in item.ranks} >= {"vector"}
        assert "vector:former" not in {rank.path for item in found.items for rank in item.ranks}


async def test_a_walk_that_was_cut_off_goes_on_where_it_was(
    tmp_path: Path, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await _fill(tmp_path, TEXTS)
    wanted[:] = ["new"]
    async with aopen(tmp_path) as memory:
        jobs, store = memory._parts.indexing, _store(memory)
        await memory._parts.worker.stop()
        await jobs.follow_models(SCOPE)
        await _step(memory)
        assert await _vectors(memory) == {"old": 11, "new": 4}
    seen: list[str] = []
    original = HashEmbedder.embed_batch

    async def noting(self: HashEmbedder, texts: Sequence[str]) -> object:
        seen.extend(texts)
        return await original(self, texts)

    monkeypatch.setattr(HashEmbedder, "embed_batch", noting)
    async with aopen(tmp_path) as memory:
        store = _store(memory)
        memory._parts.worker.watch(SCOPE)
        await memory.settle()
        assert await _vectors(memory) == {"new": 11}
        assert (await store.states(SCOPE))[indexing.MODELS] == list(vector_names("new"))
    assert seen == TEXTS[4:]


async def test_a_walk_begins_anew_when_its_place_was_erased_or_the_models_changed_again(
    tmp_path: Path, wanted: list[str]
) -> None:
    await _fill(tmp_path, TEXTS)
    wanted[:] = ["new"]
    async with aopen(tmp_path) as memory:
        await memory._parts.worker.stop()
        await memory._parts.indexing.follow_models(SCOPE)
        await _step(memory)
        records = await memory.agent("ada").records(limit=20)
        fourth = next(record for record in records if record.content == TEXTS[3])
        await memory.agent("ada").erase(record_ids=[fourth.id])
    wanted[:] = ["newest"]
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").recall("bees")
        await memory.settle()
        assert await _vectors(memory) == {"newest": 10}


async def _step(memory: AsyncMemory) -> None:
    """Do one step of the walk, as a worker does that dies afterwards."""
    from datetime import timedelta

    store, clock = _store(memory), memory._parts.clock
    job = await claim(store, SCOPE, worker="w", now=clock(), lease=timedelta(seconds=9))
    assert job is not None
    assert job.kind == indexing.REEMBED
    async with store.transaction(SCOPE) as tx:
        await memory._parts.indexing.reembed(job, tx)
        tx.finish(job)
