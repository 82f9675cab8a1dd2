"""Examining a database, and saving what is readable of a damaged one.

`check` looks at pages, indexes, checksums and references, and changes nothing. `repair` makes a new file; the damaged
ones are only read, and all work is done on copies. Each table is read through its tree, around what is damaged; where
that leaves something out, every sound page of the file is searched for its rows as well. A row counts only when it is
as it was written: that is what the checksums in the tables are for. Indexes and other derived tables are never saved
but made anew from what was.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, LiteralString
from zlib import crc32

import apsw

from remanent.durability import write_durably
from remanent.errors import IntegrityError, StorageError
from remanent.model import JobState, Scope
from remanent.stores.queries import Health
from remanent.stores.rows import ENTRY_COLUMNS, RECORD_COLUMNS, Row, entry_of, parse, record_of
from remanent.stores.search_terms import TermsOfTalks
from remanent.stores.sqlite import connection as opening
from remanent.stores.sqlite.bulk import note_sources
from remanent.stores.sqlite.connection import translated
from remanent.stores.sqlite.fileformat import PAGE_SIZE, PageFile, images_of, is_sound

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
    "metadata that no entry has": """
        SELECT count(*) FROM (SELECT key, value, seq FROM entry_metadata EXCEPT
        SELECT key, value, seq FROM metadata_values)""",
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


def check(connection: apsw.Connection, path: Path, *, quick: bool = False) -> Health:
    """Examine pages, indexes and references; runs on the writer, outside a transaction. `quick` only counts.

    Damage that stops the examination is a finding like any other: the report must come in any case.
    """
    problems: list[str] = []
    try:
        with translated(connection):
            if not quick:
                problems.extend(_examine(connection))
            counts = {
                name: connection.execute(f"SELECT count(*) FROM {name}").get
                for name in ("entries", "records", "vectors")
            }
    except IntegrityError as error:
        problems.append(str(error))
        counts = {}
    return Health(
        problems=tuple(problems),
        **counts,
        bytes_on_disk=sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*")),
        schema=int(connection.pragma("user_version")),
        engine=f"SQLite {apsw.sqlite_lib_version()}",
        checksums=connection.open_vfs.startswith("cksm"),
    )


def _examine(connection: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with pages, indexes, checksums and references: reads the whole file.

    After a repair some contradictions are known losses and are not told again: they would hide new ones.
    """
    yield from (str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")
    for table in _TEXT_INDEXES:
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 0)")
    repaired = connection.execute(_REPAIRED).get
    for what, sql in (_CONTRADICTIONS | ({} if repaired else _CONTRADICTIONS_UNLESS_REPAIRED)).items():
        if count := connection.execute(sql).get:
            yield f"{count} {what}"
    for is_as_written, tables in ((_is_checked, _CHECKSUMMED), (_is_json, _JSON)):
        for what, sql in tables.items():
            if count := sum(not is_as_written(*row) for row in connection.execute(sql)):
                yield f"{count} {what} that are not as they were written"


MAX_FAILURES = 1_000
"""Reads that may fail in one table before the rest of it is left to the search of all pages."""

_UNREADABLE = (apsw.Error, UnicodeDecodeError)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NUMBERS = {"ref", "seq"}
"""The keys of tables whose rows have numbers."""
_DERIVED = ("entry_metadata", "unembedded", "record_tags", "record_sources", "conflict_records", "vector_removals")
"""Tables that are made anew from the others."""


def repair(path: Path, target: Path, *, scope: Scope, migrations: Sequence[str]) -> None:
    """Make `target` with every readable row of a damaged file, and beside it a note of what is lost."""
    try:
        with translated():
            opening.create(target, migrations=migrations)
            with images_of(path, fresh=target) as images:
                note = _save(images, target, scope)
            write_durably(target.with_suffix(".txt"), note.encode())
    except BaseException:
        for leftover in target.parent.glob(f"{target.stem}*"):
            leftover.unlink(missing_ok=True)
        raise


# ── rows: which are as they were written ─────────────────────────────────────


def _is_json(text: object) -> bool:
    """Tell whether a column holds JSON or nothing."""
    if text is None:
        return True
    try:
        parse(str(text))
    except StorageError:
        return False
    return True


def _is_checked(content: object, crc: object) -> bool:
    """Tell whether a text or a vector still has the checksum that was written beside it."""
    if isinstance(content, str):
        content = content.encode()
    return isinstance(content, bytes) and crc32(content) == crc


def _is_body(text: object, key: str, value: object) -> bool:
    """Tell whether a text is a JSON object that names the row it stands in."""
    return isinstance(text, str) and parse(text).get(key) == value


