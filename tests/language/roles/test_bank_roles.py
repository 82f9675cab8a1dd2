"""The task bank's roles: what a model proposes, and what becomes of it."""

from typing import Any

import pytest

from remanent.errors import InvalidInput, Refused
from remanent.language.models.coercion import fit, read_reply
from remanent.language.offline.salience import summary_statements
from remanent.language.role import TextReply, Tier
from remanent.language.roles import all_roles
from remanent.language.roles.analysis import (
    AnalysisPhase,
    AnalysisRequest,
    AnalysisResponse,
    Relation,
    Relationship,
    second_phase,
)
from remanent.language.roles.classification import CLASSIFICATION, ClassificationRequest, ClassificationResponse
from remanent.language.roles.integration import (
    INTEGRATION,
    IntegrationOutcome,
    IntegrationReply,
    IntegrationRequest,
    IntegrationResponse,
    Trigger,
)
from remanent.language.roles.next_step import PLANNING, PlanningResponse, TaskStatus, TaskType
from remanent.language.roles.react import REACT
from remanent.language.roles.summary import STRUCTURE, StructureRequest
from remanent.text.keywords import WordIndex
from tests.language.roles.cases import CASES, NODE_EN, OTHERS_EN, TEXT_EN


def read(case: str, **reply: Any) -> Any:
    role = all_roles()[case.partition(".")[0]]
    return role.read(CASES[case], fit(reply, role.reply))


@pytest.mark.spec("BANK-29")
def test_the_banks_roles_are_called_as_the_seed_says() -> None:
    asked = {
        name: (all_roles()[name].defaults.temperature, all_roles()[name].defaults.top_p)
        for name in list(all_roles())[:6]
    }
    assert asked == {
        "classification": (0.4, 0.9),
        "structure": (0.1, 0.8),
        "analysis": (0.4, 0.9),
        "integration": (0.2, 0.85),
        "planning": (0.6, 0.95),
        "react": (0.6, 0.95),
    }
    for name in list(all_roles())[:6]:
        assert all_roles()[name].defaults.max_tokens == 4096
        assert all_roles()[name].defaults.window == (32_000 if name != "react" else 128_000)
        assert all_roles()[name].defaults.tier is Tier.CORE


# ── classification ──


@pytest.mark.spec("BANK-13")
def test_clusters_are_put_together_from_passages_word_for_word() -> None:
    response = read(
        "classification.en",
        clusters=[
            {"passages": [3], "context": "Weather", "keywords": ["rain"]},
            {"passages": ["1-2"], "context": "Chips", "keywords": ["IBM", "ibm"]},
        ],
    )
    assert isinstance(response, ClassificationResponse)
    assert response.should_cluster
    assert [(cluster.cluster_id, cluster.context, cluster.keywords) for cluster in response.clusters] == [
        (1, "Chips", ("IBM",)),
        (2, "Weather", ("rain",)),
    ]
    assert response.clusters[0].content == TEXT_EN[: TEXT_EN.index("It rains")]
    assert response.clusters[1].content.startswith("It rains a lot in Leeds.")
    assert response.clusters[1].content.endswith("Whose chip is the largest?")


@pytest.mark.spec("BANK-01")
def test_the_users_question_is_extracted_on_its_own() -> None:
    response = read("classification.question.en", clusters=[{"passages": [1, 2, 3]}], question=[4])
    assert response.question == "Whose chip is the largest?"
    assert response.question not in response.clusters[0].content
    assert not response.should_cluster


def test_a_question_that_nobody_asked_to_find_stays_in_its_cluster() -> None:
    response = read("classification.en", clusters=[{"passages": [1]}], question=[4])
    assert response.question == ""
    assert response.clusters[0].content == TEXT_EN


def test_a_text_that_is_only_a_question_has_no_clusters() -> None:
    request = ClassificationRequest(text="Whose chip is the largest?", find_question=True)
    response = CLASSIFICATION.read(request, CLASSIFICATION.reply(clusters=(), question=(1,)))
    assert (response.clusters, response.question) == ((), "Whose chip is the largest?")


@pytest.mark.parametrize(
    "reply", [{"clusters": [{"passages": [9]}]}, {"clusters": [{"passages": [0]}]}, {"clusters": []}]
)
def test_passages_that_were_not_shown_and_no_clusters_are_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read("classification.en", **reply)


