"""The operations of knowledge bases, and how the command line shows their answers to people.

They are done for an agent; the agent `shared` stands for its workspace. So a key for one agent reads what the workspace
shares, and adds to or removes from its own documents only.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from remanent.bilingual import Bilingual, Language, bilingual_words, translated
from remanent.discipline.operation import Body, Command, Face, FolderCommand, Permission, Screen, Tool, operation
from remanent.discipline.port import Call, ProgressStep
from remanent.discipline.shapes import AnyTags, AsOf, Nothing, Page, Since, Tags, Until, Where, about
from remanent.errors import InvalidInput, UnreadableFile
from remanent.jobs import Progress
from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from remanent.knowledge.model import (
    COLLECTION,
    Added,
    CollectionView,
    Document,
    DocumentChunk,
    DocumentView,
    KnowledgeAnswer,
    KnowledgeFound,
    KnowledgeStats,
    SyncReport,
    Verification,
)
from remanent.knowledge.uploads import PartialUploads, read_file
from remanent.model import SHARED, Model
from remanent.model.base import Count, JsonObject, Text
from remanent.model.filters import MAX_TAGS, metadata_object
from remanent.model.ids import Id
from remanent.text.escaping import escape
from remanent.text.spans import excerpt

READ, WRITE = Permission.READ, Permission.WRITE
NAME = "knowledge"
_SHOWN = 300
"""Characters of a passage that a terminal shows."""
ADDED = Bilingual(
    "{name}: {status}, {chunks} chunks, {embedded} of them new.",
    "{name}：{status}，{chunks} 个文本块，其中 {embedded} 个为新。",
)
STATUS = {one.en: one for one in bilingual_words("added 已添加, changed 已更新, unchanged 未变化")}
NOTHING_FOUND = Bilingual("No matching passage.", "没有相符的段落。")
REMOVED = Bilingual("Removed: {name}.", "已删除：{name}。")
SYNCED = Bilingual(
    "{added} added, {changed} changed, {unchanged} unchanged, {removed} removed; {embedded} chunks are new.",
    "新增 {added}，更新 {changed}，未变 {unchanged}，移除 {removed}；新文本块 {embedded} 个。",
)
FAILED = Bilingual("{name} was not added: {reason}", "未能添加 {name}：{reason}")
HEADINGS = bilingual_words("name 名称, title 标题, chunks 文本块, changed 更新于, status 状态")
DOCUMENT_STATUS = {
    "ready": Bilingual("ready", "就绪"),
    "indexing": Bilingual("indexing {done}/{total}", "正在索引 {done}/{total}"),
    "failed": Bilingual("failed: {error}", "失败：{error}"),
}

CHUNK_STATE = {
    "edited": Bilingual("edited by hand", "已手工修改"),
    "added": Bilingual("added by hand", "手工添加"),
    "outdated": Bilingual("edited by hand; this part of the document has changed since", "已手工修改，原文此后有变"),
}
SWITCHED_OFF = Bilingual("disabled: hidden from search", "已停用，检索时不可见")
STATS = Bilingual(
    "{documents} documents, {chunks} chunks, {characters} characters, {bytes} "
    "bytes; {unembedded} chunks are not yet indexed by meaning.",
    "{documents} 份文档，{chunks} 个文本块，{characters} 个字符，{bytes} 字节；{unembedded} 个文本块尚待建立语义索引。",
)
FINER_STATS = Bilingual(
    "Searchable by meaning; a finer pass over English texts is still running: {finer_read} of {finer_of}.",
    "已可按语义检索；英文精读进行中：{finer_read}/{finer_of}。",
)
COLLECTION_HEADINGS = bilingual_words(
    "collection 集合, documents 文档, chunks 文本块, chunk size 文本块大小, open only to 仅对以下智能体开放"
)

Collection = Annotated[str, about("The collection.", "集合。", min_length=1, max_length=150)]
Collections = Annotated[
    tuple[str, ...] | None,
    about("Search these collections instead; * for all.", "改为检索这些集合；* 表示全部。", max_length=100),
]
ChunkCharacters = Annotated[int | None, about("Characters per chunk.", "每个文本块的字符数。", ge=100, le=8000)]
NewMetadata = Annotated[
    JsonObject | None,
    BeforeValidator(metadata_object, json_schema_input_type=JsonObject | None),
    about("Metadata to filter by later.", "供检索时筛选的元数据。"),
]
NewTags = Annotated[tuple[str, ...], about("Tags to filter by later.", "供检索时筛选的标签。", max_length=MAX_TAGS)]
Named = Annotated[str, about("A document: its name or its id.", "文档的名称或 id。", min_length=1, max_length=1000)]


def _show_added(screen: Screen, answer: Added) -> None:
    """Say what adding did."""
    status = screen.word(STATUS[answer.status])
    document = answer.document
    screen.line(screen.word(ADDED, name=document.name, status=status, chunks=document.chunks, embedded=answer.embedded))


def _show_all_added(screen: Screen, page: Page[Added]) -> None:
    """Say of each document what became of it."""
    for one in page.items:
        _show_added(screen, one)


def _add_folder(
    memory: Any,
    folder: Path,
    given: Mapping[str, Any],
    *,
    agent: str | None,
    on_progress: Callable[[int, int, str], None],
) -> SyncReport:
    """Add every file of a folder; nothing is removed for it unless `remove` is given."""
    begun, files = 0, 0

    def on_file(number: int, total: int, name: str) -> None:
        nonlocal begun, files
        begun, files = number, total
        on_progress(number, total, name)

    def on_chunks(name: str, done: int, total: int) -> None:
        on_progress(begun, files, f"{name} ({done}/{total})")

    if any(given.get(field) for field in ("name", "media_type", "metadata", "tags", "occurred_at")):
        raise InvalidInput(
            f"{folder} is a folder, but a name, media type, metadata, tags and date apply to a "
            "single document; leave them out, or add its files one by one"
        )
    base = memory.knowledge(given["collection"], agent=agent)
    report: SyncReport = base.sync(
        folder, remove=given.get("remove", "never"), on_progress=on_file, on_chunks=on_chunks
    )
    return report


def _show_synced(screen: Screen, report: SyncReport) -> None:
    """Say what became of the files of a folder."""
    for one in report.failed:
        screen.tell(FAILED, name=one.name, reason=translated(one.reason, screen.language))
    counts = {name: len(getattr(report, name)) for name in ("added", "changed", "removed")}
    screen.line(screen.word(SYNCED, unchanged=report.unchanged, embedded=report.embedded, **counts))


def _sync_folder(memory: Any, folder: Path, given: Mapping[str, Any], **more: Any) -> SyncReport:
    """Bring a folder and a collection together; what is gone is removed, too."""
    return _add_folder(memory, folder, {**given, "remove": "all" if given["force"] else "gone"}, **more)


def _watch_folder(memory: Any, folder: Path, given: Mapping[str, Any], *, agent: str | None) -> Iterator[SyncReport]:
    """Keep a folder and a collection together."""
    found: Iterator[SyncReport] = memory.knowledge(given["collection"], agent=agent).watch(folder)
    return found


FOLDER = FolderCommand(run=_add_folder, show=_show_synced)
SYNC = FolderCommand(run=_sync_folder, show=_show_synced, watch=_watch_folder)


def _show_documents(screen: Screen, page: Page[Document]) -> None:
    """Show documents as a table."""
    rows = [
        (one.name, one.title, str(one.chunks), screen.moment(one.updated_at), _status(screen, one))
        for one in page.items
    ]
    screen.rows(HEADINGS, rows)


def _status(screen: Screen, document: Document) -> str:
    """Say how far a document is, and why no further."""
    status = DOCUMENT_STATUS[document.status]
    error = document.error_zh if screen.language == "zh" else document.error
    return screen.word(status, done=document.indexed, total=document.chunks, error=error)


def _show_document(screen: Screen, view: DocumentView) -> None:
    """Show the chunks of a document, under how far it is where it is not ready."""
    if view.document.status != "ready":
        screen.line(_status(screen, view.document))
    for chunk in view.chunks:
        _show_chunk(screen, chunk)


def _show_chunk(screen: Screen, chunk: DocumentChunk) -> None:
    """Show a chunk under its headings, with what was done to it by hand."""
    marks = [screen.word(CHUNK_STATE[chunk.state])] if chunk.state in CHUNK_STATE else []
    marks += [] if chunk.enabled else [screen.word(SWITCHED_OFF)]
    told = [f"[{chunk.chunk_id}]", " › ".join(chunk.path), *(f"({mark})" for mark in marks)]
    screen.line(" ".join(part for part in told if part))
    screen.line(_indented(chunk.text))


def _show_preview(screen: Screen, page: Page[DocumentChunk]) -> None:
    """Show the chunks that a document would have, in order."""
    for number, chunk in enumerate(page.items, start=1):
        screen.line(" ".join(part for part in (f"{number}.", " › ".join(chunk.path)) if part))
        screen.line(_indented(chunk.text))


def _indented(text: str) -> str:
    return "    " + excerpt(text, _SHOWN).replace("\n", "\n    ")


def _show_stats(screen: Screen, stats: KnowledgeStats) -> None:
    """Show how much there is, by collection."""
    counts = {name: getattr(stats, name) for name in ("documents", "chunks", "characters", "bytes", "unembedded")}
    screen.line(screen.word(STATS, **counts))
    if stats.finer_of and not stats.unembedded:
        screen.line(screen.word(FINER_STATS, finer_read=stats.finer_read, finer_of=stats.finer_of))
    rows = [
        (one.name, str(one.documents), str(one.chunks), str(one.chunk_size), ", ".join(one.agents or ()))
        for one in stats.collections
    ]
    screen.rows(COLLECTION_HEADINGS, rows)


def _show_passages(screen: Screen, found: KnowledgeFound) -> None:
    """Show passages, each under where it stands."""
    if not found.items:
        screen.tell(NOTHING_FOUND)
    for number, item in enumerate(found.items, start=1):
        screen.line(f"{number}. {item.cite(screen.language)}")
        screen.line(_indented(item.text))


def _tell_passages(found: KnowledgeFound, language: Language) -> str:
    """Write passages for a model: stored words are escaped, and each has the id that opens its document."""
    if not found.items:
        return NOTHING_FOUND.say(language)
    return "\n\n".join(
        f"[{item.document_id}] {escape(item.cite(language))}\n{escape(item.before + item.text + item.after)}"
        for item in found.items
    )


def _tell_document(view: DocumentView, language: Language) -> str:
    del language
    return "\n\n".join(escape(chunk.text) for chunk in view.chunks if chunk.enabled)


_reads = partial(operation, permission=Permission.READ, part=NAME)
_writes = partial(operation, permission=Permission.WRITE, part=NAME)
_command = partial(Command, agent=SHARED)


def _of(call: Call, collection: str) -> AsyncKnowledgeCollection:
    """Return a collection at the place that the call was made for."""
    scope = call.agent.scope
    return call.memory.face(AsyncKnowledgeBases)(
        collection, agent=scope.agent, workspace=scope.workspace, org=scope.org
    )


def _given(request: Model) -> dict[str, Any]:
    """Return what a method of a collection takes: all of a request but the collection's name."""
    return {name: value for name, value in request if name != "collection"}


