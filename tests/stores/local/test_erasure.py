"""What was erased leaves no byte in memory."""

from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.stores.local_vectors import LocalVectors
from tests.stores.local.world import MODEL, SCOPE, VectorStore, check, random_vectors, unit_bytes

QUESTION = [1, 2, 3, 4, 5, 6, 7, 8]


class Place:
    def __init__(self) -> None:
        self.store = VectorStore()
        self.vectors = random_vectors(200)
        self.store.put(self.vectors)
        self.opened: list[LocalVectors] = []

    async def open(self) -> LocalVectors:
        index = LocalVectors(self.store.port)
        self.opened.append(index)
        await check(index, self.store, QUESTION)
        return index


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    place = Place()
    yield place
    for index in place.opened:
        await index.close()


async def test_an_erased_vector_is_overwritten_in_memory(place: Place) -> None:
    index = await place.open()
    rows = index._slots[SCOPE, MODEL].rows
    assert rows is not None
    blocks = rows._blocks[:]
    erased = np.frombuffer(unit_bytes(place.vectors["r00011"]), dtype=np.float32)
    assert any((block == erased).all(axis=1).any() for block in blocks)
    place.store.remove(["r00011"])
    await index.erased(SCOPE, ("r00011",))
    assert not any((block == erased).all(axis=1).any() for block in blocks)


async def test_it_is_let_go_of_when_nobody_knows_what_was_erased(place: Place) -> None:
    index = await place.open()
    before = index._slots[SCOPE, MODEL].rows
    assert before is not None
    held: list[NDArray[Any]] = [*before._blocks, *(codes._bytes for codes in before._codes)]
    assert all(part.any() for part in held)
    place.store.remove(["r00003"])
    place.store.forget_removals()
    place.store.put({"one more": QUESTION})
    await index.erased(SCOPE, None)
    assert index._slots[SCOPE, MODEL].rows is not before
    assert not any(part.any() for part in held), "memory that is given back keeps what it held"
    assert len(await check(index, place.store, QUESTION, limit=300)) == 200


async def test_an_index_that_has_grown_leaves_nothing_where_it_was(place: Place) -> None:
    index = LocalVectors(place.store.port)
    place.opened.append(index)
    await check(index, place.store, QUESTION)
    rows = index._slots[SCOPE, MODEL].rows
    assert rows is not None
    held: list[NDArray[Any]] = [*rows._blocks, *(codes._bytes for codes in rows._codes)]
    place.store.put(random_vectors(400, seed=3, prefix="s"))
    await check(index, place.store, QUESTION)
    assert rows._blocks[0] is not held[0]
    assert not any(part.any() for part in held)


async def test_an_erasure_of_what_was_never_heard_of_does_no_harm(place: Place) -> None:
    index = LocalVectors(place.store.port)
    place.opened.append(index)
    place.store.remove(["r00007"])
    await index.erased(SCOPE, ("r00007", "never heard of"))
    await check(index, place.store, QUESTION, limit=50)


async def test_a_record_put_again_under_an_erased_id_is_found_where_it_is_now(place: Place) -> None:
    index, other = await place.open(), await place.open()
    place.store.remove(["r00003"])
    place.store.put({"r00003": QUESTION})
    await check(index, place.store, QUESTION)
    await index.erased(SCOPE, ("r00003",))
    assert (await check(index, place.store, QUESTION))[0] == "r00003"
    assert (await check(other, place.store, QUESTION))[0] == "r00003"


async def test_another_process_that_has_it_in_memory_goes_on_rightly(place: Place) -> None:
    index, other = await place.open(), await place.open()
    place.store.remove(["r00005"])
    await index.erased(SCOPE, ("r00005",))
    await check(other, place.store, place.vectors["r00005"])
    place.store.put(random_vectors(200, seed=3, prefix="s"))
    await check(other, place.store, QUESTION)
    await check(index, place.store, QUESTION)
