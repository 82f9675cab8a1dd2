"""Vectors: as a store keeps them and tells of them, and the nearest neighbours that the port `Vectors` finds.

A store hands its vectors to whoever follows them, with everything that happened since a revision; an index that follows
must find exactly what the store holds, at once.
"""

import math
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from remanent.errors import InvalidInput
from remanent.model import Kind, Record, Scope, Status
from remanent.stores import queries as q
from remanent.stores.conformance.base import (
    MODEL,
    AgentSuite,
    OpenStore,
    StoredAgent,
    StoreSuite,
    check_filters,
    make_vector,
    told_apart,
    vector_bytes,
)
from remanent.stores.store import Store, vector_pages
from remanent.stores.transaction import DropRecord, DropVectors, PutVector
from remanent.stores.vectors import Vectors, VectorSearch


async def keep(store: Store, record: Record, *values: float, model: str = MODEL) -> None:
    """Keep a record's vector."""
    await store.commit(record.scope, [PutVector(record.id, model, vector_bytes(*values))])


LOSSES: dict[str, Callable[[StoredAgent, Record], Awaitable[object]]] = {
    "content": lambda agent, record: agent.update(agent.next_version(record, content="another")),
    "forget": lambda agent, record: agent.forget(record),
    "drop": lambda agent, record: agent.do.drop(record.id),
    "erase": lambda agent, record: agent.erase(q.Erasure(record_ids=(record.id,))),
    "erase everything": lambda agent, record: agent.erase(q.Erasure(record_ids=(record.id,), everything=True)),
}
"""By what a record may lose its vector."""


class Follower:
    """What an index knows that asks for changes only."""

    def __init__(self, store: Store, scope: Scope, model: str = MODEL, *, limit: int = q.VECTORS_AT_ONCE) -> None:
        self.held: dict[str, bytes] = {}
        self.revision = 0
        self._store, self._scope, self._model, self._limit = store, scope, model, limit

    async def follow(self) -> set[str]:
        """Take in what changed, and return the ids that were mentioned."""
        pages = vector_pages(self._store, self._scope, self._model, since=self.revision, limit=self._limit)
        return {one async for page in pages for one in self.take(page)}

    def take(self, changes: q.VectorChanges) -> set[str]:
        """Take in one page."""
        if changes.reset:
            self.held.clear()
        for record_id in changes.removed:
            self.held.pop(record_id, None)
        for record_id, row in zip(changes.record_ids, changes.matrix, strict=True):
            self.held[record_id] = row.astype("<f4").tobytes()
        assert len(changes.kinds) == len(changes.record_ids)
        assert not set(changes.removed) & set(changes.record_ids)
        assert changes.revision >= self.revision
        if changes.after is None:
            self.revision = changes.revision
        return {*changes.record_ids, *changes.removed}