def _uploads(call: Call) -> PartialUploads:
    return PartialUploads(call.memory.shelf)


_SHA256 = r"^[0-9a-f]{64}$"


class AddDocument(Model):
    """What is said of a file that is added."""

    name: Annotated[
        str,
        about("Its name; adding the same name again replaces it.", "文档名称；同名再次添加即替换。", max_length=1000),
    ] = ""
    collection: Collection = COLLECTION
    media_type: Annotated[
        str,
        about("Its media type, if the content does not reveal it.", "媒体类型，内容不足以判断时填写。", max_length=200),
    ] = ""
    metadata: NewMetadata = None
    tags: NewTags = ()
    occurred_at: Annotated[Since, about("When it was written.", "文档写成的时间。")] = None
    source: Annotated[str, about("Where it came from.", "文档来自何处。", max_length=4000)] = ""
    synced: Annotated[
        bool,
        about(
            "Whether it comes from a folder that a client keeps in sync, and is removed along with its file.",
            "是否取自客户端保持同步的文件夹；其文件消失时一并移除。",
        ),
    ] = False


@_writes(
    "knowledge.add",
    zh="添加一份文档：原样保存，按内容切分并建立索引；同名再次添加时只更新变化的部分。",
    act="create_memory",
    route="POST knowledge/documents",
    reads=Body.BYTES,
    settles=True,
    examples=({"name": "manual.md"},),
    face=Face("upload", part=NAME, upload="content"),
    command=_command(show=_show_added, folder=FOLDER),
)
async def add(call: Call, request: AddDocument) -> Added:
    """Add a document: stored as it is, split into chunks and indexed; for a known name, only what changed is redone."""
    return await _add(call, request, await read_file(call.sent()))


