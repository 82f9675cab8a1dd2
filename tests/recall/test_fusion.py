import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.recall.scoring import min_max, reciprocal_rank, weighted_scores

IDS = st.text("abcdefgh", min_size=1, max_size=2)
RANKINGS = st.dictionaries(st.sampled_from(["keyword", "vector", "recency"]), st.lists(IDS, unique=True, max_size=12))
SCORES = st.dictionaries(IDS, st.floats(-1e300, 1e300, allow_nan=False), max_size=12)
WEIGHTS = {"keyword": 1.0, "vector": 0.7, "recency": 0.1}


def hybrid(words: dict[str, float], meaning: dict[str, float], alpha: float) -> dict[str, float]:
    return weighted_scores({"words": words, "meaning": meaning}, weights={"words": alpha, "meaning": 1 - alpha})


@pytest.mark.spec("COG-12")
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


@pytest.mark.spec("BANK-06")
@given(SCORES)
def test_scores_are_brought_to_between_0_and_1_and_keep_their_order(scores: dict[str, float]) -> None:
    even = min_max(scores)
    assert even.keys() == scores.keys()
    assert all(0 <= score <= 1 for score in even.values())
    if even:
        assert max(even.values()) == 1
    in_order = sorted(scores, key=lambda one: scores[one])
    assert [even[one] for one in in_order] == sorted(even.values())


@pytest.mark.spec("BANK-06")
def test_the_hybrid_is_alpha_of_words_and_the_rest_of_meaning() -> None:
    words, meaning = {"a": 10.0, "b": 5.0, "c": 0.0}, {"b": 0.9, "c": 0.8, "d": 0.4}
    fused = hybrid(words, meaning, 0.25)
    assert fused == pytest.approx({"b": 0.25 * 0.5 + 0.75, "c": 0.75 * 0.8, "a": 0.25, "d": 0.0})
    assert list(fused) == ["b", "c", "a", "d"]
    assert next(iter(hybrid(words, meaning, 1))) == "a"
    assert next(iter(hybrid(words, meaning, 0))) == "b"


@pytest.mark.spec("BANK-06")
@given(SCORES, SCORES, st.floats(0, 1))
def test_a_hybrid_score_lies_between_0_and_1_and_what_both_find_best_is_1(
    words: dict[str, float], meaning: dict[str, float], alpha: float
) -> None:
    fused = hybrid(words, meaning, alpha)
    assert fused.keys() == words.keys() | meaning.keys()
    assert all(-1e-12 <= score <= 1 + 1e-12 for score in fused.values())
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
    for best in words.keys() & meaning.keys():
        if words[best] == max(words.values()) and meaning[best] == max(meaning.values()):
            assert math.isclose(fused[best], 1.0)


@given(st.dictionaries(st.sampled_from(["keyword", "vector", "recency"]), SCORES))
def test_how_large_a_path_s_scores_are_does_not_matter(found: dict[str, dict[str, float]]) -> None:
    small = {path: {one: score / 1e300 for one, score in scores.items()} for path, scores in found.items()}
    large = {path: {one: score * 8 for one, score in scores.items()} for path, scores in small.items()}
    assert weighted_scores(small, weights=WEIGHTS) == pytest.approx(weighted_scores(large, weights=WEIGHTS))
