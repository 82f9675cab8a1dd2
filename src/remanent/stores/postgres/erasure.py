"""Erasure in PostgreSQL: every row that holds the words goes, in one transaction.

That is as far as a client of a database reaches. What was deleted stays in the pages until VACUUM and new rows
overwrite them, in the write-ahead log until it is recycled, and in whatever was copied from either; docs/scale.md says
what an operator can do.
"""

import json
from collections.abc import Sequence
from typing import Any

from remanent.model import Scope
from remanent.stores.postgres.connection import Connection
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
_RECORDS_UP_TO = """
SELECT id FROM records r WHERE agent = %(agent)s AND (%(everything)s OR session = %(session)s) AND NOT EXISTS (
    SELECT 1 FROM record_sources s JOIN entries e ON e.agent = s.agent AND e.id = s.entry_id
    WHERE s.agent = %(agent)s AND s.record_id = r.id AND e.seq > %(end)s
)
"""
# A reply is indexed under words of what it replies to as well. Within 512 places: a session that was left for longer
# than that is hardly continued by a reply; chosen by hand.
_REPLIES = """
SELECT DISTINCT later.id FROM entries said CROSS JOIN LATERAL (
    SELECT o.id FROM entries o WHERE o.agent = said.agent AND o.seq BETWEEN said.seq + 1 AND said.seq + 512
        AND o.session IS NOT DISTINCT FROM said.session AND o.text <> '' ORDER BY o.seq LIMIT 1
) later WHERE said.agent = %s AND said.id = ANY (%s)
"""
_STUBS = """
UPDATE entries SET text = '', metadata = NULL, attachments = NULL, erased = 1, crc = 0
WHERE agent = %s AND id = ANY (%s)
"""
# Of each job's error only the name: its message may quote what was erased. Whoever works on a job has read the words
# already, and may yet end with an error that quotes them.
_BLUR_ERRORS = """
UPDATE jobs SET error = CASE WHEN state = 'running' THEN %s ELSE split_part(error, ':', 1) END
WHERE agent = %s AND (error <> '' OR state = 'running')
"""


