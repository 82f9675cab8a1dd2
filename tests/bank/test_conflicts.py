from typing import Any

import pytest

from remanent.bank.bank import MemoryBank
from remanent.bank.runtime import BankEvent, EventKind
from remanent.errors import InvalidInput, NotFound
from remanent.language.roles.analysis import AnalysisPhase, AnalysisRequest, Relationship
from remanent.language.roles.integration import IntegrationOutcome, IntegrationRequest, IntegrationResponse
from remanent.language.roles.next_step import PlanningRequest
from remanent.model import ConflictState, Status
from tests.bank.world import ScriptedEngine, a_bank, joined, relations


def height_against_height(request: AnalysisRequest) -> Any:
    """Nodes that say a height contradict each other unless it was settled."""

    def judged(new: Any, old: Any) -> Relationship:
        if "settled" in new.summary + old.summary:
            return Relationship.RELATED
        return Relationship.CONFLICT if "high" in new.summary and "high" in old.summary else Relationship.UNRELATED

    return relations(request, judged)


def settled(request: IntegrationRequest) -> IntegrationResponse:
    response = joined(request)
    return response.replace(summary=f"settled: {request.validation}") if request.trigger == "conflict" else response


def undecided(request: IntegrationRequest) -> IntegrationResponse:
    return IntegrationResponse(outcome=IntegrationOutcome.UNRESOLVED, interaction_tree_description="nobody knows")


async def two_heights(**scripts: Any) -> MemoryBank:
    bank = a_bank(ScriptedEngine(**{"analysis": height_against_height, "integration": settled, **scripts}))
    await bank.start("How high is Mount Kelt?")
    await bank.observe("Mount Kelt is 3412 metres high.")
    await bank.observe("Mount Kelt is 3298 metres high.")
    return bank


@pytest.mark.spec("BANK-05", "BANK-16")
async def test_a_contradiction_is_kept_and_the_new_node_waits() -> None:
    bank = await two_heights()
    (conflict,) = bank.conflicts.waiting
    assert conflict.state is ConflictState.OPEN
    assert "3298" in conflict.description
    older, newer = bank.graph.nodes
    assert [claim.record_id for claim in conflict.claims] == [older.id, newer.id]
    assert (older.provisional, newer.provisional) == (False, True)
    assert bank.graph.edges == ()


@pytest.mark.spec("BANK-02", "BANK-20")
async def test_the_planner_validates_one_conflict_per_round_and_drops_none() -> None:
    bank = await two_heights()
    await bank.observe("Mount Kelt is 3001 metres high.")
    assert len(list(bank.conflicts.waiting)) == 3
    seen = []
    while (await bank.planner.plan()).is_cross_validation:
        current = bank.planner.insight.current
        assert current is not None
        assert current.conflict_id is not None
        states = [conflict.state for conflict in bank.conflicts.waiting]
        assert states.count(ConflictState.VALIDATING) == 1
        seen.append(current.conflict_id)
        await bank.validate(current.conflict_id, "It is 3412 metres high.")
    assert list(bank.conflicts.waiting) == []
    # Each in a round of its own, in the order in which they came up; the third is the second once the first is settled.
    found = bank.conflicts.all
    assert seen == [conflict.id for conflict in found[:2]]
    assert [one.verdict.decided_by for one in found if one.verdict] == ["validation", "validation", "merge"]
    assert found[2].verdict is not None
    assert found[2].verdict.text != found[2].description
    assert "Not validated by itself" in found[2].verdict.text
    assert len(bank.graph.nodes) == 1


@pytest.mark.spec("BANK-17", "BANK-19")
async def test_the_validation_settles_it_and_is_part_of_the_history() -> None:
    bank = await two_heights()
    old = [node.id for node in bank.graph.nodes]
    (conflict,) = bank.conflicts.waiting
    done = await bank.validate(conflict.id, "The survey says 3412 metres.", decided_by="survey")
    assert done.state is ConflictState.RESOLVED
    assert done.verdict is not None
    assert done.verdict.decided_by == "survey"
    assert set(done.verdict.undo) == set(old)
    (node,) = bank.graph.nodes
    assert node.summary == "settled: The survey says 3412 metres."
    assert not node.provisional
    trees = bank.tree.of(node.id)
    assert [entry.source for entry in trees] == ["context", "context", "validation", "merge"]
    with pytest.raises(InvalidInput, match="already resolved"):
        await bank.validate(conflict.id, "again")


@pytest.mark.spec("BANK-19", "USE-08")
async def test_a_model_leaves_nothing_open_where_a_validation_names_the_right_side() -> None:
    bank = await two_heights(integration=undecided)
    (conflict,) = bank.conflicts.waiting
    right, wrong = sorted((node.summary for node in bank.graph.nodes), reverse=True)
    done = await bank.validate(conflict.id, f"{right} Most sources say so. “{wrong}” is wrong.")
    assert done.state is ConflictState.RESOLVED
    (node,) = bank.graph.nodes
    assert "3412" in node.summary
    assert "3298" not in node.summary


