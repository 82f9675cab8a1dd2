"""Every agent's graph in memory, kept equal to the store: loaded once, then changed as committed work changes it."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from remanent.associative.graph import Edge, Graph
from remanent.associative.kinds import TRACE
from remanent.associative.words import Forgotten
from remanent.model import Link, Record, Scope, Tombstone
from remanent.stores import Committed, LinkQuery, RecordFilter, RecordQuery, Store, Transaction

FOCUS = "associative.focus"
"""The state that holds the ids of the nodes in focus, newest first."""

PAGE = 1000
MOST_HELD = 400_000
"""Vertices that all graphs may have together before the longest unused is let go."""
MOST_AGENTS = 1_024
"""Graphs that are held, however small: some 4 KB each."""
PATIENCE = 1.0
"""Seconds to wait for the echo of a commit of this process before the graph is loaded anew."""
LOADS = 5
LINKS_AT_ONCE = 5_000
"""Links that are taken in before others have their turn: hundreds of thousands take seconds."""

Effect = Callable[[Graph], None]


@dataclass(slots=True)
class _Held:
    graph: Graph | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: "set[Work]" = field(default_factory=set)
    """Units of work that were handed out and may be committed any moment."""
    echo: asyncio.Event = field(default_factory=asyncio.Event)


class Work:
    """One unit of work on a graph: each change goes into the transaction, and into the graph once that is durable."""

    def __init__(self, graph: Graph, tx: Transaction, *, at: datetime) -> None:
        self.graph = graph
        self.tx = tx
        self.at = at
        self.effects: list[Effect] = []

    @property
    def scope(self) -> Scope:
        """Whose graph it is."""
        return self.tx.scope.owner

    def then(self, effect: Effect) -> None:
        """Have the graph changed once the transaction is durable."""
        self.effects.append(effect)


class Graphs:
    """Lends graphs that hold everything that was committed, by this process or another."""

    def __init__(self, store: Store, *, floor: float) -> None:
        self._store = store
        self._floor = floor
        self._held: OrderedDict[Scope, _Held] = OrderedDict()

    async def at(self, scope: Scope) -> Graph:
        """Return an agent's graph as it stands now."""
        owner = scope.owner
        held = self._held.setdefault(owner, _Held())
        self._held.move_to_end(owner)
        async with held.lock:
            if held.graph is None or not await self._is_current(owner, held):
                held.graph = await self._load(owner)
                self._make_room(owner)
            return held.graph

    async def work(self, tx: Transaction, *, at: datetime) -> Work:
        """Begin a unit of work on the graph of a transaction's agent."""
        graph = await self.at(tx.scope)
        owner = tx.scope.owner
        work = Work(graph, tx, at=at)
        held = self._held.setdefault(owner, _Held())
        held.pending.add(work)
        tx.then(lambda committed: self._committed(owner, work, committed))
        return work

    def forget(self, scope: Scope) -> None:
        """Let go of an agent's graph, and of every text in it."""
        self._held.pop(scope.owner, None)

    async def _is_current(self, owner: Scope, held: _Held) -> bool:
        """Tell whether the graph is that of the store; a commit of our own that is just being told of is waited for."""
        assert held.graph is not None
        while True:
            held.echo.clear()
            revision = await self._store.graph_revision(owner, TRACE)
            if revision == held.graph.revision:
                return True
            if not held.pending:
                return False
            try:
                await asyncio.wait_for(held.echo.wait(), PATIENCE)
            except TimeoutError:
                held.pending.clear()  # they were given up, or somebody else has committed
                return False

    def _committed(self, owner: Scope, work: Work, committed: Committed) -> None:
        held = self._held.get(owner)
        if held is None:
            return
        held.pending.discard(work)
        held.echo.set()
        if held.graph is None:
            return
        revision = committed.graphs.get(TRACE, 0)
        # Any other number: somebody else's commit lies between, or the graph was loaded after this one.
        if revision == held.graph.revision + 1:
            for effect in work.effects:
                effect(held.graph)
            held.graph.revision = revision

    async def _load(self, owner: Scope) -> Graph:
        graph = Graph(floor=self._floor)
        for _ in range(LOADS):
            revision = await self._store.graph_revision(owner, TRACE)
            graph = Graph(revision=revision, floor=self._floor)
            await self._fill(owner, graph)
            if await self._store.graph_revision(owner, TRACE) == revision:
                break
        return graph

    async def _fill(self, owner: Scope, graph: Graph) -> None:
        after: str | None = None
        while page := await self._page(owner, after):
            for record in page:
                graph.add(record)
            after = page[-1].id
        links = await self._store.links(owner, LinkQuery())
        foreign = await self._foreign(owner, _unknown_ends(graph, links))
        for start in range(0, len(links), LINKS_AT_ONCE):
            _tie(graph, links[start : start + LINKS_AT_ONCE], foreign=foreign)
            await asyncio.sleep(0)
        for tombstone in await self._store.tombstones(owner):
            if tombstone.kind is TRACE:
                graph.bury(forgotten_of(tombstone))
        graph.focuses = focus_ids(await self._store.state(owner, FOCUS))

    async def _page(self, owner: Scope, after: str | None) -> list[Record]:
        wanted = RecordQuery(filter=RecordFilter(kinds=(TRACE,)), after_id=after, limit=PAGE)
        return await self._store.records(owner, wanted)

    async def _foreign(self, owner: Scope, record_ids: set[str]) -> set[str]:
        """Return those of the ids that are records of another kind: links to them are not ours, nor do they dangle."""
        if not record_ids:
            return set()
        every = await self._store.match(owner, sorted(record_ids), RecordFilter(statuses=None))
        own = await self._store.match(owner, sorted(record_ids), RecordFilter(kinds=(TRACE,), statuses=None))
        return set(every) - set(own)

    def _make_room(self, owner: Scope) -> None:
        total = sum(held.graph.places for held in self._held.values() if held.graph is not None)
        for other in list(self._held):
            held = self._held[other]
            if (total <= MOST_HELD and len(self._held) <= MOST_AGENTS) or other == owner:
                return
            if held.graph is not None and not held.lock.locked():
                total -= held.graph.places
                del self._held[other]


def _unknown_ends(graph: Graph, links: Sequence[Link]) -> set[str]:
    """Return where links of the graph's nodes lead to, other than to its nodes."""
    return {link.to_id for link in links if link.to_id not in graph and link.from_id in graph}


def _tie(graph: Graph, links: Sequence[Link], *, foreign: Collection[str]) -> None:
    """Take in the links that leave nodes and do not lead to records of another kind."""
    for link in links:
        source = graph.find(link.from_id)
        if source is not None and link.to_id not in foreign:
            graph.attach(Edge(source, graph.place(link.to_id), link.relation, link.strength))


def forgotten_of(tombstone: Tombstone) -> Forgotten:
    """Return what a tombstone says, in the words of this memory."""
    return Forgotten(
        node_id=tombstone.record_id,
        about=tombstone.about,
        keywords=tombstone.keywords,
        learned_at=tombstone.learned_at,
        forgotten_at=tombstone.forgotten_at,
        size=tombstone.size,
        reason=tombstone.reason,
        sources=tombstone.sources,
    )


def focus_ids(value: JsonValue) -> tuple[str, ...]:
    """Return the ids that the focus state holds."""
    return tuple(str(node_id) for node_id in value) if isinstance(value, list) else ()
