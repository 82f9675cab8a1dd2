"""Documents and what is made of them: adding, replacing what changed, editing chunks, removing.

A document is an entry of the journal that holds its bytes, and records that came from it: one for the document, one per
section, one per chunk. All of them are committed together, so that a document is there whole or not at all. They share
a session, named by the document's id, and a task, named by the collection: whoever erases that session erases the
document to the last byte. A file that could not be read leaves nothing but a note of that, among the owner's named
values: it is listed with its error until it is removed or added again.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from weakref import WeakValueDictionary

from remanent.bilingual import translated
from remanent.discipline import Parts
from remanent.embedding import open_image_reader
from remanent.errors import InvalidInput, MissingDependency, NotFound, UnreadableFile
from remanent.knowledge.model import Added, CollectionView, Document, DocumentChunk, DocumentView, KnowledgeStats
from remanent.knowledge.records import (
    NAME,
    NewDocument,
    about_of,
    chunk_of,
    collection_scope,
    compare,
    document_id_of,
    document_of,
    document_record,
    entry_of,
    expected_document,
    is_same,
    parts_of,
    state_of,
    with_extra,
)
from remanent.knowledge.settings import KnowledgeSettings
from remanent.loaders import LoadedDocument, Place, load
from remanent.model import SHARED, Entry, JsonObject, Kind, PassageData, Record, Scope, Status, to_instant
from remanent.model.base import Model
from remanent.model.kinds import PASSAGES
from remanent.recall import FINER, FinerState
from remanent.stores import LIVE, Erasure, RecordFilter, RecordQuery, Transaction, every_record
from remanent.stores.search_terms import search_terms

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


# ── how far documents are ────────────────────────────────────────────────────


_COLLECTIONS = f"{NAME}.collection."
"""Where the settings of collections stand among an agent's named values."""
_AT_ONCE = 500
"""Records that are read in one go."""
_PAUSE = 0.002
"""Seconds that adding waits after each chunk, some 1 ms of work, while somebody asks something. Chosen by hand."""


class CollectionSettings(Model):
    """How the documents of a collection are cut, and who may search it."""

    chunk_size: int
    agents: tuple[str, ...] | None = None


