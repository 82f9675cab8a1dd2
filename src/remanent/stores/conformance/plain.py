"""A store in plain dicts and lists: what the state machine believes a real one to hold."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from remanent.model import Conflict, Entry, Job, JobState, Link, Record, Status, Tombstone, Version
from remanent.stores.queries import LIVE
from remanent.stores.transaction import search_terms


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
            due = job.not_before is None or job.not_before <= now
            free = job.lease_until is None or job.lease_until <= now
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
        given = self._set(job, state=JobState.PENDING, not_before=not_before, error=error, **free)
        if to_tail:
            self._to_tail(given)

    def bury(self, job: Job, *, error: str) -> None:
        """Keep a job as a dead letter."""
        self._set(job, state=JobState.DEAD, worker=None, lease_until=None, error=error)

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

    def rests_on(self, record_id: str) -> set[str]:
        """Return the ids of the entries that any version of a record came from."""
        return {source.entry_id for version in self.versions(record_id) for source in version.record.sources}

    def _drop_vectors(self, record_id: str) -> None:
        self.vectors = {name: values for name, values in self.vectors.items() if name[1] != record_id}
