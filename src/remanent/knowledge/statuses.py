"""What becomes of documents: those being read, those whose chunks wait for their vectors, those that failed.

A file that could not be read leaves nothing but a note of that, among the owner's named values: it is listed with its
error until it is removed or added again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from remanent.bilingual import translated
from remanent.discipline import Parts
from remanent.knowledge.model import Document
from remanent.model import Kind, Scope, to_instant
from remanent.stores import Transaction

_FAILED = "knowledge.failed."
"""Where the notes of files that could not be read stand among an agent's named values."""
_WAITING = 500
"""Records without vectors that are looked at: of documents behind them it is known that all their chunks wait."""

OnChunks = Callable[[int, int], None]
"""Is told how many chunks of a document are indexed, and of how many."""


class DocumentStatuses:
    """Says of the documents of one open memory how far they are."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._under_way: dict[tuple[Scope, str], Document] = {}

    @contextmanager
    def adding(self, scope: Scope, document: Document, on_chunks: OnChunks | None) -> Iterator[OnChunks]:
        """Have a document listed as being indexed while this lasts; gives what is to be told of its chunks."""
        key = scope.owner, document.document_id

        def tell(done: int, total: int) -> None:
            if key in self._under_way:  # what a thread has told may arrive when all is done
                self._under_way[key] = document.replace(status="indexing", chunks=total, indexed=done)
                if on_chunks is not None:
                    on_chunks(done, total)

        self._under_way[key] = document.replace(status="indexing")
        try:
            yield tell
        finally:
            del self._under_way[key]

    async def fail(self, scope: Scope, document: Document, error: str) -> None:
        """Note that a file could not be read."""
        now = to_instant(self._parts.clock())
        failed = document.replace(status="failed", error=error, updated_at=now)
        async with self._parts.journal.writing(scope.owner) as tx:
            tx.state(_FAILED + document.document_id, failed.model_dump(mode="json", exclude={"error_zh"}))

    async def failed(self, scope: Scope, document_id: str) -> Document | None:
        """Return a document that could not be read as it was noted, if it was."""
        return _noted(await self._parts.store.state(scope.owner, _FAILED + document_id))

    def forgive(self, tx: Transaction, document_id: str) -> None:
        """Drop the note of a failure as part of a unit of work."""
        tx.state(_FAILED + document_id, None)

    async def of(self, scope: Scope, documents: Sequence[Document], *, collection: str | None) -> list[Document]:
        """Return documents with how far they are, and with them those that are being read or could not be."""
        noted = await self._parts.store.states(scope.owner, prefix=_FAILED)
        failed = {one.document_id: one for one in map(_noted, noted.values()) if one is not None}
        under_way = {key[1]: one for key, one in self._under_way.items() if key[0] == scope.owner}
        waiting = await self._waiting(scope, documents)
        told = []
        for document in documents:
            missing = waiting.get(document.document_id, 0)
            status = "indexing" if missing or document.document_id in under_way else "ready"
            one = document.replace(status=status, indexed=max(0, document.chunks - missing))
            if (failure := failed.get(one.document_id)) is not None:
                # The version before is there and is searched; what failed is the newer one.
                one = one.replace(status="failed", error=failure.error, error_zh=failure.error_zh)
            told.append(one)
        known = {one.document_id for one in documents}
        others = [one for one in (failed | under_way).values() if one.document_id not in known]
        told += [one for one in others if collection in {None, one.collection}]
        return sorted(told, key=lambda one: (one.collection, one.name))

    async def _waiting(self, scope: Scope, documents: Sequence[Document]) -> dict[str, int]:
        """Return of which documents chunks wait for their vectors, and how many."""
        if self._parts.embedders is None or not documents:
            return {}
        records = await self._parts.store.unembedded(scope.owner, limit=_WAITING)
        counts: dict[str, int] = {}
        for record in records:
            if record.kind == Kind.CHUNK and record.scope.session is not None:
                counts[record.scope.session] = counts.get(record.scope.session, 0) + 1
        if len(records) == _WAITING:
            behind = records[-1].updated_at
            counts |= {one.document_id: one.chunks for one in documents if one.updated_at > behind}
        return counts


def _noted(value: object) -> Document | None:
    """Return how far a document is, as it was noted; its error in Chinese is made anew, since wording changes."""
    if not isinstance(value, dict):
        return None
    document = Document.model_validate(value)
    return document.replace(error_zh=translated(document.error, "zh"))
