"""Writing: changes as the functions in `sql/functions.sql` take them, many units in one commit; and erasure.

A unit that arrives while a commit is on its way waits and shares the next one, so that the sync of the log is paid once
for all. There are a few lanes, each with one commit under way; an agent's units always take the same lane and therefore
keep their order.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

import numpy as np
import psycopg
from numpy.typing import NDArray

from remanent.errors import InvalidInput, RemanentError, StoreBusy
from remanent.lightweight import dataclass
from remanent.model import Conflict, Entry, Job, Link, Record, Scope, Tombstone, Version, to_millis
from remanent.stores import rows
from remanent.stores.postgres.connection import Connection, ConnectionPool, error_of, escape, statement, translated
from remanent.stores.queries import Erased, Erasure
from remanent.stores.rows import digests_of, erasing_note, record_of
from remanent.stores.search_terms import search_terms
from remanent.stores.store import ERASED_MEANWHILE, ERASING, settle
from remanent.stores.transaction import Change, Committed, PutState

LANES: Final = 4
"""Commits of one process that may be under way at a time; chosen by hand, half of the connections."""
_MAX_GROUP: Final = 64
"""Units in one commit; more would make the first of them wait longer than the sync takes."""

Payload = dict[str, Any]
Vector = NDArray[np.float32]


def encoded(changes: Sequence[Change]) -> tuple[str, list[Vector]]:
    """Return the changes of one unit in order as JSON, with the vectors that it names by their places from 1 on.

    A change is its type and its fields by their names; what is a row becomes its columns. Most changes need no more, so
    that a new one is a line of `apply_unit` in `sql/functions.sql`.
    """
    vectors: list[Vector] = []
    return to_json([_payload(change, vectors) for change in changes]), vectors


def _payload(change: Change, vectors: list[Vector]) -> Payload:
    """Return a change as the JSON that `functions.sql` reads, under the name of its class.

    Of a state, `...` is left out: whatever its value is, where `null` would mean that there must be none.
    """
    payload: Payload = {"do": type(change).__name__}
    for name in change.__dataclass_fields__:
        value = getattr(change, name)
        if (row := _ROWS.get(type(value))) is not None:
            payload |= row(value)
        elif isinstance(change, PutState) and name != "key":
            if value is not ...:
                payload[name] = None if value is None else rows.dump(value)
        elif isinstance(value, bytes):
            vectors.append(rows.vector_of(value))
            payload[name] = len(vectors)
        else:
            payload[name] = to_millis(value) if isinstance(value, datetime) else value
    return payload


def _sourced(item: Record | Tombstone) -> Payload:
    return {**rows.named_row(item), "sources": [source.entry_id for source in item.sources]}


def _record(record: Record) -> Payload:
    """Return a record's row; by the hash, `functions.sql` knows that a text is another and its vectors are stale."""
    return {
        **_sourced(record),
        "trust": record.trust.value,
        "tags": sorted(record.index_tags),
        "content_hash": hashlib.md5(record.content.encode(), usedforsecurity=False).hexdigest(),
    }


def _version(version: Version) -> Payload:
    """Return the row of an earlier version, which an import brings; the current one is put as the record itself."""
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
    """Return JSON in which every text can be stored: PostgreSQL takes no zero byte in a text."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, dict):
        return {key: _escaped(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(part) for part in value]
    return value


def _outcome_of(result: Payload) -> Committed | RemanentError:
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
        lane = agent % LANES
        unit = _Unit(agent, *encoded(changes), asyncio.get_running_loop().create_future())
        self._waiting[lane].append(unit)
        if lane not in self._running:
            self._running[lane] = asyncio.create_task(self._work(lane))
        return await asyncio.shield(unit.done)

    async def drain(self) -> None:
        """Wait until all that was begun has ended."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    async def _work(self, lane: int) -> None:
        """Commit what waits in a lane, group after group, until nothing waits; whatever happens, everyone is told."""
        try:
            while self._waiting[lane]:
                group, self._waiting[lane] = self._waiting[lane][:_MAX_GROUP], self._waiting[lane][_MAX_GROUP:]
                # Sorted, so that two processes take their locks in the same order; an agent's own order is kept.
                group.sort(key=lambda unit: unit.agent)
                outcomes: Sequence[Committed | Exception]
                try:
                    with translated():
                        outcomes = [_outcome_of(result) for result in await self._run(group)]
                except Exception as error:  # noqa: BLE001 - border: it goes to whoever waits, who would wait for ever
                    outcomes = [error] * len(group)
                for unit, outcome in zip(group, outcomes, strict=True):
                    settle(unit.done, outcome)
        finally:
            del self._running[lane]

    async def _run(self, group: list[_Unit]) -> list[Payload]:
        """Commit a group in one call and return what became of each unit.

        A connection that breaks leaves open whether they were committed: whoever sends them again does so under the
        same ids.
        """
        agents = [unit.agent for unit in group]
        changes = f"[{','.join(unit.changes for unit in group)}]"
        vectors = [vector for unit in group for vector in unit.vectors]
        ends = list(accumulate(len(unit.vectors) for unit in group))
        async with self._connections.connection() as connection:
            try:
                cursor = await connection.execute(COMMIT_UNITS, (agents, changes, vectors, ends))
            except psycopg.OperationalError as error:
                if error.sqlstate is None:
                    raise StoreBusy(_LOST) from error
                raise
            [(results,)] = await cursor.fetchall()
        return list(results)


