"""The port of raw files, kept by their content hash."""

from abc import ABC, abstractmethod

from remanent.errors import NotFound, StorageError
from remanent.model import Scope


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
