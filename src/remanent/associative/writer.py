"""How what was said becomes nodes, how these fade by degrees, and how a deleted one is made again from the journal."""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from pydantic import JsonValue

from remanent.associative.graph import MAX_GRAPHS, Graph, GraphParts, GraphTransaction, PendingChanges, Vertex
from remanent.associative.model import COMPRESS, EARLIER, LATER, REWRITE, TRACE, CompressionDecision, Forgotten, Node
from remanent.associative.search import entries_of
from remanent.errors import InvalidInput, LanguageError, ModelDenied, ModelUnavailable, NotFound
from remanent.jobs import Postponed, Requeue, describe_failure, retry_delay
from remanent.language import Answer, Engine
from remanent.language.engines import OfflineEngine
from remanent.language.roles.annotation import (
    ANNOTATION,
    RELATION_NAMING,
    AnnotationRequest,
    AnnotationResponse,
    RelationNamingRequest,
)
from remanent.language.roles.segmentation import SEGMENTATION, Segment, SegmentationRequest
from remanent.language.shapes import Utterance, UtteranceSpan
from remanent.lightweight import dataclass
from remanent.model import Entry, Job, Maker, Scope, Source, Tombstone, from_millis, least_trusted, to_millis
from remanent.model.ids import uuid7
from remanent.stores import EntryQuery, Transaction
from remanent.text.talk import says_nothing_alone

_logger = logging.getLogger(__name__)

# ── forgetting by degrees: which nodes are looked at, what becomes of each, and the time it may take ─────────

_LEVELS = 5
"""Steps from the original length to nothing: each rewriting takes off a fifth. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class ShortenedText:
    """A text that was made shorter, with what it is about, and who did it."""

    content: str
    phrase: str
    keywords: tuple[str, ...]
    made_by: Maker


class Compressor(ABC):
    """Makes texts shorter. Failures are `LanguageError`."""

    @abstractmethod
    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        """Return the text in at most `target` characters, with its phrase and keywords."""


class RoleCompressor(Compressor):
    """Has the engine's annotation role do it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        """Ask the role for a compression to the length."""
        answer = await self._engine.run(ANNOTATION, AnnotationRequest(text=text, target_length=target))
        value = answer.value
        return ShortenedText(value.content, value.phrase, value.keywords, answer.made_by)


class KeySentences(RoleCompressor):
    """Keeps the sentences that say most, in their own words, whatever the engine."""

    def __init__(self) -> None:
        super().__init__(OfflineEngine())


