"""Filling a token budget with the most evidence."""

from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.recall.budget import GAP, Piece, focus, pack
from remanent.text.tokens import ESTIMATE, TokenCounter

WORDS = TokenCounter("words", exact=True, count=lambda text: len(text.split()))
TEXTS = st.lists(st.text("abc .\n。我", min_size=1, max_size=300), max_size=6)


@settings(deadline=None)
@given(texts=TEXTS, budget=st.integers(-5, 400), around=st.integers(0, 9))
def test_what_is_taken_fits_with_what_stands_around_it(texts: list[str], budget: int, around: int) -> None:
    taken = pack("a b", [Piece(text, around) for text in texts], budget=budget, counter=ESTIMATE)
    assert sum(ESTIMATE(text) + around for text in taken.values()) <= max(0, budget)
    assert set(taken) <= set(range(len(texts)))


@settings(deadline=None)
@given(texts=TEXTS)
def test_with_room_for_all_everything_is_taken_whole(texts: list[str]) -> None:
    pieces = [Piece(text, 1) for text in texts]
    assert pack("a b", pieces, budget=100_000, counter=WORDS) == {
        place: text for place, text in enumerate(texts) if WORDS(text) + 1 > 0
    }


def test_the_best_memory_is_taken_before_cheaper_ones() -> None:
    pieces = [Piece("long " * 40), *(Piece("short") for _ in range(9))]
    assert 0 in pack("anything", pieces, budget=45, counter=WORDS)


def test_several_short_memories_win_against_one_long_one() -> None:
    pieces = [Piece("first"), Piece("filler " * 60), Piece("third one"), Piece("fourth one")]
    assert set(pack("anything", pieces, budget=20, counter=WORDS)) == {0, 2, 3}


def test_a_memory_that_is_too_long_is_taken_in_part() -> None:
    text = "Nothing of note was said. " * 60 + "The code is QX7K2M. " + "Nothing of note was said. " * 60
    taken = pack("What is the code?", [Piece(text)], budget=100, counter=WORDS)
    assert "The code is QX7K2M." in taken[0]
    assert WORDS(taken[0]) <= 100


@settings(deadline=None)
@given(text=st.text("ab .!\n。我你", max_size=200), limit=st.integers(1, 60))
def test_a_part_is_made_of_sentences_in_their_order(text: str, limit: int) -> None:
    part = focus(text, {"a": 1.0, "我": 2.0}, limit=limit, counter=ESTIMATE)
    assert ESTIMATE(part) <= limit
    position = 0
    for stretch in part.split(GAP):
        position = text.index(stretch.strip(), position) + len(stretch.strip())


def test_a_part_marks_what_is_left_out() -> None:
    text = "One thing. Another thing. The wanted word. More things. Last things."
    assert focus(text, {"want": 1.0}, limit=6, counter=WORDS) == f"{GAP} The wanted word. {GAP}"
