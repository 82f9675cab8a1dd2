import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.budget import fill, fit
from remanent.text.tokens import ESTIMATE, TokenCounter, token_counter

COUNTERS = [ESTIMATE, token_counter("o200k_base"), token_counter("cl100k_base")]
some_text = st.text(st.characters() | st.sampled_from("the cat sat。我们去了北京， .\n"), max_size=120)


@settings(deadline=None)
@given(
    st.lists(some_text, max_size=12),
    st.integers(0, 120),
    st.sampled_from(COUNTERS),
    st.sampled_from(["\n\n", "", "---"]),
)
def test_what_was_taken_never_exceeds_the_budget(
    texts: list[str], budget: int, counter: TokenCounter, separator: str
) -> None:
    filling = fill(texts, budget, separator=separator, counter=counter)
    assert counter(separator.join(texts[place] for place in filling.kept)) == filling.used <= budget
    assert sorted((*filling.kept, *filling.left_out)) == list(range(len(texts)))
    assert list(filling.kept) == sorted(filling.kept)


def test_a_text_that_is_too_long_leaves_room_for_the_next() -> None:
    filling = fill(["one two", "word " * 100, "three"], 10, counter=ESTIMATE)
    assert filling.kept == (0, 2)
    assert filling.left_out == (1,)


@settings(deadline=None)
@given(some_text, st.integers(0, 60), st.sampled_from(COUNTERS))
def test_what_fits_is_a_beginning_and_fits(text: str, budget: int, counter: TokenCounter) -> None:
    part = fit(text, budget, counter=counter)
    assert counter(part) <= budget
    assert text.startswith(part)
    assert part == text or counter(text) > budget


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("The cat sat. The dog ran away.", 8, "The cat sat."),
        ("The cat sat on the mat", 5, "The cat sat"),
        ("我们去了北京。天气很好。", 12, "我们去了北京。"),
        ("anything", 0, ""),
    ],
)
def test_a_text_is_cut_after_a_sentence_or_a_word(text: str, budget: int, expected: str) -> None:
    assert fit(text, budget, counter=ESTIMATE) == expected


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        fill([], -1)
    with pytest.raises(InvalidInput, match="negative"):
        fit("", -1)
