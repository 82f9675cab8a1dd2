"""How often the port is called for what people do: over a network each of these calls is a round trip."""

import inspect
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from remanent import AsyncMemory, aopen
from remanent.model import RecallOptions
from remanent.stores import Store
from remanent.stores.sqlite import SqliteStore

PLACES = "Lisbon Porto Madrid Paris Rome Berlin Oslo Tokyo Kyoto Lima Quito Cairo Tunis Delhi Perth".split()
FOODS = "noodles sushi rice bread cheese soup steak salad pizza pasta tacos curry ramen beans figs".split()
MESSAGES = [
    f"In {PLACES[number % 15]} the {FOODS[number // 2]} tasted of {FOODS[-number % 15]} on evening {number}."
    for number in range(30)
]


UNGATED = RecallOptions(gate=False)


class Calls(Counter[str]):
    """Counts awaited calls of the port, by name."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        for name in Store.__abstractmethods__:
            method = getattr(SqliteStore, name)
            if inspect.iscoroutinefunction(method):
                monkeypatch.setattr(SqliteStore, name, self._counted(name, method))

    def _counted(self, name: str, method: Any) -> Any:
        async def counted(store: Store, *arguments: Any, **options: Any) -> Any:
            self[name] += 1
            return await method(store, *arguments, **options)

        return counted


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@pytest.fixture
async def memory(tmp_path: Path, calls: Calls) -> AsyncIterator[AsyncMemory]:
    async with aopen(tmp_path) as memory:
        await memory.agent("ada").remember(MESSAGES, session="travels")
        yield memory


QUESTIONS = ["What tasted of honey in Tokyo?", "What did Ada and Bob eat in Oslo last month?", "我们在东京吃了什么？"]


@pytest.mark.spec("COG-18")
async def test_settling_takes_sixty_round_trips_a_warm_recall_four_and_a_cached_one_one(
    memory: AsyncMemory, calls: Calls
) -> None:
    calls.clear()
    await memory.settle()
    assert calls.total() <= 60, calls
    ada = memory.agent("ada")
    answers = [await ada.recall(question, options=UNGATED) for question in ("sushi", "Lima", "noodles")]
    first, second, _ = (answer.items[0].record_id for answer in answers)
    await ada.link(first, second, relation="before")
    for question in QUESTIONS:
        calls.clear()
        found = await ada.recall(question, limit=20, options=UNGATED)
        assert found.items
        assert not found.left_out
        assert calls.total() <= 4, (question, calls)
        calls.clear()
        assert (await ada.recall(question, limit=20, options=UNGATED)).cached
        assert calls.total() <= 1, (question, calls)
    calls.clear()
    found = await ada.recall("sushi", limit=20, options=UNGATED)
    assert "graph" in {rank.path for item in found.items for rank in item.ranks}, "links were followed"
    assert calls.total() <= 4, calls


@pytest.mark.spec("COG-18")
async def test_a_plain_question_takes_four_round_trips_with_every_discipline_on(
    memory: AsyncMemory, calls: Calls
) -> None:
    await memory.settle()
    ada = memory.agent("ada")
    for question in ("What tasted of figs in Tokyo?", "where did we eat noodles?", "quantum chromodynamics"):
        await ada.recall("warm up")
        calls.clear()
        await ada.recall(question)
        assert calls.total() <= 4, (question, calls)
        calls.clear()
        assert (await ada.recall(question)).cached
        assert calls.total() <= 1, (question, calls)


@pytest.mark.needs("cognition")
@pytest.mark.spec("COG-14", "COG-18")
@pytest.mark.parametrize(("workspace", "most"), [("alone", 6), ("team", 9)])
async def test_a_briefing_reads_all_its_tiers_in_six_round_trips_and_what_is_shared_in_three_more(
    memory: AsyncMemory, calls: Calls, workspace: str, most: int
) -> None:
    eve = memory.agent("eve", workspace=workspace)
    await eve.remember(["I like green tea.", "Always answer in short sentences.", "I moved to Lisbon last month."])
    if workspace == "team":
        shared = await eve.cognition.propose("Our team meets for dinner in Lisbon.")
        await eve.cognition.approve(shared.id, by="lead")
    await memory.settle()
    for warm_up in ("Which pets do I have?", "我养了什么宠物？"):
        await eve.cognition.brief(warm_up)
    for question in ("Which tea do I like?", "Plan a dinner in Lisbon for me.", "我喜欢喝什么茶？", "Hello"):
        calls.clear()
        brief = await eve.cognition.brief(question)
        assert "short sentences" in brief.text
        assert calls.total() <= most, (question, calls)


@pytest.mark.spec("COG-18")
async def test_settling_agents_that_have_nothing_to_do_takes_one_look_at_all_of_them(
    memory: AsyncMemory, calls: Calls
) -> None:
    for number in range(20):
        await memory.agent(f"agent-{number}").remember("Hello there.")
    await memory.settle()
    calls.clear()
    await memory.settle()
    assert calls.total() <= 3, calls
