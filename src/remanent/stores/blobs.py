"""Raw files, kept by their content hash: the port, the adapter on a folder, and attachments on top of either.

A file is named by its SHA-256, so that the same picture is kept once, a name never collides, and damage shows whenever
it is read.
"""

import asyncio
import fcntl
import hashlib
import os
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from remanent.durability import NO_ROOM, make_folder, sync_file, sync_folder
from remanent.errors import IntegrityError, InvalidInput, NotFound, StorageError, StorageFull
from remanent.model import Attachment, Scope


class Blobs(ABC):
    """Keeps bytes under their SHA-256, per agent; what is read is what was written or an error."""

    @abstractmethod
    async def put(self, scope: Scope, content: bytes) -> str:
        """Keep the bytes durably and return their digest; keeping the same bytes again is free."""

    @abstractmethod
    async def get(self, scope: Scope, digest: str) -> bytes:
        """Return the bytes; `NotFound` when there are none, `IntegrityError` when they are damaged."""

    @abstractmethod
    async def delete(self, scope: Scope, digest: str) -> None:
        """Remove the bytes if they are there."""

    async def sweep(self, scope: Scope) -> int:
        """Remove what writers that were killed left half written; return how many files it was."""
        del self, scope
        return 0

    async def check(self, scope: Scope) -> tuple[str, ...]:
        """Read everything that is kept, and return which files are not as they were put; change nothing."""
        problems = []
        for digest in await self.digests(scope):
            try:
                await self.get(scope, digest)
            except NotFound:
                continue  # removed meanwhile
            except StorageError as error:
                problems.append(str(error))
        return tuple(problems)

    @abstractmethod
    async def digests(self, scope: Scope) -> list[str]:
        """Return the digests of all that is kept, sorted."""


_URI = "blob:"
"""Begins the URI of a file that is kept by its digest."""


class AttachmentStore:
    """The permanent storage of files in one scope; what was added here can be taken away again.

    A file is put before the entry that refers to it is committed. If that commit fails, nobody refers to the file: so
    it remembers which files it added, and leaves alone those that were there before.
    """

    def __init__(self, blobs: Blobs, scope: Scope) -> None:
        self._blobs = blobs
        self._scope = scope
        self._brought: set[str] = set()

    async def put(self, content: bytes, *, attachment_id: str, name: str, media_type: str) -> Attachment:
        """Keep a file for good and return the reference to it."""
        digest = hashlib.sha256(content).hexdigest()
        if not await self._holds(digest):
            await self._blobs.put(self._scope, content)
            self._brought.add(digest)
        return Attachment(
            attachment_id=attachment_id,
            media_type=media_type,
            name=name,
            digest=digest,
            uri=f"{_URI}{digest}",
            size=len(content),
        )

    async def get(self, attachment: Attachment) -> bytes:
        """Return the bytes of a kept file; `NotFound`, `IntegrityError` or `StorageError` when that is not possible."""
        if attachment.digest is None:
            raise NotFound(f"it is stored elsewhere, at {attachment.uri or 'an unknown place'}, not here")
        return await self._blobs.get(self._scope, attachment.digest)

    def brought(self, attachments: Sequence[Attachment]) -> list[str]:
        """Return the digests of those files that were not here before they were brought."""
        return [item.digest for item in attachments if item.digest is not None and item.digest in self._brought]

    async def clear(self, also: Iterable[str] = ()) -> None:
        """Remove what was brought here, and what an earlier process brought, by these digests."""
        for digest in self._brought | set(also):
            await self._blobs.delete(self._scope, digest)
        self._brought.clear()

    async def _holds(self, digest: str) -> bool:
        """Tell whether a file is here and whole; one that was damaged is written again rather than trusted."""
        try:
            await self._blobs.get(self._scope, digest)
        except (NotFound, StorageError):
            return False
        return True


