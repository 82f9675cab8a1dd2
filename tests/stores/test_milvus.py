from collections.abc import AsyncIterator, Iterator
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from remanent.errors import InvalidSettings, StoreBusy
from remanent.memory import aopen
from remanent.stores.conformance import VectorsConformance
from remanent.stores.conformance.base import MODEL, Samples, make_vector, vector_bytes
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.queries import Erasure, ErasureDepth, Hit, RecordFilter
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store, vector_pages
from remanent.stores.transaction import PutVector
from remanent.stores.vectors import Vectors
from tests.servers import ServerProcess, free_port, has_milvus, milvus

if not has_milvus():
    pytest.skip("pymilvus or milvus-lite is not installed", allow_module_level=True)

if TYPE_CHECKING:
    from remanent.stores.milvus import MilvusVectors

_spaces = count()


def adapter() -> Any:
    """Return what is tested, loaded by the process whose tests it is: its client brings pandas, a second of CPU."""
    return import_module("remanent.stores.milvus")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with milvus() as server:
        yield server


@pytest.fixture
def url(server: ServerProcess) -> str:
    """A place of its own on the server; collections are shared, as they are between the agents of one memory."""
    return f"milvus://127.0.0.1:{server.port}?space={next(_spaces)}"


class Refusing(LocalVectors):
    """Stands beside Milvus and must not be needed."""

    async def search_all(self, *_: Any, **__: Any) -> list[list[Hit]]:
        raise AssertionError("Milvus did not answer")


class Index:
    """A store with vectors of Milvus over it."""

    def __init__(self, folder: Path, url: str, *, alone: bool = True, patience: float = 60) -> None:
        self.store = SqliteStore(folder)
        beside = (Refusing if alone else LocalVectors)(self.store)
        self.vectors: MilvusVectors = adapter().MilvusVectors(url, self.store, beside=beside, patience=patience)
        self.samples = Samples()
        self.scope = self.samples.make_scope()

    async def keep(self, *values: float) -> str:
        record = self.samples.make_record(self.scope)
        async with self.store.transaction(self.scope) as tx:
            tx.put(record, expects=0)
            tx.changes.append(PutVector(record.id, MODEL, vector_bytes(*values)))
        return record.id

    @property
    def place(self) -> Any:
        return self.vectors._place(self.scope, MODEL, len(make_vector(1)))

    async def near(self, *values: float, limit: int = 10) -> list[str]:
        hits = await self.vectors.search(
            self.scope, make_vector(*values), model=MODEL, record_filter=RecordFilter(), limit=limit
        )
        return [hit.record_id for hit in hits]

    async def close(self) -> None:
        await self.vectors.close()
        await self.store.close()


@pytest.fixture
async def index(tmp_path: Path, url: str) -> AsyncIterator[Index]:
    index = Index(tmp_path / "one", url)
    yield index
    await index.close()


async def marked(index: Index, revision: int) -> None:
    """Have the rows of the agent say that they stand at a revision."""
    row = adapter()._row(index.place.agent, "", "", revision, np.zeros(index.place.dimension, np.float32))
    await index.vectors._ask(lambda client: client.upsert(index.place.collection, [row]))


class TestMilvusVectors(VectorsConformance):
    @pytest.fixture
    async def opened(self, index: Index) -> tuple[Store, Vectors]:
        return index.store, index.vectors


async def test_an_agent_that_keeps_nothing_is_asked_before_there_is_any_collection(index: Index) -> None:
    never_made = np.ones(7, np.float32)
    for _ in range(2):
        assert not await index.vectors.search(
            index.scope, never_made, model="of nobody", record_filter=RecordFilter(), limit=3
        )


