"""Documents and what is made of them: adding, replacing what changed, editing chunks, removing.

A document is an entry of the journal that holds its bytes, and records that came from it: one for the document, one per
section, one per chunk. All of them are committed together, so that a document is there whole or not at all. They share
a session, named by the document's id, and a task, named by the collection: whoever erases that session erases the
document to the last byte.
"""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from remanent.discipline import Parts
from remanent.embedding import open_image_reader
from remanent.errors import InvalidInput, MissingDependency, NotFound, UnreadableFile
from remanent.knowledge.chunking import ChunkSpan, cut
from remanent.knowledge.model import (
    Added,
    ChunkState,
    CollectionView,
    Document,
    DocumentChunk,
    DocumentView,
    KnowledgeStats,
)
from remanent.knowledge.settings import KnowledgeSettings
from remanent.knowledge.statuses import DocumentStatuses, OnChunks
from remanent.loaders import LoadedDocument, Place, load
from remanent.model import (
    Attachment,
    Entry,
    EntryKind,
    JsonObject,
    Kind,
    Origin,
    PassageData,
    Record,
    Scope,
    Source,
    Status,
    to_instant,
)
from remanent.model.base import Model
from remanent.model.filters import check_metadata, read_tags
from remanent.model.kinds import PASSAGES
from remanent.recall import FINER, FinerState
from remanent.stores import LIVE, Erasure, Order, RecordFilter, RecordQuery, Transaction
from remanent.stores.transaction import search_terms
from remanent.text.boundaries import excerpt
from remanent.text.sentences import sentences
from remanent.values import dataclass

NAME = "knowledge"
_COLLECTIONS = f"{NAME}.collection."
"""Where the settings of collections stand among an agent's named values."""
_LEAD = 300
"""Characters from the beginning of a section that stand for it: of news and reference texts, the beginning is the
summary that is hardest to beat."""
_MAX_TITLE = 80
"""Characters up to which a first line or a first sentence is taken for a title. Chosen by hand."""
_AT_ONCE = 500
"""Records that are read in one go."""
_TOLD = 50
"""Chunks after which it is told how many are indexed: some 50 ms of work."""


_PAUSE = 0.002
"""Seconds that adding waits after each chunk, some 1 ms of work, while somebody asks something. Chosen by hand."""


class NewDocument(Model):
    """What is to be added: bytes, and what is said of them."""

    data: bytes
    name: str
    source: str = ""
    media_type: str = ""
    charset: str = ""
    metadata: JsonObject | None = None
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    synced: bool = False
    origin: Origin = Origin.USER


@dataclass(frozen=True, slots=True)
class _Part:
    """A record as it should be: a chunk, a section or the document itself, without its version."""

    record_id: str
    kind: Kind
    content: str
    context: str
    """What it stands under: the title and the headings; it is found by these words, too."""
    data: PassageData


@dataclass(slots=True)
class _Changes:
    """What becomes of the records of a document."""

    put: list[tuple[Record, int, str]] = field(default_factory=list)
    """With the version that must be current, and the search terms."""
    embedded: int = 0
    kept: int = 0
    removed: int = 0


class CollectionSettings(Model):
    """How the documents of a collection are cut, and who may search it."""

    chunk_size: int
    agents: tuple[str, ...] | None = None


def collection_scope(scope: Scope, collection: str) -> Scope:
    """Return the part of an agent's memory that a collection is."""
    return scope.owner.within(task=f"{NAME}/{collection}")


