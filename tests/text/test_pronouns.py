import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.pronouns import pronouns, resolve

PIECES = [
    "Anna ",
    "Tom ",
    "she ",
    "he ",
    "her ",
    "his ",
    "it ",
    "they ",
    "met ",
    ". ",
    "张伟",
    "他",
    "她",
    "他们",
    "的",
    "说",
    "。",
    "my uncle ",
    "我的舅舅",
    "其他",
]
some_text = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(st.characters(), max_size=60)


@settings(deadline=None)
@given(some_text, some_text)
def test_pronouns_stand_where_they_say_and_their_names_before_them(text: str, before: str) -> None:
    whole = f"{before}\n{text}" if before else text
    offset = len(whole) - len(text)
    for one in pronouns(text, before=before):
        assert text[one.start : one.end] == one.text
        assert all(name.end <= one.start for name in one.candidates)
        assert all(whole[name.start + offset : name.end + offset] == name.text for name in one.candidates)
        assert not one.certain or len(one.candidates) == 1


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("I met Tom. He lost his car. Mary saw him.", "I met Tom. Tom lost Tom's car. Mary saw Tom."),
        ("Anna came. I like her. Her dog barked.", "Anna came. I like Anna. Anna's dog barked."),
        ("李明在银行工作。他今年三十岁，他的妻子是王芳。", "李明在银行工作。李明今年三十岁，李明的妻子是王芳。"),
        ("张伟杰是我的舅舅，他住在北京。", "张伟杰是我的舅舅，张伟杰住在北京。"),
        ("用户叫 David，他喜欢茶。", "用户叫 David，David喜欢茶。"),
    ],
)
def test_a_certain_pronoun_is_replaced_by_its_name(text: str, resolved: str) -> None:
    assert resolve(text) == resolved


@pytest.mark.parametrize(
    "text",
    [
        "Anna met Mary. She was late.",  # either
        "Tom met my uncle. He is sixty.",  # the uncle has no name
        "Anna works there. He is late.",  # nobody fits
        "I like Lisbon. It is warm.",  # "it" may be anything
        "Tom and Ben came. They ate.",  # plural
        "王芳和李娜来了。她很高兴。",
        "王芳遇到了同事。她很高兴。",
        "其他人不知道。",
        "She is far away.",
    ],
)
def test_a_doubtful_pronoun_stays(text: str) -> None:
    assert resolve(text) == text


def test_candidates_of_a_doubtful_pronoun_come_nearest_first() -> None:
    (she,) = pronouns("Anna Weber met Mary. She was late.")
    assert [name.text for name in she.candidates] == ["Mary", "Anna Weber"]
    assert not she.certain


def test_the_text_before_may_hold_the_name() -> None:
    assert resolve("She likes tea.", before="I met Anna.") == "Anna likes tea."
    assert resolve("她喜欢茶。", before="我见到了王芳。") == "王芳喜欢茶。"


def test_a_name_three_sentences_back_is_too_far() -> None:
    assert (
        resolve("Tom came. It rained. It poured. It froze. He left.")
        == "Tom came. It rained. It poured. It froze. He left."
    )
