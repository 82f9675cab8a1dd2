"""Finds traces of what was erased in the slack of pages: the bytes between and before the rows.

Deleting overwrites a row where it stands. But when the engine splits or joins pages it moves rows, and leaves their old
bytes behind in what is then free space; a row that was moved once and deleted later may live on there.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import apsw

from remanent.stores.sqlite.pages import PAGE_SIZE, file_chunks
from remanent.stores.sqlite.rows import parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW, _STEP = 12, 4
"""A piece of 15 bytes of anything long holds one of these windows."""
_LONG_KEY, _SHORT_KEY = 8, 4
_NO_TEXT = re.compile(r"[A-Za-z0-9_-]{1,64}|\d{4}-\d\d-\d\dT[0-9:.]+Z")
"""Ids and moments: they stand in many places, and tell nothing."""
_AT_ONCE = 1 << 20
_TREE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}


class Traces:
    """What must not be left anywhere."""

    def __init__(self) -> None:
        self._windows: set[bytes] = set()
        self._ends: set[bytes] = set()

    def add_bytes(self, content: bytes) -> None:
        """Add something long."""
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
    "conflicts", "entries", "jobs", "record_tags", "records", "states", "tombstones", "vectors", "versions",
    *_OF_TEXT_INDEXES,
)  # fmt: skip
"""Every table that can hold a text or a vector."""


def tables_of(connection: apsw.Connection, pages: list[int]) -> list[str]:
    """Return the tables that pages belong to, as themselves or as one of their indexes."""
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
