"""What a response of each role promises, whoever gave it: a model that says anything, or no model."""

from collections.abc import Callable
from typing import Any

from remanent.language.prompt_blocks import utterance_spans
from remanent.language.roles.analysis import AnalysisPhase, AnalysisRequest, AnalysisResponse, Relationship
from remanent.language.roles.annotation import (
    AnnotationRequest,
    AnnotationResponse,
    RelationNamingRequest,
    RelationNamingResponse,
)
from remanent.language.roles.answering import AnsweringRequest, AnsweringResponse, RerankingRequest, RerankingResponse
from remanent.language.roles.classification import ClassificationRequest, ClassificationResponse
from remanent.language.roles.extraction import ExtractionRequest, ExtractionResponse
from remanent.language.roles.integration import IntegrationOutcome, IntegrationRequest, IntegrationResponse, Trigger
from remanent.language.roles.next_step import PlanningRequest, PlanningResponse, TaskType
from remanent.language.roles.queries import (
    HydeRequest,
    HydeResponse,
    Intent,
    IntentRequest,
    IntentResponse,
    RewritingRequest,
    RewritingResponse,
)
from remanent.language.roles.react import ReactRequest, ReactResponse, Urgency
from remanent.language.roles.segmentation import SegmentationRequest, SegmentationResponse
from remanent.language.roles.summary import (
    StructureRequest,
    StructureResponse,
    SummaryLevel,
    SummaryRequest,
    SummaryResponse,
)
from remanent.text.tokens import ESTIMATE

_MARKS = {
    SummaryLevel.SEGMENT: ("[摘要]", "[summary]"),
    SummaryLevel.SESSION: ("[会话概要]", "[session digest]"),
    SummaryLevel.COMPACTION: ("[compacted]",),
}


def classification(request: ClassificationRequest, response: ClassificationResponse) -> None:
    """No character is lost or doubled, and what a cluster holds is word for word."""
    text = request.text
    held = [(part.start, part.end) for cluster in response.clusters for part in cluster.stretches]
    covered = [place for start, end in held for place in range(start, end)]
    assert len(covered) == len(set(covered))
    missing = "".join(text[place] for place in sorted(set(range(len(text))) - set(covered)))
    assert missing.split() == response.question.split()
    assert request.find_question or not response.question
    assert response.should_cluster == (len(response.clusters) > 1)
    for number, cluster in enumerate(response.clusters, 1):
        assert cluster.cluster_id == number
        assert cluster.content == "".join(text[part.start : part.end] for part in cluster.stretches)
        assert cluster.context


def structure(request: StructureRequest, response: StructureResponse) -> None:
    """A summary says something."""
    assert response.summary.strip()


def analysis(request: AnalysisRequest, response: AnalysisResponse) -> None:
    """Every candidate has one relation, of a sort that was asked for."""
    assert [relation.existing_node for relation in response.relations] == [n.node_id for n in request.candidates]
    asked = {
        AnalysisPhase.ORDERED: set(Relationship),
        AnalysisPhase.CONFLICT_OR_MERGE: {Relationship.CONFLICT, Relationship.MERGE, Relationship.UNRELATED},
        AnalysisPhase.RELATED: {Relationship.RELATED, Relationship.UNRELATED},
    }[request.phase]
    for relation in response.relations:
        assert relation.relationship in asked
        assert bool(relation.conflict_description) == (relation.relationship is Relationship.CONFLICT)


def integration(request: IntegrationRequest, response: IntegrationResponse) -> None:
    """Only what was shown is touched, and there is either a node or a reason why there is none."""
    updated = [update.node_id for update in response.neighbour_updates]
    assert {near.node_id for near in request.neighbours}.issuperset(updated)
    assert len(set(updated)) == len(updated)
    assert {node.node_id for node in request.nodes}.issuperset(response.upheld)
    assert bool(response.summary) == (response.outcome is IntegrationOutcome.INTEGRATED)
    assert response.interaction_tree_description
    assert request.trigger is Trigger.CONFLICT or not response.upheld


def planning(request: PlanningRequest, response: PlanningResponse) -> None:
    """What was done stays, conflicts come first, uploads second."""
    assert response.completed[: len(request.completed)] == request.completed
    assert len(response.completed) == len(request.completed) + (request.finished is not None)
    task = response.current_task
    if request.conflicts:
        assert task is not None
        assert task.type is TaskType.CROSS_VALIDATE
        assert task.conflict_id in {conflict.conflict_id for conflict in request.conflicts}
    elif request.uploads:
        assert task is not None
        assert task.upload_ids
        assert {upload.upload_id for upload in request.uploads}.issuperset(task.upload_ids)
    elif task is not None:
        assert task.type is TaskType.NORMAL