def document_id_of(collection: str, name: str) -> str:
    """Return the id of a document: by its name, so that the same one added by two processes is one."""
    return _hash(collection, name)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


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
        metadata = check_metadata({**(new.metadata or {}), **_reserved(new, collection)})
        tags = read_tags(new.tags)
        key = (scope.owner, document_id)
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            size = (await self.collection(scope, collection)).chunk_size
            current, failed = await asyncio.gather(
                self._document(home, document_id), self._statuses.failed(scope, document_id)
            )
            digest = hashlib.sha256(new.data).hexdigest()
            if current is not None and not anew and _is_same(current, digest, metadata, tags, size):
                if failed is not None:
                    await self._forgive(scope, document_id)
                return Added(document=document_of(current), status="unchanged", kept=_count(current))
            coming = _coming(collection, new, to_instant(self._parts.clock()))
            with self._statuses.adding(scope, coming, on_chunks) as tell:
                try:
                    loaded = await self._load(new)
                except (UnreadableFile, MissingDependency) as error:
                    await self._statuses.fail(scope, coming, str(error))
                    raise
                return await self._write(
                    home, document_id, new, loaded, current, size=size, metadata=metadata, tags=tags, digest=digest,
                    tell=tell,
                )  # fmt: skip

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
        document_id = document_id_of(collection, new.name)
        parts, _ = await asyncio.to_thread(_parts_of, document_id, loaded, chunk_size)
        return [_chunk(part.record_id, part.content, part.data) for part in parts if part.kind == Kind.CHUNK]

    async def _write(
        self,
        home: Scope,
        document_id: str,
        new: NewDocument,
        loaded: LoadedDocument,
        current: Record | None,
        *,
        size: int,
        metadata: JsonObject,
        tags: tuple[str, ...],
        digest: str,
        tell: OnChunks,
    ) -> Added:
        """Commit a document whole: its entry, its records, and what of them had not changed as it was."""
        scope = home.within(session=document_id)
        # The disk is waited for while the text is cut.
        _, (parts, title), known = await asyncio.gather(
            self._parts.blobs.put(scope.owner, new.data),
            asyncio.to_thread(_parts_of, document_id, loaded, size),
            self._records_of(scope),
        )
        now = to_instant(self._parts.clock())
        entry = _entry(
            self._parts.new_id(), scope, new, now, metadata=metadata, tags=tags, digest=digest, loaded=loaded
        )
        like = current is not None and current.tags == tags and _extra(current).get("metadata") == metadata
        loop, total = asyncio.get_running_loop(), sum(part.kind == Kind.CHUNK for part in parts)
        tell(0, total)
        changes = await asyncio.to_thread(
            _compare, parts, known, entry, now, like=like,
            tell=lambda done: loop.call_soon_threadsafe(tell, done, total), give_way=self._give_way,
        )  # fmt: skip
        document = _document_record(
            entry, loaded, parts, known.get(document_id), title=title, new=new, size=size, metadata=metadata
        )
        changes.put.append((document, document.version - 1, search_terms(document)))
        async with self._parts.journal.writing(scope.owner) as tx:
            await self._parts.journal.append(tx, [entry], by=NAME)
            self._put_all(tx, changes)
            self._statuses.forgive(tx, document_id)
        tell(total, total)
        waits = self._parts.embedders is not None and changes.embedded > 0
        return Added(
            document=document_of(document).replace(
                status="indexing" if waits else "ready", indexed=total - changes.embedded if waits else total
            ),
            status="added" if current is None else "changed",
            embedded=changes.embedded,
            kept=changes.kept,
            removed=changes.removed,
        )

    def _give_way(self) -> None:
        """Let somebody who asks go first: threads that compute keep each other from the interpreter."""
        if self._parts.recall.is_asked:
            time.sleep(_PAUSE)

    def _put_all(self, tx: Transaction, changes: _Changes) -> None:
        for record, expects, terms in changes.put:
            tx.put(record, expects=expects, terms=terms)
        self._parts.journal.index(tx)

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
        raise NotFound(f"there is no document {document!r} in the collection {collection}")

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
            raise NotFound(f"there was no document {document!r} then")
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

    async def records(
        self, scope: Scope, record_ids: Sequence[str], *, as_of: datetime | None = None
    ) -> dict[str, Record]:
        """Return records by their ids, whatever their state."""
        return await self._store.records_by_id(scope.owner, record_ids, as_of=as_of)

    async def _document(self, home: Scope, document_id: str) -> Record | None:
        """Return a document by its id; a name that can be no id is simply not the id of one, and is no mistake."""
        wanted = RecordFilter(kinds=(Kind.DOCUMENT,))
        try:
            query = RecordQuery(filter=wanted, record_ids=(document_id,), limit=1)
            found = await self._store.records(home, query)
        except InvalidInput:
            return None
        return found[0] if found else None

    async def _records_of(self, scope: Scope) -> dict[str, Record]:
        """Return all records of a document, those that are out of use as well."""
        return {record.id: record for record in await self._all(scope, RecordFilter(kinds=PASSAGES, statuses=None))}

    async def _all(self, scope: Scope, wanted: RecordFilter) -> list[Record]:
        """Return all records that pass, page by page: a document may have more than one answer holds."""
        found: list[Record] = []
        while True:
            after = found[-1].id if found else None
            query = RecordQuery(filter=wanted, order=Order.FIRST_CREATED, after_id=after, limit=_AT_ONCE)
            more = await self._store.records(scope, query)
            found += more
            if len(more) < _AT_ONCE:
                return found

    # ── chunks by hand ───────────────────────────────────────────────────────

    async def edit_chunk(
        self, scope: Scope, chunk_id: str, *, text: str | None = None, enabled: bool | None = None
    ) -> DocumentChunk:
        """Change the words of a chunk, or whether searches find it; that survives indexing its document anew."""
        record = (await self.records(scope, [chunk_id])).get(chunk_id)
        if record is None or record.kind != Kind.CHUNK or record.status in {Status.SUPERSEDED, Status.FORGOTTEN}:
            raise NotFound(f"there is no chunk {chunk_id} here")
        changed = record
        if text is not None:
            if not text.strip():
                raise InvalidInput("text: a chunk must say something; switch it off with enabled=False")
            state = "added" if _state(record) == "added" else "edited"
            changed = changed.replace(content=text, data=_with(changed, state=state))
        if enabled is not None:
            changed = changed.replace(status=Status.ACTIVE if enabled else Status.QUARANTINED)
        await self._put(changed, over=record)
        return chunk_of(changed)

    async def add_chunk(
        self, scope: Scope, collection: str, document: str, text: str, *, after: str | None
    ) -> DocumentChunk:
        """Add a chunk to a document by hand, behind another one or at the end."""
        if not text.strip():
            raise InvalidInput("text: a chunk must say something")
        shown = await self.show(scope, collection, document)
        before = [one for one in shown.chunks if one.chunk_id == after] if after else shown.chunks[-1:]
        if after and not before:
            raise NotFound(f"there is no chunk {after} in {document!r}")
        head = (await self.records(scope, [shown.document.document_id]))[shown.document.document_id]
        position, at = (before[0].position, before[0].end) if before else (0, 0)
        now = to_instant(self._parts.clock())
        place = before[0].place if before else Place()
        extra: JsonObject = {"path": [], "place": place.model_dump(exclude_none=True), "state": "added"}
        record = Record(
            id=self._parts.new_id(),
            scope=head.scope,
            kind=Kind.CHUNK,
            content=text,
            summary=shown.document.title,
            keywords=(shown.document.title,) if shown.document.title else (),
            tags=head.tags,
            created_at=now,
            updated_at=now,
            occurred_at=head.occurred_at,
            sources=tuple(Source(entry_id=source.entry_id) for source in head.sources),
            trust=head.trust,
            data=PassageData(
                document_id=shown.document.document_id, parent_id=shown.document.document_id,
                title=shown.document.title, position=position, start=at, end=at, extra=extra,
            ),
        )  # fmt: skip
        async with self._parts.journal.writing(scope.owner) as tx:
            tx.put(record)
            self._parts.journal.index(tx)
        return chunk_of(record)

    async def _put(self, changed: Record, *, over: Record) -> None:
        """Write the next version of a record, unless another one changed it since it was read."""
        now = to_instant(self._parts.clock())
        async with self._parts.journal.writing(over.scope.owner) as tx:
            tx.put(changed.replace(version=over.version + 1, updated_at=now), expects=over.version)
            self._parts.journal.index(tx)

    # ── removing ─────────────────────────────────────────────────────────────

    async def remove(self, scope: Scope, collection: str, document: str) -> Document:
        """Erase a document: its bytes, every version of it, and all that was made of it."""
        found = await self.find(scope, collection, document)
        await self.erase(scope, found.document_id)
        return found

    async def erase(self, scope: Scope, document_id: str) -> None:
        """Erase everything in a document's session, with the bytes that nothing refers to any more."""
        await self._forgive(scope, document_id)
        await self._parts.journal.erase_noted(scope.owner, Erasure(session=document_id))


