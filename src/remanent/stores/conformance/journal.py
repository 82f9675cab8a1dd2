"""The journal and the commit: appended in order, each thing once; all of a unit of work or nothing of it."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from remanent.errors import DuplicateEntry, InvalidInput, LeaseLost, NotFound, QueueFull, RemanentError, VersionConflict
from remanent.lightweight import dataclass
from remanent.model import Attachment, Conflict, Entry, EntryKind, Job, Origin, Record, Scope
from remanent.stores import transaction
from remanent.stores.conformance.base import (
    MODEL,
    OpenStore,
    Samples,
    StoredAgent,
    StoreSuite,
    append,
    claim,
    current,
    everything,
    found,
    vector_bytes,
)
from remanent.stores.queries import ConflictQuery, EntryQuery, RecordQuery
from remanent.stores.store import Store
from remanent.stores.transaction import Change


class JournalConformance(StoreSuite):
    """What happened, as it was said."""

    async def test_an_entry_comes_back_as_it_was_appended(self, agent: StoredAgent) -> None:
        """With every field, in any writing: the journal is the only source that cannot be derived."""
        entry = agent.within(session="s1", task="t1").entry(
            "她说：“搬到里斯本了”\n\t🎉 \x00 '; DROP TABLE entries; --",
            kind=EntryKind.TOOL_RESULT,
            role="tool",
            caller_id="call-1",
            metadata={"深": {"list": [1, 2.5, None, True, "x"]}, "big": 2**53},
            attachments=(Attachment(attachment_id="a", name="图.png", digest="0" * 64, uri="file:x", size=7),),
            origin=Origin.WEB,
            occurred_at=agent.clock.now.replace(year=1969, microsecond=1000),
        )
        [stored] = await agent.append(entry)
        assert stored == entry.replace(seq=stored.seq)
        assert stored.seq > 0

    async def test_places_rise_strictly_whatever_the_clock_and_the_session(self, agent: StoredAgent) -> None:
        """Clocks step back; only the place says what came first, and pages continue behind it."""
        places = []
        for number in range(6):
            agent.clock.advance(seconds=-60)
            [stored] = await agent.append(agent.within(session=f"s{number % 2}").entry(f"{number}"))
            places.append(stored.seq)
        assert places == sorted(set(places))
        assert await agent.said() == ["0", "1", "2", "3", "4", "5"]

    async def test_a_commit_tells_the_ids_and_the_last_place(self, agent: StoredAgent) -> None:
        """The caller cites what it stored, and can wait until that place is indexed."""
        entries = [agent.entry(text) for text in ("a", "b", "c")]
        async with agent.transaction() as tx:
            for entry in entries:
                tx.append(entry)
        assert tx.committed.entry_ids == tuple(entry.id for entry in entries)
        assert tx.committed.last_seq == (await agent.entries(EntryQuery()))[-1].seq
        assert tx.committed.repeated == 0

    async def test_a_repeated_entry_is_stored_once_and_its_first_id_returned(self, agent: StoredAgent) -> None:
        """Clients that got no answer send again, and need the id of what is stored."""
        [first] = await agent.append(agent.entry("hello", caller_id="m1"))
        async with agent.transaction() as tx:
            tx.append(agent.entry("hello", caller_id="m1"))
            tx.append(agent.entry("hello", caller_id="m1"))
        assert tx.committed.entry_ids == (first.id, first.id)
        assert tx.committed.repeated == 2
        assert tx.committed.last_seq == first.seq
        assert await agent.said() == ["hello"]

    async def test_a_repetition_inside_one_commit_is_stored_once(self, agent: StoredAgent) -> None:
        """A batch that was put together from two retries."""
        first, second = (agent.entry("hello", caller_id="m1") for _ in range(2))
        async with agent.transaction() as tx:
            tx.append(first)
            tx.append(second)
        assert tx.committed.entry_ids == (first.id, first.id)
        assert tx.committed.repeated == 1
        assert await agent.said() == ["hello"]

    async def test_a_callers_id_with_another_text_is_refused_and_nothing_is_written(self, agent: StoredAgent) -> None:
        """Dropping the second text without a word would lose what somebody said."""
        await agent.append(agent.entry("hello", caller_id="m1"))
        with pytest.raises(DuplicateEntry):
            await agent.append(agent.entry("before"), agent.entry("goodbye", caller_id="m1"))
        assert await agent.said() == ["hello"]

    async def test_a_callers_id_of_another_user_is_another_entry(self, agent: StoredAgent) -> None:
        """Two users who talk in one session count their messages each for themselves."""
        for user in ("ann", "bob", "bob"):
            said = agent.entry(f"I am {user}", caller_id="m1", metadata={"user_id": user})
            await agent.append(said)
        assert await agent.said() == ["I am ann", "I am bob"]

    async def test_a_callers_id_in_another_session_is_another_entry(self, agent: StoredAgent) -> None:
        """Many clients count their messages from 1 in every session."""
        places = [agent.scope, agent.scope.within(session="s1"), agent.scope.within(session="s2")]
        for number, place in enumerate(places):
            await agent.append(agent.samples.make_entry(place, f"text {number}", caller_id="m1"))
        assert await agent.said() == ["text 0", "text 1", "text 2"]

    async def test_entries_without_a_callers_id_are_never_repetitions(self, agent: StoredAgent) -> None:
        """People do say the same thing twice, and both count."""
        await agent.append(agent.entry("hello"), agent.entry("hello"))
        assert await agent.said() == ["hello", "hello"]

    @pytest.fixture
    async def journal(self, agent: StoredAgent) -> list[Entry]:
        """Return ten stored entries, one a minute, of two sessions and two kinds."""
        entries = []
        for number in range(10):
            place = agent.scope.within(session=f"s{number % 2}", task="t" if number < 4 else None)
            kind = EntryKind.EVENT if number % 5 == 0 else EntryKind.MESSAGE
            entries.append(agent.samples.make_entry(place, str(number), kind=kind, caller_id=f"m{number}"))
            agent.clock.advance(seconds=60)
        return await agent.append(*entries)

    async def test_entries_are_read_in_order_from_either_end(self, agent: StoredAgent, journal: list[Entry]) -> None:
        """The newest are read most often, and must not cost reading all others first."""
        assert await agent.entries(EntryQuery()) == journal
        assert await agent.entries(EntryQuery(newest_first=True)) == journal[::-1]
        assert await agent.said(limit=3) == ["0", "1", "2"]
        assert await agent.said(limit=3, newest_first=True) == ["9", "8", "7"]
        assert await agent.said(limit=0) == []

    async def test_entries_are_read_by_place(self, agent: StoredAgent, journal: list[Entry]) -> None:
        """Behind a place for following, before a place for paging back."""
        assert await agent.said(after_seq=journal[6].seq) == ["7", "8", "9"]
        assert await agent.said(before_seq=journal[2].seq) == ["0", "1"]
        assert await agent.said(after_seq=journal[2].seq, before_seq=journal[5].seq) == ["3", "4"]
        assert await agent.said(before_seq=journal[5].seq, newest_first=True, limit=2) == [
            "4",
            "3",
        ]

    async def test_paging_through_the_journal_meets_every_entry_once(
        self, agent: StoredAgent, journal: list[Entry]
    ) -> None:
        """Exports and indexing page; one entry that is skipped would never be found again."""
        met: list[Entry] = []
        while page := await agent.entries(EntryQuery(after_seq=met[-1].seq if met else 0, limit=3)):
            met += page
        assert met == journal

    async def test_entries_are_read_by_their_ids(self, agent: StoredAgent, journal: list[Entry]) -> None:
        """In journal order, whatever the order of the ids."""
        assert await agent.said(entry_ids=(journal[7].id, "nobody", journal[2].id)) == ["2", "7"]
        assert await agent.said(entry_ids=(journal[7].id,)) == ["7"]
        assert await agent.said(entry_ids=()) == []

    async def test_entries_are_read_by_the_callers_ids(self, agent: StoredAgent, journal: list[Entry]) -> None:
        """A client finds its own message again without having kept our id."""
        assert await agent.said(caller_ids=("m7", "nobody", "m2")) == ["2", "7"]
        assert await agent.said(caller_ids=()) == []

    async def test_entries_are_read_by_kind(self, agent: StoredAgent, journal: list[Entry]) -> None:
        assert await agent.said(kinds=(EntryKind.EVENT,)) == ["0", "5"]
        assert len(await agent.said(kinds=(EntryKind.EVENT, EntryKind.MESSAGE))) == 10
        assert await agent.said(kinds=(EntryKind.DOCUMENT,)) == []

    async def test_entries_are_read_by_time_with_the_end_left_out(
        self, agent: StoredAgent, journal: list[Entry]
    ) -> None:
        """Half-open, so that neighbouring ranges neither overlap nor leave a gap."""
        start, end = journal[3].occurred_at, journal[6].occurred_at
        assert await agent.said(occurred_from=start, occurred_before=end) == ["3", "4", "5"]
        assert await agent.said(occurred_from=end) == ["6", "7", "8", "9"]
        assert await agent.said(occurred_before=start) == ["0", "1", "2"]

    async def test_a_scope_narrows_the_journal_to_its_session_and_task(
        self, agent: StoredAgent, journal: list[Entry]
    ) -> None:
        """The same call serves a whole agent and one conversation of it."""
        assert await agent.within(session="s1").said() == ["1", "3", "5", "7", "9"]
        assert await agent.within(task="t").said() == ["0", "1", "2", "3"]
        assert await agent.within(session="s1", task="t").said() == ["1", "3"]
        assert await agent.within(session="nobody").said() == []
        assert await agent.within(session="s1").said(entry_ids=(journal[0].id,)) == []

    async def test_every_condition_of_a_query_must_hold(self, agent: StoredAgent, journal: list[Entry]) -> None:
        """Conditions only ever narrow."""
        conditions: dict[str, Any] = {"kinds": (EntryKind.MESSAGE,), "after_seq": journal[1].seq, "limit": 2}
        conditions["occurred_before"] = journal[8].occurred_at
        assert await agent.within(session="s0").said(**conditions) == ["2", "4"]

    async def test_words_of_the_query_language_in_a_session_are_just_words(self, agent: StoredAgent) -> None:
        """Session names come from users, and none may become part of a statement."""
        label = "a(b) OR 1=1 #,-- _"
        await agent.append(agent.within(session=label).entry("odd"))
        await agent.append(agent.entry("plain"))
        assert await agent.within(session=label).said() == ["odd"]
        assert await agent.at(agent.scope.within(session="a(b) OR 1=1 #,-- x")).said() == []


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
        tx.changes.append(transaction.PutVector(kept.id, MODEL, vector_bytes(1)))
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
    job = await claim(store, scope, worker="w", now=samples.clock(), lease=LEASE)
    assert job is not None
    return job


def _put(record: Record) -> Change:
    return transaction.PutRecord(record, "some terms", record.version - 1)


GOOD: dict[str, Callable[[World], Change]] = {
    "append": lambda w: transaction.AppendEntry(w.samples.make_entry(w.scope, "Something new.")),
    "put": lambda w: _put(w.samples.make_record(w.scope, "Something new.")),
    "put again": lambda w: _put(w.samples.next_version(w.kept, content="She moved to Porto.")),
    "drop": lambda w: transaction.DropRecord(w.kept.id),
    "touch": lambda w: transaction.TouchRecords((w.kept.id,), accessed=1),
    "vector": lambda w: transaction.PutVector(w.linked.id, MODEL, vector_bytes(0, 1)),
    "vector again": lambda w: transaction.PutVector(w.kept.id, MODEL, vector_bytes(0, 1)),
    "drop vectors": lambda w: transaction.DropVectors(MODEL),
    "put tombstone": lambda w: transaction.PutTombstone(w.samples.make_tombstone(w.forgotten, reason="another")),
    "drop tombstone": lambda w: transaction.DropTombstone(w.forgotten.id),
    "put link": lambda w: transaction.PutLink(w.samples.make_link(w.linked.id, w.kept.id)),
    "drop link": lambda w: transaction.DropLink(w.kept.id, w.linked.id, "about"),
    "put conflict": lambda w: transaction.PutConflict(w.samples.make_conflict(w.scope, [w.kept, w.linked])),
    "put state": lambda w: transaction.PutState("cursor", 2),
    "drop state": lambda w: transaction.PutState("cursor", None),
    "enqueue": lambda w: transaction.EnqueueJob(w.samples.make_job(w.scope), limit=10),
    "finish": lambda w: transaction.FinishJob(w.running.id, w.running.fence),
    "retry": lambda w: transaction.RetryJob(w.running.id, w.running.fence, w.samples.clock(), "again"),
    "bury": lambda w: transaction.BuryJob(w.running.id, w.running.fence, "broken"),
    "revive": lambda w: transaction.ReviveJob(w.dead.id),
}
BAD: dict[str, tuple[Callable[[World], Change], type[RemanentError]]] = {
    "a caller's id with another text": (
        lambda w: transaction.AppendEntry(w.samples.make_entry(w.scope, "Other words.", caller_id="first")),
        DuplicateEntry,
    ),
    "an entry's id again": (lambda w: transaction.AppendEntry(w.entry.replace(seq=0, caller_id=None)), DuplicateEntry),
    "a record that is not new": (lambda w: _put(w.kept), VersionConflict),
    "a version that is not next": (lambda w: _put(w.kept.replace(version=3)), VersionConflict),
    "a version of nothing": (lambda w: _put(w.samples.make_record(w.scope).replace(version=2)), VersionConflict),
    "a conflict that is not new": (lambda w: transaction.PutConflict(w.conflict), VersionConflict),
    "a conflict that is not next": (
        lambda w: transaction.PutConflict(w.conflict.replace(version=3), expects=2),
        VersionConflict,
    ),
    "dropping nothing": (lambda w: transaction.DropRecord("nobody"), NotFound),
    "a vector of nothing": (lambda w: transaction.PutVector("nobody", MODEL, vector_bytes(1)), NotFound),
    "a vector of another size": (lambda w: transaction.PutVector(w.kept.id, MODEL, b"\0" * 8), InvalidInput),
    "a vector of broken bytes": (lambda w: transaction.PutVector(w.kept.id, "other", b"\0" * 7), InvalidInput),
    "an empty vector": (lambda w: transaction.PutVector(w.kept.id, "other", b""), InvalidInput),
    "a job too many": (lambda w: transaction.EnqueueJob(w.samples.make_job(w.scope), limit=2), QueueFull),
    "finishing with an old fence": (lambda w: transaction.FinishJob(w.running.id, w.running.fence - 1), LeaseLost),
    "finishing nothing": (lambda w: transaction.FinishJob("nobody", 1), LeaseLost),
    "retrying with an old fence": (
        lambda w: transaction.RetryJob(w.running.id, w.running.fence - 1, w.samples.clock(), ""),
        LeaseLost,
    ),
    "burying with an old fence": (lambda w: transaction.BuryJob(w.running.id, w.running.fence - 1, ""), LeaseLost),
    "reviving what is not dead": (lambda w: transaction.ReviveJob(w.waiting.id), NotFound),
}


class CommitsConformance(StoreSuite):
    """All or none, and nothing lost after."""

    @pytest.fixture
    async def world(self, agent: StoredAgent) -> World:
        """Return what is in the store before the test."""
        return await make_world(agent.store, agent.samples, agent.scope)

    @pytest.mark.parametrize("name", GOOD)
    async def test_every_sort_of_change_takes_effect(self, store: Store, world: World, name: str) -> None:
        """One commit with all of them: the order inside a unit of work is the order of effect."""
        before = await everything(store, world.scope)
        await store.commit(world.scope, [GOOD[name](world)])
        assert await everything(store, world.scope) != before

    @pytest.mark.parametrize("name", GOOD)
    async def test_a_change_before_a_failing_one_leaves_nothing(self, store: Store, world: World, name: str) -> None:
        """Callers try the whole unit of work again; half of it would then be there twice."""
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
        """For every sort of refusal, with good changes before and behind it."""
        make, error = BAD[name]
        before = await everything(store, world.scope)
        around = [GOOD["append"](world), GOOD["put"](world), make(world), GOOD["put state"](world)]
        with pytest.raises(error):
            await store.commit(world.scope, around)
        assert await everything(store, world.scope) == before

    async def test_a_store_goes_on_after_a_refusal(self, store: Store, world: World) -> None:
        """A refusal is everyday business and must not poison the connection for the next caller."""
        with pytest.raises(VersionConflict):
            await store.commit(world.scope, [_put(world.kept)])
        await store.commit(world.scope, [transaction.PutState("after", True)])
        assert (await store.states(world.scope))["after"] is True

    async def test_an_empty_unit_of_work_is_harmless(self, agent: StoredAgent) -> None:
        """Code that found nothing to do need not ask first."""
        committed = await agent.commit()
        assert committed == transaction.Committed()
        async with agent.transaction() as tx:
            pass
        assert tx.committed == transaction.Committed()

    async def test_an_error_inside_the_unit_of_work_commits_nothing(self, agent: StoredAgent) -> None:
        """The caller's own error counts as much as one of the store."""

        async def break_off() -> None:
            async with agent.transaction() as tx:
                tx.append(agent.entry())
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await break_off()
        assert await agent.entries(EntryQuery()) == []

    async def test_a_unit_of_work_takes_nothing_of_another_agent(self, agent: StoredAgent) -> None:
        """The scope is checked before anything is written, as a last line of defence."""
        other = agent.samples.make_scope("bob")
        pair = [agent.samples.make_record(other), agent.samples.make_record(other)]
        async with agent.transaction() as tx:
            with pytest.raises(InvalidInput):
                tx.append(agent.samples.make_entry(other))
            with pytest.raises(InvalidInput):
                tx.put(pair[0])
            with pytest.raises(InvalidInput):
                tx.conflict(agent.samples.make_conflict(other, pair))
            with pytest.raises(InvalidInput):
                tx.enqueue(agent.samples.make_job(other), limit=10)
        assert await agent.entries(EntryQuery()) == []

    async def test_a_unit_of_work_counts_versions(self, agent: StoredAgent) -> None:
        """A wrong number is a mistake of the caller and shows before anything is sent."""
        record = agent.record()
        pair = [record, agent.record()]
        async with agent.transaction() as tx:
            with pytest.raises(InvalidInput):
                tx.put(record, expects=1)
            with pytest.raises(InvalidInput):
                tx.conflict(agent.conflict(pair), expects=1)

    async def test_one_unit_of_work_may_use_what_it_has_just_made(self, agent: StoredAgent) -> None:
        """A record and its vector, a link and both its ends."""
        entry = agent.entry()
        record = agent.record_of(entry)
        second = agent.next_version(record, summary="in short")
        async with agent.transaction() as tx:
            tx.append(entry)
            tx.put(record)
            tx.put(second, expects=1)
            tx.changes.append(transaction.PutVector(record.id, MODEL, vector_bytes(1)))
        assert await agent.current(record.id) == second
        assert (await agent.everything()).vectors == {(MODEL, record.id): vector_bytes(1)}

    @pytest.mark.parametrize("what", ["record", "conflict"])
    async def test_of_many_that_change_the_same_version_one_wins(self, agent: StoredAgent, what: str) -> None:
        """Two workers may consolidate one record, or judge one conflict; the second must read again, not overwrite."""
        record, conflict = agent.record(), agent.conflict([agent.record(), agent.record()])
        await agent.commit(_put(record), transaction.PutConflict(conflict))
        records = [agent.next_version(record, content=f"claim {number}") for number in range(20)]
        verdicts = [conflict.replace(version=2, description=f"view {number}") for number in range(20)]
        rivals: list[Change] = [_put(one) for one in records]
        if what == "conflict":
            rivals = [transaction.PutConflict(one, 1) for one in verdicts]
        outcomes = await asyncio.gather(*map(agent.commit, rivals), return_exceptions=True)
        assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 19
        won = next(place for place, outcome in enumerate(outcomes) if not isinstance(outcome, VersionConflict))
        kept = [await agent.current(record.id), *await agent.conflicts(ConflictQuery())]
        assert kept == ([records[won], conflict] if what == "record" else [record, verdicts[won]])

    async def test_a_hundred_commits_at_once_are_all_kept_in_distinct_places(self, agent: StoredAgent) -> None:
        """Backends that gather commits into groups must still give each its own answer."""
        entries = [agent.entry(f"message {number}") for number in range(100)]

        async def remember(entry: Entry) -> int:
            async with agent.transaction() as tx:
                tx.append(entry)
                tx.put(agent.record_of(entry))
                tx.enqueue(agent.job(), limit=1000)
            return tx.committed.last_seq

        places = await asyncio.gather(*(remember(entry) for entry in entries))
        stored = await agent.entries(EntryQuery(limit=1000))
        assert {entry.text for entry in stored} == {entry.text for entry in entries}
        assert sorted(places) == [entry.seq for entry in stored]
        assert len(set(places)) == 100
        assert len(await agent.records(RecordQuery(limit=1000))) == 100
        assert (await agent.queue()).pending == 100

    async def test_one_that_fails_among_many_harms_no_other(self, agent: StoredAgent) -> None:
        """The same holds for a refusal inside such a group."""
        taken = agent.record()
        await agent.commit(_put(taken))
        units = [[transaction.PutState(f"unit {number}", number)] for number in range(30)]
        work: list[list[Change]] = [
            [*unit, _put(taken)] if number % 3 == 0 else [*unit] for number, unit in enumerate(units)
        ]
        outcomes = await asyncio.gather(*(agent.commit(*unit) for unit in work), return_exceptions=True)
        assert [isinstance(outcome, VersionConflict) for outcome in outcomes] == [n % 3 == 0 for n in range(30)]
        assert await agent.states() == {f"unit {n}": n for n in range(30) if n % 3}

    async def test_what_was_committed_is_there_when_the_store_is_opened_again(
        self, store: Store, opened: OpenStore, world: World
    ) -> None:
        """A commit that returns is a promise; the crash tests make it harder."""
        before = await everything(store, world.scope)
        await store.close()
        assert await everything(await opened("here"), world.scope) == before

    async def test_another_handle_on_the_same_data_sees_every_commit_at_once(
        self, agent: StoredAgent, opened: OpenStore
    ) -> None:
        """A server may run several processes over one home."""
        other = await opened("here")
        for number in range(5):
            writer, reader = (agent.store, other) if number % 2 else (other, agent.store)
            await append(writer, agent.entry(f"message {number}"))
            assert len(await reader.entries(agent.scope, EntryQuery())) == number + 1
