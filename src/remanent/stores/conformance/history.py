"""History: versions, what stood at a moment, forgetting and coming back."""

from datetime import datetime, timedelta

import pytest

from remanent.model import Kind, Record, Scope, Status, Version
from remanent.stores.conformance.base import StoreSuite, append, current, found, listed, put, update
from remanent.stores.conformance.samples import Samples
from remanent.stores.queries import RecordFilter, RecordQuery
from remanent.stores.store import Store

SECOND = timedelta(seconds=1)


class HistoryConformance(StoreSuite):
    """What was remembered before."""

    @pytest.fixture
    async def changed(self, store: Store, samples: Samples, scope: Scope) -> list[Record]:
        """Return the three versions of a record, written ten seconds apart."""
        first = samples.make_record(scope, "She lives in Lisbon.", tags=("home",))
        await put(store, first)
        samples.clock.advance(seconds=10)
        second = await update(store, samples.next_version(first, content="She lives in Porto.", kind=Kind.TURN))
        samples.clock.advance(seconds=10)
        third = await update(store, samples.next_version(second, content="She lives in Faro.", tags=("away",)))
        return [first, second, third]

    async def test_all_versions_are_kept_oldest_first_the_current_one_last(
        self, store: Store, scope: Scope, changed: list[Record]
    ) -> None:
        first, second, third = changed
        assert await store.versions(scope, first.id) == [
            Version(record=first, superseded_at=second.updated_at),
            Version(record=second, superseded_at=third.updated_at),
            Version(record=third),
        ]

    async def test_an_unknown_record_has_no_versions(self, store: Store, scope: Scope, changed: list[Record]) -> None:
        assert await store.versions(scope, "nobody") == []

    async def test_superseded_versions_of_all_records_are_read_page_by_page(
        self, store: Store, samples: Samples, scope: Scope, changed: list[Record]
    ) -> None:
        other = samples.make_record(scope, "other")
        await put(store, other)
        latest = other
        for number in range(3):
            latest = await update(store, samples.next_version(latest, content=f"other {number}"))
        met: list[Version] = []
        while page := await store.past_versions(
            scope, after=(met[-1].record.id, met[-1].number) if met else None, limit=2
        ):
            met += page
        places = [(version.record.id, version.number) for version in met]
        wanted = [(changed[0].id, 1), (changed[0].id, 2), (other.id, 1), (other.id, 2), (other.id, 3)]
        assert places == sorted(wanted)

    async def test_a_record_is_read_as_it_stood(self, store: Store, scope: Scope, changed: list[Record]) -> None:
        first, second, third = changed

        async def stood(moment: datetime) -> list[Record]:
            return await store.records(scope, RecordQuery(RecordFilter(as_of=moment)))

        assert await stood(first.updated_at - SECOND) == []
        assert await stood(first.updated_at) == [first]
        assert await stood(second.updated_at - SECOND) == [first]
        assert await stood(second.updated_at) == [second]
        assert await stood(third.updated_at - SECOND) == [second]
        assert await stood(third.updated_at) == [third]
        assert await stood(third.updated_at + timedelta(days=999)) == [third]

    async def test_a_filter_looks_at_the_record_as_it_stood(
        self, store: Store, scope: Scope, changed: list[Record]
    ) -> None:
        first, _, third = changed
        early, late = first.updated_at, third.updated_at
        assert await listed(store, scope, as_of=early, tags=("home",)) == [first.content]
        assert await listed(store, scope, as_of=late, tags=("home",)) == []
        assert await listed(store, scope, as_of=early, tags=("away",)) == []
        assert await store.match(scope, [first.id], RecordFilter(as_of=early, tags=("home",))) == [first.id]
        assert await store.match(scope, [first.id], RecordFilter(as_of=late, tags=("home",))) == []
        assert await store.match(scope, [first.id], RecordFilter(as_of=early - SECOND)) == []

    async def test_a_search_looks_at_the_words_as_they_stood(
        self, store: Store, samples: Samples, scope: Scope, changed: list[Record]
    ) -> None:
        first, second, third = changed
        later = samples.make_record(scope, "He lives in Lisbon too.")
        samples.clock.advance(seconds=10)
        later = later.replace(created_at=samples.clock(), updated_at=samples.clock())
        await put(store, later)
        assert await found(store, scope, "Lisbon", as_of=first.updated_at) == [first.id]
        assert await found(store, scope, "Porto", as_of=first.updated_at) == []
        assert await found(store, scope, "Porto", as_of=second.updated_at) == [first.id]
        assert await found(store, scope, "Lisbon", as_of=third.updated_at) == []
        assert await found(store, scope, "Lisbon", as_of=later.updated_at) == [later.id]

    async def test_records_stood_in_the_order_they_were_made(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        records = []
        for content in "abcdef":
            records.append(samples.make_record(scope, content))
            samples.clock.advance(seconds=1)
        await put(store, *records)
        moment = samples.clock()
        for record in records[::2]:
            samples.clock.advance(seconds=1)
            await update(store, samples.next_version(record, content=record.content.upper()))
        assert await listed(store, scope, as_of=moment) == list("abcdef")
        assert await listed(store, scope, as_of=moment, limit=2) == list("ab")
        assert await listed(store, scope, as_of=moment, limit=3, after_id=records[1].id) == list("cde")
        assert await listed(store, scope, as_of=samples.clock()) == list("AbCdEf")

    async def test_a_forgotten_record_leaves_a_tombstone_and_can_still_be_read(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        [entry] = await append(store, samples.make_entry(scope))
        record = samples.make_record_of(entry, "She lives in Lisbon.", summary="home", keywords=("Lisbon",))
        await put(store, record)
        at = samples.clock.advance(seconds=10)
        async with store.transaction(scope) as tx:
            tx.forget(record, at=at, reason="not used")
        [stone] = await store.tombstones(scope)
        assert (stone.record_id, stone.about, stone.reason) == (record.id, "home", "not used")
        assert (stone.learned_at, stone.forgotten_at) == (record.created_at, at)
        assert (stone.keywords, stone.sources, stone.size) == (record.keywords, record.sources, len(record.content))
        assert await listed(store, scope) == []
        assert await listed(store, scope, statuses=(Status.FORGOTTEN,)) == [record.content]

    async def test_what_is_forgotten_still_stood_before(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(scope)
        await put(store, record)
        forgotten_at = samples.clock.advance(seconds=10)
        async with store.transaction(scope) as tx:
            tx.forget(record, at=forgotten_at)
        restored_at = samples.clock.advance(seconds=10)
        async with store.transaction(scope) as tx:
            tx.restore(await current(store, scope, record.id), at=restored_at)
        assert await listed(store, scope, as_of=forgotten_at - SECOND) == [record.content]
        assert await listed(store, scope, as_of=forgotten_at) == []
        assert await found(store, scope, "Lisbon", as_of=forgotten_at - SECOND) == [record.id]
        assert await found(store, scope, "Lisbon", as_of=forgotten_at) == []
        assert await found(store, scope, "Lisbon", as_of=restored_at) == [record.id]
        assert await listed(store, scope, as_of=restored_at) == [record.content]

    async def test_a_restored_record_is_back_without_its_tombstone(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope)
        await put(store, record)
        async with store.transaction(scope) as tx:
            tx.forget(record, at=samples.clock())
        async with store.transaction(scope) as tx:
            tx.restore(await current(store, scope, record.id), at=samples.clock.advance(seconds=1))
        back = await current(store, scope, record.id)
        assert back == record.replace(version=3, updated_at=samples.clock())
        assert await store.tombstones(scope) == []
        assert await found(store, scope, "Lisbon") == [record.id]
        assert [version.record.status for version in await store.versions(scope, record.id)] == [
            Status.ACTIVE,
            Status.FORGOTTEN,
            Status.ACTIVE,
        ]

    async def test_tombstones_are_read_in_order_or_by_their_records(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        records = [samples.make_record(scope, content) for content in "abc"]
        await put(store, *records)
        for record in reversed(records):
            async with store.transaction(scope) as tx:
                tx.forget(record, at=samples.clock())
        ids = [record.id for record in records]
        assert [stone.record_id for stone in await store.tombstones(scope)] == sorted(ids)
        assert [stone.record_id for stone in await store.tombstones(scope, [ids[1], "nobody"])] == [ids[1]]
        assert await store.tombstones(scope, []) == []
