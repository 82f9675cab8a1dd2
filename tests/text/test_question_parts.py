import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.talk import asked_part, questions


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("今天真热，想吃冰。抱歉，我真正想打听的是：小王的生日是哪天？", "小王的生日是哪天？"),
        ("最近很忙。我其实是想弄明白，那个会在哪里开？", "那个会在哪里开？"),
        ("路上好堵。等等，她的电话是多少？", "她的电话是多少？"),
        ("The bus was late again. What I really wanted to ask is, where does Ann live?", "where does Ann live?"),
        ("I like your coat! Wait, when is the party?", "when is the party?"),
    ],
)
def test_what_is_taken_back_is_not_asked(message: str, asked: str) -> None:
    assert asked_part(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "小王的生日是哪天？",
        "苹果、香蕉等等，哪个贵？",
        "她问我想说什么",
        "Should I buy it now or wait. What do you think?",
        "Where does Ann live?",
        "我想问",
        "",
    ],
)
def test_other_messages_stay_as_they_are(message: str) -> None:
    assert asked_part(message) == message


def test_several_questions_are_told_apart() -> None:
    assert questions("小王住哪儿？另外，他的生日是哪天？") == ["小王住哪儿？", "他的生日是哪天？"]
    assert questions("Where does Ann live? Also, when is her birthday?") == [
        "Where does Ann live?",
        "when is her birthday?",
    ]
    assert questions("今天天气好。我真正想问的是，小王住哪儿？另外，路上好堵。等等，他几岁？") == [
        "小王住哪儿？",
        "他几岁？",
    ]


@given(st.text(max_size=200))
def test_something_of_the_message_is_always_asked(message: str) -> None:
    asked = asked_part(message)
    assert len(asked) <= len(message)
    assert bool(asked.strip()) == bool(message.strip())
    assert questions(message)
