"""Cells find nearly all of what is nearest, and look at few rows for it."""

from pathlib import Path

import numpy as np
import pytest

from remanent.model import Kind
from remanent.stores.local import LocalVectors, cells
from remanent.stores.local.clustering import Assignment, cell_count, train
from remanent.stores.queries import RecordFilter
from tests.stores.local.world import MODEL, SCOPE, Matrix, VectorStore, passes

COUNT, DIMENSION, TOPICS = 12_000, 48, 150


def of_topics(count: int, *, seed: int) -> Matrix:
    """Return vectors around topics, as sentences lie."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(0).standard_normal((TOPICS, DIMENSION))
    matrix = middles[rng.integers(0, TOPICS, count)] + 0.7 * rng.standard_normal((count, DIMENSION))
    return np.array(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def store() -> VectorStore:
    store = VectorStore()
    matrix = of_topics(COUNT, seed=1)
    for number, row in enumerate(matrix):
        tags = ("rare",) if number % 50 == 0 else ("some",) if number % 4 == 0 else ()
        kind = Kind.NOTE if number % 100 == 0 else Kind.CHUNK if number % 2 else Kind.TURN
        store.put({f"r{number:06}": row}, kind=kind, tags=tags)
    return store


async def recall(index: LocalVectors, store: VectorStore, record_filter: RecordFilter) -> float:
    """Return which part of the ten nearest is found, over some questions."""
    passing = {key[1]: kept.values for key, kept in store.kept.items() if passes(kept, record_filter)}
    ids, matrix = list(passing), np.array(list(passing.values()))
    found = 0
    questions = of_topics(40, seed=2)
    for question in questions:
        hits = await index.search(SCOPE, question, model=MODEL, record_filter=record_filter, limit=10)
        truth = {ids[place] for place in np.argsort(matrix @ question)[-10:]}
        found += len(truth & {hit.record_id for hit in hits})
    return found / (10 * len(questions))


async def test_cells_find_nearly_all_of_the_nearest_whatever_the_filter(
    store: VectorStore, quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = LocalVectors(store.port, lambda _: quick_folder, exact_limit=1_000)
    await recall(index, store, RecordFilter(kinds=(Kind.NOTE,)))
    await index.settle()
    # Few rows at this small size: the share that is looked at is that of a million vectors, not of twelve thousand.
    monkeypatch.setattr(cells, "ROWS_PER_ROOT", 8)
    assert await recall(index, store, RecordFilter()) >= 0.95
    assert await recall(index, store, RecordFilter(kinds=(Kind.CHUNK,))) >= 0.95
    assert await recall(index, store, RecordFilter(kinds=(Kind.NOTE,))) >= 0.95
    assert await recall(index, store, RecordFilter(tags=("some",))) >= 0.9
    assert await recall(index, store, RecordFilter(tags=("rare",))) >= 0.9
    await index.close()


def test_the_number_of_cells_grows_with_the_root_of_the_vectors() -> None:
    assert [cell_count(count) for count in (1, 2, 100, 10_000, 1_000_000)] == [1, 2, 80, 800, 8_000]


def test_vectors_go_to_the_cell_whose_centre_is_nearest_or_nearly_so() -> None:
    rng = np.random.default_rng(3)
    matrix = of_topics(6_000, seed=4)
    centres = train(matrix, 300, rng=rng)
    assert abs(len(centres) - 300) < 30
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    scores = matrix @ centres.T
    chosen = scores[np.arange(len(matrix)), Assignment(centres, rng=rng).cells_of(matrix)]
    assert np.mean(chosen >= scores.max(axis=1) - 1e-6) > 0.9
    assert np.mean(chosen) > np.mean(scores.max(axis=1)) - 0.01


def test_any_number_of_any_vectors_can_be_clustered() -> None:
    rng = np.random.default_rng(3)
    for matrix in (np.zeros((50, 3)), np.ones((1, 3)), np.tile([0.6, 0.8, 0.0], (9, 1))):
        rows = matrix.astype(np.float32)
        centres = train(rows, cell_count(len(rows)), rng=rng)
        assert np.isfinite(centres).all()
        places = Assignment(centres, rng=rng).cells_of(rows)
        assert places.min() >= 0
        assert places.max() < len(centres)