class Levels(Compressor):
    """Goes down in steps: a text is rewritten when its importance falls to the next level, not at every scan."""

    def __init__(self, inner: Compressor) -> None:
        self._inner = inner

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        """Shorten to the level below the target; below the last level, to the target itself."""
        step = max(1, original_length // _LEVELS)
        level = target // step * step
        return await self._inner.shorten(text, target=level or target, original_length=original_length)


def open_compressor(name: str, engine: Engine) -> Compressor:
    """Return the way that settings choose."""
    if name == "key-sentences":
        return KeySentences()
    return Levels(RoleCompressor(engine)) if name == "levels" else RoleCompressor(engine)


BACKOFF_BASE, BACKOFF_CAP = 1.0, 30.0
"""Seconds between attempts at a text: 1, 2, 4 … 30, as the design prescribes."""
NODES_AT_ONCE = 250
"""Nodes that one unit of work looks at: with some thirty links each it holds the writer for about 20 ms."""
NODES_BETWEEN_CHECKS = 100
"""Nodes between two looks at the clock; others have their turn there, too."""
_TEXTS_AT_ONCE = 20
"""Texts that one job has rewritten; chosen by hand: a job that fails repeats no more than these."""
SAMPLE_FACTOR = 3
"""With fixed slots, so many times a batch is drawn, and the least important of it are taken.

Chosen by hand. A sample, because scoring every node of a large graph would take longer than the batch itself."""


def decide(
    importance: float, *, original_length: int, length: int, delete_below: int
) -> tuple[CompressionDecision, int]:
    """Return what becomes of a node that is not in focus, and the length its text may have.

    The measure is the original length, not the present one: measured by what is left, every scan would shorten again.
    """
    target = int(original_length * min(importance, 1.0))
    if importance <= 0 or min(target, length) < delete_below:
        return CompressionDecision.DELETED, 0
    return (CompressionDecision.KEPT, length) if target >= length else (CompressionDecision.SHORTENED, target)


def least_important(graph: Graph, candidates: Sequence[Vertex], count: int) -> list[Vertex]:
    """Return so many of the candidates, the least important first; of equals, the oldest."""
    return sorted(candidates, key=lambda vertex: (graph.importance(vertex), vertex.order))[:count]


class CompressionScheduler:
    """Decides when which node is compressed, and has it done."""

    def __init__(self, parts: GraphParts, compressor: Compressor) -> None:
        self._parts = parts
        self._compressor = compressor
        self._left: dict[Scope, deque[str]] = {}
        """What is still to come of an agent's round; an agent is not in it when no round began in this process."""

    def trigger(self, tx: Transaction) -> None:
        """Ask for a compression as part of a unit of work; one that waits already will do."""
        self._enqueue(tx, COMPRESS, key=COMPRESS)

    def forget(self, scope: Scope) -> None:
        """Let go of what is kept for an agent."""
        self._left.pop(scope.owner, None)

    # ── looking at nodes ─────────────────────────────────────────────────────

    async def run_compression_slice(self, job: Job, tx: Transaction) -> None:
        """Compress the next nodes; within its time slice the round goes on in a job of its own.

        Many short units of work instead of one long one: whoever remembers waits for 20 ms of it and not for a slice.
        """
        noted = job.payload.get("begun")
        begun = from_millis(noted) if isinstance(noted, int) else self._parts.clock()
        work = await self._parts.graphs.work(tx, at=self._parts.clock())
        left = self._round(job, work.graph)
        step = await self._decide(work.graph, left, until=begun + timedelta(seconds=self._parts.settings.time_slice))
        await self._apply(work, step)

        # Noted once it is durable: a unit of work that fails is run again with the nodes that it was to look at.
        tx.then(lambda _: self._leave(work.scope, left))
        if left and self._parts.clock() - begun < timedelta(seconds=self._parts.settings.time_slice):
            self._enqueue(tx, COMPRESS, payload={"begun": to_millis(begun)})

    def _leave(self, owner: Scope, left: deque[str]) -> None:
        """Note what is still to come; the agents that were looked at longest ago begin a new round instead."""
        self._left.pop(owner, None)
        self._left[owner] = left
        if len(self._left) > MAX_GRAPHS:
            del self._left[next(iter(self._left))]

    def _round(self, job: Job, graph: Graph) -> deque[str]:
        """Return the nodes to come: what a round before has left, or those of a new one."""
        known = self._left.get(job.scope.owner)
        if known:
            return known.copy()
        if known is not None and "begun" in job.payload:
            return deque()  # the round that this job was to go on with has ended meanwhile
        focuses = set(graph.focuses)
        nodes = [vertex for vertex in graph.nodes() if vertex.id not in focuses]
        if self._parts.settings.schedule == "fixed":
            batch = self._parts.settings.compression_batch_size
            # The job's own chance: run again after a crash, it draws the same.
            drawn = random.Random(job.id).sample(nodes, min(len(nodes), SAMPLE_FACTOR * batch))
            return deque(vertex.id for vertex in least_important(graph, drawn, batch))
        return deque(vertex.id for vertex in sorted(nodes, key=lambda vertex: (vertex.scan_count, vertex.order)))

    async def _decide(self, graph: Graph, left: deque[str], *, until: datetime) -> PendingChanges:
        """Decide about the next nodes without changing anything, until so many were looked at or time is up."""
        step = PendingChanges(rate=self._parts.settings.decay_rate)
        focuses = set(graph.focuses)
        for number in range(min(len(left), NODES_AT_ONCE)):
            if number % NODES_BETWEEN_CHECKS == 0 and number:
                await asyncio.sleep(0)
                if self._parts.clock() >= until:
                    break
            vertex = graph.find(left.popleft())
            if vertex is not None and vertex.id not in focuses:
                self._compress_node(graph, vertex, step)
        return step

    def _compress_node(self, graph: Graph, vertex: Vertex, step: PendingChanges) -> None:
        """Decide about one node, as it stands after what was decided about those before it."""
        decision, target = decide(
            graph.importance(vertex, under_way=step),
            original_length=vertex.original_length,
            length=len(vertex.content),
            delete_below=self._parts.settings.delete_threshold,
        )
        if decision is CompressionDecision.DELETED:
            step.gone[vertex.id] = None
            return
        if decision is CompressionDecision.SHORTENED:
            step.rewrites.append((vertex.id, target))
        step.faded[vertex.id] = None

    async def _apply(self, work: GraphTransaction, step: PendingChanges) -> None:
        """Put the decisions into the unit of work; texts are left to jobs of their own, since a model may be slow."""
        work.decay_all_links(tuple(step.faded), rate=self._parts.settings.decay_rate)
        work.increment_scan_count(tuple(step.faded))
        await work.delete_nodes(tuple(step.gone), reason="faded")
        for start in range(0, len(step.rewrites), _TEXTS_AT_ONCE):
            self._request_rewrites(work.tx, step.rewrites[start : start + _TEXTS_AT_ONCE])

    # ── making texts shorter ─────────────────────────────────────────────────

    async def rewrite(self, job: Job, tx: Transaction) -> None:
        """Have texts made shorter; what fails is tried again later, and in the end stays as it is."""
        noted = job.payload.get("tries")
        tries = noted if isinstance(noted, int) else 0
        graph = await self._parts.graphs.at(job.scope)
        done: dict[str, tuple[str, ShortenedText]] = {}
        failed: list[tuple[str, int]] = []
        problem = ""
        for node_id, target in _targets(job.payload):
            vertex = graph.find(node_id)
            if vertex is None or len(vertex.content) <= target:
                continue
            await asyncio.sleep(0)  # without a model nothing here waits, and others have their turn
            before = vertex.content  # as it is given to the model: it may be another when the answer comes
            try:
                async with asyncio.timeout(self._parts.settings.worker_timeout):
                    shortened = await self._compressor.shorten(
                        before, target=target, original_length=vertex.original_length
                    )
            except (LanguageError, TimeoutError) as error:
                failed.append((node_id, target))
                problem = describe_failure(error)
            else:
                done[node_id] = (before, shortened)
        work = await self._parts.graphs.work(tx, at=self._parts.clock())
        await self._write(work, done)
        self._give_back(tx, failed, tries=tries, problem=problem)

    async def _write(self, work: GraphTransaction, done: Mapping[str, tuple[str, ShortenedText]]) -> None:
        """Give nodes their shorter texts, unless they were changed while the model worked on them.

        Of what has no text left that is long enough, the tombstone tells by the words that it had before.
        """
        for node_id, (before, shortened) in done.items():
            vertex = work.graph.find(node_id)
            if vertex is None or vertex.content != before:
                continue
            if len(shortened.content) < self._parts.settings.delete_threshold:
                await work.delete_nodes([node_id], reason="faded")
            else:
                await work.update_content(
                    node_id, shortened.content, shortened.phrase, shortened.keywords, made_by=shortened.made_by
                )

    def _give_back(self, tx: Transaction, failed: Sequence[tuple[str, int]], *, tries: int, problem: str) -> None:
        """Ask for what failed once more, later.

        Its own attempts instead of the queue's: in the end a memory keeps its text, which is no dead letter.
        """
        if not failed:
            return
        if tries >= self._parts.settings.max_retries:
            _logger.error("%d memories keep their text: %s", len(failed), problem)
            return
        _logger.warning("%d memories could not be made shorter yet: %s", len(failed), problem)
        later = self._parts.clock() + retry_delay(tries + 1, base=BACKOFF_BASE, cap=BACKOFF_CAP)
        self._request_rewrites(tx, failed, tries=tries + 1, not_before=later)

    def _request_rewrites(
        self,
        tx: Transaction,
        rewrites: Sequence[tuple[str, int]],
        *,
        tries: int = 0,
        not_before: datetime | None = None,
    ) -> None:
        """Enqueue the shortening of texts, for which a model may be asked: no commit waits for one."""
        targets: list[JsonValue] = [[node_id, target] for node_id, target in rewrites]
        self._enqueue(tx, REWRITE, payload={"nodes": targets, "tries": tries}, not_before=not_before)

    def _enqueue(self, tx: Transaction, kind: str, **wanted: Any) -> None:
        """Ask for a job in the lane of its kind; without a limit, because each is bounded by the nodes there are."""
        tx.request(kind, job_id=self._parts.new_id(), at=self._parts.clock(), **wanted)


def _targets(payload: Mapping[str, JsonValue]) -> list[tuple[str, int]]:
    """Return the nodes of a job with the lengths that their texts are to have."""
    pairs = payload.get("nodes")
    return [
        (str(pair[0]), pair[1])
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int)
    ]


