from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.mentions import mentions, resolve

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
def test_a_pronoun_gives_way_to_nothing_but_a_name_that_stands_there(text: str, before: str) -> None:
    resolved = resolve(text, before=before)
    names = {name.text for name in mentions(f"{before}\n{text}")}
    kept = [part for part in SequenceMatcher(None, text, resolved, autojunk=False).get_opcodes() if part[0] != "equal"]
    written = "".join(resolved[start:end] for _, _, _, start, end in kept)
    assert set(written) <= {*"'s", *"".join(names)}


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


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("陈静昨天请假了。", "我爸住院了，他要做心脏搭桥。"),
        ("昨天和王磊吃饭。", "我妈说她血压有点高。"),
        ("老方那边换供应商了。", "我妹下周三生日，她喜欢乐高。"),
        ("刘工把驱动修好了。", "新来的实习生很认真，他每天最早到。"),
        ("王磊结婚了。", "快递员把包裹弄丢了，他说会赔。"),
        ("王磊结婚了。", "我发小辞职了，他要去云南。"),
        ("Tom moved.", "My landlord is kind, he fixed the heater."),
        ("Maria called.", "Our new hire quit because she found a better job."),
    ],
)
def test_a_name_of_another_message_is_not_put_in_the_place_of_somebody_nameless(before: str, text: str) -> None:
    assert resolve(text, before=before) == text


@pytest.mark.parametrize(
    ("before", "text", "resolved"),
    [
        ("张伟升职了。", "昨天他请大家吃饭。", "昨天张伟请大家吃饭。"),
        ("李娜搬家了。", "听说她现在住在苏州。", "听说李娜现在住在苏州。"),
        ("Anna got a new job.", "On Monday she starts.", "On Monday Anna starts."),
    ],
)
def test_a_pronoun_before_which_nobody_else_has_room_is_the_one_named_before(
    before: str, text: str, resolved: str
) -> None:
    assert resolve(text, before=before) == resolved


def test_the_text_before_may_hold_the_name() -> None:
    assert resolve("She likes tea.", before="I met Anna.") == "Anna likes tea."
    assert resolve("她喜欢茶。", before="我见到了王芳。") == "王芳喜欢茶。"


def test_a_name_three_sentences_back_is_too_far() -> None:
    assert (
        resolve("Tom came. It rained. It poured. It froze. He left.")
        == "Tom came. It rained. It poured. It froze. He left."
    )
