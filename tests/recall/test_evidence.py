"""What speaks for a question's having an answer."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.recall.evidence import Wording, asked, rarity, strength, wording
from remanent.text.terms import index_terms

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def covered(question: str, *texts: str) -> Wording:
    return wording(asked(question), {}, [frozenset(index_terms(text)) for text in texts], records=100)


def test_a_question_is_covered_as_far_as_one_text_names_what_it_asks_for() -> None:
    assert covered("green tea", "Green tea is best.").coverage == 1
    assert covered("green tea", "Tea is best.", "Green it is.").coverage == 0.5
    assert covered("绿茶多少钱一斤", "绿茶多少钱一斤都行").coverage == 1
    assert covered("green tea", "Coffee is best.", "我喜欢咖啡").coverage == 0


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    holding = {"tea": 80, "samovar": 1}
    question = asked("tea samovar")
    common = wording(question, holding, [{"tea"}], records=100).coverage
    rare = wording(question, holding, [{"samovar"}], records=100).coverage
    assert rare > 4 * common


def test_of_a_long_message_the_best_covered_sentence_counts() -> None:
    question = "It was raining all day and the bus never came. What was the booking code of the flight?"
    assert covered(question, "The booking code of the flight is QX7K2M.").coverage == 1


def test_a_date_counts_for_little_because_memories_do_not_repeat_when_they_were_made() -> None:
    text = frozenset(index_terms("James and Samantha decided to adopt a dog."))
    with_date = wording(asked("What did James decide in October 2022?", asked_at=NOW), {}, [text], records=100)
    without = wording(asked("What did James decide in October 2022?"), {}, [text], records=100)
    assert with_date.coverage > without.coverage


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "What happened yesterday?",
        "where does she live?",
        "我们上次聊了什么？",
        "她住在哪里？",
    ],
)
def test_a_question_that_names_nothing_is_vague(question: str) -> None:
    assert asked(question, asked_at=NOW).vague


@pytest.mark.parametrize("question", ["Where is Lisbon?", "量子计算机怎样纠错？", "zxcv qwer", "velvet hammer"])
def test_a_question_that_names_something_is_not_vague(question: str) -> None:
    assert not asked(question, asked_at=NOW).vague


@pytest.mark.parametrize("question", ["她不能吃什么？", "who tests?", "What can she eat?"])
def test_a_question_of_two_common_words_is_plain(question: str) -> None:
    assert asked(question).plain


@pytest.mark.parametrize("question", ["哪种釉料在还原焰里烧成铜红？", "bottle turtle mirror", "zxcv", "硫酸的化学式"])
def test_a_question_of_rare_or_many_words_is_not_plain(question: str) -> None:
    assert not asked(question).plain


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_rarity_is_positive_and_falls_with_every_record_that_holds_the_word(records: int, holding: int) -> None:
    holding = min(holding, records)
    assert rarity(holding, records=records) > 0
    assert rarity(holding, records=records) > rarity(holding + 1, records=records + 1) - 1e-9 or holding == 0


@settings(deadline=None)
@given(question=st.text(max_size=60), texts=st.lists(st.text(max_size=60), max_size=4), records=st.integers(0, 10**6))
def test_coverage_is_a_share_and_more_texts_never_cover_less(question: str, texts: list[str], records: int) -> None:
    wanted = asked(question)
    terms = [frozenset(index_terms(text)) for text in texts]
    one = wording(wanted, {}, terms, records=records)
    more = wording(wanted, {}, [*terms, frozenset(wanted.terms)], records=records)
    assert 0 <= one.coverage <= more.coverage <= 1 + 1e-9
    assert 0 <= one.matched <= more.matched


@settings(deadline=None)
@given(
    coverage=st.floats(0, 1),
    matched=st.floats(0, 100),
    near=st.lists(st.floats(-50, 50), max_size=3),
    more=st.floats(0, 10),
)
def test_more_evidence_never_speaks_against_an_answer(
    coverage: float, matched: float, near: list[float], more: float
) -> None:
    base = strength(Wording(coverage, matched), near)
    assert strength(Wording(min(1, coverage + more), matched), near) >= base
    assert strength(Wording(coverage, matched + more), near) >= base
    assert strength(Wording(coverage, matched), [value + more for value in near]) >= base - 1e-9