@pytest.mark.spec("BANK-19")
@pytest.mark.parametrize("finding", ["Nobody could tell.", "Both figures are wrong.", "  "])
async def test_what_no_validation_settles_stays_marked_and_the_planner_is_told(finding: str) -> None:
    engine_notices: list[tuple[str, ...]] = []
    bank = await two_heights(integration=undecided)
    bank.runtime.listeners.append(lambda event: engine_notices.append((event.kind.value, event.text)))
    (conflict,) = bank.conflicts.waiting
    done = await bank.validate(conflict.id, finding)
    assert done.state is ConflictState.UNRESOLVED
    assert done.verdict is not None
    assert done.verdict.upheld == ()
    assert [(node.unresolved, node.provisional) for node in bank.graph.nodes] == [(True, False), (True, False)]
    if finding.strip():
        assert all(finding in [entry.text for entry in bank.tree.of(node.id)] for node in bank.graph.nodes)
    engine = bank.runtime.engine._engine
    assert isinstance(engine, ScriptedEngine)
    await bank.planner.plan()
    (request,) = engine.asked(PlanningRequest)
    assert any("unresolved" in notice for notice in request.notices)
    # The same two are not asked about for ever.
    assert not bank.planner.insight.is_cross_validation


@pytest.mark.spec("BANK-19")
async def test_nothing_true_is_retired_because_something_else_is_unclear() -> None:
    bank = await two_heights(integration=undecided)
    await bank.observe("The town of Vell has a railway station.")
    before = bank.graph.nodes[2]
    await bank.validate(bank.conflicts.waiting[0].id, "unclear")
    assert bank.graph.get(before.id) == before
    assert len(bank.graph.nodes) == 3


@pytest.mark.spec("BANK-17")
async def test_a_verdict_can_be_undone_and_found_otherwise() -> None:
    bank = await two_heights()
    before = {node.id: node for node in bank.graph.nodes}
    (conflict,) = bank.conflicts.waiting
    await bank.validate(conflict.id, "It is 3298 metres.")
    await bank.undo(conflict.id)
    assert {node.id: node for node in bank.graph.nodes} == before
    assert [item.id for item in bank.conflicts.waiting] == [conflict.id]
    await bank.validate(conflict.id, "It is 3412 metres.")
    assert [node.summary for node in bank.graph.nodes] == ["settled: It is 3412 metres."]


@pytest.mark.spec("BANK-19")
async def test_an_unresolved_verdict_can_be_undone() -> None:
    bank = await two_heights(integration=undecided)
    (conflict,) = bank.conflicts.waiting
    with pytest.raises(InvalidInput, match="no verdict"):
        await bank.undo(conflict.id)
    await bank.validate(conflict.id, "unclear")
    await bank.undo(conflict.id)
    assert [node.unresolved for node in bank.graph.nodes] == [False, False]
    assert [node.provisional for node in bank.graph.nodes] == [False, True]
    assert bank.conflicts.get(conflict.id).state is ConflictState.OPEN


@pytest.mark.spec("BANK-26")
async def test_a_validation_that_fails_twice_leaves_its_conflict_unresolved() -> None:
    bank = await two_heights()
    (conflict,) = bank.conflicts.waiting
    assert not await bank.give_up(conflict.id, why="no search")
    assert await bank.give_up(conflict.id, why="no search")
    assert bank.conflicts.get(conflict.id).state is ConflictState.UNRESOLVED


@pytest.mark.spec("BANK-18")
async def test_the_integrated_node_is_judged_again_without_its_neighbours() -> None:
    asked: list[AnalysisRequest] = []

    def analysis(request: AnalysisRequest) -> Any:
        asked.append(request)
        return height_against_height(request)

    bank = await two_heights(analysis=analysis)
    older, newer = (node.id for node in bank.graph.nodes)
    await bank.observe("Mount Kelt stands in the Sorran range.")
    near = bank.graph.nodes[2].id
    await bank.graph.connect(older, near, at=bank.graph.get(older).timestamp)
    asked.clear()
    await bank.validate(bank.conflicts.waiting[0].id, "It is 3412 metres.")
    merged = next(node for node in bank.graph.nodes if node.summary.startswith("settled"))
    assert near in [node.id for node in bank.graph.neighbours(merged.id)]
    shown = [candidate.node_id for request in asked for candidate in request.candidates]
    assert near not in shown
    assert older not in shown
    assert newer not in shown


@pytest.mark.spec("BANK-18")
async def test_endless_merging_is_stopped_by_a_bound_that_is_told() -> None:
    bank = a_bank(
        ScriptedEngine(analysis=lambda request: relations(request, lambda new, old: Relationship.MERGE)),
        max_merges=3,
        top_k=1,
    )
    await bank.start("goal")
    events: list[BankEvent] = []
    bank.runtime.listeners.append(events.append)
    scripted = bank.runtime.engine._engine
    assert isinstance(scripted, ScriptedEngine)
    scripted._scripts["analysis"] = lambda request: relations(request, lambda new, old: Relationship.UNRELATED)
    for name in "Ann Bob Cid Dan Eve Flo Gus Hal".split():
        await bank.observe(f"{name} drinks tea in the depot.")
    scripted._scripts["analysis"] = lambda request: relations(request, lambda new, old: Relationship.MERGE)
    await bank.observe("Ivy drinks tea in the depot.")
    assert [event.kind for event in events].count(EventKind.MERGE) == 4
    assert [event.kind for event in events].count(EventKind.LIMIT) == 1


