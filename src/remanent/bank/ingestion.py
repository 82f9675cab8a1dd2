"""Ingestion: from a raw text to nodes of the graph that are related to what is already there.

First the text is cut into chunks, each chunk is split into topics, and each topic is summarised; this runs
concurrently. Then the new nodes are judged against the most similar ones, strictly one after the other: what one finds
depends on what became of those before it.
"""

import asyncio
import json
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import field
from typing import TypeVar

from remanent.bank.conflicts import Conflicts, Merger, MergeReason
from remanent.bank.graph import NodeDraft
from remanent.bank.node import QueryNode
from remanent.bank.runtime import BankRuntime, EventKind
from remanent.errors import LanguageError
from remanent.language.engines import OfflineEngine
from remanent.language.models.coercion import schema_of
from remanent.language.roles.analysis import (
    ANALYSIS,
    AnalysisPhase,
    AnalysisRequest,
    AnalysisResponse,
    Relation,
    Relationship,
    second_phase,
)
from remanent.language.roles.classification import (
    CLASSIFICATION,
    ClassificationRequest,
    ClassificationResponse,
    Cluster,
)
from remanent.language.roles.integration import Trigger
from remanent.language.roles.summary import STRUCTURE, StructureRequest
from remanent.language.shapes import MAX_REMARK, MAX_SUMMARY, MAX_TEXT, shortened
from remanent.lightweight import dataclass
from remanent.model import Entry, Maker, Source
from remanent.model.record import covers
from remanent.text.tokens import Chunk, chunks

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ExtractedTopics:
    """The topics of one entry, ready to become nodes."""

    drafts: tuple[NodeDraft, ...]
    question: str = ""
    """The user's own question, where one was looked for and found."""
    failure: LanguageError | None = None
    """Why some of the text is missing, if it is."""


