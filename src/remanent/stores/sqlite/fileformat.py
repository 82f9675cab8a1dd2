"""The files of SQLite read without its engine: the write-ahead log, the pages, and copies that can be opened again.

First of all it proves from the bytes of a database and its log that durable data was damaged, before SQLite opens them.

SQLite takes the first frame of the log that does not check out as the end of the log. After a crash that is right: the
tail was never durable. But when a bit flips in the middle, everything behind it vanishes without a word, and closing
the database then deletes the log. A tear can be told from damage, because with `synchronous=FULL` a transaction's first
frame is written only after the transaction before it is on the disk:

- a frame that continues a commit frame proves that everything up to that commit frame was durable;
- the shared-memory index names the frames that were durable when it was last written, and goes before the log does;
- frames are written only behind a durable log header;
- a page behind the end of the database file must be in the log.

Each of these holds after any power cut, so what breaks them is damage. Looking changes nothing.

The second half serves repair and erasure. `PageFile` reads rows straight from pages, for when the tree above them is
damaged; only pages whose checksum is right are read, and what was deleted is not found, because deleting overwrites
with zeros. `images_of` lends copies of a damaged database with its log worked in, fit to be opened by the engine.
"""

import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from remanent.errors import IntegrityError
from remanent.lightweight import dataclass
from remanent.stores.sqlite import connection as opening

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The write-ahead log and its index, as https://sqlite.org/walformat.html describes them: the headers of the file and of
# a frame, the magic number, whose last bit tells the byte order of checksums, and the versions that can be read.
_HEADER = struct.Struct(">8I")
_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_MAGIC = 0x377F0682
_VERSION = 3007000
_INDEX_HEADER = struct.Struct("=IIIBBHIIIIIIII")
_INDEX_VERSION = 3007000
_FRAMES_AT_ONCE = 512
_SECTOR = 512
"""The least that a disk writes at once: less is never torn."""


@dataclass(frozen=True, slots=True)
class LogIndex:
    """What the shared-memory index says was durable."""

    salts: tuple[int, int]
    frames: int
    copied: int
    """Frames that a checkpoint has copied into the database."""


@dataclass(frozen=True, slots=True)
class WriteAheadLog:
    """What a write-ahead log holds."""

    recoverable: int = 0
    """Frames that SQLite will recover: up to the last commit before the first frame that does not check out."""
    database_pages: int = 0
    """Size of the database after the last of them; 0 when there is none."""
    pages: frozenset[int] = frozenset()
    """The pages they hold."""
    damage: str = ""
    """Why durable frames must have been damaged; empty when nothing proves it."""


@dataclass(frozen=True, slots=True)
class _Header:
    byte_order: str
    page_size: int
    salts: tuple[int, int]
    checksum: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Frames:
    page: "NDArray[np.uint32]"
    commit: "NDArray[np.uint32]"
    ours: "NDArray[np.bool_]"
    """Written in this round of the log."""
    follows: "NDArray[np.bool_]"
    """Whole, and written as the continuation of the frame before it."""
    header_is_whole: "NDArray[np.bool_]"
    """Checked, or so small a piece of the disk that it was written as one: what the header says was written by us."""


def read_index(shared: bytes) -> LogIndex | None:
    """Return what the bytes of a `-shm` file vouch for, or nothing when they do not check out."""
    size = _INDEX_HEADER.size
    if len(shared) < 2 * size + 4 or shared[:size] != shared[size : 2 * size]:
        return None
    version, _, _, ready, _, _, frames, _, _, _, salt1, salt2, sum1, sum2 = _INDEX_HEADER.unpack_from(shared)
    if version != _INDEX_VERSION or not ready:
        return None
    if _checksum(shared[: size - 8], (0, 0), sys.byteorder) != (sum1, sum2):
        return None
    # The salts are kept as they stand in the log, which is big-endian; the rest is native.
    salts = struct.unpack(">2I", struct.pack("=2I", salt1, salt2))
    copied = int.from_bytes(shared[2 * size : 2 * size + 4], sys.byteorder)
    return LogIndex((salts[0], salts[1]), frames, copied)


