"""Knowledge bases as users of the library hold them: one collection of a workspace or of an agent."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from os import PathLike
from typing import Any

from remanent.discipline import AnyMemory
from remanent.errors import InvalidInput
from remanent.jobs import Progress
from remanent.knowledge.folders import Folders, Removal, sync_folder, sync_repeatedly
from remanent.knowledge.library import Library
from remanent.knowledge.model import (
    COLLECTION,
    Added,
    Additions,
    Chunks,
    CollectionView,
    Document,
    DocumentChunk,
    Documents,
    DocumentView,
    KnowledgeAnswer,
    KnowledgeFound,
    KnowledgeStats,
    SyncReport,
    Verification,
)
from remanent.knowledge.proof import Prover
from remanent.knowledge.records import NewDocument
from remanent.knowledge.search import Searcher, SearchOptions, SearchPlace
from remanent.lightweight import dataclass
from remanent.model import SHARED, Scope
from remanent.model.clock import Moment, read_moment


@dataclass(frozen=True, slots=True)
class KnowledgeServices:
    """What all knowledge bases of an open memory share."""

    library: Library
    searcher: Searcher
    folders: Folders
    prover: Prover


class AsyncKnowledgeBases:
    """Opens knowledge bases: called with a workspace and a collection, it returns that collection."""

    def __init__(self, services: KnowledgeServices, memory: AnyMemory) -> None:
        self._services = services
        self._memory = memory

    def __call__(
        self,
        collection: str = COLLECTION,
        *,
        workspace: str | None = None,
        agent: str | None = None,
        org: str | None = None,
    ) -> "AsyncKnowledgeCollection":
        """Return a collection that all agents of a workspace share, or with an `agent` one of its own."""
        scope = self._memory.agent(SHARED if agent is None else agent, workspace=workspace, org=org).scope
        return AsyncKnowledgeCollection(self._services, scope, collection)


class AsyncKnowledgeCollection:
    """Documents that an agent can stand on: one collection of a workspace, or of an agent.

    What an agent searches is its own documents and those that its workspace shares; what it adds is its own.
    """

    def __init__(self, services: KnowledgeServices, scope: Scope, collection: str = COLLECTION) -> None:
        self._services = services
        self._scope = scope
        self._collection = collection

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope} {self._collection}>"

    @property
    def scope(self) -> Scope:
        """Whose documents these are."""
        return self._scope

    @property
    def collection(self) -> str:
        """The name of the collection."""
        return self._collection

    def of(self, collection: str) -> "AsyncKnowledgeCollection":
        """Return another collection of the same owner."""
        return AsyncKnowledgeCollection(self._services, self._scope, collection)

    # ── documents ────────────────────────────────────────────────────────────

    async def add(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        url: str | None = None,
        data: bytes | None = None,
        name: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        occurred_at: Moment | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Added:
        """Add a file, a text, what stands at a public address, or bytes; durable on return.

        A document is known by its name: the same again changes nothing, and of a changed one only the chunks that
        changed are made and embedded anew. Before their vectors are there, chunks are found by their words.
        `on_progress` is told how many chunks are indexed, and how many are left.
        """
        new = await self._services.folders.read(path=path, text=text, url=url, data=data, name=name)
        new = new.replace(
            metadata=dict(metadata or {}),
            tags=tuple(tags),
            occurred_at=_moment(occurred_at) or new.occurred_at,
        )
        return await self._services.library.add(self._scope, self._collection, new, on_chunks=_told(on_progress))

    async def upload(
        self,
        content: bytes,
        *,
        name: str,
        media_type: str = "",
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        occurred_at: Moment | None = None,
        source: str = "",
        synced: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Added:
        """Add the bytes of a file under a name, as `add(data=…)` does; what is sent to a server.

        `source` says where it came from; `synced` that it is taken from a folder, and goes when its file does.
        """
        new = NewDocument(
            data=content,
            name=name,
            media_type=media_type,
            metadata=dict(metadata or {}),
            tags=tuple(tags),
            occurred_at=_moment(occurred_at),
            source=source,
            synced=synced,
        )
        return await self._services.library.add(self._scope, self._collection, new, on_chunks=_told(on_progress))

    async def preview(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        data: bytes | None = None,
        name: str | None = None,
        chunk_size: int | None = None,
    ) -> Chunks:
        """Return the chunks that a document would have; nothing is kept."""
        new = await self._services.folders.read(path=path, text=text, url=None, data=data, name=name)
        return await self._services.library.preview(self._scope, self._collection, new, size=chunk_size)

    async def list(self, *, as_of: Moment | None = None) -> Documents:
        """Return the documents by name, as they are or as they were at a moment.

        `status` says which are being indexed, and which could not be read: those stay listed with their error until
        they are removed or added again.
        """
        return await self._services.library.listed(self._scope, self._collection, as_of=_moment(as_of))

    async def show(self, document: str, *, as_of: Moment | None = None) -> DocumentView:
        """Return a document, by its name or id, with its chunks and the times of its versions.

        For an agent, one of its own, or else one that its workspace shares.
        """
        library, collection = self._services.library, self._collection
        scope = await library.reader_of(self._scope, collection, document)
        return await library.show(scope, collection, document, as_of=_moment(as_of))

    async def original(self, document: str, *, as_of: Moment | None = None) -> bytes:
        """Return the bytes of a document as they were added; of one that is shown."""
        library, collection = self._services.library, self._collection
        scope = await library.reader_of(self._scope, collection, document)
        return await library.bytes_of(scope, collection, document, as_of=_moment(as_of))

    async def remove(self, document: str) -> Document:
        """Erase a document, by its name or id: its bytes, its versions, and all that was made of it."""
        return await self._services.library.remove(self._scope, self._collection, document)

    async def reindex(self, document: str | None = None) -> Additions:
        """Cut a document anew from its bytes, or all of the collection; what did not change keeps its vectors."""
        return await self._services.library.reindex(self._scope, self._collection, document)

    async def stats(self) -> KnowledgeStats:
        """Return how much all collections of this owner hold."""
        return await self._services.library.stats(self._scope)

    # ── folders ──────────────────────────────────────────────────────────────

    async def sync(
        self,
        folder: str | PathLike[str],
        *,
        remove: Removal = "gone",
        on_progress: Callable[[int, int, str], None] | None = None,
        on_chunks: Callable[[str, int, int], None] | None = None,
    ) -> SyncReport:
        """Bring a folder with its subfolders and this collection together, one way: files that changed are added,
        documents whose files are gone are removed. What was added by hand is never touched.

        A folder without any file is refused where it would take all its documents along, unless `remove` is "all".
        `on_progress` is told of files (how many are begun, of how many, which), `on_chunks` of a file's chunks.
        """
        return await sync_folder(self, folder, remove=remove, on_progress=on_progress, on_chunks=on_chunks)

    async def watch(self, folder: str | PathLike[str], *, interval: float | None = None) -> AsyncIterator[SyncReport]:
        """Keep a folder in sync, and yield what was done whenever that is something; ends when it is closed."""
        seconds = self._services.library.settings.watch_interval if interval is None else interval
        async for report in sync_repeatedly(partial(self.sync, folder), seconds=seconds):
            yield report

    # ── searching ────────────────────────────────────────────────────────────

    async def search(
        self,
        question: str,
        *,
        limit: int = 5,
        collections: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        any_tags: Sequence[str] = (),
        prefix: str = "",
        since: Moment | None = None,
        until: Moment | None = None,
        as_of: Moment | None = None,
        hybrid: bool | None = None,
        rewrite: bool | None = None,
        hyde: bool | None = None,
        parents: bool | None = None,
        summaries: bool | None = None,
        gate: bool = False,
    ) -> KnowledgeFound:
        """Return the passages that answer a question, best first, each with its document and its place there.

        `collections` searches these instead of this one, `["*"]` all of them. `where` asks for metadata, and for
        `name`, `source`, `type` and `path`; `prefix` for paths that begin so; `since` and `until` for when a document
        was written. `hybrid`, `rewrite`, `hyde`, `parents` and `summaries` switch a technique on or off for this
        question; `found.techniques` says what was used. With `gate`, a question that nothing here answers gets no
        passages.
        """
        options = SearchOptions(
            limit=_checked_limit(limit), where=where, tags=tags, any_tags=any_tags, prefix=prefix, since=since,
            until=until, as_of=_moment(as_of), hybrid=hybrid, rewrite=rewrite, hyde=hyde, parents=parents,
            summaries=summaries, gated=gate,
        )  # fmt: skip
        return await self._services.searcher.search(await self._places(collections), question, options)

    async def ask(
        self,
        question: str,
        *,
        limit: int = 5,
        collections: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> KnowledgeAnswer:
        """Return the sentences of the documents that answer a question, each with the passages that it stands in.

        Where nothing here answers it, `answered` is false and the text says so; the nearest passages are given still.
        """
        options = SearchOptions(limit=_checked_limit(limit), where=where, gated=True)
        return await self._services.prover.ask(await self._places(collections), question, options)

    async def verify(
        self,
        text: str,
        *,
        collections: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Verification:
        """Say of every sentence of a text whether the documents support, contradict or do not mention it."""
        options = SearchOptions(where=where)
        return await self._services.prover.verify(await self._places(collections), text, options)

    async def _places(self, collections: Sequence[str] | None) -> Sequence[SearchPlace]:
        """Return what is searched: the owner's documents and, for an agent, those that its workspace shares with it."""
        if isinstance(collections, str):
            raise InvalidInput("collections must be a list of names: wrap the name in a list")
        named = (self._collection,) if collections is None else tuple(collections)
        wanted = None if "*" in named else named
        places = [SearchPlace(self._scope, wanted)]
        if self._scope.agent != SHARED:
            open_ones = await self._services.library.open_to(self._scope, wanted)
            if open_ones is None or open_ones:
                places.append(SearchPlace(self._scope.shared, open_ones))
        return places

    # ── chunks and collections ───────────────────────────────────────────────

    async def edit_chunk(self, chunk_id: str, *, text: str | None = None, enabled: bool | None = None) -> DocumentChunk:
        """Change what a chunk says, or whether searches find it.

        Indexing its document anew keeps that as long as its place is unchanged, and marks it `outdated` otherwise.
        """
        return await self._services.library.edit_chunk(self._scope, chunk_id, text=text, enabled=enabled)

    async def add_chunk(self, document: str, text: str, *, after: str | None = None) -> DocumentChunk:
        """Add a chunk to a document by hand, behind another one or at its end."""
        return await self._services.library.add_chunk(self._scope, self._collection, document, text, after=after)

    async def configure(self, *, chunk_size: int | None = None, agents: Sequence[str] | None = None) -> CollectionView:
        """Set how long the chunks of this collection are, and which agents of the workspace may search it."""
        held = await self._services.library.configure(
            self._scope, self._collection, chunk_size=chunk_size, agents=agents
        )
        known = {one.name: one for one in (await self.stats()).collections}
        shown = known.get(self._collection, CollectionView(name=self._collection, chunk_size=held.chunk_size))
        return shown.replace(chunk_size=held.chunk_size, agents=held.agents)


def _told(on_progress: Callable[[Progress], None] | None) -> Callable[[int, int], None] | None:
    if on_progress is None:
        return None
    return lambda done, total: on_progress(Progress(pending=total - done, done=done, failed=0))


def _moment(given: Moment | None) -> datetime | None:
    return None if given is None else read_moment(given)


def _checked_limit(limit: int) -> int:
    if not 1 <= limit <= 100:
        raise InvalidInput("limit: must be between 1 and 100")
    return limit
