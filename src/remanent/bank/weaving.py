"""Weaving new nodes into the graph: each is judged against what is most like it, in the order they came."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from remanent.bank.conflicts import Conflicts
from remanent.bank.events import EventKind
from remanent.bank.graph import Draft
from remanent.bank.merging import Grounds, Merger
from remanent.bank.node import QueryNode
from remanent.bank.workbench import Workbench
from remanent.language.roles import ANALYSIS
from remanent.language.roles.analysis import (
    AnalysisPhase,
    AnalysisRequest,
    AnalysisResponse,
    Relation,
    Relationship,
    second_phase,
)
from remanent.language.roles.integration import Trigger
from remanent.language.shapes import MAX_REMARK
from remanent.language.tidying import shortened


@dataclass(slots=True)
class Woven:
    """What came of weaving: the nodes that stand now, and what was found on the way."""

    node_ids: list[str] = field(default_factory=list)
    conflict_ids: list[str] = field(default_factory=list)
    merges: list[str] = field(default_factory=list)
    """What each merge did, in words."""
    bounds: list[str] = field(default_factory=list)
    """What a bound stopped, in words."""


class Weaver:
    """Adds nodes, one after the other: what one finds depends on those before it."""

    def __init__(self, bench: Workbench, conflicts: Conflicts, merger: Merger) -> None:
        self._bench = bench
        self._conflicts = conflicts
        self._merger = merger

    async def add(self, drafts: Sequence[Draft], woven: Woven, *, task: str = "") -> None:
        """Add drafts as nodes and relate each to the graph."""
        bench = self._bench
        vectors = await bench.graph.vectors_of(drafts)
        for draft, kept in zip(drafts, vectors, strict=True):
            node_id = bench.new_id()
            async with bench.ledger.transaction() as tx:
                bench.graph.put_new(tx, draft, node_id=node_id, at=bench.now(), vectors=kept)
            bench.tell(EventKind.NODE, draft.context, node_id=node_id, keywords=list(draft.keywords))
            await self.relate(node_id, woven, task=task)

    async def relate(self, node_id: str, woven: Woven, *, task: str = "") -> None:
        """Judge a node against those most like it; what a merge makes is judged again, until nothing merges."""
        bench = self._bench
        for _ in range(bench.settings.max_merges + 1):
            node = bench.graph.get(node_id)
            # Those beside it are known already: the node inherited them.
            beside = [near.id for near in bench.graph.neighbours(node_id)]
            candidates = await bench.graph.alike(
                node_id, k=bench.settings.top_k, alpha=bench.settings.alpha, exclude=beside
            )
            merged = await self._judged(node, candidates, woven, task=task) if candidates else None
            if merged is None:
                woven.node_ids.append(node_id)
                return
            node_id = merged.id
        woven.node_ids.append(node_id)
        text = f"node {node_id}: {bench.settings.max_merges} merges in a row; it stays as it is"
        woven.bounds.append(text)
        bench.tell(EventKind.LIMIT, text, node_id=node_id)

    async def _judged(
        self, node: QueryNode, candidates: Sequence[QueryNode], woven: Woven, *, task: str
    ) -> QueryNode | None:
        """Act on what the analysis found; return the merged node if there is one."""
        response = await self._analysed(node, candidates, task=task)
        conflicts = response.found(Relationship.CONFLICT)
        for relation in conflicts:
            existing = self._bench.graph.get(relation.existing_node)
            raised = await self._conflicts.raise_(node, existing, description=relation.conflict_description)
            woven.conflict_ids += [raised.id] if raised is not None else []
        merges = response.found(Relationship.MERGE)
        merged = await self._merged(node, merges, woven) if merges and not conflicts else None
        for relation in response.found(Relationship.RELATED):
            await self._tied(merged or node, node, relation)
        return merged

    async def _analysed(self, node: QueryNode, candidates: Sequence[QueryNode], *, task: str) -> AnalysisResponse:
        bench = self._bench
        request = AnalysisRequest(
            new_node=node.shown,
            candidates=tuple(candidate.shown for candidate in candidates),
            phase=AnalysisPhase.CONFLICT_OR_MERGE if bench.settings.two_phase else AnalysisPhase.ORDERED,
            task=shortened(task, MAX_REMARK),
        )
        response = (await bench.ask(ANALYSIS, request)).value
        second = second_phase(request, response)
        return response if second is None else (await bench.ask(ANALYSIS, second)).value

    async def _merged(self, node: QueryNode, relations: Sequence[Relation], woven: Woven) -> QueryNode | None:
        """Make one node of a new one and those that tell the same, unless these disagree among each other."""
        chosen = [node.id]
        for relation in relations:
            if all(self._conflicts.between(relation.existing_node, other) is None for other in chosen):
                chosen.append(relation.existing_node)
        if len(chosen) < 2:
            return None
        strategy = " ".join(dict.fromkeys(relation.merge_strategy for relation in relations if relation.merge_strategy))
        merged, said = await self._merger.integrate(chosen, Grounds(Trigger.MERGE, description=strategy))
        if merged is not None:
            woven.merges.append(said)
            return merged
        # They tell the same and yet disagree: that is a contradiction, to be validated like any other.
        for other in chosen[1:]:
            raised = await self._conflicts.raise_(node, self._bench.graph.get(other), description=said)
            woven.conflict_ids += [raised.id] if raised is not None else []
        return None

    async def _tied(self, node: QueryNode, judged: QueryNode, relation: Relation) -> None:
        """Tie two nodes together; both say what they are about now that they stand beside each other."""
        graph, at = self._bench.graph, self._bench.now()
        if relation.existing_node not in graph or relation.existing_node == node.id:
            return
        await graph.connect(node.id, relation.existing_node, at=at)
        self._bench.tell(EventKind.EDGE, relation.reasoning, nodes=[node.id, relation.existing_node])
        await self._reworded(
            relation.existing_node, relation.context_update_existing, relation.keywords_update_existing
        )
        if node.id == judged.id:
            await self._reworded(node.id, relation.context_update_new, relation.keywords_update_new)

    async def _reworded(self, node_id: str, context: str, keywords: tuple[str, ...]) -> None:
        if context or keywords:
            graph = self._bench.graph
            await graph.update(node_id, at=self._bench.now(), context=context or None, keywords=keywords or None)
