"""Deep Retrieval: a tool that shows an agent the original messages and files that a summary was made from.

A summary is what fits into a prompt; this leads from it back to what was really said, word for word. It reads the
journal only, so a record of any discipline can be looked behind.
"""

import base64
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import Field, JsonValue

from remanent.agents.tools import MemoryBackedTool, ToolOutput
from remanent.errors import InvalidInput, NotFound, RemanentError
from remanent.language.roles.react import ToolDefinition
from remanent.loaders import AttachmentType, decoded, load, type_of
from remanent.model import Attachment, Entry, EntryKind, Instant, JsonObject, Model, Origin, Record, Source
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.stores.blobs import AttachmentStore
from remanent.text.sentences import sentence_texts
from remanent.text.terms import index_terms, query_terms

_DEEP_RETRIEVAL = "deep_retrieval"
_MAX_SHOWN_CHARS = 20_000
"""Characters of a file up to which a tool call includes it unasked, and of a page of a long tree: about 5,000 tokens, a
small part of a window. Chosen by hand."""


class TreeEntry(Model):
    """One parent of a tree: what was said, word for word, with the files that belong to it."""

    entry_id: Id
    kind: EntryKind
    text: Text
    """The spans that belong to the node, in their order; of a merge event, what was merged and why."""
    timestamp: Instant
    source: Text = ""
    """Where it came from: the given context, a step's execution, a validation, a merge."""
    metadata: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    """The children: those that the text refers to."""


def tree_of(
    record: Record, entries: Sequence[Entry], *, source_of: Callable[[Entry], str] = lambda _: ""
) -> tuple[TreeEntry, ...]:
    """Return the entries that a record names as its sources, by timestamp.

    Entries that are not given are left out: they were erased, or the caller may not see them. `source_of` says where
    an entry of a discipline came from.
    """
    known = {entry.id: entry for entry in entries}
    spans: dict[str, list[Source]] = {}
    for source in record.sources:
        if source.entry_id in known:
            spans.setdefault(source.entry_id, []).append(source)
    found = [_tree_entry(known[entry_id], parts, source_of(known[entry_id])) for entry_id, parts in spans.items()]
    return tuple(sorted(found, key=lambda shown: (shown.timestamp, known[shown.entry_id].seq)))


def _tree_entry(entry: Entry, parts: Sequence[Source], source: str) -> TreeEntry:
    """Return an entry as far as a record rests on it: the stretches that are its sources, in the order of the text."""
    text = "".join(entry.text[part.start : part.end] for part in sorted(parts, key=lambda part: part.start))
    # An entry that a discipline ingested may carry many files; a record is about those that its own span mentions.
    return TreeEntry(
        entry_id=entry.id,
        kind=entry.kind,
        text=text,
        timestamp=entry.occurred_at,
        source=source,
        metadata=entry.metadata,
        attachments=tuple(item for item in entry.attachments if not source or item.attachment_id in text),
    )


class DeepAttachment(Model):
    """A file with what is in it: a picture in base64, a document as its words or in base64, code as text."""

    id: Text
    type: AttachmentType
    path: Text
    """Where it lies: a URI, never the bytes."""
    name: Text = ""
    media_type: Text = ""
    encoding: Literal["text", "base64", "none"] = "none"
    content: Text = ""
    problem: Text = ""
    """Why there is no content, where there is none."""


class DeepEntry(Model):
    """One entry of a node's trees."""

    id: Id
    text: Text
    timestamp: Instant
    kind: EntryKind
    metadata: JsonObject = Field(default_factory=dict)
    """Where it came from, and which tools were called."""
    attachments: tuple[DeepAttachment, ...] = ()


class DeepRetrieved(Model):
    """What stands behind a node, oldest first: all of it, a page, or what was searched for."""

    node_id: Id
    entries: tuple[DeepEntry, ...]
    next_offset: Count | None = None
    """Where the next page begins, in characters of the entries' texts one after the other; none after the last."""