async def _add(call: Call, request: AddDocument, content: bytes) -> Added:
    """Add a file and report how far its chunks are embedded, which takes nearly all of the time."""

    def tell(progress: Progress) -> None:
        done, total = progress.done, progress.done + progress.pending
        call.report(ProgressStep(done=done, total=total, note=f"{request.name} {done}/{total}"))

    given = {name: value for name, value in request if name not in {"collection", "digest"}}
    return await _of(call, request.collection).upload(content, **given, on_progress=tell)


class UploadReference(Model):
    """A file that is sent in parts."""

    digest: Annotated[str, about("The SHA-256 of the whole file.", "整个文件的 SHA-256。", pattern=_SHA256)]


class SendPart(UploadReference):
    """Where a part of it begins."""

    offset: Annotated[
        int,
        about(
            "How many bytes come before this part, as given by `received`.", "此段之前的字节数，见 `received`。", ge=0
        ),
    ] = 0


class UploadState(UploadReference):
    """How much of a file is here."""

    received: Count
    """Bytes; the next part begins there."""


@operation(
    "knowledge.upload_state",
    zh="查看分段上传的文件已收到多少字节，以便从断点继续。",
    permission=READ,
    route="GET knowledge/uploads/{digest}",
    command=None,
)
async def upload_state(call: Call, request: UploadReference) -> UploadState:
    """Show how much of a file sent in parts has arrived, so that sending can continue from there."""
    received = await _uploads(call).received(call.agent.scope, request.digest)
    return UploadState(digest=request.digest, received=received)


