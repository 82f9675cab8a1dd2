"""A discipline searches its own records by the one read path: without gate, boosts and cache, in a store of its own."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.embedding import Embedder
from remanent.model import Kind, Record, Scope
from remanent.recall import AnswerCache, Candidate, KeywordPath, PathUse, Question, Recall, RecallPath, VectorPath
from remanent.recall.recipe import HYBRID
from remanent.recall.scoring import weighted_scores
from remanent.settings import RecallSettings
from remanent.stores import RecordFilter
from remanent.stores.cache import InProcessCache
from remanent.stores.conformance.base import MODEL, Samples
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore

NODES = RecordFilter(kinds=(Kind.SEMANTIC,))
NO_TIMEOUT = RecallSettings(path_timeout=600)


class ByLength(Embedder):
    """Gives a text the direction that its length points in."""

    @property
    def model_id(self) -> str:
        return MODEL

    @property
    def dimension(self) -> int:
        return 4

    async def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1.0, len(text) / 20, 0.0, 0.0] for text in texts], dtype=np.float32)


class Shelf:
    """A store of its own beside the agent's memory, as a bank that lives for one task has."""

    def __init__(self, folder: Path) -> None:
        self.samples = Samples()
        self.scope = self.samples.make_scope()
        self.store = SqliteStore(folder)
        self.vectors = LocalVectors(self.store)
        self.embedder = ByLength()
        self.cache = AnswerCache(InProcessCache(), lifetime=timedelta(minutes=5), clock=self.samples.clock)
        self.recall = Recall(
            self.store,
            [KeywordPath(self.store), VectorPath(self.vectors, self.embedder)],
            settings=NO_TIMEOUT,
            clock=self.samples.clock,
            cache=self.cache,
        )

    async def put(self, text: str, *, scope: Scope | None = None, kind: Kind = Kind.SEMANTIC) -> Record:
        record = self.samples.make_record(scope or self.scope, text, kind=kind)
        (vector,) = await self.embedder.embed([text])
        async with self.store.transaction(self.scope) as tx:
            tx.put(record)
            tx.vector(record.id, model=MODEL, values=vector)
        return record


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path / "shelf")
    yield shelf
    await shelf.vectors.close()
    await shelf.store.close()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
async def test_alpha_alone_decides_between_words_and_meaning(shelf: Shelf, alpha: float) -> None:
    texts = ["The heron fishes at dawn.", "Herons nest in tall trees by the river.", "Tea is ready."]
    records = [await shelf.put(text) for text in texts]
    question = Question("Where does the heron fish?", shelf.scope, NODES)
    found = await shelf.recall.find(
        question, limit=10, recipe=HYBRID.with_alpha(alpha), order="relevance", gated=False, cached=False
    )
    words = {one.record_id: one.score for one in await KeywordPath(shelf.store).find(question, limit=50)}
    near = {
        one.record_id: one.score for one in await VectorPath(shelf.vectors, shelf.embedder).find(question, limit=50)
    }
    found_by = {"keyword": words if alpha else {}, "vector": near if alpha < 1 else {}}
    expected = weighted_scores(found_by, weights={"keyword": alpha, "vector": 1 - alpha})
    assert {item.record_id: item.score for item in found.items} == pytest.approx(expected)
    assert [item.record_id for item in found.items] == list(expected)
    assert all(not item.boosts and not item.context for item in found.items)
    assert {item.record_id for item in found.items} <= {record.id for record in records}


async def test_what_is_put_down_is_found_at_once_and_a_search_leaves_nothing_in_the_cache(shelf: Shelf) -> None:
    question = Question("heron", shelf.scope, NODES)

    async def ids() -> list[str]:
        found = await shelf.recall.find(question, recipe=HYBRID.with_alpha(1.0), gated=False, cached=False)
        assert not found.cached
        return [item.record_id for item in found.items]

    assert await ids() == []
    record = await shelf.put("The heron fishes.")
    assert await ids() == [record.id]
    assert await ids() == [record.id]
    assert (shelf.cache.figures.hits, shelf.cache.figures.misses) == (0, 0)
    assert not (await shelf.recall.find(question, recipe="hybrid", gated=False)).cached
    assert (await shelf.recall.find(question, recipe="hybrid", gated=False)).cached


async def test_a_search_keeps_to_its_kinds_and_its_task(shelf: Shelf) -> None:
    own = await shelf.put("The heron fishes.", scope=shelf.scope.within(task="birds"))
    await shelf.put("The heron sleeps.", scope=shelf.scope.within(task="other"))
    await shelf.put("The heron eats.", scope=shelf.scope.within(task="birds"), kind=Kind.TURN)
    question = Question("heron", shelf.scope.within(task="birds"), NODES)
    found = await shelf.recall.find(question, recipe=HYBRID.with_alpha(0.5), gated=False, cached=False)
    assert [item.record_id for item in found.items] == [own.id]


async def test_any_number_of_paths_take_part_as_the_recipe_weighs_them(shelf: Shelf) -> None:
    heron, tea = await shelf.put("The heron fishes."), await shelf.put("Tea is ready.")

    class Fixed(RecallPath):
        def __init__(self, name: str, record_id: str) -> None:
            self.name = name
            self._record_id = record_id

        async def find(self, question: Question, *, limit: int) -> list[Candidate]:
            return [Candidate(self._record_id, 1.0)]

    for number in range(3):
        shelf.recall.register(Fixed(f"edge:{number}", tea.id))
    recipe = HYBRID.replace(paths={"keyword": PathUse(weight=1.0), "edge": PathUse(weight=0.5)})
    found = await shelf.recall.find(Question("heron", shelf.scope, NODES), recipe=recipe, gated=False, cached=False)
    assert [item.record_id for item in found.items] == [tea.id, heron.id]
    assert {rank.path for rank in found.items[0].ranks} == {"edge:0", "edge:1", "edge:2"}
