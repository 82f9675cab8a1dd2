"""The associative memories of all agents, put together: graphs, schedules, jobs, search."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from remanent.associative.compression import COMPRESS, REWRITE, CompressionScheduler
from remanent.associative.compressors import Compressor, open_compressor
from remanent.associative.graphs import Graphs
from remanent.associative.kinds import TRACE
from remanent.associative.restoring import Restorer
from remanent.associative.search import SearchEngine, Wanted
from remanent.associative.taking import TripleTaker
from remanent.associative.watermark import LANE, Watermark
from remanent.associative.words import RecalledNode, Recollected, Recollection
from remanent.associative.writing import Writer, entries_payload
from remanent.discipline import Append
from remanent.embedding import Embedder
from remanent.errors import InvalidInput
from remanent.jobs import Handler
from remanent.language import Engine
from remanent.model import Clock, Entry, FoundSource, Job, NewId, Record, Scope, least_trusted
from remanent.stores import EntryQuery, RecordFilter, RecordQuery, Store, Transaction, Vectors

if TYPE_CHECKING:
    from remanent.associative.settings import AssociativeSettings

REMEMBER = "associative.remember"
"""The job that makes nodes of entries."""

ENTRIES_AT_ONCE = 200
"""Entries that one job makes nodes of; a longer call becomes several jobs."""


async def _append_only(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Append entries where there is nothing to index them and nobody to tell."""
    for entry in entries:
        tx.append(entry)


class Associations:
    """What all agents' associative memories share."""

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
        embedder: Embedder | None = None,
        compressor: Compressor | None = None,
    ) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.new_id = new_id
        self.index = index
        self._vectors = vectors
        self._embedder = embedder
        self.graphs = Graphs(store, floor=settings.link_break_threshold)
        self.watermark = Watermark(store, clock=clock)
        compressor = compressor or open_compressor(settings.compression, engine)
        self.scheduler = CompressionScheduler(
            store, self.graphs, compressor, settings=settings, clock=clock, new_id=new_id
        )
        self._writer = Writer(store, self.graphs, engine, self.scheduler, settings=settings, clock=clock, index=index)
        self.restorer = Restorer(store, self.graphs, engine, settings=settings, clock=clock, index=index)
        self.taker = TripleTaker(
            store,
            self.graphs,
            settings=settings,
            clock=clock,
            new_id=new_id,
            index=index,
            append=append or _append_only,
        )
        self.watch: Callable[[Scope], None] = lambda _: None
        """Has the worker look at an agent's queue; set once there is a worker."""

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """The kinds of job that are done here."""
        return {
            REMEMBER: self._remember,
            COMPRESS: self.scheduler.run_compression_slice,
            REWRITE: self.scheduler.rewrite,
        }

    async def _remember(self, job: Job, tx: Transaction) -> None:
        await self._writer.remember(job, tx)
        tx.then(lambda _: self.watermark.advance(job.scope))

    def request(self, tx: Transaction, entry_ids: Sequence[str]) -> None:
        """Ask, as part of the unit of work that appends them, for nodes of entries."""
        for start in range(0, len(entry_ids), ENTRIES_AT_ONCE):
            job = Job(
                id=self.new_id(),
                scope=tx.scope,
                kind=REMEMBER,
                lane=LANE,
                payload=entries_payload(entry_ids[start : start + ENTRIES_AT_ONCE]),
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
    ) -> Recollection:
        """Search an agent's graph as it stands now."""
        if isinstance(keywords, str) or isinstance(relations, str):
            raise InvalidInput("keywords and relations are lists of texts: wrap the text in a list")
        depth = self.settings.default_search_depth if depth is None else depth
        limit = self.settings.max_search_results if limit is None else limit
        if depth < 0 or limit < 0:
            raise InvalidInput("depth and limit must not be negative")
        similar = await self._similar(scope, " ".join(keywords)) if by_meaning else {}
        wanted = Wanted(
            keywords=tuple(keywords),
            relations=None if relations is None else tuple(relations),
            depth=depth,
            limit=limit,
            since=since,
            until=until,
            similar=similar,
        )
        return SearchEngine(await self.graphs.at(scope)).search(wanted)

    async def with_sources(self, scope: Scope, found: Recollection) -> tuple[RecalledNode, ...]:
        """Return what a search found as items of an answer, each with the words of the journal that it rests on."""
        ids = tuple(item.node.id for item in found.items)
        if not ids:
            return ()
        wanted = RecordQuery(filter=RecordFilter(statuses=None), record_ids=ids, limit=len(ids))
        records = {record.id: record for record in await self.store.records(scope.owner, wanted)}
        entry_ids = tuple({source.entry_id for record in records.values() for source in record.sources})
        query = EntryQuery(entry_ids=entry_ids, limit=max(1, len(entry_ids)))
        entries = {entry.id: entry for entry in await self.store.entries(scope.owner, query)}
        # A node that was erased between the search and this look is in no answer.
        return tuple(
            _recalled(item, records[item.node.id], entries, rank=rank)
            for rank, item in enumerate((one for one in found.items if one.node.id in records), start=1)
        )

    def forget(self, scope: Scope) -> None:
        """Let go of everything that is kept of an agent in this process, as an erasure must."""
        self.graphs.forget(scope)
        self.scheduler.forget(scope)

    async def _similar(self, scope: Scope, text: str) -> dict[str, float]:
        """Return the nodes that are near a text in meaning, with their cosine."""
        if self._vectors is None or self._embedder is None:
            raise InvalidInput("recall by meaning needs an embedder; set `embedder` to other than none")
        if not text.strip():
            return {}
        (vector,) = await self._embedder.embed([text])
        hits = await self._vectors.search(
            scope.owner,
            vector,
            model=self._embedder.model_id,
            record_filter=RecordFilter(kinds=(TRACE,)),
            limit=max(1, self.settings.max_search_results),
        )
        return {hit.record_id: hit.score for hit in hits if hit.score >= self.settings.similarity}


def _recalled(item: Recollected, record: Record, entries: Mapping[str, Entry], *, rank: int) -> RecalledNode:
    sources = tuple(
        FoundSource.of(entries[source.entry_id], source) for source in record.sources if source.entry_id in entries
    )
    return RecalledNode(
        record_id=record.id,
        text=item.node.content,
        score=item.strength,
        kind=record.kind,
        occurred_at=record.occurred_at,
        session=record.scope.session,
        trust=least_trusted([record.trust, *(source.origin for source in sources)]),
        recorded_at=record.created_at,
        confidence=record.confidence,
        evidence_count=record.evidence_count,
        sources=sources,
        evidence=(record.id,),
        rank=rank,
        node=item.node,
        matched_keywords=item.matched_keywords,
        similarity=item.similarity,
        focus_id=item.focus_id,
        strength=item.strength,
        hops=item.hops,
    )
