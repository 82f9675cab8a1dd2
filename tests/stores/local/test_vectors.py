"""How an index behaves in company: many searches, little memory, trouble in the store."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from remanent.errors import InvalidInput, StorageError, StoreClosed
from remanent.model import Kind, Scope
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.queries import RecordFilter, VectorChanges
from tests.stores.local.world import MODEL, SCOPE, Matrix, VectorStore, check, random_vectors

QUESTION = [1, 2, 3, 4, 5, 6, 7, 8]
ANY = RecordFilter()


def question(*values: float) -> Matrix:
    return np.array(values, dtype=np.float32)


@pytest.fixture
def store() -> VectorStore:
    store = VectorStore()
    store.put(random_vectors(200))
    return store


@pytest.fixture
async def index(store: VectorStore) -> AsyncIterator[LocalVectors]:
    index = LocalVectors(store.port)
    yield index
    await index.close()


# ── searching ────────────────────────────────────────────────────────────────


async def test_the_usual_search_asks_the_store_for_a_match_once(store: VectorStore, index: LocalVectors) -> None:
    await check(index, store, QUESTION)
    assert store.matched == [26]


async def test_a_filter_that_few_pass_is_exact_and_asks_of_no_record_twice(
    store: VectorStore, index: LocalVectors
) -> None:
    store.put(random_vectors(3_000, seed=1, prefix="s"))
    store.put(random_vectors(5, seed=2, prefix="t"), tags=("rare",))
    assert len(await check(index, store, QUESTION, record_filter=RecordFilter(tags=("rare",)))) == 5
    assert sum(store.matched) == 3_205
    assert len(store.matched) < 6


async def test_what_several_indexes_find_is_asked_of_the_store_once(store: VectorStore, index: LocalVectors) -> None:
    store.put(random_vectors(200), model="parts")
    vector = question(*QUESTION)
    both = [
        index.search(SCOPE, vector, model=model, record_filter=ANY, limit=limit, places=True)
        for model, limit in ((MODEL, 40), ("parts", 10))
    ]
    whole, parts = await asyncio.gather(*both)
    assert whole[:10] == parts
    assert store.matched == [56], "the parts were found among the texts"


async def test_kinds_are_told_apart_before_the_store_is_asked(store: VectorStore, index: LocalVectors) -> None:
    store.put(random_vectors(3, seed=1, prefix="n"), kind=Kind.NOTE)
    assert len(await check(index, store, QUESTION, record_filter=RecordFilter(kinds=(Kind.NOTE,)))) == 3
    assert await check(index, store, QUESTION, record_filter=RecordFilter(kinds=())) == []
    assert store.matched == [3]


async def test_equal_vectors_come_in_the_order_of_their_ids(store: VectorStore, index: LocalVectors) -> None:
    store.put({f"same-{number}": QUESTION for number in (5, 3, 9, 1, 7)})
    assert await check(index, store, QUESTION, limit=5) == [f"same-{number}" for number in (1, 3, 5, 7, 9)]


@pytest.mark.parametrize("values", [[1.0, np.nan], [np.inf, 1.0], [[1.0, 2.0]]])
async def test_a_question_that_is_no_vector_is_refused(index: LocalVectors, values: list[float]) -> None:
    with pytest.raises(InvalidInput):
        await index.search(SCOPE, np.array(values, dtype=np.float32), model=MODEL, record_filter=ANY, limit=1)


async def test_vectors_of_any_size_are_compared_by_direction(index: LocalVectors, store: VectorStore) -> None:
    store.kept.clear()
    store.put({"huge": [3e38, 3e38], "tiny": [1e-40, 0], "nothing": [0, 0], "broken": [np.nan, 1], "back": [-5, 0]})
    hits = await index.search(SCOPE, question(3e38, 1e38), model=MODEL, record_filter=ANY, limit=9)
    assert [hit.record_id for hit in hits] == ["tiny", "huge", "broken", "nothing", "back"]
    assert [hit.score for hit in hits] == pytest.approx([0.948683, 0.894427, 0, 0, -0.948683])


async def test_nothing_works_after_closing(index: LocalVectors) -> None:
    await index.close()
    with pytest.raises(StoreClosed):
        await index.search(SCOPE, question(1), model=MODEL, record_filter=ANY, limit=1)
    with pytest.raises(StoreClosed):
        await index.erased(SCOPE, ("r00001",))


# ── many at once ─────────────────────────────────────────────────────────────


async def test_searches_at_once_see_all_that_was_there_when_they_began(store: VectorStore, index: LocalVectors) -> None:
    fresh = random_vectors(60, seed=4, prefix="new")

    async def writer() -> None:
        for number, (record_id, values) in enumerate(fresh.items()):
            store.put({record_id: values})
            store.put({"r00000": values if number % 2 else -values})
            await asyncio.sleep(0)

    async def reader(number: int) -> None:
        for turn in range(8):
            there = [record_id for record_id in fresh if (MODEL, record_id) in store.kept]
            wanted = there[(number + turn) % len(there)] if there else "r00001"
            values = store.kept[MODEL, wanted].values
            hits = await index.search(SCOPE, values, model=MODEL, record_filter=ANY, limit=3)
            assert hits[0].record_id in (wanted, "r00000")
            assert wanted in [hit.record_id for hit in hits]

    await asyncio.gather(writer(), *(reader(number) for number in range(12)))
    await check(index, store, QUESTION, limit=50)


async def test_everything_is_loaded_once_however_many_ask(store: VectorStore, index: LocalVectors) -> None:
    await asyncio.gather(*(check(index, store, QUESTION) for _ in range(20)))
    assert store.asked_since == [0]


async def test_an_index_is_loading_until_the_first_search_has_all_of_it(
    store: VectorStore, index: LocalVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    changes = store.vector_changes

    async def watched(scope: Scope, model: str, **page: int) -> VectorChanges:
        seen.append(index.loading(SCOPE, model=MODEL))
        return await changes(scope, model, **page)

    monkeypatch.setattr(store, "vector_changes", watched)
    assert not index.loading(SCOPE, model=MODEL), "nobody has asked for it yet"
    await check(index, store, QUESTION)
    assert seen == [True]
    assert not index.loading(SCOPE, model=MODEL)


async def test_a_search_that_is_cancelled_leaves_the_index_whole(
    store: VectorStore, index: LocalVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    changes = store.vector_changes

    async def slow(scope: Scope, model: str, **page: int) -> VectorChanges:
        begun.set()
        await go.wait()
        return await changes(scope, model, **page)

    monkeypatch.setattr(store, "vector_changes", slow)
    first = asyncio.create_task(check(index, store, QUESTION))
    second = asyncio.create_task(check(index, store, QUESTION))
    await begun.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go.set()
    assert len(await second) == 10
    assert store.asked_since == [0], "what the cancelled search had begun was of use to the other"


async def test_trouble_of_the_store_reaches_the_caller_and_the_next_search_is_right(
    store: VectorStore, index: LocalVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> VectorChanges:
        raise StorageError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(store, "vector_changes", fail)
        with pytest.raises(StorageError):
            await check(index, store, QUESTION)
    await check(index, store, QUESTION)


@pytest.mark.parametrize("reset", [False, True])
async def test_vectors_are_loaded_page_by_page_and_again_when_that_was_broken_off(
    store: VectorStore, index: LocalVectors, monkeypatch: pytest.MonkeyPatch, reset: bool
) -> None:
    store.page = 7
    await check(index, store, QUESTION)
    store.put(random_vectors(40, seed=5))
    if reset:
        store.forget_removals()
    changes = store.vector_changes

    async def break_off(scope: Scope, model: str, **page: int) -> VectorChanges:
        if page.get("after"):
            raise StorageError("the disk is gone")
        return await changes(scope, model, **page)

    with monkeypatch.context() as patch:
        patch.setattr(store, "vector_changes", break_off)
        with pytest.raises(StorageError):
            await check(index, store, QUESTION)
    assert len(await check(index, store, QUESTION, limit=30)) == 30
    assert store.largest_page == 7


async def test_what_was_removed_after_a_first_load_was_broken_off_is_not_found(
    store: VectorStore, index: LocalVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.page = 150
    changes = store.vector_changes

    async def break_off(scope: Scope, model: str, **page: int) -> VectorChanges:
        if page.get("after"):
            raise StorageError("the disk is gone")
        return await changes(scope, model, **page)

    with monkeypatch.context() as patch:
        patch.setattr(store, "vector_changes", break_off)
        with pytest.raises(StorageError):
            await check(index, store, QUESTION)
    store.remove(f"r{number:05}" for number in range(0, 150, 2))
    assert len(await check(index, store, QUESTION, limit=200)) == 125


async def test_an_index_in_use_notices_that_the_store_went_back_in_time(
    store: VectorStore, index: LocalVectors
) -> None:
    await check(index, store, QUESTION)
    store.revision = 100
    store.kept = {key: kept for key, kept in store.kept.items() if kept.revision <= 100}
    await check(index, store, QUESTION)


# ── memory ───────────────────────────────────────────────────────────────────


async def test_the_index_not_used_for_longest_is_let_go_when_memory_is_short(store: VectorStore) -> None:
    for model in ("a", "b", "c"):
        store.put(random_vectors(50), model=model)
    index = LocalVectors(store.port, memory_budget=30_000)

    async def loads(model: str) -> bool:
        store.asked_since.clear()
        await index.search(SCOPE, question(*QUESTION), model=model, record_filter=ANY, limit=1)
        return bool(store.asked_since)

    assert await loads("a")
    assert await loads("b")
    assert not await loads("a")
    assert await loads("c")
    assert not await loads("c")
    assert not await loads("a"), "used after b, so b had to go"
    assert await loads("b")
    await index.close()


async def test_one_index_larger_than_the_budget_stays(store: VectorStore) -> None:
    index = LocalVectors(store.port, memory_budget=1)
    await check(index, store, QUESTION)
    await check(index, store, QUESTION)
    assert store.asked_since == [0]
    await index.close()


async def test_even_indexes_that_hold_nothing_are_let_go_at_last() -> None:
    index = LocalVectors(VectorStore().port, memory_budget=20_000)
    for number in range(100):
        await index.search(SCOPE, question(*QUESTION), model=f"model{number}", record_filter=ANY, limit=1)
    assert len(index._slots) <= 10
    await index.close()
