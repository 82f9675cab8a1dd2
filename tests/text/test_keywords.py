import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.keywords import keywords
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from tests.growth import grows_no_faster_than_its_input

ENGLISH_TEXT = (
    "Precision farming uses soil sensors. Soil sensors tell Anna Weber when to water, and precision farming saves "
    "water. She presented the results in Lisbon."
)

CHINESE_TEXT = "希尔伯特空间中的线性算子有一个伴随算子。线性算子在希尔伯特空间上很重要，王小明研究线性算子。"
PIECES = [
    "machine learning",
    "the",
    "Lisbon",
    "机器学习",
    "的",
    "王小明",
    ". ",
    "，",
    "。",
    " ",
    "runs",
    "GPT-4",
    "C++",
    "\n",
    "```\n",
    "x",
]
some_text = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(st.characters(), max_size=80)


def texts(text: str, limit: int = 5) -> list[str]:
    return [keyword.text for keyword in keywords(text, limit=limit)]


@settings(deadline=None)
@given(some_text, st.integers(1, 8))
def test_keywords_stand_in_the_text_best_first_without_repeats(text: str, limit: int) -> None:
    found = keywords(text, limit=limit)
    assert len(found) <= limit
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 < one.score <= 1 for one in found)
    assert len({one.text.casefold() for one in found}) == len(found)
    for one in found:
        assert one.spans
        assert one.text in {" ".join(span.of(text).split()) for span in one.spans}


@settings(deadline=None)
@given(some_text)
def test_no_keyword_begins_or_ends_with_a_stop_word(text: str) -> None:
    for keyword in texts(text):
        words = keyword.lower().split()
        assert not {words[0], words[-1]} & (ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS)


def test_english_keywords_are_names_and_noun_phrases() -> None:
    found = texts(ENGLISH_TEXT)
    assert {found[0].lower(), found[1].lower()} == {"precision farming", "soil sensors"}
    assert {"Anna Weber", "Lisbon"} <= set(found)


def test_chinese_keywords_are_names_and_noun_phrases() -> None:
    found = texts(CHINESE_TEXT)
    assert {"希尔伯特空间", "线性算子", "王小明"} <= set(found)


def test_a_term_that_the_dictionary_calls_an_idiom_is_a_keyword_and_a_manner_of_speaking_is_not() -> None:
    found = [keyword.text for keyword in keywords("心力衰竭与心房颤动的关系，医生们念念不忘，爱不释手。")]
    assert {"心力衰竭", "心房颤动"} <= set(found)
    assert not {"念念不忘", "爱不释手"} & set(found)


def test_mixed_text_gives_both_languages() -> None:
    found = texts("我们用 TensorFlow 训练神经网络。The neural network learns fast.")
    assert any("神经网络" in keyword for keyword in found)
    assert "TensorFlow" in found
    assert "neural network" in found


def test_forms_of_a_word_count_together_and_are_named_once() -> None:
    found = keywords("Neural networks learn. A neural network sees. The neural network of Bob.", limit=3)
    assert found[0].text == "neural network"
    assert len(found[0].spans) == 3


def test_addresses_and_code_give_no_keywords() -> None:
    text = "See https://example.com/secret-path now.\n```\nhidden_name = 1\n```\nThe garden shed"
    assert texts(text) == ["garden shed"]


@pytest.mark.parametrize("text", ["", " ", "the of and", "的 了 吗", "123 456", "!?"])
def test_a_text_that_names_nothing_has_no_keywords(text: str) -> None:
    assert keywords(text) == []


def test_asking_for_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        keywords("text", limit=0)


@pytest.mark.parametrize("evil", ["word ", "机器", "a", "A-", "x.", "\n", "Lisbon "])
def test_no_text_takes_more_than_its_share_of_time(evil: str) -> None:
    assert grows_no_faster_than_its_input(keywords, evil * 10_000)