def examine(log: bytes, *, index: LogIndex | None = None) -> WriteAheadLog:
    """Return what a write-ahead log holds, and whether durable frames of it were damaged."""
    if len(log) <= _HEADER_BYTES:
        lost = max(0, index.frames - index.copied) if index is not None else 0
        return WriteAheadLog(damage=f"the write-ahead log with {lost} frames is gone" if lost else "")
    header = _read_header(log)
    if header is None:
        return WriteAheadLog(damage="the header of the write-ahead log is damaged")
    frames = _read_frames(log, header)
    whole = next(iter((~frames.follows).nonzero()[0].tolist()), len(frames.follows))
    commits = [int(place) + 1 for place in frames.commit[:whole].nonzero()[0]]
    recoverable = commits[-1] if commits else 0
    damage = ""
    if _continued_commit_after(whole, frames):
        damage = f"frame {whole + 1} of the write-ahead log is damaged, and whole transactions follow it"
    elif index is not None and index.salts == header.salts and index.frames > recoverable:
        damage = f"the write-ahead log is damaged: {recoverable} frames of {index.frames} can be recovered"
    return WriteAheadLog(
        recoverable=recoverable,
        database_pages=int(frames.commit[recoverable - 1]) if recoverable else 0,
        pages=frozenset(int(page) for page in frames.page[:recoverable]),
        damage=damage,
    )


def readable_frames(log: bytes) -> list[tuple[int, bytes]]:
    """Return page numbers and contents of all frames that check out, behind damage too, up to the last commit."""
    if len(log) < _HEADER_BYTES + _FRAME_HEADER_BYTES:
        return []
    # What a damaged header must have said; only the first frame cannot be checked against it.
    salts = struct.unpack_from(">2I", log, _HEADER_BYTES + 8)
    header = _read_header(log) or _Header("little", PAGE_SIZE, (salts[0], salts[1]), (0, 0))
    frames = _read_frames(log, header)
    commits = (frames.follows & (frames.commit != 0)).nonzero()[0]
    last = int(commits[-1]) + 1 if len(commits) else 0
    stride = _FRAME_HEADER_BYTES + header.page_size
    starts = {place: _HEADER_BYTES + place * stride + _FRAME_HEADER_BYTES for place in range(last)}
    return [
        (int(frames.page[place]), log[start : start + header.page_size])
        for place, start in starts.items()
        if frames.follows[place]
    ]


