"""The agents' graphs in memory: nodes with their links in both directions, the focuses, and what was forgotten.

Following links in the database would take a query per hop; here a hop is a look at a list. `Graphs` keeps them equal to
the store: loaded once, then changed as committed work changes it."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from remanent.associative.model import TRACE, Forgotten, GraphState, Node, TraceData
from remanent.discipline import Append
from remanent.language import Engine
from remanent.model import Clock, Link, NewId, Record, Scope, Tombstone
from remanent.stores import Committed, LinkQuery, RecordFilter, RecordQuery, Store, Transaction, every_record
from remanent.text.scripts import caseless
from remanent.values import dataclass

if TYPE_CHECKING:
    from remanent.associative.settings import AssociativeSettings


def original_length(record: Record) -> int:
    """Return how long a node's text was before any compression."""
    return record.data.original_length if isinstance(record.data, TraceData) else len(record.content)


@dataclass(slots=True, eq=False)
class Vertex:
    """A node, or the place where one was: links may still lead there."""

    id: str
    alive: bool = False
    content: str = ""
    phrase: str = ""
    keywords: tuple[str, ...] = ()
    searched: str = ""
    """Content and keywords as keywords are looked for in them."""
    created_at: datetime | None = None
    occurred_at: datetime | None = None
    scan_count: int = 0
    original_length: int = 0
    order: int = 0
    """Its place in the order of creation."""
    leaving: list["Edge"] = field(default_factory=list)
    arriving: list["Edge"] = field(default_factory=list)

    def write(self, content: str, *, phrase: str, keywords: tuple[str, ...]) -> None:
        """Take on a text with its phrase and keywords."""
        self.content, self.phrase, self.keywords = content, phrase, keywords
        self.searched = caseless("\n".join([content, *keywords]))

    def take(self, record: Record) -> None:
        """Take on what a record says of the node."""
        self.write(record.content, phrase=record.summary, keywords=record.keywords)
        self.created_at, self.occurred_at = record.created_at, record.occurred_at
        self.scan_count = record.scan_count
        self.original_length = original_length(record)

    def node(self) -> Node:
        """Return what the vertex stands for."""
        assert self.created_at is not None
        assert self.occurred_at is not None
        return Node(
            id=self.id,
            content=self.content,
            phrase=self.phrase,
            keywords=self.keywords,
            created_at=self.created_at,
            occurred_at=self.occurred_at,
            scan_count=self.scan_count,
            original_length=self.original_length,
        )


@dataclass(slots=True, eq=False)
class Edge:
    """A directed link."""

    source: Vertex
    target: Vertex
    relation: str
    strength: float

    @property
    def ends(self) -> dict[str, Any]:
        """What a link is told by: its ends, its relation and its strength."""
        source, target = self.source.id, self.target.id
        return {"from_id": source, "to_id": target, "relation": self.relation, "strength": self.strength}


@dataclass(slots=True)
class PendingChanges:
    """Changes that a unit of work has decided on: nodes that go, and nodes whose links weaken."""

    rate: float
    gone: set[str] = field(default_factory=set)
    faded: set[str] = field(default_factory=set)


_NOBODY: frozenset[str] = frozenset()
"""Stands for no ids, so that the loop over all nodes tests one kind of thing."""


@dataclass(slots=True)
class IndexedTombstone:
    """A tombstone, with its words in the form in which keywords are looked for."""

    forgotten: Forgotten
    searched: str


