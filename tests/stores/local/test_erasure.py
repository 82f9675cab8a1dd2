"""What was erased leaves no byte in memory or in any index file."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from remanent.errors import StorageError
from remanent.stores.local import LocalVectors, files
from remanent.stores.local.files import CellsWriter, file_name
from remanent.stores.queries import RecordFilter
from tests.power import Disk
from tests.stores.local.world import MODEL, SCOPE, VectorStore, check, random_vectors, rows_on_disk, unit_bytes

QUESTION = [1, 2, 3, 4, 5, 6, 7, 8]


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = VectorStore()
        self.vectors = random_vectors(200)
        self.store.put(self.vectors)
        self.opened: list[LocalVectors] = []

    async def open(self) -> LocalVectors:
        index = LocalVectors(self.store.port, lambda _: self.folder, exact_limit=20)
        self.opened.append(index)
        await check(index, self.store, QUESTION)
        await index.settle()
        return index

    def on_disk(self, record_id: str) -> bool:
        return unit_bytes(self.vectors[record_id]) in rows_on_disk(self.folder)


@pytest.fixture
async def place(quick_folder: Path) -> AsyncIterator[Place]:
    place = Place(quick_folder)
    yield place
    for index in place.opened:
        await index.close()


async def test_an_erased_vector_is_overwritten_in_the_file_and_the_rest_stays_of_use(place: Place) -> None:
    index = await place.open()
    assert place.on_disk("r00007")
    place.store.remove(["r00007"])
    await index.erased(SCOPE, ("r00007",))
    assert not place.on_disk("r00007")
    assert place.on_disk("r00008")
    await check(index, place.store, place.vectors["r00007"])
    place.store.asked_since.clear()
    again = await place.open()
    await check(again, place.store, place.vectors["r00007"])
    assert 0 not in place.store.asked_since, "the overwritten file is still believed"


async def test_no_centre_of_a_cell_gives_away_what_was_in_it(place: Place) -> None:
    """A cell of one vector has that vector for its centre."""
    index = await place.open()
    for record_id in list(place.vectors)[:15]:
        place.store.remove([record_id])
        await index.erased(SCOPE, (record_id,))
        assert not place.on_disk(record_id)
    [path] = files.index_files(place.folder)
    assert path.exists(), "overwritten, not removed"
    in_memory = LocalVectors(place.store.port, lambda _: None, exact_limit=20)
    place.opened.append(in_memory)
    await check(in_memory, place.store, QUESTION)
    await in_memory.settle()
    cells = in_memory._slots[SCOPE, MODEL].index._cells
    assert cells is not None
    gone = list(place.vectors)[20]
    place.store.remove([gone])
    await in_memory.erased(SCOPE, (gone,))
    everything = cells.parts.matrix.tobytes() + cells.parts.centres.tobytes()
    assert unit_bytes(place.vectors[gone]) not in everything
    assert unit_bytes(place.vectors[list(place.vectors)[21]]) in everything


async def test_it_is_overwritten_also_when_nobody_has_opened_the_index(place: Place) -> None:
    await (await place.open()).close()
    place.store.remove(["r00007"])
    fresh = LocalVectors(place.store.port, lambda _: place.folder, exact_limit=20)
    place.opened.append(fresh)
    await fresh.erased(SCOPE, ("r00007", "never heard of"))
    assert not place.on_disk("r00007")
    await check(fresh, place.store, QUESTION, limit=50)
    assert 0 not in place.store.asked_since[1:]


async def test_many_erased_at_once_take_the_file_with_them(place: Place) -> None:
    index = await place.open()
    gone = [f"r{number:05}" for number in range(150)]
    place.store.remove(gone)
    await index.erased(SCOPE, tuple(gone))
    assert not any(place.on_disk(record_id) for record_id in gone)
    await check(index, place.store, QUESTION, limit=60)


async def test_a_crash_before_the_index_heard_of_it_is_made_good_at_the_next_search(place: Place) -> None:
    await (await place.open()).close()
    place.store.remove(["r00003"])
    place.store.put({"r00004": [9, 8, 7, 6, 5, 4, 3, 2]})
    assert place.on_disk("r00003")
    await place.open()
    assert not place.on_disk("r00003")
    assert not place.on_disk("r00004"), "the vector that was replaced is gone too"


async def test_a_reset_removes_the_file_since_nobody_knows_what_was_erased(place: Place) -> None:
    await (await place.open()).close()
    place.store.remove(["r00003"])
    place.store.forget_removals()
    place.store.put({"one more": QUESTION})
    await place.open()
    assert not place.on_disk("r00003")


async def test_a_record_put_again_under_an_erased_id_is_found_where_it_is_now(place: Place) -> None:
    index, other = await place.open(), await place.open()
    place.store.remove(["r00003"])
    place.store.put({"r00003": QUESTION})
    await check(index, place.store, QUESTION)
    await index.erased(SCOPE, ("r00003",))
    assert not place.on_disk("r00003")
    assert (await check(index, place.store, QUESTION))[0] == "r00003"
    assert (await check(other, place.store, QUESTION))[0] == "r00003"


async def test_a_record_put_again_is_found_also_when_the_file_holds_its_new_vector(place: Place) -> None:
    index = await place.open()
    place.store.remove(["r00003"])
    place.store.put({"r00003": QUESTION, **random_vectors(200, seed=4, prefix="s")})
    await check(index, place.store, QUESTION)
    await index.settle()
    other = await place.open()
    assert unit_bytes(QUESTION) in rows_on_disk(place.folder)
    await index.erased(SCOPE, ("r00003",))
    assert not place.on_disk("r00003")
    for one in (index, other, await place.open()):
        assert (await check(one, place.store, QUESTION))[0] == "r00003"


async def test_another_process_with_the_file_open_goes_on_rightly(place: Place) -> None:
    index, other = await place.open(), await place.open()
    place.store.remove(["r00005"])
    await index.erased(SCOPE, ("r00005",))
    await check(other, place.store, place.vectors["r00005"])
    place.store.put(random_vectors(200, seed=3, prefix="s"))
    await check(other, place.store, QUESTION)
    await other.settle()
    await check(index, place.store, QUESTION)
    await index.settle()
    assert not place.on_disk("r00005")


async def test_a_file_that_was_begun_before_an_erasure_never_gets_its_name(place: Place) -> None:
    writer = CellsWriter(place.folder / file_name(MODEL), token="1")
    bystander = place.folder / "memory.db"
    bystander.write_bytes(b"not ours")
    files.erase(place.folder, ["r00001"])
    with pytest.raises(FileNotFoundError):
        writer.publish()
    writer.abandon()
    assert rows_on_disk(place.folder) == b"not ours"


async def test_an_erasure_during_sealing_leaves_no_trace_and_sealing_begins_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = LocalVectors(place.store.port, lambda _: place.folder, exact_limit=20)
    place.opened.append(index)
    publish = CellsWriter.publish

    def erase_first(writer: CellsWriter) -> None:
        monkeypatch.setattr(CellsWriter, "publish", publish)
        place.store.remove(["r00009"])
        files.erase(place.folder, ["r00009"])  # as another process does
        publish(writer)

    monkeypatch.setattr(CellsWriter, "publish", erase_first)
    await check(index, place.store, QUESTION)
    await index.settle()
    assert rows_on_disk(place.folder) == b""
    await check(index, place.store, QUESTION)
    await index.settle()
    assert len(files.index_files(place.folder)) == 1
    assert not place.on_disk("r00009")


async def test_memory_is_overwritten_too(place: Place) -> None:
    index = LocalVectors(place.store.port, lambda _: None)
    place.opened.append(index)
    await check(index, place.store, QUESTION)
    slot = index._slots[SCOPE, MODEL]
    rows = slot.index._rows
    assert rows is not None
    blocks = rows._blocks[:]
    erased = np.frombuffer(unit_bytes(place.vectors["r00011"]), dtype=np.float32)
    assert any((block == erased).all(axis=1).any() for block in blocks)
    place.store.remove(["r00011"])
    await index.erased(SCOPE, ("r00011",))
    assert not any((block == erased).all(axis=1).any() for block in blocks)


async def test_an_erasure_that_cannot_be_done_is_not_acknowledged(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await place.open()
    place.store.remove(["r00001"])

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(files, "remove", refuse)
    monkeypatch.setattr(files.CellsFile, "overwrite", refuse)
    with pytest.raises(StorageError):
        await index.erased(SCOPE, ("r00001",))
    hits = await index.search(
        SCOPE, np.array(QUESTION, dtype=np.float32), model=MODEL, record_filter=RecordFilter(), limit=5
    )
    assert len(hits) == 5


# ── power cuts ───────────────────────────────────────────────────────────────


async def test_a_file_that_has_its_name_is_whole_after_a_power_cut(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(place.folder, monkeypatch)
    await place.open()
    [path] = files.index_files(disk.image(tmp_path / "left"))
    assert files.examine(path, MODEL, 5)[1]


@pytest.mark.spec("SAFE-06")
async def test_an_erased_vector_is_gone_after_a_power_cut(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await place.open()
    disk = Disk(place.folder, monkeypatch)
    place.store.remove(["r00007"])
    await index.erased(SCOPE, ("r00007",))
    left = rows_on_disk(disk.image(tmp_path / "left"))
    assert unit_bytes(place.vectors["r00007"]) not in left
    assert unit_bytes(place.vectors["r00008"]) in left


@pytest.mark.spec("SAFE-06")
async def test_a_removed_file_does_not_come_back_after_a_power_cut(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await place.open()
    disk = Disk(place.folder, monkeypatch)
    files.remove_all(place.folder)
    assert files.index_files(disk.image(tmp_path / "left")) == []
