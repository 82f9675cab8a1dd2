"""Erasure: texts, vectors and everything derived go from the tables, then from slack, log and backups.

Slack is the space between and before the rows of a page. Deleting overwrites a row where it stands (`secure_delete`).
But when the engine splits or joins pages it moves rows, and leaves their old bytes behind in what is then free space: a
row that was moved once and deleted later may live on there. So every erasure notes what the rows said (`Traces`), looks
for it in the slack of the whole file, and rewrites the tables in whose pages it is found.
"""

import json
import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import apsw

from remanent.durability import sync_file, sync_folder
from remanent.errors import StoreBusy
from remanent.model import Scope
from remanent.stores.queries import Erased, Erasure
from remanent.stores.rows import RECORD_COLUMNS, USER_OF_ENTRY, digests_of, dump, erasing_note, parse, record_of
from remanent.stores.search_terms import search_terms
from remanent.stores.sqlite.fileformat import FOLDER_PREFIX, PAGE_SIZE, file_chunks
from remanent.stores.sqlite.reads import scrubs_due
from remanent.stores.sqlite.writes import UnitOfWork
from remanent.stores.store import ERASED_MEANWHILE, ERASING, erased_mark, sent_mark

if TYPE_CHECKING:
    from numpy.typing import NDArray

# ── traces in slack ──────────────────────────────────────────────────────────

_WINDOW, _STEP = 12, 4
"""A piece of 15 bytes of anything long holds one of these windows."""
_LONG_KEY, _SHORT_KEY = 8, 4
"""Bytes by which pieces are looked up first: as wide as numpy compares at once, for windows and for ends of terms."""
_NO_TEXT = re.compile(r"[A-Za-z0-9_-]{1,64}|\d{4}-\d\d-\d\dT[0-9:.]+Z")
"""Ids and moments: they stand in many places, and tell nothing."""
_AT_ONCE = 1 << 20
"""Bytes of slack that are searched together."""
_TREE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}


