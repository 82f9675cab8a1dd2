"""A random life of a store, compared step by step with plain dicts; crashes included.

The suites check each promise by itself. This finds what only a sequence brings out: an erasure between a claim and a
retry, an import of what was dropped, a crash behind either. `PlainStore` is the port written down as plainly as can be,
and whenever it and a store disagree, one of the two has misread the port.


class SqliteMachine(StoreMachine):
    async def open(self): return SqliteStore(self.folder)
    async def crash(self): …

TestLife = SqliteMachine.TestCase
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from remanent.errors import DuplicateEntry, LeaseLost, QueueFull, RemanentError, VersionConflict
from remanent.lightweight import dataclass
from remanent.model import Conflict, Entry, Job, JobState, Kind, Link, Record, Source, Status, Tombstone, Version
from remanent.stores import transaction
from remanent.stores.conformance.base import MODEL, Samples, claim, everything, found_by, vector_bytes
from remanent.stores.queries import LIVE, Erasure, RecordFilter, RecordQuery
from remanent.stores.search_terms import search_terms
from remanent.stores.store import ERASED_MEANWHILE, MAX_WAIT, Store
from remanent.stores.transaction import Change, Committed, Transaction
from remanent.text.terms import query_terms


@dataclass
class PlainQueue:
    """Jobs in queue order."""

    jobs: list[Job] = field(default_factory=list)

    @property
    def living(self) -> list[Job]:
        """Jobs that wait or run."""
        return [job for job in self.jobs if job.state is not JobState.DEAD]

    def waits(self, job: Job) -> bool:
        """Tell whether a job of the same key waits in the lane."""
        return job.key is not None and any(
            other.state is JobState.PENDING and (other.lane, other.key) == (job.lane, job.key) for other in self.jobs
        )

    def enqueue(self, job: Job) -> None:
        """Add a job, unless its key waits."""
        if not self.waits(job):
            self.jobs.append(job)

    def claimable(self, now: datetime) -> Job | None:
        """Return the first job that is the head of its lane, due, and under no live lease."""
        heads: dict[str, Job] = {}
        for job in self.living:
            heads.setdefault(job.lane, job)
        for job in heads.values():
            due = job.not_before is None or not now < job.not_before <= now + MAX_WAIT
            free = job.lease_until is None or not now < job.lease_until <= now + MAX_WAIT
            if due and free:
                return job
        return None

    def claim(self, *, worker: str, now: datetime, lease: timedelta) -> Job | None:
        """Claim that job."""
        job = self.claimable(now)
        if job is None:
            return None
        counters = {"fence": job.fence + 1, "attempts": job.attempts + 1}
        return self._set(job, state=JobState.RUNNING, worker=worker, lease_until=now + lease, **counters)

    def finish(self, job: Job) -> None:
        """Take a job out."""
        self.jobs = [other for other in self.jobs if other.id != job.id]

    def retry(self, job: Job, *, not_before: datetime, error: str, to_tail: bool) -> None:
        """Give a job back; a twin that waits behind it goes."""
        self.jobs = [other for other in self.jobs if other.id == job.id or not self._twins(job, other)]
        free: dict[str, Any] = {"worker": None, "lease_until": None}
        given = self._set(job, state=JobState.PENDING, not_before=not_before, error=self._safe(job, error), **free)
        if to_tail:
            self._to_tail(given)

    def bury(self, job: Job, *, error: str) -> None:
        """Keep a job as a dead letter."""
        self._set(job, state=JobState.DEAD, worker=None, lease_until=None, error=self._safe(job, error))

    def blur_errors(self) -> None:
        """Keep of every error what cannot quote an erased text: its name, and nothing of a job that runs."""
        for job in self.jobs:
            running = job.state is JobState.RUNNING
            self._set(job, error=ERASED_MEANWHILE if running else job.error.partition(":")[0])

    def _safe(self, job: Job, error: str) -> str:
        """Return an error without its message when something was erased since the job was claimed."""
        [held] = [other for other in self.jobs if other.id == job.id]
        return error.partition(":")[0] if held.error == ERASED_MEANWHILE else error

    def revive(self, job: Job) -> None:
        """Put a dead letter back at the tail."""
        self._to_tail(self._set(job, state=JobState.PENDING, attempts=0, not_before=None))

    @staticmethod
    def _twins(job: Job, other: Job) -> bool:
        waits = other.state is JobState.PENDING
        return waits and job.key is not None and (other.lane, other.key) == (job.lane, job.key)

    def _set(self, job: Job, **changes: Any) -> Job:
        [place] = [place for place, other in enumerate(self.jobs) if other.id == job.id]
        self.jobs[place] = self.jobs[place].replace(**changes)
        return self.jobs[place]

    def _to_tail(self, job: Job) -> None:
        self.finish(job)
        self.jobs.append(job)


@dataclass
class PlainStore:
    """One agent's memory, with the rules of the port written down as plainly as they can be."""

    entries: list[Entry] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    past: dict[str, list[Version]] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    tombstones: dict[str, Tombstone] = field(default_factory=dict)
    vectors: dict[tuple[str, str], bytes] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    queue: PlainQueue = field(default_factory=PlainQueue)

    def known(self, entry: Entry) -> Entry | None:
        """Return the entry that was stored before under the same caller's id and session."""
        key = (entry.scope.session, entry.caller_id)
        if entry.caller_id is None:
            return None
        return next((other for other in self.entries if (other.scope.session, other.caller_id) == key), None)

    def put(self, record: Record) -> None:
        """Write a record over the current version; counters have no history."""
        current = self.records.get(record.id)
        if current is not None:
            old = Version(record=current, superseded_at=record.updated_at)
            self.past.setdefault(record.id, []).append(old)
            record = record.replace(access_count=current.access_count, scan_count=current.scan_count)
            if record.status is Status.FORGOTTEN or record.content != current.content:
                self._drop_vectors(record.id)
        self.records[record.id] = record

    def touch(self, record_id: str, *, accessed: int, scanned: int) -> None:
        """Raise the counters of a record."""
        record = self.records[record_id]
        counts = {"access_count": record.access_count + accessed, "scan_count": record.scan_count + scanned}
        self.records[record_id] = record.replace(**counts)

    def drop(self, record_id: str) -> None:
        """Remove a record; links that point to it dangle."""
        self.records.pop(record_id, None)
        self.past.pop(record_id, None)
        self.tombstones.pop(record_id, None)
        self._drop_vectors(record_id)
        self.links = {ends: link for ends, link in self.links.items() if link.from_id != record_id}

    def versions(self, record_id: str) -> list[Version]:
        """Return all versions, the current one last."""
        return [*self.past.get(record_id, []), Version(record=self.records[record_id])]

    def stood(self, moment: datetime) -> dict[str, Record]:
        """Return every record that answered questions at a moment, as it was."""
        return {
            record_id: version.record
            for record_id in self.records
            for version in self.versions(record_id)
            if version.record.updated_at <= moment
            and (version.superseded_at is None or version.superseded_at > moment)
            and version.record.status in LIVE
        }

    @property
    def unembedded(self) -> list[Record]:
        """Records that have no vector and need one."""
        embedded = {record_id for _, record_id in self.vectors}
        return [
            record
            for record in self.records.values()
            if record.id not in embedded and record.status is not Status.FORGOTTEN
        ]

    def found(self, terms: list[str]) -> set[str]:
        """Return the ids of the records that hold any of the terms and answer questions."""
        return {
            record.id
            for record in self.records.values()
            if record.status in LIVE and set(terms) & set(search_terms(record).split())
        }

    def erase(self, *, entry_ids: set[str], record_ids: set[str]) -> None:
        """Remove records, and entries with all that came from them; the entries leave stubs."""
        for record_id in [name for name in self.records if name in record_ids or self.rests_on(name) & entry_ids]:
            self.drop(record_id)
            self.links = {ends: link for ends, link in self.links.items() if link.to_id != record_id}
            self.conflicts = {
                name: conflict
                for name, conflict in self.conflicts.items()
                if record_id not in {claim.record_id for claim in conflict.claims}
            }
        bare: dict[str, Any] = {"text": "", "metadata": {}, "attachments": (), "erased": True}
        self.entries = [entry.replace(**bare) if entry.id in entry_ids else entry for entry in self.entries]
        self.queue.blur_errors()

    def rests_on(self, record_id: str) -> set[str]:
        """Return the ids of the entries that any version of a record came from."""
        return {source.entry_id for version in self.versions(record_id) for source in version.record.sources}

    def _drop_vectors(self, record_id: str) -> None:
        self.vectors = {name: values for name, values in self.vectors.items() if name[1] != record_id}


