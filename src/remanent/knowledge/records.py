"""What a document is in the store: its entry, the records of its sections and chunks, and how people are shown them.

Pure: `library.py` reads and writes. A chunk's id follows from its words and what they stand under, so that of a file
which is added again the parts that did not change are the same records, with their vectors.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

from remanent.errors import InvalidInput
from remanent.knowledge.chunking import ChunkSpan, cut
from remanent.knowledge.model import ChunkState, Document, DocumentChunk
from remanent.loaders import LoadedDocument, Place
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
)
from remanent.model.base import Model
from remanent.stores.transaction import search_terms
from remanent.text.sentences import sentences
from remanent.text.spans import excerpt
from remanent.values import dataclass

NAME = "knowledge"
_LEAD = 300
"""Characters from the beginning of a section that stand for it: of news and reference texts, the beginning is the
summary that is hardest to beat."""
_MAX_TITLE = 80
"""Characters up to which a first line or a first sentence is taken for a title. Chosen by hand."""
_TOLD = 50
"""Chunks after which it is told how many are indexed: some 50 ms of work."""


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
class DocumentPart:
    """A record as it should be: a chunk, a section or the document itself, without its version."""

    record_id: str
    kind: Kind
    content: str
    context: str
    """What it stands under: the title and the headings; it is found by these words, too."""
    data: PassageData


@dataclass(slots=True)
class DocumentChanges:
    """What becomes of the records of a document."""

    put: list[tuple[Record, int, str]] = field(default_factory=list)
    """With the version that must be current, and the search terms."""
    embedded: int = 0
    kept: int = 0
    removed: int = 0


def collection_scope(scope: Scope, collection: str) -> Scope:
    """Return the part of an agent's memory that a collection is."""
    return scope.owner.within(task=f"{NAME}/{collection}")