@operation(
    "knowledge.send_part",
    zh="上传文件的下一段；连接中断时已到达的部分会保留。",
    permission=WRITE,
    route="PUT knowledge/uploads/{digest}",
    reads=Body.BYTES,
    command=None,
)
async def send_part(call: Call, request: SendPart) -> UploadState:
    """Send the next part of a file; whatever arrived before a lost connection is kept."""
    received = await _uploads(call).append(call.agent.scope, request.digest, call.sent(), offset=request.offset)
    return UploadState(digest=request.digest, received=received)


class AddUpload(AddDocument, UploadReference):
    """What is said of a file that was sent in parts."""


@operation(
    "knowledge.add_upload",
    zh="将分段上传完毕的文件添加为文档，与 knowledge.add 相同。",
    permission=WRITE,
    act="create_memory",
    route="POST knowledge/uploads/{digest}",
    settles=True,
    command=None,
)
async def add_upload(call: Call, request: AddUpload) -> Added:
    """Add a file once all its parts have arrived, just like `knowledge.add`."""
    uploads, scope = _uploads(call), call.agent.scope
    content = await uploads.take(scope, request.digest)
    try:
        added = await _add(call, request, content)
    except UnreadableFile:
        await uploads.discard(scope, request.digest)  # no further part would make it readable
        raise
    await uploads.discard(scope, request.digest)
    return added