T = TypeVar("T")
LEASE = timedelta(seconds=30)
LIMIT = 6
WORDS = ["lisbon", "porto", "green tea", "绿茶", "里斯本", "running late", "NEAR AND OR"]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
sessions = st.sampled_from([None, "s1", "s2"])
picks = st.integers(0, 10**6)
"""Chooses one of what there is; a number stays meaningful while hypothesis shrinks what came before."""


def _pick(options: Sequence[T], pick: int) -> T:
    return options[pick % len(options)]


class StoreMachine(RuleBasedStateMachine):
    """Does things to a store in any order; after each of them the store must hold what plain dicts hold.

    A backend gives `open`, and may give `reopen` and `crash`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.samples = Samples()
        self.scope = self.samples.make_scope()
        self.plain = PlainStore()
        self.claimed: list[Job] = []
        self._runner = asyncio.Runner()
        self.store: Store

    async def open(self) -> Store:
        """Return a store; the first time an empty one, then one over the same data."""
        raise NotImplementedError

    async def reopen(self) -> Store:
        """Close the store as one should, and return one over the same data."""
        await self.store.close()
        return await self.open()

    async def crash(self) -> Store:
        """Leave the store as a killed process would, and return one over the same data."""
        return await self.reopen()

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        """Wait for something the store does."""
        return self._runner.run(doing)

    def teardown(self) -> None:
        """Close what was opened."""
        if hasattr(self, "store"):
            self.run(self.store.close())
        self._runner.close()

    def commit(self, *work: Change) -> Committed:
        """Commit changes."""
        return self.run(self.store.commit(self.scope, work))

    def transaction(self) -> Transaction:
        """Return a unit of work to fill."""
        return self.store.transaction(self.scope)

    def refused(self, error: type[RemanentError], *work: Change) -> None:
        """Check that changes are refused, with others around them."""
        try:
            self.commit(transaction.PutState("never", 1), *work, transaction.PutState("never", 2))
        except error:
            return
        raise AssertionError(f"{error.__name__} was not raised")

    @initialize()
    def begin(self) -> None:
        """Open an empty store."""
        self.store = self.run(self.open())

    # ── journal ──────────────────────────────────────────────────────────────

    @rule(text=texts, session=sessions, caller_id=st.sampled_from([None, None, "m1", "m2"]))
    def append(self, text: str, session: str | None, caller_id: str | None) -> None:
        """Append an entry, which may be a repetition, or be refused as a false one."""
        entry = self.samples.make_entry(self.scope.within(session=session), text, caller_id=caller_id)
        known = self.plain.known(entry)
        if known is not None and not known.erased and known.text != text:
            self.refused(DuplicateEntry, transaction.AppendEntry(entry))
            return
        committed = self.commit(transaction.AppendEntry(entry))
        if known is not None:
            assert (committed.entry_ids, committed.repeated) == ((known.id,), 1)
            return
        assert committed.entry_ids == (entry.id,)
        assert committed.last_seq > max((other.seq for other in self.plain.entries), default=0)
        self.plain.entries.append(entry.replace(seq=committed.last_seq))

    # ── records ──────────────────────────────────────────────────────────────

    @rule(content=texts, session=sessions, kind=st.sampled_from([Kind.TURN, Kind.NOTE]), pick=picks)
    def put(self, content: str, session: str | None, kind: Kind, pick: int) -> None:
        """Put a new record with its vector, derived from an entry and linked to a record when there are any."""
        place = self.scope.within(session=session)
        entry = _pick(self.plain.entries, pick) if self.plain.entries else None
        sources = (Source(entry_id=entry.id),) if entry is not None else ()
        record = self.samples.make_record(place, content, kind=kind, sources=sources, scan_count=pick % 3)
        if entry is not None and entry.erased:
            self.refused(VersionConflict, transaction.PutRecord(record, "never", 0))
            return
        values = vector_bytes(pick % 7, 1)
        work: list[Change] = [transaction.PutVector(record.id, MODEL, values)]
        if self.plain.records:
            other = self._record(pick)
            links = [self.samples.make_link(record.id, other.id), self.samples.make_link(other.id, record.id)]
            work += [transaction.PutLink(link) for link in links]
            self.plain.links |= {(link.from_id, link.to_id, link.relation): link for link in links}
        self._put(record, *work, expects=0)
        self.plain.vectors[MODEL, record.id] = values

    def _put(self, record: Record, *work: Change, expects: int) -> None:
        tx = self.transaction()
        tx.put(record, expects=expects)
        self.commit(*tx.changes, *work)
        self.plain.put(record)

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks, content=texts, status=st.sampled_from([Status.ACTIVE, Status.PROVISIONAL, Status.SUPERSEDED]))
    def update(self, pick: int, content: str, status: Status) -> None:
        """Write the next version of a record; every other time only its status changes."""
        record = self._record(pick)
        new = content if pick % 2 else record.content
        # The writer has read the record some time ago: it knows nothing of the counts since.
        seen = {"access_count": 0, "scan_count": 0}
        self._put(self.samples.next_version(record, content=new, status=status, **seen), expects=record.version)

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks, off=st.sampled_from([-1, 1]))
    def update_what_changed_meanwhile(self, pick: int, off: int) -> None:
        """Write over a version that is not the current one."""
        record = self._record(pick)
        wrong = record.replace(version=max(record.version + off, 0) + 1, content="never")
        self.refused(VersionConflict, transaction.PutRecord(wrong, "never", wrong.version - 1))

    @precondition(lambda self: self._of_status(forgotten=False))
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        """Put a record out of mind."""
        record = _pick(self._of_status(forgotten=False), pick)
        tx = self.transaction()
        tx.forget(record, at=self.samples.clock(), reason="old")
        self.commit(*tx.changes)
        for change in tx.changes:
            if isinstance(change, transaction.PutRecord):
                self.plain.put(change.record)
            elif isinstance(change, transaction.PutTombstone):
                self.plain.tombstones[record.id] = change.tombstone

    @precondition(lambda self: self._of_status(forgotten=True))
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        """Bring a forgotten record back."""
        record = _pick(self._of_status(forgotten=True), pick)
        tx = self.transaction()
        tx.restore(record, at=self.samples.clock())
        self.commit(*tx.changes)
        self.plain.put(self.samples.next_version(record, status=Status.ACTIVE))
        del self.plain.tombstones[record.id]

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks)
    def drop(self, pick: int) -> None:
        """Remove a record."""
        record = self._record(pick)
        self.commit(transaction.DropRecord(record.id))
        self.plain.drop(record.id)

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks, accessed=st.integers(0, 2), scanned=st.integers(0, 2))
    def touch(self, pick: int, accessed: int, scanned: int) -> None:
        """Count an access or a scan."""
        record = self._record(pick)
        self.commit(transaction.TouchRecords((record.id,), accessed=accessed, scanned=scanned))
        self.plain.touch(record.id, accessed=accessed, scanned=scanned)

    @precondition(lambda self: self._of_status(forgotten=False))
    @rule(pick=picks, value=st.floats(-9, 9, width=32), model=st.sampled_from([MODEL, "other"]))
    def vector(self, pick: int, value: float, model: str) -> None:
        """Keep a vector."""
        record = _pick(self._of_status(forgotten=False), pick)
        self.commit(transaction.PutVector(record.id, model, vector_bytes(value, 1)))
        self.plain.vectors[model, record.id] = vector_bytes(value, 1)

    @rule(model=st.sampled_from([MODEL, "other"]))
    def drop_vectors(self, model: str) -> None:
        """Remove every vector of a model."""
        self.commit(transaction.DropVectors(model))
        self.plain.vectors = {name: values for name, values in self.plain.vectors.items() if name[0] != model}

    # ── links, conflicts, states ─────────────────────────────────────────────

    @precondition(lambda self: self.plain.records)
    @rule(one=picks, two=picks, relation=st.sampled_from(["", "about"]), strength=st.floats(0, 1))
    def link(self, one: int, two: int, relation: str, strength: float) -> None:
        """Link two records."""
        ends = (self._record(one).id, self._record(two).id)
        link = self.samples.make_link(*ends, relation, strength=strength)
        self.commit(transaction.PutLink(link))
        self.plain.links[*ends, relation] = link

    @precondition(lambda self: self.plain.links)
    @rule(pick=picks)
    def unlink(self, pick: int) -> None:
        """Remove a link."""
        ends = _pick(sorted(self.plain.links), pick)
        self.commit(transaction.DropLink(*ends))
        del self.plain.links[ends]

    @precondition(lambda self: self.plain.records)
    @rule(one=picks, two=picks)
    def conflict(self, one: int, two: int) -> None:
        """Put a conflict."""
        conflict = self.samples.make_conflict(self.scope, [self._record(one), self._record(two)])
        self.commit(transaction.PutConflict(conflict))
        self.plain.conflicts[conflict.id] = conflict

    @precondition(lambda self: self.plain.conflicts)
    @rule(pick=picks, expects=st.integers(0, 2))
    def change_conflict(self, pick: int, expects: int) -> None:
        """Put the next version of a conflict, or be refused."""
        old = self.plain.conflicts[_pick(sorted(self.plain.conflicts), pick)]
        conflict = old.replace(description=f"from {expects}", version=expects + 1)
        if expects != old.version:
            self.refused(VersionConflict, transaction.PutConflict(conflict, expects))
            return
        self.commit(transaction.PutConflict(conflict, expects))
        self.plain.conflicts[conflict.id] = conflict

    @rule(key=st.sampled_from("ab"), value=st.none() | st.integers(0, 3))
    def state(self, key: str, value: int | None) -> None:
        """Keep or remove a named value."""
        self.commit(transaction.PutState(key, value))
        if value is None:
            self.plain.states.pop(key, None)
        else:
            self.plain.states[key] = value

    # ── jobs ─────────────────────────────────────────────────────────────────

    @rule(lane=st.sampled_from(["x", "y"]), key=st.sampled_from([None, "k"]))
    def enqueue(self, lane: str, key: str | None) -> None:
        """Enqueue a job, which may be a no-op, or be refused by a full queue."""
        job = self.samples.make_job(self.scope, lane=lane, key=key)
        if not self.plain.queue.waits(job) and len(self.plain.queue.living) >= LIMIT:
            self.refused(QueueFull, transaction.EnqueueJob(job, LIMIT))
            return
        before = len(self.plain.queue.jobs)
        self.plain.queue.enqueue(job)
        added = self.commit(transaction.EnqueueJob(job, LIMIT)).enqueued
        assert added == ((job.id,) if len(self.plain.queue.jobs) > before else ())

    @rule(worker=st.sampled_from(["w1", "w2"]))
    def claim(self, worker: str) -> None:
        """Claim a job."""
        now = self.samples.clock()
        job = self.run(claim(self.store, self.scope, worker=worker, now=now, lease=LEASE))
        wanted = self.plain.queue.claim(worker=worker, now=now, lease=LEASE)
        assert _without_place(job) == _without_place(wanted)
        if job is not None:
            self.claimed.append(job)

    @precondition(lambda self: self.claimed)
    @rule(pick=picks, how=st.sampled_from(["finish", "retry", "retry to tail", "bury"]), seconds=st.integers(0, 60))
    def settle(self, pick: int, how: str, seconds: int) -> None:
        """Finish a job, give it back or give it up; refused when it was taken over or settled before."""
        job = _pick(self.claimed, pick)
        later, tail = self.samples.clock() + timedelta(seconds=seconds), how == "retry to tail"
        change: Change = transaction.RetryJob(job.id, job.fence, later, "Failed", to_tail=tail)
        if how == "finish":
            change = transaction.FinishJob(job.id, job.fence)
        elif how == "bury":
            change = transaction.BuryJob(job.id, job.fence, "Failed")
        if not any(held.id == job.id and held.fence == job.fence and held.worker for held in self.plain.queue.jobs):
            self.refused(LeaseLost, change)
            return
        self.commit(change)
        if how == "finish":
            self.plain.queue.finish(job)
        elif how == "bury":
            self.plain.queue.bury(job, error="Failed")
        else:
            self.plain.queue.retry(job, not_before=later, error="Failed", to_tail=tail)

    @precondition(lambda self: self._revivable())
    @rule(pick=picks)
    def revive(self, pick: int) -> None:
        """Bring a dead letter back."""
        job = _pick(self._revivable(), pick)
        self.commit(transaction.ReviveJob(job.id))
        self.plain.queue.revive(job)

    # ── erasing, time, ends ──────────────────────────────────────────────────

    @precondition(lambda self: self.plain.entries)
    @rule(pick=picks)
    def erase_entry(self, pick: int) -> None:
        """Erase an entry with all that came from it."""
        entry = _pick(self.plain.entries, pick)
        self.run(self.store.erase(self.scope, Erasure(entry_ids=(entry.id,))))
        self.plain.erase(entry_ids={entry.id}, record_ids=set())

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks)
    def erase_record(self, pick: int) -> None:
        """Erase a record, the entries that it rests on, and all that came from them."""
        record = self._record(pick)
        self.run(self.store.erase(self.scope, Erasure(record_ids=(record.id,))))
        self.plain.erase(entry_ids=self.plain.rests_on(record.id), record_ids={record.id})

    @rule(session=st.sampled_from(["s1", "s2", "nobody"]), everything_too=st.sampled_from([False] * 5 + [True]))
    def erase_session(self, session: str, everything_too: bool) -> None:  # noqa: FBT001 - drawn by name
        """Erase a session, or now and then the whole agent."""
        entries = {entry.id for entry in self.plain.entries if entry.scope.session == session}
        records = {record.id for record in self.plain.records.values() if record.scope.session == session}
        self.run(self.store.erase(self.scope, Erasure(session=session, everything=everything_too)))
        self.plain.erase(entry_ids=entries, record_ids=records)
        if everything_too:
            left: list[Entry] = self.run(everything(self.store, self.scope)).entries
            assert all(entry.erased and not entry.text for entry in left), "at most stubs are left"
            self.plain = PlainStore(entries=left)

    @rule(seconds=st.integers(1, 40))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.samples.clock.advance(seconds=seconds)

    @rule(crash=st.booleans())
    def end_and_begin_again(self, crash: bool) -> None:  # noqa: FBT001 - drawn by name
        """Open the store again, after a proper end or after a crash."""
        self.store = self.run(self.crash() if crash else self.reopen())

    # ── looking ──────────────────────────────────────────────────────────────

    @rule(question=texts)
    def search(self, question: str) -> None:
        """Search by words."""
        terms = query_terms(question)
        hits = self.run(found_by(self.store, self.scope, terms, limit=1000))
        assert len(hits) == len(set(hits))
        assert set(hits) == self.plain.found(terms)

    @precondition(lambda self: self.plain.records)
    @rule(pick=picks, off=st.integers(-1, 1))
    def look_back(self, pick: int, off: int) -> None:
        """Read the records as they stood when one of them was written, and a moment before and after."""
        version = _pick(self.plain.versions(self._record(pick).id), pick // 7)
        moment = version.record.updated_at + timedelta(milliseconds=off)
        query = RecordQuery(RecordFilter(as_of=moment), limit=1000)
        stood = {record.id: record for record in self.run(self.store.records(self.scope, query))}
        assert stood == self.plain.stood(moment)

    @invariant()
    def the_store_holds_what_plain_dicts_hold(self) -> None:
        """Read everything back."""
        if not hasattr(self, "store"):
            return
        held, plain = self.run(everything(self.store, self.scope)), self.plain
        assert held.entries == plain.entries
        assert held.records == list(plain.records.values())
        assert held.past == [version for name in sorted(plain.past) for version in plain.past[name]]
        assert held.links == [plain.links[ends] for ends in sorted(plain.links)]
        assert held.conflicts == list(plain.conflicts.values())
        assert held.tombstones == [plain.tombstones[name] for name in sorted(plain.tombstones)]
        assert held.vectors == plain.vectors
        assert self.run(self.store.unembedded(self.scope, limit=1000)) == plain.unembedded
        assert held.states == plain.states
        assert [_without_place(job) for job in held.jobs] == plain.queue.jobs
        now = self.samples.clock()
        wakes = held.queue.wake_at is not None and held.queue.wake_at <= now
        assert wakes == (plain.queue.claimable(now) is not None)

    def _record(self, pick: int) -> Record:
        return _pick(list(self.plain.records.values()), pick)

    def _of_status(self, *, forgotten: bool) -> list[Record]:
        return [record for record in self.plain.records.values() if (record.status is Status.FORGOTTEN) == forgotten]

    def _revivable(self) -> list[Job]:
        dead = [job for job in self.plain.queue.jobs if job.state is JobState.DEAD]
        return [job for job in dead if not self.plain.queue.waits(job)]


def _without_place(job: Job | None) -> Job | None:
    return None if job is None else job.replace(seq=0)
