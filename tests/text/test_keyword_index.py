"""The index of words in memory: a changed one answers like one made anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.terms import KeywordIndex

TERMS = st.lists(st.sampled_from("abcdefg"), max_size=6)
CHANGES = st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), TERMS)), max_size=25)


@pytest.mark.spec("BANK-08")
@given(changes=CHANGES, question=TERMS)
def test_an_index_that_was_changed_answers_like_one_that_was_made_anew(
    changes: list[tuple[int, list[str] | None]], question: list[str]
) -> None:
    index = KeywordIndex()
    held: dict[int, list[str]] = {}
    for row, terms in changes:
        if terms is None:
            index.drop(row)
            held.pop(row, None)
        else:
            index.put(row, terms)
            held[row] = terms
        index.scores(question, size=6)  # a search in between must not leave anything stale
    fresh = KeywordIndex()
    for row, terms in held.items():
        fresh.put(row, terms)
    assert index.scores(question, size=6).tolist() == pytest.approx(fresh.scores(question, size=6).tolist())


@pytest.mark.spec("BANK-08")
def test_searching_an_unchanged_index_gathers_nothing_again() -> None:
    index = KeywordIndex()
    for row in range(50):
        index.put(row, ["common", f"rare{row}"])
    index.scores(["common", "rare3"], size=50)
    gathered = index.gathered
    index.scores(["common", "rare3"], size=50)
    assert index.gathered == gathered
    index.put(3, ["common"])
    assert index.scores(["rare3"], size=50).max() == 0


@pytest.mark.spec("BANK-06")
@given(texts=st.lists(TERMS, min_size=1, max_size=8), question=TERMS)
def test_scores_lie_between_0_and_1_and_the_best_has_1(texts: list[list[str]], question: list[str]) -> None:
    index = KeywordIndex()
    for row, terms in enumerate(texts):
        index.put(row, terms)
    scores = index.scores(question, size=len(texts))
    hit = [row for row, terms in enumerate(texts) if set(terms) & set(question)]
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.max() == (1 if hit else 0)
    assert all((scores[row] > 0) == (row in hit) for row in range(len(texts)))


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    index = KeywordIndex()
    for row in range(20):
        index.put(row, ["common", "filler"])
    index.put(20, ["rare", "filler"])
    scores = index.scores(["common", "rare"], size=21)
    assert scores.argmax() == 20
