import math
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.jobs import Progress
from remanent.memory import aopen
from remanent.model import Found, FoundItem, FoundSource, Kind, Probe
from remanent.recall import evaluation
from remanent.recall.evaluation import (
    all_at,
    any_at,
    auroc,
    coverage,
    evaluate,
    interval,
    mean,
    ndcg_at,
    reciprocal_rank_of,
)

_IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)
_SCORES = st.lists(st.floats(-5, 5), min_size=1, max_size=30)


def test_any_and_all_look_at_the_first_k_only() -> None:
    ranking = ["x", "a", "y", "b"]
    assert any_at(ranking, {"a", "b"}, 2) == 1
    assert any_at(ranking, {"a", "b"}, 1) == 0
    assert all_at(ranking, {"a", "b"}, 3) == 0
    assert all_at(ranking, {"a", "b"}, 4) == 1


def test_nothing_wanted_is_never_found() -> None:
    assert any_at(["a"], (), 5) == all_at(["a"], (), 5) == ndcg_at(["a"], (), 5) == 0


def test_the_reciprocal_rank_is_that_of_the_first_hit() -> None:
    assert reciprocal_rank_of(["x", "a", "b"], {"a", "b"}) == 0.5
    assert reciprocal_rank_of(["x"], {"a"}) == 0


def test_the_discounted_gain_falls_with_the_place() -> None:
    assert ndcg_at(["a", "b", "x"], {"a", "b"}, 5) == 1
    assert ndcg_at(["x", "a"], {"a"}, 5) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(["a", "a"], {"a"}, 5) == 1


@given(ranking=_IDS, wanted=_IDS, k=st.integers(1, 10))
def test_all_implies_any_and_more_places_never_hurt(ranking: list[str], wanted: list[str], k: int) -> None:
    assert all_at(ranking, wanted, k) <= any_at(ranking, wanted, k)
    assert any_at(ranking, wanted, k) <= any_at(ranking, wanted, k + 1)
    assert all_at(ranking, wanted, k) <= all_at(ranking, wanted, k + 1)
    assert 0 <= ndcg_at(ranking, wanted, k) <= 1


def test_the_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few = [0.0, 1.0] * 10
    many = few * 20
    low, high = interval(few)
    assert low < mean(few) < high
    narrow_low, narrow_high = interval(many)
    assert narrow_high - narrow_low < high - low
    assert interval(few) == interval(few)


def test_separation_is_one_when_every_answerable_scores_higher() -> None:
    assert auroc([3, 4], [1, 2]) == 1
    assert auroc([1, 2], [3, 4]) == 0
    assert auroc([1, 1], [1, 1]) == 0.5


@given(positive=_SCORES, negative=_SCORES)
def test_separation_counts_the_pairs_in_the_right_order(positive: list[float], negative: list[float]) -> None:
    pairs = [(a > b) + 0.5 * (a == b) for a in positive for b in negative]
    assert auroc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


@given(positive=_SCORES, negative=_SCORES)
def test_coverage_lets_through_no_more_false_ones_than_allowed(positive: list[float], negative: list[float]) -> None:
    share = coverage(positive, negative, false_share=0.2)
    passed = sorted(positive, reverse=True)[: round(share * len(positive))]
    if passed:
        assert sum(score >= passed[-1] for score in negative) <= 0.2 * len(negative)


def test_coverage_counts_what_lies_above_the_false_ones() -> None:
    assert coverage([5, 4, 1], [3, 2], false_share=0.0) == pytest.approx(2 / 3)
    assert coverage([5, 4, 2.5], [3, 2], false_share=0.5) == 1


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
        before = (await memory._parts.store.standing(ada.scope)).revision
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
        assert (await memory._parts.store.standing(ada.scope)).revision == before
        with pytest.raises(InvalidInput):
            await ada.evaluate([{"question": ""}])


@pytest.mark.spec("SAFE-02")
async def test_measuring_does_not_keep_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[threading.Thread] = []
    drawn = evaluation.interval

    def noted(*args: Any, **more: Any) -> tuple[float, float]:
        where.append(threading.current_thread())
        return drawn(*args, **more)

    monkeypatch.setattr(evaluation, "interval", noted)
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember(["Ann lives in Rome"])
        await ada.evaluate([Probe(question="Where does Ann live?", texts=("Rome",))])
    assert where
    assert threading.main_thread() not in where
