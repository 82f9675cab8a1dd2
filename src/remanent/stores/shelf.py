"""What a whole memory keeps that belongs to no agent: keys, the audit log, runs, turns that wait, notes of models.

A `Shelf` holds small documents by name and logs of lines. The embedded one is files under the home folder, with the
names they always had; a database holds both as rows, so that all servers of one database share them. Methods block:
whoever serves requests calls them through `call`, which leaves the event loop where that could take long.
"""

import errno
import fcntl
import hashlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from remanent.durability import make_folder, sync_file, sync_folder, write_durably
from remanent.errors import StorageError, StorageFull, StoreBusy

P = ParamSpec("P")
R = TypeVar("R")

MISSING = (FileNotFoundError, NotADirectoryError)
"""What opening a file raises that is not there: its folder may not be there either, or be a file."""
LOCK_TIMEOUT = 10.0
"""Seconds to wait for another process that writes a log; one write takes milliseconds."""
ROOM = 1 << 20
"""Free bytes below which nothing is begun that could then not be noted: some hundred lines."""
DAMAGED = ".damaged"
"""How the names of documents end that hold what was set aside from a log."""

_PIECE = 1 << 20
"""Bytes of a log that are read at once. Chosen by hand."""


class OpenLog(ABC):
    """A log that is held against other writers; a place is where a line ends, 0 before the first."""

    @property
    @abstractmethod
    def end(self) -> int:
        """The place of the last line."""

    @abstractmethod
    def backwards(self, *, within: int) -> Iterator[tuple[bytes, int]]:
        """Yield whole lines with their places, the last one first, about `within` bytes of them."""

    @abstractmethod
    def put(self, lines: Sequence[bytes], *, place: int) -> None:
        """Write lines behind a place, instead of what stands there, all or nothing; durable when the log is let go."""

    @abstractmethod
    def set_aside(self, place: int, *, name: Callable[[str], str]) -> tuple[str, str]:
        """Keep what stands behind a place under a name made of its hash; return name and hash."""


class Log(ABC):
    """Lines that are only ever added to; several processes may, one after the other."""

    @abstractmethod
    def held(self) -> AbstractContextManager[OpenLog]:
        """Hold the log against other writers; it is made when there is none."""

    @abstractmethod
    def glance(self) -> AbstractContextManager[OpenLog | None]:
        """Look at the log without changing it; `None` where there is none. Raises `StoreBusy` while it is written."""

    @abstractmethod
    def lines(self) -> Iterator[bytes]:
        """Yield all whole lines, oldest first."""

    @abstractmethod
    def state(self) -> tuple[int, ...] | None:
        """Return what differs once anybody has touched the log, or `None` where there is none; the third rises."""

    @abstractmethod
    def require_room(self) -> None:
        """Refuse when another line would not be taken; nothing is changed by asking."""

    @abstractmethod
    def aside(self, name: str) -> str | None:
        """Return the hash of what was set aside under a name, or `None` where it is gone."""


class Hold(ABC):
    """Says that this process is there, until it is let go or the process ends in whatever way."""

    @property
    def is_lost(self) -> bool:
        """Whether nobody can see it any more although this process is there."""
        return False

    @abstractmethod
    def release(self) -> None:
        """Say that it is gone."""


class Shelf(ABC):
    """Documents and logs by name; names are paths, whose folders begin with a dot as no organisation's name does."""

    is_shared: bool
    """Whether servers on other machines see the same."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return a document, or `None` where there is none."""

    @abstractmethod
    def write(self, name: str, content: bytes) -> None:
        """Put a document whole in the place of the one before; on return it survives a crash."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a document, if there is one; on return that survives a crash."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Return whether there is a document of this name."""

    @abstractmethod
    def state(self, name: str) -> Hashable | None:
        """Return what differs once anybody has written the document, or `None` where there is none."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """Return the documents that lie directly in a folder, those written longest ago first."""

    def documents(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Yield the documents of a folder with what they hold, those written longest ago first."""
        for name in self.names(folder):
            content = self.read(name)
            if content is not None:  # else somebody removed it meanwhile
                yield name, content

    @abstractmethod
    def logs(self, folder: str) -> list[str]:
        """Return the logs of a folder, by name."""

    @abstractmethod
    def log(self, name: str) -> Log:
        """Return a log, which need not be there yet."""

    @abstractmethod
    def locked(self, name: str, *, shared: bool = False) -> AbstractContextManager[None]:
        """Keep other processes and threads from taking the same lock, or from taking it alone if it is `shared`."""

    @abstractmethod
    def hold(self, name: str) -> Hold:
        """Say under a name of this process's own that it is there."""

    @abstractmethod
    def is_held(self, name: str) -> bool:
        """Return whether the process that holds a name is still there."""

    @abstractmethod
    async def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call something that reads the shelf, on another thread where that could take long."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is open."""


