"""An English question does without the model for every language where the English one has read everything."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent import assembly
from remanent.embedding import Embedders
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Found, RecallOptions, Scope
from remanent.recall import GATE, Coverage
from remanent.recall.gate import MIN_RECORDS
from remanent.stores import Store
from tests.embedding.fakes import HashEmbedder

TEXTS = [f"Ada keeps bee number {number}." for number in range(10)]


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncMemory]:
    def opened(_: str, *, embedding: object) -> Embedders:
        return Embedders(HashEmbedder(model_id="general"), english=HashEmbedder(model_id="english"))

    monkeypatch.setattr(assembly, "open_embedders", opened)
    async with aopen(tmp_path, recall={"path_timeout": 60}) as memory:
        yield memory


async def _tell(memory: AsyncMemory, texts: str | list[str]) -> AsyncAgent:
    ada = memory.agent("ada")
    await ada.remember(texts)
    await memory.settle()
    return ada


def _paths(found: Found) -> set[str]:
    return {rank.path for item in found.items for rank in item.ranks if rank.path.startswith("vector")}


async def test_english_is_asked_of_the_english_model_alone_until_there_is_something_that_it_cannot_read(
    memory: AsyncMemory,
) -> None:
    ada = await _tell(memory, [*TEXTS, "12345"])
    assert _paths(await ada.recall("bee number 3", options=RecallOptions(gate=False))) == {"vector:english"}
    assert _paths(await ada.recall("蜜蜂", options=RecallOptions(gate=False))) == {"vector"}
    await _tell(memory, ["她养蜜蜂。"])
    assert _paths(await ada.recall("bee number 3", options=RecallOptions(gate=False))) == {"vector", "vector:english"}
    await ada.erase(record_ids=[record.id for record in await ada.records(limit=20) if "她" in record.content])
    assert _paths(await ada.recall("bee number 3", options=RecallOptions(gate=False))) == {"vector:english"}


async def test_vectors_are_counted_once_and_then_only_what_came_since(
    memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = (await _tell(memory, TEXTS)).scope
    store = memory._parts.store
    counted: list[int] = []
    original = type(store).vector_counts

    async def noting(self: Store, scope: Scope, *, since: int = 0) -> dict[str, int]:
        counted.append(since)
        return await original(self, scope, since=since)

    monkeypatch.setattr(type(store), "vector_counts", noting)
    coverage = Coverage(store)

    async def is_whole() -> bool:
        return await coverage.is_whole(scope, "english", beside="general")

    assert await is_whole()
    assert await is_whole()
    first = await store.vector_revision(scope)
    await _tell(memory, "Ada keeps a hive.")
    assert await is_whole()
    second = await store.vector_revision(scope)
    await _tell(memory, "她养蜜蜂。")
    assert not await is_whole()
    assert not await is_whole()
    assert counted == [0, first, second]


async def test_a_model_that_has_read_nothing_covers_nothing(memory: AsyncMemory) -> None:
    scope = memory.agent("ada").scope
    assert not await Coverage(memory._parts.store).is_whole(scope, "english", beside="general")


async def test_the_gate_is_measured_again_when_other_models_are_asked(memory: AsyncMemory) -> None:
    ada = await _tell(memory, [f"{number} cups of tea" for number in range(MIN_RECORDS)])

    async def measured_with() -> object:
        kept = await memory._parts.store.state(ada.scope, GATE)
        assert isinstance(kept, dict)
        return kept["asked"]

    assert await measured_with() == {"en": ["keyword", "vector:english"], "zh": ["keyword", "vector"]}
    await _tell(memory, "七杯茶")
    await _tell(memory, "One more cup.")  # it is due when the batch before has been committed
    assert await measured_with() == {"en": ["keyword", "vector", "vector:english"], "zh": ["keyword", "vector"]}