def _entry(
    entry_id: str,
    scope: Scope,
    new: NewDocument,
    now: datetime,
    *,
    metadata: JsonObject,
    tags: tuple[str, ...],
    digest: str,
    loaded: LoadedDocument,
) -> Entry:
    """Return the entry of the journal that a document is."""
    attachment = Attachment(
        attachment_id=digest, media_type=loaded.media_type, name=new.name, digest=digest, size=len(new.data)
    )
    return Entry(
        id=entry_id,
        scope=scope,
        kind=EntryKind.DOCUMENT,
        role="document",
        # The words stand in the chunks; the bytes, from which they can be read again, among the blobs.
        text="",
        occurred_at=new.occurred_at or now,
        recorded_at=now,
        metadata={**metadata, "type": loaded.media_type},
        tags=tags,
        attachments=(attachment,),
        origin=new.origin,
    )


def _coming(collection: str, new: NewDocument, now: datetime) -> Document:
    """Return what is known of a document before it is read."""
    return Document(
        document_id=document_id_of(collection, new.name), name=new.name, collection=collection, source=new.source,
        media_type=new.media_type, synced=new.synced, size=len(new.data), version=0, added_at=now, updated_at=now,
        occurred_at=new.occurred_at or now,
    )  # fmt: skip


# ── from a loaded document to its parts ──────────────────────────────────────


