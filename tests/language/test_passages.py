"""Passages cover their text, and putting them together loses none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.language.prompt_blocks import (
    assigned_numbers,
    joined_until,
    joined_within,
    passages,
    piece_spans,
    pieces,
    stretches,
    utterance_spans,
)
from remanent.language.shapes import Utterance, UtteranceSpan
from remanent.text.spans import Span, joined

TEXTS = st.text(alphabet="ab。. \n#`", max_size=300)


@given(text=TEXTS, longest=st.integers(5, 80), most=st.integers(1, 10))
def test_passages_cover_the_text_exactly(text: str, longest: int, most: int) -> None:
    spans = passages(text, longest=longest, most=most)
    assert joined(text, spans) == text
    assert len(spans) <= most + 1
    assert not text.strip() or all(span.of(text).strip() for span in spans)


def test_paragraphs_are_passages_and_a_heading_stays_with_its_text() -> None:
    text = "# One\n\nFirst.\n\nSecond.\n\n## Two\n\nThird."
    assert [span.of(text).strip() for span in passages(text)] == ["# One\n\nFirst.", "Second.", "## Two\n\nThird."]


def test_a_long_paragraph_is_parted_at_the_ends_of_sentences() -> None:
    text = "One is here. Two is here. Three is here. Four is here."
    assert [span.of(text).strip() for span in passages(text, longest=28)] == [
        "One is here. Two is here.",
        "Three is here. Four is here.",
    ]


def test_a_text_of_very_many_paragraphs_has_bounded_numbers() -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(5000))
    spans = passages(text)
    assert 150 <= len(spans) <= 201
    assert joined(text, spans) == text


def test_a_blank_beginning_belongs_to_the_first_passage() -> None:
    text = "\n\n  \n\nWords.\n\n\n\n"
    assert [span.of(text) for span in passages(text)] == [text]


@given(count=st.integers(0, 30), groups=st.lists(st.lists(st.integers(-2, 35), max_size=8), max_size=5))
def test_every_number_goes_to_exactly_one_group(count: int, groups: list[list[int]]) -> None:
    given_to = assigned_numbers(count, groups)
    assert len(given_to) == len(groups)
    if groups:
        assert sorted(number for group in given_to for number in group) == list(range(1, count + 1))
    claimed: set[int] = set()
    for wanted, got in zip(groups, given_to, strict=True):
        first = {number for number in wanted if 1 <= number <= count} - claimed
        assert first <= set(got)
        claimed |= first


@pytest.mark.parametrize(
    ("count", "groups", "expected"),
    [
        pytest.param(5, [[1], [4]], [[1, 2], [3, 4, 5]], id="to the nearest"),
        pytest.param(3, [[1], [3]], [[1, 2], [3]], id="to the one before at equal distance"),
        pytest.param(3, [[2], [2, 3]], [[1, 2], [3]], id="to the first that claims it"),
        pytest.param(2, [[], []], [[1, 2], []], id="to the first group when none claims any"),
    ],
)
def test_unclaimed_numbers_go_where_they_belong(count: int, groups: list[list[int]], expected: list[list[int]]) -> None:
    assert assigned_numbers(count, groups) == expected


def test_neighbouring_passages_make_one_stretch() -> None:
    spans = [Span(0, 2), Span(2, 5), Span(5, 9), Span(9, 10)]
    assert stretches(spans, [4, 1, 2]) == [Span(0, 5), Span(9, 10)]


def test_spans_are_joined_to_a_least_and_to_a_greatest_size() -> None:
    spans = [Span(0, 2), Span(2, 4), Span(4, 9), Span(9, 10)]
    assert joined_until(spans, at_least=3) == [Span(0, 4), Span(4, 9), Span(9, 10)]
    assert joined_within(spans, at_most=5) == [Span(0, 4), Span(4, 9), Span(9, 10)]
    assert joined_within(spans, at_most=6) == [Span(0, 4), Span(4, 10)]


MIXED = st.text(alphabet="ab 。，,.\n小丽搬家\U0001f468\u200d", max_size=600)


@settings(deadline=None)
@given(text=MIXED, longest=st.integers(1, 60))
def test_pieces_hold_all_that_is_no_white_space(text: str, longest: int) -> None:
    parts = pieces(text, longest=longest)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < len(part) <= longest for part in parts)


@settings(deadline=None)
@given(text=MIXED)
def test_places_are_where_the_pieces_stand(text: str) -> None:
    said = Utterance(text=text)
    for place in utterance_spans([said]):
        part = said.text[place.start : place.end]
        assert part == part.strip() != ""
        assert len(part) <= 200


def test_short_text_is_one_piece() -> None:
    assert pieces("小丽搬到了杭州。她没有换工作。") == ["小丽搬到了杭州。她没有换工作。"]


def test_a_long_sentence_is_cut_after_a_clause() -> None:
    text = "第一个分句写在这里，" + "第二个分句写在那里，" + "第三个分句写在最后。"
    assert pieces(text, longest=22) == ["第一个分句写在这里，第二个分句写在那里，", "第三个分句写在最后。"]


def test_a_sentence_without_clauses_is_cut_between_words() -> None:
    assert pieces("one two three four five six", longest=12) == ["one two", "three four", "five six"]


def test_a_word_that_is_too_long_is_cut_as_a_last_resort() -> None:
    assert pieces("x" * 25, longest=10) == ["x" * 10, "x" * 10, "x" * 5]


def test_figures_are_not_cut_at_their_commas() -> None:
    assert pieces("It costs 1,000,000 dollars today", longest=20) == ["It costs 1,000,000", "dollars today"]


def test_sentences_have_numbers_of_their_own_and_short_ones_share() -> None:
    said = Utterance(
        text="Good. Fine. " + "A much longer sentence that surely stands alone because of its length here."
    )
    assert utterance_spans([Utterance(text=""), said]) == [
        UtteranceSpan(utterance=1, start=0, end=11),
        UtteranceSpan(utterance=1, start=12, end=len(said.text)),
    ]


def test_white_space_has_no_pieces() -> None:
    assert piece_spans(" \n\n ") == []