# ── making nodes ─────────────────────────────────────────────────────────────

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
        most = self._parts.settings.max_focus_count
        if self._parts.settings.schedule == "fixed":
            for draft in drafts[: -self._parts.settings.max_nodes]:
                work.bury(_without_room(draft, entries, at=work.at))
            drafts = drafts[-self._parts.settings.max_nodes :]
        new_ids = [draft.node_id for draft in drafts]
        await self._free_slots(work, job, count=len(drafts), staying=work.focuses_after(new_ids, most=most))
        for draft in drafts:
            _create(work, draft, entries)
        # What came later knows its 上文, what came before its 下文.
        strength, reach = self._parts.settings.link_initial_strength, self._parts.settings.batch_reach
        for place, earlier in enumerate(new_ids):
            for later in new_ids[place + 1 : place + 1 + reach]:
                work.create_links(later, earlier, strength, EARLIER, LATER)
        for draft in drafts:
            for focus in work.graph.focused():
                name = draft.relations.get(focus.id, "")
                work.create_links(draft.node_id, focus.id, _FOCUS_STRENGTH, name, name)
        if drafts:
            work.update_focus(new_ids, most=most)

    async def _free_slots(self, work: GraphTransaction, job: Job, *, count: int, staying: Sequence[str]) -> None:
        """With a fixed number of slots, delete the least important of a sample where there is no room."""
        graph = work.graph
        missing = len(graph) + count - self._parts.settings.max_nodes
        if self._parts.settings.schedule != "fixed" or missing <= 0:
            return
        candidates = [vertex for vertex in graph.nodes() if vertex.id not in staying]
        size = max(self._parts.settings.compression_batch_size, SAMPLE_FACTOR * missing)
        drawn = random.Random(job.id).sample(candidates, min(size, len(candidates)))
        reused = [vertex.id for vertex in least_important(graph, drawn, missing)]
        await work.delete_nodes(reused, reason="slot reused")

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
            # Its record is still there where it was put out of mind by hand.
            if await self._parts.store.records_by_id(scope.owner, (node_id,)):
                tx.drop(node_id)
            node = work.create_node(
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
            work.unbury(node_id)
            focuses = work.graph.focused()
            for focus in focuses:
                work.create_links(node_id, focus.id, _FOCUS_STRENGTH)
            if not focuses:
                work.update_focus([node_id], most=self._parts.settings.max_focus_count)
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
            raise NotFound(f"node {forgotten.node_id} cannot be rebuilt: the journal no longer has its words")
        request = SegmentationRequest(utterances=tuple(_utterance(entry) for entry in said))
        async with asyncio.timeout(self._parts.settings.worker_timeout):
            answer = await self._parts.engine.run(SEGMENTATION, request)
        again = [
            segment.text
            for segment in answer.value.segments
            if any(_overlaps(place, said, spans) for place in segment.places)
        ]
        return "\n".join(again or words), said


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


def _create(work: GraphTransaction, draft: TraceDraft, entries: Sequence[Entry]) -> None:
    """Make a node of a draft; it is trusted as little as the least trusted of its words."""
    first = entries[draft.segment.places[0].utterance]
    work.create_node(
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
