"""BM25: rare terms count more, repeated ones less and less, long texts are held back."""

from hypothesis import given
from hypothesis import strategies as st

from remanent.text.terms import K1, rarity, saturation

COUNTS = st.integers(0, 10_000)


@given(COUNTS, COUNTS)
def test_a_term_that_fewer_texts_hold_is_worth_more_and_none_is_worth_nothing(holding: int, others: int) -> None:
    texts = holding + others + 1
    assert rarity(holding, texts) > rarity(holding + 1, texts) > 0


@given(st.integers(1, 1000), st.floats(0.01, 100))
def test_each_further_time_counts_but_never_as_much_as_the_one_before(times: int, length: float) -> None:
    before, now, after = (saturation(float(count), length) for count in (times - 1, times, times + 1))
    assert before < now < after < K1 + 1
    assert after - now < now - before


@given(st.integers(1, 1000), st.floats(0.01, 10))
def test_a_longer_text_is_held_back(times: int, length: float) -> None:
    assert saturation(float(times), length) > saturation(float(times), length * 2)