def test_a_cluster_without_a_context_is_called_by_its_beginning() -> None:
    assert read("classification.en", clusters=[{"passages": [1]}]).clusters[0].context.startswith("# Quantum computing")


# ── structure ──


@pytest.mark.spec("BANK-14")
def test_only_quotes_that_are_in_the_text_are_evidence() -> None:
    response = read(
        "structure.en",
        facts=["Condor has 1,121 qubits.", "condor has 1,121 qubits."],
        evidence=["it has 1121 QUBITS", "IBM is the best"],
        reasoning="A large chip.",
    )
    assert response.summary == (
        "Key facts:\n- Condor has 1,121 qubits.\nEvidence:\n- it has 1121 QUBITS\nReasoning: A large chip."
    )


def test_a_summary_without_facts_is_refused() -> None:
    with pytest.raises(Refused, match="at least one key fact"):
        STRUCTURE.read(StructureRequest(content="x"), STRUCTURE.reply(facts=(" ",)))


# ── analysis ──


def relation(node: str, relationship: str, **more: Any) -> dict[str, Any]:
    return {"existing_node": node, "relationship": relationship, **more}


@pytest.mark.spec("BANK-15", "BANK-05")
def test_conflict_goes_before_merge_before_related_when_a_node_is_judged_twice() -> None:
    response = read(
        "analysis.en",
        relations=[
            relation("n1", "related"),
            relation("n1", "conflict", conflict_description="1,121 or 433"),
            relation("n1", "merge"),
        ],
    )
    assert isinstance(response, AnalysisResponse)
    assert [one.relationship for one in response.relations] == [Relationship.CONFLICT, Relationship.UNRELATED]
    assert [one.existing_node for one in response.relations] == [node.node_id for node in OTHERS_EN]


@pytest.mark.spec("BANK-15")
def test_a_candidate_that_is_not_mentioned_is_unrelated() -> None:
    assert read("analysis.en", relations=[]).relations[0] == Relation(
        existing_node="018f-en-a", relationship=Relationship.UNRELATED, confidence=0
    )


@pytest.mark.spec("BANK-16")
def test_a_related_node_brings_updates_for_both_and_a_conflict_brings_none() -> None:
    more = {
        "context_update_new": "IBM's chip\n(quantum)",
        "context_update_existing": "Chips",
        "keywords_update_new": ["IBM", "IBM"],
        "keywords_update_existing": ["chip"],
        "conflict_description": "x",
        "merge_strategy": "y",
    }
    related = read("analysis.en", relations=[relation("n1", "related", **more)]).relations[0]
    assert (related.context_update_new, related.keywords_update_new) == ("IBM's chip (quantum)", ("IBM",))
    assert (related.context_update_existing, related.keywords_update_existing) == ("Chips", ("chip",))
    assert (related.conflict_description, related.merge_strategy) == ("", "")
    conflict = read("analysis.en", relations=[relation("n1", "conflict", **more)]).relations[0]
    assert (conflict.conflict_description, conflict.context_update_new, conflict.merge_strategy) == ("x", "", "")
    merge = read("analysis.en", relations=[relation("n1", "merge", **more)]).relations[0]
    assert (merge.merge_strategy, merge.conflict_description) == ("y", "")


def test_a_conflict_must_say_what_it_is() -> None:
    with pytest.raises(Refused, match="conflict_description"):
        read("analysis.en", relations=[relation("n1", "conflict")])
    described = read("analysis.en", relations=[relation("n1", "conflict", reasoning="A says 1, B says 2")])
    assert described.relations[0].conflict_description == "A says 1, B says 2"


@pytest.mark.parametrize("node", ["n3", "018f-en-a", "new", ""])
def test_a_node_that_was_not_shown_is_refused(node: str) -> None:
    with pytest.raises(Refused, match="n1, n2"):
        read("analysis.en", relations=[relation(node, "related")])


