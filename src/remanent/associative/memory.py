"""What the associative memories of all agents share: their graphs, and those who write, compress and search them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from remanent.associative.graph import GraphParts, Graphs
from remanent.associative.model import COMPRESS, REMEMBER, REWRITE, NodeMatch, RecalledNode
from remanent.associative.search import LANE, GraphQuery, SearchEngine, SearchResult, Watermark
from remanent.associative.widening import WideningSearch
from remanent.discipline import Append
from remanent.embedding import Embedders
from remanent.errors import InvalidInput
from remanent.jobs import Handler
from remanent.language import Engine
from remanent.model import Clock, Entry, FoundSource, Job, NewId, Record, Scope
from remanent.stores import Store, Transaction, Vectors

if TYPE_CHECKING:
    from remanent.associative.compression import CompressionScheduler, Compressor
    from remanent.associative.settings import AssociativeSettings
    from remanent.associative.triples import TripleLoader
    from remanent.associative.writer import GraphWriter

_ENTRIES_AT_ONCE = 200
"""Entries that one job makes nodes of; a longer call becomes several jobs.

Chosen by hand: a job that is cut off begins anew, so that no more than this is done twice."""


async def _append_only(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Append entries where there is nothing to index them and nobody to tell."""
    for entry in entries:
        tx.append(entry)


class Associations:
    """What all agents' associative memories share: their graphs, and those who write, compress, restore and load them.

    The faces of single agents are thin and made at every access; whatever has a state lives here.
    """

    def __init__(
        self,
        store: Store,
        engine: Engine,
        *,
        settings: "AssociativeSettings",
        clock: Clock,
        new_id: NewId,
        index: Callable[[Transaction], None] = lambda _: None,
        append: Append | None = None,
        vectors: Vectors | None = None,
        embedders: Embedders | None = None,
        compressor: "Compressor | None" = None,
    ) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.new_id = new_id
        self.graphs = Graphs(store, floor=settings.link_break_threshold)
        self._reach = WideningSearch(store, self.graphs, vectors=vectors, embedders=embedders, settings=settings)
        self.watermark = Watermark(store, clock=clock)
        self._parts = GraphParts(store, self.graphs, engine, settings, clock, new_id, index, append or _append_only)
        self._compressor = compressor
        self.watch: Callable[[Scope], None] = lambda _: None
        """Has the worker look at an agent's queue; set once there is a worker."""
        self.rest: Callable[[Scope], None] = lambda _: None
        """Has the worker leave an agent's queue alone; set once there is a worker."""

    # Whoever only searches loads nothing that writes.

    @cached_property
    def scheduler(self) -> "CompressionScheduler":
        """Weakens, shortens and deletes."""
        from remanent.associative.compression import CompressionScheduler, open_compressor

        parts = self._parts
        return CompressionScheduler(
            parts, self._compressor or open_compressor(parts.settings.compression, parts.engine)
        )

    @cached_property
    def writer(self) -> "GraphWriter":
        """Makes nodes and links."""
        from remanent.associative.writer import GraphWriter

        return GraphWriter(self._parts, self.scheduler)

    @cached_property
    def loader(self) -> "TripleLoader":
        """Takes in graphs."""
        from remanent.associative.triples import TripleLoader

        return TripleLoader(self._parts)

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
            raise InvalidInput("relations is a list of texts: wrap the text in a list")
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
