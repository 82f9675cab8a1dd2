"""A listener that stores an agent's steps as journal entries, for those who run a `ReactAgent` without a bank."""

from collections.abc import Awaitable, Callable, Sequence

from remanent.agents.tools import AgentStep, File
from remanent.model import Attachment, Clock, Entry, NewId, Scope
from remanent.stores.blobs import Blobs

Append = Callable[[Sequence[Entry]], Awaitable[None]]
"""Appends entries; on return they are as durable as the place that they are appended to."""


class EntryJournal:
    """Stores each step as one entry, and its files as blobs that the entry refers to by digest."""

    def __init__(
        self,
        append: Append,
        *,
        scope: Scope,
        clock: Clock,
        new_id: NewId,
        blobs: Blobs | None = None,
    ) -> None:
        self._append = append
        self._scope = scope
        self._clock = clock
        self._new_id = new_id
        self._blobs = blobs
        self.entries: list[Entry] = []
        """What was stored through this listener, in order."""

    async def __call__(self, step: AgentStep) -> None:
        """Store a step; the files come first, so that no entry refers to a blob that is not there."""
        attachments = [await self._kept(file) for file in step.files] if self._blobs is not None else []
        now = self._clock()
        entry = Entry(
            id=self._new_id(),
            scope=self._scope,
            kind=step.kind,
            role=step.role,
            text=step.text,
            occurred_at=now,
            recorded_at=now,
            metadata=step.metadata,
            attachments=tuple(attachments),
            origin=step.origin,
        )
        await self._append([entry])
        self.entries.append(entry)

    async def _kept(self, file: File) -> Attachment:
        assert self._blobs is not None
        digest = await self._blobs.put(self._scope, file.content)
        return Attachment(
            attachment_id=self._new_id(),
            media_type=file.media_type,
            name=file.name,
            digest=digest,
            size=len(file.content),
        )