class TopicExtractor:
    """Splits entries into topics and has each of them summarised, in the order of the text."""

    def __init__(self, runtime: BankRuntime) -> None:
        self._runtime = runtime

    async def read(
        self, entry: Entry, *, task: str = "", find_question: bool = False, covered: Collection[Source] = ()
    ) -> ExtractedTopics:
        """Return a draft for each topic of an entry; each of its characters is a source of exactly one of them.

        Chunks that nodes cover already are not read again. When some chunks fail, the others are returned with the
        failure; when all do, it is raised.
        """
        task = shortened(task, MAX_REMARK)
        parts = [
            part
            for part in self._chunks(entry.text, task)
            if part.text.strip() and not covers(covered, part.start, part.end)
        ]
        done = 0

        async def drafted(number: int, part: Chunk) -> tuple[list[NodeDraft], str]:
            nonlocal done
            # People put their question before or after a long text, hardly ever in the middle; the chunks between
            # would only offer questions that the text itself quotes.
            looks = find_question and number in {0, len(parts) - 1}
            found = await self._classified(part, task=task, find_question=looks)
            clusters = [(piece, cluster) for piece, answer in found for cluster in answer.clusters]
            done += 1
            self._runtime.emit(
                EventKind.CHUNK,
                clusters[0][1].context if clusters else found[0][1].question,
                done=done,
                of=len(parts),
                clusters=len(clusters),
            )
            drafts = [self._draft(entry, *pair, task) for pair in clusters if pair[1].content.strip()]
            return await _gather_all(drafts), "\n".join(answer.question for _, answer in found if answer.question)

        results = await asyncio.gather(
            *(drafted(number, part) for number, part in enumerate(parts)), return_exceptions=True
        )
        failures = [result for result in results if isinstance(result, BaseException)]
        read = [result for result in results if not isinstance(result, BaseException)]
        for failure in failures:
            if not read or not isinstance(failure, LanguageError):
                raise failure
        questions = dict.fromkeys(question for _, question in read if question)
        return ExtractedTopics(
            tuple(draft for drafts, _ in read for draft in drafts),
            "\n".join(questions),
            next((failure for failure in failures if isinstance(failure, LanguageError)), None),
        )

    def _chunks(self, text: str, task: str) -> list[Chunk]:
        """Cut a text so that each chunk fits into a request, counted as the engine that is asked counts."""
        runtime = self._runtime
        count = runtime.engine.counter(CLASSIFICATION)
        empty = ClassificationRequest(text=text[:1] if text[:1].strip() else ".", task=task, find_question=True)
        told = CLASSIFICATION.prompt(
            empty, language=CLASSIFICATION.language(ClassificationRequest(text=text[:MAX_TEXT]))
        )
        fixed = count(told.instructions) + count(told.content) + count(json.dumps(schema_of(CLASSIFICATION.reply)))
        room = max(runtime.window - fixed, runtime.window // 4)
        return chunks(text, max(1, int(room * runtime.settings.chunk_ratio)), counter=count)

    async def _classified(
        self, part: Chunk, *, task: str, find_question: bool
    ) -> list[tuple[Chunk, ClassificationResponse]]:
        """Return the topics of a chunk; one that is refused for its length is cut in half and asked again."""
        request = ClassificationRequest(text=part.text, task=task, find_question=find_question)
        answer = await self._runtime.ask_whole(CLASSIFICATION, request)
        if answer is None and (halves := _halves(part)):
            found = [await self._classified(half, task=task, find_question=find_question) for half in halves]
            return [item for items in found for item in items]
        answer = answer or await self._runtime.engine.run_fallen(CLASSIFICATION, request)
        return [(part, answer.value)]

    async def _draft(self, entry: Entry, part: Chunk, cluster: Cluster, task: str) -> NodeDraft:
        """Return the node that becomes of a cluster, with the spans of the entry that its sentences stand at."""
        request = StructureRequest(
            content=cluster.content[:MAX_TEXT], context=cluster.context, keywords=cluster.keywords, task=task
        )
        summary, made_by = await self._summary(request)
        return NodeDraft(
            summary=summary,
            context=cluster.context,
            keywords=cluster.keywords,
            sources=tuple(
                Source(entry_id=entry.id, start=part.start + span.start, end=part.start + span.end)
                for span in cluster.stretches
            ),
            trust=entry.origin,
            made_by=made_by,
        )

    async def _summary(self, request: StructureRequest) -> tuple[str, Maker]:
        """Return a summary; of a content that is refused for its length, those of its halves one after the other."""
        answer = await self._runtime.ask_whole(STRUCTURE, request)
        if answer is None and (halves := _halves(Chunk(0, len(request.content), request.content, 0))):
            parts = [await self._summary(request.replace(content=half.text)) for half in halves]
            return shortened("\n".join(text for text, _ in parts), MAX_SUMMARY), parts[0][1]
        answer = answer or await self._runtime.engine.run_fallen(STRUCTURE, request)
        return answer.value.summary, answer.made_by


_MIN_CHUNK_CHARS = 500
"""A text this short that is still refused is not refused for its length (chosen by hand)."""


def _halves(part: Chunk) -> list[Chunk]:
    """Cut a chunk into two or three near its middle, at a border if there is one; nothing when it is short already."""
    if len(part.text) < _MIN_CHUNK_CHARS:
        return []
    return [
        Chunk(part.start + piece.start, part.start + piece.end, piece.text, piece.tokens)
        for piece in chunks(part.text, len(part.text) // 2 + 1, counter=len)
        if piece.text.strip()
    ]


def _smaller(request: AnalysisRequest) -> list[AnalysisRequest]:
    """Return requests that ask the same in less room: for half of the candidates each, else with halved summaries."""
    middle = len(request.candidates) // 2
    if middle:
        return [
            request.replace(candidates=request.candidates[:middle]),
            request.replace(candidates=request.candidates[middle:]),
        ]
    nodes = (request.new_node, *request.candidates)
    room = max(len(node.summary) for node in nodes) // 2
    if room < _MIN_CHUNK_CHARS:
        return []
    new, *candidates = [node.replace(summary=shortened(node.summary, room)) for node in nodes]
    return [request.replace(new_node=new, candidates=tuple(candidates))]


async def _gather_all(work: Sequence[Awaitable[_T]]) -> list[_T]:
    """Run all concurrently and return their results in order; the first failure is raised once all have ended.

    Unlike a task group it lets the others finish: what a role has answered was paid for, and a retry may use it.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


@dataclass(slots=True)
class IngestReport:
    """What an ingestion changed: the nodes that hold the text now, and what was found on the way."""

    node_ids: list[str] = field(default_factory=list)
    conflict_ids: list[str] = field(default_factory=list)
    merges: list[str] = field(default_factory=list)
    """What each merge did, in words, for the planner."""
    bounds: list[str] = field(default_factory=list)
    """What a limit stopped, in words, for the planner."""


class NodeLinker:
    """Adds new nodes to the graph and acts on how each relates to those most similar to it."""

    def __init__(self, runtime: BankRuntime, conflicts: Conflicts, merger: Merger) -> None:
        self._runtime = runtime
        self._conflicts = conflicts
        self._merger = merger
        self._stated: dict[str, str] = {}
        """By node: what its sources state, read without a model; summaries of nodes never change."""

    async def add(self, drafts: Sequence[NodeDraft], report: IngestReport, *, task: str = "") -> None:
        """Add drafts as nodes, one after the other, and relate each to the graph."""
        runtime = self._runtime
        vectors = await runtime.graph.vectors_of(drafts)
        for draft, kept in zip(drafts, vectors, strict=True):
            node_id = runtime.new_node_id()
            async with runtime.bank_store.transaction() as tx:
                runtime.graph.put_new(tx, draft, node_id=node_id, at=runtime.now(), vectors=kept)
            runtime.emit(EventKind.NODE, draft.context, node_id=node_id, keywords=list(draft.keywords))
            await self.relate(node_id, report, task=task)

    async def relate(self, node_id: str, report: IngestReport, *, task: str = "") -> None:
        """Judge a node against those most similar to it; a merged node is judged again, until nothing merges.

        `max_merges` bounds this: a model that merges everything would never end.
        """
        runtime = self._runtime
        for _ in range(runtime.settings.max_merges + 1):
            node = runtime.graph.get(node_id)
            # Its neighbours have been judged already: a merged node inherits them.
            beside = [near.id for near in runtime.graph.neighbours(node_id)]
            candidates = await runtime.graph.similar(
                node_id, k=runtime.settings.top_k, alpha=runtime.settings.alpha, exclude=beside
            )
            merged = await self._act_on_analysis(node, candidates, report, task=task) if candidates else None
            if merged is None:
                report.node_ids.append(node_id)
                return
            node_id = merged.id
        report.node_ids.append(node_id)
        text = f"node {node_id}: {runtime.settings.max_merges} merges in a row; it stays as it is now"
        report.bounds.append(text)
        runtime.emit(EventKind.LIMIT, text, node_id=node_id)

    async def _act_on_analysis(
        self, node: QueryNode, candidates: Sequence[QueryNode], report: IngestReport, *, task: str
    ) -> QueryNode | None:
        """Act on what the analysis found, conflict before merge before related; return the merged node if there is one.

        A node that contradicts another one is not merged: the validation decides first what is right.
        """
        response = await self._analyse(node, candidates, task=task)
        conflicts = response.found(Relationship.CONFLICT)
        against = [relation.existing_node for relation in conflicts]
        for relation in conflicts:
            existing, told = self._runtime.graph.get(relation.existing_node), relation.conflict_description
            if self._conflicts.is_left_open(node, existing, description=told, against=against):
                continue
            raised = await self._conflicts.raise_(node, existing, description=told)
            report.conflict_ids += [raised.id] if raised is not None else []
        merges = response.found(Relationship.MERGE)
        merged = await self._merge(node, merges, report) if merges and not conflicts else None
        await self._connect(merged or node, response.found(Relationship.RELATED), is_judged=merged is None)
        return merged

    async def _analyse(self, node: QueryNode, candidates: Sequence[QueryNode], *, task: str) -> AnalysisResponse:
        """Return how a new node relates to each candidate.

        Contradictions that comparing the sources finds are taken in any case, and a model is asked of the others only:
        asking it of these, too, cost some 700 tokens of prompt and 240 of answer for nothing.
        """
        runtime = self._runtime
        request = AnalysisRequest(
            new_node=node.shown,
            candidates=tuple(candidate.shown for candidate in candidates),
            phase=AnalysisPhase.CONFLICT_OR_MERGE if runtime.settings.two_phase else AnalysisPhase.ORDERED,
            task=shortened(task, MAX_REMARK),
        )
        if runtime.engine.name == OfflineEngine.name:
            return await self._judged(request)
        found = await self._contradictions(request, (node, *candidates))
        left = tuple(near for near in request.candidates if near.node_id not in found)
        judged = (await self._judged(request.replace(candidates=left))).relations if left else ()
        found |= {relation.existing_node: relation for relation in judged}
        return AnalysisResponse(relations=tuple(found[near.node_id] for near in request.candidates))

    async def _contradictions(self, request: AnalysisRequest, nodes: Sequence[QueryNode]) -> dict[str, Relation]:
        """Return by node the contradictions that comparing what the sources state finds: of these no model is asked.

        A model proposes: one that takes a contradiction for the same thing said twice would have it merged away.
        """
        new, *candidates = [node.shown.replace(summary=await self._statements(node)) for node in nodes]
        facts = request.replace(new_node=new, candidates=tuple(candidates))
        compared = (await self._runtime.engine.run_offline(ANALYSIS, facts)).value
        return {relation.existing_node: relation for relation in compared.found(Relationship.CONFLICT)}

    async def _statements(self, node: QueryNode) -> str:
        """Return what the sources of a node state, where a model made its summary of them; else the summary.

        What a merge made is taken as it is: its sources still hold what was overtaken or refuted.
        """
        made_by = self._runtime.graph.record(node.id).made_by
        if made_by.role != STRUCTURE.name or made_by.engine == OfflineEngine.name:
            return node.summary
        if node.id not in self._stated:
            entries = self._runtime.bank_store.entries
            text = "\n".join(entries[one.entry_id].text[one.start : one.end] for one in node.sources)
            request = StructureRequest(content=text[:MAX_TEXT], context=node.context, keywords=node.keywords)
            self._stated[node.id] = (await self._runtime.engine.run_offline(STRUCTURE, request)).value.summary
        return self._stated[node.id]

    async def _judged(self, request: AnalysisRequest) -> AnalysisResponse:
        """Ask for the relations; what does not fit into the window goes in two calls, then with shorter summaries."""
        answer = await self._runtime.ask_whole(ANALYSIS, request)
        if answer is None and (smaller := _smaller(request)):
            found = [await self._judged(part) for part in smaller]
            return AnalysisResponse(relations=tuple(relation for part in found for relation in part.relations))
        answer = answer or await self._runtime.engine.run_fallen(ANALYSIS, request)
        second = second_phase(request, answer.value)
        return await self._judged(second) if second is not None else answer.value

    async def _merge(self, node: QueryNode, relations: Sequence[Relation], report: IngestReport) -> QueryNode | None:
        """Merge a node with those that say the same, leaving out any that stand in conflict with one another."""
        chosen = [node.id]
        for relation in relations:
            if all(self._conflicts.between(relation.existing_node, other) is None for other in chosen):
                chosen.append(relation.existing_node)
        if len(chosen) < 2:
            return None
        strategy = " ".join(dict.fromkeys(relation.merge_strategy for relation in relations if relation.merge_strategy))
        try:
            merged, description = await self._merger.integrate(chosen, MergeReason(Trigger.MERGE, description=strategy))
        except LanguageError as error:
            # They say the same; side by side they do no harm, while a text that waits for its merge holds up the run.
            self._runtime.emit(EventKind.FAILED, str(error), role="integration")
            await self._connect(
                node, [relation.replace(relationship=Relationship.RELATED) for relation in relations], is_judged=False
            )
            return None
        if merged is not None:
            report.merges.append(description)
            return merged
        # The integration found that they disagree after all: a contradiction, to be validated like any other.
        for other in chosen[1:]:
            raised = await self._conflicts.raise_(node, self._runtime.graph.get(other), description=description)
            report.conflict_ids += [raised.id] if raised is not None else []
        return None

    async def _connect(self, node: QueryNode, relations: Sequence[Relation], *, is_judged: bool) -> None:
        """Connect a node with those it is related to and give all of them the wording that the analysis suggests.

        Where the node that was judged was merged into this one meanwhile, its own new wording is dropped: it was meant
        for a node that is gone. One unit of work and one call of the embedder serve all of them.
        """
        graph, at = self._runtime.graph, self._runtime.now()
        relations = [item for item in relations if item.existing_node in graph and item.existing_node != node.id]
        wording = {
            item.existing_node: (item.context_update_existing, item.keywords_update_existing) for item in relations
        }
        if is_judged:
            contexts = [item.context_update_new for item in relations if item.context_update_new]
            words = [word for item in relations for word in item.keywords_update_new]
            wording[node.id] = (contexts[-1] if contexts else "", tuple(dict.fromkeys(words)))
        changed = [
            graph.reworded(node_id, context=context or None, keywords=keywords or None)
            for node_id, (context, keywords) in wording.items()
            if context or keywords
        ]
        vectors = await graph.vectors_of(changed)
        async with self._runtime.bank_store.transaction() as tx:
            for item in relations:
                graph.put_edge(tx, node.id, item.existing_node, at=at)
            for record, kept in zip(changed, vectors, strict=True):
                graph.put_update(tx, record, at=at, vectors=kept)
        for item in relations:
            self._runtime.emit(EventKind.EDGE, item.reasoning, nodes=[node.id, item.existing_node])
