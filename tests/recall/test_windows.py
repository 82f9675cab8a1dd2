"""What is mentioned in passing in a long turn is found by a vector of its own."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent import assembly
from remanent.embedding import Embedders
from remanent.memory import AsyncMemory, aopen
from remanent.model import Kind, Origin, RecallOptions, Record, Scope, TurnData
from remanent.recall import windows
from remanent.recall.vector_path import PART_LESS
from remanent.recall.windows import WINDOWS, as_read, models_among, vector_names
from tests.embedding.fakes import HashEmbedder

SCOPE = Scope(org="default", workspace="default", agent="ada")
_NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
PLANS = (
    "I am planning the garden for the coming spring and wonder which of the beds should get the tomatoes this time, "
    "because they stood by the wall for two years in a row."
)
ASIDE = "By the way, my sister Vera has moved to Porto."
REQUEST = (
    "Could you make me a list of what to sow in March, and what in April, with how far apart the rows have to be and "
    "how deep the seeds must lie in a heavy soil like ours?"
)
TURN = f"{PLANS} {ASIDE} {REQUEST}"


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashEmbedder:
    embedder = HashEmbedder(model_id="hash")
    monkeypatch.setattr(assembly, "open_embedders", lambda *_, **__: Embedders(embedder))
    return embedder


def _turn(text: str, *, role: str = "user", trust: Origin = Origin.USER) -> Record:
    return Record(
        id="t1", scope=SCOPE, kind=Kind.TURN, content=text, created_at=_NOON, updated_at=_NOON, occurred_at=_NOON,
        trust=trust, data=TurnData(role=role),
    )  # fmt: skip


async def _nearness(memory: AsyncMemory, question: str) -> float:
    """Return how near the nearest record is by meaning alone."""
    found = await memory.agent("ada").recall(question, options=RecallOptions(recipe="meaning", gate=False))
    return max(rank.score for item in found.items for rank in item.ranks)


async def _vectors(memory: AsyncMemory) -> dict[str, int]:
    return await memory._parts.store.vector_counts(SCOPE)


def test_a_long_turn_is_read_by_its_sentences_too() -> None:
    assert as_read(_turn(TURN)) == [TURN[:300], PLANS, ASIDE, REQUEST]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(_turn(ASIDE), id="a short turn"),
        pytest.param(_turn("word " * 200), id="one long sentence"),
        pytest.param(_turn(TURN, role="assistant", trust=Origin.AGENT), id="an agent's turn"),
        pytest.param(_turn(TURN, role="Nate", trust=Origin.UNTRUSTED), id="somebody's turn in a talk among people"),
        pytest.param(_turn(TURN).replace(kind=Kind.SEMANTIC, data=None), id="a memory"),
    ],
)
def test_nothing_else_costs_more_than_one_vector(record: Record) -> None:
    assert len(as_read(record)) == 1


@pytest.mark.parametrize("length", [10, 40, 400])
def test_a_turn_of_any_length_has_few_parts(length: int) -> None:
    parts = as_read(_turn("A sentence of some ten words that says nothing new. " * length))[1:]
    assert 2 <= len(parts) <= WINDOWS
    assert sum(map(len, parts)) <= windows.MAX_CHARACTERS


def test_the_names_of_parts_are_no_models() -> None:
    assert models_among(vector_names("old", "new")) == {"old", "new"}


async def test_an_aside_is_about_as_near_as_if_it_stood_alone(tmp_path: Path, embedder: HashEmbedder) -> None:
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").remember([{"role": "user", "content": TURN}])
        await memory.settle()
        assert await _nearness(memory, ASIDE) == pytest.approx(1 - PART_LESS)
        assert await _vectors(memory) == {"hash": 1, "hash#1": 1, "hash#2": 1, "hash#3": 1}


async def test_the_vectors_of_parts_go_with_the_record(tmp_path: Path, embedder: HashEmbedder) -> None:
    async with aopen(tmp_path) as memory:
        ada = memory.agent("ada")
        receipt = await ada.remember([{"role": "user", "content": TURN}])
        await memory.settle()
        store = memory._parts.store
        kept = [(await store.vectors(SCOPE, receipt.entry_ids, model=name)).values() for name in vector_names("hash")]
        remains = [vector.astype("<f4").tobytes()[:32] for vectors in kept for vector in vectors]
        assert len(remains) == 1 + WINDOWS
        await ada.erase(entry_ids=list(receipt.entry_ids))
        assert await _vectors(memory) == {}
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(remain in content for remain in remains for content in files)


async def test_what_was_embedded_before_there_were_parts_gets_theirs_and_nothing_again(
    tmp_path: Path, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(windows, "WINDOWS", 0)
        async with aopen(tmp_path) as memory:
            await memory.agent("ada").remember([{"role": "user", "content": text} for text in (TURN, ASIDE)])
            await memory.settle()
            assert await _vectors(memory) == {"hash": 2}
    embedder.batches.clear()
    async with aopen(tmp_path) as memory:
        ada = memory.agent("ada")
        await ada.recall("garden", options=RecallOptions(recipe="words"))
        await memory.settle()
        assert await _vectors(memory) == {"hash": 2, "hash#1": 1, "hash#2": 1, "hash#3": 1}
    assert {PLANS, ASIDE, REQUEST} <= {text for batch in embedder.batches for text in batch}
    assert TURN[:300] not in {text for batch in embedder.batches for text in batch}