# ── files ────────────────────────────────────────────────────────────────────


class FolderShelf(Shelf):
    """A folder of this machine, a file for each document and log. What the system refuses is raised as it is."""

    is_shared = False

    def __init__(self, home: Path) -> None:
        self.home = home

    def path(self, name: str) -> Path:
        """Return where a document or log lies."""
        return self.home / name

    def read(self, name: str) -> bytes | None:
        """Return a document, or `None` where there is none."""
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Put a document whole in the place of the one before; on return it survives a power cut."""
        path = self.path(name)
        make_folder(path.parent)
        write_durably(path, content)

    def remove(self, name: str) -> None:
        """Remove a document; a power cut does not bring it back."""
        path = self.path(name)
        with suppress(*MISSING):
            path.unlink()
            sync_folder(path.parent)

    def exists(self, name: str) -> bool:
        """Return whether there is a file, or a link to nowhere; raises where nobody can tell."""
        try:
            os.lstat(f"{self.home}/{name}")  # without a path's own work: it is asked before every request
        except FileNotFoundError:
            return False
        return True

    def state(self, name: str) -> Hashable | None:
        """Return what tells one file from another that takes its place."""
        try:
            found = self.path(name).stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def names(self, folder: str) -> list[str]:
        """Return the documents of a folder, those written longest ago first; one may vanish while others are listed."""
        found = []
        with suppress(*MISSING), os.scandir(self.path(folder)) as files:
            for file in files:
                with suppress(OSError):
                    if file.name.endswith(".json"):
                        found.append((file.stat().st_mtime_ns, f"{folder}/{file.name}"))
        return [name for _, name in sorted(found)]

    def logs(self, folder: str) -> list[str]:
        """Return the logs of a folder, by name, with what was set aside from them; raises where nobody can tell."""
        with suppress(*MISSING), os.scandir(self.path(folder)) as files:
            return sorted(f"{folder}/{file.name}" for file in files if file.name.endswith((".jsonl", DAMAGED)))
        return []

    def log(self, name: str) -> "FileLog":
        """Return a log; it is cheap to make and keeps no file open."""
        return FileLog(self.path(name))

    @contextmanager
    def locked(self, name: str, *, shared: bool = False) -> Iterator[None]:
        """Hold a lock file; the system lets go of it however the process ends."""
        path = self.path(name)
        make_folder(path.parent)
        sync_folder(path.parent.parent)  # somebody else may have made the folder, in a hurry
        with path.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            yield

    def hold(self, name: str) -> Hold:
        """Hold a lock file of this process's own; those beside it of processes that are gone are removed."""
        path = self.path(name)
        make_folder(path.parent)
        for other in path.parent.glob("*.lock"):
            if not self.is_held(f"{name.rpartition('/')[0]}/{other.name}"):
                other.unlink(missing_ok=True)
        return _FileHold(path)

    def is_held(self, name: str) -> bool:
        """Return whether somebody holds the file."""
        try:
            with self.path(name).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    async def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it here: looking at a file takes microseconds, and another thread would take longer."""
        return function(*args, **kwargs)

    def close(self) -> None:
        """Keep nothing open, and so let go of nothing."""


class _FileHold(Hold):
    def __init__(self, path: Path) -> None:
        self._path = path
        while True:
            self._file = path.open("w")
            fcntl.flock(self._file, fcntl.LOCK_EX)
            if os.fstat(self._file.fileno()).st_nlink:
                return
            self._file.close()  # somebody took it for one that was left, between its making and its locking

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        self._file.close()


class FileLog(Log):
    """One file of lines, readable by its owner only; a last line without its end was never acknowledged."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @contextmanager
    def held(self) -> Iterator["OpenLog"]:
        """Open and lock the file, within a bound: a process that hangs must not hang the others."""
        make_folder(self.file.parent)
        handle = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _lock(handle)
            if os.fstat(handle).st_size == 0:
                sync_folder(self.file.parent)
            yield _OpenFile(handle, self.file)
        finally:
            os.close(handle)

    @contextmanager
    def glance(self) -> Iterator["OpenLog | None"]:
        """Open the file for reading."""
        try:
            handle = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except MISSING:
            yield None
            return
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreBusy("somebody is writing the log") from None
            yield _OpenFile(handle, self.file)
        finally:
            os.close(handle)

    def lines(self) -> Iterator[bytes]:
        """Yield the whole lines of the file."""
        try:
            with self.file.open("rb") as file:
                yield from (line for line in file if line.endswith(b"\n"))
        except MISSING:
            return

    def state(self) -> tuple[int, ...] | None:
        """Return what differs once anybody has touched the file."""
        try:
            found = self.file.stat()
        except MISSING:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def require_room(self) -> None:
        """Refuse when the file, or the disk, would not take a line."""
        require_writable(self.file)
        folder = next(folder for folder in self.file.parents if folder.exists())
        state = os.statvfs(folder)
        if state.f_flag & os.ST_RDONLY:
            raise StorageError("the audit log is on a disk that cannot be written to")
        if state.f_bavail * state.f_frsize < ROOM:
            raise StorageFull("no space is left for the audit log")

    def aside(self, name: str) -> str | None:
        """Return the hash of a file that was set aside."""
        try:
            with self.file.with_name(name).open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except (*MISSING, IsADirectoryError):  # no file is the folder itself, where a line names none
            return None


