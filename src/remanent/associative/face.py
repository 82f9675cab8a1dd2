"""One agent's associative memory as a user of the library holds it, and what the memories of all agents share."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from remanent.associative.graph import Graph, GraphParts, Vertex
from remanent.associative.model import (
    COMPRESS,
    REMEMBER,
    REWRITE,
    AssociativeFound,
    Forgotten,
    GraphState,
    LinkHealth,
    Node,
    NodeMatch,
    RecalledNode,
)
from remanent.associative.search import LANE, GraphQuery, SearchEngine, SearchResult, Watermark, keywords_of
from remanent.associative.widening import WideningSearch
from remanent.embedding import Embedders
from remanent.errors import InvalidInput, NotFound, StoreClosed
from remanent.jobs import Handler
from remanent.lightweight import dataclass
from remanent.model import Entry, FoundSource, Job, JobState, Receipt, Record, Scope
from remanent.model.chat import Messages
from remanent.recall import inject
from remanent.stores import JobQuery, Transaction, Vectors

if TYPE_CHECKING:
    from remanent.associative.triples import LoadedTriples, TripleLoader
    from remanent.associative.writer import CompressionScheduler, Compressor, GraphWriter

_CLOSE_POLL_SECONDS = 0.02
"""Seconds between looks at a job that is let end; closing is rare, so that polling is simpler than being told."""


_ENTRIES_AT_ONCE = 200
"""Entries that one job makes nodes of; a longer call becomes several jobs.

Chosen by hand: a job that is cut off begins anew, so that no more than this is done twice."""


@dataclass(eq=False)
class Associations(GraphParts):
    """What all agents' associative memories share: their graphs, and those who write, compress, restore and load them.

    The faces of single agents are thin and made at every access; whatever has a state lives here.
    """

    vectors: Vectors | None = None
    embedders: Embedders | None = None
    compressor: "Compressor | None" = None
    """Another way to shorten texts than the settings choose."""
    watch: Callable[[Scope], None] = lambda _: None
    """Has the worker look at an agent's queue; set once there is a worker."""
    attend: Callable[[Scope], None] = lambda _: None
    """Has it look at one that it does not look at already; set once there is a worker."""
    rest: Callable[[Scope], None] = lambda _: None
    """Has the worker leave an agent's queue alone; set once there is a worker."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reach = WideningSearch(
            self.store, self.graphs, vectors=self.vectors, embedders=self.embedders, settings=self.settings
        )
        self.watermark = Watermark(self.store, clock=self.clock)

    # Whoever only searches loads nothing that writes.

    @cached_property
    def scheduler(self) -> "CompressionScheduler":
        """Weakens, shortens and deletes."""
        from remanent.associative.writer import CompressionScheduler, open_compressor

        return CompressionScheduler(self, self.compressor or open_compressor(self.settings.compression, self.engine))

    @cached_property
    def writer(self) -> "GraphWriter":
        """Makes nodes and links."""
        from remanent.associative.writer import GraphWriter

        return GraphWriter(self, self.scheduler)

    @cached_property
    def loader(self) -> "TripleLoader":
        """Takes in graphs."""
        from remanent.associative.triples import TripleLoader

        return TripleLoader(self)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """The kinds of job that are done here."""
        return {
            REMEMBER: self._remember,
            COMPRESS: self.scheduler.run_compression_slice,
            REWRITE: self.scheduler.rewrite,
        }

    async def _remember(self, job: Job, tx: Transaction) -> None:
        await self.writer.remember(job, tx)
        tx.then(lambda _: self.watermark.advance(job.scope))

    def request(self, tx: Transaction, entry_ids: Sequence[str]) -> None:
        """Ask, as part of the unit of work that appends them, for nodes of entries."""
        for start in range(0, len(entry_ids), _ENTRIES_AT_ONCE):
            job = Job(
                id=self.new_id(),
                scope=tx.scope,
                kind=REMEMBER,
                lane=LANE,
                payload={"entries": list(entry_ids[start : start + _ENTRIES_AT_ONCE])},
                enqueued_at=self.clock(),
                max_attempts=self.settings.max_retries + 1,
            )
            tx.enqueue(job, limit=self.settings.max_queue_size)

    async def search(
        self,
        scope: Scope,
        keywords: Sequence[str],
        *,
        relations: Sequence[str] | None = None,
        depth: int | None = None,
        limit: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by_meaning: bool = False,
    ) -> SearchResult:
        """Search an agent's graph as it stands now: with a depth exactly so far, without one wherever it answers."""
        if isinstance(relations, str):
            raise InvalidInput("relations must be a list of strings: wrap the string in a list")
        limit = self.settings.max_search_results if limit is None else limit
        if (depth is not None and depth < 0) or limit < 0:
            raise InvalidInput("depth and limit must not be negative")
        if by_meaning and not self._reach.knows_meaning:
            raise InvalidInput("recall by meaning needs an embedder; set `embedder` to other than none")
        exact = depth is not None or self.settings.search == "exact"
        similar = await self._reach.similar(scope, " ".join(keywords)) if by_meaning and exact else {}
        wanted = GraphQuery(
            keywords=tuple(keywords),
            relations=None if relations is None else tuple(relations),
            depth=self.settings.default_search_depth if depth is None else depth,
            limit=limit,
            since=since,
            until=until,
            similar=similar,
        )
        if not exact:
            return await self._reach.search(scope, wanted)
        return SearchEngine(await self.graphs.at(scope)).search(wanted)

    async def with_sources(self, scope: Scope, found: SearchResult) -> tuple[RecalledNode, ...]:
        """Return what a search found as items of an answer, each with the words of the journal that it rests on."""
        # Before anything is waited for: the graph may change meanwhile.
        scores = {item.vertex.id: item.score or item.strength for item in found.items}
        matches = {
            item.vertex.id: {name: getattr(item, name) for name in NodeMatch.model_fields} for item in found.items
        }
        records = await self.store.records_by_id(scope.owner, list(matches))
        rests_on = [source.entry_id for record in records.values() for source in record.sources]
        entries = await self.store.entries_by_id(scope.owner, rests_on)
        # A node that was erased between the search and this look is in no answer.
        return tuple(
            _recalled(records[node_id], entries, matches[node_id], score=scores[node_id], rank=rank)
            for rank, node_id in enumerate((one for one in matches if one in records), start=1)
        )

    def forget(self, scope: Scope) -> None:
        """Let go of everything that is kept of an agent in this process, as an erasure must."""
        self.graphs.forget(scope)
        if "scheduler" in vars(self):
            self.scheduler.forget(scope)