def title_of(loaded: LoadedDocument) -> str:
    """Return what a document calls itself: its own title, its first heading, or a first line or sentence like one."""
    if loaded.title and loaded.title.strip():
        return excerpt(loaded.title.strip(), _MAX_TITLE)
    if loaded.sections and loaded.sections[0].title:
        return excerpt(loaded.sections[0].title, _MAX_TITLE)
    start = loaded.text.lstrip()[: 4 * _MAX_TITLE]
    first = sentences(start)[0].of(start).strip() if start else ""
    bare = first.splitlines()[0].strip().rstrip(".。:：") if first else ""
    return bare if 0 < len(bare) <= _MAX_TITLE and len(loaded.text) > 2 * len(bare) else ""


def _parts_of(document_id: str, loaded: LoadedDocument, size: int) -> tuple[list[_Part], str]:
    """Return the sections and chunks of a document, and its title."""
    title, text = title_of(loaded), loaded.text
    parts: list[_Part] = []
    seen: Counter[tuple[str, str]] = Counter()
    pieces = cut(loaded, size=size)
    sections: dict[tuple[int, tuple[str, ...]], str] = {}
    for section in loaded.sections if len(pieces) > 1 else ():
        body = text[section.start : section.end]
        content = f"{' › '.join(section.path)}\n{excerpt(body.partition(chr(10))[2].strip(), _LEAD)}".strip()
        data = PassageData(
            document_id=document_id, parent_id=document_id, title=title, start=section.start, end=section.end,
            extra={"path": list(section.path), "place": section.place.model_dump(exclude_none=True)},
        )  # fmt: skip
        seen[(content, title)] += 1
        section_id = _hash(document_id, "section", content, title, str(seen[(content, title)]))
        sections[(section.start, section.path)] = section_id
        parts.append(_Part(section_id, Kind.SECTION, content, title, data))
    for position, piece in enumerate(pieces):
        content, context = piece.of(text), context_of(title, piece)
        seen[(content, context)] += 1
        record_id = _hash(document_id, "chunk", content, context, str(seen[(content, context)]))
        under = loaded.section(piece.start)
        parent = sections.get((under.start, under.path), document_id) if under is not None else document_id
        place = loaded.place_of(piece.start, piece.end).model_dump(exclude_none=True)
        data = PassageData(
            document_id=document_id, parent_id=parent, title=title, position=position, start=piece.start,
            end=piece.end, extra={"path": list(piece.path), "place": place},
        )  # fmt: skip
        parts.append(_Part(record_id, Kind.CHUNK, content, context, data))
    return parts, title


def context_of(title: str, piece: ChunkSpan) -> str:
    """Return what a chunk stands under: the title of its document, then the headings above it."""
    return " › ".join(dict.fromkeys(part for part in (title, *piece.path) if part))


