"""A bank for tests: time that ticks, ids that count, an embedder of words, and roles that do as they are told."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from remanent.bank.bank import MemoryBank, open_bank
from remanent.bank.graph import NodeDraft, QueryGraph
from remanent.bank.settings import BankSettings
from remanent.embedding import Embedders
from remanent.errors import LanguageError
from remanent.language.engines import OfflineEngine
from remanent.language.role import Answer, Engine, ReplyT, RequestT, ResponseT, Role, Toolbox
from remanent.language.roles.analysis import AnalysisRequest, AnalysisResponse, Relation, Relationship
from remanent.language.roles.classification import ClassificationRequest, ClassificationResponse, Cluster
from remanent.language.roles.integration import (
    IntegrationOutcome,
    IntegrationRequest,
    IntegrationResponse,
    NeighbourUpdate,
)
from remanent.language.roles.next_step import PlanningRequest, PlanningResponse, TaskStatus, plan_within_rules
from remanent.language.roles.summary import StructureRequest, StructureResponse
from remanent.language.shapes import TextSpan
from remanent.model import Clock, Maker, NewId, Scope
from remanent.stores import Store, Vectors
from tests.language.offline.fakes import WordEmbedder

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope(org="o", workspace="w", agent="bank", task="task-1")
Script = Callable[[Any], Any]


def ticking() -> Clock:
    """A clock that goes on by a second at every look."""
    moment = [NOON]

    def look() -> datetime:
        moment[0] += timedelta(seconds=1)
        return moment[0]

    return look


def counting(first: int = 0) -> NewId:
    """Ids that count up."""
    last = [first]

    def new_id() -> str:
        last[0] += 1
        return f"id-{last[0]:06d}"

    return new_id


class ScriptedEngine(Engine):
    """Answers each role by a function; without one it does the plainest thing that is right."""

    name = "scripted"

    def __init__(self, **scripts: Script) -> None:
        self._scripts: dict[str, Script] = {**PLAIN, **scripts}
        self.requests: list[Any] = []
        self.running = 0
        self.most_running = 0

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        self.requests.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(0)
            value = self._scripts[role.name](request)
            if asyncio.iscoroutine(value):
                value = await value
        finally:
            self.running -= 1
        return Answer(value, Maker(role=role.name, engine=self.name))

    async def close(self) -> None:
        """Nothing is open."""

    def asked(self, request: type[Any]) -> list[Any]:
        """The requests of one sort."""
        return [asked for asked in self.requests if isinstance(asked, request)]


def one_topic(request: ClassificationRequest) -> ClassificationResponse:
    """Take all of a text for one topic."""
    return topics(request, [request.text])


def by_paragraph(request: ClassificationRequest) -> ClassificationResponse:
    """Take each paragraph for a topic."""
    parts = request.text.split("\n\n")
    return topics(request, [part + "\n\n" for part in parts[:-1]] + parts[-1:])


def topics(request: ClassificationRequest, parts: list[str]) -> ClassificationResponse:
    clusters, start = [], 0
    for number, part in enumerate(parts, 1):
        words = tuple(dict.fromkeys(part.split()))[:3] or ("x",)
        stretch = TextSpan(start=start, end=start + len(part))
        clusters.append(
            Cluster(
                cluster_id=number,
                context=part.strip()[:80],
                content=part,
                keywords=tuple(word[:60] for word in words),
                stretches=(stretch,),
            )
        )
        start += len(part)
    return ClassificationResponse(should_cluster=len(parts) > 1, clusters=tuple(clusters))


def summed_up(request: StructureRequest) -> StructureResponse:
    return StructureResponse(summary=request.content.strip()[:500])


def relations(request: AnalysisRequest, found: Callable[[Any, Any], Relationship]) -> AnalysisResponse:
    """Judge each candidate by a function of the two nodes."""
    judged = []
    for candidate in request.candidates:
        relationship = found(request.new_node, candidate)
        conflict = f"{request.new_node.context} / {candidate.context}" if relationship == "conflict" else ""
        judged.append(
            Relation(
                existing_node=candidate.node_id,
                relationship=relationship,
                confidence=0.9,
                reasoning="scripted",
                conflict_description=conflict,
            )
        )
    return AnalysisResponse(relations=tuple(judged))


def unrelated(request: AnalysisRequest) -> AnalysisResponse:
    return relations(request, lambda new, old: Relationship.UNRELATED)


def joined(request: IntegrationRequest) -> IntegrationResponse:
    """Put the summaries one after the other and tell every neighbour."""
    return IntegrationResponse(
        outcome=IntegrationOutcome.INTEGRATED,
        summary="\n".join(node.summary for node in request.nodes)[:20_000],
        context=request.nodes[0].context,
        keywords=request.nodes[0].keywords,
        interaction_tree_description=f"joined {len(request.nodes)}",
        neighbour_updates=tuple(
            NeighbourUpdate(node_id=near.node_id, context=f"beside: {near.context}"[:500], keywords=("beside",))
            for near in request.neighbours
        ),
        upheld=(request.nodes[0].node_id,) if request.trigger == "conflict" else (),
    )


def nothing_left(request: PlanningRequest) -> PlanningResponse:
    return plan_within_rules(request, status=TaskStatus.SUCCESS, context="done", proposed=None, language="en")


def failing(request: Any) -> Any:
    raise LanguageError("the model is out")


PLAIN: dict[str, Script] = {
    "classification": one_topic,
    "structure": summed_up,
    "analysis": unrelated,
    "integration": joined,
    "planning": nothing_left,
}


def a_bank(
    engine: Engine | None = None,
    *,
    store: Store | None = None,
    vectors: Vectors | None = None,
    window: int = 32_000,
    scope: Scope = SCOPE,
    first_id: int = 0,
    **settings: Any,
) -> MemoryBank:
    """Return an empty bank on a ticking clock."""
    embedder = WordEmbedder()
    return open_bank(
        scope,
        engine=engine or OfflineEngine(Toolbox(embedder=embedder)),
        embedders=Embedders(embedder),
        settings=BankSettings(**settings),
        clock=ticking(),
        new_id=counting(first_id),
        window=window,
        store=store,
        vectors=vectors,
    )


async def add(graph: QueryGraph, node_id: str, summary: str, *, at: datetime = NOON, **fields: Any) -> None:
    """Add a node to a graph."""
    await graph.create(NodeDraft(summary=summary, **fields), node_id=node_id, at=at)
