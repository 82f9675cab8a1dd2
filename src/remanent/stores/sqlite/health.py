"""Examining a database: pages, indexes, checksums and references."""

from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString
from zlib import crc32

import apsw
from pydantic_core import from_json

from remanent.errors import IntegrityError
from remanent.stores.queries import Health
from remanent.stores.sqlite.faults import translated

_TEXT_INDEXES = ("records_text", "versions_text")

# Each finds rows that contradict another table; all must be empty.
_CONTRADICTIONS: dict[str, LiteralString] = {
    "records without search terms": """
        SELECT count(*) FROM records WHERE status != 'forgotten' AND ref NOT IN (SELECT rowid FROM records_text)""",
    "search terms without a record": "SELECT count(*) FROM records_text WHERE rowid NOT IN (SELECT ref FROM records)",
    "vectors without a record": "SELECT count(*) FROM vectors WHERE record NOT IN (SELECT ref FROM records)",
    "vectors of the wrong size": """
        SELECT count(*) FROM vectors v JOIN models m ON m.ref = v.model WHERE length(v.data) != 4 * m.dimension""",
    "records to embed that are not there": "SELECT count(*) FROM unembedded WHERE ref NOT IN (SELECT ref FROM records)",
    "tags without a record": "SELECT count(*) FROM record_tags WHERE ref NOT IN (SELECT ref FROM records)",
}
# A repair cannot bring back what these miss.
_CONTRADICTIONS_UNLESS_REPAIRED: dict[str, LiteralString] = {
    "records with a version missing": """
        SELECT count(*) FROM records r
        WHERE r.version != 1 + (SELECT count(*) FROM versions v WHERE v.id = r.id)""",
    "records that name an entry which never was": """
        SELECT count(*) FROM record_sources WHERE entry_id NOT IN (SELECT id FROM entries)
        AND record_id IN (SELECT id FROM records)""",
}


_CHECKSUMMED: dict[str, LiteralString] = {
    "entries": "SELECT text, crc FROM entries",
    "records": "SELECT body, crc FROM records",
    "past versions": "SELECT body, crc FROM versions",
    "vectors": "SELECT data, crc FROM vectors",
}
_JSON: dict[str, LiteralString] = {
    "entries with notes": "SELECT metadata FROM entries WHERE metadata IS NOT NULL",
    "entries with attachments": "SELECT attachments FROM entries WHERE attachments IS NOT NULL",
    "conflicts": "SELECT body FROM conflicts",
    "tombstones": "SELECT body FROM tombstones",
    "states": "SELECT value FROM states",
    "jobs": "SELECT payload FROM jobs",
}
_REPAIRED = "SELECT value FROM counters WHERE name = 'repairs'"


def check(connection: apsw.Connection, path: Path) -> Health:
    """Examine pages, indexes and references; runs on the writer, outside a transaction."""
    problems: list[str] = []
    try:
        with translated(connection):
            problems.extend(str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")
            for table in _TEXT_INDEXES:
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 0)")
            problems.extend(_contradictions(connection))
            counts = [
                connection.execute(f"SELECT count(*) FROM {name}").get for name in ("entries", "records", "vectors")
            ]
    except IntegrityError as error:
        problems.append(str(error))
        counts = [0, 0, 0]
    return Health(
        problems=tuple(problems),
        entries=counts[0],
        records=counts[1],
        vectors=counts[2],
        bytes_on_disk=sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*")),
        schema=int(connection.pragma("user_version")),
        engine=f"SQLite {apsw.sqlite_lib_version()}",
        checksums=connection.open_vfs.startswith("cksm"),
    )


def _contradictions(connection: apsw.Connection) -> Iterator[str]:
    """Yield what rows say against each other, or against their own checksums."""
    repaired = connection.execute(_REPAIRED).get
    for what, sql in (_CONTRADICTIONS | ({} if repaired else _CONTRADICTIONS_UNLESS_REPAIRED)).items():
        count = connection.execute(sql).get
        if count:
            yield f"{count} {what}"
    for what, sql in _CHECKSUMMED.items():
        count = sum(
            crc32(content.encode() if isinstance(content, str) else content) != crc
            for content, crc in connection.execute(sql)
        )
        if count:
            yield f"{count} {what} that are not as they were written"
    for what, sql in _JSON.items():
        count = sum(not _is_json(str(text)) for (text,) in connection.execute(sql))
        if count:
            yield f"{count} {what} that are not as they were written"


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True
