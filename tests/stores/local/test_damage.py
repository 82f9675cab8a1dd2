"""A damaged index file is never believed: the answers come from the store then, and a sound file after them."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remanent.stores.local import LocalVectors
from remanent.stores.local.files import CellsFile, file_name
from remanent.stores.queries import RecordFilter
from tests.stores.local.world import MODEL, SCOPE, VectorStore, check, random_vectors, unit_bytes

QUESTION = [1, -2, 3, -4, 5, -6, 7, -8]


class Sealed:
    """A store of some hundred vectors, and the file that an index made of them."""

    def __init__(self, folder: Path) -> None:
        self.store = VectorStore()
        self.store.put(random_vectors(300))
        self.folder = folder
        self.pristine = folder / "pristine"

    def open(self) -> LocalVectors:
        return LocalVectors(self.store.port, lambda _: self.folder, exact_limit=20)

    @property
    def path(self) -> Path:
        return self.folder / file_name(MODEL)

    async def make(self) -> None:
        index = self.open()
        await check(index, self.store, QUESTION)
        await index.settle()
        await index.close()
        shutil.copy(self.path, self.pristine)

    async def answer(self, *, mend: bool = False) -> bool:
        """Search with a fresh index, which may then write a new file; return whether the old one was believed."""
        self.store.asked_since.clear()
        index = self.open()
        await check(index, self.store, QUESTION, limit=40)
        if mend:
            await index.settle()
        await index.close()
        return 0 not in self.store.asked_since

    async def answer_after(self, harm: Callable[[bytearray], None], *, mend: bool = False) -> bool:
        content = bytearray(self.pristine.read_bytes())
        harm(content)
        self.path.write_bytes(content)
        return await self.answer(mend=mend)


@pytest.fixture
async def sealed(quick_folder: Path) -> Sealed:
    sealed = Sealed(quick_folder)
    await sealed.make()
    return sealed


def flip(place: int, bits: int = 1) -> Callable[[bytearray], None]:
    def harm(content: bytearray) -> None:
        content[place % len(content)] ^= bits

    return harm


def cut(size: int) -> Callable[[bytearray], None]:
    def harm(content: bytearray) -> None:
        del content[size:]

    return harm


async def test_a_sound_file_is_believed(sealed: Sealed) -> None:
    assert await sealed.answer()


async def test_flipped_bits_all_over_the_file_change_no_answer(sealed: Sealed) -> None:
    size = sealed.pristine.stat().st_size
    for place in range(0, size, size // 150):
        assert not await sealed.answer_after(flip(place, 1 << place % 8)), f"nobody noticed byte {place}"


async def test_every_flipped_bit_of_the_rows_is_noticed(sealed: Sealed) -> None:
    size = sealed.pristine.stat().st_size
    rows = 300 * 8 * 4
    for place in range(size - rows, size, 331):
        assert not await sealed.answer_after(flip(place))


async def test_a_file_cut_anywhere_or_grown_changes_no_answer(sealed: Sealed) -> None:
    size = sealed.pristine.stat().st_size
    for length in [0, 1, 11, 4_095, 4_096, 4_097, *range(5_000, size, size // 20), size - 1]:
        assert not await sealed.answer_after(cut(length)), length
    assert not await sealed.answer_after(lambda content: content.extend(b"\0" * 100))


async def test_zeroed_pages_and_strange_contents_change_no_answer(sealed: Sealed) -> None:
    for start in range(0, sealed.pristine.stat().st_size, 4_096):

        def zero(content: bytearray, start: int = start) -> None:
            content[start : start + 4_096] = bytes(len(content[start : start + 4_096]))

        assert not await sealed.answer_after(zero)
    assert not await sealed.answer_after(lambda content: content.__setitem__(slice(None), b"not an index" * 1_000))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(harms=st.lists(st.tuples(st.integers(0, 2**16), st.integers(1, 255)), min_size=1, max_size=20))
async def test_any_damage_changes_no_answer(sealed: Sealed, harms: list[tuple[int, int]]) -> None:
    def harm(content: bytearray) -> None:
        for place, bits in harms:
            content[place % len(content)] ^= bits

    await sealed.answer_after(harm)


async def test_a_damaged_file_is_replaced_by_a_sound_one_and_only_mentioned(
    sealed: Sealed, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="remanent.stores.local"):
        assert not await sealed.answer_after(flip(5_000), mend=True)
    assert caplog.records
    assert all(record.levelno == logging.INFO for record in caplog.records)
    assert await sealed.answer(), "the next one has a sound file again"


async def test_the_file_of_another_model_or_machine_is_not_believed(sealed: Sealed) -> None:
    sealed.store.put(random_vectors(300, seed=5), model="other")
    index = sealed.open()
    values = sealed.store.kept["other", "r00001"].values
    await index.search(SCOPE, values, model="other", record_filter=RecordFilter(), limit=1)
    await index.settle()
    await index.close()
    files = sorted(sealed.folder.glob("vectors-*.idx"))
    assert len(files) == 2
    [other] = [content for path in files if (content := path.read_bytes()) != sealed.pristine.read_bytes()]
    for path in files:
        path.write_bytes(other)
    await sealed.answer()


async def test_the_file_of_another_store_is_not_believed(sealed: Sealed) -> None:
    sealed.store.kept.clear()
    sealed.store.removed.clear()
    sealed.store.revision = 0
    sealed.store.put(random_vectors(400, seed=9, prefix="s"))
    assert not await sealed.answer()


async def test_a_store_that_went_back_in_time_is_believed_and_the_file_is_not(sealed: Sealed) -> None:
    sealed.store.revision = 250
    sealed.store.kept = {key: kept for key, kept in sealed.store.kept.items() if kept.revision <= 250}
    assert not await sealed.answer()


async def test_a_file_newer_than_the_store_is_not_believed_even_if_all_its_records_are_known(sealed: Sealed) -> None:
    former = dict(sealed.store.kept)
    sealed.store.put(random_vectors(100, seed=2))
    await sealed.answer(mend=True)
    assert await sealed.answer()
    sealed.store.kept = former
    sealed.store.revision = 300
    assert not await sealed.answer()


async def test_overwriting_does_not_bless_damage_beside_it(sealed: Sealed) -> None:
    file = CellsFile.open(sealed.path)
    cells = file.cells()
    crowded = int(np.argmax(np.diff(cells.parts.offsets)))
    start = int(cells.parts.offsets[crowded])
    assert cells.parts.offsets[crowded + 1] - start > 1
    erased, damaged = cells.names.at(np.array([start, start + 1]))
    file.close()
    content = bytearray(sealed.path.read_bytes())
    content[content.rindex(unit_bytes(sealed.store.kept[MODEL, damaged].values)) + 3] ^= 0x80
    sealed.path.write_bytes(content)
    question = sealed.store.kept[MODEL, damaged].values
    sealed.store.remove([erased])
    index = sealed.open()
    await index.erased(SCOPE, (erased,))
    assert (await check(index, sealed.store, question))[0] == damaged
    await index.close()


async def test_an_index_in_use_notices_that_the_store_went_back_in_time(sealed: Sealed) -> None:
    index = sealed.open()
    await check(index, sealed.store, QUESTION)
    sealed.store.revision = 100
    sealed.store.kept = {key: kept for key, kept in sealed.store.kept.items() if kept.revision <= 100}
    await check(index, sealed.store, QUESTION)
    await index.close()


async def test_damage_that_appears_while_the_file_is_open_is_noticed_at_the_first_look(quick_folder: Path) -> None:
    """The rows of a cell are checked when they are first looked at, also long after opening."""
    sealed = Sealed(quick_folder)
    await sealed.make()
    index = sealed.open()
    sealed.store.put({"extra": QUESTION})
    rows = 300 * 8 * 4
    with sealed.path.open("r+b") as file:
        file.seek(-rows + 40, 2)
        file.write(b"\xff")
    await check(index, sealed.store, QUESTION, limit=40)
    await index.close()
