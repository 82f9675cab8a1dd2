"""Changing a graph within one unit of work: nodes, links and focuses, as views of the agent's records and links.

They have no storage of their own; each change goes into the transaction, and into the graph once that is durable."""

from collections.abc import Sequence

from pydantic import JsonValue

from remanent.associative.graph import FOCUS, Effect, Graph, GraphTransaction, Vertex, forgotten_of, original_length
from remanent.associative.model import TRACE, DanglingLink, Forgotten, LinkHealth, Node, TraceData
from remanent.errors import VersionConflict
from remanent.model import Link, Maker, Origin, Record, Scope, Source, Tombstone
from remanent.model.clock import Instant
from remanent.stores import RecordFilter, RecordQuery, Store
from remanent.stores.transaction import DropTombstone, PutTombstone
from remanent.text.boundaries import excerpt

_MAX_ABOUT_LENGTH = 40
"""Characters that stand for a deleted node where it had no phrase."""


def _burial(forgotten: Forgotten) -> Effect:
    """Return what a forgetting does to the graph in memory, to be done when it is committed and not before."""

    def bury(graph: Graph) -> None:
        graph.remove(forgotten.node_id)
        graph.bury(forgotten)

    return bury


class NodeStore:
    """Makes, reads, changes and deletes nodes within one unit of work; reads see what was committed before it."""

    def __init__(self, work: GraphTransaction, store: Store) -> None:
        self._work = work
        self._store = store

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
        at = self._work.at
        record = Record(
            id=node_id,
            scope=scope or self._work.scope,
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
        self._work.tx.put(record)
        self._work.then(lambda graph: graph.add(record))
        vertex = Vertex(node_id)
        vertex.take(record)
        return vertex.node()

    async def update_content(
        self, node_id: str, content: str, phrase: str, keywords: Sequence[str], *, made_by: Maker
    ) -> None:
        """Give a node a shorter text; phrase and keywords change with it."""
        (record,) = await self.records([node_id])
        words = tuple(keywords)
        changed = record.replace(
            content=content,
            summary=phrase,
            keywords=words,
            version=record.version + 1,
            updated_at=self._work.at,
            made_by=made_by,
        )
        self._work.tx.put(changed, expects=record.version)
        self._work.then(lambda graph: graph.rewrite(node_id, content, phrase=phrase, keywords=words))

    def increment_scan_count(self, node_ids: Sequence[str]) -> None:
        """Count a scan."""
        if node_ids:
            self._work.tx.touch(node_ids, scanned=1)
            self._work.then(lambda graph: graph.scan(node_ids))

    async def delete_nodes(self, node_ids: Sequence[str], *, reason: str) -> None:
        """Delete nodes with the links that leave them; each leaves a tombstone, and links to it dangle."""
        for record in await self.records(node_ids):
            about, size = excerpt(record.content, _MAX_ABOUT_LENGTH), original_length(record)
            self._work.tx.drop(record.id)
            self.bury(Tombstone.of(record, about=about, size=size, at=self._work.at, reason=reason))

    def bury(self, tombstone: Tombstone) -> None:
        """Note what is left of a node that is deleted, or that there was no room for."""
        self._work.tx.changes.append(PutTombstone(tombstone))
        self._work.then(_burial(forgotten_of(tombstone)))

    def drop(self, node_id: str) -> None:
        """Remove the record of a node that was put out of mind by hand, before it is made anew."""
        self._work.tx.drop(node_id)

    def unbury(self, node_id: str) -> None:
        """Take back the tombstone of a node that is made again."""
        self._work.tx.changes.append(DropTombstone(node_id))
        self._work.then(lambda graph: graph.unbury(node_id))

    async def records(self, node_ids: Sequence[str]) -> list[Record]:
        """Return the records of nodes that are alive, in the given order; refuse when one is gone."""
        if not node_ids:
            return []
        wanted = RecordFilter(kinds=(TRACE,))
        query = RecordQuery(filter=wanted, record_ids=tuple(node_ids), limit=len(node_ids))
        found = {record.id: record for record in await self._store.records(self._work.scope, query)}
        for node_id in node_ids:
            if node_id not in found:
                raise VersionConflict(f"node {node_id} was deleted or erased meanwhile; look again, then retry")
        return [found[node_id] for node_id in node_ids]


class LinkStore:
    """Makes, reads, weakens and removes links within one unit of work; reads see what was committed before it."""

    def __init__(self, work: GraphTransaction) -> None:
        self._work = work

    def create_link(self, from_id: str, to_id: str, strength: float, relation: str = "") -> None:
        """Tie two nodes in one direction."""
        at = self._work.at
        link = Link(from_id=from_id, to_id=to_id, relation=relation, strength=strength, created_at=at, updated_at=at)
        self._work.tx.link(link)
        self._work.then(lambda graph: graph.link(from_id, to_id, relation=relation, strength=strength))

    def create_links(self, one: str, other: str, strength: float, there: str = "", back: str = "") -> None:
        """Tie two nodes in both directions, each a link of its own with its own relation."""
        self.create_link(one, other, strength, there)
        self.create_link(other, one, strength, back)

    def calculate_importance(self, node_id: str) -> float:
        """Return the sum of the strengths of a node's live links; 0 for one that is not there."""
        vertex = self._work.graph.find(node_id)
        return 0.0 if vertex is None else self._work.graph.importance(vertex)

    def decay_all_links(self, node_ids: Sequence[str], *, rate: float) -> None:
        """Weaken the links that leave nodes; a focus's stay as they are, and those that were broken are removed."""
        focuses = set(self._work.graph.focuses)
        fading = [node_id for node_id in node_ids if node_id not in focuses]
        if fading:
            self._work.tx.fade(fading, factor=rate, floor=self._work.graph.floor, at=self._work.at)
            self._work.then(lambda graph: graph.fade(fading, factor=rate))

    def detect_broken_links(self, node_id: str) -> LinkHealth:
        """Return a node's links whose far end is there, and those whose far end was deleted."""
        graph = self._work.graph
        vertex = graph.find(node_id)
        if vertex is None:
            return LinkHealth(valid=(), dangling=())
        at, edges = self._work.at, list(graph.leaving(vertex))
        valid = (Link(**edge.ends, created_at=at, updated_at=at) for edge in edges if edge.target.alive)
        return LinkHealth(
            valid=tuple(valid), dangling=tuple(DanglingLink(**edge.ends) for edge in edges if not edge.target.alive)
        )


def refocused(focuses: Sequence[str], new_ids: Sequence[str], *, most: int) -> tuple[str, ...]:
    """Return the focuses, newest first, after new nodes have come, the newest of them last."""
    newest = list(reversed(new_ids))
    return tuple(dict.fromkeys([*newest, *focuses]))[:most]


class FocusManager:
    """Keeps the list of focuses within one unit of work; reads see what was committed before it."""

    def __init__(self, graph: Graph, *, most: int) -> None:
        self._graph = graph
        self._most = most

    def get_focus_list(self) -> list[str]:
        """Return the ids of the nodes in focus, newest first."""
        return [vertex.id for vertex in self._graph.focused()]

    def is_focus(self, node_id: str) -> bool:
        """Tell whether a node is in focus."""
        return node_id in self.get_focus_list()

    def after(self, new_ids: Sequence[str]) -> tuple[str, ...]:
        """Return the focuses as they will be once new nodes have come."""
        return refocused(self.get_focus_list(), new_ids, most=self._most)

    def update_focus(self, work: GraphTransaction, new_ids: Sequence[str]) -> tuple[str, ...]:
        """Let new nodes into focus, the newest of them last; the oldest focuses leave when there are too many."""
        focuses = self.after(new_ids)
        value: list[JsonValue] = [*focuses]
        work.tx.state(FOCUS, value)

        def attend(graph: Graph) -> None:
            graph.focuses = focuses

        work.then(attend)
        return focuses
