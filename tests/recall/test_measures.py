import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.recall.measures import (
    all_at,
    any_at,
    auroc,
    coverage,
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