class AddAddress(Model):
    """A page of the public web."""

    url: Annotated[str, about("The address of the page.", "网页地址。", min_length=1, max_length=4000)]
    name: Annotated[
        str | None, about("Its name; defaults to its address.", "文档名称；不填则用其地址。", max_length=1000)
    ] = None
    collection: Collection = COLLECTION
    metadata: NewMetadata = None
    tags: NewTags = ()
    occurred_at: Annotated[
        Since, about("When it was written; defaults to when it was fetched.", "文档写成的时间；不填则为抓取时间。")
    ] = None


@operation(
    "knowledge.fetch",
    zh="抓取公开网页并添加为文档。",
    permission=WRITE,
    act="create_memory",
    route="POST knowledge/pages",
    settles=True,
    command=_command(arguments=("url",), show=_show_added),
)
async def fetch(call: Call, request: AddAddress) -> Added:
    """Fetch a public web page and add it as a document."""
    return await _of(call, request.collection).add(**_given(request))


class PreviewDocument(Model):
    """A file whose chunks are to be seen before it is added."""

    name: Annotated[str, about("Its name.", "文件名。", max_length=1000)] = ""
    collection: Collection = COLLECTION
    chunk_size: ChunkCharacters = None


@operation(
    "knowledge.preview",
    zh="预览文档会被切成哪些文本块；什么也不保存。",
    permission=READ,
    route="POST knowledge/preview",
    reads=Body.BYTES,
    command=_command(show=_show_preview),
)
async def preview(call: Call, request: PreviewDocument) -> Page[DocumentChunk]:
    """Show the chunks a document would be split into; nothing is stored."""
    content = await read_file(call.sent())
    base = _of(call, request.collection)
    return Page(items=tuple(await base.preview(data=content, name=request.name, chunk_size=request.chunk_size)))


class ListDocuments(Model):
    """Which documents."""

    collection: Collection = COLLECTION
    as_of: AsOf = None


@_reads("knowledge.list", zh="列出文档。", route="GET knowledge/documents", command=_command(show=_show_documents))
async def list_documents(call: Call, request: ListDocuments) -> Page[Document]:
    """List the documents by name."""
    return Page(items=tuple(await _of(call, request.collection).list(as_of=request.as_of)))


class ShowDocument(ListDocuments):
    """One document."""

    document: Named


@_reads(
    "knowledge.show",
    zh="显示一份文档及其文本块与版本。",
    route="GET knowledge/documents/{document}",
    command=_command(show=_show_document),
    tool=Tool(
        "knowledge_open",
        Bilingual(
            "Open a document found by knowledge_search, by its id or name: its full text, in order.",
            "按 id 或名称打开 knowledge_search 找到的文档：按顺序给出全文。",
        ),
        fields=("document",),
        tell=_tell_document,
    ),
)
async def show(call: Call, request: ShowDocument) -> DocumentView:
    """Show a document with its chunks and the times of its versions."""
    return await _of(call, request.collection).show(request.document, as_of=request.as_of)


@_reads(
    "knowledge.original", zh="取出文档的原始字节。", route="GET knowledge/documents/{document}/original", command=None
)
async def original(call: Call, request: ShowDocument) -> bytes:
    """Return the bytes of a document as they were added."""
    return await _of(call, request.collection).original(request.document, as_of=request.as_of)


class OneDocument(Model):
    """One document."""

    document: Named
    collection: Collection = COLLECTION


@_writes(
    "knowledge.remove",
    zh="删除文档：字节、所有版本及由其得出的一切。",
    act="delete_memory",
    route="DELETE knowledge/documents/{document}",
    destroys=True,
    command=_command(show=lambda screen, answer: screen.line(screen.word(REMOVED, name=answer.name))),
)
async def remove(call: Call, request: OneDocument) -> Document:
    """Erase a document: its bytes, every version and everything derived from it."""
    return await _of(call, request.collection).remove(request.document)


class Reindex(Model):
    """Which documents."""

    document: Annotated[
        str | None,
        about("A document; defaults to the whole collection.", "文档；不填则为整个集合。", max_length=1000),
    ] = None
    collection: Collection = COLLECTION