_LOST = (
    "the connection to the database was lost during a commit, which may or may not have "
    "completed; send it again with the same id, and it is stored only once"
)
COMMIT_UNITS = "SELECT commit_units(%s, %s::jsonb, %b::vector[], %s)"


_NO_END = 2**62
"""Behind every place of a journal."""


class Eraser:
    """One erasure, inside its transaction: it finds out what goes, and lets it go as one unit of work.

    Every row that holds the words goes. That is as far as a client of a database reaches: what was deleted stays in
    the pages until VACUUM and new rows overwrite them, in the write-ahead log until it is recycled, and in whatever
    was copied from either; docs/scale.md says what an operator can do.
    """

    def __init__(self, connection: Connection, agent: int, scope: Scope) -> None:
        self._connection = connection
        self._agent = agent
        self._scope = scope

    async def _rows(self, name: str, **values: Any) -> list[tuple[Any, ...]]:
        cursor = await self._connection.execute(statement(name).encode(), {"agent": self._agent, **values})
        return await cursor.fetchall()

    async def erase(self, erasure: Erasure) -> Erased:
        """Remove the rows, and return what went."""
        end = _NO_END if erasure.up_to is None else erasure.up_to
        everything = erasure.everything and not await self._rows("has_later_entries", end=end)
        entry_ids, record_ids = await self._reach(erasure, end)
        digests = await self._digests(entry_ids)
        with_words = await self._rows("sent_marks", entries=entry_ids)
        changes: list[dict[str, Any]] = [{"do": "erase_everything"}]
        went: dict[str, Any] = {"everything": True, "digests": digests}
        if not everything:
            rows = {"entry_ids": entry_ids, "record_ids": record_ids, "meanwhile": ERASED_MEANWHILE}
            changes = [{"do": "erase_rows", **rows}, *await self._anew(entry_ids, record_ids)]
            sent = [mark for _, mark in with_words]
            went = {"entries": entry_ids, "records": record_ids, "digests": digests, "sent": sent}
        if erasure.keeps_note:
            changes.append(await self._note(went))
        await self._rows("apply_unit", changes=to_json(changes))
        await self._rows("count_erasure")
        return Erased(tuple(entry_id for entry_id, _ in with_words), tuple(record_ids), tuple(digests))

    async def _reach(self, erasure: Erasure, end: int) -> tuple[list[str], list[str]]:
        """Return the entries to erase, and every record of which any version came from one of them."""
        named = {
            "end": end,
            "everything": erasure.everything,
            "session": erasure.session,
            "entries": list(erasure.entry_ids),
            "records": list(erasure.record_ids),
        }
        entry_ids = sorted(row[0] for row in await self._rows("erased_entries", **named))
        return entry_ids, sorted(row[0] for row in await self._rows("erased_records", **named, all=entry_ids))

    async def _anew(self, entry_ids: Sequence[str], record_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Let replies to what goes, and their versions, be found by their own words alone."""
        found = await self._rows("replies", entries=entry_ids, records=record_ids)
        return [
            {"do": "index_anew", **at, "old": old, "new": search_terms(record_of(self._scope, row))}
            for at, old, *row in found
        ]

    async def _digests(self, entry_ids: Sequence[str]) -> list[str]:
        """Return the files that no entry names any more."""
        named: dict[bool, set[str]] = {True: set(), False: set()}
        for goes, text in await self._rows("attachments", entries=entry_ids):
            named[goes] |= digests_of(text)
        return sorted(named[True] - named[False])

    async def _note(self, went: dict[str, Any]) -> dict[str, Any]:
        """Add ids of what goes to those of erasures that did not come to their end, unless all of them go with it."""
        kept = [] if went.get("everything") else await self._rows("state", key=ERASING)
        return {"do": "PutState", "key": ERASING, "value": erasing_note(kept[0][0] if kept else None, went)}
