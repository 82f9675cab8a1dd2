"""One agent's associative memory: remember, recall, and everything that can be asked of it."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from remanent.associative.associations import Associations
from remanent.associative.compression import COMPRESS, REWRITE
from remanent.associative.drawing import draw
from remanent.associative.graph import Graph
from remanent.associative.graphs import Work
from remanent.associative.links import LinkHealth, LinkStore
from remanent.associative.search import SearchEngine
from remanent.associative.taking import Taken
from remanent.associative.triples import to_triples
from remanent.associative.watermark import LANE
from remanent.associative.words import AssociativeFound, Forgotten, GraphState, Node
from remanent.errors import InvalidInput, NotFound, StoreClosed
from remanent.model import Job, JobState, Receipt, Scope
from remanent.model.message import Messages
from remanent.recall import inject
from remanent.stores import JobQuery

POLL = 0.02
"""Seconds between looks at a job that is let end."""


class Keep(Protocol):
    """Keeps messages in the journal and asks for nodes of them, in one unit of work."""

    async def __call__(self, messages: Messages, *, session: str | None, task: str | None) -> Receipt:
        """Return when they are durable."""


class AsyncAssociativeMemory:
    """A memory that forgets as people do: what is linked strongly stays, the rest fades and leaves a trace.

    What is remembered becomes nodes that are linked with what was in focus. Recall follows the links from the newest
    nodes. Links weaken, texts shrink with their importance, and what has none is deleted; that it was known is kept.
    """

    def __init__(self, associations: Associations, scope: Scope, *, keep: Keep) -> None:
        self._associations = associations
        self._scope = scope
        self._keep = keep
        self._closed = False

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
        """Let the running job end and let go of the graph; what waits is kept, and nothing acknowledged is lost."""
        self._closed = True
        query = JobQuery(states=(JobState.RUNNING,), lanes=(LANE, COMPRESS, REWRITE))
        running = {job.id for job in await self._associations.store.jobs(self._scope, query)}
        while running:
            await asyncio.sleep(POLL)
            running &= {job.id for job in await self._associations.store.jobs(self._scope, query)}
        self._associations.forget(self._scope)

    # ── remembering and recalling ────────────────────────────────────────────

    async def remember(self, messages: Messages, *, session: str | None = None, task: str | None = None) -> Receipt:
        """Keep messages and have them become nodes: durable on return, in the graph when their turn has come.

        Raises `QueueFull` when too much waits; nothing is kept then, and nothing that waits is lost.
        """
        self._check()
        return await self._keep(messages, session=session, task=task)

    async def recall(
        self,
        keywords: Sequence[str],
        relations: Sequence[str] | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by_meaning: bool = False,
    ) -> str:
        """Return what the keywords bring to mind as text for a model; it sees everything remembered before.

        `search` returns the same with its sources and paths.
        """
        found = await self.search(
            keywords, relations, depth, limit=limit, since=since, until=until, by_meaning=by_meaning
        )
        return SearchEngine.format_results(found)

    async def search(
        self,
        keywords: Sequence[str],
        relations: Sequence[str] | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by_meaning: bool = False,
    ) -> AssociativeFound:
        """Follow links from the focuses to nodes that hold any of the keywords, each with its sources and its path.

        It sees everything remembered before that can run, and says in `not_in_graph` how many messages are left out.
        `relations` lets only paths of these relations pass, `depth` bounds their hops, `since` and `until` bound when
        it happened, `by_meaning` lets nodes match that are near the keywords in meaning.
        """
        self._check()
        self._associations.watch(self._scope)
        not_in_graph = await self._associations.watermark.reach(self._scope)
        found = await self._associations.search(
            self._scope,
            keywords,
            relations=relations,
            depth=depth,
            limit=limit,
            since=since,
            until=until,
            by_meaning=by_meaning,
        )
        query = " ".join(keywords)
        items = await self._associations.with_sources(self._scope, found)
        return AssociativeFound(
            query=query,
            items=items,
            recipe="associative",
            injection=inject(query, items, now=self._associations.clock()),
            dangling=found.dangling,
            once_known=found.once_known,
            not_in_graph=not_in_graph,
        )

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
        vertex = (await self._graph()).find(node_id)
        if vertex is None:
            raise NotFound(f"no node {node_id} here; `forgotten` lists those that were deleted")
        return vertex.node()

    async def links(self, node_id: str) -> LinkHealth:
        """Return the links that leave a node: those whose far end is there, and those that dangle."""
        await self.node(node_id)
        return LinkStore(await self._look()).detect_broken_links(node_id)

    async def importance(self, node_id: str) -> float:
        """Return the sum of the strengths of a node's live links."""
        await self.node(node_id)
        return LinkStore(await self._look()).calculate_importance(node_id)

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
        """Make a deleted node again from the journal, while that has its words."""
        self._check()
        return await self._associations.restorer.restore(self._scope, node_id)

    async def triples(self) -> list[str]:
        """Return the graph as lines of N-Triples."""
        return to_triples(await self._graph())

    async def load_triples(self, lines: Iterable[str]) -> Taken:
        """Take in a graph of N-Triples, all of it or nothing; nodes that are here already stay as they are."""
        self._check()
        return await self._associations.taker.take(self._scope, lines)

    async def drawing(self) -> str:
        """Return the graph as an SVG: focuses, strengths, and ends that dangle."""
        return draw(await self._graph())

    async def jobs(self) -> list[Job]:
        """Return the work that waits or runs, in its order."""
        query = JobQuery(states=(JobState.PENDING, JobState.RUNNING), lanes=(LANE, COMPRESS, REWRITE), limit=10_000)
        return await self._associations.store.jobs(self._scope, query)

    # ── inside ───────────────────────────────────────────────────────────────

    async def _graph(self) -> Graph:
        self._check()
        return await self._associations.graphs.at(self._scope)

    async def _look(self) -> Work:
        tx = self._associations.store.transaction(self._scope)
        return Work(await self._graph(), tx, at=self._associations.clock())

    def _check(self) -> None:
        if self._closed:
            raise StoreClosed("this associative memory is closed; initialize it again")
