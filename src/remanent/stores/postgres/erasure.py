"""Erasure in PostgreSQL: every row that holds the words goes, in one transaction.

That is as far as a client of a database reaches. What was deleted stays in the pages until VACUUM and new rows
overwrite them, in the write-ahead log until it is recycled, and in whatever was copied from either; docs/scale.md says
what an operator can do.
"""

import json
from collections.abc import Sequence
from typing import Any

from remanent.model import Scope
from remanent.stores.postgres.connection import Connection, statement
from remanent.stores.postgres.writes import to_json
from remanent.stores.queries import Erased, Erasure, ErasureDepth
from remanent.stores.sqlite.rows import RECORD_COLUMNS, dump, parse, record_of
from remanent.stores.store import ERASED_MEANWHILE, ERASING
from remanent.stores.transaction import search_terms

_NO_END = 2**62
"""Behind every place of a journal."""
_TABLES = (
    "entries", "records", "postings", "versions", "past_postings", "record_tags", "record_sources", "tombstones",
    "links", "conflicts", "vectors", "vector_removals", "models", "states", "jobs",
)  # fmt: skip


class Eraser:
    """One erasure, inside its transaction."""

    def __init__(self, connection: Connection, agent: int, scope: Scope) -> None:
        self._connection = connection
        self._agent = agent
        self._scope = scope

    async def _column(self, name: str, *values: Any, **named: Any) -> list[Any]:
        cursor = await self._connection.execute(statement(name).encode(), named or values)
        return [row[0] for row in await cursor.fetchall()]

    async def _run(self, name: str, *values: Any) -> None:
        await self._connection.execute(statement(name).encode(), values)

    async def erase(self, erasure: Erasure) -> Erased:
        """Remove the rows, and return what went."""
        end = _NO_END if erasure.up_to is None else erasure.up_to
        later = await self._column("has_later_entries", self._agent, end)
        if erasure.everything and not later:
            return await self._everything(erasure)
        entry_ids, record_ids = await self._reach(erasure, end)
        replies = set(await self._column("replies", self._agent, entry_ids)) - set(record_ids)
        before = await self._digests()
        kinds = await self._column("kinds_of", self._agent, record_ids)
        await self._remove(record_ids)
        await self._run("stubs", self._agent, entry_ids)
        await self._run("remove_sources", self._agent, entry_ids)
        await self._index_anew(sorted(replies))
        await self._run("blur_errors", ERASED_MEANWHILE, self._agent)
        digests = tuple(sorted(before - await self._digests()))
        erased = Erased(tuple(entry_ids), tuple(record_ids), digests, depth=ErasureDepth.UNREADABLE)
        if erasure.keeps_note:
            await self._note({"entries": entry_ids, "records": record_ids, "digests": list(erased.digests)})
        if kinds:
            await self._run("revise_graphs", self._agent, kinds)
        await self._run("revise", self._agent)
        return erased

    async def _reach(self, erasure: Erasure, end: int) -> tuple[list[str], list[str]]:
        """Return the entries to erase, and every record of which any version came from one of them."""
        named = {
            "agent": self._agent,
            "end": end,
            "everything": erasure.everything,
            "session": erasure.session,
            "entries": list(erasure.entry_ids),
            "records": list(erasure.record_ids),
        }
        entry_ids = sorted(await self._column("erased_entries", **named))
        return entry_ids, sorted(await self._column("erased_records", **named, all=entry_ids))

    async def _remove(self, record_ids: Sequence[str]) -> None:
        """Remove records with links from and to them, and the conflicts that quote them."""
        await self._run("remove_records", self._agent, list(record_ids))
        await self._run("remove_links_to", self._agent, list(record_ids))
        await self._run("remove_conflicts", self._agent, list(record_ids))

    async def _index_anew(self, record_ids: Sequence[str]) -> None:
        """Let records and their versions be found by their own words alone."""
        for record_id in record_ids:
            for table in ("records", "versions"):
                sql = f"SELECT {RECORD_COLUMNS}, ref FROM {table} WHERE agent = %s AND id = %s AND terms IS NOT NULL"
                cursor = await self._connection.execute(sql.encode(), (self._agent, record_id))
                for row in await cursor.fetchall():
                    terms = search_terms(record_of(self._scope, row))
                    past = table == "versions"
                    await self._run("index_anew", self._agent, row[6], terms, past)

    async def _everything(self, erasure: Erasure) -> Erased:
        """Empty every table; revisions rise, so that no index or cache takes itself for current."""
        entry_ids = await self._column("entry_ids", self._agent)
        record_ids = await self._column("record_ids", self._agent)
        digests = sorted(await self._digests())
        for table in _TABLES:
            await self._connection.execute(f"DELETE FROM {table} WHERE agent = %s".encode(), (self._agent,))
        await self._run("revise_all_graphs", self._agent)
        await self._run("revise_all", self._agent)
        if erasure.keeps_note:
            await self._note({"everything": True, "digests": digests})
        return Erased(tuple(entry_ids), tuple(record_ids), tuple(digests), depth=ErasureDepth.UNREADABLE)

    async def _digests(self) -> set[str]:
        items = (item for text in await self._column("attachments", self._agent) for item in json.loads(text))
        return {item["digest"] for item in items if item.get("digest")}

    async def _note(self, went: dict[str, Any]) -> None:
        """Add ids of what goes with this transaction to those of erasures before it that did not come to their end."""
        kept = await self._column("state", self._agent, ERASING)
        known = parse(kept[0]) if kept else {}
        for name in ("entries", "records", "digests"):
            went[name] = sorted({*known.get(name, ()), *went.get(name, ())})
        went["everything"] = bool(known.get("everything") or went.get("everything"))
        change = {"do": "state", "key": ERASING, "value": dump(went)}
        await self._run("apply_unit", self._agent, to_json([change]))
