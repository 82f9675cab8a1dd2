import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.recall.scoring import limited_per_source
from remanent.recall.shortlist import (
    TwinsOf,
    crowds,
    marginal_relevance,
    may_be_twins,
    overlap,
    twins_among,
    units,
)

RANKED = st.lists(st.tuples(st.integers(0, 99), st.sampled_from([None, "x", "y", "z"])), unique_by=lambda one: one[0])


def _no_twins(_: str) -> dict[str, float]:
    return {}


def _by_units(**texts: str) -> TwinsOf:
    return twins_among({name: units(text) for name, text in texts.items()}, twins=0.8).__getitem__


def test_a_twin_of_what_is_chosen_gives_way_to_something_else() -> None:
    scores = {"a1": 1.0, "a2": 0.99, "b1": 0.6}
    twins_of = _by_units(a1="the red bicycle", a2="The red bicycle.", b1="a heron fishes")
    assert list(marginal_relevance(scores, twins_of=twins_of, strength=0.5))[:3] == ["a1", "b1", "a2"]
    assert list(marginal_relevance(scores, twins_of=twins_of, strength=0.0))[:3] == ["a1", "a2", "b1"]


def test_from_the_third_of_one_talk_on_others_come_first() -> None:
    scores = {"x1": 1.0, "x2": 0.99, "x3": 0.98, "y1": 0.8, "x4": 0.9}
    order = marginal_relevance(scores, twins_of=_no_twins, strength=0.5, talk_of=lambda one: one[0], further=0.2)
    assert list(order) == ["x1", "x2", "y1", "x3", "x4"]
    nowhere = marginal_relevance(scores, twins_of=_no_twins, strength=0.5, further=0.2)
    assert list(nowhere) == ["x1", "x2", "x3", "x4", "y1"]


def test_likeness_below_the_bound_of_twins_counts_nothing() -> None:
    scores = {"a1": 1.0, "a2": 0.99, "b1": 0.98}
    twins_of = _by_units(a1="one two three four five six seven", a2="one two three four five", b1="a heron fishes")
    order = list(marginal_relevance(scores, twins_of=twins_of, strength=1.0))
    assert order == ["a1", "a2", "b1"]


def test_one_source_fills_two_fifths_while_others_have_something() -> None:
    ranked = ["x1", "x2", "x3", "x4", "y1", "z1", "y2"]
    assert limited_per_source(ranked, lambda one: one[0], share=0.4, limit=5) == ["x1", "x2", "y1", "z1", "y2"]
    assert limited_per_source(ranked, lambda one: one[0], share=1.0, limit=5) == ranked[:5]
    assert limited_per_source(["x1", "x2", "x3"], lambda one: one[0], share=0.4, limit=5) == ["x1", "x2", "x3"]


@given(RANKED, st.integers(1, 12), st.floats(0.05, 1))
def test_a_source_exceeds_its_share_only_when_nothing_else_is_left(
    ranked: list[tuple[int, str | None]], limit: int, share: float
) -> None:
    source = {str(number): name for number, name in ranked}
    chosen = limited_per_source(list(source), source.get, share=share, limit=limit)
    assert len(chosen) == min(limit, len(source)) == len(set(chosen))
    most = max(1, int(share * limit + 1e-9))
    for name in ("x", "y", "z"):
        held = [one for one in chosen if source[one] == name]
        if len(held) > most:
            # Every candidate of others that had room was taken.
            left = [one for one in source if one not in chosen and source[one] != name]
            counts = {other: sum(source[one] == other for one in chosen) for other in ("x", "y", "z")}
            assert all(source[one] is not None and counts[str(source[one])] >= most for one in left)


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_overlap_is_a_share_and_goes_both_ways(first: frozenset[str], second: frozenset[str]) -> None:
    assert 0 <= overlap(first, second) <= 1
    assert overlap(first, second) == overlap(second, first)
    if first:
        assert overlap(first, first) == 1


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("We moved to Lisbon in May.", "we moved to lisbon, in May", True),
        ("我们五月搬到了里斯本。", "我们五月搬到了里斯本！", True),
        ("We moved to Lisbon in May.", "The heron fishes at dawn.", False),
        ("我们五月搬到了里斯本。", "里斯本五月没有下雨。", False),
        ("人咬了狗", "狗咬了人", False),
    ],
)
def test_texts_are_twins_by_their_words_whatever_their_marks(first: str, second: str, *, alike: bool) -> None:
    assert (overlap(units(first), units(second)) >= 0.8) is alike


@given(st.text(st.characters(max_codepoint=127)))
def test_the_units_of_ascii_are_its_words(text: str) -> None:
    assert units(text) == frozenset(re.findall(r"\w+", text.casefold()))


@pytest.mark.spec("SAFE-04")
def test_a_crowd_of_near_duplicates_has_a_share_wherever_they_come_from() -> None:
    ranked = [f"twin{number}" for number in range(6)] + ["other", "more", "last"]
    crowd = {one: "twin0" for one in ranked if one.startswith("twin")}
    chosen = limited_per_source(ranked, lambda _: None, share=0.4, limit=5, crowd_of=crowd.get)
    assert chosen == ["twin0", "twin1", "other", "more", "last"]
    assert limited_per_source(ranked[:6], lambda _: None, share=0.4, limit=5, crowd_of=crowd.get) == ranked[:5]


def test_only_groups_of_more_than_so_many_are_a_crowd() -> None:
    texts = {f"t{number}": units(f"the passport lies in locker {number} of the old station") for number in range(5)}
    texts |= {"a": units("a heron fishes"), "b": units("a heron fishes"), "nothing": units("…"), "none": units("!")}
    sizes = {name: len(own) for name, own in texts.items()}
    twins_of = twins_among(texts, twins=0.8).__getitem__
    assert crowds(sizes, twins_of, twins=0.8, most=2) == {"t0": [f"t{number}" for number in range(5)]}
    assert crowds(sizes, twins_of, twins=0.8, most=5) == {}


@given(st.lists(st.frozensets(st.integers(0, 5).map(str)), max_size=8), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_the_twins_among_texts_are_all_whose_overlap_reaches_the_bound(
    found: list[frozenset[str]], twins: float
) -> None:
    texts = {str(number): own for number, own in enumerate(found)}
    every = {
        one: {
            other: alike for other, others in texts.items() if other != one and (alike := overlap(own, others)) >= twins
        }
        for one, own in texts.items()
    }
    assert twins_among(texts, twins=twins) == every


@given(st.frozensets(st.integers(0, 9).map(str)), st.frozensets(st.integers(0, 9).map(str)))
def test_twins_are_those_whose_overlap_reaches_the_bound(first: frozenset[str], second: frozenset[str]) -> None:
    assert may_be_twins(len(first), len(second), twins=0.8) or overlap(first, second) < 0.8