async def test_a_second_process_takes_over_what_the_first_has_copied(
    index: Index, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [await index.keep(1, number) for number in range(3)]
    assert await index.near(1, 0) == kept
    second = Index(tmp_path / "one", url)
    written: list[object] = []
    monkeypatch.setattr(adapter(), "_write", lambda *given: written.append(given))
    assert await second.near(1, 0) == kept
    assert written == []
    await second.close()


async def test_a_writer_that_stopped_half_way_leaves_nothing_wrong(index: Index, url: str, tmp_path: Path) -> None:
    """It read the changes, was overtaken, and then wrote an old vector and an old mark."""
    moved, gone = await index.keep(1, 0), await index.keep(0.9, 0.1)
    old = await index.store.vector_changes(index.scope, MODEL, since=0)
    assert await index.near(1, 0) == [moved, gone]
    await index.store.commit(index.scope, [PutVector(moved, MODEL, vector_bytes(-1, 0))])
    async with index.store.transaction(index.scope) as tx:
        tx.drop(gone)
    assert await index.near(1, 0) == [moved]
    place = index.place
    newest = await index.vectors._ask(adapter()._mark, place)
    assert newest is not None
    await index.vectors._ask(adapter()._write, place, old, False)
    for revision in (old.revision, newest):
        await marked(index, revision)
        hits = await index.vectors.search(
            index.scope, make_vector(1, 0), model=MODEL, record_filter=RecordFilter(), limit=9
        )
        assert [(hit.record_id, round(hit.score, 3)) for hit in hits] == [(moved, -1.0)]


async def test_rows_are_copied_page_by_page_and_marked_after_the_last(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter(), "vector_pages", partial(vector_pages, limit=2))
    kept = [await index.keep(1, number) for number in range(4)]
    assert await index.near(1, 0) == kept
    assert await index.vectors._ask(adapter()._mark, index.place) == await index.store.vector_revision(index.scope)
    await index.store.erase(index.scope, Erasure(record_ids=(kept[0],)))
    more = [await index.keep(1, number) for number in range(4, 7)]
    assert await index.near(1, 0) == [*kept[1:], *more]


async def test_what_milvus_lost_is_copied_again(index: Index) -> None:
    kept = await index.keep(1, 0)
    assert await index.near(1) == [kept]
    await index.vectors._ask(
        lambda client: [client.drop_collection(name) for name in client.list_collections() if "remanent" in name]
    )
    assert await index.near(1) == [kept]


async def test_rows_of_another_database_are_replaced(index: Index, url: str, tmp_path: Path) -> None:
    """An older copy of the store was put back, and has come to the same revision by other words."""
    await index.keep(1, 0)
    await index.near(1)
    other = Index(tmp_path / "two", url)
    other.samples = Samples(seed=8)
    kept = await other.keep(0, 1)
    await marked(index, await other.store.vector_revision(other.scope))
    assert await other.near(0, 1) == [kept]
    await other.close()


@pytest.mark.spec("COG-18")
@pytest.mark.parametrize("everything", [False, True])
async def test_erasing_removes_the_rows_and_claims_no_more(index: Index, everything: bool) -> None:
    gone, kept = await index.keep(1, 0), await index.keep(0, 1)
    await index.near(1)
    erased = await index.store.erase(index.scope, Erasure(record_ids=(gone,), everything=everything))
    await index.vectors.erased(index.scope, None if everything else erased.record_ids)
    assert await index.vectors._ask(adapter()._records, index.place) == ([] if everything else [kept])
    assert await index.vectors.check(index.scope) == ()
    assert index.vectors.depth is ErasureDepth.UNREADABLE


async def test_without_milvus_answers_are_the_same_and_an_erasure_waits(tmp_path: Path) -> None:
    index = Index(tmp_path, f"milvus://127.0.0.1:{free_port()}", alone=False)
    kept = [await index.keep(1, number) for number in range(3)]
    assert await index.near(1, 0) == kept
    erased = await index.store.erase(index.scope, Erasure(record_ids=(kept[0],)))
    with pytest.raises(StoreBusy, match=r"vectors\.url"):
        await index.vectors.erased(index.scope, erased.record_ids)
    assert await index.near(1, 0) == kept[1:]
    await index.close()


class Gate:
    """Holds up requests of one kind until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, work: str) -> None:
        self._held, self._open, self.asked = getattr(adapter(), work), Event(), 0
        monkeypatch.setattr(adapter(), work, self)

    def __call__(self, *arguments: Any) -> Any:
        self.asked += 1
        assert self._open.wait(60)
        return self._held(*arguments)

    def open(self) -> None:
        self._open.set()


async def test_a_server_that_hangs_holds_up_one_search_for_a_moment_and_none_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter(), "MilvusClient", lambda **_: SimpleNamespace(close=lambda: None))
    hanging = Gate(monkeypatch, "_mark")
    index = Index(tmp_path, "milvus://127.0.0.1:1", alone=False, patience=0.01)
    kept = [await index.keep(1, number) for number in range(3)]
    assert await index.near(1, 0) == kept
    index.vectors._patience = 3600  # whoever waits for it now does not come back
    assert await index.near(1, 0) == await index.near(1, 0) == kept
    assert hanging.asked == 1
    hanging.open()
    await index.close()


async def test_copying_goes_on_behind_searches_that_do_not_wait_for_it(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copying = Gate(monkeypatch, "_write")
    index = Index(tmp_path, url, alone=False, patience=0.01)
    kept = [await index.keep(1, number) for number in range(3)]
    assert await index.near(1, 0) == await index.near(1, 0) == kept
    [task] = index.vectors._late.values()
    copying.open()
    await task
    assert copying.asked == 1
    assert sorted(await index.vectors._ask(adapter()._records, index.place)) == sorted(kept)
    alone = Index(tmp_path, url)
    assert await alone.near(1, 0) == kept, "there is nothing left to copy"
    assert copying.asked == 1
    await alone.close()
    await index.close()


async def test_a_whole_memory_is_searched_by_milvus(server: ServerProcess, url: str, tmp_path: Path) -> None:
    async with aopen(tmp_path, vectors={"url": url}) as memory:
        ada = memory.agent("ada")
        await ada.remember("The boiler was serviced in March.")
        await ada.remember("Ada moved to Lisbon in May.")
        await memory.settle()
        assert "boiler" in (await ada.recall("When was the heating looked after?")).items[0].text
        erased = await ada.erase(everything=True)
        assert erased.depth is ErasureDepth.UNREADABLE
        assert not (await ada.recall("When was the heating looked after?")).items


async def test_a_file_of_milvus_lite_keeps_the_vectors_of_one_process(tmp_path: Path) -> None:
    index = Index(tmp_path / "store", f"milvus://{tmp_path}/vectors.db")
    kept = await index.keep(1, 0)
    assert await index.near(1) == [kept]
    await index.close()


@pytest.mark.parametrize("url", ["milvus://", "milvus://host?spaces=x", "redis://host"])
def test_a_url_that_says_too_little_or_too_much_is_refused(url: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with pytest.raises(InvalidSettings):
        adapter().MilvusVectors(url, store, beside=LocalVectors(store), patience=1)
