"""The agents' graphs: in memory nodes with their links in both directions, the focuses, and what was forgotten.

Following links in the database would take a query per hop; here a hop is a look at a list. `Graphs` keeps them equal to
the store: loaded once, then changed as committed work changes it. Nodes, links and focuses have no storage of their
own; they are views of the agent's records and links, changed within one unit of work.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from remanent.associative.model import TRACE, DanglingLink, Forgotten, GraphState, LinkHealth, Node, TraceData
from remanent.discipline import Append
from remanent.errors import VersionConflict
from remanent.language import Engine
from remanent.lightweight import dataclass
from remanent.model import Clock, Entry, Link, Maker, NewId, Origin, Record, Scope, Source, Tombstone
from remanent.model.clock import Instant
from remanent.stores import LinkQuery, RecordFilter, RecordQuery, Store, Transaction, every_record, transaction
from remanent.text.scripts import caseless
from remanent.text.spans import excerpt

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
    dangling: int = 0
    """How many of its links lead to deleted nodes."""
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
    """Changes that a unit of work has decided on, in their order."""

    rate: float
    gone: dict[str, None] = field(default_factory=dict)
    """Nodes that go."""
    faded: dict[str, None] = field(default_factory=dict)
    """Nodes that were scanned, whose links weaken."""
    rewrites: list[tuple[str, int]] = field(default_factory=list)
    """Nodes whose texts are to be made shorter, with the length that they may have."""


_NOBODY: dict[str, None] = {}
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
        may_lead_nowhere = gone or vertex.dangling
        for edge in vertex.leaving:
            strength = edge.strength
            if strength >= floor and not (may_lead_nowhere and (not edge.target.alive or edge.target.id in gone)):
                total += strength
        if under_way is None:
            for edge in vertex.arriving:
                strength = edge.strength
                if strength >= floor:
                    total += strength
            return total
        faded, rate = under_way.faded, under_way.rate
        for edge in vertex.arriving:
            strength, source_id = edge.strength, edge.source.id
            if source_id in faded:
                strength *= rate
            if strength >= floor and source_id not in gone:
                total += strength
        return total

    def detect_broken_links(self, vertex: Vertex, *, at: datetime) -> LinkHealth:
        """Return a node's links whose far end is there, and those whose far end was deleted."""
        edges = list(self.leaving(vertex))
        valid = (Link(**edge.ends, created_at=at, updated_at=at) for edge in edges if edge.target.alive)
        return LinkHealth(
            valid=tuple(valid), dangling=tuple(DanglingLink(**edge.ends) for edge in edges if not edge.target.alive)
        )

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

    def follow(self, changes: Iterable[transaction.Change]) -> None:
        """Take in what a unit of work has changed of it; nothing else of what it did has to do with the graph."""
        for change in changes:
            match change:
                case transaction.PutRecord(record=record) if record.kind is TRACE:
                    self.add(record)
                case transaction.DropRecord(record_id=node_id):
                    self.remove(node_id)
                case transaction.TouchRecords(record_ids=node_ids):
                    self.scan(node_ids)
                case transaction.PutTombstone(tombstone=tombstone) if tombstone.kind is TRACE:
                    self.remove(tombstone.record_id)
                    self.bury(forgotten_of(tombstone))
                case transaction.DropTombstone(record_id=node_id):
                    self.unbury(node_id)
                case transaction.PutLink(link=link):
                    self.link(link.from_id, link.to_id, relation=link.relation, strength=link.strength)
                case transaction.FadeLinks(from_ids=node_ids, factor=factor):
                    self.fade(node_ids, factor=factor)
                case transaction.PutState(key=key, value=list(node_ids)) if key == FOCUS:
                    self.focuses = tuple(map(str, node_ids))

    def add(self, record: Record) -> None:
        """Take in a node, or what is said of one now."""
        vertex = self.place(record.id)
        if not vertex.alive:
            self._alive += 1
            for edge in vertex.arriving:
                edge.source.dangling -= 1
            vertex.alive = True
            vertex.order = self._next_order
            self._next_order += 1
        vertex.take(record)

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
        edge.source.dangling += not edge.target.alive

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

    def remove(self, node_id: str) -> None:
        """Delete a node with the links that leave it; those that lead to it dangle."""
        vertex = self.find(node_id)
        if vertex is None:
            return
        self._alive -= 1
        vertex.alive = False
        vertex.write("", phrase="", keywords=())
        for edge in vertex.arriving:
            edge.source.dangling += 1
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
            source.dangling -= not target.alive
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
_MAX_ABOUT_LENGTH = 40
"""Characters that stand for a deleted node where it had no phrase."""
_COMMIT_TIMEOUT = 1.0
"""Seconds to wait for the echo of a commit of this process before the graph is loaded anew."""
_MAX_LOADS = 5
"""Attempts at a graph that nobody changes meanwhile; then one that is a moment old is better than none."""
LINKS_AT_ONCE = 5_000
"""Links that are taken in before others have their turn: hundreds of thousands take seconds."""


