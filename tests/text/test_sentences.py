import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.sentences import _CANDIDATE, _SIGN, paragraphs, sentence_texts, sentences
from remanent.text.spans import joined

PIECES = [
    "Dr. ",
    "e.g. ",
    "3.14 ",
    "U.S. ",
    "The end. ",
    "no",
    " ",
    "\n",
    "\n\n",
    "…",
    "...",
    "。",
    "！",
    "？”",
    "；",
    "他说",
    "“",
    '"',
    "'",
]
PIECES += [
    "```\n",
    "~~~",
    "- item\n",
    "1. ",
    "# head\n",
    "http://a.b/c?d=e!f ",
    "i",
    "I",
    "A",
    "。」",
    "!",
    "?",
    ".",
    "\r\n",
    "\u2028",
    "😀",
]
any_text = st.text(st.characters()) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(any_text)
def test_sentences_cover_the_text_exactly(text: str) -> None:
    spans = sentences(text)
    assert joined(text, spans) == text
    assert all(len(span) > 0 for span in spans)


@given(any_text)
def test_paragraphs_cover_the_text_exactly(text: str) -> None:
    spans = paragraphs(text)
    assert joined(text, spans) == text
    assert all(len(span) > 0 for span in spans)


@given(
    st.lists(
        st.sampled_from(["The cat sat down.", "Who was it?", "今天下雨了。", "她问：“走吗？”", "Stop!"]), min_size=1
    )
)
def test_plain_sentences_are_found_again(parts: list[str]) -> None:
    assert sentence_texts(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "marked",
    [
        # abbreviations, initials, decimals, addresses
        "Dr. Smith met J. K. Rowling at 5 p.m. on Jan. 5. | He paid.",
        "It costs $3.50 at example.com. | Fine.",
        "See v2.0.1 at http://a.b/c?d=e. | Then go.",
        "Fruit, e.g. apples, etc. | The rest is meat.",
        "The U.S. Army left the U.S. | The end.",
        "See Fig. 3 and No. 5. | I said no. | Then I left.",
        "Apple Inc. is big. | He joined Apple Inc. | The end.",
        # marks, quotes, ellipses
        "What?! | No way!! | OK",
        '"Really?" he asked. | "Yes!" | She left.',
        "Then... nothing. | So… | Nobody came.",
        "Great!😀 | Next one.",
        "hi there. | how are you? | i'm fine",
        # Chinese
        "我去了北京。|天气很好！|是吗？|好；|走吧",
        "“你好吗？”他问。|我说：“很好。”|然后我走了……|后来呢？",
        "我……不知道。",
        '他说:"走吧。"|我们就走了。',
        "（他来了。）|她走了。",
        "第一行\n|第二行",
        # mixed
        "用Python.|然后用Java!|好的 I like it. |你呢?|See 3.14.",
        "他用GPT-4.5写的。|OK then.",
        # lines
        "List:\n|1. First\n|2. Second. |More.\n|- one\n|- two",
        "# Title\n|Text of it",
        f"{'word ' * 13}and\nso it goes on. |Next.",
        "First line,\nSecond line",
    ],
)
def test_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    assert sentence_texts(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]


def test_fenced_code_is_one_piece_in_sentences_and_paragraphs() -> None:
    code = "```py\na = 1. B = 2\n\nx = 3\n```\n"
    text = f"Before. Here:\n{code}\nAfter. Done"
    assert code.strip() in sentence_texts(text)
    assert [part.of(text) for part in paragraphs(text)] == [f"Before. Here:\n{code}\n", "After. Done"]


def test_paragraphs_end_at_blank_lines() -> None:
    text = "one\ntwo\n\nthree\n \t\n\n四"
    assert [part.of(text) for part in paragraphs(text)] == ["one\ntwo\n\n", "three\n \t\n\n", "四"]


@pytest.mark.parametrize(
    "evil", [" ", "\n", '."', ". ", "a. ", "…", "``` ", "```\n", "!", "\n \n", "。”", '"a." ', "1. "]
)
def test_no_text_takes_more_than_its_share_of_time(evil: str) -> None:
    text = evil * 20_000
    assert joined(text, sentences(text)) == text


def test_no_text_has_no_sentences() -> None:
    assert sentences("") == paragraphs("") == []
    assert sentence_texts(" \n ") == []


def test_every_sign_that_may_end_a_sentence_is_looked_for_and_no_other() -> None:
    anything = [chr(number) for number in range(0x20000) if not 0xD800 <= number < 0xE000]
    assert [one for one in anything if _SIGN.match(one)] == [one for one in anything if _CANDIDATE.match(one)]