def running_sums(content: bytes) -> tuple[int, int]:
    """Return the sums that the log's frames and the checksums of pages are made of, over little-endian words."""
    import numpy as np

    of_words, _ = _factors(len(content) // 8)
    sums = np.frombuffer(content, "<u4").astype(np.uint32) @ of_words
    return int(sums[0]), int(sums[1])


def missing_pages(head: bytes, *, size: int, log: WriteAheadLog) -> int:
    """Return how many pages lie in neither the database file (its first 100 bytes, its size) nor the log."""
    if len(head) < 100:
        return 1
    page_size = int.from_bytes(head[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    if page_size < 512:
        return 1
    wanted = log.database_pages
    if not wanted and head[24:28] == head[92:96]:  # else the count in the header is of an old writer, and not valid
        wanted = int.from_bytes(head[28:32], "big")
    present = size // page_size
    return max(0, wanted - present) - sum(present < page <= wanted for page in log.pages)


def check_before_open(database: Path) -> None:
    """Raise `IntegrityError` when the files of a database prove that durable data was damaged.

    Call it only while this process has no connection to the database: closing any handle on the `-shm` or the database
    file drops the locks of every connection of the process. A live writer in another process is no harm: what looks
    damaged is read again, and only what stays so counts.
    """
    damage = _damage(database)
    for _ in range(3):
        if not damage:
            return
        damage, before = _damage(database), damage
        if damage == before:
            break
    if damage:
        raise IntegrityError(
            f"{database.name} is damaged: {damage}; nothing was changed, "
            "run `remanent doctor --repair` to save what is readable"
        )


def _damage(database: Path) -> str:
    """Return what proves that durable data was damaged; empty when nothing does."""
    index = read_index(_read(_beside(database, "-shm"), limit=2 * _INDEX_HEADER.size + 4))
    log_bytes = _read(_beside(database, "-wal"))
    if not database.exists():
        return "the database file is missing, its write-ahead log is there" if log_bytes else ""
    log = examine(log_bytes, index=index)
    if log.damage:
        return log.damage
    # The size is asked for after the log was read: a checkpoint by another process only adds to the file.
    head = _read(database, limit=100)
    missing = missing_pages(head, size=database.stat().st_size, log=log)
    if missing:
        return f"the file is too short, at least {missing} of its pages are gone"
    return ""


def _beside(database: Path, suffix: str) -> Path:
    return database.with_name(database.name + suffix)


def _read(path: Path, *, limit: int = -1) -> bytes:
    """Return the first bytes of a file, none if it is not there."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return b""


def _read_header(log: bytes) -> _Header | None:
    """Return what the header of a log says, or nothing when its checksum is wrong."""
    magic, version, page_size, _, salt1, salt2, sum1, sum2 = _HEADER.unpack_from(log)
    if magic & ~1 != _MAGIC or version != _VERSION:
        return None
    if page_size < 512 or page_size > 65536 or page_size & (page_size - 1):
        return None
    byte_order = "big" if magic & 1 else "little"
    if _checksum(log[: _HEADER_BYTES - 8], (0, 0), byte_order) != (sum1, sum2):
        return None
    return _Header(byte_order, page_size, (salt1, salt2), (sum1, sum2))


def _checksum(content: bytes, start: tuple[int, int], byte_order: str) -> tuple[int, int]:
    """Return SQLite's running checksum over 8-byte steps."""
    first, second = start
    words = struct.unpack(f"{'>' if byte_order == 'big' else '<'}{len(content) // 4}I", content)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second


def _read_frames(log: bytes, header: _Header) -> _Frames:
    """Return the headers of all frames, and which of them check out as continuing the one before."""
    import numpy as np

    stride = _FRAME_HEADER_BYTES + header.page_size
    count = (len(log) - _HEADER_BYTES) // stride
    raw = np.frombuffer(log, np.uint8, count * stride, _HEADER_BYTES).reshape(count, stride)
    fields = np.ascontiguousarray(raw[:, :_FRAME_HEADER_BYTES]).view(">u4").astype(np.uint32)
    ours = (fields[:, 2] == header.salts[0]) & (fields[:, 3] == header.salts[1])
    stored = fields[:, 4:6]
    before = np.vstack([np.array([header.checksum], np.uint32), stored[:-1]]) if count else stored
    follows = ours & (_continue_checksums(raw, before, header) == stored).all(axis=1)
    places = _HEADER_BYTES + stride * np.arange(count)
    in_one_sector = places % _SECTOR <= _SECTOR - _FRAME_HEADER_BYTES
    return _Frames(fields[:, 0], fields[:, 1], ours, follows, follows | (ours & in_one_sector))


def _continue_checksums(
    raw: "NDArray[np.uint8]", before: "NDArray[np.uint32]", header: _Header
) -> "NDArray[np.uint32]":
    """Return for every frame the checksum it must carry, given the one that the frame before it carries.

    One step is linear in the sums and the words, so a frame's checksum is one product with constant factors; that
    makes it fast enough to check a whole log whenever a database is opened.
    """
    import numpy as np

    of_words, of_start = _factors((8 + header.page_size) // 8)
    word = ">u4" if header.byte_order == "big" else "<u4"
    result = np.empty_like(before)
    for start in range(0, len(raw), _FRAMES_AT_ONCE):
        block = raw[start : start + _FRAMES_AT_ONCE]
        content = np.concatenate([block[:, :8], block[:, _FRAME_HEADER_BYTES:]], axis=1)
        words = content.view(word).astype(np.uint32)
        result[start : start + len(block)] = words @ of_words + before[start : start + len(block)] @ of_start
    return result


@cache
def _factors(steps: int) -> tuple["NDArray[np.uint32]", "NDArray[np.uint32]"]:
    """Return by what every word, and the sums at the start, count in the sums after so many steps (modulo 2**32)."""
    import numpy as np

    of_words = np.empty((2 * steps, 2), np.uint32)
    # How (first, second) after the remaining steps depend on (first, second) now.
    a, b, c, d = 1, 0, 0, 1
    for step in range(steps - 1, -1, -1):
        of_words[2 * step] = ((a + b) & 0xFFFFFFFF, (c + d) & 0xFFFFFFFF)
        of_words[2 * step + 1] = (b, d)
        # One step earlier: first' = first + second + word, second' = first' + second + word.
        a, b, c, d = (a + b) & 0xFFFFFFFF, (a + 2 * b) & 0xFFFFFFFF, (c + d) & 0xFFFFFFFF, (c + 2 * d) & 0xFFFFFFFF
    return of_words, np.array([[a, c], [b, d]], np.uint32)


def _continued_commit_after(whole: int, frames: _Frames) -> bool:
    """Return whether a transaction was begun behind a commit frame that lies behind the first bad frame or is it.

    On a disk that does not overwrite safely, SQLite repeats a commit frame up to the end of the sector, in the same
    write: a repetition begins nothing.
    """
    import numpy as np

    commits = np.flatnonzero(frames.header_is_whole[whole:-1] & (frames.commit[whole:-1] != 0)) + whole
    return any(
        frames.follows[place + 1]
        and (frames.page[place + 1], frames.commit[place + 1]) != (frames.page[place], frames.commit[place])
        for place in commits
    )


# Pages, as https://sqlite.org/fileformat2.html describes them: the last eight bytes hold the checksum of the page, and
# the first byte says which sort of tree it belongs to.
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
        """Return a row at a place of a page, with its number if the table has numbers."""
        length, place = _varint(page, place)
        number: int | None = None
        if kind == _TABLE_LEAF:
            number, place = _varint(page, place)
        return number, _values(self._payload(page, place, length, kind))

    def _payload(self, page: bytes, place: int, length: int, kind: int) -> bytes:
        """Return the whole content of a row, with what did not fit on its page gathered from overflow pages.

        How much stays on the page follows the formula of the file format (section 1.6 there).
        """
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
    """Return a variable-length integer of SQLite and the place behind it: seven bits a byte, eight in the ninth."""
    value = 0
    for step in range(8):
        byte = content[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | content[place + 8], place + 9


def _values(payload: bytes) -> list[Any]:
    """Return the columns of a row: a header of type codes, then the values one after the other."""
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
    """Return one value by its type code, and the place behind it."""
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


FOLDER_PREFIX = ".repair-"


@contextmanager
def images_of(path: Path, *, fresh: Path) -> Iterator[list[Path]]:
    """Lend copies with the log worked in: as new as can be, then, if the log is damaged, as new as is consistent."""
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=FOLDER_PREFIX))
    try:
        log_path = path.with_name(f"{path.name}-wal")
        log = log_path.read_bytes() if log_path.exists() else b""
        whole = examine(log)
        images = [folder / "newest.db"]
        with open(images[0], "wb") as copy:
            copy.writelines(file_chunks(str(path)) if path.exists() else ())
        if whole.damage:
            images.append(folder / "consistent.db")
            shutil.copyfile(images[0], images[1])
        frames = readable_frames(log)
        if opening.checksums_available():  # pages get their checksum on the way from the log into the file
            frames = [(page, seal(content)) for page, content in frames]
        _work_in(images[0], frames)
        for image in images[1:]:
            _work_in(image, frames[: whole.recoverable])
        for image in images:
            _make_openable(image, fresh)
        yield images
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _work_in(image: Path, frames: Iterable[tuple[int, bytes]]) -> None:
    """Write the pages of a log's frames into an image of the database."""
    with open(image, "rb+") as file:
        for page, content in frames:
            file.seek((page - 1) * PAGE_SIZE)
            file.write(content)


def _make_openable(image: Path, fresh: Path) -> None:
    """Stretch the copy to whole pages, and put a fresh first page where the old one is damaged.

    The first page says where the tables begin, which is the same in every file that was made by the same steps.
    """
    with open(fresh, "rb") as file:
        first_page = file.read(PAGE_SIZE)
    with open(image, "rb+") as file:
        size = file.seek(0, os.SEEK_END)
        pages = -(-size // PAGE_SIZE)
        file.seek(0)
        head = file.read(PAGE_SIZE)
        if first_page[20]:  # bytes of every page are kept for its checksum
            if is_sound(head):
                pages = max(pages, int.from_bytes(head[28:32], "big"))
            else:
                head = first_page
            # As many pages as there are, and no list of free ones.
            head = seal(head[:28] + pages.to_bytes(4, "big") + bytes(8) + head[40:92] + head[24:28] + head[96:])
            file.seek(0)
            file.write(head)
        file.truncate(max(1, pages) * PAGE_SIZE)
