"""What a document is in the store: its entry, the records of its sections and chunks, and how people are shown them.

Pure: `library.py` reads and writes. A chunk's id follows from its words and what they stand under, so that of a file
which is added again the parts that did not change are the same records, with their vectors.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import ConfigDict, Field

from remanent.errors import InvalidInput
from remanent.knowledge.chunking import ChunkSpan, cut
from remanent.knowledge.model import ChunkState, Document, DocumentChunk
from remanent.lightweight import dataclass
from remanent.loaders import LoadedDocument, Place
from remanent.loaders.document import Section
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
from remanent.model.filters import check_metadata, read_tags
from remanent.stores.search_terms import search_terms
from remanent.text.sentences import sentences
from remanent.text.spans import excerpt

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
    metadata: JsonObject = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    synced: bool = False
    origin: Origin = Origin.USER

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def in_collection(self, collection: str) -> "NewDocument":
        """Return it with what every document can be filtered by, beside what its caller says of it."""
        found_by = {
            "collection": collection,
            "name": self.name,
            "source": self.source,
            "path": self.source if self.synced else self.name,
        }
        return self.replace(metadata=check_metadata({**self.metadata, **found_by}), tags=read_tags(self.tags))


_FOUND_BY = frozenset({"collection", "name", "source", "path"})
"""What `in_collection` adds to the metadata."""


class DocumentAbout(Model):
    """What the record of a document carries beside the fields that all passages have."""

    model_config = ConfigDict(extra="ignore")

    name: str = ""
    collection: str = ""
    source: str = ""
    synced: bool = False
    size: int = 0
    chunk_size: int = 0
    chunks: tuple[str, ...] = ()
    """In order, without those that were added by hand."""
    sections: int = 0
    metadata: JsonObject = Field(default_factory=dict)
    unread: int = 0


@dataclass(slots=True)
class DocumentChanges:
    """What becomes of the records of a document."""

    put: list[tuple[Record, str]] = field(default_factory=list)
    """Each as its next version, with its search terms."""
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


def entry_of(entry_id: str, scope: Scope, new: NewDocument, now: datetime, loaded: LoadedDocument) -> Entry:
    """Return the entry of the journal that a document is."""
    attachment = Attachment(
        attachment_id=new.digest, media_type=loaded.media_type, name=new.name, digest=new.digest, size=len(new.data)
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
        metadata={**new.metadata, "type": loaded.media_type},
        tags=new.tags,
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


def parts_of(entry: Entry, loaded: LoadedDocument, size: int) -> tuple[list[Record], str]:
    """Return the sections and chunks of a document, each as the first version of its record, and its title."""
    title, text, document_id = _title_of(loaded), loaded.text, str(entry.scope.session)
    parts: list[Record] = []
    seen: Counter[tuple[str, str]] = Counter()

    def add(kind: Kind, span: Section | ChunkSpan, content: str, context: str, place: Place, **at: Any) -> str:
        """Add a part; it is found by what it stands under (the title, the headings) as well as by its words."""
        seen[(content, context)] += 1
        record_id = _hash(document_id, kind.value, content, context, str(seen[(content, context)]))
        data = PassageData(
            document_id=document_id, title=title, start=span.start, end=span.end,
            extra={"path": list(span.path), "place": place.model_dump(exclude_none=True)}, **at,
        )  # fmt: skip
        record = Record(
            id=record_id,
            scope=entry.scope,
            kind=kind,
            content=content,
            summary=context,
            # A second time, so that what a document is about counts for more than what it mentions.
            keywords=(title,) if title else (),
            tags=entry.tags,
            created_at=entry.recorded_at,
            updated_at=entry.recorded_at,
            occurred_at=entry.occurred_at,
            sources=(Source(entry_id=entry.id, start=span.start, end=span.end),),
            trust=entry.origin,
            data=data,
        )
        parts.append(record)
        return record_id

    pieces = cut(loaded, size=size)
    sections: dict[tuple[int, tuple[str, ...]], str] = {}
    for section in loaded.sections if len(pieces) > 1 else ():
        lead = excerpt(text[section.start : section.end].partition("\n")[2].strip(), _LEAD)
        content = f"{' › '.join(section.path)}\n{lead}".strip()
        at = section.start, section.path
        sections[at] = add(Kind.SECTION, section, content, title, section.place, parent_id=document_id)
    for position, piece in enumerate(pieces):
        under = loaded.section(piece.start)
        parent = sections.get((under.start, under.path), document_id) if under is not None else document_id
        place = loaded.place_of(piece.start, piece.end)
        add(Kind.CHUNK, piece, piece.of(text), _context_of(title, piece), place, parent_id=parent, position=position)
    return parts, title


def _context_of(title: str, piece: ChunkSpan) -> str:
    """Return what a chunk stands under: the title of its document, then the headings above it."""
    return " › ".join(dict.fromkeys(part for part in (title, *piece.path) if part))


def compare(
    parts: Sequence[Record],
    known: Mapping[str, Record],
    entry: Entry,
    *,
    tell: Callable[[int], object],
    give_way: Callable[[], None],
) -> DocumentChanges:
    """Return what must be written so that the records of a document are those of its new version."""
    changes, now = DocumentChanges(), entry.recorded_at
    current = known.get(str(entry.scope.session))
    metadata = {name: value for name, value in entry.metadata.items() if name != "type"}
    like = current is not None and current.tags == entry.tags and about_of(current).metadata == metadata
    for part in parts:
        if (done := changes.embedded + changes.kept) % _TOLD == 0 and done:
            tell(done)
        before = known.get(part.id)
        is_chunk = part.kind == Kind.CHUNK
        if before is None:
            changes.embedded += is_chunk
            changes.put.append((part, search_terms(part)))
            give_way()
            continue
        changes.kept += is_chunk
        data = with_extra(part, state="edited") if extra_of(before).get("state") else part.data
        status = Status.QUARANTINED if before.status is Status.QUARANTINED else Status.ACTIVE
        if like and before.data == data and before.status is status:
            continue  # nothing moved: the words, their place and what is said of them are as they were
        record = before.replace(
            data=data, status=status, tags=part.tags, updated_at=now, version=before.version + 1,
            sources=part.sources, trust=part.trust, occurred_at=part.occurred_at,
        )  # fmt: skip
        changes.put.append((record, search_terms(record)))
    wanted = {part.id for part in parts}
    for record_id, before in known.items():
        if record_id in wanted or before.kind == Kind.DOCUMENT or before.status is Status.SUPERSEDED:
            continue
        state = state_of(before)
        if state in {"added", "outdated"}:
            continue
        if state == "edited":
            # Somebody's words about a place that has changed: they stay, and say so.
            after = before.replace(data=with_extra(before, state="outdated"))
        else:
            changes.removed += before.kind == Kind.CHUNK
            after = before.replace(status=Status.SUPERSEDED)
        record = after.replace(updated_at=now, version=before.version + 1)
        changes.put.append((record, search_terms(record) if state == "edited" else ""))
    return changes


def document_record(
    entry: Entry,
    new: NewDocument,
    loaded: LoadedDocument,
    parts: Sequence[Record],
    before: Record | None,
    *,
    title: str,
    size: int,
) -> Record:
    """Return the record of the document itself: its summary, and what else is known of it."""
    about = DocumentAbout(
        name=new.name,
        collection=str(new.metadata["collection"]),
        source=new.source,
        synced=new.synced,
        size=len(new.data),
        chunk_size=size,
        chunks=tuple(part.id for part in parts if part.kind == Kind.CHUNK),
        sections=len(loaded.sections),
        metadata=new.metadata,
        unread=len(loaded.unread),
    )
    # Of a short document its only chunk is the summary already: its title must do.
    lead = excerpt(loaded.text.strip(), _LEAD) if len(about.chunks) > 1 else ""
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
            digest=new.digest,
            extra=about.model_dump(mode="json"),
        ),
    )


def is_same(current: Record, new: NewDocument, size: int) -> bool:
    """Tell whether a file that is added again changes nothing: not its bytes, what is said of it, nor how it is cut."""
    about = about_of(current)
    is_cut_so = about.metadata == new.metadata and about.chunk_size == size
    return is_cut_so and _passage_of(current).digest == new.digest and current.tags == new.tags


# ── from records to what people see ──────────────────────────────────────────


def _passage_of(record: Record) -> PassageData:
    """Return what a record of a document is; one of another kind is refused, whoever named its id."""
    if not isinstance(record.data, PassageData):
        raise InvalidInput(f"{record.id} is not part of a document")
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


def about_of(record: Record) -> DocumentAbout:
    """Return what the record of a document carries beside the fields that all passages have."""
    return DocumentAbout.model_validate(extra_of(record))


def document_of(record: Record) -> Document:
    """Return a document as people see it."""
    data, about = _passage_of(record), about_of(record)
    return Document(
        document_id=record.id,
        name=about.name,
        title=data.title,
        collection=about.collection,
        media_type=data.media_type,
        source=about.source,
        synced=about.synced,
        digest=data.digest,
        size=about.size,
        characters=data.end,
        sections=about.sections,
        chunks=len(about.chunks),
        version=record.version,
        added_at=record.created_at,
        updated_at=record.updated_at,
        occurred_at=record.occurred_at,
        metadata={name: value for name, value in about.metadata.items() if name not in _FOUND_BY},
        tags=record.tags,
        unread=about.unread,
        indexed=len(about.chunks),
    )


def chunk_of(record: Record) -> DocumentChunk:
    """Return a chunk as people see it, with its place in the document."""
    data = _passage_of(record)
    return DocumentChunk(
        chunk_id=record.id,
        document_id=data.document_id,
        position=data.position,
        text=record.content,
        path=path_of(data),
        place=place_of(data),
        start=data.start,
        end=data.end,
        state=state_of(record),
        enabled=record.status is not Status.QUARANTINED,
    )


def path_of(data: PassageData) -> tuple[str, ...]:
    """Return the headings above a passage."""
    path = data.extra.get("path")
    return tuple(map(str, path)) if isinstance(path, list) else ()


def place_of(data: PassageData) -> Place:
    """Return where a passage stands in the original."""
    return Place.model_validate(data.extra.get("place") or {})
