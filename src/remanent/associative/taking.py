"""Taking in a graph of triples: all of it in one unit of work, or nothing."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from remanent.associative.focus import FocusManager
from remanent.associative.graph import Graph
from remanent.associative.graphs import Graphs, Work
from remanent.associative.links import LinkStore
from remanent.associative.nodes import NodeStore
from remanent.associative.triples import Reading, Told, read_triples, wrong
from remanent.discipline import Append
from remanent.errors import InvalidInput
from remanent.model import Clock, Entry, EntryKind, Maker, Model, NewId, Origin, Scope, Source, from_millis
from remanent.model.base import Count
from remanent.stores import RecordFilter, RecordQuery, Store, Transaction

if TYPE_CHECKING:
    from remanent.associative.settings import AssociativeSettings


class Taken(Model):
    """What was taken in."""

    nodes: Count = 0
    links: Count = 0
    known: Count = 0
    """Nodes that were here already and stayed as they were."""


class TripleTaker:
    """Takes graphs in. What comes so was not said here: each text goes into the journal first, marked as imported."""

    def __init__(
        self,
        store: Store,
        graphs: Graphs,
        *,
        settings: "AssociativeSettings",
        clock: Clock,
        new_id: NewId,
        index: Callable[[Transaction], None],
        append: Append,
    ) -> None:
        self._store = store
        self._graphs = graphs
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._index = index
        self._append = append

    async def take(self, scope: Scope, lines: Iterable[str]) -> Taken:
        """Take in all that the lines say, or nothing."""
        # A large graph takes seconds to read; others go on meanwhile.
        reading = await asyncio.to_thread(read_triples, lines)
        async with self._store.transaction(scope.owner) as tx:
            work = await self._graphs.work(tx, at=self._clock())
            new = {node_id: line for node_id, line in reading.nodes.items() if node_id not in work.graph}
            self._check_room(work.graph, len(new))
            await self._check_free(work, new)
            nodes = NodeStore(work, self._store)
            entries = {
                node_id: self._entry(work, node_id, reading.of_nodes[node_id], line) for node_id, line in new.items()
            }
            await self._append(tx, list(entries.values()))
            for node_id, entry in entries.items():
                _take_node(work, nodes, node_id, reading.of_nodes[node_id], entry)
            self._take_links(work, reading, new)
            self._take_focuses(work, reading, new)
            if new:
                self._index(tx)
        return Taken(nodes=len(new), links=len(reading.links), known=len(reading.nodes) - len(new))

    def _check_room(self, graph: Graph, count: int) -> None:
        most = self._settings.max_nodes
        if self._settings.schedule == "fixed" and len(graph) + count > most:
            raise InvalidInput(f"{count} nodes do not fit into the {most} slots of associative.max_nodes")

    async def _check_free(self, work: Work, new: dict[str, int]) -> None:
        """Refuse the id of something else that the agent remembers."""
        if not new:
            return
        query = RecordQuery(filter=RecordFilter(statuses=None), record_ids=tuple(new), limit=len(new))
        for record in await self._store.records(work.scope, query):
            raise wrong(new[record.id], f"the id {record.id} belongs to something else here ({record.kind.value})")

    def _entry(self, work: Work, node_id: str, told: Told, line: int) -> Entry:
        """Return the words of a node as they go into the journal."""
        content = told.text("content")
        if not content.strip():
            raise wrong(line, f"<node:{node_id}> has no memory:content")
        created = from_millis(told.whole("createdAt")) if "createdAt" in told else work.at
        return Entry(
            id=self._new_id(),
            scope=work.scope,
            kind=EntryKind.DOCUMENT,
            role="memory",
            text=content,
            occurred_at=from_millis(told.whole("occurredAt")) if "occurredAt" in told else created,
            recorded_at=work.at,
            origin=Origin.IMPORT,
        )

    def _take_links(self, work: Work, reading: Reading, new: Collection[str]) -> None:
        links = LinkStore(work)
        met: set[tuple[str, str, str]] = set()
        for ends, line in reading.links.items():
            if ends.from_id not in new and ends.from_id not in work.graph:
                raise wrong(
                    line, f"<node:{ends.from_id}>, where this link begins, is neither here nor in these triples"
                )
            told = reading.of_links.get(ends, Told())
            strength = told.strength(self._settings.link_initial_strength)
            link = (ends.from_id, ends.to_id, told.text("relation"))
            if link in met:
                raise wrong(line, "a line before tells of a link with the same ends and the same relation")
            met.add(link)
            links.create_link(ends.from_id, ends.to_id, strength, link[2])

    def _take_focuses(self, work: Work, reading: Reading, new: Collection[str]) -> None:
        """Attend to what the triples attend to, unless the agent attends to something already."""
        focus = FocusManager(work.graph, most=self._settings.max_focus_count)
        members = [node_id for node_id in reading.focuses() if node_id in new]
        if members and not focus.get_focus_list():
            focus.update_focus(work, members)


def _take_node(work: Work, nodes: NodeStore, node_id: str, told: Told, entry: Entry) -> None:
    """Make a node whose words are in the journal."""
    if node_id in work.graph.memorials:
        nodes.unbury(node_id)
    nodes.create_node(
        entry.text,
        told.text("phrase"),
        told.keywords(),
        node_id=node_id,
        sources=[Source(entry_id=entry.id, end=len(entry.text))],
        occurred_at=entry.occurred_at,
        created_at=from_millis(told.whole("createdAt")) if "createdAt" in told else work.at,
        trust=Origin.IMPORT,
        made_by=Maker(role="import"),
        scan_count=told.whole("scanCount"),
        original_length=max(len(entry.text), told.whole("originalLength")),
    )
