"""Erasure in PostgreSQL: every row that holds the words goes, in one transaction.

That is as far as a client of a database reaches. What was deleted stays in the pages until VACUUM and new rows
overwrite them, in the write-ahead log until it is recycled, and in whatever was copied from either; docs/scale.md says
what an operator can do.
"""

from collections.abc import Sequence
from typing import Any

from remanent.model import Scope
from remanent.stores.postgres.connection import Connection, statement
from remanent.stores.postgres.writes import to_json
from remanent.stores.queries import Erased, Erasure
from remanent.stores.rows import digests_of, erasing_note, record_of
from remanent.stores.store import ERASED_MEANWHILE, ERASING
from remanent.stores.transaction import search_terms

_NO_END = 2**62
"""Behind every place of a journal."""


class Eraser:
    """One erasure, inside its transaction: it finds out what goes, and lets it go as one unit of work."""

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
        changes: list[dict[str, Any]] = [{"do": "erase_everything"}]
        went: dict[str, Any] = {"everything": True, "digests": digests}
        if not everything:
            rows = {"entry_ids": entry_ids, "record_ids": record_ids, "meanwhile": ERASED_MEANWHILE}
            changes = [{"do": "erase_rows", **rows}, *await self._anew(entry_ids, record_ids)]
            sent = [row[0] for row in await self._rows("sent_marks", entries=entry_ids)]
            went = {"entries": entry_ids, "records": record_ids, "digests": digests, "sent": sent}
        if erasure.keeps_note:
            changes.append(await self._note(went))
        await self._rows("apply_unit", changes=to_json(changes))
        return Erased(tuple(entry_ids), tuple(record_ids), tuple(digests))

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
