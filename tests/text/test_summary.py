import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.summary import compress, summarize
from remanent.text.tokens import ESTIMATE

STORY = (
    "I moved to Lisbon in May 2023 because the rent in Berlin was too high. Honestly it was fine. "
    "I don't like the winter. My sister Anna visited me three times. We had fun. She bought a flat for $250,000."
)
CHINESE_STORY = (
    "我五月搬到了里斯本，因为柏林的房租太贵。说实话还好。我不喜欢那里的冬天。"
    "我姐姐王芳来看过我三次，她花了二十五万买房子。"
)
PIECES = [
    "The cat ", "sat. ", "Anna Weber ", "didn't ", "come, ", "because ", "5 km ", "on 8 May 2023 ", "$1,200 ", "我们",
    "不喜欢", "北京", "，", "。", "\n", "三百", "👍🏽", "-", "http://a.b/c ", "'",
]  # fmt: skip
some_text = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(st.characters(), max_size=120)


@settings(deadline=None, max_examples=300)
@given(some_text, st.integers(1, 150))
def test_a_compressed_text_fits_is_not_empty_and_is_made_of_the_text(text: str, target: int) -> None:
    result = compress(text, target)
    assert bool(result) == bool(text.strip())
    summary = summarize(text, limit=target)
    assert summary.text == result
    assert list(summary.spans) == sorted(summary.spans)
    for span in summary.spans:
        assert span.of(text).strip() in result
    if len(result) > target:  # impossible: not one word is short enough, and this is one
        assert len(summary.spans) == 1


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(["alpha", "beta's", "don't", "Lisbon", "42", "and", "co-op", "the", "x"]),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 120),
)
def test_no_word_is_broken(words: list[str], target: int) -> None:
    allowed = set(words)
    assert all(part.strip(",.") in allowed for part in compress(" ".join(words), target).split())


@settings(deadline=None)
@given(some_text, st.integers(1, 60))
def test_a_length_in_tokens_is_kept_too(text: str, limit: int) -> None:
    summary = summarize(text, limit=limit, measure=ESTIMATE)
    assert ESTIMATE(summary.text) <= limit or len(summary.spans) == 1


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert compress(f" {STORY}\n", 1000) == STORY
    assert compress("", 10) == ""


def test_names_numbers_and_dates_are_kept_before_small_talk() -> None:
    short = compress(STORY, 170)
    assert "Lisbon in May 2023" in short
    assert "$250,000" in short
    assert "Honestly" not in short
    assert "We had fun" not in short
    brief = compress(CHINESE_STORY, 50)
    assert "里斯本" in brief
    assert "二十五万" in brief
    assert "说实话" not in brief


def test_sentences_come_in_their_order() -> None:
    summary = summarize(STORY, limit=120)
    assert list(summary.spans) == sorted(summary.spans)
    assert summary.text.index("Lisbon") < summary.text.index("Anna")


@pytest.mark.parametrize(
    ("text", "target", "result"),
    [
        ("The user is allergic to peanuts and never eats nuts", 20, "never eats nuts"),
        ("我姐姐王芳这个月很忙，她不喜欢旅行", 8, "她不喜欢旅行"),
        ("He did not pay the large invoice of that supplier", 8, "not pay"),
    ],
)
def test_a_negation_stays_with_what_it_negates(text: str, target: int, result: str) -> None:
    assert compress(text, target) == result


def test_words_are_the_last_resort_and_the_meaning_stays_in_them() -> None:
    short = compress("In the end he decided to move to Lisbon for the job that Siemens had offered him", 30)
    assert "Lisbon" in short
    assert "Siemens" in short
    assert len(short) <= 30


def test_where_nothing_fits_the_shortest_word_is_returned() -> None:
    assert compress("incomprehensibilities unquestionably", 3) == "unquestionably"


def test_no_room_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        summarize(STORY, limit=0)


@pytest.mark.parametrize("evil", ["word ", "a. ", "我们。", "，", "x", "not ", "5 ", "Anna ", "and "])
def test_no_text_takes_more_than_its_share_of_time(evil: str) -> None:
    assert len(compress(evil * 3000, 500)) <= 3000