@dataclass(slots=True)
class _Held:
    """One agent's place in the cache."""

    graph: Graph | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: "set[GraphTransaction]" = field(default_factory=set)
    """Units of work that were handed out and may be committed any moment."""
    echo: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when one of them was committed and its effects are in the graph."""


def refocused(focuses: Sequence[str], new_ids: Sequence[str], *, most: int) -> tuple[str, ...]:
    """Return the focuses, newest first, after new nodes have come, the newest of them last."""
    return tuple(dict.fromkeys([*reversed(new_ids), *focuses]))[:most]


class GraphTransaction:
    """One unit of work on a graph: its changes go into the transaction, which the graph follows once that is durable.

    Reads see what was committed before it.
    """

    def __init__(self, graph: Graph, tx: Transaction, store: Store, *, at: datetime) -> None:
        self.graph = graph
        self.tx = tx
        self._store = store
        self.at = at

    @property
    def scope(self) -> Scope:
        """Whose graph it is."""
        return self.tx.scope.owner

    # ── nodes ────────────────────────────────────────────────────────────────

    def create_node(
        self,
        content: str,
        phrase: str,
        keywords: Sequence[str],
        *,
        node_id: str,
        sources: Sequence[Source],
        scope: Scope | None = None,
        occurred_at: Instant | None = None,
        trust: Origin = Origin.USER,
        made_by: Maker | None = None,
        original_length: int | None = None,
        created_at: Instant | None = None,
        scan_count: int = 0,
    ) -> Node:
        """Make a node, even if another says the same."""
        at = self.at
        record = Record(
            id=node_id,
            scope=scope or self.scope,
            kind=TRACE,
            content=content,
            summary=phrase,
            keywords=tuple(keywords),
            scan_count=scan_count,
            created_at=created_at or at,
            updated_at=at,
            occurred_at=occurred_at or at,
            sources=tuple(sources),
            trust=trust,
            made_by=made_by or Maker(role="annotation"),
            data=TraceData(original_length=len(content) if original_length is None else original_length),
        )
        self.tx.put(record)
        vertex = Vertex(node_id)
        vertex.take(record)
        return vertex.node()

    async def update_content(
        self, node_id: str, content: str, phrase: str, keywords: Sequence[str], *, made_by: Maker
    ) -> None:
        """Give a node a shorter text; phrase and keywords change with it."""
        (record,) = await self.records([node_id])
        changed = record.replace(
            content=content,
            summary=phrase,
            keywords=tuple(keywords),
            version=record.version + 1,
            updated_at=self.at,
            made_by=made_by,
        )
        self.tx.put(changed, expects=record.version)

    def increment_scan_count(self, node_ids: Sequence[str]) -> None:
        """Count a scan."""
        if node_ids:
            self.tx.touch(node_ids, scanned=1)

    async def delete_nodes(self, node_ids: Sequence[str], *, reason: str) -> None:
        """Delete nodes with the links that leave them; each leaves a tombstone, and links to it dangle."""
        for record in await self.records(node_ids):
            about, size = excerpt(record.content, _MAX_ABOUT_LENGTH), original_length(record)
            self.tx.drop(record.id)
            self.bury(Tombstone.of(record, about=about, size=size, at=self.at, reason=reason))

    def bury(self, tombstone: Tombstone) -> None:
        """Note what is left of a node that is deleted, or that there was no room for."""
        self.tx.changes.append(transaction.PutTombstone(tombstone))

    def unbury(self, node_id: str) -> None:
        """Take back the tombstone of a node that is made again."""
        self.tx.changes.append(transaction.DropTombstone(node_id))

    async def records(self, node_ids: Sequence[str]) -> list[Record]:
        """Return the records of nodes that are alive, in the given order; refuse when one is gone."""
        if not node_ids:
            return []
        wanted = RecordFilter(kinds=(TRACE,))
        query = RecordQuery(filter=wanted, record_ids=tuple(node_ids), limit=len(node_ids))
        found = {record.id: record for record in await self._store.records(self.scope, query)}
        for node_id in node_ids:
            if node_id not in found:
                raise VersionConflict(
                    f"node {node_id} has been deleted or erased in the meantime; read again, then retry"
                )
        return [found[node_id] for node_id in node_ids]

    # ── links ────────────────────────────────────────────────────────────────

    def create_link(self, from_id: str, to_id: str, strength: float, relation: str = "") -> None:
        """Tie two nodes in one direction."""
        link = Link(
            from_id=from_id,
            to_id=to_id,
            relation=relation,
            strength=strength,
            created_at=self.at,
            updated_at=self.at,
        )
        self.tx.link(link)

    def create_links(self, one: str, other: str, strength: float, there: str = "", back: str = "") -> None:
        """Tie two nodes in both directions, each a link of its own with its own relation."""
        self.create_link(one, other, strength, there)
        self.create_link(other, one, strength, back)

    def decay_all_links(self, node_ids: Sequence[str], *, rate: float) -> None:
        """Weaken the links that leave nodes; a focus's stay as they are, and those that were broken are removed."""
        focuses = set(self.graph.focuses)
        fading = [node_id for node_id in node_ids if node_id not in focuses]
        if fading:
            self.tx.fade(fading, factor=rate, floor=self.graph.floor, at=self.at)

    # ── focuses ──────────────────────────────────────────────────────────────

    def focuses_after(self, new_ids: Sequence[str], *, most: int) -> tuple[str, ...]:
        """Return the focuses as they will be once new nodes have come."""
        return refocused([vertex.id for vertex in self.graph.focused()], new_ids, most=most)

    def update_focus(self, new_ids: Sequence[str], *, most: int) -> None:
        """Let new nodes into focus, the newest of them last; the oldest focuses leave when there are too many."""
        self.tx.state(FOCUS, [*self.focuses_after(new_ids, most=most)])


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
        work = GraphTransaction(graph, tx, self._store, at=at)
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
            # One that was told of while the revision was read: what was read is of before it.
            if not held.pending and not held.echo.is_set():
                return False
            try:
                await asyncio.wait_for(held.echo.wait(), _COMMIT_TIMEOUT)
            except TimeoutError:
                held.pending.clear()  # they were given up, or somebody else has committed
                return False

    def _committed(self, owner: Scope, work: GraphTransaction, committed: transaction.Committed) -> None:
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
            held.graph.follow(work.tx.changes)
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
            for link in links[start : start + LINKS_AT_ONCE]:
                source = graph.find(link.from_id)
                if source is not None and link.to_id not in foreign:
                    graph.attach(Edge(source, graph.place(link.to_id), link.relation, link.strength))
            await asyncio.sleep(0)
        for tombstone in await self._store.tombstones(owner):
            if tombstone.kind is TRACE:
                graph.bury(forgotten_of(tombstone))
        focuses = await self._store.state(owner, FOCUS)
        graph.focuses = tuple(map(str, focuses)) if isinstance(focuses, list) else ()

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


async def _append_only(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Append entries where there is nothing to index them and nobody to tell."""
    for entry in entries:
        tx.append(entry)


@dataclass(eq=False)
class GraphParts:
    """What all need who work on agents' graphs: where these lie, how they are set up, and who is told of changes."""

    store: Store
    engine: Engine
    settings: "AssociativeSettings"
    clock: Clock
    new_id: NewId
    index: Callable[[Transaction], None] = lambda _: None
    """Has what a unit of work puts indexed."""
    append: Append = _append_only
    """Appends entries to the journal as part of a unit of work."""
    graphs: Graphs = field(init=False)

    def __post_init__(self) -> None:
        self.graphs = Graphs(self.store, floor=self.settings.link_break_threshold)


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