class Eraser:
    """One erasure, inside its transaction."""

    def __init__(self, connection: Connection, agent: int, scope: Scope) -> None:
        self._connection = connection
        self._agent = agent
        self._scope = scope

    async def _column(self, sql: str, *values: Any) -> list[Any]:
        cursor = await self._connection.execute(sql.encode(), values)
        return [row[0] for row in await cursor.fetchall()]

    async def _run(self, sql: str, *values: Any) -> None:
        await self._connection.execute(sql.encode(), values)

    async def erase(self, erasure: Erasure) -> Erased:
        """Remove the rows, and return what went."""
        end = _NO_END if erasure.up_to is None else erasure.up_to
        later = await self._column("SELECT 1 FROM entries WHERE agent = %s AND seq > %s LIMIT 1", self._agent, end)
        if erasure.everything and not later:
            return await self._everything(erasure)
        entry_ids, record_ids = await self._reach(erasure, end)
        replies = set(await self._column(_REPLIES, self._agent, entry_ids)) - set(record_ids)
        before = await self._digests()
        kinds = await self._column(
            "SELECT DISTINCT kind FROM records WHERE agent = %s AND id = ANY (%s)", self._agent, record_ids
        )
        await self._remove(record_ids)
        await self._run(_STUBS, self._agent, entry_ids)
        await self._run("DELETE FROM record_sources WHERE agent = %s AND entry_id = ANY (%s)", self._agent, entry_ids)
        await self._index_anew(sorted(replies))
        await self._run(_BLUR_ERRORS, ERASED_MEANWHILE, self._agent)
        digests = tuple(sorted(before - await self._digests()))
        erased = Erased(tuple(entry_ids), tuple(record_ids), digests, depth=ErasureDepth.UNREADABLE)
        if erasure.keeps_note:
            await self._note({"entries": entry_ids, "records": record_ids, "digests": list(erased.digests)})
        if kinds:
            await self._run("SELECT revise_graphs(%s, %s)", self._agent, kinds)
        await self._run("UPDATE agents SET revision = revision + 1 WHERE id = %s", self._agent)
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
        cursor = await self._connection.execute(
            """
            SELECT id FROM entries WHERE agent = %(agent)s AND (id = ANY (%(entries)s)
                OR ((%(everything)s OR session = %(session)s) AND seq <= %(end)s))
            UNION SELECT entry_id FROM record_sources WHERE agent = %(agent)s AND record_id = ANY (%(records)s)
            """,
            named,
        )
        entry_ids = sorted(row[0] for row in await cursor.fetchall())
        cursor = await self._connection.execute(
            f"""
            {_RECORDS_UP_TO}
            UNION SELECT id FROM records WHERE agent = %(agent)s AND id = ANY (%(records)s)
            UNION SELECT record_id FROM tombstones WHERE agent = %(agent)s AND record_id = ANY (%(records)s)
            UNION SELECT record_id FROM record_sources WHERE agent = %(agent)s AND entry_id = ANY (%(all)s)
            """.encode(),
            {**named, "all": entry_ids},
        )
        return entry_ids, sorted(row[0] for row in await cursor.fetchall())

    async def _remove(self, record_ids: Sequence[str]) -> None:
        """Remove records with links from and to them, and the conflicts that quote them."""
        await self._run("SELECT remove_records(%s, %s)", self._agent, list(record_ids))
        await self._run("DELETE FROM links WHERE agent = %s AND to_id = ANY (%s)", self._agent, list(record_ids))
        await self._run("DELETE FROM conflicts WHERE agent = %s AND record_ids && %s", self._agent, list(record_ids))

    async def _index_anew(self, record_ids: Sequence[str]) -> None:
        """Let records and their versions be found by their own words alone."""
        for record_id in record_ids:
            for table in ("records", "versions"):
                sql = f"SELECT {RECORD_COLUMNS}, ref FROM {table} WHERE agent = %s AND id = %s AND terms IS NOT NULL"
                cursor = await self._connection.execute(sql.encode(), (self._agent, record_id))
                for row in await cursor.fetchall():
                    terms = search_terms(record_of(self._scope, row))
                    past = table == "versions"
                    await self._run("SELECT index_anew(%s, %s, %s, %s)", self._agent, row[6], terms, past)

    async def _everything(self, erasure: Erasure) -> Erased:
        """Empty every table; revisions rise, so that no index or cache takes itself for current."""
        entry_ids = await self._column("SELECT id FROM entries WHERE agent = %s ORDER BY seq", self._agent)
        record_ids = await self._column("SELECT id FROM records WHERE agent = %s ORDER BY ref", self._agent)
        digests = sorted(await self._digests())
        for table in _TABLES:
            await self._run(f"DELETE FROM {table} WHERE agent = %s", self._agent)
        await self._run("UPDATE graphs SET revision = revision + 1 WHERE agent = %s", self._agent)
        await self._run(
            """
            UPDATE agents SET revision = revision + 1, vector_revision = vector_revision + 1,
                vector_floor = vector_revision + 1, documents = 0, document_terms = 0 WHERE id = %s
            """,
            self._agent,
        )
        if erasure.keeps_note:
            await self._note({"everything": True, "digests": digests})
        return Erased(tuple(entry_ids), tuple(record_ids), tuple(digests), depth=ErasureDepth.UNREADABLE)

    async def _digests(self) -> set[str]:
        sql = "SELECT attachments FROM entries WHERE agent = %s AND attachments IS NOT NULL"
        items = (item for text in await self._column(sql, self._agent) for item in json.loads(text))
        return {item["digest"] for item in items if item.get("digest")}

    async def _note(self, went: dict[str, Any]) -> None:
        """Add ids of what goes with this transaction to those of erasures before it that did not come to their end."""
        kept = await self._column("SELECT value FROM states WHERE agent = %s AND key = %s", self._agent, ERASING)
        known = parse(kept[0]) if kept else {}
        for name in ("entries", "records", "digests"):
            went[name] = sorted({*known.get(name, ()), *went.get(name, ())})
        went["everything"] = bool(known.get("everything") or went.get("everything"))
        change = {"do": "state", "key": ERASING, "value": dump(went)}
        await self._run("SELECT apply_unit(%s, %s::jsonb, '{}', false)", self._agent, to_json([change]))
