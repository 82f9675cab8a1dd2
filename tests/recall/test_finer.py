"""The general model reads all first; the English one reads it again, and is asked once it has read nearly all."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from remanent import assembly
from remanent.embedding import Embedders
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Found, RecallOptions
from remanent.recall import FINER, FinerState
from remanent.recall.indexing import HANDFUL, RECORD_BATCH
from remanent.recall.windows import PAGE
from remanent.stores import RecordQuery
from remanent.stores.transfer import export_lines, import_lines
from tests.embedding.fakes import HashEmbedder

MANY = [f"Ada keeps bee number {number}." for number in range(RECORD_BATCH + 40)]
UNGATED = RecallOptions(gate=False)


class Held(HashEmbedder):
    """Reads batches when it is let to, one for each that is released; questions at once."""

    def __init__(self) -> None:
        super().__init__(model_id="english")
        self.released = asyncio.Semaphore(0)
        self.reached = asyncio.Event()
        self.holds = True

    def hold_again(self) -> None:
        """Hold the next batch back."""
        self.holds, self.released = True, asyncio.Semaphore(0)
        self.reached.clear()

    def let_go(self) -> None:
        """Hold nothing back any more."""
        self.holds = False
        for _ in range(100):
            self.released.release()

    async def embed(self, texts: Sequence[str]) -> Any:
        """Wait before every batch of records."""
        if self.holds and len(texts) > HANDFUL:
            self.reached.set()
            await self.released.acquire()
        return await super().embed(texts)


@pytest.fixture
async def english() -> Held:
    return Held()


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, english: Held) -> AsyncIterator[AsyncMemory]:
    def opened(_: str, *, embedding: object) -> Embedders:
        return Embedders(HashEmbedder(model_id="general"), english=english)

    monkeypatch.setattr(assembly, "open_embedders", opened)
    async with aopen(tmp_path, recall={"path_timeout": 60, "gate": False}) as memory:
        yield memory
        english.let_go()


async def _counts(agent: AsyncAgent) -> tuple[int, int]:
    counts = await agent._parts.store.vector_counts(agent.scope)
    return counts.get("general", 0), counts.get("english", 0)


async def _state(agent: AsyncAgent) -> FinerState:
    state = FinerState.of_state(await agent._parts.store.state(agent.scope, FINER))
    assert state is not None
    return state


def _paths(found: Found) -> set[str]:
    return {rank.path for item in found.items for rank in item.ranks if rank.path.startswith("vector")}


async def test_all_is_read_once_before_anything_is_read_twice(memory: AsyncMemory, english: Held) -> None:
    ada = memory.agent("ada")
    await ada.remember(MANY)
    await english.reached.wait()
    assert await _counts(ada) == (len(MANY), 0)
    assert (await _state(ada)).left == len(MANY)
    english.let_go()
    await memory.settle()
    assert await _counts(ada) == (len(MANY), len(MANY))
    assert (await _state(ada))[1:] == (0, 0, len(MANY))


async def test_between_the_readings_a_question_goes_as_if_there_were_the_general_model_alone(
    memory: AsyncMemory, english: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = memory.agent("ada")
    await ada.remember(MANY)
    await english.reached.wait()
    english.reached.clear()
    english.released.release()
    await english.reached.wait()  # one batch is read twice, the rest once
    assert 0 < (await _counts(ada))[1] < len(MANY)
    between = await ada.recall("bee number 71", options=UNGATED)
    assert _paths(between) == {"vector"}
    monkeypatch.setattr(assembly, "open_embedders", lambda _, embedding: Embedders(HashEmbedder(model_id="general")))
    async with aopen(tmp_path / "alone", recall={"path_timeout": 60, "gate": False}) as other:
        alone = other.agent("ada")
        await alone.remember(MANY)
        await other.settle()
        expected = await alone.recall("bee number 71", options=UNGATED)
    assert [item.text for item in between.items] == [item.text for item in expected.items]
    assert between.items[0].score == pytest.approx(expected.items[0].score, abs=1e-5)  # a moment passed


async def test_what_little_is_left_to_read_is_found_by_the_general_model_beside(
    memory: AsyncMemory, english: Held
) -> None:
    ada = memory.agent("ada")
    english.holds = False
    await ada.remember(
        [f"{told} It is {how}." for how in ("well", "old", "new", "red", "big", "shy") for told in MANY] + MANY
    )
    await memory.settle()
    assert _paths(await ada.recall("bee number 71", options=UNGATED)) == {"vector:english"}
    english.hold_again()
    await ada.remember([f"Ada feeds bee number {number}." for number in range(PAGE + 1)])
    await english.reached.wait()
    assert _paths(await ada.recall("bee number 71", options=UNGATED)) == {"vector", "vector:english"}
    english.let_go()
    await memory.settle()
    assert _paths(await ada.recall("bee number 71", options=UNGATED)) == {"vector:english"}


async def test_what_changed_while_it_was_read_is_read_again(memory: AsyncMemory, english: Held) -> None:
    ada = memory.agent("ada")
    await ada.remember(MANY)
    await english.reached.wait()
    [first] = await memory._parts.store.records(ada.scope, RecordQuery(limit=1))
    async with memory._parts.store.transaction(ada.scope) as tx:
        tx.put(first.replace(version=first.version + 1, tags=("kept",)), expects=first.version)
    english.let_go()
    await memory.settle()
    assert await _counts(ada) == (len(MANY), len(MANY))


async def test_a_half_read_memory_is_read_to_its_end_where_it_was_moved_to(
    memory: AsyncMemory, english: Held, tmp_path: Path
) -> None:
    ada = memory.agent("ada")
    await ada.remember([*MANY, "她养蜜蜂。"])
    await english.reached.wait()
    lines = [line async for line in export_lines(memory._parts.store, ada.scope)]
    english.let_go()
    async with aopen(tmp_path / "moved", recall={"path_timeout": 60, "gate": False}) as other:
        await import_lines(other._parts.store, ada.scope, lines)
        assert await _counts(moved := other.agent("ada")) == (len(MANY) + 1, 0)
        await other.settle()
        assert await _counts(moved) == (len(MANY) + 1, len(MANY))


@pytest.mark.spec("KB-01")
async def test_a_knowledge_base_tells_how_far_the_second_reading_is(memory: AsyncMemory, english: Held) -> None:
    base = memory.knowledge(workspace="lab")
    await base.add(text="\n\n".join(f"# Bee {number}\n\n{told}" for number, told in enumerate(MANY)), name="bees.md")
    await english.reached.wait()
    english.reached.clear()
    english.released.release()
    await english.reached.wait()
    between = await base.stats()
    assert between.unembedded == 0
    assert [one.status for one in await base.list()] == ["ready"]
    assert 0 < between.finer_read < between.finer_of
    english.let_go()
    await memory.settle()
    after = await base.stats()
    assert (after.finer_read, after.finer_of) == (0, 0)
