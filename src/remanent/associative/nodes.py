"""The life of nodes: a view of the agent's records of kind `trace`, without storage of its own."""

from collections.abc import Sequence

from remanent.associative.graph import Graph, Vertex
from remanent.associative.graphs import Effect, Work, forgotten_of
from remanent.associative.kinds import TRACE, TraceData
from remanent.associative.words import Forgotten, Node
from remanent.errors import VersionConflict
from remanent.model import Maker, Origin, Record, Scope, Source, Tombstone
from remanent.model.clock import Instant
from remanent.stores import RecordFilter, RecordQuery, Store
from remanent.stores.transaction import DropTombstone, PutTombstone
from remanent.text.boundaries import excerpt

LONGEST_ABOUT = 40


def _burial(forgotten: Forgotten) -> Effect:
    def bury(graph: Graph) -> None:
        graph.remove(forgotten.node_id)
        graph.bury(forgotten)

    return bury


class NodeStore:
    """Makes, reads, changes and deletes nodes within one unit of work; reads see what was committed before it."""

    def __init__(self, work: Work, store: Store) -> None:
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
        vertex.write(content, phrase=phrase, keywords=tuple(keywords))
        vertex.created_at, vertex.occurred_at = record.created_at, record.occurred_at
        vertex.scan_count = scan_count
        vertex.original_length = record.data.original_length if isinstance(record.data, TraceData) else 0
        return vertex.node()

    def get_node(self, node_id: str) -> Node | None:
        """Return a node, or nothing when there is none."""
        vertex = self._work.graph.find(node_id)
        return None if vertex is None else vertex.node()

    def get_all_nodes(self) -> list[Node]:
        """Return every node, oldest first."""
        return [vertex.node() for vertex in self._work.graph.nodes()]

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
            tombstone = Tombstone(
                record_id=record.id,
                scope=record.scope,
                kind=record.kind,
                about=record.summary or excerpt(record.content, LONGEST_ABOUT),
                keywords=record.keywords,
                learned_at=record.created_at,
                forgotten_at=self._work.at,
                size=record.data.original_length if isinstance(record.data, TraceData) else len(record.content),
                reason=reason,
                sources=record.sources,
            )
            self._work.tx.drop(record.id)
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
