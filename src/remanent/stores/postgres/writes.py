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
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

import numpy as np
import psycopg
from numpy.typing import NDArray

from remanent.errors import InvalidInput, RemanentError, StoreBusy
from remanent.model import Conflict, Entry, Job, Link, Record, Tombstone, Version, to_millis
from remanent.stores import rows
from remanent.stores.postgres.connection import ConnectionPool, error_of, escape, translated
from remanent.stores.transaction import Change, Committed, PutState

LANES: Final = 4
"""Commits of one process that may be under way at a time; chosen by hand, half of the connections."""
MAX_GROUP: Final = 64
"""Units in one commit; more would make the first of them wait longer than the sync takes."""

Payload = dict[str, Any]
Vector = NDArray[np.float32]


class Encoder:
    """Turns changes into JSON, and gathers vectors beside it.

    A change is its type and its fields by their names; what is a row becomes its columns. Most changes need no more, so
    that a new one is a line of `apply_unit` in `sql/functions.sql`.
    """

    def __init__(self) -> None:
        self.vectors: list[Vector] = []

    def unit(self, changes: Sequence[Change]) -> list[Payload]:
        """Return the changes of one unit in order."""
        return [self._change(change) for change in changes]

    def _change(self, change: Change) -> Payload:
        payload: Payload = {"do": type(change).__name__}
        for name in change.__dataclass_fields__:
            value = getattr(change, name)
            if (row := _ROWS.get(type(value))) is not None:
                payload |= row(value)
            elif isinstance(change, PutState) and name != "key":
                if value is not ...:
                    payload[name] = None if value is None else rows.dump(value)
            elif isinstance(value, bytes):
                payload[name] = self._vector(value)
            else:
                payload[name] = to_millis(value) if isinstance(value, datetime) else value
        return payload

    def _vector(self, content: bytes) -> int:
        """Return where a vector stands among those beside, from 1."""
        if not content or len(content) % 4:
            raise InvalidInput("a vector is a sequence of float32 values")
        values = np.frombuffer(content, "<f4")
        if not np.isfinite(values).all():
            raise InvalidInput("a vector holds a number that is not finite")
        self.vectors.append(values)
        return len(self.vectors)


def _sourced(item: Record | Tombstone) -> Payload:
    return {**rows.named_row(item), "sources": [source.entry_id for source in item.sources]}


def _record(record: Record) -> Payload:
    return {
        **_sourced(record),
        "trust": record.trust.value,
        "tags": sorted(record.index_tags),
        "content_hash": hashlib.md5(record.content.encode(), usedforsecurity=False).hexdigest(),
    }


def _version(version: Version) -> Payload:
    if version.superseded_at is None:
        record = version.record
        raise InvalidInput(f"version {record.version} of record {record.id} is the current one; put the record")
    return {**_record(version.record), "superseded_at": to_millis(version.superseded_at)}


_ROWS: dict[type[Any], Callable[[Any], Payload]] = {
    **dict.fromkeys((Entry, Link, Job), rows.named_row),
    Record: _record,
    Version: _version,
    Tombstone: _sourced,
    Conflict: lambda conflict: {
        **rows.named_row(conflict),
        "record_ids": [claim.record_id for claim in conflict.claims],
    },
}


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


def outcome_of(result: Payload) -> Committed | RemanentError:
    """Return what became of a unit, or what it was refused with."""
    if "sqlstate" in result:
        return error_of(result["sqlstate"], result["message"])
    entry_ids, enqueued = tuple(result["entry_ids"]), tuple(result["enqueued"])
    return Committed(entry_ids, result["last_seq"], result["repeated"], enqueued, result["graphs"])


@dataclass(slots=True)
class _Unit:
    agent: int
    changes: str
    vectors: list[Vector]
    done: "asyncio.Future[Committed]"


class GroupCommit:
    """Commits units of work, those together that come together."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._waiting: list[list[_Unit]] = [[] for _ in range(LANES)]
        self._running: dict[int, asyncio.Task[None]] = {}

    async def commit(self, agent: int, changes: Sequence[Change]) -> Committed:
        """Return once the unit is durable; whoever stops waiting does not stop it."""
        encoder, lane = Encoder(), agent % LANES
        encoded = to_json(encoder.unit(changes))
        unit = _Unit(agent, encoded, encoder.vectors, asyncio.get_running_loop().create_future())
        self._waiting[lane].append(unit)
        if lane not in self._running:
            self._running[lane] = asyncio.create_task(self._work(lane))
        return await asyncio.shield(unit.done)

    async def drain(self) -> None:
        """Wait until all that was begun has ended."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    async def _work(self, lane: int) -> None:
        try:
            while self._waiting[lane]:
                group, self._waiting[lane] = self._waiting[lane][:MAX_GROUP], self._waiting[lane][MAX_GROUP:]
                # Sorted, so that two processes take their locks in the same order; an agent's own order is kept.
                group.sort(key=lambda unit: unit.agent)
                outcomes: list[Committed | RemanentError]
                try:
                    with translated():
                        outcomes = [outcome_of(result) for result in await self._run(group)]
                except RemanentError as error:
                    outcomes = [error] * len(group)
                for unit, outcome in zip(group, outcomes, strict=True):
                    _settle(unit.done, outcome)
        finally:
            del self._running[lane]

    async def _run(self, group: list[_Unit]) -> list[Payload]:
        agents = [unit.agent for unit in group]
        changes = f"[{','.join(unit.changes for unit in group)}]"
        vectors = [vector for unit in group for vector in unit.vectors]
        ends = list(accumulate(len(unit.vectors) for unit in group))
        async with self._connections.connection() as connection:
            try:
                cursor = await connection.execute(COMMIT_UNITS, (agents, changes, vectors, ends))
            except psycopg.OperationalError as error:
                if error.sqlstate is None:
                    raise StoreBusy(LOST) from error
                raise
            [(results,)] = await cursor.fetchall()
        return list(results)


LOST = (
    "the database went away during a commit, and nobody knows whether it came to its end; "
    "send it again under the same id, so that it is stored once"
)
COMMIT_UNITS = "SELECT commit_units(%s, %s::jsonb, %b::vector[], %s)"


def _settle(done: "asyncio.Future[Committed]", outcome: Committed | RemanentError) -> None:
    if done.done():
        return
    if isinstance(outcome, RemanentError):
        done.set_exception(outcome)
        done.exception()  # whoever was cancelled meanwhile does not ask
    else:
        done.set_result(outcome)