class VectorRowsConformance(StoreSuite):
    """Vectors are kept by the store and never by an index alone."""

    @pytest.fixture
    async def records(self, agent: StoredAgent) -> list[Record]:
        """Return three stored records."""
        return await agent.put(*(agent.record(content) for content in ("one", "two", "three")))

    async def test_a_vector_comes_back_bit_by_bit_with_the_kind_of_its_record(self, agent: StoredAgent) -> None:
        """Scores must not depend on where a vector was kept."""
        [record] = await agent.put(agent.record(kind=Kind.NOTE))
        values = make_vector(0.1, -1e-38, 3.4e38, 1 / 3)
        await agent.do.vector(record.id, model=MODEL, values=values)
        changes = await agent.vector_changes(MODEL, since=0)
        assert changes.record_ids == [record.id]
        assert changes.kinds == [Kind.NOTE]
        assert changes.matrix.tolist() == [values.tolist()]
        assert changes.removed == []

    async def test_each_model_has_its_own_vectors_and_size(self, agent: StoredAgent, records: list[Record]) -> None:
        """While one model takes over from another, both answer."""
        await keep(agent.store, records[0], 1)
        await agent.commit(PutVector(records[0].id, "small", b"\0" * 8))
        assert await agent.vector_models() == {MODEL: 4, "small": 2}
        assert await agent.vectors() == {(MODEL, records[0].id): vector_bytes(1), ("small", records[0].id): b"\0" * 8}
        assert (await agent.vector_changes("unheard of", since=0)).record_ids == []

    @pytest.mark.parametrize("values", [b"", b"\0" * 7, vector_bytes(1, math.nan), vector_bytes(math.inf)])
    async def test_what_is_no_vector_of_finite_numbers_is_refused(
        self, agent: StoredAgent, records: list[Record], values: bytes
    ) -> None:
        """Nothing is near to it, and every index would have to find out."""
        with pytest.raises(InvalidInput, match="vector"):
            await agent.commit(PutVector(records[0].id, MODEL, values))
        assert await agent.vectors() == {}
        assert await agent.vector_models() == {}

    async def test_vectors_of_some_records_are_read_by_their_model(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        await keep(agent.store, records[0], 1)
        await keep(agent.store, records[1], 2)
        await agent.commit(PutVector(records[1].id, "small", b"\0" * 8))
        wanted = [records[1].id, records[2].id, "unheard of"]
        found = await agent.store.vectors(agent.scope, wanted, model=MODEL)
        assert {record_id: row.tobytes() for record_id, row in found.items()} == {records[1].id: vector_bytes(2)}
        assert await agent.store.vectors(agent.scope, wanted, model="unheard of") == {}
        assert await agent.store.vectors(agent.scope, [], model=MODEL) == {}

    async def test_vectors_are_counted_by_model_from_a_revision_on(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        await keep(agent.store, records[0], 1)
        await keep(agent.store, records[1], 2)
        await agent.commit(PutVector(records[0].id, "small", b"\0" * 8))
        assert await agent.vector_counts() == {MODEL: 2, "small": 1}
        revision = await agent.vector_revision()
        assert await agent.vector_counts(since=revision) == {}
        await keep(agent.store, records[1], 3)
        assert await agent.vector_counts(since=revision) == {MODEL: 1}
        assert await agent.vector_counts() == {MODEL: 2, "small": 1}

    async def test_vectors_are_read_page_by_page_whatever_is_written_meanwhile(self, agent: StoredAgent) -> None:
        """An agent may have more of them than fit into memory twice."""
        records = await agent.put(*(agent.record(f"{number}") for number in range(7)))
        await agent.commit(*(PutVector(one.id, MODEL, vector_bytes(1)) for one in records))
        follower = Follower(agent.store, agent.scope, limit=3)
        sizes: list[int] = []
        async for page in vector_pages(agent.store, agent.scope, MODEL, limit=3):
            sizes.append(len(page.record_ids))
            follower.take(page)
            if len(sizes) == 1:  # one that was handed out moves behind the others, one goes, one waits no longer
                await keep(agent.store, records[0], 2)
                await agent.commit(DropRecord(records[1].id), DropRecord(records[6].id))
        assert sizes == [3, 3, 1]
        await follower.follow()
        assert follower.held == {one: values for (_, one), values in (await agent.vectors()).items()}
        before = follower.revision
        await agent.commit(DropRecord(records[2].id))
        await agent.commit(*(PutVector(one.id, MODEL, vector_bytes(3)) for one in records[3:6]))
        pages = [page async for page in vector_pages(agent.store, agent.scope, MODEL, since=before, limit=2)]
        assert [page.record_ids for page in pages] == [[records[3].id, records[4].id], [records[5].id]]
        assert [page.removed for page in pages] == [[records[2].id], []]
        assert {page.revision for page in pages} == {await agent.vector_revision()}

    async def test_an_agent_without_vectors_says_so(self, agent: StoredAgent) -> None:
        """Without making a database for the question."""
        assert await agent.vector_models() == {}
        assert await agent.vector_counts() == {}
        assert await agent.vector_revision() == 0
        changes = await agent.vector_changes(MODEL, since=0)
        assert (changes.record_ids, changes.removed, len(changes.matrix)) == ([], [], 0)

    async def test_the_revision_rises_with_every_change_and_with_nothing_else(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Every search asks for it, and a rise without a change costs a reload."""
        seen = [await agent.vector_revision()]

        async def rises() -> bool:
            seen.append(await agent.vector_revision())
            return bool(seen[-1] > seen[-2])

        await keep(agent.store, records[0], 1)
        assert await rises()
        await keep(agent.store, records[0], 2)
        assert await rises()
        await agent.put(agent.record("four"))
        assert not await rises()
        await agent.update(agent.next_version(records[0], summary="the content stays"))
        assert not await rises()
        await agent.update(agent.next_version(await agent.current(records[0].id), content="another"))
        assert await rises()

    async def test_a_follower_hears_of_every_vector_put_and_of_nothing_else(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Index and store stay equal by this alone."""
        follower = Follower(agent.store, agent.scope)
        await keep(agent.store, records[0], 1)
        assert await follower.follow() == {records[0].id}
        await keep(agent.store, records[1], 2)
        await keep(agent.store, records[2], 3, model="another model")
        assert await follower.follow() == {records[1].id}
        assert await follower.follow() == set()
        await keep(agent.store, records[0], 4)
        assert await follower.follow() == {records[0].id}
        assert follower.held == {records[0].id: vector_bytes(4), records[1].id: vector_bytes(2)}

    @pytest.mark.parametrize("how", LOSSES)
    async def test_a_follower_hears_of_every_vector_that_goes(
        self, agent: StoredAgent, records: list[Record], how: str
    ) -> None:
        """An index that misses a removal keeps an erased vector."""
        follower = Follower(agent.store, agent.scope)
        await keep(agent.store, records[0], 1)
        await keep(agent.store, records[1], 2)
        await follower.follow()
        await LOSSES[how](agent, records[0])
        left = {} if how == "erase everything" else {(MODEL, records[1].id): vector_bytes(2)}
        assert await agent.vectors() == left
        await follower.follow()
        assert follower.held == {record_id: values for (_, record_id), values in left.items()}

    async def test_a_change_that_keeps_the_content_keeps_the_vector(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Embedding is the most expensive step; a new tag is no reason to repeat it."""
        await keep(agent.store, records[0], 1)
        changed = await agent.update(agent.next_version(records[0], tags=("new",), status=Status.SUPERSEDED))
        await agent.update(agent.next_version(changed, confidence=0.5))
        assert await agent.vectors() == {(MODEL, records[0].id): vector_bytes(1)}

    async def test_a_vector_that_went_and_came_again_is_not_reported_gone(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """A follower applies removals first: the new vector must not be lost to an old removal."""
        follower = Follower(agent.store, agent.scope)
        await keep(agent.store, records[0], 1)
        await follower.follow()
        changed = await agent.update(agent.next_version(records[0], content="another"))
        await keep(agent.store, changed, 2)
        await follower.follow()
        assert follower.held == {records[0].id: vector_bytes(2)}

    async def test_a_follower_that_sleeps_for_long_is_right_again_after_one_look(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Removals are not remembered for ever; then the store says `reset`."""
        follower = Follower(agent.store, agent.scope)
        await keep(agent.store, records[0], 1)
        await follower.follow()
        latest = records[1]
        for number in range(30):
            await keep(agent.store, latest, number)
            latest = await agent.update(agent.next_version(latest, content=f"content {number}"))
        await keep(agent.store, records[2], 5)
        await agent.do.drop(records[0].id)
        await follower.follow()
        assert follower.held == {records[2].id: vector_bytes(5)}

    async def test_a_follower_survives_that_everything_is_erased_and_begun_again(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Revisions must not start over, or an old index would take itself for current."""
        follower = Follower(agent.store, agent.scope)
        await keep(agent.store, records[0], 1)
        await follower.follow()
        await agent.erase(q.Erasure(everything=True))
        [fresh] = await agent.put(agent.record("fresh"))
        await keep(agent.store, fresh, 7)
        await follower.follow()
        assert follower.held == {fresh.id: vector_bytes(7)}

    async def test_a_vector_made_from_an_older_text_is_quietly_dropped(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """The text changed while the model was at work: the next job embeds the new one."""
        await agent.update(agent.next_version(records[0], content="another"))
        before = await agent.vector_revision()
        async with agent.transaction() as tx:
            tx.vector(records[0].id, model=MODEL, values=make_vector(1), expects=1)
            tx.vector("nobody", model=MODEL, values=make_vector(1), expects=1)
            tx.state("the rest", "is committed")
        assert await agent.vectors() == {}
        assert await agent.vector_revision() == before
        assert await agent.states() == {"the rest": "is committed"}
        await agent.do.vector(records[0].id, model=MODEL, values=make_vector(2), expects=2)
        assert await agent.vectors() == {(MODEL, records[0].id): vector_bytes(2)}

    async def test_records_whose_content_has_no_vector_yet_are_listed_oldest_first(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """The work list of embedding; it survives a crash because it is no job."""

        async def without(limit: int = 10) -> list[str]:
            return [record.content for record in await agent.unembedded(limit=limit)]

        assert await without() == ["one", "two", "three"]
        assert await without(2) == ["one", "two"]
        await keep(agent.store, records[0], 1)
        assert await without() == ["two", "three"]
        second = await agent.update(agent.next_version(records[0], content="one again"))
        assert await without() == ["one again", "two", "three"]
        await keep(agent.store, second, 2)
        await agent.update(agent.next_version(second, summary="the content stays"))
        assert await without() == ["two", "three"]

    async def test_a_forgotten_record_needs_no_vector_until_it_is_restored(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """Its content must not leave the house for an embedding API."""
        for record in records:
            await keep(agent.store, record, 1)
        await agent.forget(records[1])
        assert await agent.unembedded(limit=10) == []
        await agent.do.restore(await agent.current(records[1].id), at=agent.clock())
        assert [record.id for record in await agent.unembedded(limit=10)] == [records[1].id]
        await agent.do.drop(records[1].id)
        assert await agent.unembedded(limit=10) == []

    async def test_dropping_a_model_leaves_the_others_and_tells_whoever_follows(
        self, agent: StoredAgent, records: list[Record]
    ) -> None:
        """A change of the embedding model ends with this."""
        for record in records:
            await keep(agent.store, record, 1)
        await keep(agent.store, records[0], 2, 3, model="other")
        gone, left = Follower(agent.store, agent.scope), Follower(agent.store, agent.scope, "other")
        await gone.follow()
        await left.follow()
        await agent.commit(DropVectors(MODEL), DropVectors("nobody's"))
        await gone.follow()
        await left.follow()
        assert gone.held == {}
        assert left.held == {records[0].id: vector_bytes(2, 3)}
        assert await agent.vector_models() == {"other": 4}
        assert await agent.unembedded(limit=10) == records[1:]
        # The name is free for vectors of another size.
        await agent.commit(PutVector(records[1].id, MODEL, b"\0" * 8))
        await gone.follow()
        assert gone.held == {records[1].id: b"\0" * 8}

    async def test_another_handle_follows_too(
        self, agent: StoredAgent, opened: OpenStore, records: list[Record]
    ) -> None:
        follower = Follower(await opened("here"), agent.scope)
        for number, record in enumerate(records):
            before = await agent.vector_revision()
            await keep(agent.store, record, number)
            assert await follower.follow() == {record.id}
            assert follower.revision > before


class VectorsConformance(AgentSuite):
    """The promises of `Vectors`; a backend gives `opened`: an empty store, and the index over it."""

    @pytest.fixture
    def opened(self) -> tuple[Store, Vectors]:
        """Return a store and the index over its vectors; whoever gives them closes them."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, opened: tuple[Store, Vectors]) -> Store:
        """Return the store."""
        return opened[0]

    @pytest.fixture
    def vectors(self, opened: tuple[Store, Vectors]) -> Vectors:
        """Return the index."""
        return opened[1]

    async def _keep(self, store: Store, record: Record, *values: float, model: str = MODEL) -> Record:
        async with store.transaction(record.scope) as tx:
            tx.put(record, expects=record.version - 1)
            tx.changes.append(PutVector(record.id, model, vector_bytes(*values)))
        return record

    async def _near(
        self, vectors: Vectors, scope: Scope, *values: float, limit: int = 10, model: str = MODEL, **wanted: Any
    ) -> list[str]:
        hits = await vectors.search(
            scope, make_vector(*values), model=model, record_filter=q.RecordFilter(**wanted), limit=limit
        )
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        return [hit.record_id for hit in hits]

    async def test_the_nearest_come_first_by_cosine(self, agent: StoredAgent, vectors: Vectors) -> None:
        """Whatever the length of the vectors."""
        east = await self._keep(agent.store, agent.record(), 1, 0)
        north_east = await self._keep(agent.store, agent.record(), 100, 100)
        north = await self._keep(agent.store, agent.record(), 0, 0.01)
        west = await self._keep(agent.store, agent.record(), -1, 0)
        assert await self._near(vectors, agent.scope, 5, 0.5) == [east.id, north_east.id, north.id, west.id]
        hits = await vectors.search(
            agent.scope, make_vector(2, 0), model=MODEL, record_filter=q.RecordFilter(), limit=4
        )
        assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5**0.5, 0.0, -1.0], abs=1e-3)

    async def test_no_more_than_the_limit_is_found(self, agent: StoredAgent, vectors: Vectors) -> None:
        for number in range(12):
            await self._keep(agent.store, agent.record(), 1, number)
        for limit in (0, 1, 5, 12, 50):
            near = await self._near(vectors, agent.scope, 1, limit=limit)
            assert len(near) == len(set(near)) == min(limit, 12)

    async def test_an_agent_or_a_model_without_vectors_finds_nothing(
        self, agent: StoredAgent, vectors: Vectors
    ) -> None:
        """No error: the first question of a new agent comes before its first memory."""
        assert await self._near(vectors, agent.scope, 1) == []
        await self._keep(agent.store, agent.record(), 1)
        assert await self._near(vectors, agent.scope, 1, model="unheard of") == []

    async def test_every_committed_vector_is_seen_at_once(self, agent: StoredAgent, vectors: Vectors) -> None:
        """What was just remembered is asked about in the next sentence."""
        for number in range(10):
            record = await self._keep(agent.store, agent.record(), 1, number)
            assert await self._near(vectors, agent.scope, 1, number, limit=1) == [record.id]

    async def test_a_vector_put_again_is_found_in_its_new_place_only(
        self, agent: StoredAgent, vectors: Vectors
    ) -> None:
        """The old one must not linger in a block or a cell."""
        moved = await self._keep(agent.store, agent.record(), 1, 0)
        still = await self._keep(agent.store, agent.record(), 0.7, 0.7)
        assert await self._near(vectors, agent.scope, 1, 0) == [moved.id, still.id]
        await agent.commit(PutVector(moved.id, MODEL, vector_bytes(-1, 0)))
        assert await self._near(vectors, agent.scope, 1, 0) == [still.id, moved.id]

    @pytest.mark.parametrize("how", LOSSES)
    async def test_a_vector_that_is_gone_is_not_found(self, agent: StoredAgent, vectors: Vectors, how: str) -> None:
        gone = await self._keep(agent.store, agent.record(), 1, 0)
        kept = await self._keep(agent.store, agent.record(), 0, 1)
        assert len(await self._near(vectors, agent.scope, 1, 0)) == 2
        erased = await LOSSES[how](agent, gone)
        if isinstance(erased, q.Erased):
            await vectors.erased(agent.scope, erased.record_ids)
        assert await self._near(vectors, agent.scope, 1, 0) == ([] if how == "erase everything" else [kept.id])

    async def test_filters_apply_to_what_is_near(self, agent: StoredAgent, vectors: Vectors) -> None:
        records: dict[str, Record] = {}
        for name, given in told_apart(agent.clock()).items():
            records[name] = await self._keep(agent.store, agent.record(name, **given), 1, len(records))
        await check_filters(records, agent.clock(), partial(self._near, vectors, agent.scope, 1))

    async def test_a_filter_that_leaves_out_the_nearest_still_finds_the_rest(
        self, agent: StoredAgent, vectors: Vectors
    ) -> None:
        """The index has to look further by itself."""
        for number in range(60):
            hidden = agent.record(status=Status.QUARANTINED)
            await self._keep(agent.store, hidden, 1, number / 1000)
        wanted = [await self._keep(agent.store, agent.record(), -1, number) for number in range(3)]
        assert sorted(await self._near(vectors, agent.scope, 1, limit=3)) == sorted(record.id for record in wanted)

    async def test_a_scope_narrows_what_is_near(self, agent: StoredAgent, vectors: Vectors) -> None:
        mine, other = agent.scope.within(session="s1", task="t1"), agent.scope.within(session="s2")
        here = await self._keep(agent.store, agent.samples.make_record(mine), 1)
        there = await self._keep(agent.store, agent.samples.make_record(other), 1)
        assert set(await self._near(vectors, agent.scope, 1)) == {here.id, there.id}
        assert await self._near(vectors, agent.scope.within(session="s1"), 1) == [here.id]
        assert await self._near(vectors, agent.scope.within(task="t1"), 1) == [here.id]

    async def test_agents_do_not_meet(self, agent: StoredAgent, vectors: Vectors) -> None:
        mine = await self._keep(agent.store, agent.record(), 1)
        for other in (
            agent.samples.make_scope("bob"),
            agent.samples.make_scope(workspace="x"),
            agent.samples.make_scope(org="x"),
        ):
            assert await self._near(vectors, other, 1) == []
            theirs = await self._keep(agent.store, agent.samples.make_record(other), 1)
            assert await self._near(vectors, other, 1) == [theirs.id]
        assert await self._near(vectors, agent.scope, 1) == [mine.id]

    async def test_models_do_not_meet(self, agent: StoredAgent, vectors: Vectors) -> None:
        """Vectors of different models have no angle between them that means anything."""
        record = await self._keep(agent.store, agent.record(), 1)
        other = await self._keep(agent.store, agent.record(), 1, model="other")
        assert await self._near(vectors, agent.scope, 1) == [record.id]
        assert await self._near(vectors, agent.scope, 1, model="other") == [other.id]

    async def test_a_question_of_the_wrong_size_is_refused(self, agent: StoredAgent, vectors: Vectors) -> None:
        """It comes from another model, and any score against it would be nonsense."""
        await self._keep(agent.store, agent.record(), 1)
        with pytest.raises(InvalidInput):
            await vectors.search(agent.scope, make_vector(1)[:3], model=MODEL, record_filter=q.RecordFilter(), limit=1)

    async def test_a_vector_of_nothing_but_zeros_is_no_trouble(self, agent: StoredAgent, vectors: Vectors) -> None:
        """Some models give one for an empty text, and it has no direction to divide by."""
        record = await self._keep(agent.store, agent.record(), 1)
        await self._keep(agent.store, agent.record(), 0)
        assert (await self._near(vectors, agent.scope, 1))[0] == record.id
        hits = await vectors.search(agent.scope, make_vector(0), model=MODEL, record_filter=q.RecordFilter(), limit=5)
        assert all(hit.score == hit.score for hit in hits), "no score is NaN"

    async def test_records_without_a_vector_are_not_near_anything(self, agent: StoredAgent, vectors: Vectors) -> None:
        await agent.put(agent.record())
        assert await self._near(vectors, agent.scope, 1) == []

    async def test_searches_made_together_find_what_each_finds_alone(
        self, agent: StoredAgent, vectors: Vectors
    ) -> None:
        """Of several models, filters and limits; a hit says where it stands when asked to."""
        for number in range(30):
            record = agent.record(kind=Kind.NOTE if number % 3 else Kind.TURN)
            await self._keep(agent.store, record, 1, number)
            await agent.commit(PutVector(record.id, "other", vector_bytes(number, 1)))
        searches = [
            VectorSearch(make_vector(1, at), model, q.RecordFilter(kinds=kinds), limit, places=at == 3)
            for at in (0, 3, 20)
            for model in (MODEL, "other")
            for kinds in (None, (Kind.TURN,))
            for limit in (0, 2, 25)
        ]
        together = await vectors.search_all(agent.scope, searches)
        assert together == [(await vectors.search_all(agent.scope, [search]))[0] for search in searches]
        assert [len(hits) for hits in together[:6]] == [0, 2, 25, 0, 2, 10]
        for search, hits in zip(searches, together, strict=True):
            ids = [hit.record_id for hit in hits]
            places = await agent.places(ids, record_filter=search.filter, neighbours=False)
            assert [hit.place for hit in hits] == (places if search.places else [None] * len(hits))

    async def test_closing_twice_is_harmless(self, vectors: Vectors) -> None:
        await vectors.close()
        await vectors.close()