def react(request: ReactRequest, response: ReactResponse) -> None:
    """Only declared tools are called, and a turn gets somewhere or says what is wrong."""
    assert {tool.name for tool in request.tools}.issuperset(call.name for call in response.tool_calls)
    assert response.tool_calls or response.answer is not None or response.problems
    assert not (response.tool_calls and response.answer is not None)
    if request.urgency is Urgency.NOW:
        assert response.answer


def segmentation(request: SegmentationRequest, response: SegmentationResponse) -> None:
    """Pieces are short, and all that says something is in one."""
    held = {
        (place.utterance, at)
        for segment in response.segments
        for place in segment.places
        for at in range(place.start, place.end)
    }
    for place in utterance_spans(request.utterances):
        covered = [(place.utterance, at) in held for at in range(place.start, place.end)]
        assert all(covered) or (not any(covered) and place.end - place.start <= 40)
    assert all(0 < len(segment.text) <= 200 for segment in response.segments)


def annotation(request: AnnotationRequest, response: AnnotationResponse) -> None:
    """Lengths are kept, and a text that is not to be compressed is not touched."""
    assert 0 < len(response.phrase) <= 20
    assert len(response.keywords) <= 5
    if request.target_length is None:
        assert response.content == request.text
    else:
        assert 0 < len(response.content) <= request.target_length


def relation_naming(request: RelationNamingRequest, response: RelationNamingResponse) -> None:
    """There is a short name or none for every focus."""
    assert len(response.relations) == len(request.focuses)
    for relation in response.relations:
        assert relation == "" or (len(relation) <= 20 if relation.isascii() else 2 <= len(relation) <= 4)


def extraction(request: ExtractionRequest, response: ExtractionResponse) -> None:
    """Facts are of the kinds asked for, few enough, and have sources."""
    assert len(response.facts) <= request.limit
    for fact in response.facts:
        assert fact.kind in request.kinds
        assert set(fact.sources) <= set(range(len(request.utterances)))
        assert fact.content.strip()
    assert list(response.facts) == sorted(response.facts, key=lambda fact: fact.sources)


def summary(request: SummaryRequest, response: SummaryResponse) -> None:
    """The mark is there, the tokens are kept, and lists stand in the text."""
    assert response.text.startswith(_MARKS[request.level])
    assert ESTIMATE(response.text) <= request.limit
    for item in (*response.decisions, *response.todos, *response.agreements):
        assert request.level is SummaryLevel.SESSION
        assert f"- {item}" in response.text


def intent(request: IntentRequest, response: IntentResponse) -> None:
    """Only an agent that was shown is the target, and only of a task for another agent."""
    assert response.target_agent in {None, *request.agents}
    assert response.target_agent is None or response.intent is Intent.CROSS_AGENT


def rewriting(request: RewritingRequest, response: RewritingResponse) -> None:
    """Queries differ from the question and from each other."""
    assert len(response.queries) <= request.count
    folded = [query.casefold() for query in (request.query, *response.queries)]
    assert len(set(folded)) == len(folded)
    assert all("\n" not in query and 0 < len(query) <= 300 for query in response.queries)


def hyde(request: HydeRequest, response: HydeResponse) -> None:
    """A passage says something and has its bound."""
    assert 0 < len(response.passage.strip()) <= len(response.passage) <= 800


def reranking(request: RerankingRequest, response: RerankingResponse) -> None:
    """No passage is lost, and the best comes first."""
    assert sorted(p.passage_id for p in response.ranked) == sorted(p.passage_id for p in request.passages)
    scores = [passage.score for passage in response.ranked]
    assert scores == sorted(scores, reverse=True)


def answering(request: AnsweringRequest, response: AnsweringResponse) -> None:
    """Every sentence says something on one line, and names only passages that were shown, each once."""
    for sentence in response.sentences:
        assert sentence.text.strip()
        assert "\n" not in sentence.text
        assert set(sentence.passages) <= set(range(1, len(request.passages) + 1))
        assert len(set(sentence.passages)) == len(sentence.passages)


_PROMISES: dict[str, Callable[[Any, Any], None]] = {
    "classification": classification,
    "structure": structure,
    "analysis": analysis,
    "integration": integration,
    "planning": planning,
    "react": react,
    "segmentation": segmentation,
    "annotation": annotation,
    "relation_naming": relation_naming,
    "extraction": extraction,
    "summary": summary,
    "intent": intent,
    "rewriting": rewriting,
    "hyde": hyde,
    "reranking": reranking,
    "answering": answering,
}


def check(role: str, request: Any, response: Any) -> None:
    """Check that a response keeps what its role promises, and survives its JSON."""
    _PROMISES[role](request, response)
    assert type(response).from_json(response.to_json()) == response
