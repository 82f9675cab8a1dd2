"""A unit of work is applied as a whole or not at all."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from remanent.errors import (
    DuplicateEntry,
    InvalidInput,
    LeaseLost,
    NotFound,
    QueueFull,
    RemanentError,
    VersionConflict,
)
from remanent.model import Conflict, Entry, Job, Record, Scope
from remanent.stores import changes
from remanent.stores.changes import Change
from remanent.stores.conformance.base import OpenStore, StoreSuite, append, current, everything, found
from remanent.stores.conformance.samples import MODEL, Samples, vector_bytes
from remanent.stores.queries import ConflictQuery, EntryQuery, RecordQuery
from remanent.stores.store import Store

LEASE = timedelta(minutes=1)


@dataclass(frozen=True)
class World:
    """A little of everything, in a store."""

    samples: Samples
    scope: Scope
    entry: Entry
    kept: Record
    linked: Record
    forgotten: Record
    conflict: Conflict
    running: Job
    dead: Job
    waiting: Job


async def make_world(store: Store, samples: Samples, scope: Scope) -> World:
    """Put a little of everything into a store."""
    [entry] = await append(store, samples.make_entry(scope, caller_id="first"))
    kept, linked = samples.make_record_of(entry), samples.make_record(scope, "She drinks green tea.")
    gone = samples.make_record(scope, "She once played chess.")
    conflict = samples.make_conflict(scope, [kept, linked])
    jobs = [samples.make_job(scope, lane=lane) for lane in ("doomed", "busy", "idle")]
    async with store.transaction(scope) as tx:
        for record in (kept, linked, gone):
            tx.put(record)
        tx.link(samples.make_link(kept.id, linked.id))
        tx.conflict(conflict)
        tx.state("cursor", 1)
        tx.changes.append(changes.PutVector(kept.id, MODEL, vector_bytes(1)))
        for job in jobs:
            tx.enqueue(job, limit=10)
    async with store.transaction(scope) as tx:
        tx.forget(gone, at=samples.clock())
    doomed, running = [await _claim(store, scope, samples) for _ in range(2)]
    async with store.transaction(scope) as tx:
        tx.bury(doomed, error="broken")
    forgotten = await current(store, scope, gone.id)
    return World(samples, scope, entry, kept, linked, forgotten, conflict, running, doomed, jobs[2])


async def _claim(store: Store, scope: Scope, samples: Samples) -> Job:
    job = await store.claim(scope, worker="w", now=samples.clock(), lease=LEASE)
    assert job is not None
    return job


def _put(record: Record) -> Change:
    return changes.PutRecord(record, "some terms", record.version - 1)


GOOD: dict[str, Callable[[World], Change]] = {
    "append": lambda w: changes.AppendEntry(w.samples.make_entry(w.scope, "Something new.")),
    "put": lambda w: _put(w.samples.make_record(w.scope, "Something new.")),
    "put again": lambda w: _put(w.samples.next_version(w.kept, content="She moved to Porto.")),
    "drop": lambda w: changes.DropRecord(w.kept.id),
    "touch": lambda w: changes.TouchRecords((w.kept.id,), accessed=1),
    "vector": lambda w: changes.PutVector(w.linked.id, MODEL, vector_bytes(0, 1)),
    "vector again": lambda w: changes.PutVector(w.kept.id, MODEL, vector_bytes(0, 1)),
    "drop vectors": lambda w: changes.DropVectors(MODEL),
    "put tombstone": lambda w: changes.PutTombstone(w.samples.make_tombstone(w.forgotten, reason="another")),
    "drop tombstone": lambda w: changes.DropTombstone(w.forgotten.id),
    "put link": lambda w: changes.PutLink(w.samples.make_link(w.linked.id, w.kept.id)),
    "drop link": lambda w: changes.DropLink(w.kept.id, w.linked.id, "about"),
    "put conflict": lambda w: changes.PutConflict(w.samples.make_conflict(w.scope, [w.kept, w.linked])),
    "put state": lambda w: changes.PutState("cursor", 2),
    "drop state": lambda w: changes.PutState("cursor", None),
    "enqueue": lambda w: changes.EnqueueJob(w.samples.make_job(w.scope), limit=10),
    "finish": lambda w: changes.FinishJob(w.running.id, w.running.fence),
    "retry": lambda w: changes.RetryJob(w.running.id, w.running.fence, w.samples.clock(), "again"),
    "bury": lambda w: changes.BuryJob(w.running.id, w.running.fence, "broken"),
    "revive": lambda w: changes.ReviveJob(w.dead.id),
}
BAD: dict[str, tuple[Callable[[World], Change], type[RemanentError]]] = {
    "a caller's id with another text": (
        lambda w: changes.AppendEntry(w.samples.make_entry(w.scope, "Other words.", caller_id="first")),
        DuplicateEntry,
    ),
    "an entry's id again": (lambda w: changes.AppendEntry(w.entry.replace(seq=0, caller_id=None)), DuplicateEntry),
    "a record that is not new": (lambda w: _put(w.kept), VersionConflict),
    "a version that is not next": (lambda w: _put(w.kept.replace(version=3)), VersionConflict),
    "a version of nothing": (
        lambda w: _put(w.samples.make_record(w.scope).replace(version=2)),
        VersionConflict,
    ),
    "a conflict that is not new": (lambda w: changes.PutConflict(w.conflict), VersionConflict),
    "a conflict that is not next": (
        lambda w: changes.PutConflict(w.conflict.replace(version=3), expects=2),
        VersionConflict,
    ),
    "dropping nothing": (lambda w: changes.DropRecord("nobody"), NotFound),
    "a vector of nothing": (lambda w: changes.PutVector("nobody", MODEL, vector_bytes(1)), NotFound),
    "a vector of another size": (lambda w: changes.PutVector(w.kept.id, MODEL, b"\0" * 8), InvalidInput),
    "a vector of broken bytes": (lambda w: changes.PutVector(w.kept.id, "other", b"\0" * 7), InvalidInput),
    "an empty vector": (lambda w: changes.PutVector(w.kept.id, "other", b""), InvalidInput),
    "a job too many": (lambda w: changes.EnqueueJob(w.samples.make_job(w.scope), limit=2), QueueFull),
    "finishing with an old fence": (lambda w: changes.FinishJob(w.running.id, w.running.fence - 1), LeaseLost),
    "finishing nothing": (lambda w: changes.FinishJob("nobody", 1), LeaseLost),
    "retrying with an old fence": (
        lambda w: changes.RetryJob(w.running.id, w.running.fence - 1, w.samples.clock(), ""),
        LeaseLost,
    ),
    "burying with an old fence": (lambda w: changes.BuryJob(w.running.id, w.running.fence - 1, ""), LeaseLost),
    "reviving what is not dead": (lambda w: changes.ReviveJob(w.waiting.id), NotFound),
}


class CommitsConformance(StoreSuite):
    """All or none, and nothing lost after."""

    @pytest.fixture
    async def world(self, store: Store, samples: Samples, scope: Scope) -> World:
        """Return what is in the store before the test."""
        return await make_world(store, samples, scope)

    @pytest.mark.parametrize("name", GOOD)
    async def test_every_sort_of_change_takes_effect(self, store: Store, world: World, name: str) -> None:
        before = await everything(store, world.scope)
        await store.commit(world.scope, [GOOD[name](world)])
        assert await everything(store, world.scope) != before

    @pytest.mark.parametrize("name", GOOD)
    async def test_a_change_before_a_failing_one_leaves_nothing(self, store: Store, world: World, name: str) -> None:
        before, revision = await everything(store, world.scope), await store.vector_revision(world.scope)
        with pytest.raises(VersionConflict):
            await store.commit(world.scope, [GOOD[name](world), _put(world.linked)])
        assert await everything(store, world.scope) == before
        assert await store.vector_revision(world.scope) == revision
        assert await found(store, world.scope, "Lisbon") == [world.kept.id]
        assert await found(store, world.scope, "terms") == []

    @pytest.mark.parametrize("name", BAD)
    async def test_a_change_that_cannot_be_made_is_refused_with_all_around_it(
        self, store: Store, world: World, name: str
    ) -> None:
        make, error = BAD[name]
        before = await everything(store, world.scope)
        around = [GOOD["append"](world), GOOD["put"](world), make(world), GOOD["put state"](world)]
        with pytest.raises(error):
            await store.commit(world.scope, around)
        assert await everything(store, world.scope) == before

    async def test_a_store_goes_on_after_a_refusal(self, store: Store, world: World) -> None:
        with pytest.raises(VersionConflict):
            await store.commit(world.scope, [_put(world.kept)])
        await store.commit(world.scope, [changes.PutState("after", True)])
        assert (await store.states(world.scope))["after"] is True

    async def test_an_empty_unit_of_work_is_harmless(self, store: Store, scope: Scope) -> None:
        committed = await store.commit(scope, [])
        assert committed == changes.Committed()
        async with store.transaction(scope) as tx:
            pass
        assert tx.committed == changes.Committed()

    async def test_an_error_inside_the_unit_of_work_commits_nothing(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        async def break_off() -> None:
            async with store.transaction(scope) as tx:
                tx.append(samples.make_entry(scope))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await break_off()
        assert await store.entries(scope, EntryQuery()) == []

    async def test_a_unit_of_work_takes_nothing_of_another_agent(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        other = samples.make_scope("bob")
        pair = [samples.make_record(other), samples.make_record(other)]
        async with store.transaction(scope) as tx:
            with pytest.raises(InvalidInput):
                tx.append(samples.make_entry(other))
            with pytest.raises(InvalidInput):
                tx.put(pair[0])
            with pytest.raises(InvalidInput):
                tx.conflict(samples.make_conflict(other, pair))
            with pytest.raises(InvalidInput):
                tx.enqueue(samples.make_job(other), limit=10)
        assert await store.entries(scope, EntryQuery()) == []

    async def test_a_unit_of_work_counts_versions(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(scope)
        pair = [record, samples.make_record(scope)]
        async with store.transaction(scope) as tx:
            with pytest.raises(InvalidInput):
                tx.put(record, expects=1)
            with pytest.raises(InvalidInput):
                tx.conflict(samples.make_conflict(scope, pair), expects=1)

    async def test_one_unit_of_work_may_use_what_it_has_just_made(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        entry = samples.make_entry(scope)
        record = samples.make_record_of(entry)
        second = samples.next_version(record, summary="in short")
        async with store.transaction(scope) as tx:
            tx.append(entry)
            tx.put(record)
            tx.put(second, expects=1)
            tx.changes.append(changes.PutVector(record.id, MODEL, vector_bytes(1)))
        assert await current(store, scope, record.id) == second
        assert (await everything(store, scope)).vectors == {(MODEL, record.id): vector_bytes(1)}

    async def test_of_many_that_change_the_same_version_one_wins(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope)
        await store.commit(scope, [_put(record)])
        rivals = [samples.next_version(record, content=f"claim {number}") for number in range(20)]
        outcomes = await asyncio.gather(
            *(store.commit(scope, [_put(rival)]) for rival in rivals), return_exceptions=True
        )
        refused = [outcome for outcome in outcomes if isinstance(outcome, VersionConflict)]
        assert len(refused) == 19
        winner = rivals[next(place for place, outcome in enumerate(outcomes) if outcome not in refused)]
        assert await current(store, scope, record.id) == winner

    async def test_of_many_that_change_the_same_conflict_one_wins(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        conflict = samples.make_conflict(scope, [samples.make_record(scope), samples.make_record(scope)])
        await store.commit(scope, [changes.PutConflict(conflict)])
        rivals = [conflict.replace(version=2, description=f"view {number}") for number in range(10)]
        outcomes = await asyncio.gather(
            *(store.commit(scope, [changes.PutConflict(rival, 1)]) for rival in rivals), return_exceptions=True
        )
        assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 9
        [kept] = await store.conflicts(scope, ConflictQuery())
        assert kept in rivals

    async def test_a_hundred_commits_at_once_are_all_kept_in_distinct_places(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        entries = [samples.make_entry(scope, f"message {number}") for number in range(100)]

        async def remember(entry: Entry) -> int:
            async with store.transaction(scope) as tx:
                tx.append(entry)
                tx.put(samples.make_record_of(entry))
                tx.enqueue(samples.make_job(scope), limit=1000)
            return tx.committed.last_seq

        places = await asyncio.gather(*(remember(entry) for entry in entries))
        stored = await store.entries(scope, EntryQuery(limit=1000))
        assert {entry.text for entry in stored} == {entry.text for entry in entries}
        assert sorted(places) == [entry.seq for entry in stored]
        assert len(set(places)) == 100
        assert len(await store.records(scope, RecordQuery(limit=1000))) == 100
        assert (await store.queue(scope)).pending == 100

    async def test_one_that_fails_among_many_harms_no_other(self, store: Store, samples: Samples, scope: Scope) -> None:
        taken = samples.make_record(scope)
        await store.commit(scope, [_put(taken)])
        units = [[changes.PutState(f"unit {number}", number)] for number in range(30)]
        work: list[list[Change]] = [
            [*unit, _put(taken)] if number % 3 == 0 else [*unit] for number, unit in enumerate(units)
        ]
        outcomes = await asyncio.gather(*(store.commit(scope, unit) for unit in work), return_exceptions=True)
        assert [isinstance(outcome, VersionConflict) for outcome in outcomes] == [n % 3 == 0 for n in range(30)]
        assert await store.states(scope) == {f"unit {n}": n for n in range(30) if n % 3}

    async def test_what_was_committed_is_there_when_the_store_is_opened_again(
        self, store: Store, opened: OpenStore, world: World
    ) -> None:
        before = await everything(store, world.scope)
        await store.close()
        assert await everything(await opened("here"), world.scope) == before

    async def test_another_handle_on_the_same_data_sees_every_commit_at_once(
        self, store: Store, opened: OpenStore, samples: Samples, scope: Scope
    ) -> None:
        other = await opened("here")
        for number in range(5):
            writer, reader = (store, other) if number % 2 else (other, store)
            await append(writer, samples.make_entry(scope, f"message {number}"))
            assert len(await reader.entries(scope, EntryQuery())) == number + 1
