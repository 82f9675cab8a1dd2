"""Reads rows straight from the pages of a database file, for when the tree above them is damaged.

Only pages whose checksum is right are read. What was deleted is not found: deleting overwrites with zeros.
"""

import struct
from collections.abc import Iterator
from mmap import mmap
from typing import Any

import apsw

from remanent.stores.sqlite.wal import running_sums

PAGE_SIZE = 4096
_RESERVED = 8
_CHUNK = 1 << 20
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 13, 10, 2
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def file_chunks(path: str) -> Iterator[bytes]:
    """Yield the bytes of a database file, a mebibyte at a time.

    They are read through the engine: closing a plain handle would drop every lock that this process has on the file.
    """
    engine = next(name for name in apsw.vfs_names() if name in {"unix", "win32"})
    file = apsw.VFSFile(engine, path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size = file.xFileSize()
        for offset in range(0, size, _CHUNK):
            yield file.xRead(min(_CHUNK, size - offset), offset)
    finally:
        file.xClose()


def seal(page: bytes) -> bytes:
    """Return a page with its checksum put right."""
    content = page[: PAGE_SIZE - _RESERVED]
    return content + struct.pack("<2I", *running_sums(content))


def is_sound(page: bytes) -> bool:
    """Return whether a page is as it was written; one of zeros never was."""
    return len(page) == PAGE_SIZE and any(page) and seal(page) == page


class PageFile:
    """The pages of a database file, and the rows on them."""

    def __init__(self, content: "bytes | mmap", *, checksums: bool = True) -> None:
        self._content = content
        self._checksums = checksums
        self._usable = PAGE_SIZE - (_RESERVED if checksums else 0)

    def __len__(self) -> int:
        """Return how many whole pages there are."""
        return len(self._content) // PAGE_SIZE

    def page(self, number: int) -> bytes:
        """Return a page, counted from 1; `ValueError` when it is not sound."""
        page = self._content[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        if len(page) < PAGE_SIZE or (self._checksums and not is_sound(page)):
            raise ValueError(f"page {number} is damaged")
        return page

    def rows(self, number: int) -> Iterator[tuple[int | None, list[Any]]]:
        """Yield the rows on a page, each with its number if it is of a table that has numbers."""
        try:
            page = self.page(number)
        except ValueError:
            return
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in {_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER}:
            return
        first = start + (12 if kind == _INDEX_INNER else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for cell in range(count):
            place = int.from_bytes(page[first + 2 * cell : first + 2 * cell + 2], "big")
            try:
                yield self._row(page, place + (4 if kind == _INDEX_INNER else 0), kind)
            except (ValueError, IndexError, struct.error):
                continue  # its overflow is damaged

    def _row(self, page: bytes, place: int, kind: int) -> tuple[int | None, list[Any]]:
        length, place = _varint(page, place)
        number: int | None = None
        if kind == _TABLE_LEAF:
            number, place = _varint(page, place)
        return number, _values(self._payload(page, place, length, kind))

    def _payload(self, page: bytes, place: int, length: int, kind: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return page[place : place + length]
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        parts = [page[place : place + local]]
        missing = length - local
        following = int.from_bytes(page[place + local : place + local + 4], "big")
        while missing > 0:
            overflow = self.page(following)
            parts.append(overflow[4 : min(usable, 4 + missing)])
            missing -= usable - 4
            following = int.from_bytes(overflow[:4], "big")
        return b"".join(parts)


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = content[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | content[place + 8], place + 9


def _values(payload: bytes) -> list[Any]:
    head, place = _varint(payload, 0)
    values: list[Any] = []
    body = head
    while place < head:
        kind, place = _varint(payload, place)
        value, body = _value(payload, kind, body)
        values.append(value)
    if body != len(payload):
        raise ValueError("a row has not the length that it says")
    return values


def _value(payload: bytes, kind: int, place: int) -> tuple[Any, int]:
    if kind == 0:
        return None, place
    if kind in {8, 9}:
        return kind - 8, place
    if kind in _INTEGER_BYTES:
        end = place + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place:end], "big", signed=True), end
    if kind == 7:
        return struct.unpack(">d", payload[place : place + 8])[0], place + 8
    end = place + (kind - 12) // 2
    content = payload[place:end]
    return (content.decode() if kind % 2 else content), end
