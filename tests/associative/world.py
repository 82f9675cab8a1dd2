"""An associative memory whose time, engine and crashes a test decides about, over a real store."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from remanent.associative.face import Associations, AsyncAssociativeMemory
from remanent.associative.graph import Graph
from remanent.associative.model import TRACE
from remanent.associative.settings import AssociativeSettings
from remanent.associative.writer import Compressor
from remanent.jobs import Worker
from remanent.language import Answer, Engine
from remanent.language.engines import OfflineEngine
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
from remanent.model import Receipt, Record, Scope, Source, read_messages
from remanent.model.chat import Messages
from remanent.stores import RecordFilter, RecordQuery, Store
from tests.jobs.world import ADA, World

MORE_TAPPED = ("entries", "records", "links", "tombstones", "match", "graph_revision")


class ScriptedEngine(Engine):
    """Works offline; a role fails when told to, and waits when told to."""

    name = "scripted"

    def __init__(self) -> None:
        self._offline = OfflineEngine()
        self.failures: dict[str, list[Exception]] = defaultdict(list)
        """By role: raised by its next runs, first one first."""
        self.broken: dict[str, Exception] = {}
        """By role: raised by every run."""
        self.hold: dict[str, asyncio.Event] = {}
        """By role: every run waits for it."""
        self.asked: list[tuple[str, Any]] = []

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        self.asked.append((role.name, request))
        if role.name in self.hold:
            await self.hold[role.name].wait()
        if self.failures[role.name]:
            raise self.failures[role.name].pop(0)
        if role.name in self.broken:
            raise self.broken[role.name]
        return await self._offline.run(role, request)

    async def close(self) -> None:
        """Nothing is held open."""


class MemoryWorld(World):
    """One agent's associative memory with a worker whose time stands still until told."""

    def __init__(self, home: Path, *, compressor: Compressor | None = None, **settings: Any) -> None:
        super().__init__(home)
        self.engine = ScriptedEngine()
        self.settings = AssociativeSettings(**settings)
        self.compressor = compressor
        self.associations = self.associate(self.store)
        self.at_work: Worker | None = None

    def open_store(self) -> Store:
        store = super().open_store()
        for name in MORE_TAPPED:
            setattr(store, name, self._tap(store, name, getattr(store, name)))
        return store

    def associate(self, store: Store) -> Associations:
        """Put an associative memory together over a store, as a process does."""
        return Associations(
            store,
            self.engine,
            settings=self.settings,
            clock=self.time.clock,
            new_id=self.new_id,
            compressor=self.compressor,
        )

    def memory(self, scope: Scope = ADA) -> AsyncAssociativeMemory:
        async def keep(messages: Messages, **about: Any) -> Receipt:
            narrow = scope.within(session=about.get("session"), task=about.get("task"))
            read = read_messages(messages, longest=100_000)
            now = self.time.now
            entries = [message.entry(self.new_id(), scope=narrow, recorded_at=now) for message in read]
            async with self.store.transaction(narrow) as tx:
                for entry in entries:
                    tx.append(entry)
                self.associations.request(tx, [entry.id for entry in entries])
            done = tx.committed
            return Receipt(entry_ids=done.entry_ids, last_seq=done.last_seq, recorded_at=now)

        return AsyncAssociativeMemory(self.associations, scope, keep=keep)

    def start(self, **settings: Any) -> Worker:
        """Start a worker for everything that waits."""
        self.at_work = self.worker(self.associations.handlers, **settings)
        self.associations.watch = self.at_work.watch
        self.at_work.watch(ADA)
        return self.at_work

    async def settle(self, scope: Scope = ADA) -> None:
        """Let time pass until nothing waits or runs."""
        worker = self.at_work or self.start()
        await self.until(worker.settle([scope]))

    async def say(self, *texts: str, scope: Scope = ADA, **labels: Any) -> Receipt:
        """Remember texts in one call, and wait until they are in the graph."""
        receipt = await self.memory(scope).remember(list(texts), **labels)
        await self.settle(scope)
        return receipt

    async def graph(self, scope: Scope = ADA) -> Graph:
        return await self.associations.graphs.at(scope)

    async def plant(
        self,
        nodes: Mapping[str, str],
        links: Iterable[tuple[str, str, float] | tuple[str, str, float, str]] = (),
        *,
        focuses: Sequence[str] = (),
        scope: Scope = ADA,
        scans: Mapping[str, int] | None = None,
    ) -> None:
        """Put nodes and links straight into the graph; focuses newest first."""
        async with self.store.transaction(scope) as tx:
            work = await self.associations.graphs.work(tx, at=self.time.now)
            for node_id, content in nodes.items():
                entry = read_messages(content or " ", longest=100_000)[0].entry(
                    self.new_id(), scope=scope, recorded_at=self.time.now
                )
                tx.append(entry)
                work.create_node(
                    content,
                    content[:20],
                    (),
                    node_id=node_id,
                    sources=[Source(entry_id=entry.id, end=len(content))],
                    scan_count=(scans or {}).get(node_id, 0),
                )
            for link in links:
                work.create_link(link[0], link[1], link[2], link[3] if len(link) > 3 else "")
            if focuses:
                work.update_focus(list(reversed(focuses)), most=50)

    async def compress(self, scope: Scope = ADA) -> None:
        """Ask for one compression and let it end, with what it gives rise to."""
        await self.memory(scope).compress()
        await self.settle(scope)

    async def strengths(self, scope: Scope = ADA) -> dict[tuple[str, str], float]:
        """Return the strength of every link in memory, by its ends."""
        graph = await self.graph(scope)
        return {(vertex.id, edge.target.id): edge.strength for vertex in graph.nodes() for edge in vertex.leaving}


def picture(graph: Graph) -> dict[str, Any]:
    """Return all that a graph holds as plain data, for comparing two."""
    return {
        "nodes": {vertex.id: vertex.node() for vertex in graph.nodes()},
        "links": {
            (vertex.id, edge.target.id, edge.relation): edge.strength
            for vertex in graph.nodes()
            for edge in vertex.leaving
        },
        "arriving": {
            (edge.source.id, vertex.id, edge.relation): edge.strength
            for vertex in graph.nodes()
            for edge in vertex.arriving
        },
        "dangling": {vertex.id: vertex.dangling for vertex in graph.nodes()},
        "focuses": [vertex.id for vertex in graph.focused()],
        "forgotten": {name: memorial.forgotten for name, memorial in graph.memorials.items()},
        "count": len(graph),
    }


async def records_of(store: Store, scope: Scope = ADA) -> list[Record]:

    return await store.records(scope, RecordQuery(RecordFilter(kinds=(TRACE,)), limit=100_000))
