"""Pieces are short, lose nothing and end where a reader would end them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.language.exchanges.shapes import Place, Utterance
from remanent.language.pieces import piece_spans, pieces, places_of

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
    for place in places_of([said]):
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
    assert places_of([Utterance(text=""), said]) == [
        Place(utterance=1, start=0, end=11),
        Place(utterance=1, start=12, end=len(said.text)),
    ]


def test_white_space_has_no_pieces() -> None:
    assert piece_spans(" \n\n ") == []
