import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.recall import reciprocal_rank

IDS = st.text("abcdefgh", min_size=1, max_size=2)
RANKINGS = st.dictionaries(st.sampled_from(["keyword", "vector", "recency"]), st.lists(IDS, unique=True, max_size=12))
WEIGHTS = {"keyword": 1.0, "vector": 0.7, "recency": 0.1}


def test_a_record_that_two_paths_find_comes_before_one_that_a_single_path_ranks_alike() -> None:
    fused = reciprocal_rank({"keyword": ["both", "word"], "vector": ["both", "sense"]}, weights={})
    assert next(iter(fused)) == "both"
    assert fused["both"] == pytest.approx(2 / 61)


def test_a_path_of_more_weight_wins_over_one_of_less() -> None:
    fused = reciprocal_rank({"keyword": ["a"], "recency": ["b"]}, weights=WEIGHTS)
    assert list(fused) == ["a", "b"]


@given(RANKINGS)
def test_every_candidate_is_kept_once_and_scores_fall(rankings: dict[str, list[str]]) -> None:
    fused = reciprocal_rank(rankings, weights=WEIGHTS)
    assert set(fused) == {found for ids in rankings.values() for found in ids}
    scores = list(fused.values())
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


@given(RANKINGS)
def test_the_order_of_paths_does_not_matter(rankings: dict[str, list[str]]) -> None:
    backwards = dict(reversed(rankings.items()))
    assert list(reciprocal_rank(rankings, weights=WEIGHTS)) == list(reciprocal_rank(backwards, weights=WEIGHTS))


@given(RANKINGS, IDS)
def test_moving_up_in_one_path_never_lowers_a_score(rankings: dict[str, list[str]], risen: str) -> None:
    for path, ids in rankings.items():
        if risen not in ids:
            continue
        higher = {**rankings, path: [risen, *(other for other in ids if other != risen)]}
        before, after = (reciprocal_rank(case, weights=WEIGHTS)[risen] for case in (rankings, higher))
        assert after >= before - 1e-12
