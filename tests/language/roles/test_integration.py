from datetime import UTC, datetime

import pytest

from remanent.language.role import Toolbox
from remanent.language.roles.integration import (
    INTEGRATION,
    IntegrationOutcome,
    IntegrationRequest,
    IntegrationResponse,
    Trigger,
)
from remanent.language.shapes import GraphNode


def node(node_id: str, summary: str, month: int | None = None) -> GraphNode:
    timestamp = datetime(2025, month, 1, tzinfo=UTC) if month else None
    return GraphNode(node_id=node_id, summary=summary, keywords=(node_id,), timestamp=timestamp)


OLD = node("old", "Key facts:\n- The chip has 433 qubits.\n- It was made by IBM.", 1)
NEW = node("new", "Key facts:\n- The chip has 1121 qubits.\n- It is called Condor.", 2)


async def resolved(validation: str, *nodes: GraphNode) -> IntegrationResponse:
    request = IntegrationRequest(nodes=nodes or (OLD, NEW), trigger=Trigger.CONFLICT, validation=validation)
    return await INTEGRATION.offline(request, Toolbox())


async def test_a_merge_keeps_what_each_node_adds_newest_first() -> None:
    one = node("one", "Ada lives in Lisbon. Ada has a cat.", 1)
    two = node("two", "Ada lives in Lisbon. Ada plays chess.", 2)
    merged = await INTEGRATION.offline(IntegrationRequest(nodes=(one, two)), Toolbox())
    assert merged.outcome is IntegrationOutcome.INTEGRATED
    assert merged.summary.count("Lisbon") == 1
    assert merged.summary.index("chess") < merged.summary.index("cat")
    assert merged.keywords == ("two", "one")


async def test_in_a_merge_the_newer_statement_counts_and_the_earlier_is_mentioned() -> None:
    merged = await INTEGRATION.offline(IntegrationRequest(nodes=(OLD, NEW)), Toolbox())
    assert "1121 qubits. (earlier: The chip has 433 qubits.)" in merged.summary
    assert "IBM" in merged.summary
    assert "Condor" in merged.summary


async def test_nodes_that_contradict_each_other_without_an_order_are_not_merged() -> None:
    nodes = (node("a", "The chip has 433 qubits."), node("b", "The chip has 1121 qubits."))
    assert (
        await INTEGRATION.offline(IntegrationRequest(nodes=nodes), Toolbox())
    ).outcome is IntegrationOutcome.UNRESOLVED


@pytest.mark.parametrize(
    "validation",
    [
        "Official sources say that the chip has 1121 qubits.",
        "The chip does not have 433 qubits; it has 1121 qubits.",
        "The chip has 1121 qubits. The figure of 433 qubits is wrong.",
    ],
)
async def test_the_validation_decides(validation: str) -> None:
    found = await resolved(validation)
    assert found.outcome is IntegrationOutcome.INTEGRATED
    assert found.upheld == ("new",)
    assert "1121" in found.summary
    assert "433" not in found.summary.split("Evidence:")[0]
    assert "IBM" in found.summary


async def test_the_validation_counts_even_against_the_newer_node() -> None:
    found = await resolved("The chip has 433 qubits.")
    assert found.upheld == ("old",)
    assert "1121" not in found.summary


@pytest.mark.parametrize(
    "validation",
    [
        "Sources disagree.",
        "It could not be verified.",
        "The chip has 900 qubits.",
        "The chip is expensive.",
        "无法确认。",
    ],
)
async def test_what_a_validation_does_not_settle_stays_unresolved(validation: str) -> None:
    found = await resolved(validation)
    assert found.outcome is IntegrationOutcome.UNRESOLVED
    assert found.interaction_tree_description
    assert not found.upheld


async def test_it_works_in_chinese() -> None:
    nodes = (node("a", "项目经理是张伟。", 1), node("b", "项目经理是刘洋。", 2))
    found = await resolved("经核实，项目经理不是张伟，而是刘洋。", *nodes)
    assert found.upheld == ("b",)
    assert found.summary.startswith("要点：\n- 项目经理是刘洋。")
    assert (await resolved("项目经理是王芳。", *nodes)).outcome is IntegrationOutcome.UNRESOLVED


@pytest.mark.spec("USE-08")
async def test_a_statement_without_its_full_stop_is_known_where_a_validation_quotes_it_as_wrong() -> None:
    right, wrong = "Mount Kelt is 3,412 metres high", "Mount Kelt is 3,298 metres high"
    response = await resolved(f"{right}. “{wrong}.” is wrong.", node("a", right), node("b", wrong))
    assert response.upheld == ("a",)
