"""Making a deleted node again from the journal, as long as the journal has its words."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from remanent.associative.focus import FocusManager
from remanent.associative.graphs import Graphs
from remanent.associative.links import LinkStore
from remanent.associative.nodes import NodeStore
from remanent.associative.words import Forgotten, Node
from remanent.associative.writing import FOCUS_STRENGTH
from remanent.errors import InvalidInput, NotFound
from remanent.language import Engine
from remanent.language.roles import ANNOTATION
from remanent.language.roles.annotation import AnnotationRequest
from remanent.model import Clock, Entry, Scope, least_trusted
from remanent.stores import EntryQuery, RecordFilter, RecordQuery, Store, Transaction

if TYPE_CHECKING:
    from remanent.associative.settings import AssociativeSettings


class Restorer:
    """Brings deleted nodes back."""

    def __init__(
        self,
        store: Store,
        graphs: Graphs,
        engine: Engine,
        *,
        settings: "AssociativeSettings",
        clock: Clock,
        index: Callable[[Transaction], None],
    ) -> None:
        self._store = store
        self._graphs = graphs
        self._engine = engine
        self._settings = settings
        self._clock = clock
        self._index = index

    async def restore(self, scope: Scope, node_id: str) -> Node:
        """Make a deleted node again under its id: links that dangle lead to it again, and the focuses know it.

        Its text is that of the journal, not what compression had left of it.
        """
        graph = await self._graphs.at(scope)
        if node_id in graph:
            raise InvalidInput(f"node {node_id} is not forgotten; there is nothing to restore")
        memorial = graph.memorials.get(node_id)
        if memorial is None:
            raise NotFound(f"no node {node_id} was forgotten here")
        text, entries = await self._words(scope, memorial.forgotten)
        first = entries[0]
        async with asyncio.timeout(self._settings.worker_timeout):
            answer = await self._engine.run(ANNOTATION, AnnotationRequest(text=text))
        async with self._store.transaction(scope.owner) as tx:
            work = await self._graphs.work(tx, at=self._clock())
            nodes, links = NodeStore(work, self._store), LinkStore(work)
            focus = FocusManager(work.graph, most=self._settings.max_focus_count)
            await self._clear(nodes, scope, node_id)
            node = nodes.create_node(
                answer.value.content,
                answer.value.phrase,
                answer.value.keywords,
                node_id=node_id,
                sources=memorial.forgotten.sources,
                scope=first.scope,
                occurred_at=first.occurred_at,
                trust=least_trusted(entry.origin for entry in entries),
                made_by=answer.made_by,
            )
            nodes.unbury(node_id)
            focuses = focus.get_focus_list()
            for focus_id in focuses:
                links.create_links(node_id, focus_id, FOCUS_STRENGTH)
            if not focuses:
                focus.update_focus(work, [node_id])
            self._index(tx)
        return node

    async def _words(self, scope: Scope, forgotten: Forgotten) -> tuple[str, list[Entry]]:
        """Return the text that a node came from, and its entries, of which there is at least one."""
        wanted = tuple(dict.fromkeys(source.entry_id for source in forgotten.sources))
        query = EntryQuery(entry_ids=wanted, limit=max(1, len(wanted)))
        entries = {entry.id: entry for entry in await self._store.entries(scope.owner, query) if not entry.erased}
        spans = [
            (entries[source.entry_id], entries[source.entry_id].text[source.start : source.end].strip())
            for source in forgotten.sources
            if source.entry_id in entries
        ]
        words = [text for _, text in spans if text]
        if not words:
            raise NotFound(f"node {forgotten.node_id} cannot be made again: the journal no longer has its words")
        return "\n".join(words), [entry for entry, _ in spans]

    async def _clear(self, nodes: NodeStore, scope: Scope, node_id: str) -> None:
        """Make room for a node that was put out of mind by hand: its record is still there."""
        wanted = RecordQuery(filter=RecordFilter(statuses=None), record_ids=(node_id,), limit=1)
        if await self._store.records(scope.owner, wanted):
            nodes.drop(node_id)
