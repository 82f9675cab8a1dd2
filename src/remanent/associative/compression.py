"""Forgetting by degrees: which nodes are looked at, what becomes of each, and the time it may take."""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from pydantic import JsonValue

from remanent.associative.graph import MAX_GRAPHS, Graph, GraphParts, GraphTransaction, PendingChanges, Vertex
from remanent.associative.graph_store import LinkStore, NodeStore
from remanent.associative.model import COMPRESS, REWRITE, CompressionDecision
from remanent.errors import LanguageError
from remanent.jobs import describe_failure, retry_delay
from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.roles.annotation import ANNOTATION, AnnotationRequest
from remanent.model import Job, Maker, Scope, from_millis, to_millis
from remanent.stores import Transaction
from remanent.values import dataclass

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

    def __init__(self, inner: Compressor, *, levels: int = _LEVELS) -> None:
        self._inner = inner
        self._levels = levels

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        """Shorten to the level below the target; below the last level, to the target itself."""
        step = max(1, original_length // self._levels)
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
BETWEEN_LOOKS = 100
"""Nodes between two looks at the clock; others have their turn there, too."""
_TEXTS_AT_ONCE = 20
"""Texts that one job has rewritten; chosen by hand: a job that fails repeats no more than these."""
SAMPLE_FACTOR = 3
"""With fixed slots, so many times a batch is drawn, and the least important of it are taken.

Chosen by hand. A sample, because scoring every node of a large graph would take longer than the batch itself."""

_logger = logging.getLogger(__name__)


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


@dataclass(slots=True)
class _Step:
    """What one unit of work has decided so far."""

    under_way: PendingChanges
    scanned: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    rewrites: list[tuple[str, int]] = field(default_factory=list)


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
        begun = self._begun(job)
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

    def _begun(self, job: Job) -> datetime:
        """Return when the slice began that a job belongs to."""
        begun = job.payload.get("begun")
        return from_millis(begun) if isinstance(begun, int) else self._parts.clock()

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

    async def _decide(self, graph: Graph, left: deque[str], *, until: datetime) -> _Step:
        """Decide about the next nodes without changing anything, until so many were looked at or time is up."""
        step = _Step(PendingChanges(rate=self._parts.settings.decay_rate))
        focuses = set(graph.focuses)
        for number in range(min(len(left), NODES_AT_ONCE)):
            if number % BETWEEN_LOOKS == 0 and number:
                await asyncio.sleep(0)
                if self._parts.clock() >= until:
                    break
            vertex = graph.find(left.popleft())
            if vertex is not None and vertex.id not in focuses:
                self._compress_node(graph, vertex, step)
        return step

    def _compress_node(self, graph: Graph, vertex: Vertex, step: _Step) -> None:
        """Decide about one node, as it stands after what was decided about those before it."""
        decision, target = decide(
            graph.importance(vertex, under_way=step.under_way),
            original_length=vertex.original_length,
            length=len(vertex.content),
            delete_below=self._parts.settings.delete_threshold,
        )
        if decision is CompressionDecision.DELETED:
            step.deleted.append(vertex.id)
            step.under_way.gone.add(vertex.id)
            return
        if decision is CompressionDecision.SHORTENED:
            step.rewrites.append((vertex.id, target))
        step.scanned.append(vertex.id)
        step.under_way.faded.add(vertex.id)

    async def _apply(self, work: GraphTransaction, step: _Step) -> None:
        """Put the decisions into the unit of work; texts are left to jobs of their own, since a model may be slow."""
        nodes, links = NodeStore(work, self._parts.store), LinkStore(work)
        links.decay_all_links(step.scanned, rate=self._parts.settings.decay_rate)
        nodes.increment_scan_count(step.scanned)
        await nodes.delete_nodes(step.deleted, reason="faded")
        for start in range(0, len(step.rewrites), _TEXTS_AT_ONCE):
            self._request_rewrites(work.tx, step.rewrites[start : start + _TEXTS_AT_ONCE])

    # ── making texts shorter ─────────────────────────────────────────────────

    async def rewrite(self, job: Job, tx: Transaction) -> None:
        """Have texts made shorter; what fails is tried again later, and in the end stays as it is."""
        tries = _number(job.payload.get("tries"))
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
                shortened = await self._shorten(vertex, target)
            except (LanguageError, TimeoutError) as error:
                failed.append((node_id, target))
                problem = describe_failure(error)
            else:
                done[node_id] = (before, shortened)
        work = await self._parts.graphs.work(tx, at=self._parts.clock())
        await self._write(work, done)
        self._give_back(tx, failed, tries=tries, problem=problem)

    async def _shorten(self, vertex: Vertex, target: int) -> ShortenedText:
        """Have one text made shorter, within the time that one piece of language work may take."""
        async with asyncio.timeout(self._parts.settings.worker_timeout):
            return await self._compressor.shorten(vertex.content, target=target, original_length=vertex.original_length)

    async def _write(self, work: GraphTransaction, done: Mapping[str, tuple[str, ShortenedText]]) -> None:
        """Give nodes their shorter texts, unless they were changed while the model worked on them.

        Of what has no text left that is long enough, the tombstone tells by the words that it had before.
        """
        nodes = NodeStore(work, self._parts.store)
        for node_id, (before, shortened) in done.items():
            vertex = work.graph.find(node_id)
            if vertex is None or vertex.content != before:
                continue
            if len(shortened.content) < self._parts.settings.delete_threshold:
                await nodes.delete_nodes([node_id], reason="faded")
            else:
                await nodes.update_content(
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

    def _enqueue(
        self,
        tx: Transaction,
        kind: str,
        *,
        key: str | None = None,
        payload: Mapping[str, JsonValue] | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Ask for a job in the lane of its kind; without a limit, because each is bounded by the nodes there are."""
        at = self._parts.clock()
        tx.request(kind, job_id=self._parts.new_id(), at=at, key=key, payload=payload, not_before=not_before)


def _number(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _targets(payload: Mapping[str, JsonValue]) -> list[tuple[str, int]]:
    """Return the nodes of a job with the lengths that their texts are to have."""
    pairs = payload.get("nodes")
    return [
        (str(pair[0]), pair[1])
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int)
    ]