@pytest.mark.spec("BANK-15")
@pytest.mark.parametrize(
    ("two_phase", "phases"),
    [(False, [AnalysisPhase.ORDERED]), (True, [AnalysisPhase.CONFLICT_OR_MERGE, AnalysisPhase.RELATED])],
)
async def test_two_phases_make_the_second_call_only_when_the_first_found_nothing(
    two_phase: bool, phases: list[AnalysisPhase]
) -> None:
    engine = ScriptedEngine()
    bank = a_bank(engine, two_phase=two_phase)
    await bank.start("goal")
    await bank.observe("Harbour cranes.")
    await bank.observe("More harbour cranes.")
    assert [request.phase for request in engine.asked(AnalysisRequest)] == phases
    assert all(not hasattr(request.new_node, "embedding") for request in engine.asked(AnalysisRequest))
    conflicting = ScriptedEngine(analysis=height_against_height)
    bank = a_bank(conflicting, two_phase=two_phase)
    await bank.start("goal")
    await bank.observe("Mount Kelt is high.")
    await bank.observe("Mount Kelt is high for a hill.")
    assert len(conflicting.asked(AnalysisRequest)) == 1


@pytest.mark.spec("BANK-15", "USE-08")
async def test_a_model_is_not_asked_of_nodes_whose_texts_contradict_each_other_anyway() -> None:
    scripted = ScriptedEngine(analysis=lambda request: relations(request, lambda new, old: Relationship.MERGE))
    bank = a_bank(scripted)
    await bank.start("goal")
    await bank.observe("Mount Kelt is 3412 metres high.")
    await bank.observe("Mount Kelt is 3298 metres high.")
    assert len(list(bank.conflicts.waiting)) == 1
    assert scripted.asked(AnalysisRequest) == []


@pytest.mark.spec("BANK-16")
async def test_related_nodes_get_an_edge_and_say_so() -> None:
    def related(request: AnalysisRequest) -> Any:
        response = relations(request, lambda new, old: Relationship.RELATED)
        return response.replace(
            relations=tuple(
                relation.replace(
                    context_update_new="new, of the harbour",
                    context_update_existing="old, of the harbour",
                    keywords_update_new=("crane", "new"),
                    keywords_update_existing=("crane", "old"),
                )
                for relation in response.relations
            )
        )

    bank = a_bank(ScriptedEngine(analysis=related))
    await bank.start("goal")
    await bank.observe("Harbour cranes.")
    await bank.observe("More harbour cranes.")
    old, new = bank.graph.nodes
    assert bank.graph.edges == ((old.id, new.id),)
    assert (old.context, old.keywords) == ("old, of the harbour", ("crane", "old"))
    assert (new.context, new.keywords) == ("new, of the harbour", ("crane", "new"))


@pytest.mark.spec("BANK-16")
async def test_nodes_that_tell_the_same_are_made_one_at_once() -> None:
    def same(request: AnalysisRequest) -> Any:
        return relations(request, lambda new, old: Relationship.MERGE)

    bank = a_bank(ScriptedEngine(analysis=same))
    await bank.start("goal")
    first = await bank.observe("Harbour cranes lift crates.")
    second = await bank.observe("Cranes of the harbour lift crates.")
    (node,) = bank.graph.nodes
    assert second.node_ids == (node.id,)
    assert node.id not in first.node_ids
    record = bank.runtime.bank_store.record(first.node_ids[0])
    assert record is not None
    assert record.status is Status.SUPERSEDED


@pytest.mark.spec("BANK-05")
async def test_a_conflict_goes_before_a_merge() -> None:
    def both(request: AnalysisRequest) -> Any:
        return relations(
            request, lambda new, old: Relationship.CONFLICT if "Vell" in old.summary else Relationship.MERGE
        )

    bank = a_bank(ScriptedEngine(analysis=both))
    await bank.start("goal")
    bank.runtime.engine._engine._scripts["analysis"] = PLAIN_ANALYSIS  # type: ignore[attr-defined]
    await bank.observe("The station of Vell was opened in 1904.")
    await bank.observe("The station was opened long ago.")
    bank.runtime.engine._engine._scripts["analysis"] = both  # type: ignore[attr-defined]
    await bank.observe("The station was opened in 1911.")
    assert len(bank.graph.nodes) == 3
    assert len(bank.conflicts.waiting) == 1


def PLAIN_ANALYSIS(request: AnalysisRequest) -> Any:  # noqa: N802 - stands for a script
    return relations(request, lambda new, old: Relationship.UNRELATED)


async def test_unknown_conflicts_and_merges_are_clear_errors() -> None:
    bank = await two_heights()
    with pytest.raises(NotFound, match="no conflict"):
        await bank.validate("nope", "x")
    with pytest.raises(NotFound, match="no merge"):
        await bank.undo("nope")