class _OpenFile(OpenLog):
    def __init__(self, handle: int, file: Path) -> None:
        self._handle = handle
        self._file = file

    @property
    def end(self) -> int:
        return os.fstat(self._handle).st_size

    def backwards(self, *, within: int) -> Iterator[tuple[bytes, int]]:
        """Yield whole lines from the end of the file backwards, with where each ends, within so many bytes."""
        size = self.end
        start = max(0, size - within)
        block = os.pread(self._handle, size - start, start)
        ends = block.rfind(b"\n") + 1
        while ends:
            begins = block.rfind(b"\n", 0, ends - 1) + 1
            if begins == 0 and start > 0:
                return  # begins before the block
            yield block[begins:ends], start + ends
            ends = begins

    def put(self, lines: Sequence[bytes], *, place: int) -> None:
        """Write and sync lines, over what a crash left of an unfinished one."""
        content = b"".join(lines)
        try:
            written = 0
            while written < len(content):
                written += os.pwrite(self._handle, content[written:], place + written)
            os.ftruncate(self._handle, place + len(content))
            sync_file(self._handle)
        except OSError:
            os.ftruncate(self._handle, place)  # whoever is told that it was not noted finds it not noted
            raise

    def set_aside(self, place: int, *, name: Callable[[str], str]) -> tuple[str, str]:
        """Copy the file from there on into one of its own; even an empty one, which tells that something was lost."""
        digest = hashlib.sha256()
        unnamed = self._file.with_suffix(".part")
        with unnamed.open("wb") as copy:
            while piece := os.pread(self._handle, _PIECE, place):
                place += len(piece)
                digest.update(piece)
                copy.write(piece)
            copy.flush()
            sync_file(copy.fileno())
        chosen = name(digest.hexdigest())
        unnamed.replace(self._file.with_name(chosen))
        sync_folder(self._file.parent)
        return chosen, digest.hexdigest()


def require_writable(file: Path) -> None:
    """Raise what the system would say to whoever writes a file, which need not be there yet and is not made."""
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CLOEXEC))
    except FileNotFoundError:
        folder = next(folder for folder in file.parents if folder.exists())
        os.close(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder)) from None


def _lock(handle: int) -> None:
    """Lock the file against other processes, within a bound."""
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StoreBusy("another process is using the audit log") from None
            time.sleep(0.002)
        else:
            return


def as_shelf(place: Path | Shelf) -> Shelf:
    """Return a shelf; a folder stands for that of its files."""
    return FolderShelf(place) if isinstance(place, Path) else place