class Graph:
    """What an agent remembers, linked; only `graphs.py` and effects of committed work change it."""

    def __init__(self, *, revision: int = 0, floor: float = 0.01) -> None:
        self.revision = revision
        self.floor = floor
        """Links below it are broken."""
        self.focuses: tuple[str, ...] = ()
        """Newest first; may name nodes that were erased since."""
        self._vertices: dict[str, Vertex] = {}
        self._alive = 0
        self._next_order = 0
        self.memorials: dict[str, IndexedTombstone] = {}
        self._buried: dict[str, list[str]] = {}
        """The deleted nodes by the journal entries that they came from."""

    def __len__(self) -> int:
        return self._alive

    def __contains__(self, node_id: str) -> bool:
        return self.find(node_id) is not None

    # ── reading ──────────────────────────────────────────────────────────────

    def find(self, node_id: str) -> Vertex | None:
        """Return a node that is alive."""
        vertex = self._vertices.get(node_id)
        return vertex if vertex is not None and vertex.alive else None

    def nodes(self) -> Iterator[Vertex]:
        """Yield the nodes that are alive, in the order of their creation, but for those that were restored."""
        return (vertex for vertex in self._vertices.values() if vertex.alive)

    @property
    def places(self) -> int:
        """How many vertices there are, those of deleted nodes included."""
        return len(self._vertices)

    def focused(self) -> list[Vertex]:
        """Return the nodes in focus, newest first."""
        return [vertex for node_id in self.focuses if (vertex := self.find(node_id)) is not None]

    def leaving(self, vertex: Vertex) -> Iterator[Edge]:
        """Yield the links of a node that are not broken, those that dangle included."""
        return (edge for edge in vertex.leaving if edge.strength >= self.floor)

    def following(self, vertex: Vertex) -> Vertex | None:
        """Return the node that was learned next after one and is linked with it."""
        later = [edge.target for edge in self.leaving(vertex) if edge.target.alive and edge.target.order > vertex.order]
        return min(later, key=lambda other: other.order, default=None)

    def buried_from(self, entry_id: str) -> list[Forgotten]:
        """Return what is left of the deleted nodes that came from a journal entry."""
        return [self.memorials[node_id].forgotten for node_id in self._buried.get(entry_id, ())]

    def importance(self, vertex: Vertex, *, under_way: "PendingChanges | None" = None) -> float:
        """Return the sum of the strengths of a node's live links, in both directions.

        With changes that are under way, as it will be once they are made.
        """
        # A compression asks this of every node: plain loops are twice as fast as sums of what passes.
        floor, total = self.floor, 0.0
        gone = under_way.gone if under_way is not None else _NOBODY
        for edge in vertex.leaving:
            if edge.strength >= floor and edge.target.alive and edge.target.id not in gone:
                total += edge.strength
        if under_way is None:
            for edge in vertex.arriving:
                if edge.strength >= floor:
                    total += edge.strength
            return total
        faded, rate = under_way.faded, under_way.rate
        for edge in vertex.arriving:
            strength, source_id = edge.strength, edge.source.id
            if source_id in faded:
                strength *= rate
            if strength >= floor and source_id not in gone:
                total += strength
        return total

    def state(self) -> GraphState:
        """Return how the graph stands."""
        links = dangling = characters = 0
        strength = 0.0
        for vertex in self.nodes():
            characters += len(vertex.content)
            for edge in self.leaving(vertex):
                links += 1
                strength += edge.strength
                dangling += not edge.target.alive
        return GraphState(
            nodes=len(self),
            links=links,
            dangling=dangling,
            characters=characters,
            mean_strength=strength / links if links else 0.0,
            focuses=tuple(vertex.id for vertex in self.focused()),
            forgotten=len(self.memorials),
        )

    # ── changing ─────────────────────────────────────────────────────────────

    def add(self, record: Record) -> None:
        """Take in a node."""
        vertex = self.place(record.id)
        if not vertex.alive:
            self._alive += 1
        vertex.alive = True
        vertex.take(record)
        vertex.order = self._next_order
        self._next_order += 1

    def place(self, node_id: str) -> Vertex:
        """Return the vertex of an id, whether or not there is a node."""
        vertex = self._vertices.get(node_id)
        if vertex is None:
            vertex = self._vertices[node_id] = Vertex(node_id)
        return vertex

    def link(self, from_id: str, to_id: str, *, relation: str, strength: float) -> None:
        """Take in a link, in the place of the one of the same ends and relation."""
        source, target = self.place(from_id), self.place(to_id)
        for edge in source.leaving:
            if edge.target is target and edge.relation == relation:
                edge.strength = strength
                return
        self.attach(Edge(source, target, relation, strength))

    def attach(self, edge: Edge) -> None:
        """Take in a link that is not there yet."""
        edge.source.leaving.append(edge)
        edge.target.arriving.append(edge)

    def unlink(self, from_id: str, to_id: str, *, relation: str) -> None:
        """Remove a link if it is there."""
        source = self.place(from_id)
        gone = [edge for edge in source.leaving if edge.target.id == to_id and edge.relation == relation]
        self._detach(source, gone)

    def fade(self, node_ids: Iterable[str], *, factor: float) -> None:
        """Remove the links of nodes that were broken before, and weaken the others."""
        for node_id in node_ids:
            vertex = self._vertices.get(node_id)
            if vertex is None:
                continue
            broken = [edge for edge in vertex.leaving if edge.strength < self.floor]
            if broken:
                self._detach(vertex, broken)
            for edge in vertex.leaving:
                edge.strength *= factor

    def scan(self, node_ids: Iterable[str]) -> None:
        """Count a scan of nodes."""
        for node_id in node_ids:
            if (vertex := self.find(node_id)) is not None:
                vertex.scan_count += 1

    def rewrite(self, node_id: str, content: str, *, phrase: str, keywords: tuple[str, ...]) -> None:
        """Give a node another text."""
        if (vertex := self.find(node_id)) is not None:
            vertex.write(content, phrase=phrase, keywords=keywords)

    def remove(self, node_id: str) -> None:
        """Delete a node with the links that leave it; those that lead to it dangle."""
        vertex = self.find(node_id)
        if vertex is None:
            return
        self._alive -= 1
        vertex.alive = False
        vertex.write("", phrase="", keywords=())
        self._detach(vertex, vertex.leaving)
        if not vertex.arriving:
            del self._vertices[node_id]

    def bury(self, forgotten: Forgotten) -> None:
        """Note what is left of a deleted node."""
        words = caseless("\n".join([forgotten.about, *forgotten.keywords]))
        self.unbury(forgotten.node_id)
        self.memorials[forgotten.node_id] = IndexedTombstone(forgotten, words)
        for entry_id in {source.entry_id for source in forgotten.sources}:
            self._buried.setdefault(entry_id, []).append(forgotten.node_id)

    def unbury(self, node_id: str) -> None:
        """Take the note of a deleted node back."""
        stone = self.memorials.pop(node_id, None)
        for entry_id in {source.entry_id for source in stone.forgotten.sources} if stone is not None else ():
            self._buried[entry_id].remove(node_id)

    def _detach(self, source: Vertex, edges: Sequence[Edge]) -> None:
        """Take edges off both of their ends; a forgotten far end that nothing points to any more goes, too."""
        gone = set(map(id, edges))
        for edge in edges:
            target = edge.target
            target.arriving = [other for other in target.arriving if other is not edge]
            if not target.alive and not target.arriving and not target.leaving:
                self._vertices.pop(target.id, None)
        source.leaving = [edge for edge in source.leaving if id(edge) not in gone]


