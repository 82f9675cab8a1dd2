"""How what was said becomes nodes, and how a deleted node is made again from the journal: each in one commit."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from remanent.associative.compression import SAMPLE_FACTOR, CompressionScheduler, least_important
from remanent.associative.graph import GraphParts, GraphTransaction, Vertex
from remanent.associative.graph_store import FocusManager, LinkStore, NodeStore
from remanent.associative.model import EARLIER, LATER, TRACE, Forgotten, Node
from remanent.associative.search import entries_of
from remanent.errors import InvalidInput, LanguageError, ModelDenied, ModelUnavailable, NotFound
from remanent.jobs import Postponed, Requeue, describe_failure
from remanent.language import Answer
from remanent.language.engines import OfflineEngine
from remanent.language.roles.annotation import ANNOTATION, AnnotationRequest, AnnotationResponse
from remanent.language.roles.relation_naming import RELATION_NAMING, RelationNamingRequest
from remanent.language.roles.segmentation import SEGMENTATION, Segment, SegmentationRequest
from remanent.language.shapes import Utterance, UtteranceSpan
from remanent.model import Entry, Job, Maker, Scope, Source, Tombstone, least_trusted, to_millis
from remanent.model.ids import uuid7
from remanent.stores import EntryQuery, Transaction
from remanent.text.talk import says_nothing_alone
from remanent.values import dataclass

_MAX_EARLIER_ENTRIES = 10
"""Entries before the new ones that the model is shown, to resolve pronouns; chosen by hand."""
_MAX_CONCURRENT = 4
"""Pieces of language work that run beside each other; chosen by hand."""
_FOCUS_STRENGTH = 1.0
"""The strength of a link with a focus, by the design; it does not weaken while the node is in focus."""
_INDEXES = 1 << 12
"""Nodes of one job whose ids sort in their order; beyond it the order begins anew, and ids stay distinct."""

T = TypeVar("T")
R = TypeVar("R")
_logger = logging.getLogger(__name__)


def _node_id_of(job: Job, index: int) -> str:
    """Return the id of a job's n-th node: the same each time the job runs, and in the order of the nodes."""
    digest = int.from_bytes(sha256(f"{job.id} {index}".encode()).digest()[:8])
    return uuid7(to_millis(job.enqueued_at), (index % _INDEXES) << 62 | digest >> 2)


@dataclass(frozen=True, slots=True)
class TraceDraft:
    """A node that is about to be made."""

    node_id: str
    segment: Segment
    annotation: AnnotationResponse
    made_by: Maker
    relations: dict[str, str]
    """Names of the relations to the focuses, by their ids."""


