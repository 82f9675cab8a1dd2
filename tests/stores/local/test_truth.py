"""Whatever happens, an index finds what a plain search over the store's vectors finds."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.model import Kind
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.queries import RecordFilter
from tests.stores.local.world import MODEL, SCOPE, VectorStore, check

IDS = [f"record-{number}" for number in range(40)]
KINDS = (Kind.TURN, Kind.NOTE, Kind.CHUNK)
vectors_of_three = st.lists(st.integers(-4, 4), min_size=3, max_size=3)
some_ids = st.lists(st.sampled_from(IDS), max_size=30, unique=True)
filters = st.builds(
    RecordFilter,
    kinds=st.none() | st.lists(st.sampled_from(KINDS), unique=True).map(tuple),
    tags=st.sampled_from([(), (), ("red",), ("red", "round")]),
)
Step = tuple[str, Any]
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.just("put"),
        st.tuples(
            st.dictionaries(st.sampled_from(IDS), vectors_of_three, max_size=30),
            st.sampled_from(KINDS),
            st.sampled_from([(), ("red",), ("red", "round")]),
        ),
    ),
    st.tuples(st.just("remove"), some_ids),
    st.tuples(st.just("erase"), some_ids),
    st.tuples(st.just("search"), st.tuples(vectors_of_three, filters, st.integers(1, 12))),
    st.tuples(st.just("search"), st.tuples(vectors_of_three, filters, st.integers(1, 12))),
    st.tuples(st.sampled_from(["settle", "reopen", "other", "forget_removals"]), st.none()),
)


class World:
    """A store, and two indexes over it as two processes would have them."""

    def __init__(self) -> None:
        self.store = VectorStore()
        self.indexes = [self.open(), self.open()]

    def open(self) -> LocalVectors:
        return LocalVectors(self.store.port)

    async def step(self, name: str, given: Any) -> None:
        act: Callable[[Any], Coroutine[Any, Any, None]] = getattr(self, name)
        await act(given)

    async def put(self, given: tuple[dict[str, list[int]], Kind, tuple[str, ...]]) -> None:
        self.store.put(given[0], kind=given[1], tags=given[2])

    async def remove(self, record_ids: list[str]) -> None:
        self.store.remove(record_ids)

    async def erase(self, record_ids: list[str]) -> None:
        self.store.remove(record_ids)
        await self.indexes[0].erased(SCOPE, tuple(record_ids))

    async def search(self, given: tuple[list[int], RecordFilter, int]) -> None:
        await check(self.indexes[0], self.store, given[0], record_filter=given[1], limit=given[2])

    async def settle(self, _: None) -> None:
        await self.indexes[0].settle()

    async def reopen(self, _: None) -> None:
        await self.indexes[0].close()
        self.indexes[0] = self.open()

    async def other(self, _: None) -> None:
        self.indexes.reverse()

    async def forget_removals(self, _: None) -> None:
        self.store.forget_removals()

    async def close(self) -> None:
        for index in self.indexes:
            await index.close()


@settings(max_examples=120, deadline=None)
@given(given_steps=st.lists(steps, max_size=25))
def test_an_index_finds_what_a_plain_search_finds(given_steps: list[Step]) -> None:
    async def live() -> None:
        world = World()
        try:
            for name, argument in given_steps:
                await world.step(name, argument)
            for index in world.indexes:
                for kinds in (None, KINDS[:1]):
                    await check(index, world.store, [3, -2, 1], record_filter=RecordFilter(kinds=kinds), limit=50)
        finally:
            await world.close()

    asyncio.run(live())


async def test_thousands_of_vectors_come_and_go_and_every_answer_is_exact() -> None:
    store = VectorStore()
    index = LocalVectors(store.port)
    for turn in range(12):
        store.put({f"r{number}": [number % 89 - 44, number % 97 - 48, turn + 1] for number in range(turn, 9_000, 7)})
        store.remove(f"r{number}" for number in range(turn, 9_000, 5))
        await check(index, store, [turn, 5, -turn], limit=40)
    assert store.asked_since.count(0) == 1, "everything was loaded once, then followed"
    await index.close()


async def test_two_models_of_an_agent_stand_side_by_side() -> None:
    store = VectorStore()
    store.put({"a": [1, 0, 0], "b": [0, 1, 0]})
    store.put({"a": [0, 1], "c": [1, 0]}, model="small")
    index = LocalVectors(store.port)
    assert await check(index, store, [1, 0.1, 0]) == ["a", "b"]
    assert MODEL != "small"
    hits = await index.search(
        SCOPE, store.kept["small", "c"].values, model="small", record_filter=RecordFilter(), limit=2
    )
    assert [hit.record_id for hit in hits] == ["c", "a"]
    await index.close()