FOCUS = "associative.focus"
"""The state that holds the ids of the nodes in focus, newest first."""

MAX_VERTICES = 400_000
"""Vertices that all graphs may have together before the longest unused is let go.

Chosen by hand; a graph that was let go is loaded again when it is asked for."""
MAX_GRAPHS = 1_024
"""Graphs that are held, however small: some 4 KB each."""
_COMMIT_TIMEOUT = 1.0
"""Seconds to wait for the echo of a commit of this process before the graph is loaded anew."""
_MAX_LOADS = 5
"""Attempts at a graph that nobody changes meanwhile; then one that is a moment old is better than none."""
LINKS_AT_ONCE = 5_000
"""Links that are taken in before others have their turn: hundreds of thousands take seconds."""

Effect = Callable[[Graph], None]


@dataclass(slots=True)
class _Held:
    """One agent's place in the cache."""

    graph: Graph | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: "set[GraphTransaction]" = field(default_factory=set)
    """Units of work that were handed out and may be committed any moment."""
    echo: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when one of them was committed and its effects are in the graph."""


class GraphTransaction:
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

    async def work(self, tx: Transaction, *, at: datetime) -> GraphTransaction:
        """Begin a unit of work on the graph of a transaction's agent."""
        graph = await self.at(tx.scope)
        owner = tx.scope.owner
        work = GraphTransaction(graph, tx, at=at)
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
                await asyncio.wait_for(held.echo.wait(), _COMMIT_TIMEOUT)
            except TimeoutError:
                held.pending.clear()  # they were given up, or somebody else has committed
                return False

    def _committed(self, owner: Scope, work: GraphTransaction, committed: Committed) -> None:
        """Bring the graph in memory along with a commit of ours; any other is read anew from the store."""
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
        """Read a graph from the store, again where it was changed meanwhile; the last reading is taken as it is."""
        graph = Graph(floor=self._floor)
        for _ in range(_MAX_LOADS):
            revision = await self._store.graph_revision(owner, TRACE)
            graph = Graph(revision=revision, floor=self._floor)
            await self._fill(owner, graph)
            if await self._store.graph_revision(owner, TRACE) == revision:
                break
        return graph

    async def _fill(self, owner: Scope, graph: Graph) -> None:
        """Fill a graph page by page; links last, because both of their ends must be known."""
        async for record in every_record(self._store, owner, RecordQuery(filter=RecordFilter(kinds=(TRACE,)))):
            graph.add(record)
        links = await self._store.links(owner, LinkQuery())
        elsewhere = {link.to_id for link in links if link.to_id not in graph and link.from_id in graph}
        foreign = await self._foreign(owner, elsewhere)
        for start in range(0, len(links), LINKS_AT_ONCE):
            _tie(graph, links[start : start + LINKS_AT_ONCE], foreign=foreign)
            await asyncio.sleep(0)
        for tombstone in await self._store.tombstones(owner):
            if tombstone.kind is TRACE:
                graph.bury(forgotten_of(tombstone))
        graph.focuses = _focus_ids(await self._store.state(owner, FOCUS))

    async def _foreign(self, owner: Scope, record_ids: set[str]) -> set[str]:
        """Return those of the ids that are records of another kind: links to them are not ours, nor do they dangle."""
        if not record_ids:
            return set()
        every = await self._store.match(owner, sorted(record_ids), RecordFilter(statuses=None))
        own = await self._store.match(owner, sorted(record_ids), RecordFilter(kinds=(TRACE,), statuses=None))
        return set(every) - set(own)

    def _make_room(self, owner: Scope) -> None:
        """Let go of the graphs that were not used for longest, none that somebody works on."""
        total = sum(held.graph.places for held in self._held.values() if held.graph is not None)
        for other in list(self._held):
            held = self._held[other]
            if (total <= MAX_VERTICES and len(self._held) <= MAX_GRAPHS) or other == owner:
                return
            if held.graph is not None and not held.lock.locked():
                total -= held.graph.places
                del self._held[other]


@dataclass(frozen=True, slots=True)
class GraphParts:
    """What all need who work on agents' graphs: where these lie, how they are set up, and who is told of changes."""

    store: Store
    graphs: Graphs
    engine: Engine
    settings: "AssociativeSettings"
    clock: Clock
    new_id: NewId
    index: Callable[[Transaction], None]
    """Has what a unit of work puts indexed."""
    append: Append
    """Appends entries to the journal as part of a unit of work."""


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


def _focus_ids(value: JsonValue) -> tuple[str, ...]:
    """Return the ids that the focus state holds."""
    return tuple(str(node_id) for node_id in value) if isinstance(value, list) else ()
