"""Files that come in parts: what has arrived stays under the SHA-256 of the whole until the rest has come.

A part that was cut off by a lost connection is kept as far as it came, so that sending goes on from there, in another
tab or after a day as well. Nothing of it is a document, or is found by anybody, before the whole is there and has the
digest that was named.
"""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple, ParamSpec, TypeVar

from remanent.durability import NO_ROOM
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
"""On the shelf; no organisation can have this name."""
KEPT_SECONDS = 24 * 3600.0
"""After a day without a further part, what arrived is thrown away; chosen by hand."""
MAX_UNFINISHED_BYTES = 10 * MAX_FILE_BYTES
"""Of one organisation at once: ten of the largest files. Nobody fills the disk with what they never finish."""

PART_BYTES = 4 * 2**20
"""Of one document; chosen by hand."""

P = ParamSpec("P")
T = TypeVar("T")


class PartialUploads:
    """The unfinished uploads of all agents; whoever has the same shelf goes on with them, on whichever server.

    Each part is a document. All of an organisation lie in one folder, named
    `<agent>-<digest>-<offset>-<length>-<seconds>`: names alone tell how much is here and how old it is.
    """

    def __init__(self, shelf: Shelf, *, clock: Callable[[], float] = time.time) -> None:
        self._shelf = shelf
        self._clock = clock

    async def received(self, scope: Scope, digest: str) -> int:
        """Return how many bytes of a file are here."""
        return sum(part.length for part in await _done(self._parts, scope, digest))

    async def append(self, scope: Scope, digest: str, pieces: AsyncIterator[bytes], *, offset: int) -> int:
        """Write what comes behind what is here, and return how many bytes that makes.

        What came before an error, or before the connection was lost, stays.
        """
        await _done(self._make_room, scope)
        name = f"{_folder(scope)}/{_key(scope, digest)}"
        if await _done(self._shelf.is_held, f"{name}.lock"):
            raise StoreBusy("this file is already being uploaded; wait until that has finished")
        held = await _done(self._shelf.hold, f"{name}.lock")
        # One time for all parts: what is written once more, because sending ended in the middle of it, has one name.
        waiting, seconds = bytearray(), int(self._clock())
        try:
            size = await self.received(scope, digest)
            if offset != size:
                raise VersionConflict(f"{size} bytes of this file have arrived; continue from there")

            def keep() -> int:
                if waiting:
                    self._shelf.write(f"{name}-{size}-{len(waiting)}-{seconds}.json", bytes(waiting))
                return size + len(waiting)

            try:
                async for piece in pieces:
                    _check_size(size + len(waiting) + len(piece))
                    waiting += piece
                    if len(waiting) >= PART_BYTES:
                        size = await _done(keep)
                        waiting.clear()
            finally:
                size = await _done(keep)
        finally:
            await asyncio.to_thread(held.release)
        return size

    async def take(self, scope: Scope, digest: str) -> bytes:
        """Return a whole file; one whose bytes do not have the digest is thrown away."""
        try:
            content = await asyncio.to_thread(self._read, scope, digest)
        except OSError as error:
            raise StorageError(f"what was sent cannot be read: {error.strerror}") from error
        if content is None:
            raise InvalidInput("nothing was sent under this digest; send the file first")
        if await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest()) != digest:
            await self.discard(scope, digest)
            raise InvalidInput("what was sent does not match this digest; send the file again from the beginning")
        return content

    async def discard(self, scope: Scope, digest: str) -> None:
        """Throw away what arrived of a file."""
        for part in await _done(self._parts, scope, digest):
            await _done(self._shelf.remove, part.name)

    async def discard_all(self, scope: Scope) -> None:
        """Throw away everything that arrived for an agent and is not finished."""
        await self.discard(scope, "")

    def _read(self, scope: Scope, digest: str) -> bytes | None:
        """Return the bytes that arrived, in order."""
        parts = self._parts(scope, digest)
        return b"".join(self._shelf.read(part.name) or b"" for part in parts) if parts else None

    def _parts(self, scope: Scope, digest: str) -> "list[_UploadPart]":
        """Return the parts of a file in their order, or of all files of an agent."""
        begins = _key(scope, digest)
        found = [part for part in self._all(scope) if part.name.rpartition("/")[2].startswith(begins)]
        return sorted(found, key=lambda part: part.offset)

    def _all(self, scope: Scope) -> "list[_UploadPart]":
        names = self._shelf.names(_folder(scope))
        return [_UploadPart(name, *map(int, name.removesuffix(".json").split("-")[-3:])) for name in names]

    def _make_room(self, scope: Scope) -> None:
        """Drop what was left unfinished for long, and refuse more than one organisation may leave unfinished."""
        newest: dict[str, int] = {}
        parts = self._all(scope)
        for part in parts:
            newest[part.file] = max(part.seconds, newest.get(part.file, 0))
        stale = [part for part in parts if newest[part.file] < self._clock() - KEPT_SECONDS]
        for part in stale:
            self._shelf.remove(part.name)
        if sum(part.length for part in parts) - sum(part.length for part in stale) >= MAX_UNFINISHED_BYTES:
            raise QueueFull("too many uploads are unfinished; finish them, or wait a day")


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


def _folder(scope: Scope) -> str:
    return f"{FOLDER}/{hashlib.sha256(scope.org.encode()).hexdigest()[:32]}"


def _check_size(size: int) -> None:
    """Refuse a file as soon as it is larger than any that is read."""
    if size > MAX_FILE_BYTES:
        message = f"the file is larger than the limit of {MAX_FILE_BYTES} bytes; split it"
        raise UnreadableFile(message, reason="too_large")


async def read_file(pieces: AsyncIterator[bytes]) -> bytes:
    """Return a whole file as it comes, and refuse it as soon as it is too large."""
    content = bytearray()
    async for piece in pieces:
        content += piece
        _check_size(len(content))
    return bytes(content)


async def _done(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do something on the shelf, on another thread; a full disk becomes an error that says so."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull("no space left for this file; free some space and continue") from error
        raise StorageError(
            f"the file cannot be stored: {error.strerror}; check the disk and its permissions"
        ) from error
