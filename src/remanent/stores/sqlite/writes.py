"""Applying a unit of work to a database, change by change; and filling a database from an export.

Each kind of change is one method of `UnitOfWork`, found by its type in a table. A refusal is an exception: who runs the
unit of work rolls back, alone or to a savepoint where several units share one commit (`database.py`). Loading is the
same with two differences: versions are written as they are, and the whole export is one transaction of its own, during
which other writers of the agent wait.

Beside the rows, three counters are kept for readers in any process: `revision` (anything that can be read has changed),
`graph:<kind>` (a record of the kind or a link that leaves one has changed) and `vector_revision`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from remanent.errors import DuplicateEntry, InvalidInput, LeaseLost, NotFound, QueueFull, VersionConflict
from remanent.fairness import breathe
from remanent.model import Entry, Record, Status, to_millis
from remanent.model.filters import user_in
from remanent.stores import rows, transaction
from remanent.stores.sql import IN_USE, in_use
from remanent.stores.sqlite.bulk import (
    INTO_ENTRIES,
    ROWS_AT_ONCE,
    append_together,
    are_new,
    insert_records,
    next_revision,
    note_sources,
    put_vectors,
)
from remanent.stores.sqlite.connection import connect, translated
from remanent.stores.sqlite.reads import DIALECT
from remanent.stores.store import ERASED_MEANWHILE, erased_mark
from remanent.stores.transaction import Change, Committed

REMOVALS_KEPT = 20_000
"""How many vector removals are remembered for indexes that lag behind; older ones make them start anew."""


Appliers = dict[type[Any], Callable[[Any, Any], None]]
"""What applies a change, or some that come in pages, to a unit of work, by the type of the change."""
_IN_PAGES = frozenset({transaction.PutRecord, transaction.PutVector})
"""What is written many rows by one statement."""


class Shared(NamedTuple):
    """What units of work that are applied together have in common."""

    places: Iterator[int]
    """The places of their entries, if these are inserted already."""
    waiting: set[tuple[str, str]]
    """Lanes and keys of jobs known to wait. No unit of work ends that: a job given back takes the place of its twin."""


class UnitOfWork:
    """One unit of work on its way into the database."""

    def __init__(self, connection: apsw.Connection, shared: Shared | None = None) -> None:
        self._connection = connection
        self._places, self._waiting = shared or Shared(iter(()), set())
        self._sql = connection.execute
        self._entry_ids: list[str] = []
        self._last_seq = 0
        self._repeated = 0
        self._enqueued: list[str] = []
        self._kind_of: dict[str, str | None] = {}
        self._changed: set[str] = set()

    def apply(self, work: Sequence[Change]) -> Committed:
        """Apply every change in order."""
        self._apply_all(work, _APPLY)
        if any(type(change) not in _UNREAD for change in work):
            _to_revise.add(self._connection)
        graphs = self.revise_graphs()
        return Committed(tuple(self._entry_ids), self._last_seq, self._repeated, tuple(self._enqueued), graphs)

    def load(self, work: Sequence[Change]) -> None:
        """Write every exported item as it is, whatever its version, into a fresh database."""
        self._apply_all(work, _LOAD)
        self.revise_graphs()
        self.revise()

    def _apply_all(self, work: Sequence[Change], table: Appliers) -> None:
        for kind, run in groupby(work, type):
            changes: list[Any] = list(run)
            if kind not in _IN_PAGES:
                for change in changes:
                    table[kind](self, change)
                    breathe()
                continue
            for start in range(0, len(changes), ROWS_AT_ONCE):
                table[kind](self, changes[start : start + ROWS_AT_ONCE])
                breathe()

    def revise_graphs(self) -> dict[str, int]:
        """Raise the number of every kind of record whose graph this unit has changed."""
        return {kind: self._sql(_REVISE_GRAPH, (kind,)).get for kind in sorted(self._changed)}

    def _note(self, record_id: str) -> None:
        """Note that a record, or a link that leaves it, changes."""
        if record_id not in self._kind_of:
            self._kind_of[record_id] = self._sql("SELECT kind FROM records WHERE id = ?", (record_id,)).get
        kind = self._kind_of[record_id]
        if kind is not None:
            self._changed.add(kind)

    def _note_all(self, record_ids: Sequence[str], *, among: str) -> None:
        """Note that many records, or links that leave them, change; `among` is their ids as JSON."""
        if any(record_id not in self._kind_of for record_id in record_ids):
            found = self._sql(
                "SELECT DISTINCT kind FROM records WHERE id IN (SELECT value FROM json_each(?))", (among,)
            )
            self._changed.update(kind for (kind,) in found)
        self._changed.update(kind for record_id in record_ids if (kind := self._kind_of.get(record_id)) is not None)

    def revise(self) -> None:
        """Raise the number by which readers see that something changed."""
        self._sql(_REVISE)

    # ── journal ──────────────────────────────────────────────────────────────

    def append(self, change: transaction.AppendEntry) -> None:
        """Append an entry, or recognise one that was stored before."""
        entry = change.entry
        seq = next(self._places, None)
        if seq is None:
            if entry.caller_id is not None and self._known(entry):
                return
            place = entry.seq or None
            try:
                seq = self._sql(_INSERT_ENTRY, (place, *rows.entry_row(entry))).get
            except apsw.ConstraintError as error:
                raise DuplicateEntry(f"an entry with id {entry.id} or place {place} exists already") from error
        self._entry_ids.append(entry.id)
        self._last_seq = max(self._last_seq, seq)

    def _known(self, entry: Entry) -> bool:
        """Recognise an entry that was sent before by its caller's id, and answer with the first one."""
        user = user_in(entry.metadata)
        mark = erased_mark(entry.caller_id, user)
        found = self._sql(_SENT_BEFORE, (entry.caller_id, entry.scope.session or "", mark, user)).get
        if found is None:
            return False
        known_id, seq, text, role, erased = found
        if not erased and (text, role) != (entry.text, entry.role):
            raise DuplicateEntry(
                f"id {entry.caller_id!r} already belongs to another message of this session; use a new id"
            )
        # What was erased stays erased when it is sent again.
        self._entry_ids.append(known_id)
        self._last_seq = max(self._last_seq, seq)
        self._repeated += 1
        return True

    # ── records ──────────────────────────────────────────────────────────────

    def put_records(self, page: Sequence[transaction.PutRecord]) -> None:
        """Put records in order: those that are all new together, others one by one, which tells what is wrong."""
        if are_new(self._connection, page):
            self.put_new(page)
        else:
            for change in page:
                self.put_record(change)

    def put_new(self, page: Sequence[transaction.PutRecord]) -> None:
        """Write records that are not known here, whatever their versions; their history is loaded apart."""
        insert_records(self._connection, page)
        self._kind_of.update((change.record.id, change.record.kind.value) for change in page)
        self._changed.update(change.record.kind.value for change in page)

    def put_record(self, change: transaction.PutRecord) -> None:
        """Write the next version of a record and turn the current one into history.

        Its vectors stay where neither words nor kind changed, because embedding is what costs most; where they did,
        they go in the same unit of work, so that no search compares a text with the vector of another.
        """
        record = change.record
        current = self._sql("SELECT ref, version, kind, body FROM records WHERE id = ?", (record.id,)).get
        _check_version("record", record.id, current[1] if current else 0, change.expects)
        self._check_sources(record)
        if current is None:
            self.put_new([change])
            return
        ref, _, kind, body = current
        self._kind_of[record.id] = record.kind.value
        self._changed.update((record.kind.value, kind))
        self._archive(ref, superseded_at=to_millis(record.updated_at))
        row = rows.record_row(record)
        self._sql(_UPDATE_RECORD, (*row[1:12], *row[14:], ref))
        self._sql("DELETE FROM record_tags WHERE ref = ?", (ref,))
        self._sql("DELETE FROM records_text WHERE rowid = ?", (ref,))
        same = kind == record.kind and rows.parse(body)["content"] == record.content
        if record.status is Status.FORGOTTEN or not same:
            self._drop_vectors(ref, record.id)
            if change.embeds:
                self._sql("INSERT OR IGNORE INTO unembedded VALUES (?)", (ref,))
        if record.status is not Status.FORGOTTEN:
            self._sql("INSERT INTO records_text (rowid, terms) VALUES (?, ?)", (ref, change.terms))
        for tag in record.index_tags:
            self._sql("INSERT INTO record_tags (tag, ref) VALUES (?, ?)", (tag, ref))
        note_sources(self._connection, record.id, (source.entry_id for source in record.sources))

    def _check_sources(self, record: Record) -> None:
        """Refuse what was made of a text that was erased after it was read."""
        for source in record.sources:
            if self._sql("SELECT erased FROM entries WHERE id = ?", (source.entry_id,)).get:
                raise VersionConflict(f"entry {source.entry_id} was erased; make record {record.id} anew without it")

    def _archive(self, ref: int, *, superseded_at: int) -> None:
        """Keep the current version among the earlier ones, and its words among those that are searched for `as_of`."""
        old = self._sql(_ARCHIVE, (superseded_at, ref)).get
        self._sql(
            "INSERT INTO versions_text (rowid, terms) SELECT ?, terms FROM records_text WHERE rowid = ?", (old, ref)
        )

    def put_version(self, change: transaction.PutVersion) -> None:
        """Write a past version as it was."""
        record, superseded_at = change.version.record, change.version.superseded_at
        if superseded_at is None:
            raise InvalidInput(f"version {record.version} of record {record.id} is the current one; put the record")
        ref = self._sql(_INSERT_VERSION, (*rows.record_row(record), to_millis(superseded_at))).get
        if change.terms:
            self._sql("INSERT INTO versions_text (rowid, terms) VALUES (?, ?)", (ref, change.terms))
        note_sources(self._connection, record.id, (source.entry_id for source in record.sources))

    def drop_record(self, change: transaction.DropRecord) -> None:
        """Remove a record and everything derived from it, but not the links that point to it."""
        if self._sql("SELECT 1 FROM records WHERE id = ?", (change.record_id,)).get is None:
            raise NotFound(f"there is no record {change.record_id} here")
        self.remove(change.record_id)

    def remove(self, record_id: str) -> None:
        """Remove what there is of a record: its row, or a tombstone or versions that outlived it."""
        self._note(record_id)
        ref: int | None = self._sql("SELECT ref FROM records WHERE id = ?", (record_id,)).get
        if ref is not None:
            self._drop_vectors(ref, record_id)
            for statement in _DROP_BY_REF:
                self._sql(statement, (ref,))
        for statement in _DROP_BY_ID:
            self._sql(statement, (record_id,))

    def touch(self, change: transaction.TouchRecords) -> None:
        """Raise the counters of records that exist."""
        among = rows.dump(change.record_ids)
        if change.scanned:
            self._note_all(change.record_ids, among=among)
        self._sql(_TOUCH, (change.accessed, change.scanned, among))

    # ── vectors ──────────────────────────────────────────────────────────────

    def put_vectors(self, page: Sequence[transaction.PutVector]) -> None:
        """Keep vectors."""
        put_vectors(self._connection, page)

    def drop_vectors(self, change: transaction.DropVectors) -> None:
        """Remove a model with all its vectors; whoever follows any model's vectors begins anew."""
        model = self._sql("SELECT ref FROM models WHERE name = ?", (change.model,)).get
        if model is None:
            return
        for sql in _DROP_MODEL:
            self._sql(sql, (model,))
        self._sql(
            "INSERT OR IGNORE INTO unembedded SELECT ref FROM records WHERE ref NOT IN (SELECT record FROM vectors)"
        )
        self._sql("UPDATE counters SET value = ? WHERE name = 'vector_floor'", (next_revision(self._connection),))

    def _drop_vectors(self, ref: int, record_id: str) -> None:
        """Remove a record's vectors of all models, and note that for whoever follows them."""
        models = self._sql("DELETE FROM vectors WHERE record = ? RETURNING model", (ref,)).fetchall()
        for (model,) in models:
            revision = next_revision(self._connection)
            self._sql("INSERT INTO vector_removals VALUES (?, ?, ?)", (revision, model, record_id))
            if revision % (REMOVALS_KEPT // 2) == 0:
                self._trim_removals(revision)

    def _trim_removals(self, revision: int) -> None:
        floor = max(0, revision - REMOVALS_KEPT)
        self._sql("DELETE FROM vector_removals WHERE revision <= ?", (floor,))
        self._sql("UPDATE counters SET value = max(value, ?) WHERE name = 'vector_floor'", (floor,))

    # ── tombstones, links, conflicts, states ─────────────────────────────────

    def put_tombstone(self, change: transaction.PutTombstone) -> None:
        """Note what a forgotten record was."""
        stone = change.tombstone
        self._sql("INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?)", rows.tombstone_row(stone))
        note_sources(self._connection, stone.record_id, (source.entry_id for source in stone.sources))

    def drop_tombstone(self, change: transaction.DropTombstone) -> None:
        """Take back the note that a record was forgotten."""
        self._sql("DELETE FROM tombstones WHERE record_id = ?", (change.record_id,))

    def put_link(self, change: transaction.PutLink) -> None:
        """Write a link."""
        self._note(change.link.from_id)
        self._sql("INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?)", rows.link_row(change.link))

    def drop_link(self, change: transaction.DropLink) -> None:
        """Remove a link."""
        self._note(change.from_id)
        self._sql(
            "DELETE FROM links WHERE from_id = ? AND to_id = ? AND relation = ?",
            (change.from_id, change.to_id, change.relation),
        )

    def fade_links(self, change: transaction.FadeLinks) -> None:
        """Weaken the links that leave records, after removing those that were too weak already."""
        from_ids = dict.fromkeys(change.from_ids)
        self._note_all(change.from_ids, among=rows.dump(change.from_ids))
        # One record at a time, in half the time: with ids from a subquery all rows are listed before the first changes.
        many = self._connection.executemany
        many("DELETE FROM links WHERE from_id = ? AND strength < ?", [(one, change.floor) for one in from_ids])
        faded = [(change.factor, to_millis(change.at), one) for one in from_ids]
        many("UPDATE links SET strength = strength * ?, updated_at = ? WHERE from_id = ?", faded)

    def put_conflict(self, change: transaction.PutConflict) -> None:
        """Write the next version of a conflict."""
        conflict = change.conflict
        current: int | None = self._sql("SELECT version FROM conflicts WHERE id = ?", (conflict.id,)).get
        _check_version("conflict", conflict.id, current or 0, change.expects)
        self._sql(_PUT_CONFLICT, rows.conflict_row(conflict))
        self._sql("DELETE FROM conflict_records WHERE conflict_id = ?", (conflict.id,))
        for claim in conflict.claims:
            self._sql("INSERT OR IGNORE INTO conflict_records VALUES (?, ?)", (claim.record_id, conflict.id))

    def put_state(self, change: transaction.PutState) -> None:
        """Keep or remove a named value."""
        if change.expects is not ...:
            held = self._sql("SELECT value FROM states WHERE key = ?", (change.key,)).get
            if held != (None if change.expects is None else rows.dump(change.expects)):
                raise VersionConflict(f"the value {change.key} was changed by somebody else; read it again, then retry")
        if change.value is None:
            self._sql("DELETE FROM states WHERE key = ?", (change.key,))
        else:
            self._sql("INSERT OR REPLACE INTO states VALUES (?, ?)", (change.key, rows.dump(change.value)))

    # ── jobs ─────────────────────────────────────────────────────────────────

    def enqueue(self, change: transaction.EnqueueJob) -> None:
        """Add a job to the end of the queue."""
        job = change.job
        if job.key is not None and self._waits(job.lane, job.key):
            return
        waiting: int = self._sql("SELECT count(*) FROM jobs WHERE state != 'dead'").get
        if waiting >= change.limit:
            raise QueueFull(f"{waiting} jobs are already waiting for this agent; let them run, then try again")
        try:
            self._sql(_INSERT_JOB, (job.seq or None, *rows.job_row(job)))
        except apsw.ConstraintError as error:
            raise InvalidInput(f"a job with id {job.id} exists already") from error
        self._enqueued.append(job.id)

    def _waits(self, lane: str, key: str) -> bool:
        if (lane, key) not in self._waiting and self._sql(_WAITS, (lane, key)).get is None:
            return False
        self._waiting.add((lane, key))
        return True

    def finish(self, change: transaction.FinishJob) -> None:
        """Take a job out of the queue."""
        self._check_lease(change.job_id, change.fence)
        self._sql("DELETE FROM jobs WHERE id = ?", (change.job_id,))

    def retry(self, change: transaction.RetryJob) -> None:
        """Give a job back; a twin that waits behind it is the same work and goes."""
        lane, key, held = self._check_lease(change.job_id, change.fence)
        if key is not None:
            self._sql("DELETE FROM jobs WHERE lane = ? AND key = ? AND state = 'pending'", (lane, key))
        uncounted = 0 if change.counts else 1  # claiming has counted it
        error = _without_quotes(held, change.error)
        self._sql(_RETRY_JOB, (uncounted, to_millis(change.not_before), error, change.job_id))
        if change.to_tail:
            self._sql("UPDATE jobs SET seq = (SELECT max(seq) + 1 FROM jobs) WHERE id = ?", (change.job_id,))
        self._enqueued.append(change.job_id)

    def bury(self, change: transaction.BuryJob) -> None:
        """Keep a job as a dead letter."""
        _, _, held = self._check_lease(change.job_id, change.fence)
        self._sql(
            "UPDATE jobs SET state = 'dead', worker = NULL, lease_until = NULL, error = ? WHERE id = ?",
            (_without_quotes(held, change.error), change.job_id),
        )

    def revive(self, change: transaction.ReviveJob) -> None:
        """Put a dead letter back at the tail of its lane."""
        found = self._sql("SELECT lane, key FROM jobs WHERE id = ? AND state = 'dead'", (change.job_id,)).get
        if found is None:
            raise NotFound(f"there is no dead letter {change.job_id} here")
        if found[1] is not None and self._waits(*found):
            self._sql("DELETE FROM jobs WHERE id = ?", (change.job_id,))
            return
        self._sql(_REVIVE_JOB, (change.job_id,))
        self._enqueued.append(change.job_id)

    def _check_lease(self, job_id: str, fence: int) -> tuple[str, str | None, str]:
        """Return lane, key and error of a job that this worker still holds; `LeaseLost` when it does not."""
        sql = "SELECT lane, key, error FROM jobs WHERE id = ? AND fence = ? AND state = 'running'"
        found: tuple[str, str | None, str] | None = self._sql(sql, (job_id, fence)).get
        if found is None:
            raise LeaseLost(f"job {job_id} was taken over or finished by another worker")
        return found


def _without_quotes(held: str, error: str) -> str:
    """Return an error as it may be kept: of one that may quote what was erased while the job ran, only the name."""
    return error.partition(":")[0] if held == ERASED_MEANWHILE else error


def _check_version(what: str, name: str, current: int, expected: int) -> None:
    if current != expected:
        raise VersionConflict(f"{what} {name} is at version {current}, not {expected}; read it again, then retry")


# It starts anywhere, so that a graph kept from a database that was replaced is not taken for one of this.
_REVISE_GRAPH = """
INSERT INTO counters VALUES ('graph:' || ?, 1 + abs(random() % 1000000000000))
ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value
"""
# Ids are the user's own: two users of a session may both have an "m1". Of what was erased its mark says whose it was; 1
# is the mark of what was erased or imported before there were marks, and may be anybody's.
_SENT_BEFORE = f"""
SELECT id, seq, text, role, erased FROM entries
WHERE caller_id = ? AND ifnull(session, '') = ?
    AND (erased IN (1, ?) OR (NOT erased AND {rows.USER_OF_ENTRY} = ?))
ORDER BY erased LIMIT 1
"""
_INSERT_ENTRY = f"{INTO_ENTRIES} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"
# The counters are left alone: they belong to the record and not to a version.
_UPDATE_RECORD = """
UPDATE records SET kind = ?, status = ?, session = ?, task = ?, created_at = ?, updated_at = ?, occurred_at = ?,
                   valid_from = ?, valid_to = ?, expires_at = ?, version = ?, body = ?, crc = ?
WHERE ref = ?
"""
_TOUCH = """
UPDATE records SET access_count = access_count + ? * times, scan_count = scan_count + ? * times
FROM (SELECT value, count(*) AS times FROM json_each(?) GROUP BY value) WHERE id = value
"""
# The same columns in both tables, so that a version is archived by one statement inside the engine.
_ARCHIVE = f"""
INSERT INTO versions ({rows.RECORD_FIELDS}, superseded_at)
SELECT {rows.RECORD_FIELDS}, ? FROM records WHERE ref = ? RETURNING ref
"""
_INSERT_VERSION = f"""
INSERT INTO versions ({rows.RECORD_FIELDS}, superseded_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ref
"""
# Full-text rows are removed by their number; the record goes last, since the others are found by it.
_DROP_BY_REF = (
    "DELETE FROM unembedded WHERE ref = ?",
    "DELETE FROM record_tags WHERE ref = ?",
    "DELETE FROM records_text WHERE rowid = ?",
    "DELETE FROM records WHERE ref = ?",
)
# Links that lead to the record stay: whoever follows one finds nothing there, and a record made anew has them again.
_DROP_BY_ID = (
    "DELETE FROM versions_text WHERE rowid IN (SELECT ref FROM versions WHERE id = ?)",
    "DELETE FROM versions WHERE id = ?",
    "DELETE FROM record_sources WHERE record_id = ?",
    "DELETE FROM tombstones WHERE record_id = ?",
    "DELETE FROM links WHERE from_id = ?",
)
_PUT_CONFLICT = """
INSERT INTO conflicts (id, session, task, state, version, body) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET session = excluded.session, task = excluded.task, state = excluded.state,
                               version = excluded.version, body = excluded.body
"""
_WAITS = "SELECT 1 FROM jobs WHERE lane = ? AND key = ? AND state = 'pending'"
_INSERT_JOB = f"INSERT INTO jobs ({rows.JOB_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# The fence stays: whoever was taken over before must not be able to finish the job after it was given back.
_RETRY_JOB = """
UPDATE jobs SET state = 'pending', worker = NULL, lease_until = NULL, attempts = attempts - ?, not_before = ?,
                error = ?
WHERE id = ?
"""
# Without its removals: followers of this model begin anew, because `vector_floor` is raised as well.
_DROP_MODEL = (
    "DELETE FROM vectors WHERE model = ?",
    "DELETE FROM vector_removals WHERE model = ?",
    "DELETE FROM models WHERE ref = ?",
)
_REVIVE_JOB = """
UPDATE jobs SET state = 'pending', attempts = 0, not_before = NULL, seq = (SELECT max(seq) + 1 FROM jobs) WHERE id = ?
"""

_APPLY: Appliers = {
    transaction.AppendEntry: UnitOfWork.append,
    transaction.PutRecord: UnitOfWork.put_records,
    transaction.PutVersion: UnitOfWork.put_version,
    transaction.DropRecord: UnitOfWork.drop_record,
    transaction.TouchRecords: UnitOfWork.touch,
    transaction.PutVector: UnitOfWork.put_vectors,
    transaction.DropVectors: UnitOfWork.drop_vectors,
    transaction.PutTombstone: UnitOfWork.put_tombstone,
    transaction.DropTombstone: UnitOfWork.drop_tombstone,
    transaction.PutLink: UnitOfWork.put_link,
    transaction.DropLink: UnitOfWork.drop_link,
    transaction.FadeLinks: UnitOfWork.fade_links,
    transaction.PutConflict: UnitOfWork.put_conflict,
    transaction.PutState: UnitOfWork.put_state,
    transaction.EnqueueJob: UnitOfWork.enqueue,
    transaction.FinishJob: UnitOfWork.finish,
    transaction.RetryJob: UnitOfWork.retry,
    transaction.BuryJob: UnitOfWork.bury,
    transaction.ReviveJob: UnitOfWork.revive,
}
# What no reader of the memory sees: how often something was read, and the queue.
_UNREAD = frozenset(
    {
        transaction.TouchRecords,
        transaction.EnqueueJob,
        transaction.FinishJob,
        transaction.RetryJob,
        transaction.BuryJob,
        transaction.ReviveJob,
    }
)
# It starts anywhere, so that an answer kept from a database that was replaced is not taken for one of this.
_REVISE = """
INSERT INTO counters VALUES ('revision', abs(random() % 1000000000000))
ON CONFLICT (name) DO UPDATE SET value = value + 1
"""
_LOAD: Appliers = {
    **_APPLY,
    transaction.PutRecord: UnitOfWork.put_new,
    transaction.PutConflict: lambda unit, change: unit.put_conflict(transaction.PutConflict(change.conflict)),
}


_to_revise: set[apsw.Connection] = set()
"""Writers whose transaction has changed something that can be read."""


def before_commit(connection: apsw.Connection) -> None:
    """Raise the number by which readers see a change, once for all units of work that are committed together."""
    if connection in _to_revise:
        _to_revise.discard(connection)
        connection.execute(_REVISE)


def after_rollback(connection: apsw.Connection) -> None:
    """Forget what was changed: it was not."""
    _to_revise.discard(connection)


class Unit:
    """A unit of work to be applied inside a transaction that is under way, on another thread than where it was made."""

    __slots__ = ("changes", "in_context")

    def __init__(self, changes: Sequence[Change]) -> None:
        self.changes = changes
        self.in_context = copy_context().run
        """Runs something as whose turn it was when this was made."""

    def __call__(self, connection: apsw.Connection) -> Committed:
        """Apply it by itself, entry by entry: so one that is refused says which of them is wrong."""
        return self.in_context(UnitOfWork(connection).apply, self.changes)


def apply_together(connection: apsw.Connection, units: Sequence[Unit]) -> list[Committed]:
    """Apply units of work in order, the entries of all of them by few statements."""
    entries = [change.entry for unit in units for change in unit.changes if type(change) is transaction.AppendEntry]
    shared = Shared(append_together(connection, entries), set())
    return [unit.in_context(UnitOfWork(connection, shared).apply, unit.changes) for unit in units]


async def load_database(path: Path, batches: AsyncIterator[Sequence[Change]], *, executor: Executor) -> None:
    """Apply all batches or none; other writers of this agent wait meanwhile."""
    loop = asyncio.get_running_loop()

    async def run(work: Callable[[], None]) -> None:
        await asyncio.shield(loop.run_in_executor(executor, work))

    connection = await loop.run_in_executor(executor, lambda: connect(path, busy_timeout=30))
    try:
        await run(lambda: _begin(connection))
        async for batch in batches:
            await run(lambda batch=batch: _apply(connection, batch))  # type: ignore[misc]
        await run(lambda: _commit(connection))
    finally:
        await run(lambda: connection.close(True))  # an open transaction is rolled back


def _begin(connection: apsw.Connection) -> None:
    """Begin the transaction of an import, and refuse an agent that has anything."""
    with translated(connection):
        connection.execute("PRAGMA cache_size=-65536")
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute(in_use(DIALECT).sql).get:
            raise InvalidInput(IN_USE)


def _apply(connection: apsw.Connection, batch: Sequence[Change]) -> None:
    """Apply exported items as they are, whatever their versions."""
    with translated(connection):
        try:
            UnitOfWork(connection).load(batch)
        except apsw.ConstraintError as error:
            raise InvalidInput("the export contains the same thing twice; nothing was loaded") from error


def _commit(connection: apsw.Connection) -> None:
    with translated(connection):
        connection.execute("COMMIT")
