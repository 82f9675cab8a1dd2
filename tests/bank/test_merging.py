"""Whatever is merged in whatever order: every original word can still be reached, and each step can be taken back."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.bank.bank import MemoryBank
from remanent.bank.conflicts import MergeReason
from remanent.errors import InvalidInput, ModelRejected, NotFound
from remanent.language.roles.integration import (
    IntegrationOutcome,
    IntegrationRequest,
    IntegrationResponse,
    Trigger,
)
from remanent.model import Origin
from tests.bank.world import PLAIN, ScriptedEngine, a_bank

TEXTS = [f"original words number {number}" for number in range(7)]
PAIRS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6)
EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=10)


async def filled(edges: list[tuple[int, int]]) -> MemoryBank:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    for text in TEXTS:
        await bank.observe(text)
    ids = [node.id for node in bank.graph.nodes]
    for one, other in edges:
        if one != other:
            await bank.graph.connect(ids[one], ids[other], at=bank.graph.get(ids[one]).timestamp)
    return bank


def tree_texts(bank: MemoryBank, node_id: str) -> set[str]:
    return {entry.text for entry in bank.tree.of(node_id) if entry.source == "context"}


@pytest.mark.spec("BANK-10", "BANK-11", "BANK-17")
@given(edges=EDGES, merges=PAIRS)
@settings(max_examples=25, deadline=None)
def test_after_any_merges_every_original_is_reachable_and_all_can_be_taken_back(
    edges: list[tuple[int, int]], merges: list[tuple[int, int]]
) -> None:
    asyncio.run(merge_and_undo(edges, merges))


async def merge_and_undo(edges: list[tuple[int, int]], merges: list[tuple[int, int]]) -> None:
    bank = await filled(edges)
    steps = []
    for one, other in merges:
        live = [node.id for node in bank.graph.nodes]
        first, second = live[one % len(live)], live[other % len(live)]
        if first == second:
            continue
        before = ({node.id: node for node in bank.graph.nodes}, bank.graph.edges)
        beside = {near.id for node_id in (first, second) for near in bank.graph.neighbours(node_id)} - {first, second}
        texts = tree_texts(bank, first) | tree_texts(bank, second)
        merged, _ = await bank._merger.integrate([first, second], MergeReason(Trigger.MERGE))
        assert merged is not None
        assert tree_texts(bank, merged.id) == texts
        assert {near.id for near in bank.graph.neighbours(merged.id)} == beside
        assert all(near.context.startswith("beside: ") for near in bank.graph.neighbours(merged.id))
        event = bank.tree.of(merged.id)[-1]
        assert event.source == "merge"
        said = event.metadata["bank"]
        assert isinstance(said, dict)
        assert (said["nodes"], said["into"]) == ([first, second], merged.id)
        steps.append((event.entry_id, before))
    everything = {text for node in bank.graph.nodes for text in tree_texts(bank, node.id)}
    assert everything == set(TEXTS)
    for event_id, (nodes, edges_before) in reversed(steps):
        await bank.undo(event_id)
        assert {node.id: node for node in bank.graph.nodes} == nodes
        assert bank.graph.edges == edges_before


@pytest.mark.spec("BANK-10", "BANK-11")
async def test_originals_of_a_chain_of_merges_stay_readable_and_unchanged() -> None:
    bank = await filled([])
    entries = bank.tree.entries
    last = bank.graph.nodes[0].id
    for node in bank.graph.nodes[1:]:
        merged, _ = await bank._merger.integrate([last, node.id], MergeReason(Trigger.MERGE))
        assert merged is not None
        last = merged.id
    tree = bank.tree.of(last)
    assert [entry.text for entry in tree if entry.source == "context"] == TEXTS
    assert sum(entry.source == "merge" for entry in tree) == len(TEXTS) - 1
    assert bank.tree.entries[: len(entries)] == entries


async def test_a_merge_that_was_merged_further_is_taken_back_last() -> None:
    bank = await filled([])
    one, two, three, *_ = (node.id for node in bank.graph.nodes)
    first, _ = await bank._merger.integrate([one, two], MergeReason(Trigger.MERGE))
    assert first is not None
    first_event = bank.tree.of(first.id)[-1].entry_id
    second, _ = await bank._merger.integrate([first.id, three], MergeReason(Trigger.MERGE))
    assert second is not None
    with pytest.raises(InvalidInput, match="merged again"):
        await bank.undo(first_event)
    await bank.undo(bank.tree.of(second.id)[-1].entry_id)
    await bank.undo(first_event)
    with pytest.raises(InvalidInput, match="already"):
        await bank.undo(first_event)


async def test_what_a_merged_node_was_tied_to_since_stays_tied_to_its_parts() -> None:
    bank = await filled([])
    one, two, three, *_ = (node.id for node in bank.graph.nodes)
    merged, _ = await bank._merger.integrate([one, two], MergeReason(Trigger.MERGE))
    assert merged is not None
    await bank.graph.connect(merged.id, three, at=merged.timestamp)
    await bank.undo(bank.tree.of(merged.id)[-1].entry_id)
    assert {near.id for near in bank.graph.neighbours(three)} == {one, two}


async def test_undoing_a_merge_leaves_a_neighbour_with_the_wording_that_it_got_since() -> None:
    bank = await filled([(0, 2), (0, 3)])
    one, two, reworded, untouched, *_ = bank.graph.nodes
    merged, _ = await bank._merger.integrate([one.id, two.id], MergeReason(Trigger.MERGE))
    assert merged is not None
    await bank.graph.update(reworded.id, at=merged.timestamp, context="said later")
    await bank.undo(bank.tree.of(merged.id)[-1].entry_id)
    assert bank.graph.get(reworded.id).context == "said later"
    assert bank.graph.get(untouched.id) == untouched


async def test_undoing_a_merge_leaves_a_neighbour_merged_that_was_merged_since() -> None:
    bank = await filled([(0, 2)])
    one, two, beside, other, *_ = (node.id for node in bank.graph.nodes)
    first, _ = await bank._merger.integrate([one, two], MergeReason(Trigger.MERGE))
    second, _ = await bank._merger.integrate([beside, other], MergeReason(Trigger.MERGE))
    assert first is not None
    assert second is not None
    await bank.undo(bank.tree.of(first.id)[-1].entry_id)
    assert beside not in bank.graph
    assert {near.id for near in bank.graph.neighbours(second.id)} == {one, two}


async def test_the_merge_that_settled_a_conflict_is_found_by_it_and_no_other_is() -> None:
    bank = await filled([])
    merger = bank._merger
    one, two, three, four, five, six, _ = (node.id for node in bank.graph.nodes)
    settled, waiting = bank.conflicts.between(one, two), bank.conflicts.between(three, four)
    assert settled is not None, "they differ in a number"
    assert waiting is not None
    merged, _ = await merger.integrate([one, two], MergeReason(Trigger.CONFLICT, conflict=settled, validation="0"))
    await merger.integrate([five, six], MergeReason(Trigger.MERGE))
    assert merged is not None
    assert merger.event_of(settled.id) == bank.tree.of(merged.id)[-1].entry_id
    with pytest.raises(NotFound):
        merger.event_of(waiting.id)


@pytest.mark.spec("SAFE-04")
@pytest.mark.parametrize("origins", [(Origin.USER, Origin.WEB), (Origin.WEB, Origin.USER), (Origin.AGENT, Origin.TOOL)])
async def test_a_merge_is_trusted_as_far_as_the_least_trusted_of_its_nodes(origins: tuple[Origin, Origin]) -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    for text, origin in zip(TEXTS, origins, strict=False):
        await bank.observe(text, origin=origin)
    merged, _ = await bank._merger.integrate([node.id for node in bank.graph.nodes], MergeReason(Trigger.MERGE))
    assert merged is not None
    record = bank.runtime.bank_store.record(merged.id)
    assert record is not None
    assert record.trust is max(origins, key=list(Origin).index)


@pytest.mark.spec("SAFE-04")
async def test_a_merge_is_trusted_no_further_than_what_settled_it() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    for text in TEXTS[:2]:
        await bank.observe(text)
    evidence = await bank.note("a page says so", source="step", origin=Origin.WEB)
    reason = MergeReason(Trigger.MERGE, validation="a page says so", evidence=evidence)
    merged, _ = await bank._merger.integrate([node.id for node in bank.graph.nodes], reason)
    assert merged is not None
    record = bank.runtime.bank_store.record(merged.id)
    assert record is not None
    assert record.trust is Origin.WEB


async def test_neighbours_that_do_not_fit_the_window_are_left_out_and_keep_their_wording() -> None:
    def narrow(request: IntegrationRequest) -> IntegrationResponse:
        if request.neighbours:
            raise ModelRejected("too long")
        whole: IntegrationResponse = PLAIN["integration"](request)
        return whole

    engine = ScriptedEngine(integration=narrow)
    bank = a_bank(engine)
    await bank.start("goal")
    for text in TEXTS[:3]:
        await bank.observe(text)
    one, two, beside = bank.graph.nodes
    await bank.graph.connect(one.id, beside.id, at=one.timestamp)
    merged, _ = await bank._merger.integrate([one.id, two.id], MergeReason(Trigger.MERGE))
    assert merged is not None
    assert bank.graph.get(beside.id).context == beside.context
    assert [bool(asked.neighbours) for asked in engine.asked(IntegrationRequest)] == [True, False]


async def test_what_could_not_be_resolved_stays_apart_and_it_is_told_why() -> None:
    def undecided(request: IntegrationRequest) -> IntegrationResponse:
        return IntegrationResponse(outcome=IntegrationOutcome.UNRESOLVED, interaction_tree_description="both may hold")

    bank = a_bank(ScriptedEngine(integration=undecided))
    await bank.start("goal")
    for text in TEXTS[:2]:
        await bank.observe(text)
    before = [node.id for node in bank.graph.nodes]
    merged, told = await bank._merger.integrate(before, MergeReason(Trigger.MERGE))
    assert (merged, told) == (None, "both may hold")
    assert [node.id for node in bank.graph.nodes] == before
