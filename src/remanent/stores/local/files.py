"""The file of sealed cells: mapped into memory, every byte under a checksum, overwritten where something was erased.

A header block, then sections: checksums of the cells, offsets, centres, ids, kinds, and the rows from a page's start
on. The header and the small sections are checked when the file is opened, a cell's rows when they are first looked
at. A file that is not exactly as written is never repaired: everything in it is in the store.
"""

import fcntl
import hashlib
import json
import mmap
import os
import sys
import zlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from remanent.durability import sync_folder
from remanent.stores.local.cells import CellArrays, Cells, Damaged, IdTable, kind_names, middle, recoded
from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUFFIX = ".idx"
_TEMPORARY = ".tmp"
_MAGIC = b"RMNTVEC1"
_BLOCK = 4_096
_ALIGNED = 64
"""A page of memory, with which the rows begin, since mapped files are read page by page; and a line of the processor's
cache, with which all else begins."""
_SMALL = ("offsets", "centres", "names", "kinds")


def model_digest(model: str) -> str:
    """Return what stands for a model's name, which may be long or hold any letter."""
    return hashlib.sha256(model.encode()).hexdigest()


def file_name(model: str) -> str:
    """Return the name of a model's file."""
    return f"vectors-{model_digest(model)[:16]}{_SUFFIX}"


def index_files(folder: Path) -> list[Path]:
    """Return the finished files of a folder."""
    return sorted(folder.glob(f"vectors-*{_SUFFIX}"))


