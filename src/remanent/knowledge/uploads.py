"""Files that come in parts: what has arrived stays under the SHA-256 of the whole until the rest has come.

A part that was cut off by a lost connection is kept as far as it came, so that sending goes on from there, in another
tab or after a day as well. Nothing of it is a document, or is found by anybody, before the whole is there and has the
digest that was named.
"""

import asyncio
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remanent.durability import NO_ROOM, make_folder
from remanent.errors import (
    InvalidInput,
    QueueFull,
    StorageError,
    StorageFull,
    StoreBusy,
    UnreadableFile,
    VersionConflict,
)
from remanent.knowledge.folders import MAX_FILE_BYTES
from remanent.model import Scope
from remanent.stores.shelf import Shelf

FOLDER = ".uploads"
"""Under the home folder; no organisation can have this name."""
KEPT_SECONDS = 24 * 3600.0
"""After a day without a further part, what arrived is thrown away; chosen by hand."""
MAX_UNFINISHED_BYTES = 10 * MAX_FILE_BYTES
"""Of one organisation at once: ten of the largest files. Nobody fills the disk with what they never finish."""

PART_BYTES = 4 * 2**20
"""Of one document where parts are shared; chosen by hand."""
_TOO_MUCH = "too much is sent and not finished yet; finish it, or wait until a day has passed"


class PartialUploads:
    """The unfinished uploads of all agents, each in a file of its own; any process of a machine goes on with them."""

    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = home / FOLDER
        self._clock = clock

    async def received(self, scope: Scope, digest: str) -> int:
        """Return how many bytes of a file are here."""
        path = self._path(scope, digest)
        return await asyncio.to_thread(lambda: path.stat().st_size if path.is_file() else 0)

    async def append(self, scope: Scope, digest: str, pieces: AsyncIterator[bytes], *, offset: int) -> int:
        """Write what comes behind what is here, and return how many bytes that makes.

        What came before an error, or before the connection was lost, stays.
        """
        path = self._path(scope, digest)
        await asyncio.to_thread(self._make_room, scope)
        with _appending(path) as file:
            size = file.tell()
            if offset != size:
                raise VersionConflict(f"{size} bytes of this file are here; send it from there on")
            async for piece in pieces:
                size += len(piece)
                _check_size(size)
                await asyncio.to_thread(_write, file, piece)
        return size

    async def take(self, scope: Scope, digest: str) -> bytes:
        """Return a whole file; one whose bytes do not have the digest is thrown away."""
        try:
            content = await asyncio.to_thread(self._read, scope, digest)
        except FileNotFoundError as error:
            raise InvalidInput("nothing was sent under this digest; send the file first") from error
        except OSError as error:
            raise StorageError(f"what was sent cannot be read: {error.strerror}") from error
        if await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest()) != digest:
            await self.discard(scope, digest)
            raise InvalidInput("what was sent does not have this digest; send the file again from its beginning")
        return content

    async def discard(self, scope: Scope, digest: str) -> None:
        """Throw away what arrived of a file."""
        await asyncio.to_thread(self._path(scope, digest).unlink, missing_ok=True)

    async def discard_all(self, scope: Scope) -> None:
        """Throw away everything that arrived for an agent and is not finished."""
        await asyncio.to_thread(shutil.rmtree, self._of_agent(scope), ignore_errors=True)

    def _read(self, scope: Scope, digest: str) -> bytes:
        return self._path(scope, digest).read_bytes()

    def _path(self, scope: Scope, digest: str) -> Path:
        return self._of_agent(scope) / digest

    def _of_agent(self, scope: Scope) -> Path:
        return self._of_org(scope) / scope.workspace / scope.agent

    def _of_org(self, scope: Scope) -> Path:
        return self._folder / scope.org

    def _make_room(self, scope: Scope) -> None:
        """Throw away what nobody goes on with, and refuse more than one organisation may leave unfinished."""
        total = 0
        for path in self._of_org(scope).glob("*/*/*"):
            with suppress(FileNotFoundError):  # finished meanwhile
                state = path.stat()
                if state.st_mtime < self._clock() - KEPT_SECONDS:
                    path.unlink()
                else:
                    total += state.st_size
        if total >= MAX_UNFINISHED_BYTES:
            raise QueueFull(_TOO_MUCH)