class Library:
    """The documents of all knowledge bases of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._store = parts.store
        self.settings = parts.settings.section(KnowledgeSettings)
        self._reader = open_image_reader(parts.settings.image_reader)
        self._statuses = DocumentStatuses(parts)
        # One document is written by one task at a time; others wait for it and then find it done.
        self._locks: WeakValueDictionary[tuple[Scope, str], asyncio.Lock] = WeakValueDictionary()

    # ── collections ──────────────────────────────────────────────────────────

    async def collection(self, scope: Scope, name: str) -> CollectionSettings:
        """Return how a collection is set up; one that nobody configured goes by the settings."""
        stored = await self._store.state(scope.owner, _COLLECTIONS + name)
        given = stored if isinstance(stored, dict) else {}
        return CollectionSettings.model_validate({"chunk_size": self.settings.chunk_size, **given})

    async def configure(
        self, scope: Scope, name: str, *, chunk_size: int | None = None, agents: Sequence[str] | None = None
    ) -> CollectionSettings:
        """Set up a collection; documents that are there keep their chunks until they are indexed anew."""
        collection_scope(scope, name)  # refuses a bad name
        now = await self.collection(scope, name)
        if chunk_size is not None:
            KnowledgeSettings(chunk_size=chunk_size)
            now = now.replace(chunk_size=chunk_size)
        if agents is not None:
            now = now.replace(agents=tuple(agents))
        async with self._parts.journal.writing(scope.owner) as tx:
            tx.state(_COLLECTIONS + name, now.model_dump(mode="json"))
        return now

    async def open_to(self, agent: Scope, wanted: tuple[str, ...] | None = None) -> tuple[str, ...] | None:
        """Return which of the collections that a workspace shares an agent may search; `None` for all."""
        stored = await self._store.states(agent.shared, prefix=_COLLECTIONS)
        closed = {
            key.removeprefix(_COLLECTIONS)
            for key, value in stored.items()
            if isinstance(value, dict) and isinstance(named := value.get("agents"), list) and agent.agent not in named
        }
        if wanted is None and closed:
            wanted = tuple({one.collection for one in await self.documents(agent.shared)})
        return None if wanted is None else tuple(name for name in wanted if name not in closed)

    # ── adding ───────────────────────────────────────────────────────────────

    async def add(
        self,
        scope: Scope,
        collection: str,
        new: NewDocument,
        *,
        anew: bool = False,
        on_chunks: OnChunks | None = None,
    ) -> Added:
        """Add a document, or a changed version of one; the same again changes nothing unless it is cut `anew`."""
        if not new.name.strip():
            raise InvalidInput("name: a document needs a name, by which it is found and replaced")
        home = collection_scope(scope, collection)
        document_id = document_id_of(collection, new.name)
        new = new.in_collection(collection)
        lock = self._locks.setdefault((scope.owner, document_id), asyncio.Lock())
        async with lock:
            size = (await self.collection(scope, collection)).chunk_size
            current, failed = await asyncio.gather(
                self._document(home, document_id), self._statuses.failed(scope, document_id)
            )
            if current is not None and not anew and is_same(current, new, size):
                if failed is not None:
                    await self._forgive(scope, document_id)
                return Added(document=document_of(current), status="unchanged", kept=len(about_of(current).chunks))
            coming = expected_document(collection, new, to_instant(self._parts.clock()))
            with self._statuses.adding(scope, coming, on_chunks) as tell:
                try:
                    loaded = await self._load(new)
                except (UnreadableFile, MissingDependency) as error:
                    await self._statuses.fail(scope, coming, str(error))
                    raise
                return await self._write(home.within(session=document_id), new, loaded, size=size, tell=tell)

    async def _forgive(self, scope: Scope, document_id: str) -> None:
        async with self._parts.journal.writing(scope.owner) as tx:
            self._statuses.forgive(tx, document_id)

    async def _load(self, new: NewDocument) -> LoadedDocument:
        """Read the file; pictures are read only where there is something that reads them."""
        reader = self._reader
        return await load(
            new.data,
            name=new.name,
            media_type=new.media_type,
            charset=new.charset,
            read_image=None if reader is None else reader.read_text,
        )

    async def preview(
        self, scope: Scope, collection: str, new: NewDocument, *, size: int | None
    ) -> list[DocumentChunk]:
        """Return the chunks that a document would have; nothing is kept."""
        chunk_size = size or (await self.collection(scope, collection)).chunk_size
        KnowledgeSettings(chunk_size=chunk_size)
        loaded = await self._load(new)
        home = collection_scope(scope, collection).within(session=document_id_of(collection, new.name))
        parts, _ = await asyncio.to_thread(parts_of, self._entry(home, new, loaded), loaded, chunk_size)
        return [chunk_of(part) for part in parts if part.kind == Kind.CHUNK]

    def _entry(self, scope: Scope, new: NewDocument, loaded: LoadedDocument) -> Entry:
        return entry_of(self._parts.new_id(), scope, new, to_instant(self._parts.clock()), loaded)

    async def _write(
        self, scope: Scope, new: NewDocument, loaded: LoadedDocument, *, size: int, tell: OnChunks
    ) -> Added:
        """Commit a document whole: its entry, its records, and what of them had not changed as it was."""
        entry = self._entry(scope, new, loaded)
        # The disk is waited for while the text is cut.
        _, (parts, title), records = await asyncio.gather(
            self._parts.blobs.put(scope.owner, new.data),
            asyncio.to_thread(parts_of, entry, loaded, size),
            self._all(scope, RecordFilter(kinds=PASSAGES, statuses=None)),
        )
        known = {record.id: record for record in records}
        before = known.get(str(scope.session))
        loop, total = asyncio.get_running_loop(), sum(part.kind == Kind.CHUNK for part in parts)
        tell(0, total)
        changes = await asyncio.to_thread(
            compare, parts, known, entry,
            tell=lambda done: loop.call_soon_threadsafe(tell, done, total), give_way=self._give_way,
        )  # fmt: skip
        document = document_record(entry, new, loaded, parts, before, title=title, size=size)
        changes.put.append((document, search_terms(document)))
        async with self._parts.journal.writing(scope.owner) as tx:
            await self._parts.journal.append(tx, [entry], by=NAME)
            for record, terms in changes.put:
                tx.put(record, expects=record.version - 1, terms=terms)
            self._parts.journal.index(tx)
            self._statuses.forgive(tx, document.id)
        tell(total, total)
        waits = self._parts.embedders is not None and changes.embedded > 0
        return Added(
            document=document_of(document).replace(
                status="indexing" if waits else "ready", indexed=total - changes.embedded if waits else total
            ),
            status="added" if before is None else "changed",
            embedded=changes.embedded,
            kept=changes.kept,
            removed=changes.removed,
        )

    def _give_way(self) -> None:
        """Let somebody who asks go first: threads that compute keep each other from the interpreter."""
        if self._parts.recall.is_asked:
            time.sleep(_PAUSE)

    async def reindex(self, scope: Scope, collection: str, document: str | None = None) -> list[Added]:
        """Cut documents anew from their bytes, one or all of a collection: after a change of its chunk size."""
        chosen = [await self.find(scope, collection, document)] if document else await self.documents(scope, collection)
        return [await self.add(scope, collection, await self.again(scope, one), anew=True) for one in chosen]

    async def again(self, scope: Scope, document: Document) -> NewDocument:
        """Return a document as it was added, with its bytes."""
        return NewDocument(
            data=await self._bytes(scope, document),
            name=document.name,
            source=document.source,
            metadata=document.metadata,
            tags=document.tags,
            media_type=document.media_type,
            occurred_at=document.occurred_at,
            synced=document.synced,
        )

    # ── reading ──────────────────────────────────────────────────────────────

    async def documents(
        self, scope: Scope, collection: str | None = None, *, as_of: datetime | None = None
    ) -> list[Document]:
        """Return the documents of a collection, or of all, by name."""
        place = scope.owner if collection is None else collection_scope(scope, collection)
        wanted = RecordFilter(kinds=(Kind.DOCUMENT,), as_of=as_of)
        return sorted(map(document_of, await self._all(place, wanted)), key=lambda one: (one.collection, one.name))

    async def listed(self, scope: Scope, collection: str, *, as_of: datetime | None = None) -> list[Document]:
        """Return the documents of a collection with how far they are, those that failed among them."""
        documents = await self.documents(scope, collection, as_of=as_of)
        return documents if as_of is not None else await self._statuses.of(scope, documents, collection=collection)

    async def find(self, scope: Scope, collection: str, document: str) -> Document:
        """Return a document by its name or its id."""
        home = collection_scope(scope, collection)
        for document_id in (document_id_of(collection, document), document):
            found = await self._document(home, document_id)
            known = [] if found is None else [document_of(found)]
            told = await self._statuses.of(scope, known, collection=collection)
            for one in told:
                if one.document_id == document_id:
                    return one
        if await self.reader_of(scope, collection, document) != scope:
            raise NotFound(
                f"{scope.agent} has no document {document!r} of its own in the collection "
                f"{collection}; its workspace shares one: leave out the agent to use it"
            )
        raise NotFound(f"there is no document {document!r} in the collection {collection}")

    async def reader_of(self, scope: Scope, collection: str, document: str) -> Scope:
        """Return where an agent reads a document: among its own, or else among those that its workspace shares."""
        if scope.agent == SHARED or not await self.open_to(scope, (collection,)):
            return scope
        for owner in (scope, scope.shared):
            for document_id in (document_id_of(collection, document), document):
                if await self._document(collection_scope(owner, collection), document_id) is not None:
                    return owner
        return scope

    async def show(
        self, scope: Scope, collection: str, document: str, *, as_of: datetime | None = None
    ) -> DocumentView:
        """Return a document with its chunks in order, as they are or as they were at a moment."""
        found = await self.find(scope, collection, document)
        if not found.digest:  # it is being read, or could not be
            return DocumentView(document=found)
        home = collection_scope(scope, collection).within(session=found.document_id)
        statuses = (*LIVE, Status.QUARANTINED)
        records = await self._all(home, RecordFilter(kinds=PASSAGES, statuses=statuses, as_of=as_of))
        of_that_time = next((document_of(one) for one in records if one.kind == Kind.DOCUMENT), None)
        if of_that_time is None:
            raise NotFound(f"there was no document {document!r} at that time")
        chunks = [chunk_of(record) for record in records if record.kind == Kind.CHUNK]
        versions = await self._store.versions(scope.owner, found.document_id)
        told = {name: getattr(found, name) for name in ("status", "indexed", "error", "error_zh")}
        return DocumentView(
            document=of_that_time if as_of is not None else of_that_time.replace(**told),
            chunks=tuple(sorted(chunks, key=lambda one: (one.position, one.start, one.chunk_id))),
            versions=tuple(version.record.updated_at for version in versions),
        )

    async def bytes_of(self, scope: Scope, collection: str, document: str, *, as_of: datetime | None = None) -> bytes:
        """Return the bytes of a document, as it is or as it was at a moment."""
        shown = await self.show(scope, collection, document, as_of=as_of)
        return await self._bytes(scope, shown.document)

    async def _bytes(self, scope: Scope, document: Document) -> bytes:
        if not document.digest:
            raise NotFound(f"nothing of {document.name} was kept: it could not be read, or is still being read")
        return await self._parts.blobs.get(scope.owner, document.digest)

    async def stats(self, scope: Scope) -> KnowledgeStats:
        """Count what there is, by collection."""
        documents = await self.documents(scope)
        named = await self._store.states(scope.owner, prefix=_COLLECTIONS)
        names = {one.collection for one in documents} | {key.removeprefix(_COLLECTIONS) for key in named}
        views = []
        for name in sorted(names):
            held, own = await self.collection(scope, name), [one for one in documents if one.collection == name]
            views.append(
                CollectionView(
                    name=name,
                    chunk_size=held.chunk_size,
                    agents=held.agents,
                    documents=len(own),
                    chunks=sum(one.chunks for one in own),
                )
            )
        waiting = await self._store.unembedded(scope.owner, limit=_AT_ONCE) if self._parts.embedders else []
        finer = FinerState.of_state(await self._store.state(scope.owner, FINER)) or FinerState()
        return KnowledgeStats(
            documents=len(documents),
            chunks=sum(one.chunks for one in documents),
            characters=sum(one.characters for one in documents),
            bytes=sum(one.size for one in documents),
            unembedded=sum(record.kind == Kind.CHUNK for record in waiting),
            finer_of=finer.of,
            finer_read=finer.of - finer.left,
            collections=tuple(views),
        )

    async def _document(self, home: Scope, document_id: str) -> Record | None:
        """Return a document by its id; a name that can be no id is simply not the id of one, and is no mistake."""
        wanted = RecordFilter(kinds=(Kind.DOCUMENT,))
        try:
            query = RecordQuery(filter=wanted, record_ids=(document_id,), limit=1)
            found = await self._store.records(home, query)
        except InvalidInput:
            return None
        return found[0] if found else None

    async def _all(self, scope: Scope, wanted: RecordFilter) -> list[Record]:
        """Return all records that pass, page by page: a document may have more than one answer holds."""
        return [record async for record in every_record(self._store, scope, RecordQuery(filter=wanted))]

    # ── chunks by hand ───────────────────────────────────────────────────────

    async def edit_chunk(
        self, scope: Scope, chunk_id: str, *, text: str | None = None, enabled: bool | None = None
    ) -> DocumentChunk:
        """Change the words of a chunk, or whether searches find it; that survives indexing its document anew."""
        record = (await self._store.records_by_id(scope.owner, [chunk_id])).get(chunk_id)
        if record is None or record.kind != Kind.CHUNK or record.status in {Status.SUPERSEDED, Status.FORGOTTEN}:
            raise NotFound(f"there is no chunk {chunk_id} here")
        changed = record
        if text is not None:
            if not text.strip():
                raise InvalidInput("text: a chunk needs some text; switch it off with enabled=False")
            state = "added" if state_of(record) == "added" else "edited"
            changed = changed.replace(content=text, data=with_extra(changed, state=state))
        if enabled is not None:
            changed = changed.replace(status=Status.ACTIVE if enabled else Status.QUARANTINED)
        # Unless another one changed it since it was read.
        changed = changed.replace(version=record.version + 1, updated_at=to_instant(self._parts.clock()))
        async with self._parts.journal.writing(scope.owner) as tx:
            tx.put(changed, expects=record.version)
            self._parts.journal.index(tx)
        return chunk_of(changed)

    async def add_chunk(
        self, scope: Scope, collection: str, document: str, text: str, *, after: str | None
    ) -> DocumentChunk:
        """Add a chunk to a document by hand, behind another one or at the end."""
        if not text.strip():
            raise InvalidInput("text: a chunk needs some text")
        shown = await self.show(scope, collection, document)
        before = [one for one in shown.chunks if one.chunk_id == after] if after else shown.chunks[-1:]
        if after and not before:
            raise NotFound(f"there is no chunk {after} in {document!r}")
        document_id, title = shown.document.document_id, shown.document.title
        head = (await self._store.records_by_id(scope.owner, [document_id]))[document_id]
        position, at = (before[0].position, before[0].end) if before else (0, 0)
        now = to_instant(self._parts.clock())
        place = before[0].place if before else Place()
        extra: JsonObject = {"path": [], "place": place.model_dump(exclude_none=True), "state": "added"}
        data = PassageData(
            document_id=document_id, parent_id=document_id, title=title, position=position, start=at, end=at,
            extra=extra,
        )  # fmt: skip
        record = Record(
            id=self._parts.new_id(),
            scope=head.scope,
            kind=Kind.CHUNK,
            content=text,
            summary=title,
            keywords=(title,) if title else (),
            tags=head.tags,
            created_at=now,
            updated_at=now,
            occurred_at=head.occurred_at,
            sources=head.sources,
            trust=head.trust,
            data=data,
        )
        async with self._parts.journal.writing(scope.owner) as tx:
            tx.put(record)
            self._parts.journal.index(tx)
        return chunk_of(record)

    # ── removing ─────────────────────────────────────────────────────────────

    async def remove(self, scope: Scope, collection: str, document: str) -> Document:
        """Erase a document: its bytes, every version of it, and all that was made of it."""
        found = await self.find(scope, collection, document)
        await self._forgive(scope, found.document_id)
        # All of its session, with the bytes that nothing refers to any more.
        await self._parts.journal.erase_noted(scope.owner, Erasure(session=found.document_id))
        return found
