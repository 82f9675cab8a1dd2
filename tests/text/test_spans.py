from hypothesis import given
from hypothesis import strategies as st

from remanent.text.spans import Span, between, joined


@given(st.text(), st.lists(st.integers(-5, 50)))
def test_a_text_cut_at_any_borders_is_whole(text: str, borders: list[int]) -> None:
    parts = between(borders, len(text))
    assert joined(text, parts) == text
    assert all(len(part) for part in parts)


def test_a_span_without_its_white_space() -> None:
    assert Span(0, 7).trimmed("  a b  ") == Span(2, 5)
    assert Span(1, 3).trimmed("    ") == Span(1, 1)