class DeepRetrieval:
    """Reads what stands behind the nodes of one bank; `tree` returns the entries of a node."""

    def __init__(self, tree: Callable[[str], Sequence[TreeEntry]], kept: AttachmentStore) -> None:
        self._tree = tree
        self._kept = kept

    async def retrieve(
        self,
        node_id: str,
        *,
        attachment_id: str | None = None,
        offset: int = 0,
        limit: int | None = None,
        query: str = "",
    ) -> DeepRetrieved:
        """Return every entry behind a node by time, with its files; of those, only the one that is asked for, if any.

        A long tree is read in pages of `limit` characters, each from the `next_offset` of the one before; with a
        `query`, only the sentences that share words with it are returned. A file that cannot be read has a `problem`
        instead of content, so that one lost file does not hide the rest. An unknown node or attachment is `NotFound`.
        """
        if offset < 0 or (limit is not None and limit < 1):
            raise InvalidInput("offset must not be negative, and limit must be at least 1")
        tree = self._tree(node_id)
        if query.strip():
            tree = _matching(tree, query)
        shown, rest = _page(tree, offset, limit)
        found = await _retrieve(node_id, shown, self._kept, attachment_id)
        return found.replace(next_offset=rest)


def _matching(tree: Sequence[TreeEntry], query: str) -> list[TreeEntry]:
    """Return the entries that have something on a query, with the sentences that do, in their order.

    A word that most sentences have tells little: of a ledger's four hundred items, one is asked for.
    """
    asked = frozenset(query_terms(query))
    shared = [[(text, asked.intersection(index_terms(text))) for text in sentence_texts(one.text)] for one in tree]
    spread = Counter(term for said in shared for _, terms in said for term in terms)
    count = sum(map(len, shared))
    weights = {term: math.log(1 + count / times) for term, times in spread.items()}

    def weight(terms: Iterable[str]) -> float:
        return sum(weights[term] for term in terms)

    least = _LEAST_SHARE * max((weight(terms) for said in shared for _, terms in said), default=0.0)
    found = []
    for entry, said in zip(tree, shared, strict=True):
        sentences = [text for text, terms in said if terms and weight(terms) >= least]
        if sentences:
            found.append(entry.replace(text="\n".join(sentences)))
    return found


_LEAST_SHARE = 0.5
"""The least score of a sentence as a share of the best one's, rare words counting more (chosen by hand)."""


def _page(tree: Sequence[TreeEntry], offset: int, limit: int | None) -> tuple[list[TreeEntry], int | None]:
    """Return what lies between two characters of the entries' texts, and where the rest begins, if there is any."""
    end = offset + limit if limit is not None else sum(len(entry.text) for entry in tree) + 1
    shown, start = [], 0
    for entry in tree:
        if start < end and (start + len(entry.text) > offset or start == offset):
            shown.append(entry.replace(text=entry.text[max(0, offset - start) : end - start]))
        start += len(entry.text)
    return shown, end if start > end else None


async def retrieve_record(
    record: Record,
    entries: Sequence[Entry],
    *,
    kept: AttachmentStore,
    attachment_id: str | None = None,
    source_of: Callable[[Entry], str] = lambda _: "",
) -> DeepRetrieved:
    """Return the entries that a record came from, as far as it did, with their files.

    Unless one file is asked for, long ones are only named, as in a tool call.
    """
    found = await _retrieve(record.id, tree_of(record, entries, source_of=source_of), kept, attachment_id)
    return found if attachment_id is not None else found.replace(entries=tuple(map(_without_long_files, found.entries)))


async def _retrieve(
    node_id: str, entries: Sequence[TreeEntry], kept: AttachmentStore, attachment_id: str | None
) -> DeepRetrieved:
    """Return the entries behind a node with the contents of their files, or of the one file that was asked for.

    A file that no entry has is refused with the ids of those that are there, so that a model can ask again rightly.
    """
    known = {item.attachment_id for entry in entries for item in entry.attachments}
    if attachment_id is not None and attachment_id not in known:
        raise NotFound(f"node {node_id} has no attachment {attachment_id}; it has {', '.join(sorted(known)) or 'none'}")
    found = []
    for entry in entries:
        wanted = [item for item in entry.attachments if attachment_id in {None, item.attachment_id}]
        found.append(
            DeepEntry(
                id=entry.entry_id,
                text=entry.text,
                timestamp=entry.timestamp,
                kind=entry.kind,
                metadata={**entry.metadata, "source": entry.source},
                attachments=tuple([await _attachment(item, kept) for item in wanted]),
            )
        )
    return DeepRetrieved(node_id=node_id, entries=tuple(found))


