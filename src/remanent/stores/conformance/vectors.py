"""What every index over the store's vectors must keep."""

from typing import Any

import pytest

from remanent.errors import InvalidInput
from remanent.model import Kind, Record, Scope, Status
from remanent.stores.changes import PutVector
from remanent.stores.conformance.base import put, update
from remanent.stores.conformance.samples import MODEL, Samples, make_vector, vector_bytes
from remanent.stores.queries import Erasure, RecordFilter
from remanent.stores.store import Store
from remanent.stores.vectors import Vectors


class VectorsConformance:
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

    @pytest.fixture
    def samples(self) -> Samples:
        """Return the builder of data."""
        return Samples()

    @pytest.fixture
    def scope(self, samples: Samples) -> Scope:
        """Return whose memory it is."""
        return samples.make_scope()

    async def _keep(self, store: Store, record: Record, *values: float, model: str = MODEL) -> Record:
        async with store.transaction(record.scope) as tx:
            tx.put(record, expects=record.version - 1)
            tx.changes.append(PutVector(record.id, model, vector_bytes(*values)))
        return record

    async def _near(
        self, vectors: Vectors, scope: Scope, *values: float, limit: int = 10, model: str = MODEL, **wanted: Any
    ) -> list[str]:
        hits = await vectors.search(
            scope, make_vector(*values), model=model, record_filter=RecordFilter(**wanted), limit=limit
        )
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        return [hit.record_id for hit in hits]

    async def test_the_nearest_come_first_by_cosine(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        east = await self._keep(store, samples.make_record(scope), 1, 0)
        north_east = await self._keep(store, samples.make_record(scope), 100, 100)
        north = await self._keep(store, samples.make_record(scope), 0, 0.01)
        west = await self._keep(store, samples.make_record(scope), -1, 0)
        assert await self._near(vectors, scope, 5, 0.5) == [east.id, north_east.id, north.id, west.id]
        hits = await vectors.search(scope, make_vector(2, 0), model=MODEL, record_filter=RecordFilter(), limit=4)
        assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5**0.5, 0.0, -1.0], abs=1e-3)

    async def test_no_more_than_the_limit_is_found(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        for number in range(12):
            await self._keep(store, samples.make_record(scope), 1, number)
        for limit in (0, 1, 5, 12, 50):
            near = await self._near(vectors, scope, 1, limit=limit)
            assert len(near) == len(set(near)) == min(limit, 12)

    async def test_an_agent_or_a_model_without_vectors_finds_nothing(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        assert await self._near(vectors, scope, 1) == []
        await self._keep(store, samples.make_record(scope), 1)
        assert await self._near(vectors, scope, 1, model="unheard of") == []

    async def test_every_committed_vector_is_seen_at_once(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        for number in range(10):
            record = await self._keep(store, samples.make_record(scope), 1, number)
            assert await self._near(vectors, scope, 1, number, limit=1) == [record.id]

    async def test_a_vector_put_again_is_found_in_its_new_place_only(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        moved = await self._keep(store, samples.make_record(scope), 1, 0)
        still = await self._keep(store, samples.make_record(scope), 0.7, 0.7)
        assert await self._near(vectors, scope, 1, 0) == [moved.id, still.id]
        await store.commit(scope, [PutVector(moved.id, MODEL, vector_bytes(-1, 0))])
        assert await self._near(vectors, scope, 1, 0) == [still.id, moved.id]

    @pytest.mark.parametrize("how", ["content", "forget", "drop", "erase", "erase everything"])
    async def test_a_vector_that_is_gone_is_not_found(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope, how: str
    ) -> None:
        gone = await self._keep(store, samples.make_record(scope), 1, 0)
        kept = await self._keep(store, samples.make_record(scope), 0, 1)
        assert len(await self._near(vectors, scope, 1, 0)) == 2
        if how == "content":
            await update(store, samples.next_version(gone, content="another"))
        elif how.startswith("erase"):
            everything = how == "erase everything"
            erased = await store.erase(scope, Erasure(record_ids=(gone.id,), everything=everything))
            await vectors.erased(scope, erased.record_ids)
        else:
            async with store.transaction(scope) as tx:
                if how == "drop":
                    tx.drop(gone.id)
                else:
                    tx.forget(gone, at=samples.clock())
        assert await self._near(vectors, scope, 1, 0) == ([] if how == "erase everything" else [kept.id])

    async def test_filters_apply_to_what_is_near(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        now = samples.clock()
        fields: dict[str, dict[str, Any]] = {
            "plain": {},
            "note": {"kind": Kind.NOTE},
            "tagged": {"tags": ("red",)},
            "pending": {"status": Status.PENDING},
            "late": {"occurred_at": now.replace(year=2030)},
            "outdated": {"valid_to": now.replace(year=2020)},
            "expired": {"expires_at": now.replace(year=2020)},
        }
        records: dict[str, Record] = {}
        for name, given in fields.items():
            records[name] = await self._keep(store, samples.make_record(scope, name, **given), 1, len(records))

        async def names(**wanted: Any) -> set[str]:
            near = await self._near(vectors, scope, 1, **wanted)
            return {name for name, record in records.items() if record.id in near}

        assert await names() == set(fields) - {"pending"}
        assert await names(kinds=(Kind.NOTE,)) == {"note"}
        assert await names(kinds=(Kind.NOTE, Kind.TURN)) == set(fields) - {"pending"}
        assert await names(tags=("red",)) == {"tagged"}
        assert await names(statuses=(Status.PENDING,)) == {"pending"}
        assert await names(occurred_from=now.replace(year=2029)) == {"late"}
        assert await names(valid_at=now) == set(fields) - {"pending", "outdated"}
        assert await names(alive_at=now) == set(fields) - {"pending", "expired"}

    async def test_a_filter_that_leaves_out_the_nearest_still_finds_the_rest(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        for number in range(60):
            hidden = samples.make_record(scope, status=Status.QUARANTINED)
            await self._keep(store, hidden, 1, number / 1000)
        wanted = [await self._keep(store, samples.make_record(scope), -1, number) for number in range(3)]
        assert sorted(await self._near(vectors, scope, 1, limit=3)) == sorted(record.id for record in wanted)

    async def test_a_scope_narrows_what_is_near(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        mine, other = scope.within(session="s1", task="t1"), scope.within(session="s2")
        here = await self._keep(store, samples.make_record(mine), 1)
        there = await self._keep(store, samples.make_record(other), 1)
        assert set(await self._near(vectors, scope, 1)) == {here.id, there.id}
        assert await self._near(vectors, scope.within(session="s1"), 1) == [here.id]
        assert await self._near(vectors, scope.within(task="t1"), 1) == [here.id]

    async def test_agents_do_not_meet(self, store: Store, vectors: Vectors, samples: Samples, scope: Scope) -> None:
        mine = await self._keep(store, samples.make_record(scope), 1)
        for other in (samples.make_scope("bob"), samples.make_scope(workspace="x"), samples.make_scope(org="x")):
            assert await self._near(vectors, other, 1) == []
            theirs = await self._keep(store, samples.make_record(other), 1)
            assert await self._near(vectors, other, 1) == [theirs.id]
        assert await self._near(vectors, scope, 1) == [mine.id]

    async def test_models_do_not_meet(self, store: Store, vectors: Vectors, samples: Samples, scope: Scope) -> None:
        record = await self._keep(store, samples.make_record(scope), 1)
        other = await self._keep(store, samples.make_record(scope), 1, model="other")
        assert await self._near(vectors, scope, 1) == [record.id]
        assert await self._near(vectors, scope, 1, model="other") == [other.id]

    async def test_a_question_of_the_wrong_size_is_refused(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        await self._keep(store, samples.make_record(scope), 1)
        with pytest.raises(InvalidInput):
            await vectors.search(scope, make_vector(1)[:3], model=MODEL, record_filter=RecordFilter(), limit=1)

    async def test_a_vector_of_nothing_but_zeros_is_no_trouble(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        record = await self._keep(store, samples.make_record(scope), 1)
        await self._keep(store, samples.make_record(scope), 0)
        assert (await self._near(vectors, scope, 1))[0] == record.id
        hits = await vectors.search(scope, make_vector(0), model=MODEL, record_filter=RecordFilter(), limit=5)
        assert all(hit.score == hit.score for hit in hits), "no score is NaN"

    async def test_records_without_a_vector_are_not_near_anything(
        self, store: Store, vectors: Vectors, samples: Samples, scope: Scope
    ) -> None:
        await put(store, samples.make_record(scope))
        assert await self._near(vectors, scope, 1) == []

    async def test_closing_twice_is_harmless(self, vectors: Vectors) -> None:
        await vectors.close()
        await vectors.close()
