"""The associative memories of all agents, put together: graphs, schedules, jobs, search."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from remanent.associative.compression import COMPRESS, REWRITE, CompressionScheduler
from remanent.associative.compressors import Compressor, open_compressor
from remanent.associative.graphs import Graphs
from remanent.associative.kinds import TRACE
from remanent.associative.line import LANE, RECALL, Line
from remanent.associative.restoring import Restorer
from remanent.associative.search import SearchEngine, Wanted
from remanent.associative.taking import TripleTaker
from remanent.associative.words import Recollection
from remanent.associative.writing import Writer, entries_payload
from remanent.discipline import Append
from remanent.embedding import Embedder
from remanent.errors import InvalidInput
from remanent.jobs import Handler
from remanent.language import Engine
from remanent.model import Clock, Entry, Job, NewId, Scope
from remanent.stores import RecordFilter, Store, Transaction, Vectors

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
        self.line = Line(store, clock=clock, new_id=new_id, limit=settings.max_queue_size)
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
            REMEMBER: self._writer.remember,
            RECALL: self.line.take_turn,
            COMPRESS: self.scheduler.run_compression_slice,
            REWRITE: self.scheduler.rewrite,
        }

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