def _compare(
    parts: Sequence[_Part],
    known: Mapping[str, Record],
    entry: Entry,
    now: datetime,
    *,
    like: bool,
    tell: Callable[[int], object],
    give_way: Callable[[], None],
) -> _Changes:
    """Return what must be written so that the records of a document are those of its new version."""
    changes = _Changes()
    for part in parts:
        if (done := changes.embedded + changes.kept) % _TOLD == 0 and done:
            tell(done)
        before = known.get(part.record_id)
        is_chunk = part.kind == Kind.CHUNK
        if before is None:
            changes.embedded += is_chunk
            record = _record(part, entry, now)
            changes.put.append((record, 0, search_terms(record)))
            give_way()
            continue
        changes.kept += is_chunk
        state = _extra(before).get("state")
        data = part.data.replace(extra={**part.data.extra, **({"state": "edited"} if state else {})})
        status = Status.QUARANTINED if before.status is Status.QUARANTINED else Status.ACTIVE
        if like and before.data == data and before.status is status:
            continue  # nothing moved: the words, their place and what is said of them are as they were
        record = before.replace(
            data=data, status=status, tags=entry.tags, updated_at=now, version=before.version + 1,
            sources=_sources(part, entry), trust=entry.origin, occurred_at=entry.occurred_at,
        )  # fmt: skip
        changes.put.append((record, before.version, search_terms(record)))
    wanted = {part.record_id for part in parts}
    for record_id, before in known.items():
        if record_id in wanted or before.kind == Kind.DOCUMENT or before.status is Status.SUPERSEDED:
            continue
        state = _state(before)
        if state in {"added", "outdated"}:
            continue
        if state == "edited":
            # Somebody's words about a place that has changed: they stay, and say so.
            record = before.replace(data=_with(before, state="outdated"), updated_at=now, version=before.version + 1)
            changes.put.append((record, before.version, search_terms(record)))
            continue
        changes.removed += before.kind == Kind.CHUNK
        record = before.replace(status=Status.SUPERSEDED, updated_at=now, version=before.version + 1)
        changes.put.append((record, before.version, ""))
    return changes


def _sources(part: _Part, entry: Entry) -> tuple[Source, ...]:
    return (Source(entry_id=entry.id, start=part.data.start, end=part.data.end),)


def _record(part: _Part, entry: Entry, now: datetime) -> Record:
    """Return the record of a part; it is found by its headings as well as by its words."""
    return Record(
        id=part.record_id,
        scope=entry.scope,
        kind=part.kind,
        content=part.content,
        summary=part.context,
        # A second time, so that what a document is about counts for more than what it mentions.
        keywords=(part.data.title,) if part.data.title else (),
        tags=entry.tags,
        created_at=now,
        updated_at=now,
        occurred_at=entry.occurred_at,
        sources=_sources(part, entry),
        trust=entry.origin,
        data=part.data,
    )


def _document_record(
    entry: Entry,
    loaded: LoadedDocument,
    parts: Sequence[_Part],
    before: Record | None,
    *,
    title: str,
    new: NewDocument,
    size: int,
    metadata: JsonObject,
) -> Record:
    """Return the record of the document itself: its summary, and what else is known of it."""
    attachment = entry.attachments[0]
    chunks = [part.record_id for part in parts if part.kind == Kind.CHUNK]
    extra: JsonObject = {
        "name": new.name,
        "collection": str(entry.metadata["collection"]),
        "source": new.source,
        "synced": new.synced,
        "size": attachment.size,
        "chunk_size": size,
        "chunks": list(chunks),
        "sections": len(loaded.sections),
        "metadata": metadata,
        "unread": len(loaded.unread),
    }
    # Of a short document its only chunk is the summary already: its title must do.
    lead = excerpt(loaded.text.strip(), _LEAD) if len(chunks) > 1 else ""
    headings = "; ".join(section.title for section in loaded.sections)[:_LEAD]
    content = "\n".join(dict.fromkeys(part for part in (title or new.name, lead, headings) if part))
    return Record(
        id=str(entry.scope.session),
        scope=entry.scope,
        kind=Kind.DOCUMENT,
        content=content,
        keywords=(new.name,),
        tags=entry.tags,
        created_at=entry.recorded_at if before is None else before.created_at,
        updated_at=entry.recorded_at,
        occurred_at=entry.occurred_at,
        version=1 if before is None else before.version + 1,
        sources=(Source(entry_id=entry.id),),
        trust=entry.origin,
        data=PassageData(
            document_id=str(entry.scope.session),
            title=title,
            end=len(loaded.text),
            media_type=loaded.media_type,
            digest=str(attachment.digest),
            extra=extra,
        ),
    )