@pytest.mark.spec("BANK-15")
def test_each_phase_finds_what_it_is_for() -> None:
    both = [relation("n1", "conflict", conflict_description="x"), relation("n2", "related")]
    first = read("analysis.first.en", relations=both)
    assert [one.relationship for one in first.relations] == [Relationship.CONFLICT, Relationship.UNRELATED]
    second = read("analysis.second.en", relations=both)
    assert [one.relationship for one in second.relations] == [Relationship.RELATED, Relationship.RELATED]


@pytest.mark.spec("BANK-15")
def test_the_second_call_is_made_only_when_the_first_found_neither_conflict_nor_merge() -> None:
    request = CASES["analysis.first.en"]
    assert isinstance(request, AnalysisRequest)
    nothing = read("analysis.first.en", relations=[])
    following = second_phase(request, nothing)
    assert following == request.replace(phase=AnalysisPhase.RELATED)
    for found in (relation("n1", "merge"), relation("n2", "conflict", conflict_description="x")):
        assert second_phase(request, read("analysis.first.en", relations=[found])) is None
    assert second_phase(request.replace(phase=AnalysisPhase.ORDERED), nothing) is None
    assert second_phase(following, nothing) is None


def test_two_nodes_of_one_id_are_no_request() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        AnalysisRequest(new_node=NODE_EN, candidates=(NODE_EN,))


# ── integration ──


@pytest.mark.spec("BANK-17")
def test_an_integrated_node_with_updates_for_its_neighbours() -> None:
    response = read(
        "integration.conflict.en",
        outcome="integrated",
        summary="Condor has 1,121 qubits.",
        context="IBM's chip",
        keywords=["IBM"],
        upheld=["n1"],
        neighbor_updates={"b1": {"context": "Error correction on Condor", "keywords": ["Condor"]}},
        interaction_tree_description="The site settles it.",
    )
    assert isinstance(response, IntegrationResponse)
    assert response.outcome is IntegrationOutcome.INTEGRATED
    assert response.upheld == ("018f-en-new",)
    assert [(update.node_id, update.context) for update in response.neighbour_updates] == [
        ("018f-en-c", "Error correction on Condor")
    ]


@pytest.mark.spec("BANK-19")
def test_an_inconclusive_validation_leaves_all_as_it_was() -> None:
    response = read("integration.conflict.en", outcome="unresolved", summary="guess")
    assert response == IntegrationResponse(
        outcome=IntegrationOutcome.UNRESOLVED,
        interaction_tree_description="IBM's site: Condor has 1,121 qubits; 433 is Osprey.",
    )


def test_a_neighbour_whose_update_changes_nothing_is_not_updated() -> None:
    same = {"node": "b1", "context": "Error correction"}
    response = read("integration.conflict.en", outcome="integrated", summary="x", neighbor_updates=[same])
    assert response.neighbour_updates == ()
    assert response.context == "x"
    assert response.keywords == ("IBM", "quantum chip")


def test_an_empty_node_is_refused() -> None:
    with pytest.raises(Refused):
        read("integration.conflict.en", outcome="integrated", summary=" ")


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("more", [{"upheld": ["b1", "n1"]}, {"upheld": ["n1"], "neighbor_updates": [{"node": "n1"}]}])
def test_nodes_that_were_not_shown_are_passed_over_and_the_rest_counts(more: dict[str, Any]) -> None:
    response = read("integration.conflict.en", outcome="integrated", summary="Condor has 1,121 qubits.", **more)
    assert response.upheld == (NODE_EN.node_id,)
    assert response.neighbour_updates == ()


@pytest.mark.spec("USE-08")
def test_a_validation_that_upholds_a_node_has_settled_the_matter_whatever_the_outcome_is_called() -> None:
    response = read("integration.conflict.en", outcome="unresolved", upheld=["n1"])
    assert response.outcome is IntegrationOutcome.INTEGRATED
    assert response.summary == NODE_EN.summary


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    "said", ["I could not find it.", "(no reply)", "信息不足，无法确认。", "There is no evidence for either."]
)
def test_a_validation_that_answers_nothing_settles_nothing_whatever_a_model_makes_of_it(said: str) -> None:
    request: Any = CASES["integration.conflict.en"].replace(validation=said)
    reply = INTEGRATION.reply(outcome="integrated", summary="Condor has 433 qubits.", upheld=("n2",))
    assert INTEGRATION.read(request, reply).outcome is IntegrationOutcome.UNRESOLVED


