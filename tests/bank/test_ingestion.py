import asyncio
from typing import Any

import pytest

from remanent.bank.runtime import BankEvent, EventKind
from remanent.errors import LanguageError
from remanent.language.roles.classification import ClassificationRequest
from remanent.language.roles.summary import StructureRequest
from tests.bank.world import ScriptedEngine, a_bank, by_paragraph, failing, one_topic, summed_up

LONG = "\n\n".join(
    f"Paragraph {number} tells of harbour number {number}. It has {number} cranes." for number in range(60)
)


def texts_of(bank: Any) -> list[str]:
    return ["".join(entry.text for entry in bank.tree.of(node.id)) for node in bank.graph.nodes]


@pytest.mark.spec("BANK-13")
async def test_an_over_long_text_is_cut_at_borders_into_windows_and_nothing_is_lost() -> None:
    engine = ScriptedEngine(classification=by_paragraph)
    bank = a_bank(engine, window=200)
    await bank.start("goal")
    events: list[BankEvent] = []
    bank.runtime.listeners.append(events.append)
    await bank.observe(LONG)
    chunks = [request.text for request in engine.asked(ClassificationRequest)]
    assert len(chunks) > 3
    assert sorted(chunks, key=LONG.index) == chunks
    assert "".join(chunks) == LONG
    assert all(chunk.startswith("Paragraph") for chunk in chunks)
    assert "".join(texts_of(bank)) == LONG
    told = [event.data for event in events if event.kind is EventKind.CHUNK]
    assert [data["done"] for data in told] == list(range(1, len(chunks) + 1))
    assert {data["of"] for data in told} == {len(chunks)}


@pytest.mark.spec("BANK-13")
async def test_a_chunk_takes_no_more_than_its_share_of_the_window() -> None:
    longest: dict[float, int] = {}
    for ratio in (0.9, 0.45):
        engine = ScriptedEngine()
        bank = a_bank(engine, window=400, chunk_ratio=ratio)
        await bank.start("goal")
        await bank.observe(LONG)
        longest[ratio] = max(len(request.text) for request in engine.asked(ClassificationRequest))
    paragraph = max(map(len, LONG.split("\n\n"))) + 2
    assert longest[0.45] <= longest[0.9] / 2 + paragraph
    assert longest[0.9] > longest[0.45]


@pytest.mark.spec("BANK-13")
async def test_a_text_within_the_window_is_read_in_one_go() -> None:
    engine = ScriptedEngine()
    bank = a_bank(engine)
    await bank.start("goal")
    await bank.observe(LONG)
    assert len(engine.asked(ClassificationRequest)) == 1


@pytest.mark.spec("BANK-14")
async def test_each_topic_is_summarised_and_code_sets_id_time_and_embedding() -> None:
    engine = ScriptedEngine(classification=by_paragraph)
    bank = a_bank(engine)
    await bank.start("goal")
    observed = await bank.observe("The first topic.\n\nThe second topic.")
    assert len(engine.asked(StructureRequest)) == 2
    nodes = [bank.graph.get(node_id) for node_id in observed.node_ids]
    assert [node.summary for node in nodes] == ["The first topic.", "The second topic."]
    assert nodes[0].timestamp < nodes[1].timestamp
    assert all(node.embedding and node.context and node.keywords for node in nodes)


async def test_the_same_graph_comes_out_whatever_finishes_first() -> None:
    def slow_first(reverse: bool) -> ScriptedEngine:
        order: list[int] = []

        async def structure(request: StructureRequest) -> Any:
            order.append(1)
            turns = len(order) if reverse else 60 - len(order)
            for _ in range(turns):
                await asyncio.sleep(0)
            return summed_up(request)

        async def classification(request: ClassificationRequest) -> Any:
            for _ in range(3 if reverse else 30 - LONG.index(request.text) // 100):
                await asyncio.sleep(0)
            return by_paragraph(request)

        return ScriptedEngine(structure=structure, classification=classification)

    exports = []
    for reverse in (False, True):
        engine = slow_first(reverse)
        bank = a_bank(engine, window=200, concurrency=8)
        await bank.start("goal")
        await bank.observe(LONG)
        assert engine.most_running > 1
        exports.append([(node.summary, node.context, node.keywords) for node in bank.graph.nodes] + [*bank.graph.edges])
    assert exports[0] == exports[1]


async def test_no_more_roles_run_at_once_than_settings_let() -> None:
    engine = ScriptedEngine(classification=by_paragraph)
    bank = a_bank(engine, concurrency=2)
    await bank.start("goal")
    await bank.observe(LONG)
    assert engine.most_running == 2


@pytest.mark.spec("BANK-26")
async def test_a_failing_call_is_told_and_tried_once_more() -> None:
    calls: list[ClassificationRequest] = []

    def flaky(request: ClassificationRequest) -> Any:
        calls.append(request)
        return failing(request) if len(calls) == 1 else one_topic(request)

    bank = a_bank(ScriptedEngine(classification=flaky))
    events: list[BankEvent] = []
    bank.runtime.listeners.append(events.append)
    await bank.start("goal")
    observed = await bank.observe("A text that is read at the second attempt.")
    assert len(observed.node_ids) == 1
    assert [event.text for event in events if event.kind is EventKind.RETRY] == ["the model is out"]
    assert bank.runtime.calls["classification"] == 2


@pytest.mark.spec("BANK-26")
async def test_what_could_not_be_read_is_kept_and_read_with_what_comes_next() -> None:
    broken = [True]

    def classification(request: ClassificationRequest) -> Any:
        return failing(request) if broken[0] else one_topic(request)

    bank = a_bank(ScriptedEngine(classification=classification))
    await bank.start("goal")
    with pytest.raises(LanguageError):
        await bank.observe("The first text.")
    assert [entry.text for entry in bank.unread] == ["The first text."]
    broken[0] = False
    await bank.observe("The second text.")
    assert texts_of(bank) == ["The first text.", "The second text."]
    assert bank.unread == ()


@pytest.mark.spec("BANK-01")
async def test_the_users_question_is_taken_out_of_a_long_prompt() -> None:
    bank = a_bank()
    facts = " ".join(f"Depot {number} holds {number + 3} crates of tea." for number in range(80))
    await bank.start(f"{facts}\n\nHow many crates does depot 7 hold?")
    assert bank.planner.insight.goal == "How many crates does depot 7 hold?"
    assert all("How many crates does depot 7" not in text for text in texts_of(bank))
    assert "Depot 7 holds 10 crates" in "".join(texts_of(bank))
