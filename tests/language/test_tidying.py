"""What a model wrote comes out in bounds, and otherwise as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.language.shapes import keywords, lines, multi_line, one_line, shortened, within_tokens
from remanent.text.tokens import ESTIMATE

ANYTHING = st.text(max_size=200)


@settings(deadline=None)
@given(text=ANYTHING, limit=st.integers(1, 60))
def test_a_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    made = one_line(text, limit)
    assert len(made) <= limit
    assert made.split() == " ".join(made.split()).split(" ") or not made
    assert not any(character in made for character in "\n\r\x00\u2028")


@settings(deadline=None)
@given(text=ANYTHING, limit=st.integers(1, 60))
def test_a_remark_is_within_its_limit_and_is_not_empty_without_need(text: str, limit: int) -> None:
    made = multi_line(text, limit)
    assert len(made) <= limit
    assert made == made.strip()


@settings(deadline=None)
@given(text=ANYTHING, limit=st.integers(1, 60))
def test_shortening_keeps_the_beginning(text: str, limit: int) -> None:
    made = shortened(text, limit)
    assert len(made) <= limit
    assert text.startswith(made.removesuffix("…").rstrip()) or not made


def test_shortening_leaves_whole_sentences() -> None:
    assert shortened("One is here. Two is here. Three.", 27) == "One is here. Two is here."
    assert shortened("小丽搬到了杭州。她没有换工作。", 10) == "小丽搬到了杭州。"


def test_a_single_sentence_is_shortened_between_words() -> None:
    assert shortened("Lily moved to Leeds last Saturday", 20) == "Lily moved to Leeds…"


@settings(deadline=None)
@given(words=st.lists(st.text(max_size=80), max_size=20), most=st.integers(0, 6))
def test_keywords_are_few_short_and_each_stands_once(words: list[str], most: int) -> None:
    made = keywords(words, most=most)
    assert len(made) <= most
    assert all(0 < len(word) <= 60 for word in made)
    assert len({word.casefold() for word in made}) == len(made)


def test_keywords_lose_the_marks_around_them() -> None:
    assert keywords([" #IBM, ", "ibm", "“量子比特”、", "", "Condor chip"]) == ("IBM", "量子比特", "Condor chip")


def test_lines_stand_once_and_in_order() -> None:
    assert lines(["b\nb", " ", "a", "B B"], most=5) == ("b b", "a")


@pytest.mark.parametrize("limit", [0, 1, 5, 12, 40])
def test_text_within_tokens_has_no_more_by_the_safe_count(limit: int) -> None:
    for text in ("小丽搬到了杭州。她没有换工作。" * 4, "Lily moved to Leeds. She kept her job. " * 4, "x" * 200):
        assert ESTIMATE(within_tokens(text, limit)) <= limit


def test_controls_become_spaces_and_joined_emoji_stay() -> None:
    assert one_line("a\x00b\x1b[31m\u2028c \U0001f468\u200d\U0001f469", 40) == "a b [31m c \U0001f468\u200d\U0001f469"