@_writes(
    "knowledge.reindex",
    zh="由原始字节重新切分并索引文档；未变化的部分保留其向量。",
    settles=True,
    command=_command(arguments=("document",), show=_show_all_added),
)
async def reindex(call: Call, request: Reindex) -> Page[Added]:
    """Split and index documents again from their bytes; what did not change keeps its vectors."""
    return Page(items=tuple(await _of(call, request.collection).reindex(request.document)))


@_reads("knowledge.stats", zh="显示知识库的规模。", route="GET knowledge/stats", command=_command(show=_show_stats))
async def stats(call: Call, _: Nothing) -> KnowledgeStats:
    """Show how much the collections hold."""
    return await _of(call, COLLECTION).stats()


class AskKnowledge(Model):
    """A question."""

    question: Annotated[Text, about("The question.", "问题。", min_length=1, max_length=10_000)]
    limit: Annotated[int, about("How many passages.", "返回多少段。", ge=1, le=100)] = 5
    collection: Collection = COLLECTION
    collections: Collections = None
    where: Where = None


class SearchKnowledge(AskKnowledge):
    """What is looked for, and how."""

    tags: Tags = ()
    any_tags: AnyTags = ()
    prefix: Annotated[str, about("Only paths that begin with this.", "只要路径以此开头的。", max_length=1000)] = ""
    since: Since = None
    until: Until = None
    as_of: AsOf = None
    hybrid: Annotated[
        bool | None,
        about("Search by words and by meaning, not by meaning alone.", "同时依据关键词与语义，而非仅依据语义。"),
    ] = None
    rewrite: Annotated[
        bool | None, about("Also search with other wordings of the question.", "同时使用改写后的问题。")
    ] = None
    hyde: Annotated[
        bool | None, about("Also search for what an ideal answer would say.", "同时按假设的理想答案查找。")
    ] = None
    parents: Annotated[
        bool | None, about("Include the text before and after each passage.", "附带各段落的前后文。")
    ] = None
    summaries: Annotated[
        bool | None, about("Match summaries of documents and sections first.", "先匹配文档与章节的摘要。")
    ] = None
    gate: Annotated[
        bool, about("Return nothing if nothing here answers the question.", "没有能回答的内容时不返回段落。")
    ] = False


@_reads(
    "knowledge.search",
    zh="在文档中检索：返回段落及其文档与位置，最相关的在前。",
    act="search_memory",
    route="POST knowledge/search",
    examples=({"question": "How often is the filter cleaned?"},),
    command=_command(arguments=("question",), show=_show_passages, found=lambda answer: bool(answer.items)),
    tool=Tool(
        "knowledge_search",
        Bilingual(
            "Search the documents of the knowledge base. Returns passages with their document, their place in it "
            "and the document's id, which knowledge_open takes. Cite the document and the place in your answer.",
            "在知识库的文档中检索。返回段落及其文档、位置与 id（可用 knowledge_open 打开）。作答时请注明文档与位置。",
        ),
        fields=("question", "limit"),
        tell=_tell_passages,
    ),
)
async def search(call: Call, request: SearchKnowledge) -> KnowledgeFound:
    """Search documents: passages with their document and place, best first."""
    return await _of(call, request.collection).search(**_given(request))


def _show_answer(screen: Screen, answer: KnowledgeAnswer) -> None:
    """Show an answer, and under it where its sentences stand."""
    screen.line(answer.text)
    if any(one.citations for one in answer.sentences):
        for number, item in enumerate(answer.passages, start=1):
            screen.line(f"    [{number}] {item.cite(screen.language)}")


@_reads(
    "knowledge.ask",
    zh="由文档回答问题：每句附出处；没有答案时如实说明。",
    act="search_memory",
    route="POST knowledge/ask",
    examples=({"question": "How often is the filter cleaned?"},),
    command=_command(arguments=("question",), show=_show_answer, found=lambda answer: answer.answered),
)
async def ask(call: Call, request: AskKnowledge) -> KnowledgeAnswer:
    """Answer a question from the documents, citing a place for each sentence; say so if nothing answers it."""
    return await _of(call, request.collection).ask(**_given(request))


