"""Long texts with models of any window, texts that nobody can read, and several texts at once."""

import asyncio
import json
from typing import Any

import pytest

from remanent.bank.bank import MemoryBank
from remanent.bank.runtime import BankEvent
from remanent.bank.store import source_of
from remanent.errors import LanguageError, ModelRejected, ModelUnavailable
from remanent.language.models.coercion import schema_of
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
from remanent.language.roles.analysis import AnalysisRequest, AnalysisResponse, Relationship
from remanent.language.roles.classification import ClassificationRequest
from remanent.language.roles.integration import IntegrationRequest
from remanent.language.roles.next_step import PlanningRequest
from remanent.text.tokens import ESTIMATE, TokenCounter
from tests.bank.world import ScriptedEngine, a_bank, by_paragraph, failing, one_topic, relations

MINUTES = "\n\n".join(
    f"Item {number}. The council heard Ms Lindqvist (district {number % 17}) on the drainage of Kvarnby Street; "
    f"the estimate rose from {900 + number} to {1100 + 3 * number} thousand kronor, and the vote was put off. "
    "An inspector's photographs were handed round, and two residents spoke against closing the footpath."
    for number in range(380)
)


class Windowed(ScriptedEngine):
    """Counts as the engine does for a model whose tokenizer is not public, and refuses what exceeds its window."""

    def __init__(self, window: int, **scripts: Any) -> None:
        super().__init__(**scripts)
        self._window = window
        self.refused = 0

    def counter(self, role: Role[RequestT, ReplyT, ResponseT]) -> TokenCounter:
        return ESTIMATE

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Any:
        told = role.prompt(request, language="en")
        parts = (told.instructions, told.content, json.dumps(schema_of(role.reply)))
        if sum(map(ESTIMATE, parts)) > self._window:
            self.refused += 1
            raise ModelRejected(f"the request for {role.name} exceeds the window")
        return await super().run(role, request)


def covered(bank: MemoryBank, text: str) -> str:
    spans = sorted((span.start or 0, span.end or 0) for node in bank.graph.nodes for span in node.sources)
    return "".join(text[start:end] for start, end in spans)


@pytest.mark.spec("BANK-13")
@pytest.mark.parametrize("window", [4_000, 8_000, 32_000, 128_000])
async def test_a_long_text_is_read_whole_by_a_model_of_any_window(window: int) -> None:
    assert len(MINUTES) > 100_000
    engine = Windowed(window)
    bank = a_bank(engine, window=window)
    await bank.start("Why was the vote put off?")
    await bank.observe(MINUTES)
    assert covered(bank, MINUTES) == MINUTES
    assert bank.unread == ()
    # Cutting counts as the engine does, so hardly anything is refused and nothing is asked twice.
    assert engine.refused <= 2
    assert bank.runtime.calls["classification"] <= 3 + ESTIMATE(MINUTES) // (window // 3)


@pytest.mark.spec("BANK-13")
async def test_what_is_refused_for_its_length_is_cut_smaller_until_it_fits() -> None:
    engine = Windowed(2_500)
    bank = a_bank(engine, window=32_000)  # settings promise more than the model takes
    await bank.start("Why was the vote put off?")
    await bank.observe(MINUTES[:20_000])
    assert covered(bank, MINUTES[:20_000]) == MINUTES[:20_000]
    assert engine.refused > 0


@pytest.mark.spec("BANK-26")
async def test_a_text_that_cannot_be_read_is_set_aside_is_told_and_blocks_nothing() -> None:
    def classification(request: ClassificationRequest) -> Any:
        return failing(request) if "cipher" in request.text else one_topic(request)

    engine = ScriptedEngine(classification=classification)
    bank = a_bank(engine)
    events: list[BankEvent] = []
    bank.runtime.listeners.append(events.append)
    await bank.start("What did the captain write?")
    with pytest.raises(LanguageError):
        await bank.observe("A page in cipher: xqv kzz.")
    for text in ("The captain wrote of ice.", "He turned back in May.", "The crew was paid in June."):
        assert len((await bank.observe(text)).node_ids) == 1
    assert bank.unread == ()
    assert sum("cipher" in request.text for request in engine.asked(ClassificationRequest)) == 4  # two tries of two
    assert [event.data["set_aside"] for event in events if event.data.get("set_aside")] == [True]
    await bank.planner.plan()
    (request, *_) = engine.asked(PlanningRequest)
    assert any("A page in cipher" in notice for notice in request.notices)
    assert "A page in cipher: xqv kzz." in [entry.text for entry in bank.tree.entries]


