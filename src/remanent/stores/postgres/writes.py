"""Writing: changes as the functions in `sql/functions.sql` take them, and many units in one commit.

A unit that arrives while a commit is on its way waits and shares the next one, so that the sync of the log is paid once
for all. There are a few lanes, each with one commit under way; an agent's units always take the same lane and therefore
keep their order.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import psycopg
from numpy.typing import NDArray

from remanent.errors import InvalidInput, RemanentError, StoreBusy
from remanent.model import Record, Status, to_millis
from remanent.stores import transaction
from remanent.stores.postgres.connection import ConnectionPool, error_of, escape, translated
from remanent.stores.sqlite import rows
from remanent.stores.transaction import Change, Committed

LANES: Final = 4
"""Commits of one process that may be under way at a time; chosen by hand, half of the connections."""
MAX_GROUP: Final = 64
"""Units in one commit; more would make the first of them wait longer than the sync takes."""

Payload = dict[str, Any]
Vector = NDArray[np.float32]

_ENTRY = tuple(rows.ENTRY_COLUMNS.split(", "))[1:]
_JOB = tuple(rows.JOB_COLUMNS.split(", "))[1:]
_LINK = tuple(rows.LINK_COLUMNS.split(", "))
_RECORD = (
    "id", "kind", "status", "session", "task", "created_at", "updated_at", "occurred_at", "valid_from", "valid_to",
    "expires_at", "version", "access_count", "scan_count", "body", "crc",
)  # fmt: skip


@dataclass(slots=True)
class Encoder:
    """Turns changes into JSON, and gathers vectors beside it."""

    vectors: list[Vector]

    def unit(self, changes: Sequence[Change]) -> list[Payload]:
        """Return the changes of one unit in order."""
        return [_ENCODE[type(change)](self, change) for change in changes]

    def append(self, change: transaction.AppendEntry) -> Payload:
        """Encode an entry."""
        entry = change.entry
        return {"do": "append", "seq": entry.seq, **dict(zip(_ENTRY, rows.entry_row(entry), strict=True))}

    def put(self, change: transaction.PutRecord) -> Payload:
        """Encode a record."""
        return {"do": "put", "expects": change.expects, **_record(change.record, change.terms)}

    def version(self, change: transaction.PutVersion) -> Payload:
        """Encode a past version."""
        record, superseded_at = change.version.record, change.version.superseded_at
        if superseded_at is None:
            raise InvalidInput(f"version {record.version} of record {record.id} is the current one; put the record")
        fields = _record(record, change.terms)
        return {"do": "version", "superseded_at": to_millis(superseded_at), **fields, "terms": change.terms or None}

    def vector(self, change: transaction.PutVector) -> Payload:
        """Encode where a vector stands among those beside."""
        if not change.values or len(change.values) % 4:
            raise InvalidInput("a vector is a sequence of float32 values")
        values = np.frombuffer(change.values, "<f4")
        if not np.isfinite(values).all():
            raise InvalidInput("a vector holds a number that is not finite")
        self.vectors.append(values)
        named = {"record_id": change.record_id, "model": change.model, "expects": change.expects}
        return {"do": "vector", **named, "values": len(self.vectors)}

    def tombstone(self, change: transaction.PutTombstone) -> Payload:
        """Encode what is left of a forgotten record."""
        stone = change.tombstone
        return {
            "do": "tombstone",
            "record_id": stone.record_id,
            "session": stone.scope.session,
            "task": stone.scope.task,
            "body": stone.model_dump_json(exclude={"scope"}),
            "sources": [source.entry_id for source in stone.sources],
        }

    def conflict(self, change: transaction.PutConflict) -> Payload:
        """Encode a conflict."""
        conflict = change.conflict
        return {
            "do": "conflict",
            "expects": change.expects,
            "id": conflict.id,
            "session": conflict.scope.session,
            "task": conflict.scope.task,
            "state": conflict.state.value,
            "version": conflict.version,
            "record_ids": [claim.record_id for claim in conflict.claims],
            "body": conflict.model_dump_json(exclude={"scope"}),
        }

    def state(self, change: transaction.PutState) -> Payload:
        """Encode a named value."""
        payload = {"do": "state", "key": change.key, "value": _written(change.value)}
        return payload if change.expects is ... else {**payload, "expects": _written(change.expects)}

    def enqueue(self, change: transaction.EnqueueJob) -> Payload:
        """Encode a job."""
        job = change.job
        return {
            "do": "enqueue",
            "limit": change.limit,
            "seq": job.seq,
            **dict(zip(_JOB, rows.job_row(job), strict=True)),
        }

    def retry(self, change: transaction.RetryJob) -> Payload:
        """Encode a job that is given back."""
        return {
            "do": "retry",
            "id": change.job_id,
            "fence": change.fence,
            "not_before": to_millis(change.not_before),
            "error": change.error,
            "to_tail": change.to_tail,
            "counts": change.counts,
        }


def _written(value: object) -> str | None:
    return None if value is None else rows.dump(value)


def _record(record: Record, terms: str) -> Payload:
    return {
        **dict(zip(_RECORD, rows.record_row(record), strict=True)),
        "trust": record.trust.value,
        "tags": list(record.tags),
        "content_hash": hashlib.md5(record.content.encode(), usedforsecurity=False).hexdigest(),
        "terms": None if record.status is Status.FORGOTTEN else terms,
        "sources": [source.entry_id for source in record.sources],
    }


_ENCODE: dict[type[Any], Callable[[Encoder, Any], Payload]] = {
    transaction.AppendEntry: Encoder.append,
    transaction.PutRecord: Encoder.put,
    transaction.PutVersion: Encoder.version,
    transaction.DropRecord: lambda _, change: {"do": "drop", "id": change.record_id},
    transaction.TouchRecords: lambda _, change: {
        "do": "touch", "ids": change.record_ids, "accessed": change.accessed, "scanned": change.scanned
    },
    transaction.PutVector: Encoder.vector,
    transaction.DropVectors: lambda _, change: {"do": "drop_vectors", "model": change.model},
    transaction.PutTombstone: Encoder.tombstone,
    transaction.DropTombstone: lambda _, change: {"do": "drop_tombstone", "id": change.record_id},
    transaction.PutLink: lambda _, change: {"do": "link", **dict(zip(_LINK, rows.link_row(change.link), strict=True))},
    transaction.DropLink: lambda _, change: {
        "do": "unlink", "from_id": change.from_id, "to_id": change.to_id, "relation": change.relation
    },
    transaction.FadeLinks: lambda _, change: {
        "do": "fade", "from_ids": change.from_ids, "factor": change.factor, "floor": change.floor,
        "at": to_millis(change.at),
    },
    transaction.PutConflict: Encoder.conflict,
    transaction.PutState: Encoder.state,
    transaction.EnqueueJob: Encoder.enqueue,
    transaction.FinishJob: lambda _, change: {"do": "finish", "id": change.job_id, "fence": change.fence},
    transaction.RetryJob: Encoder.retry,
    transaction.BuryJob: lambda _, change: {
        "do": "bury", "id": change.job_id, "fence": change.fence, "error": change.error
    },
    transaction.ReviveJob: lambda _, change: {"do": "revive", "id": change.job_id},
}  # fmt: skip


def to_json(value: Any) -> str:
    """Return JSON that PostgreSQL takes: control characters that it refuses are escaped inside every text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Only then are texts looked at one by one: nearly none has such a character.
    if "\\u0000" in text or "\\u001a" in text:
        text = json.dumps(_escaped(value), ensure_ascii=False, separators=(",", ":"))
    return text


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, dict):
        return {key: _escaped(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(part) for part in value]
    return value


def committed_of(result: Payload) -> Committed:
    """Return what became of a unit, or raise what it was refused with."""
    if "sqlstate" in result:
        raise error_of(result["sqlstate"], result["message"])
    return Committed(
        tuple(result["entry_ids"]),
        result["last_seq"],
        result["repeated"],
        tuple(result["enqueued"]),
        result["graphs"] or {},
    )


@dataclass(slots=True)
class _Waiting:
    agent: int
    changes: Sequence[Change]
    done: "asyncio.Future[Committed]"


class GroupCommit:
    """Commits units of work, those together that come together."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._waiting: list[list[_Waiting]] = [[] for _ in range(LANES)]
        self._running: dict[int, asyncio.Task[None]] = {}

    async def commit(self, agent: int, changes: Sequence[Change]) -> Committed:
        """Return once the unit is durable; whoever stops waiting does not stop it."""
        lane = agent % LANES
        waiting = _Waiting(agent, changes, asyncio.get_running_loop().create_future())
        self._waiting[lane].append(waiting)
        if lane not in self._running:
            self._running[lane] = asyncio.create_task(self._work(lane))
        return await asyncio.shield(waiting.done)

    async def drain(self) -> None:
        """Wait until all that was begun has ended."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    async def _work(self, lane: int) -> None:
        try:
            while self._waiting[lane]:
                group, self._waiting[lane] = self._waiting[lane][:MAX_GROUP], self._waiting[lane][MAX_GROUP:]
                # Sorted, so that two processes take their locks in the same order; an agent's own order is kept.
                group.sort(key=lambda one: one.agent)
                await self._commit(group)
        finally:
            del self._running[lane]

    async def _commit(self, group: list[_Waiting]) -> None:
        encoder = Encoder([])
        ready: list[_Waiting] = []
        units: list[list[Payload]] = []
        for one in group:
            try:
                units.append(encoder.unit(one.changes))
                ready.append(one)
            except RemanentError as error:
                _settle(one, error)
        try:
            with translated():
                results = await self._run([one.agent for one in ready], units, encoder.vectors) if ready else []
        except RemanentError as error:
            for one in ready:
                _settle(one, error)
            return
        for one, result in zip(ready, results, strict=True):
            try:
                _settle(one, committed_of(result))
            except RemanentError as error:
                _settle(one, error)

    async def _run(self, agents: list[int], units: list[list[Payload]], vectors: list[Vector]) -> list[Payload]:
        async with self._connections.connection() as connection:
            try:
                cursor = await connection.execute(COMMIT_UNITS, (agents, to_json(units), vectors))
            except psycopg.OperationalError as error:
                if error.sqlstate is None:
                    raise StoreBusy(LOST) from error
                raise
            row = await cursor.fetchone()
        assert row is not None
        results: list[Payload] = row[0]
        return results


LOST = (
    "the database went away during a commit, and nobody knows whether it came to its end; "
    "send it again under the same id, so that it is stored once"
)
COMMIT_UNITS = "SELECT commit_units(%s, %s::jsonb, %b::vector[])"


def _settle(one: _Waiting, outcome: Committed | RemanentError) -> None:
    if one.done.done():
        return
    if isinstance(outcome, RemanentError):
        one.done.set_exception(outcome)
        one.done.exception()  # whoever was cancelled meanwhile does not ask
    else:
        one.done.set_result(outcome)