def _reserved(new: NewDocument, collection: str) -> JsonObject:
    """Return what every document can be filtered by, beside what its caller says of it."""
    return {
        "collection": collection,
        "name": new.name,
        "source": new.source,
        "path": new.source if new.synced else new.name,
    }


def _is_same(current: Record, digest: str, metadata: JsonObject, tags: tuple[str, ...], size: int) -> bool:
    """Tell whether a file that is added again changes nothing: not its bytes, what is said of it, nor how it is cut."""
    extra = _extra(current)
    return (
        _passage(current).digest == digest
        and extra.get("metadata") == metadata
        and extra.get("chunk_size") == size
        and current.tags == tags
    )


# ── from records to what people see ──────────────────────────────────────────


def _passage(record: Record) -> PassageData:
    if not isinstance(record.data, PassageData):
        raise InvalidInput(f"{record.id} is no part of a document")
    return record.data


def _extra(record: Record) -> JsonObject:
    return _passage(record).extra


def _state(record: Record) -> ChunkState:
    state = _extra(record).get("state", "made")
    return state if state in {"edited", "added", "outdated"} else "made"  # type: ignore[return-value]


def _with(record: Record, **extra: Any) -> PassageData:
    data = _passage(record)
    return data.replace(extra={**data.extra, **extra})


def _count(record: Record) -> int:
    chunks = _extra(record).get("chunks")
    return len(chunks) if isinstance(chunks, list) else 0


def chunk_ids(record: Record) -> tuple[str, ...]:
    """Return the chunks of a document in order, without those that were added by hand."""
    chunks = _extra(record).get("chunks")
    return tuple(map(str, chunks)) if isinstance(chunks, list) else ()


def document_of(record: Record) -> Document:
    """Return a document as people see it."""
    data, extra = _passage(record), _extra(record)
    metadata = extra.get("metadata")
    given = dict(metadata) if isinstance(metadata, dict) else {}
    return Document(
        document_id=record.id,
        name=str(extra.get("name", "")),
        title=data.title,
        collection=str(extra.get("collection", "")),
        media_type=data.media_type,
        source=str(extra.get("source", "")),
        synced=extra.get("synced") is True,
        digest=data.digest,
        size=int(str(extra.get("size", 0))),
        characters=data.end,
        sections=int(str(extra.get("sections", 0))),
        chunks=_count(record),
        version=record.version,
        added_at=record.created_at,
        updated_at=record.updated_at,
        occurred_at=record.occurred_at,
        metadata={key: value for key, value in given.items() if key not in {"collection", "name", "source", "path"}},
        tags=record.tags,
        unread=int(str(extra.get("unread", 0))),
        indexed=_count(record),
    )


def chunk_of(record: Record) -> DocumentChunk:
    """Return a chunk as people see it."""
    shown = _chunk(record.id, record.content, _passage(record))
    return shown.replace(state=_state(record), enabled=record.status is not Status.QUARANTINED)


def _chunk(record_id: str, content: str, data: PassageData) -> DocumentChunk:
    """Return a chunk as it is shown, with its place in the document."""
    return DocumentChunk(
        chunk_id=record_id,
        document_id=data.document_id,
        position=data.position,
        text=content,
        path=path_of(data),
        place=place_of(data),
        start=data.start,
        end=data.end,
    )


def path_of(data: PassageData) -> tuple[str, ...]:
    """Return the headings above a passage."""
    path = data.extra.get("path")
    return tuple(map(str, path)) if isinstance(path, list) else ()


def place_of(data: PassageData) -> Place:
    """Return where a passage stands in the original."""
    return Place.model_validate(data.extra.get("place") or {})