class VerifyText(Model):
    """A text to hold against the documents."""

    text: Annotated[Text, about("The text to check.", "待核对的文本。", min_length=1, max_length=100_000)]
    collection: Collection = COLLECTION
    collections: Collections = None
    where: Where = None


VERDICTS = {
    "supported": Bilingual("supported", "有依据"),
    "contradicted": Bilingual("contradicted", "与文档矛盾"),
    "not_mentioned": Bilingual("not mentioned", "未提及"),
}


def _show_verification(screen: Screen, answer: Verification) -> None:
    """Show what the documents say of each sentence."""
    for one in answer.sentences:
        screen.line(f"{screen.word(VERDICTS[one.verdict])}: {one.text}")
        if one.evidence:
            screen.line(f"    {one.citation}: {one.evidence}")


@_reads(
    "knowledge.verify",
    zh="逐句核对一段文本：文档支持、与之矛盾或未提及。",
    act="search_memory",
    route="POST knowledge/verify",
    command=_command(arguments=("text",), show=_show_verification),
)
async def verify(call: Call, request: VerifyText) -> Verification:
    """Check a text sentence by sentence: whether the documents support, contradict or do not mention it."""
    return await _of(call, request.collection).verify(**_given(request))


class EditChunk(Model):
    """What to change of a chunk."""

    chunk_id: Annotated[Id, about("The id of the chunk, as shown by `show`.", "文本块的 id，见 `show`。")]
    text: Annotated[str | None, about("The new text.", "新的内容。", max_length=100_000)] = None
    enabled: Annotated[bool | None, about("Whether searches find it.", "检索时是否可见。")] = None


@_writes(
    "knowledge.edit_chunk",
    zh="修改文本块的内容，或设定检索时是否可见。",
    act="update_memory",
    route="PUT knowledge/chunks/{chunk_id}",
    settles=True,
    command=_command(show=_show_chunk),
)
async def edit_chunk(call: Call, request: EditChunk) -> DocumentChunk:
    """Change a chunk's text, or whether searches find it; the change survives reindexing."""
    return await _of(call, COLLECTION).edit_chunk(**dict(request))


class AddChunk(OneDocument):
    """A chunk to add to a document."""

    text: Annotated[Text, about("What it says.", "内容。", min_length=1, max_length=100_000)]
    after: Annotated[Id | None, about("After this chunk; defaults to the end.", "置于此块之后；不填则在末尾。")] = None


@_writes(
    "knowledge.add_chunk",
    zh="为文档手工添加一个文本块。",
    act="create_memory",
    route="POST knowledge/documents/{document}/chunks",
    settles=True,
    command=_command(arguments=("document", "text"), show=_show_chunk),
)
async def add_chunk(call: Call, request: AddChunk) -> DocumentChunk:
    """Add a chunk to a document by hand."""
    return await _of(call, request.collection).add_chunk(**_given(request))


class Configure(Model):
    """How a collection is set up."""

    collection: Collection = COLLECTION
    chunk_size: ChunkCharacters = None
    agents: Annotated[
        tuple[str, ...] | None,
        about("The agents that may search it; defaults to all.", "可检索它的智能体；不填则为全部。", max_length=1000),
    ] = None


@_writes(
    "knowledge.configure",
    zh="设置集合：文本块大小，以及哪些智能体可以检索。",
    route="PUT knowledge/collections/{collection}",
    command=_command(),
)
async def configure(call: Call, request: Configure) -> CollectionView:
    """Configure a collection: how long its chunks are, and which agents may search it."""
    return await _of(call, request.collection).configure(**_given(request))


OPERATIONS = (
    add, upload_state, send_part, add_upload, fetch, preview, list_documents, show, original, remove, reindex, stats,
    search, ask, verify, edit_chunk, add_chunk, configure,
)  # fmt: skip
