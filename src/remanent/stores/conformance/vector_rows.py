"""Vectors in the store: kept with their records, followed by revision."""

import pytest

from remanent.model import Kind, Record, Scope, Status
from remanent.stores.changes import PutVector
from remanent.stores.conformance.base import OpenStore, StoreSuite, current, put, update, vectors_of
from remanent.stores.conformance.samples import MODEL, Samples, make_vector, vector_bytes
from remanent.stores.queries import Erasure
from remanent.stores.store import Store


async def keep(store: Store, record: Record, *values: float, model: str = MODEL) -> None:
    """Keep a record's vector."""
    await store.commit(record.scope, [PutVector(record.id, model, vector_bytes(*values))])


class Follower:
    """What an index knows that asks for changes only."""

    def __init__(self, store: Store, scope: Scope, model: str = MODEL) -> None:
        self.held: dict[str, bytes] = {}
        self.revision = 0
        self._store, self._scope, self._model = store, scope, model

    async def follow(self) -> set[str]:
        """Take in what changed, and return the ids that were mentioned."""
        changes = await self._store.vector_changes(self._scope, self._model, since=self.revision)
        if changes.reset:
            self.held.clear()
        for record_id in changes.removed:
            self.held.pop(record_id, None)
        for record_id, row in zip(changes.record_ids, changes.matrix, strict=True):
            self.held[record_id] = row.astype("<f4").tobytes()
        assert len(changes.kinds) == len(changes.record_ids)
        assert not set(changes.removed) & set(changes.record_ids)
        assert changes.revision >= self.revision
        self.revision = changes.revision
        return {*changes.record_ids, *changes.removed}


