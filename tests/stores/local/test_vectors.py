"""How an index behaves in company: many searches, little memory, trouble on the disk, work in the background."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from remanent.errors import InvalidInput, StorageError, StoreClosed
from remanent.model import Kind, Scope
from remanent.stores.local import LocalVectors, files
from remanent.stores.local import vectors as local_vectors
from remanent.stores.local.cells import Cells
from remanent.stores.local.clustering import IndexSnapshot
from remanent.stores.local.files import CellsWriter, file_name
from remanent.stores.queries import Hit, RecordFilter, VectorChanges
from remanent.stores.sqlite.connection import PER_INDEX
from tests.descriptors import needs_proc, open_under
from tests.stores.local.world import MODEL, SCOPE, Matrix, VectorStore, check, random_vectors, rows_on_disk

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
    index = LocalVectors(store.port, lambda _: None)
    yield index
    await index.close()


@pytest.fixture
async def sealing(store: VectorStore, quick_folder: Path) -> AsyncIterator[LocalVectors]:
    index = LocalVectors(store.port, lambda _: quick_folder, exact_limit=20)
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


@pytest.mark.parametrize("exact_limit", [20, 1_000])
async def test_searches_at_once_see_all_that_was_there_when_they_began(
    store: VectorStore, quick_folder: Path, exact_limit: int
) -> None:
    vectors = LocalVectors(store.port, lambda _: quick_folder, exact_limit=exact_limit)
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
            hits = await vectors.search(SCOPE, values, model=MODEL, record_filter=ANY, limit=3)
            assert hits[0].record_id in (wanted, "r00000")
            assert wanted in [hit.record_id for hit in hits]

    await asyncio.gather(writer(), *(reader(number) for number in range(12)))
    await check(vectors, store, QUESTION, limit=50)
    await vectors.close()


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


# ── memory ───────────────────────────────────────────────────────────────────


async def test_the_index_not_used_for_longest_is_let_go_when_memory_is_short(store: VectorStore) -> None:
    for model in ("a", "b", "c"):
        store.put(random_vectors(50), model=model)
    index = LocalVectors(store.port, lambda _: None, memory_budget=30_000)

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
    index = LocalVectors(store.port, lambda _: None, memory_budget=1)
    await check(index, store, QUESTION)
    await check(index, store, QUESTION)
    assert store.asked_since == [0]
    await index.close()


# ── cells in a file ──────────────────────────────────────────────────────────


async def test_an_index_that_grew_is_sealed_in_the_background_and_opened_from_its_file(
    store: VectorStore, sealing: LocalVectors, quick_folder: Path
) -> None:
    await check(sealing, store, QUESTION)
    await sealing.settle()
    assert [path.name for path in files.index_files(quick_folder)] == [file_name(MODEL)]
    store.put(random_vectors(10, seed=8, prefix="late"))
    await check(sealing, store, QUESTION, limit=60)
    await sealing.close()
    store.asked_since.clear()
    fresh = LocalVectors(store.port, lambda _: quick_folder, exact_limit=20)
    await check(fresh, store, QUESTION, limit=60)
    assert store.asked_since == [200], "only what changed since was read"
    await fresh.close()


async def test_sealing_goes_on_as_the_agent_grows_and_shrinks(
    store: VectorStore, sealing: LocalVectors, quick_folder: Path
) -> None:
    for turn in range(8):
        store.put(random_vectors(300, seed=turn, prefix=f"t{turn}-"))
        await check(sealing, store, QUESTION, limit=30)
        await sealing.settle()
        store.remove(f"t{turn}-{number:05}" for number in range(0, 300, 3))
        await check(sealing, store, QUESTION, limit=30)
        await sealing.settle()
        assert len(files.index_files(quick_folder)) == 1
    everything = [record_id for _, record_id in store.kept]
    store.remove(everything[9:])
    await check(sealing, store, QUESTION, limit=30)
    assert rows_on_disk(quick_folder) == b"", "so few need no file"
    store.remove(everything)
    assert await check(sealing, store, QUESTION) == []


@pytest.mark.parametrize("in_folder", [True, False])
async def test_what_changes_while_cells_are_made_is_not_lost(
    store: VectorStore, quick_folder: Path, monkeypatch: pytest.MonkeyPatch, in_folder: bool
) -> None:
    index = LocalVectors(store.port, lambda _: quick_folder if in_folder else None, exact_limit=20)
    loop, begun, go = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    seal = local_vectors._seal

    def slow(snapshot: IndexSnapshot, writer: CellsWriter | None) -> Cells:
        loop.call_soon_threadsafe(begun.set)
        assert go.wait(60)
        return seal(snapshot, writer)

    monkeypatch.setattr(local_vectors, "_seal", slow)
    await check(index, store, QUESTION)
    await begun.wait()
    store.remove(f"r{number:05}" for number in range(0, 120, 2))
    store.put(random_vectors(30, seed=7))
    store.put({"brand new": QUESTION, "r00150": [-value for value in QUESTION]})
    before = await check(index, store, QUESTION, limit=200)
    assert before[0] == "brand new"
    go.set()
    await index.settle()
    assert index._slots[SCOPE, MODEL].index._cells is not None
    assert await check(index, store, QUESTION, limit=200) == before
    await index.close()


async def test_a_folder_that_cannot_be_written_to_does_no_harm(
    store: VectorStore, quick_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index = LocalVectors(store.port, lambda _: quick_folder / "missing", exact_limit=20)
    for _ in range(5):
        await check(index, store, QUESTION)
        await index.settle()
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1, "tried once, not always"
    await index.erased(SCOPE, ("r00001",))
    await index.close()


async def test_a_full_disk_leaves_nothing_behind_and_does_no_harm(
    store: VectorStore, sealing: LocalVectors, quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        await check(sealing, store, QUESTION)
        await sealing.settle()
    assert rows_on_disk(quick_folder) == b""
    assert not files.unfinished_files(quick_folder)
    await check(sealing, store, QUESTION)


async def test_closing_while_cells_are_made_leaves_nothing_behind(store: VectorStore, quick_folder: Path) -> None:
    store.put(random_vectors(3_000, seed=6, prefix="s"))
    index = LocalVectors(store.port, lambda _: quick_folder, exact_limit=20)
    await check(index, store, QUESTION)
    await index.close()
    assert not files.unfinished_files(quick_folder)


async def test_files_that_crashes_and_former_models_left_are_removed(
    store: VectorStore, sealing: LocalVectors, quick_folder: Path
) -> None:
    former = quick_folder / file_name("former")
    stale = quick_folder / f"{file_name(MODEL)}.1-abc.tmp"
    fresh = quick_folder / f"{file_name(MODEL)}.2-def.tmp"
    for path in (former, stale, fresh):
        path.write_bytes(b"x")
    os.utime(stale, (1, 1))
    await check(sealing, store, QUESTION)
    await sealing.settle()
    assert [path.exists() for path in (former, stale, fresh)] == [False, False, True]


async def test_two_processes_may_seal_into_the_same_folder(store: VectorStore, quick_folder: Path) -> None:
    indexes = [LocalVectors(store.port, lambda _: quick_folder, exact_limit=20) for _ in range(2)]
    for turn in range(6):
        store.put(random_vectors(80, seed=turn, prefix=f"t{turn}-"))
        store.remove([f"r{turn:05}"])
        await asyncio.gather(*(check(index, store, QUESTION, limit=40) for index in indexes))
        if turn % 2:
            await asyncio.gather(*(index.settle() for index in indexes))
    for index in indexes:
        await check(index, store, QUESTION, limit=500)
        await index.close()


@needs_proc
async def test_few_index_files_are_open_at_a_time_and_searches_wait_for_their_turn(
    store: VectorStore, quick_folder: Path
) -> None:
    models = [f"model{number}" for number in range(5)]
    for model in models:
        store.put(random_vectors(200), model=model)
    index = LocalVectors(store.port, lambda _: quick_folder, exact_limit=20, max_files=2)

    async def ask(model: str) -> list[Hit]:
        return await index.search(SCOPE, question(*QUESTION), model=model, record_filter=ANY, limit=3)

    first = []
    for model in models:
        first.append(await ask(model))
        await index.settle()
        assert len(open_under(quick_folder)) <= 2 * PER_INDEX
    assert len(files.index_files(quick_folder)) == len(models)
    for _ in range(2):
        assert [[hit.record_id for hit in hits] for hits in await asyncio.gather(*map(ask, models))] == [
            [hit.record_id for hit in hits] for hits in first
        ]
        assert len(open_under(quick_folder)) <= 2 * PER_INDEX
    await index.close()
    assert open_under(quick_folder) == []


async def test_even_indexes_that_hold_nothing_are_let_go_at_last() -> None:
    index = LocalVectors(VectorStore().port, lambda _: None, memory_budget=20_000)
    for number in range(100):
        await index.search(SCOPE, question(*QUESTION), model=f"model{number}", record_filter=ANY, limit=1)
    assert len(index._slots) <= 10
    await index.close()
