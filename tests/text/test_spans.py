from hypothesis import given
from hypothesis import strategies as st

from remanent.text.spans import Span, between, joined, without_overlaps

spans = st.tuples(st.integers(0, 40), st.integers(0, 10)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@given(st.text(), st.lists(st.integers(-5, 50)))
def test_a_text_cut_at_any_borders_is_whole(text: str, borders: list[int]) -> None:
    parts = between(borders, len(text))
    assert joined(text, parts) == text
    assert all(len(part) for part in parts)


@given(st.lists(spans))
def test_what_is_kept_does_not_overlap_and_what_is_left_out_does(found: list[Span]) -> None:
    kept = without_overlaps(found)
    assert kept == sorted(kept)
    assert not any(one.overlaps(other) for one in kept for other in kept if one != other)
    assert all(len(span) == 0 or span in kept or any(span.overlaps(other) for other in kept) for span in found)


def test_the_longer_of_two_that_overlap_is_kept() -> None:
    assert without_overlaps([Span(0, 3), Span(2, 9), Span(9, 10)]) == [Span(2, 9), Span(9, 10)]


def test_a_span_without_its_white_space() -> None:
    assert Span(0, 7).trimmed("  a b  ") == Span(2, 5)
    assert Span(1, 3).trimmed("    ") == Span(1, 1)