# What has no checksum of its own must at least parse and fit its row; columns are counted as the schema lists them.
_AS_WRITTEN: dict[str, Callable[[Row], bool]] = {
    "entries": lambda row: _is_checked(row[7], row[14]) and _is_json(row[10]) and _is_json(row[11]),
    "records": lambda row: _is_checked(row[15], row[16]) and _is_body(row[15], "id", row[1]),
    "versions": lambda row: _is_checked(row[15], row[16]) and _is_body(row[15], "id", row[1]),
    "vectors": lambda row: isinstance(row[6], bytes) and _is_checked(row[6], row[7]),
    "jobs": lambda row: row[8] in set(JobState) and isinstance(row[7], str) and _is_json(row[7]),
    "conflicts": lambda row: _is_body(row[6], "id", row[1]),
    "tombstones": lambda row: _is_body(row[3], "record_id", row[0]),
    "models": lambda row: isinstance(row[1], str) and isinstance(row[2], int),
    "links": lambda row: (
        all(isinstance(part, str) for part in row[:3]) and all(isinstance(part, int | float) for part in row[3:])
    ),
    "states": lambda row: isinstance(row[0], str) and isinstance(row[1], str) and _is_json(row[1]),
}
"""By these tests, and by its columns, a row is not taken for one of another table: it is known wherever it lies."""


def _as_written(table: str, row: Row) -> bool:
    """Tell whether a row fits what we write: its checksum, or at least its form; what damage left there does not."""
    try:
        return table not in _AS_WRITTEN or _AS_WRITTEN[table](row)
    except (KeyError, TypeError, AttributeError, StorageError):
        return False


# ── saving ───────────────────────────────────────────────────────────────────


def _save(images: list[Path], target: Path, scope: Scope) -> str:
    """Copy every table from the images, newest first, make the derived tables, and return the note."""
    with closing(opening.connect(target, busy_timeout=5)) as copy, translated(copy):
        tables = _plain_tables(copy)
        with copy:
            for table in tables:
                for image in images:
                    if _save_table(image, copy, table):
                        break
            _make_derived(copy, scope)
            copy.execute(
                "INSERT INTO counters VALUES ('repairs', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
            )
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return _note(copy, tables, images[0])


def _plain_tables(connection: apsw.Connection) -> list[str]:
    """Return the tables that are copied row by row: neither full-text indexes nor derived ones."""
    sql = """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE 'records_text%' AND name NOT LIKE 'versions_text%' ORDER BY name
    """
    return [row[0] for row in connection.execute(sql) if row[0] not in _DERIVED]


def _save_table(image: Path, copy: apsw.Connection, table: str) -> bool:
    """Copy a table's rows, and return whether all of them could be read."""
    columns = list(copy.execute(f"PRAGMA table_info({table})"))
    names = ", ".join(column[1] for column in columns)
    keys = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    # What stands there already comes from a newer image, except for what every new file holds.
    verb = "REPLACE" if table == "counters" else "IGNORE"
    insert = f"INSERT OR {verb} INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"
    reader = _TableReader(image, table, names, keys)
    for row in reader.rows():
        copy.execute(insert, row)
    if not reader.complete and table in _AS_WRITTEN:
        for row in _rows_on_sight(image, table, numbered=keys[0] in _NUMBERS, width=len(columns)):
            copy.execute(insert, row)
    return reader.complete


class _TableReader:
    """Reads a table through its tree, around what is damaged."""

    def __init__(self, image: Path, table: str, names: str, keys: list[str]) -> None:
        self.complete = True
        self._image = image
        self._table = table
        self._select = f"SELECT {names} FROM {table}"
        self._keys = keys

    def rows(self) -> Iterator[Row]:
        """Yield the rows that can be read and are as they were written."""
        try:
            with closing(opening.connect(self._image, busy_timeout=5, read_only=True)) as damaged:
                way = self._by_halves if self._keys[0] in _NUMBERS else self._from_ends
                for row in way(damaged):
                    if _as_written(self._table, row):
                        yield row
                    else:
                        self.complete = False
        except (StorageError, *_UNREADABLE):
            self.complete = False

    def _by_halves(self, damaged: apsw.Connection) -> Iterator[Row]:
        """Go around damage by halving the range of keys it lies in.

        SQLite says only that somewhere in a range a page cannot be read. Halving finds all rows beside it in as many
        steps as the logarithm of the keys, for each damaged place; `MAX_FAILURES` bounds it where nothing can be read.
        """
        key = self._keys[0]
        sql = f"{self._select} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"
        waiting = [(1, self._highest(damaged, key))]
        failures = 0
        while waiting and failures < MAX_FAILURES:
            low, high = waiting.pop()
            try:
                found = damaged.execute(sql, (low, high)).fetchall()
            except _UNREADABLE:
                failures += 1
                self.complete = False
                if low < high:
                    middle = (low + high) // 2
                    waiting += [(middle + 1, high), (low, middle)]
                continue
            yield from found

    def _highest(self, damaged: apsw.Connection, key: str) -> int:
        """Return the highest key that may exist; the table itself may be unreadable at its end."""
        highest = 0
        for sql in (
            f"SELECT max({key}) FROM {self._table}",
            f"SELECT max(seq) FROM sqlite_sequence WHERE name = '{self._table}'",
        ):
            try:
                highest = max(highest, damaged.execute(sql).get or 0)
            except _UNREADABLE:
                self.complete = False
        return highest

    def _from_ends(self, damaged: apsw.Connection) -> Iterator[Row]:
        """Read from the front until damage, then from the back until damage."""
        for direction in ("", " DESC"):
            order = ", ".join(key + direction for key in self._keys)
            try:
                yield from damaged.execute(f"{self._select} ORDER BY {order}")
            except _UNREADABLE:  # the very first row may be the damaged one
                self.complete = False
                continue
            return