class Traces:
    """What must not be left anywhere: pieces of the erased texts and vectors by which their remains are recognised.

    Every fourth window of twelve bytes is kept, so that any remaining piece of fifteen bytes is found. Shorter remains
    of a text tell nothing that the alphabet does not; search terms are shorter and are looked for by their ends.
    """

    def __init__(self) -> None:
        self._windows: set[bytes] = set()
        self._ends: set[bytes] = set()

    def add_bytes(self, content: bytes) -> None:
        """Add a long value."""
        self._windows.update(content[start : start + _WINDOW] for start in range(0, len(content) - _WINDOW + 1, _STEP))

    def add_text(self, text: str) -> None:
        """Add a text as it stands in a row, be it alone or inside JSON."""
        self.add_bytes(text.encode())
        quoted = json.dumps(text, ensure_ascii=False)[1:-1]
        if quoted != text:
            self.add_bytes(quoted.encode())

    def add_json(self, text: str | None) -> None:
        """Add every text inside a JSON value."""
        for part in _texts_in(parse(text)) if text else ():
            self.add_text(part)

    def add_terms(self, terms: Iterable[str]) -> None:
        """Add search terms; the index shortens the beginnings they share, so their second halves will do."""
        for term in terms:
            content = term.encode()
            if len(content) >= _SHORT_KEY:
                self._ends.add(content[-max(_SHORT_KEY, -(-len(content) // 2)) :])

    def pages(self, connection: apsw.Connection) -> list[int]:
        """Return the pages of the database file whose slack holds any of it; the log must have been moved in."""
        if not (self._windows or self._ends):
            return []
        windows, ends = _Finder(self._windows, _LONG_KEY), _Finder(self._ends, _SHORT_KEY)
        found: set[int] = set()
        for content, pages in _batches(_slack_of_file(connection.filename)):
            for place in (*windows.places(content), *ends.places(content)):
                found.add(next(page for start, page in reversed(pages) if start <= place))
        return sorted(found)


def _texts_in(value: Any) -> Iterator[str]:
    """Yield every text inside a JSON value, keys included, that could quote somebody."""
    if isinstance(value, str):
        if not _NO_TEXT.fullmatch(value):
            yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts_in(key)
            yield from _texts_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts_in(part)


class _Finder:
    """Finds any of many pieces by their first bytes."""

    def __init__(self, pieces: set[bytes], key: int) -> None:
        import numpy as np

        self._key = key
        self._pieces: dict[bytes, list[bytes]] = defaultdict(list)
        for piece in pieces:
            self._pieces[piece[:key]].append(piece)
        self._keys: NDArray[np.unsignedinteger[Any]] = np.sort(np.frombuffer(b"".join(self._pieces), f"<u{key}"))

    def places(self, content: bytes) -> Iterator[int]:
        """Yield where a piece stands."""
        import numpy as np

        for shift in range(self._key):
            count = (len(content) - shift) // self._key
            if count <= 0 or not len(self._keys):
                continue
            values = np.frombuffer(content, f"<u{self._key}", count, shift)
            nearest = self._keys[np.searchsorted(self._keys, values).clip(max=len(self._keys) - 1)]
            for number in np.flatnonzero(nearest == values):
                place = int(number) * self._key + shift
                if any(content.startswith(piece, place) for piece in self._pieces[content[place : place + self._key]]):
                    yield place


def _slack_of_file(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield page numbers with their slack, where it is not all zeros."""
    number = 0
    for chunk in file_chunks(path):
        for start in range(0, len(chunk) - PAGE_SIZE + 1, PAGE_SIZE):
            number += 1
            slack = _slack(chunk[start : start + PAGE_SIZE], 100 if number == 1 else 0)
            if slack.strip(b"\0"):
                yield number, slack


def _slack(page: bytes, start: int) -> bytes:
    """Return what lies on a page outside of its rows: the gap before the first cell, and the freed blocks."""
    header = _TREE_HEADERS.get(page[start])
    if header is None:
        return b""  # an overflow page or a free one, which is overwritten as a whole
    cells = int.from_bytes(page[start + 3 : start + 5], "big")
    parts = [page[start + header + 2 * cells : int.from_bytes(page[start + 5 : start + 7], "big")]]
    free = int.from_bytes(page[start + 1 : start + 3], "big")
    while 0 < free < PAGE_SIZE - 4 and len(parts) < PAGE_SIZE:
        parts.append(page[free + 4 : free + int.from_bytes(page[free + 2 : free + 4], "big")])
        free = int.from_bytes(page[free : free + 2], "big")
    return b"\0".join(parts)


def _batches(slack: Iterator[tuple[int, bytes]]) -> Iterator[tuple[bytes, list[tuple[int, int]]]]:
    """Yield slack of many pages together, with where each page's begins."""
    parts: list[bytes] = []
    pages: list[tuple[int, int]] = []
    size = 0
    for number, content in slack:
        pages.append((size, number))
        parts += [content, bytes(_WINDOW)]
        size += len(content) + _WINDOW
        if size > _AT_ONCE:
            yield b"".join(parts), pages
            parts, pages, size = [], [], 0
    if parts:
        yield b"".join(parts), pages


# ── clearing slack ───────────────────────────────────────────────────────────

_OF_TEXT_INDEXES = tuple(
    f"{index}_{part}" for index in ("records_text", "versions_text") for part in ("content", "data", "docsize", "idx")
)
WITH_TEXT = (
    "conflicts", "entries", "entry_metadata", "jobs", "record_tags", "records", "states", "tombstones", "vectors",
    "versions", *_OF_TEXT_INDEXES,
)  # fmt: skip
"""Every table that can hold a text or a vector."""


def tables_of(connection: apsw.Connection, pages: list[int]) -> list[str]:
    """Return the tables, by themselves or their indexes, that pages belong to which still hold what was erased."""
    sql = """
        SELECT DISTINCT s.tbl_name FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
        WHERE d.pageno IN (SELECT value FROM json_each(?)) AND s.tbl_name NOT LIKE 'sqlite_%'
    """
    return [str(row[0]) for row in connection.execute(sql, (json.dumps(pages),))]


def rewrite(connection: apsw.Connection, tables: Iterable[str]) -> None:
    """Write tables and their indexes to other pages; those they leave are overwritten.

    The transaction is a writing one from the start: a reading one cannot become that once another process has written.
    Whoever calls rolls it back if it fails.
    """
    connection.execute("BEGIN IMMEDIATE")
    for table in tables:
        columns = list(connection.execute(f"PRAGMA table_info({table})"))
        names = ", ".join(column[1] for column in columns)
        keys = ", ".join(column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5])
        connection.execute(f"CREATE TABLE rewriting AS SELECT {names} FROM {table}")
        connection.execute(f"DELETE FROM {table}")
        connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM rewriting ORDER BY {keys}")
        connection.execute("DROP TABLE rewriting")
    connection.execute("COMMIT")


# ── rows ─────────────────────────────────────────────────────────────────────

_NO_END = 2**62
"""Behind every place of a journal."""
_ANYTHING_LATER = "SELECT EXISTS (SELECT 1 FROM entries WHERE seq > ?)"
_ENTRIES_UP_TO: LiteralString = "SELECT id FROM entries WHERE {meant} AND seq <= ?2"
_RECORDS_UP_TO: LiteralString = """
SELECT id FROM records WHERE {meant} AND NOT EXISTS (
    SELECT 1 FROM record_sources s JOIN entries e ON e.id = s.entry_id WHERE s.record_id = records.id AND e.seq > ?2
)
"""

_BEGIN_SCRUB = "INSERT INTO counters VALUES ('scrub_due', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
_END_SCRUB = "DELETE FROM counters WHERE name = 'scrub_due'"
_MAX_REWRITES = 3
"""Rounds of looking and rewriting: a rewrite may itself leave a moved row behind. Chosen by hand."""
_MAX_TERMS = 20_000
"""Terms that are looked up one by one; chosen by hand, some tenths of a second."""
_COUNT_A_SCRUB = """
INSERT INTO counters VALUES ('scrubs', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
"""

# Above every revision that was ever given out, so that no index of another process takes itself for current.
_BEYOND_ALL_VECTORS = """
UPDATE counters SET value = (SELECT value + 1 FROM counters WHERE name = 'vector_revision')
WHERE name NOT GLOB 'graph:*' AND name != 'revision'
"""

_AMONG: LiteralString = "IN (SELECT value FROM json_each(?))"
_WHOSE = f"""
SELECT id, caller_id, {USER_OF_ENTRY}, session FROM entries WHERE id {_AMONG} AND NOT erased ORDER BY id
"""
# Everything that can quote what is erased: these are read before the rows go, to know what to look for in slack.
_TEXTS_OF_ENTRIES = f"SELECT text, metadata, attachments FROM entries WHERE id {_AMONG}"
_BODIES_OF_RECORDS: tuple[LiteralString, ...] = (
    f"SELECT body FROM records WHERE id {_AMONG}",
    f"SELECT body FROM versions WHERE id {_AMONG}",
    f"SELECT body FROM tombstones WHERE record_id {_AMONG}",
    f"SELECT body FROM conflicts WHERE id IN (SELECT conflict_id FROM conflict_records WHERE record_id {_AMONG})",
)
_TERMS_OF_RECORDS: tuple[LiteralString, ...] = (
    f"SELECT t.terms FROM records_text t JOIN records r ON r.ref = t.rowid WHERE r.id {_AMONG}",
    f"SELECT t.terms FROM versions_text t JOIN versions v ON v.ref = t.rowid WHERE v.id {_AMONG}",
)
_VECTORS_OF_RECORDS: LiteralString = f"SELECT data FROM vectors WHERE record_id {_AMONG}"

# A reply is indexed under words of what it replies to as well. Within 512 places: a session that was left for longer
# than that is hardly continued by a reply; chosen by hand.
_REPLY_TO = """
SELECT later.id FROM entries said
JOIN entries later ON later.seq BETWEEN said.seq + 1 AND said.seq + 512 AND later.session IS said.session
WHERE said.id = ? AND later.text != '' ORDER BY later.seq LIMIT 1
"""

# Only the name of each job's error is kept: its message may quote what was just erased. Whoever works on one has read
# the words already, and may yet end with an error that quotes them.
_BLUR_ERRORS = """
UPDATE jobs SET error = CASE WHEN state = 'running' THEN ? ELSE substr(error, 1, instr(error || ':', ':') - 1) END
WHERE error != '' OR state = 'running'
"""

_TABLES = (
    "entries", "records", "records_text", "versions", "versions_text", "record_tags", "record_sources", "tombstones",
    "links", "conflicts", "conflict_records", "vectors", "vector_removals", "unembedded", "models", "states", "jobs",
    "entry_metadata",
)  # fmt: skip


def erase_rows(connection: apsw.Connection, scope: Scope, erasure: Erasure) -> tuple[Erased, Traces | None]:
    """Remove the rows inside the transaction that is under way; return also what to look for where it went before.

    Without traces anything may be left anywhere: after erasing everything, or after an erasure that was cut short.
    """
    if erasure.everything and not connection.execute(_ANYTHING_LATER, (_end(erasure),)).get:
        erased = _erase_everything(connection)
        if erasure.keeps_note:
            _note(connection, {"everything": True, "digests": list(erased.digests)})
        UnitOfWork(connection).revise()
        connection.execute(_BEGIN_SCRUB)
        return erased, None
    cut_short = bool(scrubs_due(connection))
    connection.execute(_BEGIN_SCRUB)
    entry_ids, record_ids = _reach(connection, erasure)
    traces, terms = _traces(connection, dump(entry_ids), dump(record_ids))
    # The turns that follow at once may be found by words of what they reply to.
    replies = {connection.execute(_REPLY_TO, (entry_id,)).get for entry_id in entry_ids} - {None}
    before = _digests(connection)
    unit = UnitOfWork(connection)
    unit.revise()
    for record_id in record_ids:
        _erase_record(connection, unit, record_id)
    unit.revise_graphs()
    stubs = dump(entry_ids)
    whose: list[Any] = connection.execute(_WHOSE, (stubs,)).fetchall()
    connection.executemany(
        "UPDATE entries SET text = '', metadata = NULL, attachments = NULL, erased = ?, crc = 0 WHERE id = ?",
        [(erased_mark(caller_id, user), entry_id) for entry_id, caller_id, user, _ in whose],
    )
    connection.execute(f"DELETE FROM record_sources WHERE entry_id {_AMONG}", (stubs,))
    for record_id in replies.difference(record_ids):
        _index_anew(connection, scope, record_id)
    connection.execute(_BLUR_ERRORS, (ERASED_MEANWHILE,))
    traces.add_terms(_found_nowhere(connection, terms))
    went = tuple(row[0] for row in whose)
    erased = Erased(went, tuple(record_ids), tuple(sorted(before - _digests(connection))))
    if erasure.keeps_note:
        sent = [sent_mark(session, caller_id, user) for _, caller_id, user, session in whose]
        _note(connection, {"entries": entry_ids, "records": record_ids, "digests": list(erased.digests), "sent": sent})
    return erased, None if cut_short else traces


def _note(connection: apsw.Connection, went: dict[str, Any]) -> None:
    """Add ids of what goes with this transaction to those of erasures before it that did not come to their end."""
    kept = connection.execute("SELECT value FROM states WHERE key = ?", (ERASING,)).get
    connection.execute("INSERT OR REPLACE INTO states VALUES (?, ?)", (ERASING, erasing_note(kept, went)))


def _traces(connection: apsw.Connection, entry_ids: str, record_ids: str) -> tuple[Traces, set[str]]:
    """Return what the rows say that are about to go, and the terms under which they are found."""
    traces, terms = Traces(), set[str]()
    for text, metadata, attachments in connection.execute(_TEXTS_OF_ENTRIES, (entry_ids,)):
        traces.add_text(text)
        traces.add_json(metadata)
        traces.add_json(attachments)
    for sql in _BODIES_OF_RECORDS:
        for (body,) in connection.execute(sql, (record_ids,)):
            traces.add_json(body)
    for sql in _TERMS_OF_RECORDS:
        for (text,) in connection.execute(sql, (record_ids,)):
            terms.update(text.split())
    for (data,) in connection.execute(_VECTORS_OF_RECORDS, (record_ids,)):
        traces.add_bytes(data)
    return traces, terms


def _found_nowhere(connection: apsw.Connection, terms: set[str]) -> set[str]:
    """Return those of the terms that nothing is found by any more: they were in what was erased, and only there."""
    if len(terms) > _MAX_TERMS:
        return terms  # looking each up would take longer than clearing too much
    sql = "SELECT 1 FROM {0} WHERE {0} MATCH ? LIMIT 1"
    quoted = {term: '"' + term.replace('"', '""') + '"' for term in terms}
    return {
        term
        for term, query in quoted.items()
        if all(
            connection.execute(sql.format(index), (query,)).get is None for index in ("records_text", "versions_text")
        )
    }


def _reach(connection: apsw.Connection, erasure: Erasure) -> tuple[list[str], list[str]]:
    """Return the entries to erase, and every record of which any version came from one of them."""
    named = dump(erasure.record_ids)
    entries = _ids(connection, f"SELECT id FROM entries WHERE id {_AMONG}", dump(erasure.entry_ids))
    entries |= _ids(connection, f"SELECT entry_id FROM record_sources WHERE record_id {_AMONG}", named)
    records = _ids(connection, f"SELECT id FROM records WHERE id {_AMONG}", named)
    records |= _ids(connection, f"SELECT record_id FROM tombstones WHERE record_id {_AMONG}", named)
    if erasure.everything or erasure.session is not None:
        meant: LiteralString = "?1 IS NOT NULL" if erasure.everything else "session = ?1"
        bounds = ("" if erasure.everything else erasure.session, _end(erasure))
        entries |= _ids(connection, _ENTRIES_UP_TO.format(meant=meant), *bounds)
        records |= _ids(connection, _RECORDS_UP_TO.format(meant=meant), *bounds)
    records |= _ids(connection, f"SELECT record_id FROM record_sources WHERE entry_id {_AMONG}", dump(sorted(entries)))
    return sorted(entries), sorted(records)


def _ids(connection: apsw.Connection, sql: str, *values: Any) -> set[str]:
    return {row[0] for row in connection.execute(sql, values)}


def _end(erasure: Erasure) -> int:
    return _NO_END if erasure.up_to is None else erasure.up_to


def _index_anew(connection: apsw.Connection, scope: Scope, record_id: str) -> None:
    """Let a record and its versions be found by their own words alone."""
    for table, index in (("records", "records_text"), ("versions", "versions_text")):
        sql = f"SELECT {RECORD_COLUMNS}, ref FROM {table} WHERE id = ? AND ref IN (SELECT rowid FROM {index})"
        for row in connection.execute(sql, (record_id,)).fetchall():
            connection.execute(f"DELETE FROM {index} WHERE rowid = ?", (row[6],))
            terms = search_terms(record_of(scope, row))
            connection.execute(f"INSERT INTO {index} (rowid, terms) VALUES (?, ?)", (row[6], terms))


def _erase_record(connection: apsw.Connection, unit: UnitOfWork, record_id: str) -> None:
    """Remove a record with links from and to it, and the conflicts that quote it."""
    unit.remove(record_id)
    connection.execute("DELETE FROM links WHERE to_id = ?", (record_id,))
    of_record = "SELECT conflict_id FROM conflict_records WHERE record_id = ?"
    for (conflict_id,) in connection.execute(of_record, (record_id,)).fetchall():
        connection.execute("DELETE FROM conflicts WHERE id = ?", (conflict_id,))
        connection.execute("DELETE FROM conflict_records WHERE conflict_id = ?", (conflict_id,))


def _erase_everything(connection: apsw.Connection) -> Erased:
    """Empty every table; revisions rise, so that no index or cache takes itself for current."""
    entry_ids = tuple(row[0] for row in connection.execute("SELECT id FROM entries WHERE NOT erased ORDER BY seq"))
    record_ids = tuple(row[0] for row in connection.execute("SELECT id FROM records ORDER BY ref"))
    digests = tuple(sorted(_digests(connection)))
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")
    # Indexes in other processes start anew: everything before this revision is unknown to them.
    connection.execute(_BEYOND_ALL_VECTORS)
    connection.execute("UPDATE counters SET value = value + 1 WHERE name GLOB 'graph:*'")
    return Erased(entry_ids, record_ids, digests)


def _digests(connection: apsw.Connection) -> set[str]:
    sql = "SELECT attachments FROM entries WHERE attachments IS NOT NULL"
    return {digest for (text,) in connection.execute(sql) for digest in digests_of(text)}


def scrub(connection: apsw.Connection, traces: Traces | None, *, timeout: float) -> None:
    """Take what was erased out of the slack of pages and out of the log; without traces, clear all slack.

    The log is moved into the file first, because slack is searched in the file. A counter says that a scrub is due
    until it has ended: after a crash in between, the next erasure clears all slack, since nobody knows the traces any
    more.
    """
    deadline = time.monotonic() + timeout
    if traces is None:
        rewrite(connection, WITH_TEXT)
    else:
        for _ in range(_MAX_REWRITES):
            _wait(lambda: _move_log(connection), deadline)
            pages = traces.pages(connection)
            if not pages:
                break
            rewrite(connection, tables_of(connection, pages))
    _scrub_log(connection, deadline)
    connection.execute(_END_SCRUB)
    # Whole tables were looked through; their pages would stay in memory, those with what is erased among them.
    connection.execute("PRAGMA shrink_memory")


def _wait(done: Callable[[], bool], deadline: float) -> None:
    """Wait until something is so; after the deadline say that the rows are gone and only the log is left to cut."""
    while not done():
        if time.monotonic() > deadline:
            raise StoreBusy("the rows are erased, but a reader keeps the log from being cut; erase again to finish")
        time.sleep(0.01)


def _move_log(connection: apsw.Connection) -> bool:
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(RESTART)").get
    return not busy


def _scrub_log(connection: apsw.Connection, deadline: float) -> None:
    """Move the log into the file and begin it anew, so that no old page image is left in it.

    It is never cut to nothing: an empty log beside an index that speaks of frames is the sign of a log that was lost.
    """
    limit: int = connection.pragma("journal_size_limit")
    connection.pragma("journal_size_limit", 0)  # the engine cuts what lies behind the first commit of a log begun anew
    try:
        _wait(lambda: _begin_log_anew(connection), deadline)
    finally:
        connection.pragma("journal_size_limit", limit)
    # The engine cuts the log without syncing that, and a power cut could bring the old pages back.
    with open(connection.filename_wal, "rb+") as log:
        sync_file(log.fileno())


def _begin_log_anew(connection: apsw.Connection) -> bool:
    """Return whether nothing older than a commit of our own is left in the log."""
    if not _move_log(connection):
        return False
    connection.execute(_COUNT_A_SCRUB)
    busy, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").get
    end = 32 + frames * (24 + connection.pragma("page_size"))
    # Longer when another process was first to begin the log anew: it did not cut the rest.
    return not busy and os.stat(connection.filename_wal).st_size <= end


def remove_backups(database: Path) -> int:
    """Remove every other copy of the file, because it holds what was erased; return how many there were."""
    # Backups, those that a crash left unfinished, copies that a repair made, and what a killed repair worked on.
    patterns = (
        f"{database.name}.backup-*",
        f".{database.name}.backup-*",
        f"{database.stem}.repaired-*",
        f"{FOLDER_PREFIX}*",
        "vectors-*.idx*",  # vectors had files beside the database before there was a release
    )
    copies = [copy for pattern in patterns for copy in database.parent.glob(pattern)]
    for copy in copies:
        if copy.is_dir():
            shutil.rmtree(copy)
        else:
            copy.unlink(missing_ok=True)
    if copies:
        sync_folder(database.parent)  # else a power cut could bring them back
    return len(copies)