class VectorRowsConformance(StoreSuite):
    """Vectors are kept by the store and never by an index alone."""

    @pytest.fixture
    async def records(self, store: Store, samples: Samples, scope: Scope) -> list[Record]:
        """Return three stored records."""
        records = [samples.make_record(scope, content) for content in ("one", "two", "three")]
        await put(store, *records)
        return records

    async def test_a_vector_comes_back_bit_by_bit_with_the_kind_of_its_record(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope, kind=Kind.NOTE)
        await put(store, record)
        values = make_vector(0.1, -1e-38, 3.4e38, 1 / 3)
        async with store.transaction(scope) as tx:
            tx.vector(record.id, model=MODEL, values=values)
        changes = await store.vector_changes(scope, MODEL, since=0)
        assert changes.record_ids == [record.id]
        assert changes.kinds == [Kind.NOTE]
        assert changes.matrix.tolist() == [values.tolist()]
        assert changes.removed == []

    async def test_each_model_has_its_own_vectors_and_size(
        self, store: Store, scope: Scope, records: list[Record]
    ) -> None:
        await keep(store, records[0], 1)
        await store.commit(scope, [PutVector(records[0].id, "small", b"\0" * 8)])
        assert await store.vector_models(scope) == {MODEL: 4, "small": 2}
        assert await vectors_of(store, scope) == {
            (MODEL, records[0].id): vector_bytes(1),
            ("small", records[0].id): b"\0" * 8,
        }
        assert (await store.vector_changes(scope, "unheard of", since=0)).record_ids == []

    async def test_vectors_of_some_records_are_read_by_their_model(
        self, store: Store, scope: Scope, records: list[Record]
    ) -> None:
        await keep(store, records[0], 1)
        await keep(store, records[1], 2)
        await store.commit(scope, [PutVector(records[1].id, "small", b"\0" * 8)])
        wanted = [records[1].id, records[2].id, "unheard of"]
        found = await store.vectors(scope, wanted, model=MODEL)
        assert {record_id: row.tobytes() for record_id, row in found.items()} == {records[1].id: vector_bytes(2)}
        assert await store.vectors(scope, wanted, model="unheard of") == {}
        assert await store.vectors(scope, [], model=MODEL) == {}

    async def test_vectors_are_counted_by_model_from_a_revision_on(
        self, store: Store, scope: Scope, records: list[Record]
    ) -> None:
        await keep(store, records[0], 1)
        await keep(store, records[1], 2)
        await store.commit(scope, [PutVector(records[0].id, "small", b"\0" * 8)])
        assert await store.vector_counts(scope) == {MODEL: 2, "small": 1}
        revision = await store.vector_revision(scope)
        assert await store.vector_counts(scope, since=revision) == {}
        await keep(store, records[1], 3)
        assert await store.vector_counts(scope, since=revision) == {MODEL: 1}
        assert await store.vector_counts(scope) == {MODEL: 2, "small": 1}

    async def test_an_agent_without_vectors_says_so(self, store: Store, scope: Scope) -> None:
        assert await store.vector_models(scope) == {}
        assert await store.vector_counts(scope) == {}
        assert await store.vector_revision(scope) == 0
        changes = await store.vector_changes(scope, MODEL, since=0)
        assert (changes.record_ids, changes.removed, len(changes.matrix)) == ([], [], 0)

    async def test_the_revision_rises_with_every_change_and_with_nothing_else(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        seen = [await store.vector_revision(scope)]

        async def rises() -> bool:
            seen.append(await store.vector_revision(scope))
            return seen[-1] > seen[-2]

        await keep(store, records[0], 1)
        assert await rises()
        await keep(store, records[0], 2)
        assert await rises()
        await put(store, samples.make_record(scope, "four"))
        assert not await rises()
        await update(store, samples.next_version(records[0], summary="the content stays"))
        assert not await rises()
        await update(store, samples.next_version(await current(store, scope, records[0].id), content="another"))
        assert await rises()

    async def test_a_follower_hears_of_every_vector_put_and_of_nothing_else(
        self, store: Store, scope: Scope, records: list[Record]
    ) -> None:
        follower = Follower(store, scope)
        await keep(store, records[0], 1)
        assert await follower.follow() == {records[0].id}
        await keep(store, records[1], 2)
        await keep(store, records[2], 3, model="another model")
        assert await follower.follow() == {records[1].id}
        assert await follower.follow() == set()
        await keep(store, records[0], 4)
        assert await follower.follow() == {records[0].id}
        assert follower.held == {records[0].id: vector_bytes(4), records[1].id: vector_bytes(2)}

    @pytest.mark.parametrize("how", ["content", "forget", "drop", "erase", "erase everything"])
    async def test_a_follower_hears_of_every_vector_that_goes(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record], how: str
    ) -> None:
        follower = Follower(store, scope)
        await keep(store, records[0], 1)
        await keep(store, records[1], 2)
        await follower.follow()
        if how == "content":
            await update(store, samples.next_version(records[0], content="another"))
        elif how == "forget":
            async with store.transaction(scope) as tx:
                tx.forget(records[0], at=samples.clock())
        elif how == "drop":
            async with store.transaction(scope) as tx:
                tx.drop(records[0].id)
        elif how == "erase":
            await store.erase(scope, Erasure(record_ids=(records[0].id,)))
        else:
            await store.erase(scope, Erasure(everything=True))
        left = {} if how == "erase everything" else {(MODEL, records[1].id): vector_bytes(2)}
        assert await vectors_of(store, scope) == left
        await follower.follow()
        assert follower.held == {record_id: values for (_, record_id), values in left.items()}

    async def test_a_change_that_keeps_the_content_keeps_the_vector(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        await keep(store, records[0], 1)
        changed = await update(store, samples.next_version(records[0], tags=("new",), status=Status.SUPERSEDED))
        await update(store, samples.next_version(changed, confidence=0.5))
        assert await vectors_of(store, scope) == {(MODEL, records[0].id): vector_bytes(1)}

    async def test_a_vector_that_went_and_came_again_is_not_reported_gone(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        follower = Follower(store, scope)
        await keep(store, records[0], 1)
        await follower.follow()
        changed = await update(store, samples.next_version(records[0], content="another"))
        await keep(store, changed, 2)
        await follower.follow()
        assert follower.held == {records[0].id: vector_bytes(2)}

    async def test_a_follower_that_sleeps_for_long_is_right_again_after_one_look(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        follower = Follower(store, scope)
        await keep(store, records[0], 1)
        await follower.follow()
        latest = records[1]
        for number in range(30):
            await keep(store, latest, number)
            latest = await update(store, samples.next_version(latest, content=f"content {number}"))
        await keep(store, records[2], 5)
        async with store.transaction(scope) as tx:
            tx.drop(records[0].id)
        await follower.follow()
        assert follower.held == {records[2].id: vector_bytes(5)}

    async def test_a_follower_survives_that_everything_is_erased_and_begun_again(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        follower = Follower(store, scope)
        await keep(store, records[0], 1)
        await follower.follow()
        await store.erase(scope, Erasure(everything=True))
        fresh = samples.make_record(scope, "fresh")
        await put(store, fresh)
        await keep(store, fresh, 7)
        await follower.follow()
        assert follower.held == {fresh.id: vector_bytes(7)}

    async def test_a_vector_made_from_an_older_text_is_quietly_dropped(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        await update(store, samples.next_version(records[0], content="another"))
        before = await store.vector_revision(scope)
        async with store.transaction(scope) as tx:
            tx.vector(records[0].id, model=MODEL, values=make_vector(1), expects=1)
            tx.vector("nobody", model=MODEL, values=make_vector(1), expects=1)
            tx.state("the rest", "is committed")
        assert await vectors_of(store, scope) == {}
        assert await store.vector_revision(scope) == before
        assert await store.states(scope) == {"the rest": "is committed"}
        async with store.transaction(scope) as tx:
            tx.vector(records[0].id, model=MODEL, values=make_vector(2), expects=2)
        assert await vectors_of(store, scope) == {(MODEL, records[0].id): vector_bytes(2)}

    async def test_records_whose_content_has_no_vector_yet_are_listed_oldest_first(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        async def without(limit: int = 10) -> list[str]:
            return [record.content for record in await store.unembedded(scope, limit=limit)]

        assert await without() == ["one", "two", "three"]
        assert await without(2) == ["one", "two"]
        await keep(store, records[0], 1)
        assert await without() == ["two", "three"]
        second = await update(store, samples.next_version(records[0], content="one again"))
        assert await without() == ["one again", "two", "three"]
        await keep(store, second, 2)
        await update(store, samples.next_version(second, summary="the content stays"))
        assert await without() == ["two", "three"]

    async def test_a_forgotten_record_needs_no_vector_until_it_is_restored(
        self, store: Store, samples: Samples, scope: Scope, records: list[Record]
    ) -> None:
        for record in records:
            await keep(store, record, 1)
        async with store.transaction(scope) as tx:
            tx.forget(records[1], at=samples.clock())
        assert await store.unembedded(scope, limit=10) == []
        async with store.transaction(scope) as tx:
            tx.restore(await current(store, scope, records[1].id), at=samples.clock())
        assert [record.id for record in await store.unembedded(scope, limit=10)] == [records[1].id]
        async with store.transaction(scope) as tx:
            tx.drop(records[1].id)
        assert await store.unembedded(scope, limit=10) == []

    async def test_dropping_a_model_leaves_the_others_and_tells_whoever_follows(
        self, store: Store, scope: Scope, records: list[Record]
    ) -> None:
        for record in records:
            await keep(store, record, 1)
        await keep(store, records[0], 2, 3, model="other")
        gone, left = Follower(store, scope), Follower(store, scope, "other")
        await gone.follow()
        await left.follow()
        async with store.transaction(scope) as tx:
            tx.drop_vectors(MODEL)
            tx.drop_vectors("nobody's")
        await gone.follow()
        await left.follow()
        assert gone.held == {}
        assert left.held == {records[0].id: vector_bytes(2, 3)}
        assert await store.vector_models(scope) == {"other": 4}
        assert await store.unembedded(scope, limit=10) == records[1:]
        # The name is free for vectors of another size.
        await store.commit(scope, [PutVector(records[1].id, MODEL, b"\0" * 8)])
        await gone.follow()
        assert gone.held == {records[1].id: b"\0" * 8}

    async def test_another_handle_follows_too(
        self, store: Store, opened: OpenStore, scope: Scope, records: list[Record]
    ) -> None:
        follower = Follower(await opened("here"), scope)
        for number, record in enumerate(records):
            before = await store.vector_revision(scope)
            await keep(store, record, number)
            assert await follower.follow() == {record.id}
            assert follower.revision > before