class GraphWriter:
    """Makes nodes of what was said, as the jobs of `remember`, and makes deleted ones again."""

    def __init__(self, parts: GraphParts, scheduler: CompressionScheduler) -> None:
        self._parts = parts
        self._scheduler = scheduler

    async def remember(self, job: Job, tx: Transaction) -> None:
        """Make nodes and links of a job's entries; a job that is cut off anywhere has made nothing and begins anew."""
        entries = await self._entries(job)
        if not entries:
            return
        segments = await self._segments(job.scope, entries)
        focused = (await self._parts.graphs.at(job.scope)).focused()
        drafts = await _gathered(lambda numbered: self._draft(job, *numbered, focused), list(enumerate(segments)))
        work = await self._parts.graphs.work(tx, at=self._parts.clock())
        await self._write(work, job, entries, drafts)
        if drafts:
            self._parts.index(tx)
        self._scheduler.trigger(tx)

    # ── language work ────────────────────────────────────────────────────────

    async def _entries(self, job: Job) -> list[Entry]:
        """Return the entries of a job of which nodes are made."""
        # One that was stored before under the caller's id is not found under the new one, and was remembered then.
        found = await self._parts.store.entries_by_id(job.scope.owner, entries_of(job))
        # Of thanks and greetings no node is made; nor is a model asked for them.
        return [entry for entry in found.values() if not (entry.erased or says_nothing_alone(entry.text))]

    async def _segments(self, scope: Scope, entries: Sequence[Entry]) -> tuple[Segment, ...]:
        """Have the words cut into memories, with a little of what was said before them."""
        query = EntryQuery(before_seq=entries[0].seq, newest_first=True, limit=_MAX_EARLIER_ENTRIES)
        earlier = [entry for entry in await self._parts.store.entries(scope, query) if not entry.erased]
        request = SegmentationRequest(
            utterances=tuple(_utterance(entry) for entry in entries),
            earlier=tuple(_utterance(entry) for entry in reversed(earlier)),
        )
        try:
            async with asyncio.timeout(self._parts.settings.worker_timeout):
                answer = await self._parts.engine.run(SEGMENTATION, request)
        except (ModelUnavailable, ModelDenied, TimeoutError) as error:
            # Not this content's fault: the next would fare no better, so that none may overtake it or be given up.
            raise Postponed(f"segmentation waits for its model: {describe_failure(error)}") from error
        except LanguageError as error:
            raise Requeue(f"segmentation failed: {describe_failure(error)}") from error
        return answer.value.segments

    async def _draft(self, job: Job, index: int, segment: Segment, focused: Sequence[Vertex]) -> TraceDraft:
        """Return what becomes of a segment: phrase, keywords and the relation to each node in focus.

        Between the two requests others get a turn: offline both are done by the processor without a pause.
        """
        annotation = await self._annotation(segment.text)
        await asyncio.sleep(0)
        names = await self._relations(segment.text, focused)
        relations = {vertex.id: name for vertex, name in zip(focused, names, strict=True)}
        return TraceDraft(_node_id_of(job, index), segment, annotation.value, annotation.made_by, relations)

    async def _annotation(self, text: str) -> Answer[AnnotationResponse]:
        """Return phrase and keywords of a text; without the model where that fails or is late.

        The jobs of a graph run one after another, so that a model which hangs would keep everything said later from it,
        too.
        """
        request = AnnotationRequest(text=text)
        try:
            async with asyncio.timeout(self._parts.settings.worker_timeout):
                return await self._parts.engine.run(ANNOTATION, request)
        except (LanguageError, TimeoutError) as error:
            _logger.warning("a memory is annotated without the model: %s", describe_failure(error))
            return await OfflineEngine().run(ANNOTATION, request)

    async def _relations(self, text: str, focused: Sequence[Vertex]) -> Sequence[str]:
        """Have the links to the focuses named; where that fails they stay unnamed, and the memory is kept."""
        if not focused:
            return ()
        request = RelationNamingRequest(node=text, focuses=tuple(vertex.content for vertex in focused))
        try:
            async with asyncio.timeout(self._parts.settings.worker_timeout):
                return (await self._parts.engine.run(RELATION_NAMING, request)).value.relations
        except (LanguageError, TimeoutError) as error:
            _logger.warning("relations stay unnamed: %s", describe_failure(error))
            return [""] * len(focused)

    # ── nodes and links ──────────────────────────────────────────────────────

    async def _write(
        self, work: GraphTransaction, job: Job, entries: Sequence[Entry], drafts: Sequence[TraceDraft]
    ) -> None:
        """Make nodes of drafts, link them with each other and with what was in focus, and focus on them.

        With a fixed number of slots, what has no room even if all else went is buried at once, so that a tombstone
        tells of it.
        """
        nodes, links = NodeStore(work, self._parts.store), LinkStore(work)
        if self._parts.settings.schedule == "fixed":
            for draft in drafts[: -self._parts.settings.max_nodes]:
                nodes.bury(_without_room(draft, entries, at=work.at))
            drafts = drafts[-self._parts.settings.max_nodes :]
        focus = FocusManager(work.graph, most=self._parts.settings.max_focus_count)
        new_ids = [draft.node_id for draft in drafts]
        await self._free_slots(work, nodes, job, count=len(drafts), staying=focus.after(new_ids))
        for draft in drafts:
            _create(nodes, draft, entries)
        self._link_batch(links, new_ids)
        for draft in drafts:
            for focus_id in focus.get_focus_list():
                name = draft.relations.get(focus_id, "")
                links.create_links(draft.node_id, focus_id, _FOCUS_STRENGTH, name, name)
        if drafts:
            focus.update_focus(work, new_ids)

    def _link_batch(self, links: LinkStore, node_ids: Sequence[str]) -> None:
        """Link the nodes of a batch with each other: what came later knows its 上文, what came before its 下文."""
        strength = self._parts.settings.link_initial_strength
        for place, earlier in enumerate(node_ids):
            for later in node_ids[place + 1 : place + 1 + self._parts.settings.batch_reach]:
                links.create_links(later, earlier, strength, EARLIER, LATER)

    async def _free_slots(
        self, work: GraphTransaction, nodes: NodeStore, job: Job, *, count: int, staying: Sequence[str]
    ) -> None:
        """With a fixed number of slots, delete the least important of a sample where there is no room."""
        graph = work.graph
        missing = len(graph) + count - self._parts.settings.max_nodes
        if self._parts.settings.schedule != "fixed" or missing <= 0:
            return
        candidates = [vertex for vertex in graph.nodes() if vertex.id not in staying]
        size = max(self._parts.settings.compression_batch_size, SAMPLE_FACTOR * missing)
        drawn = random.Random(job.id).sample(candidates, min(size, len(candidates)))
        reused = [vertex.id for vertex in least_important(graph, drawn, missing)]
        await nodes.delete_nodes(reused, reason="slot reused")

    # ── bringing back ────────────────────────────────────────────────────────

    async def restore(self, scope: Scope, node_id: str) -> Node:
        """Make a deleted node again under its id: links that dangle lead to it again, and the focuses know it.

        Its text is made from the journal as it was the first time, not what compression had left of it.
        """
        graph = await self._parts.graphs.at(scope)
        if node_id in graph:
            raise InvalidInput(f"node {node_id} is not forgotten; there is nothing to restore")
        memorial = graph.memorials.get(node_id)
        if memorial is None:
            raise NotFound(f"no node {node_id} was forgotten here")
        text, entries = await self._words(scope, memorial.forgotten)
        first = entries[0]
        async with asyncio.timeout(self._parts.settings.worker_timeout):
            answer = await self._parts.engine.run(ANNOTATION, AnnotationRequest(text=text))
        async with self._parts.store.transaction(scope.owner) as tx:
            work = await self._parts.graphs.work(tx, at=self._parts.clock())
            nodes, links = NodeStore(work, self._parts.store), LinkStore(work)
            focus = FocusManager(work.graph, most=self._parts.settings.max_focus_count)
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
                created_at=memorial.forgotten.learned_at,
            )
            nodes.unbury(node_id)
            focuses = focus.get_focus_list()
            for focus_id in focuses:
                links.create_links(node_id, focus_id, _FOCUS_STRENGTH)
            if not focuses:
                focus.update_focus(work, [node_id])
            self._parts.index(tx)
        return node

    async def _words(self, scope: Scope, forgotten: Forgotten) -> tuple[str, list[Entry]]:
        """Return the text that a node was made with, and its entries, of which there is at least one.

        The entries are cut again, so that the speaker and the dates stand in it as they did.
        """
        wanted = tuple(dict.fromkeys(source.entry_id for source in forgotten.sources))
        read = await self._parts.store.entries_by_id(scope.owner, wanted)
        entries = {entry_id: entry for entry_id, entry in read.items() if not entry.erased}
        said = [entries[entry_id] for entry_id in wanted if entry_id in entries]
        spans = [source for source in forgotten.sources if source.entry_id in entries]
        words = [text for one in spans if (text := entries[one.entry_id].text[one.start : one.end].strip())]
        if not words:
            raise NotFound(f"node {forgotten.node_id} cannot be made again: the journal no longer has its words")
        request = SegmentationRequest(utterances=tuple(_utterance(entry) for entry in said))
        async with asyncio.timeout(self._parts.settings.worker_timeout):
            answer = await self._parts.engine.run(SEGMENTATION, request)
        again = [
            segment.text
            for segment in answer.value.segments
            if any(_overlaps(place, said, spans) for place in segment.places)
        ]
        return "\n".join(again or words), said

    async def _clear(self, nodes: NodeStore, scope: Scope, node_id: str) -> None:
        """Make room for a node that was put out of mind by hand: its record is still there."""
        if await self._parts.store.records_by_id(scope.owner, (node_id,)):
            nodes.drop(node_id)