@pytest.mark.spec("BANK-26", "USE-08")
async def test_a_model_that_is_out_for_a_while_costs_no_text_its_reading() -> None:
    out = [True]

    def classification(request: ClassificationRequest) -> Any:
        if out[0]:
            raise ModelUnavailable("overloaded")
        return one_topic(request)

    engine = ScriptedEngine(classification=classification)
    bank = a_bank(engine)
    await bank.start("goal")
    for number in range(4):
        assert (await bank.observe(f"Report {number} of the harbour master.")).node_ids
    assert (bank.engine.fell_back, len(engine.asked(ClassificationRequest))) == ({"classification": 4}, 8)
    out[0] = False
    await bank.observe("Report 4 of the harbour master.")
    assert len(bank.graph) == 5
    assert (bank.unread, bank.engine.fell_back) == ((), {"classification": 4})


async def test_chunks_that_were_read_stay_when_another_chunk_fails() -> None:
    broken = [True]

    def classification(request: ClassificationRequest) -> Any:
        return failing(request) if broken[0] and "Item 80." in request.text else by_paragraph(request)

    engine = ScriptedEngine(classification=classification)
    text = "\n\n".join(MINUTES.split("\n\n")[:150])
    bank = a_bank(engine, window=4_000)
    await bank.start("goal")
    with pytest.raises(LanguageError):
        await bank.observe(text)
    before = len(bank.graph)
    asked = len(engine.asked(ClassificationRequest))
    assert 40 < before < 150
    broken[0] = False
    await bank.catch_up()
    assert len(bank.graph) == 150
    assert covered(bank, text) == text
    assert len(engine.asked(ClassificationRequest)) == asked + 1  # only the chunk that failed is read again


async def test_texts_are_read_side_by_side_and_woven_in_the_order_in_which_they_came() -> None:
    waiting: list[str] = []
    go = asyncio.Event()

    async def classification(request: ClassificationRequest) -> Any:
        waiting.append(request.text)
        if len(waiting) == 6:
            go.set()
        await go.wait()
        # The first to come is the last to be read.
        for _ in range(20 * (6 - int(request.text[7]))):
            await asyncio.sleep(0)
        return one_topic(request)

    bank = a_bank(ScriptedEngine(classification=classification), concurrency=6)
    await bank.start("goal")
    await asyncio.gather(*(bank.observe(f"Letter {number} from the expedition.") for number in range(6)))
    assert len(waiting) == 6
    assert [node.summary[:8] for node in bank.graph.nodes] == [f"Letter {number}" for number in range(6)]


@pytest.mark.spec("BANK-26")
async def test_nodes_whose_merge_fails_stay_side_by_side_and_their_text_counts_as_read() -> None:
    def merging(request: AnalysisRequest) -> AnalysisResponse:
        return relations(request, lambda new, old: Relationship.MERGE)

    engine = ScriptedEngine(analysis=merging, integration=failing)
    bank = a_bank(engine)
    await bank.start("goal")
    await bank.observe("The lighthouse of Skarv was lit in 1871.")
    await bank.observe("The lighthouse of Skarv was first lit in 1871.")
    one, other = bank.graph.nodes
    assert bank.graph.edges == (tuple(sorted((one.id, other.id))),)
    assert bank.unread == ()
    assert len(engine.asked(IntegrationRequest)) == 2
    assert [source_of(entry) for entry in bank.tree.entries].count("merge") == 0
