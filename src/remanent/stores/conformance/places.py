"""Where records stand among what was said, and the number that rises with every change."""

import itertools

from remanent.model import Kind, Origin, Record, Scope
from remanent.stores.changes import TouchRecords
from remanent.stores.conformance.base import ANY_STATUS, StoreSuite, append, put
from remanent.stores.conformance.samples import Samples
from remanent.stores.queries import Erasure, RecordFilter
from remanent.stores.store import Store


class PlacesConformance(StoreSuite):
    """Neighbours and revisions."""

    async def test_a_turn_knows_its_neighbours_in_its_session(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        turns = await _turns(store, samples, scope, ["a", "b", "a", "a", "b"])
        ids = [turn.id for turn in turns]
        places = await store.places(scope, [ids[2], ids[0]], record_filter=RecordFilter())
        assert [place.record_id for place in places] == [ids[2], ids[0]]
        middle, first = places
        assert (middle.session, middle.before_id, middle.after_id) == ("a", ids[0], ids[3])
        assert (first.before_id, first.after_id) == (None, ids[2])
        assert (middle.kind, middle.trust, middle.occurred_at) == (Kind.TURN, Origin.USER, turns[2].occurred_at)
        assert 0 < first.seq < middle.seq
        assert middle.role == "user"
        assert first.recorded_at is not None

    async def test_neighbours_come_along_as_far_as_asked_and_as_they_pass(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        turns = await _turns(store, samples, scope, ["a"] * 6)
        ids = [turn.id for turn in turns]

        async def reached(reach: int) -> set[str]:
            found = await store.places(scope, [ids[2]], record_filter=RecordFilter(), reach=reach)
            return {place.record_id for place in found}

        assert await reached(0) == {ids[2]}
        assert await reached(1) == set(ids[1:4])
        assert await reached(2) == set(ids[:5])
        async with store.transaction(scope) as tx:
            tx.forget(turns[1], at=samples.clock())
        assert await reached(1) == {ids[2], ids[3]}

    async def test_what_belongs_to_no_session_has_its_neighbours_in_the_journal(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        turns = await _turns(store, samples, scope, [None, None, "a", None])
        ids = [turn.id for turn in turns]
        places = {place.record_id: place for place in await store.places(scope, ids, record_filter=ANY_STATUS)}
        assert (places[ids[0]].before_id, places[ids[0]].after_id) == (None, ids[1])
        assert places[ids[3]].before_id is None

    async def test_a_record_that_is_no_turn_has_a_place_without_neighbours(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope, kind=Kind.SEMANTIC, trust=Origin.WEB)
        await put(store, record)
        (place,) = await store.places(scope, [record.id, "unknown"], record_filter=RecordFilter(), reach=1)
        assert (place.kind, place.trust, place.seq, place.before_id) == (Kind.SEMANTIC, Origin.WEB, 0, None)

    async def test_a_place_without_neighbours_says_all_else(self, store: Store, samples: Samples, scope: Scope) -> None:
        turns = await _turns(store, samples, scope, ["a", None, "a"])
        record = samples.make_record(scope, kind=Kind.SEMANTIC, trust=Origin.WEB)
        await put(store, record)
        ids = [record.id, "unknown", *(turn.id for turn in turns)]
        whole = await store.places(scope, ids, record_filter=RecordFilter())
        alone = await store.places(scope, ids, record_filter=RecordFilter(), neighbours=False)
        assert alone == [place._replace(before_id=None, after_id=None) for place in whole]
        assert any(place.before_id for place in whole)

    async def test_the_revision_rises_with_every_change_that_can_be_read(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        assert await store.revision(scope) == 0
        (turn,) = await _turns(store, samples, scope, ["a"])
        seen = [await store.revision(scope)]
        other = samples.make_record(scope)
        await put(store, other)
        seen.append(await store.revision(scope))
        async with store.transaction(scope) as tx:
            tx.link(samples.make_link(turn.id, other.id))
        seen.append(await store.revision(scope))
        async with store.transaction(scope) as tx:
            tx.forget(other, at=samples.clock())
        seen.append(await store.revision(scope))
        await store.erase(scope, Erasure(record_ids=(turn.id,)))
        seen.append(await store.revision(scope))
        await store.erase(scope, Erasure(everything=True))
        seen.append(await store.revision(scope))
        assert all(before < after for before, after in itertools.pairwise(seen))

    async def test_counting_accesses_and_the_queue_do_not_raise_the_revision(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        (turn,) = await _turns(store, samples, scope, ["a"])
        before = await store.revision(scope)
        await store.commit(scope, [TouchRecords((turn.id,), accessed=1)])
        async with store.transaction(scope) as tx:
            tx.enqueue(samples.make_job(scope), limit=10)
        assert await store.revision(scope) == before


async def _turns(store: Store, samples: Samples, scope: Scope, sessions: list[str | None]) -> list[Record]:
    """Say something in each session in turn, and return the turns."""
    entries = []
    for number, session in enumerate(sessions):
        samples.clock.advance(seconds=60)
        within = scope if session is None else scope.within(session=session)
        entries.append(samples.make_entry(within, f"word {number}"))
    turns = [
        samples.make_record_of(entry, id=entry.id, occurred_at=entry.occurred_at)
        for entry in await append(store, *entries)
    ]
    await put(store, *turns)
    return turns