def _utterance(entry: Entry) -> Utterance:
    return Utterance(speaker=entry.role, text=entry.text, occurred_at=entry.occurred_at)


def _sources(draft: TraceDraft, entries: Sequence[Entry]) -> tuple[Source, ...]:
    places = draft.segment.places
    return tuple(Source(entry_id=entries[one.utterance].id, start=one.start, end=one.end) for one in places)


def _without_room(draft: TraceDraft, entries: Sequence[Entry], *, at: datetime) -> Tombstone:
    """Return what is left of a node of a batch that is larger than all slots together."""
    return Tombstone(
        record_id=draft.node_id,
        scope=entries[draft.segment.places[0].utterance].scope,
        kind=TRACE,
        about=draft.annotation.phrase,
        keywords=draft.annotation.keywords,
        learned_at=at,
        forgotten_at=at,
        size=len(draft.annotation.content),
        reason="no slot was free",
        sources=_sources(draft, entries),
    )


def _create(nodes: NodeStore, draft: TraceDraft, entries: Sequence[Entry]) -> None:
    """Make a node of a draft; it is trusted as little as the least trusted of its words."""
    first = entries[draft.segment.places[0].utterance]
    nodes.create_node(
        draft.annotation.content,
        draft.annotation.phrase,
        draft.annotation.keywords,
        node_id=draft.node_id,
        sources=_sources(draft, entries),
        scope=first.scope,
        occurred_at=first.occurred_at,
        trust=least_trusted(entries[place.utterance].origin for place in draft.segment.places),
        made_by=draft.made_by,
    )


async def _gathered(work: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
    """Return the results in order, a few at a time; the first failure cancels the rest."""
    gate = asyncio.Semaphore(_MAX_CONCURRENT)

    async def one(item: T) -> R:
        async with gate:
            await asyncio.sleep(0)  # without a model nothing waits, and others have their turn
            return await work(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]


def _overlaps(place: UtteranceSpan, said: Sequence[Entry], spans: Sequence[Source]) -> bool:
    """Tell whether a stretch of what was said has a part in common with any of the spans."""
    entry_id = said[place.utterance].id
    return any(
        span.entry_id == entry_id and span.start < place.end and (span.end is None or place.start < span.end)
        for span in spans
    )