class SharedUploads(PartialUploads):
    """Unfinished uploads that any server goes on with: each part is a document of the shelf that they share.

    All of an organisation lie in one folder, named `<agent>-<digest>-<offset>-<length>-<seconds>`: names alone tell how
    much is here and how old it is.
    """

    def __init__(self, shelf: Shelf, *, clock: Callable[[], float] = time.time) -> None:
        self._shelf = shelf
        self._clock = clock

    async def received(self, scope: Scope, digest: str) -> int:
        """Return how many bytes of a file are here."""
        return sum(part.length for part in await asyncio.to_thread(self._parts, scope, digest))

    async def append(self, scope: Scope, digest: str, pieces: AsyncIterator[bytes], *, offset: int) -> int:
        """Write what comes behind what is here; what came before an error, or a lost connection, stays."""
        await asyncio.to_thread(self._make_room, scope)
        name = f"{self._of(scope)}/{_key(scope, digest)}"
        if await asyncio.to_thread(self._shelf.is_held, name):
            raise StoreBusy("another one is sending this very file; wait for that")
        held = await asyncio.to_thread(self._shelf.hold, name)
        waiting = bytearray()
        try:
            size = await self.received(scope, digest)
            if offset != size:
                raise VersionConflict(f"{size} bytes of this file are here; send it from there on")

            def keep() -> int:
                if waiting:
                    self._shelf.write(f"{name}-{size}-{len(waiting)}-{int(self._clock())}.json", bytes(waiting))
                return size + len(waiting)

            try:
                async for piece in pieces:
                    _check_size(size + len(waiting) + len(piece))
                    waiting += piece
                    if len(waiting) >= PART_BYTES:
                        size = await asyncio.to_thread(keep)
                        waiting.clear()
            finally:
                size = await asyncio.to_thread(keep)
        finally:
            await asyncio.to_thread(held.release)
        return size

    async def discard(self, scope: Scope, digest: str) -> None:
        """Throw away what arrived of a file."""
        for part in await asyncio.to_thread(self._parts, scope, digest):
            await asyncio.to_thread(self._shelf.remove, part.name)

    async def discard_all(self, scope: Scope) -> None:
        """Throw away everything that arrived for an agent and is not finished."""
        await self.discard(scope, "")

    def _read(self, scope: Scope, digest: str) -> bytes:
        """Return the bytes that arrived, in order."""
        parts = self._parts(scope, digest)
        if not parts:
            raise FileNotFoundError
        return b"".join(self._shelf.read(part.name) or b"" for part in parts)

    def _parts(self, scope: Scope, digest: str) -> "list[_UploadPart]":
        """Return the parts of a file in their order, or of all files of an agent."""
        begins = _key(scope, digest)
        found = [part for part in self._all(scope) if part.name.rpartition("/")[2].startswith(begins)]
        return sorted(found, key=lambda part: part.offset)

    def _all(self, scope: Scope) -> "list[_UploadPart]":
        names = self._shelf.names(self._of(scope))
        return [_UploadPart(name, *map(int, name.removesuffix(".json").split("-")[-3:])) for name in names]

    def _of(self, scope: Scope) -> str:
        return f"{FOLDER}/{hashlib.sha256(scope.org.encode()).hexdigest()[:32]}"

    def _make_room(self, scope: Scope) -> None:
        """Drop what was left unfinished for long, and refuse more where what is under way fills the room."""
        newest: dict[str, int] = {}
        parts = self._all(scope)
        for part in parts:
            newest[part.file] = max(part.seconds, newest.get(part.file, 0))
        stale = [part for part in parts if newest[part.file] < self._clock() - KEPT_SECONDS]
        for part in stale:
            self._shelf.remove(part.name)
        if sum(part.length for part in parts) - sum(part.length for part in stale) >= MAX_UNFINISHED_BYTES:
            raise QueueFull(_TOO_MUCH)


class _UploadPart(NamedTuple):
    name: str
    offset: int
    length: int
    seconds: int

    @property
    def file(self) -> str:
        return self.name.rsplit("-", 3)[0]


def _key(scope: Scope, digest: str) -> str:
    agent = f"{scope.workspace}/{scope.agent}"
    return f"{hashlib.sha256(agent.encode()).hexdigest()[:32]}-{digest}"


def open_uploads(home: Path, shelf: Shelf) -> PartialUploads:
    """Return where parts wait: in a folder, or where other servers see them."""
    return SharedUploads(shelf) if shelf.is_shared else PartialUploads(home)


def _check_size(size: int) -> None:
    """Refuse a file as soon as it is larger than any that is read."""
    if size > MAX_FILE_BYTES:
        message = f"the file has more than {MAX_FILE_BYTES} bytes, which are read at most; split it"
        raise UnreadableFile(message, reason="too_large")


async def read_file(pieces: AsyncIterator[bytes]) -> bytes:
    """Return a whole file as it comes, and refuse it as soon as it is too large."""
    content = bytearray()
    async for piece in pieces:
        content += piece
        _check_size(len(content))
    return bytes(content)


@contextmanager
def _appending(path: Path) -> Iterator[BinaryIO]:
    """Open a file at its end, for one writer at a time."""
    try:
        make_folder(path.parent)
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0)
    except OSError as error:
        raise _translated(error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreBusy("another one is sending this very file; wait for that") from error
        yield file


def _write(file: BinaryIO, piece: bytes) -> None:
    """Write a piece; a full disk becomes an error that says so."""
    try:
        file.write(piece)
    except OSError as error:
        raise _translated(error) from error


def _translated(error: OSError) -> StorageError:
    if error.errno in NO_ROOM:
        return StorageFull("no room left for this file; free some space and go on")
    return StorageError(f"the file cannot be kept: {error.strerror}; look at the disk and its permissions")
