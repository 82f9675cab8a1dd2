"""Files that a memory keeps for good: by their digest, with what they are called and where they lie."""

import hashlib
from collections.abc import Iterable, Sequence

from remanent.errors import NotFound, StorageError
from remanent.model import Attachment, Scope
from remanent.stores.blobs import Blobs

URI = "blob:"
"""Begins the URI of a file that is kept by its digest."""


class Kept:
    """The permanent storage of files in one scope; what was brought here can be taken away again."""

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
            uri=f"{URI}{digest}",
            size=len(content),
        )

    async def get(self, attachment: Attachment) -> bytes:
        """Return the bytes of a kept file; `NotFound`, `IntegrityError` or `StorageError` when that is not possible."""
        if attachment.digest is None:
            raise NotFound(f"it lies outside, at {attachment.uri or 'an unknown place'}, and is not kept here")
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
        try:
            await self._blobs.get(self._scope, digest)
        except (NotFound, StorageError):
            return False
        return True
