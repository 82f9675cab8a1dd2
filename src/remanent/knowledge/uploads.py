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
from typing import BinaryIO

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

FOLDER = ".uploads"
"""Under the home folder; no organisation can have this name."""
KEPT_SECONDS = 24 * 3600.0
"""After a day without a further part, what arrived is thrown away; chosen by hand."""
MAX_UNFINISHED_BYTES = 10 * MAX_FILE_BYTES
"""Of one organisation at once: ten of the largest files. Nobody fills the disk with what they never finish."""


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
                check_size(size)
                await asyncio.to_thread(_write, file, piece)
        return size

    async def take(self, scope: Scope, digest: str) -> bytes:
        """Return a whole file; one whose bytes do not have the digest is thrown away."""
        path = self._path(scope, digest)
        try:
            content = await asyncio.to_thread(path.read_bytes)
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
            raise QueueFull("too much is sent and not finished yet; finish it, or wait until a day has passed")


def check_size(size: int) -> None:
    """Refuse a file as soon as it is larger than any that is read."""
    if size > MAX_FILE_BYTES:
        message = f"the file has more than {MAX_FILE_BYTES} bytes, which are read at most; split it"
        raise UnreadableFile(message, reason="too_large")


async def read_file(pieces: AsyncIterator[bytes]) -> bytes:
    """Return a whole file as it comes, and refuse it as soon as it is too large."""
    content = bytearray()
    async for piece in pieces:
        content += piece
        check_size(len(content))
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
    try:
        file.write(piece)
    except OSError as error:
        raise _translated(error) from error


def _translated(error: OSError) -> StorageError:
    if error.errno in NO_ROOM:
        return StorageFull("no room left for this file; free some space and go on")
    return StorageError(f"the file cannot be kept: {error.strerror}; look at the disk and its permissions")
