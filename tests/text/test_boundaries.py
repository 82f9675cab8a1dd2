from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.spans import excerpt, grapheme_boundaries, word_boundaries

FAMILY = "👨\u200d👩\u200d👧"
any_text = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("one two three", 9, "one two…"),
        ("one two three", 8, "one two…"),
        ("one, two three", 6, "one,…"),
        ("我五月搬到了里斯本", 5, "我五月搬…"),
        ("我用Python写代码", 6, "我用…"),
        ("x" * 100, 10, "x" * 9 + "…"),
        ("anything", 1, "…"),
        (f"hi {FAMILY} there", 6, "hi…"),
        ("ab👍🏽cd", 4, "ab…"),
        ("🇵🇹🇩🇪🇨🇳", 5, "🇵🇹🇩🇪…"),
        ("🇵🇹🇩🇪🇨🇳", 4, "🇵🇹…"),
        ("ae\u0301i ou", 3, "a…"),
        ("中\ud83d\ude00文字", 3, "中…"),
    ],
)
def test_a_long_text_is_cut_where_a_reader_would(text: str, limit: int, expected: str) -> None:
    assert excerpt(text, limit) == expected


@given(any_text, st.integers(1, 200))
def test_an_excerpt_fits_and_is_the_beginning(text: str, limit: int) -> None:
    cut = excerpt(text, limit)
    assert len(cut) <= limit
    if cut != text:
        assert cut.endswith("…")
        assert text.startswith(cut[:-1])


@given(st.lists(st.sampled_from(["a", "e\u0301", FAMILY, "👍🏽", "🇵🇹", "中", " "])), st.integers(1, 60))
def test_no_sign_is_split(signs: list[str], limit: int) -> None:
    text = "".join(signs)
    cut = excerpt(text, limit)
    rest = text[len(cut) - 1 :] if cut != text else ""
    assert not rest.startswith(("\u0301", "\u200d", "\U0001f3fd"))
    assert not cut.removesuffix("…").endswith("\u200d")
    assert sum("\U0001f1e6" <= character <= "\U0001f1ff" for character in cut) % 2 == 0


def test_endless_marks_are_cut_all_the_same() -> None:
    assert len(excerpt("a" + "\u0301" * 10_000, 100)) == 100


@pytest.mark.parametrize("limit", [0, -1])
def test_no_room_is_refused(limit: int) -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        excerpt("text", limit)


some_text = st.text(st.characters() | st.sampled_from("the cat's 我们去了北京，。 \n👨\u200d👩e\u0301"))


@settings(deadline=None)
@given(some_text)
def test_word_borders_rise_to_the_end_and_lie_in_no_spaced_word(text: str) -> None:
    borders = word_boundaries(text)
    assert borders == sorted(set(borders))
    assert borders[-1:] == ([len(text)] if text else [])
    ascii_letters = [text[place - 1 : place + 1] for place in borders[:-1]]
    assert not any(pair.isascii() and pair.isalnum() for pair in ascii_letters)


@given(some_text)
def test_sign_borders_rise_to_the_end(text: str) -> None:
    borders = grapheme_boundaries(text)
    assert borders == sorted(set(borders))
    assert borders[-1:] == ([len(text)] if text else [])


def test_words_keep_what_closes_them() -> None:
    text = "我们去了北京，用Python写 code. Done"
    borders = [0, *word_boundaries(text)]
    parts = [text[start:end] for start, end in pairwise(borders)]
    assert parts == ["我们", "去", "了", "北京，", "用", "Python", "写 ", "code. ", "Done"]