def document_id_of(collection: str, name: str) -> str:
    """Return the id of a document: by its name, so that the same one added by two processes is one."""
    return _hash(collection, name)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def entry_of(
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


def expected_document(collection: str, new: NewDocument, now: datetime) -> Document:
    """Return what is known of a document before it is read."""
    return Document(
        document_id=document_id_of(collection, new.name), name=new.name, collection=collection, source=new.source,
        media_type=new.media_type, synced=new.synced, size=len(new.data), version=0, added_at=now, updated_at=now,
        occurred_at=new.occurred_at or now,
    )  # fmt: skip


# ── from a loaded document to its parts ──────────────────────────────────────


def _title_of(loaded: LoadedDocument) -> str:
    """Return what a document calls itself: its own title, its first heading, or a first line or sentence like one."""
    if loaded.title and loaded.title.strip():
        return excerpt(loaded.title.strip(), _MAX_TITLE)
    if loaded.sections and loaded.sections[0].title:
        return excerpt(loaded.sections[0].title, _MAX_TITLE)
    start = loaded.text.lstrip()[: 4 * _MAX_TITLE]
    first = sentences(start)[0].of(start).strip() if start else ""
    bare = first.splitlines()[0].strip().rstrip(".。:：") if first else ""
    return bare if 0 < len(bare) <= _MAX_TITLE and len(loaded.text) > 2 * len(bare) else ""


def parts_of(document_id: str, loaded: LoadedDocument, size: int) -> tuple[list[DocumentPart], str]:
    """Return the sections and chunks of a document, and its title."""
    title, text = _title_of(loaded), loaded.text
    parts: list[DocumentPart] = []
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
        parts.append(DocumentPart(section_id, Kind.SECTION, content, title, data))
    for position, piece in enumerate(pieces):
        content, context = piece.of(text), _context_of(title, piece)
        seen[(content, context)] += 1
        record_id = _hash(document_id, "chunk", content, context, str(seen[(content, context)]))
        under = loaded.section(piece.start)
        parent = sections.get((under.start, under.path), document_id) if under is not None else document_id
        place = loaded.place_of(piece.start, piece.end).model_dump(exclude_none=True)
        data = PassageData(
            document_id=document_id, parent_id=parent, title=title, position=position, start=piece.start,
            end=piece.end, extra={"path": list(piece.path), "place": place},
        )  # fmt: skip
        parts.append(DocumentPart(record_id, Kind.CHUNK, content, context, data))
    return parts, title


def _context_of(title: str, piece: ChunkSpan) -> str:
    """Return what a chunk stands under: the title of its document, then the headings above it."""
    return " › ".join(dict.fromkeys(part for part in (title, *piece.path) if part))


def compare(
    parts: Sequence[DocumentPart],
    known: Mapping[str, Record],
    entry: Entry,
    now: datetime,
    *,
    like: bool,
    tell: Callable[[int], object],
    give_way: Callable[[], None],
) -> DocumentChanges:
    """Return what must be written so that the records of a document are those of its new version."""
    changes = DocumentChanges()
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
        state = extra_of(before).get("state")
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
        state = state_of(before)
        if state in {"added", "outdated"}:
            continue
        if state == "edited":
            # Somebody's words about a place that has changed: they stay, and say so.
            record = before.replace(
                data=with_extra(before, state="outdated"), updated_at=now, version=before.version + 1
            )
            changes.put.append((record, before.version, search_terms(record)))
            continue
        changes.removed += before.kind == Kind.CHUNK
        record = before.replace(status=Status.SUPERSEDED, updated_at=now, version=before.version + 1)
        changes.put.append((record, before.version, ""))
    return changes


def _sources(part: DocumentPart, entry: Entry) -> tuple[Source, ...]:
    return (Source(entry_id=entry.id, start=part.data.start, end=part.data.end),)


def _record(part: DocumentPart, entry: Entry, now: datetime) -> Record:
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


def document_record(
    entry: Entry,
    loaded: LoadedDocument,
    parts: Sequence[DocumentPart],
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


def reserved(new: NewDocument, collection: str) -> JsonObject:
    """Return what every document can be filtered by, beside what its caller says of it."""
    return {
        "collection": collection,
        "name": new.name,
        "source": new.source,
        "path": new.source if new.synced else new.name,
    }


def is_same(current: Record, digest: str, metadata: JsonObject, tags: tuple[str, ...], size: int) -> bool:
    """Tell whether a file that is added again changes nothing: not its bytes, what is said of it, nor how it is cut."""
    extra = extra_of(current)
    return (
        _passage_of(current).digest == digest
        and extra.get("metadata") == metadata
        and extra.get("chunk_size") == size
        and current.tags == tags
    )


# ── from records to what people see ──────────────────────────────────────────


def _passage_of(record: Record) -> PassageData:
    """Return what a record of a document is; one of another kind is refused, whoever named its id."""
    if not isinstance(record.data, PassageData):
        raise InvalidInput(f"{record.id} is no part of a document")
    return record.data


def extra_of(record: Record) -> JsonObject:
    """Return what a passage carries beside the fields that all passages have."""
    return _passage_of(record).extra


def state_of(record: Record) -> ChunkState:
    """Return what was done to a chunk by hand; whatever else stands there counts as made by us."""
    state = extra_of(record).get("state", "made")
    return state if state in {"edited", "added", "outdated"} else "made"  # type: ignore[return-value]


def with_extra(record: Record, **extra: Any) -> PassageData:
    """Return the data of a record with more beside its fields."""
    data = _passage_of(record)
    return data.replace(extra={**data.extra, **extra})


def chunk_ids(record: Record) -> tuple[str, ...]:
    """Return the chunks of a document in order, without those that were added by hand."""
    chunks = extra_of(record).get("chunks")
    return tuple(map(str, chunks)) if isinstance(chunks, list) else ()


def document_of(record: Record) -> Document:
    """Return a document as people see it."""
    data, extra = _passage_of(record), extra_of(record)
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
        chunks=len(chunk_ids(record)),
        version=record.version,
        added_at=record.created_at,
        updated_at=record.updated_at,
        occurred_at=record.occurred_at,
        metadata={key: value for key, value in given.items() if key not in {"collection", "name", "source", "path"}},
        tags=record.tags,
        unread=int(str(extra.get("unread", 0))),
        indexed=len(chunk_ids(record)),
    )


def chunk_of(record: Record) -> DocumentChunk:
    """Return a chunk as people see it."""
    shown = shown_chunk(record.id, record.content, _passage_of(record))
    return shown.replace(state=state_of(record), enabled=record.status is not Status.QUARANTINED)


def shown_chunk(record_id: str, content: str, data: PassageData) -> DocumentChunk:
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