def _rows_on_sight(image: Path, table: str, *, numbered: bool, width: int) -> Iterator[Row]:
    """Yield the rows of a table, which have numbers or not and so many columns, wherever in the file they lie."""
    with open(image, "rb") as file, closing(mmap(file.fileno(), 0, access=ACCESS_READ)) as content:
        pages = PageFile(content, checksums=opening.checksums_available())
        for page in range(1, len(pages) + 1):
            for number, values in pages.rows(page):
                if (number is not None) == numbered and len(values) == width:
                    row = (number, *values[1:]) if numbered else tuple(values)
                    # A row of two ids and nothing else is of other tables than the states.
                    if _as_written(table, row) and not (table == "states" and all(map(_ID.fullmatch, row))):
                        yield row


# ── what follows from the rest ───────────────────────────────────────────────

_PUT_RIGHT: tuple[LiteralString, ...] = (
    "DELETE FROM vectors WHERE record NOT IN (SELECT ref FROM records) OR model NOT IN (SELECT ref FROM models)",
    "INSERT INTO unembedded SELECT ref FROM records WHERE ref NOT IN (SELECT record FROM vectors)",
    # Indexes elsewhere cannot know what the damage took: they start anew.
    """UPDATE counters SET value = (SELECT ifnull(max(revision), 0) + 1 FROM vectors)
       WHERE name IN ('vector_revision', 'vector_floor')""",
)


def _make_derived(copy: apsw.Connection, scope: Scope) -> None:
    """Make indexes and other derived tables anew from the rows that were saved.

    They are not copied: a row that is missing there or too many would go unnoticed for ever, and all of it follows from
    the records.
    """
    terms = TermsOfTalks()
    for row in copy.execute(f"SELECT {ENTRY_COLUMNS} FROM entries ORDER BY seq"):
        terms.hear(entry_of(scope, row))
    for table, index in (("records", "records_text"), ("versions", "versions_text")):
        sql = f"SELECT {RECORD_COLUMNS}, ref, status FROM {table}"
        for row in copy.execute(sql).fetchall():
            record, (ref, status) = record_of(scope, row), row[6:8]
            if status != "forgotten":
                copy.execute(f"INSERT INTO {index} (rowid, terms) VALUES (?, ?)", (ref, terms.of(record)))
            for tag in record.index_tags if table == "records" else ():
                copy.execute("INSERT INTO record_tags VALUES (?, ?)", (tag, ref))
            note_sources(copy, record.id, (source.entry_id for source in record.sources))
    for record_id, body in copy.execute("SELECT record_id, body FROM tombstones").fetchall():
        note_sources(copy, str(record_id), (source["entry_id"] for source in parse(str(body))["sources"]))
    for conflict_id, body in copy.execute("SELECT id, body FROM conflicts").fetchall():
        for claim in parse(str(body))["claims"]:
            copy.execute("INSERT OR IGNORE INTO conflict_records VALUES (?, ?)", (claim["record_id"], conflict_id))
    for statement in _PUT_RIGHT:
        copy.execute(statement)


# ── the note ─────────────────────────────────────────────────────────────────


def _note(copy: apsw.Connection, tables: list[str], image: Path) -> str:
    """Say what was saved and what is lost, without quoting any of it."""
    content = image.read_bytes()
    damaged = sum(not is_sound(content[at : at + PAGE_SIZE]) for at in range(0, len(content), PAGE_SIZE))
    lines = ["What could be read of the damaged database was saved.", ""]
    lines += [f"{table}: {copy.execute(f'SELECT count(*) FROM {table}').get} rows saved" for table in tables]
    gaps = _gaps(copy)
    orphans: Any = copy.execute(
        "SELECT count(DISTINCT entry_id) FROM record_sources WHERE entry_id NOT IN (SELECT id FROM entries)"
    ).get
    histories: Any = copy.execute(
        "SELECT count(*) FROM records r WHERE r.version != 1 + (SELECT count(*) FROM versions v WHERE v.id = r.id)"
    ).get
    lines += [
        "",
        f"pages that are damaged or empty: {damaged}",
        f"places of the journal with no entry: {', '.join(gaps) or 'none'} (entries at the very end may be lost, too)",
        f"entries that records came from, and that are lost: {orphans}",
        f"records that lost earlier versions: {histories}",
        "",
    ]
    return "\n".join(lines)


def _gaps(copy: apsw.Connection) -> list[str]:
    """Return the places of the journal at which no entry was saved, as ranges."""
    gaps, expected = [], 1
    for (seq,) in copy.execute("SELECT seq FROM entries ORDER BY seq"):
        if seq > expected:
            gaps.append(f"{expected}" if seq == expected + 1 else f"{expected}-{seq - 1}")
        expected = seq + 1
    return gaps