def unfinished_files(folder: Path) -> list[Path]:
    """Return the files that are being written, or that a crash left behind."""
    return sorted(folder.glob(f"vectors-*{_TEMPORARY}"))


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself; as JSON in a block of its own, so that a newer version can tell more."""

    model: str
    """The digest of the model's name."""
    dimension: int
    count: int
    cells: int
    width: int
    """Letters of the longest id, rounded up."""
    revision: int
    trained: int
    checks_check: int = 0
    """The checksum of the cells' checksums."""
    small_check: int = 0
    """The checksum of everything from there to the rows."""
    kinds: tuple[str, ...] = field(default_factory=kind_names)
    """The kinds that the numbers in the file stand for, in the order of the numbers."""

    def sections(self) -> dict[str, tuple[int, int]]:
        """Return where each section begins and how long it is.

        The rows come last and at a border of pages, so that all else can be read and checked without touching them.
        """
        sizes = {
            "checks": 4 * self.cells,
            "offsets": 8 * (self.cells + 1),
            "centres": 4 * self.cells * self.dimension,
            "names": self.count * self.width,
            "kinds": self.count,
        }
        places: dict[str, tuple[int, int]] = {}
        end = _BLOCK
        for name, size in sizes.items():
            places[name] = end, size
            end += -(-size // _ALIGNED) * _ALIGNED
        places["rows"] = -(-end // _BLOCK) * _BLOCK, 4 * self.count * self.dimension
        return places

    def to_bytes(self) -> bytes:
        """Return the header block."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields |= {"byteorder": sys.byteorder}
        body = json.dumps(fields).encode().ljust(_BLOCK - len(_MAGIC) - 4)
        return _MAGIC + zlib.crc32(body).to_bytes(4, "little") + body

    @classmethod
    def read(cls, block: bytes, *, model: str | None = None) -> "Header":
        """Return what a header block says; `Damaged` when it is not ours, not whole or of another model."""
        body = block[len(_MAGIC) + 4 :]
        check = int.from_bytes(block[len(_MAGIC) : len(_MAGIC) + 4], "little")
        if len(block) != _BLOCK or not block.startswith(_MAGIC) or zlib.crc32(body) != check:
            raise Damaged("the header is damaged")
        fields: dict[str, Any] = json.loads(body)
        if fields.pop("byteorder") != sys.byteorder:
            raise Damaged("the file was written by another machine")
        if model is not None and fields["model"] != model_digest(model):
            raise Damaged("the file belongs to another model")
        return cls(**{**fields, "kinds": tuple(fields["kinds"])})


class CellsFile:
    """An open file of sealed cells. Whoever maps it keeps what it maps, even when another file takes its name."""

    def __init__(self, handle: int, header: Header) -> None:
        self._handle = -1  # until it is truly ours to close
        self.header = header
        self._map = mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
        self._handle = handle

    @classmethod
    def open(cls, path: Path, *, model: str | None = None) -> "CellsFile":
        """Open a file and check all of it but the rows; `Damaged` when it is not as written.

        The rows have a checksum for each cell, to be checked when it is read: all of them at once would be the whole
        file.
        """
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            header = Header.read(os.pread(handle, _BLOCK, 0), model=model)
            start, size = header.sections()["rows"]
            if os.fstat(handle).st_size != start + size:
                raise Damaged("the file is cut short or has grown")
            file = cls(handle, header)
        except BaseException:
            os.close(handle)
            raise
        if not file.settled(lambda _: file._is_sound(), 0):
            file.close()
            raise Damaged("the sections are damaged")
        return file

    def _is_sound(self) -> bool:
        header = Header.read(self._map[:_BLOCK])
        return _sums(self._map, header) == (header.checks_check, header.small_check)

    def settled(self, sound: Callable[[int], bool], cell: int) -> bool:
        """Return whether something is sound while nobody erases in the file."""
        fcntl.flock(self._handle, fcntl.LOCK_SH)
        try:
            return sound(cell)
        finally:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def cells(self) -> Cells:
        """Return the mapped vectors."""
        header = self.header
        parts = CellArrays(
            matrix=self._array("rows", np.float32).reshape(-1, header.dimension),
            centres=self._array("centres", np.float32).reshape(-1, header.dimension),
            offsets=self._array("offsets", np.int64),
            names=self._array("names", np.dtype(f"S{header.width}")),
            kinds=recoded(self._array("kinds", np.uint8), self.header.kinds),
            checks=self._array("checks", np.uint32),
        )
        return Cells(parts, revision=header.revision, trained=header.trained, file=self)

    def rows_of(self, ids: Iterable[str]) -> "NDArray[np.int64]":
        """Return the rows of those ids that are in the file."""
        return IdTable(self._array("names", np.dtype(f"S{self.header.width}"))).rows_of(ids)

    def overwrite(self, rows: "NDArray[np.int64]") -> None:
        """Write zeros over rows, durably; `Damaged` when what lies around them was not sound before."""
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        try:
            self._overwrite(rows)
        finally:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def _overwrite(self, rows: "NDArray[np.int64]") -> None:
        """Zero rows, then put right what follows from them: the centre and the checksum of each cell, the header.

        The order does not matter for a crash, since a file that does not check out is dropped as a whole. But a file
        that was unsound before must not get new checksums: they would vouch for the damage.
        """
        places = self.header.sections()
        cells = self.cells()
        width = 4 * self.header.dimension
        touched = cells.cells_at(rows)
        # A new checksum must not bless damage that was there before.
        sound = self._is_sound() and all(cells.is_sound(cell) for cell in touched.tolist())
        for row in rows.tolist():
            os.pwrite(self._handle, bytes(width), places["rows"][0] + row * width)
        for cell in touched.tolist():
            start, end = cells.parts.offsets[cell : cell + 2].tolist()
            rest = cells.parts.matrix[start:end]
            os.pwrite(self._handle, middle(rest).tobytes(), places["centres"][0] + cell * width)
            os.pwrite(self._handle, zlib.crc32(rest.data).to_bytes(4, sys.byteorder), places["checks"][0] + 4 * cell)
        if sound:
            checks_check, small_check = _sums(self._map, self.header)
            header = replace(self.header, checks_check=checks_check, small_check=small_check)
            os.pwrite(self._handle, header.to_bytes(), 0)
        os.fsync(self._handle)
        if not sound:
            raise Damaged("what was to be overwritten is damaged")

    def close(self) -> None:
        """Give up the handle; what is mapped stays readable as long as somebody holds it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        self.close()

    def _section(self, name: str) -> memoryview:
        start, size = self.header.sections()[name]
        return memoryview(self._map)[start : start + size]

    def _array(self, name: str, kind: Any) -> Any:
        return np.frombuffer(self._section(name), dtype=kind)


def examine(path: Path, model: str, sample: int) -> tuple[int, list[str]]:
    """Check every byte of a file, and return its revision and some of its ids; `Damaged` when it is not as written."""
    file = CellsFile.open(path, model=model)
    try:
        cells = file.cells()
        cells.verify()
        count = len(cells.names)
        rows = np.unique(np.linspace(0, count - 1, min(count, sample)).astype(np.int64)) if count else np.arange(0)
        return file.header.revision, cells.names.at(rows)
    finally:
        file.close()


def _sums(mapped: mmap.mmap, header: Header) -> tuple[int, int]:
    """Return the checksums of all that lies between the header and the rows."""
    places = header.sections()
    whole = memoryview(mapped)
    small, rows = places[_SMALL[0]][0], places["rows"][0]
    return zlib.crc32(whole[_BLOCK:small]), zlib.crc32(whole[small:rows])


class CellsWriter:
    """Writes a file of cells under a temporary name; only a whole and durable file gets its real one."""

    def __init__(self, path: Path, *, token: str) -> None:
        self._path = path
        self._temporary = path.with_name(f"{path.name}.{token}{_TEMPORARY}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._handle = os.open(self._temporary, flags, 0o600)
        self._place = 0
        self._checks: list[int] = []

    def begin(self, header: Header) -> None:
        """Say what will be written: nothing but the checksums may change later."""
        start, size = header.sections()["rows"]
        os.truncate(self._handle, start + size)
        self._header = header
        self._place = start

    def write(self, rows: "NDArray[np.float32]") -> None:
        """Write the rows of the next cell."""
        self._put(self._place, np.ascontiguousarray(rows).data.cast("B") if len(rows) else memoryview(b""))
        self._place += rows.nbytes
        self._checks.append(zlib.crc32(rows.data))

    def finish(self, parts: CellArrays) -> Cells:
        """Write the other sections, make all durable, and map the file; it has its temporary name still."""
        places = self._header.sections()
        checks = np.array(self._checks, dtype=np.uint32)
        small = [np.ascontiguousarray(getattr(parts, name)) for name in _SMALL]
        for name, section in zip(("checks", *_SMALL), (checks, *small), strict=True):
            self._put(places[name][0], section.view(np.uint8).reshape(-1).data)
        with mmap.mmap(self._handle, 0, access=mmap.ACCESS_READ) as mapped:
            checks_check, small_check = _sums(mapped, self._header)
        header = replace(self._header, checks_check=checks_check, small_check=small_check)
        self._put(0, memoryview(header.to_bytes()))
        os.fsync(self._handle)
        file = CellsFile(self._handle, header)
        self._handle = -1
        cells = file.cells()
        cells.verify()  # also tells whether the disk took what was written
        return cells

    def publish(self) -> None:
        """Give the finished file its name.

        `FileNotFoundError` when somebody has erased vectors meanwhile: then the file is gone, as it must be.
        """
        self._temporary.rename(self._path)
        sync_folder(self._path.parent)

    def abandon(self) -> None:
        """Leave nothing behind but what is published."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        self._temporary.unlink(missing_ok=True)

    def _put(self, place: int, content: memoryview) -> None:
        while content:
            written = os.pwrite(self._handle, content, place)
            content, place = content[written:], place + written


def remove(path: Path) -> None:
    """Remove a file, durably, if it is there."""
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def erase(folder: Path, ids: Iterable[str]) -> None:
    """Leave no byte of these records' vectors in any file of the folder, durably.

    Unfinished files go first: one that is not gone then has its real name and is looked at next. One that is begun
    later was begun after the store's erasure and holds nothing of it.
    """
    ids = list(ids)
    for path in unfinished_files(folder):
        remove(path)
    for path in index_files(folder):
        if not _erased_in_place(path, ids):
            remove(path)


def remove_all(folder: Path, ids: Iterable[str] = ()) -> None:
    """Remove every file of the folder, whatever is in it."""
    del ids
    for path in (*unfinished_files(folder), *index_files(folder)):
        remove(path)


def tidy(folder: Path, in_use: Collection[str], stale: float) -> None:
    """Remove finished files whose names are not in use, and unfinished ones last written before a time."""
    for path in index_files(folder):
        if path.name not in in_use:
            remove(path)
    for path in unfinished_files(folder):
        try:
            left_behind = path.stat().st_mtime < stale
        except FileNotFoundError:
            continue
        if left_behind:
            remove(path)


def _erased_in_place(path: Path, ids: list[str]) -> bool:
    """Overwrite rows in a file; return whether it is still of use."""
    try:
        file = CellsFile.open(path)
    except FileNotFoundError:
        return True
    except (Damaged, OSError):
        return False
    try:
        rows = file.rows_of(ids)
        if len(rows) > file.header.count // 10:
            return False  # a new file is cheaper than so many holes
        if len(rows):
            file.overwrite(rows)
    except (Damaged, OSError):
        return False
    finally:
        file.close()
    return True