def _recalled(
    record: Record, entries: Mapping[str, Entry], match: Mapping[str, Any], *, score: float, rank: int
) -> RecalledNode:
    """Return a found node with the stretches of the journal that it rests on."""
    sources = FoundSource.all_of(record, entries)
    return RecalledNode.of(record, sources, text=match["node"].content, score=score, rank=rank, **match)


class KeepMessages(Protocol):
    """Keeps messages in the journal and asks for nodes of them, in one unit of work."""

    async def __call__(self, messages: Messages, **about: Any) -> Receipt:
        """Return when they are durable."""


class AsyncAssociativeMemory:
    """A memory that forgets as people do: what is linked strongly stays, the rest fades and leaves a trace.

    What is remembered becomes nodes that are linked with what was in focus. Recall goes by words, meaning and links.
    Links weaken, texts shrink with their importance, and what has none is deleted; that it was known is kept.
    """

    def __init__(self, associations: Associations, scope: Scope, *, keep: KeepMessages) -> None:
        self._associations = associations
        self._scope = scope
        self._keep = keep
        self._closed = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope}>"

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    async def initialize(self, agent_id: str | None = None) -> GraphState:
        """Open the agent's memory, or make it, and take up work that an earlier process left; tell how it stands."""
        if agent_id is not None and agent_id != self._scope.agent:
            raise InvalidInput(f"this is the memory of {self._scope.agent}; each agent has its own")
        self._closed = False
        self._associations.watch(self._scope)
        return (await self._associations.graphs.at(self._scope)).state()

    async def close(self) -> None:
        """Stop the agent's queue, let the running job end and let go of the graph; what waits is kept for next time."""
        self._closed = True
        self._associations.rest(self._scope)
        query = JobQuery(states=(JobState.RUNNING,), lanes=(LANE, COMPRESS, REWRITE))
        running = {job.id for job in await self._associations.store.jobs(self._scope, query)}
        while running:
            await asyncio.sleep(_CLOSE_POLL_SECONDS)
            running &= {job.id for job in await self._associations.store.jobs(self._scope, query)}
        self._associations.forget(self._scope)

    # ── remembering and recalling ────────────────────────────────────────────

    async def remember(
        self,
        messages: Messages,
        *,
        session: str | None = None,
        task: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
    ) -> Receipt:
        """Keep messages and have them become nodes: durable on return, in the graph when their turn has come.

        Raises `QueueFull` when too much waits; nothing is kept then, and nothing that waits is lost.
        """
        self._check()
        return await self._keep(messages, session=session, task=task, metadata=metadata, tags=tags)

    async def recall(
        self,
        keywords: str | Sequence[str],
        relations: Sequence[str] | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by_meaning: bool = False,
    ) -> str:
        """Return what the keywords bring to mind as text for a model; it sees everything remembered before.

        A question in one text is taken by the words that say what it is about. `search` returns the same with its
        sources and paths.
        """
        # Neither the sources nor the text of `search` are in this answer: half the work of it is spared.
        asked = {"limit": limit, "since": since, "until": until, "by_meaning": by_meaning}
        return SearchEngine.format_results(await self._found(keywords, relations=relations, depth=depth, **asked))

    async def search(
        self,
        keywords: str | Sequence[str],
        relations: Sequence[str] | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by_meaning: bool = False,
    ) -> AssociativeFound:
        """Find nodes by words, meaning and links, the best first, each with its sources and its path from a focus.

        `knowledge` says whether it is known, known further away, forgotten, or was never told. It sees everything
        remembered before that can run, and says in `not_in_graph` how many messages are left out. A `depth` makes it
        the exact search: nodes that hold any of the keywords so many hops from a focus, strongest path first, and with
        `by_meaning` those near in meaning, too. `relations` lets only paths of these relations pass; `since` and
        `until` bound when it happened.
        """
        asked = {"limit": limit, "since": since, "until": until, "by_meaning": by_meaning}
        found = await self._found(keywords, relations=relations, depth=depth, **asked)
        items = await self._associations.with_sources(self._scope, found)
        return AssociativeFound(
            query=found.query,
            items=items,
            recipe="associative",
            injection=inject(found.query, items, now=self._associations.clock()),
            dangling=found.dangling,
            once_known=found.once_known,
            knowledge=found.knowledge,
            gate=found.gate,
            left_out=found.left_out,
            not_in_graph=found.not_in_graph,
        )

    async def _found(self, keywords: str | Sequence[str], **asked: Any) -> SearchResult:
        """Return what a search finds, and how many messages have not become nodes yet.

        Whoever asks right after remembering has its jobs done by this process, if no other does.
        """
        self._check()
        self._associations.attend(self._scope)
        not_in_graph = await self._associations.watermark.reach(self._scope, self._associations.watch)
        words = keywords_of(keywords)
        found = await self._associations.search(self._scope, words, **asked)
        return replace(found, query=" ".join(words), not_in_graph=not_in_graph)

    async def focus(self) -> list[Node]:
        """Return the nodes in focus, newest first."""
        return [vertex.node() for vertex in (await self._graph()).focused()]

    # ── the graph ────────────────────────────────────────────────────────────

    async def state(self) -> GraphState:
        """Return how the graph stands: how many nodes and links, how strong, what is in focus."""
        return (await self._graph()).state()

    async def nodes(self) -> list[Node]:
        """Return every node, oldest first."""
        return [vertex.node() for vertex in (await self._graph()).nodes()]

    async def node(self, node_id: str) -> Node:
        """Return a node."""
        return (await self._find(node_id))[1].node()

    async def links(self, node_id: str) -> LinkHealth:
        """Return the links that leave a node: those whose far end is there, and those that dangle."""
        graph, vertex = await self._find(node_id)
        return graph.detect_broken_links(vertex, at=self._associations.clock())

    async def importance(self, node_id: str) -> float:
        """Return the sum of the strengths of a node's live links."""
        graph, vertex = await self._find(node_id)
        return graph.importance(vertex)

    async def compress(self) -> None:
        """Ask for a compression, as every `remember` does."""
        self._check()
        async with self._associations.store.transaction(self._scope) as tx:
            self._associations.scheduler.trigger(tx)

    async def forgotten(self) -> list[Forgotten]:
        """Return what is left of deleted nodes, last forgotten first."""
        stones = [memorial.forgotten for memorial in (await self._graph()).memorials.values()]
        return sorted(stones, key=lambda stone: stone.forgotten_at, reverse=True)

    async def restore(self, node_id: str) -> Node:
        """Rebuild a deleted node from the journal, as long as its words are still there."""
        self._check()
        return await self._associations.writer.restore(self._scope, node_id)

    async def triples(self) -> list[str]:
        """Return the graph as lines of N-Triples."""
        from remanent.associative.triples import to_triples

        return to_triples(await self._graph())

    async def load_triples(self, lines: Iterable[str]) -> "LoadedTriples":
        """Take in a graph of N-Triples, all of it or nothing; nodes that are here already stay as they are."""
        self._check()
        return await self._associations.loader.load(self._scope, lines)

    async def drawing(self, *, html: bool = False) -> str:
        """Return the graph as an SVG: what belongs together, focuses, strengths, and ends that dangle.

        With `html` it is a page in which one can search, zoom, and point at a node to see its words and links.
        """
        from remanent.associative.drawing import draw, draw_page

        return (draw_page if html else draw)(await self._graph())

    async def jobs(self) -> list[Job]:
        """Return the work that waits or runs, in its order."""
        query = JobQuery(states=(JobState.PENDING, JobState.RUNNING), lanes=(LANE, COMPRESS, REWRITE), limit=10_000)
        return await self._associations.store.jobs(self._scope, query)

    # ── inside ───────────────────────────────────────────────────────────────

    async def _graph(self) -> Graph:
        self._check()
        return await self._associations.graphs.at(self._scope)

    async def _find(self, node_id: str) -> tuple[Graph, Vertex]:
        graph = await self._graph()
        vertex = graph.find(node_id)
        if vertex is None:
            raise NotFound(f"there is no node {node_id} here; `forgotten` lists those that were deleted")
        return graph, vertex

    def _check(self) -> None:
        if self._closed:
            raise StoreClosed("this associative memory is closed; initialize it again")


MemoryManager = AsyncAssociativeMemory
"""The design's name for it."""
