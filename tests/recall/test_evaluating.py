"""Measuring answers against what is known to answer."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import InvalidInput
from remanent.jobs import Progress
from remanent.memory import aopen
from remanent.model import Found, FoundItem, FoundSource, Kind, Probe
from remanent.recall.evaluating import evaluate

MAY = datetime(2024, 5, 1, tzinfo=UTC)


def item(number: int, text: str) -> FoundItem:
    source = FoundSource(
        entry_id=f"entry-{number}", caller_id=f"mine-{number}", occurred_at=MAY, start=0, end=len(text), text=text
    )
    return FoundItem(
        record_id=f"record-{number}", text=text, score=1 / number, kind=Kind.TURN, occurred_at=MAY, sources=(source,)
    )


ITEMS = tuple(item(number, f"Fact {number}: it was {what}.") for number, what in enumerate(("Red", "Blue", "绿"), 1))


async def ask(probe: Probe, *, gated: bool) -> Found:
    """Answer every question with the three items, and refuse those that ask for a yacht."""
    if gated and "yacht" in probe.question:
        return Found(query=probe.question)
    return Found(query=probe.question, items=ITEMS)


@pytest.mark.parametrize(
    ("probe", "rank"),
    [
        (Probe(question="q", ids=("record-2",)), 2),
        (Probe(question="q", ids=("entry-3",)), 3),
        (Probe(question="q", ids=("mine-1", "entry-3")), 1),
        (Probe(question="q", texts=("BLUE",)), 2),
        (Probe(question="q", texts=("绿",)), 3),
        (Probe(question="q", texts=("purple",)), None),
    ],
)
async def test_an_answer_is_known_by_any_of_its_ids_or_by_its_words(probe: Probe, rank: int | None) -> None:
    found = await evaluate(ask, [probe])
    assert found.results[0].rank == rank
    assert found.mrr == pytest.approx(1 / rank if rank else 0)
    assert found.any_at_1 == (rank == 1)
    assert found.any_at_5 == found.any_at_10 == (rank is not None)


async def test_one_item_may_answer_all_that_was_wanted_of_it() -> None:
    both = await evaluate(ask, [Probe(question="q", ids=("record-2",), texts=("blue", "purple"))])
    assert (both.results[0].found, both.results[0].wanted, both.all_at_5) == (2, 3, 0)
    assert (await evaluate(ask, [Probe(question="q", ids=("record-2",), texts=("blue",))])).all_at_5 == 1


async def test_questions_that_nothing_answers_are_measured_apart() -> None:
    probes = [
        Probe(question="which colour?", texts=("red",)),
        Probe(question="what is the yacht called?"),
        Probe(question="who is it?"),
    ]
    found = await evaluate(ask, probes)
    assert (found.questions, found.answerable, found.unanswerable) == (3, 1, 2)
    assert (found.answered, found.refused) == (1, 0.5)
    assert found.auroc == 0.75
    assert (await evaluate(ask, probes[:1])).auroc is None


async def test_an_evaluation_needs_questions() -> None:
    with pytest.raises(InvalidInput, match="between 1 and"):
        await evaluate(ask, [])


async def test_an_agent_measures_its_own_questions_and_nothing_is_written(tmp_path: Path) -> None:
    async with aopen(tmp_path / "home", embedder="multilingual") as memory:
        ada = memory.agent("ada")
        receipt = await ada.remember(["I moved to Lisbon in May.", "我的猫叫团子。", "The ferry leaves at nine."])
        await memory.settle()
        before = await memory._parts.store.revision(ada.scope)
        seen: list[Progress] = []
        questions: list[Probe | dict[str, Any]] = [
            {"question": "Where did I move?", "ids": [receipt.entry_ids[0]]},
            {"question": "猫叫什么名字？", "texts": ["团子"]},
            Probe(question="zxqv wrtk pflm"),
        ]
        found = await ada.evaluate(questions, on_progress=seen.append)
        assert (found.any_at_1, found.mrr, found.lacking) == (1, 1, 0)
        assert [step.done for step in seen] == [1, 2, 3]
        assert 0 < found.ms_p50 <= found.ms_p95
        assert await memory._parts.store.revision(ada.scope) == before
        with pytest.raises(InvalidInput):
            await ada.evaluate([{"question": ""}])