async def _attachment(item: Attachment, kept: AttachmentStore) -> DeepAttachment:
    """Return a file with its text, in base64 where it has none, or with the reason why it cannot be read.

    One damaged or missing file must not keep the words and the other files of a node from whoever asks.
    """
    shown = DeepAttachment(
        id=item.attachment_id,
        type=type_of(item.media_type, item.name),
        path=item.uri or "",
        name=item.name,
        media_type=item.media_type,
    )
    try:
        content = await kept.get(item)
    except RemanentError as error:
        return shown.replace(problem=f"the file {item.name or item.attachment_id} cannot be read: {error}")
    if shown.type is not AttachmentType.IMAGE:
        try:
            is_code = shown.type is AttachmentType.CODE
            text = decoded(content) if is_code else (await load(content, name=shown.name)).text
        except InvalidInput:
            text = ""
        if text:
            return shown.replace(encoding="text", content=text)
    return shown.replace(encoding="base64", content=base64.b64encode(content).decode("ascii"))


class DeepRetrievalTool(MemoryBackedTool):
    """Deep Retrieval as a tool of an agent; its answer is JSON."""

    origin = Origin.TOOL
    declaration = ToolDefinition(
        name=_DEEP_RETRIEVAL,
        description="Read everything behind a memory node, word for word: "
        "reasoning, tool calls, results, files. A long "
        "history comes in pages: continue at next_offset, or give a query to see only what "
        "is about it. To read a long file, give its attachment_id.",
        parameters={
            "type": "object",
            "properties": {
                "node_id": {"type": "string", "description": "the id of a node in <memory>"},
                "attachment_id": {"type": "string", "description": "one of its files"},
                "offset": {"type": "integer", "description": "where to continue, from next_offset"},
                "query": {"type": "string", "description": "only what is about this"},
            },
            "required": ["node_id"],
        },
        chinese={
            "": "读取某个记忆节点的全部原文、工具调用与附件；内容较长时分页返回，用 next_offset 续读，"
            "或用 query 只看相关句子；较长的附件需用 attachment_id 指定。",
            "node_id": "<memory> 中某个节点的 id",
            "attachment_id": "附件的 id（可选）",
            "offset": "续读位置，取自 next_offset（可选）",
            "query": "只看与此相关的句子（可选）",
        },
    )

    def __init__(self, deep: DeepRetrieval) -> None:
        self._deep = deep

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Return the entries as JSON."""
        node_id, attachment_id = arguments.get("node_id"), arguments.get("attachment_id") or None
        offset, query = arguments.get("offset") or 0, arguments.get("query") or ""
        if (
            not isinstance(node_id, str)
            or not isinstance(attachment_id, str | None)
            or not isinstance(offset, int)
            or not isinstance(query, str)
        ):
            raise InvalidInput(
                'deep_retrieval needs {"node_id": "…"}, and may have {"attachment_id": "…", "offset": 0, "query": "…"}'
            )
        found = await self._deep.retrieve(
            node_id.strip(), attachment_id=attachment_id, offset=offset, limit=_MAX_SHOWN_CHARS, query=query
        )
        if attachment_id is None:
            found = found.replace(entries=tuple(map(_without_long_files, found.entries)))
        return ToolOutput(found.to_json(), metadata={"node_id": node_id})


def _without_long_files(entry: DeepEntry) -> DeepEntry:
    """Return an entry whose long files are only named."""
    return entry.replace(
        attachments=tuple(
            item
            if len(item.content) <= _MAX_SHOWN_CHARS
            else item.replace(content="", problem=f"{len(item.content)} characters; ask for attachment_id {item.id}")
            for item in entry.attachments
        )
    )