@pytest.mark.spec("USE-08")
def test_what_a_merged_summary_left_out_is_kept_as_it_was() -> None:
    request: Any = CASES["integration.merge.en"]
    response = INTEGRATION.read(request, INTEGRATION.reply(outcome="integrated", summary="IBM makes chips."))
    assert response.summary.startswith("IBM makes chips.\n- ")
    kept = WordIndex(response.summary)
    assert all(kept.holds(text) for node in request.nodes for text in summary_statements(node.summary))
    whole = "\n".join(node.summary for node in request.nodes)
    assert INTEGRATION.read(request, INTEGRATION.reply(outcome="integrated", summary=whole)).summary == whole


@pytest.mark.spec("BANK-19")
def test_a_conflict_is_not_integrated_without_a_validation() -> None:
    with pytest.raises(InvalidInput, match="record it as unresolved"):
        IntegrationRequest(nodes=(NODE_EN, OTHERS_EN[0]), trigger=Trigger.CONFLICT, validation=" ")


# ── planning ──


@pytest.mark.spec("BANK-20", "BANK-02")
def test_a_plan_names_its_conflict_and_condenses_the_finished_step() -> None:
    response = read(
        "planning.zh",
        finished={"status": "success", "context": "没有找到。"},
        current_task={"type": "CROSS_VALIDATE", "description": "查 IBM 官网", "conflict": "c1"},
    )
    assert isinstance(response, PlanningResponse)
    assert response.current_task is not None
    assert (response.current_task.conflict_id, response.current_task.description) == ("018f-c", "查 IBM 官网")
    assert (response.completed[-1].status, response.completed[-1].context) == (TaskStatus.FAILED, "没有找到。")


def test_a_validation_that_names_no_conflict_is_of_the_first() -> None:
    response = read("planning.zh", current_task={"type": "CROSS_VALIDATE", "description": "查证"})
    assert response.current_task.conflict_id == "018f-c"


@pytest.mark.spec("USE-08")
def test_conflicts_and_uploads_that_were_not_shown_do_not_change_what_comes_next() -> None:
    for task in ({"description": "x", "conflict": "c2"}, {"description": "x", "uploads": ["u9"]}):
        assert read("planning.zh", current_task=task).current_task.conflict_id == "018f-c"


def test_a_reply_that_forgets_the_next_step_does_not_end_the_task() -> None:
    with pytest.raises(InvalidInput):
        PLANNING.reply.model_validate({"finished": None})


@pytest.mark.spec("BANK-03")
def test_the_planner_decides_that_the_goal_is_reached() -> None:
    assert read("planning.en", current_task=None).current_task is None
    blank = read("planning.en", current_task={"type": "NORMAL", "description": " "})
    assert blank.current_task is None
    step = read("planning.en", current_task={"type": "CROSS_VALIDATE", "description": "Check"}).current_task
    assert step.type is TaskType.NORMAL


# ── react ──


def test_an_empty_turn_is_refused_and_a_turn_is_taken_apart() -> None:
    with pytest.raises(Refused, match="empty"):
        read("react.en", text="  ")
    turn = read(
        "react.en", text='<think>t</think><tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>'
    )
    assert turn.tool_calls[0].arguments == {"query": "x"}


@pytest.mark.spec("BANK-25")
def test_past_the_limit_no_tool_is_called() -> None:
    turn = read("react.now.en", text='<tool_call>{"name": "search"}</tool_call> It is Condor')
    assert turn.tool_calls == ()
    assert turn.answer == "It is Condor"
    assert REACT.form == "text"
    assert REACT.reply is TextReply


@pytest.mark.spec("BANK-17")
def test_the_seeds_own_object_of_neighbour_updates_is_read() -> None:
    text = """{"outcome": "integrated", "summary": "Condor has 1,121 qubits.", "neighbor_updates":
    {"b1": {"context": "Error correction on Condor", "keywords": ["Condor"]}, "b2": {"context": "Cooling"}}}"""
    reply = read_reply(text, IntegrationReply)
    assert [(update.node, update.context) for update in reply.neighbor_updates] == [
        ("b1", "Error correction on Condor"),
        ("b2", "Cooling"),
    ]