_FOLDER = "blobs"
_PART = ".part"
"""Ends the name of a file that is still being written."""
DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class FileBlobs(Blobs):
    """Keeps each file as `<agent folder>/blobs/ab/abcdef…`; the work is done on threads, off the event loop."""

    def __init__(self, directory_of: Callable[[Scope], Path]) -> None:
        self._directory_of = directory_of

    async def put(self, scope: Scope, content: bytes) -> str:
        """Keep the bytes durably and return their digest; keeping the same bytes again is free."""
        return await asyncio.to_thread(_put, self._folder(scope), bytes(content))

    async def get(self, scope: Scope, digest: str) -> bytes:
        """Return the bytes; `NotFound` when there are none, `IntegrityError` when they are damaged."""
        return await asyncio.to_thread(_get, self._folder(scope) / place_of(digest))

    async def delete(self, scope: Scope, digest: str) -> None:
        """Remove the bytes if they are there, and what an interrupted writing of them left behind."""
        await asyncio.to_thread(_delete, self._folder(scope) / place_of(digest))

    async def sweep(self, scope: Scope) -> int:
        """Remove half-written files that no living process is writing."""
        return await asyncio.to_thread(_sweep, self._folder(scope))

    async def digests(self, scope: Scope) -> list[str]:
        """Return the digests of all that is kept, sorted."""
        return await asyncio.to_thread(_digests, self._folder(scope))

    def _folder(self, scope: Scope) -> Path:
        """Return where an agent's files lie; a link is refused, or erasing would reach into another's folder."""
        folder = self._directory_of(scope.owner) / _FOLDER
        if folder.is_symlink():
            raise StorageError(f"{folder} is a link; files are kept in the agent's own folder only")
        return folder


@contextmanager
def _storage_errors(doing: str) -> Iterator[None]:
    """Translate what the operating system says into our errors, the cause kept."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull(f"no space left while {doing}; free some space and try again") from error
        raise StorageError(f"{doing} failed: {error.strerror or error}; check the disk and its permissions") from error


def place_of(digest: object) -> str:
    """Return where the bytes of a digest lie among an agent's; nothing but a digest ever becomes part of a path."""
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise InvalidInput("a digest must be 64 lower-case hexadecimal digits, as put() returns it")
    return f"{digest[:2]}/{digest}"


def verified(content: bytes, digest: str) -> bytes:
    """Return the bytes only if they still have the digest they are named by."""
    if hashlib.sha256(content).hexdigest() != digest:
        raise IntegrityError(f"the file with the digest {digest} is damaged; store it again from its origin")
    return content


def _put(folder: Path, content: bytes) -> str:
    """Write the file unless it is there whole, and make its name durable in any case."""
    digest = hashlib.sha256(content).hexdigest()
    path = folder / place_of(digest)
    with _storage_errors("keeping a file"):
        make_folder(path.parent)
        if not _holds(path, content):
            _write(path, content)
        # Also when the file was there: whoever wrote it may not have come this far.
        sync_folder(path.parent)
    return digest


def _get(path: Path) -> bytes:
    """Return the bytes only if they still have the digest they are named by."""
    with _storage_errors("reading a file"):
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"no file with the digest {path.name} is stored here") from error
    return verified(content, path.name)


def _delete(path: Path) -> None:
    """Remove a file and every unfinished writing of it: half a file holds words, too."""
    with _storage_errors("removing a file"):
        if not path.parent.is_dir():
            return
        path.unlink(missing_ok=True)
        for part in path.parent.glob(f"{path.name}.*{_PART}"):
            part.unlink(missing_ok=True)
        sync_folder(path.parent)


def _digests(folder: Path) -> list[str]:
    with _storage_errors("listing files"):
        return sorted(path.name for path in folder.glob("??/*") if DIGEST.fullmatch(path.name))


def _holds(path: Path, content: bytes) -> bool:
    """Tell whether a file holds just these bytes already."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except FileNotFoundError:
        return False


def _sweep(folder: Path) -> int:
    """Remove unfinished files whose writer is dead: the kernel drops a lock together with its process."""
    removed = 0
    for part in folder.glob(f"??/*{_PART}"):
        with suppress(OSError):  # finished, or another process sweeps, too
            descriptor = os.open(part, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
                removed += 1
            finally:
                os.close(descriptor)
    return removed


def _begin(path: Path) -> tuple[Path, int]:
    """Make a file to write to, locked as long as its process lives, so that nobody sweeps it away."""
    while True:
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}{_PART}")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return part, descriptor
        os.close(descriptor)  # it was swept away between its making and its locking


def _write(path: Path, content: bytes) -> None:
    """Write under a temporary name first, so that a reader never meets half a file under the real one."""
    part, descriptor = _begin(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            sync_file(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
