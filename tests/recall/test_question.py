import pytest

from remanent.model import Scope
from remanent.recall import Question

SCOPE = Scope(org="o", workspace="w", agent="ada")


@pytest.mark.parametrize(
    "text",
    [
        "When did Caroline move?",
        "In which city does Ann live?",
        "How many books has she read?",
        "小王的生日是哪天？",
        "她养了几只猫",
        "今天真热。我真正想问的是，她住在哪儿？",
    ],
)
def test_a_question_for_a_fact_is_told_by_its_words(text: str) -> None:
    assert Question(text, SCOPE).asks_for_a_fact


@pytest.mark.parametrize(
    "text",
    [
        "Let us go on with the second chapter.",
        "How should I begin the talk?",
        "Do you have an idea?",
        "继续写第二章吧",
        "What a day. I wrote all morning. Then it rained. Now please sum up the plan.",
        "When " + "we talk of the garden " * 20,
    ],
)
def test_a_message_that_goes_on_talking_asks_for_none(text: str) -> None:
    assert not Question(text, SCOPE).asks_for_a_fact


def test_the_one_speaker_who_is_named_is_found() -> None:
    speakers = ["Caroline", "Mel", "user", "小红", ""]
    assert Question("What does caroline paint?", SCOPE).person_among(speakers) == "Caroline"
    assert Question("小红喜欢什么？", SCOPE).person_among(speakers) == "小红"
    assert Question("What did Melanie paint?", SCOPE).person_among(speakers) is None
    assert Question("What do Caroline and Mel share?", SCOPE).person_among(speakers) is None
    assert Question("What does the user paint?", SCOPE).person_among(speakers) is None


def test_questions_asked_together_are_searched_one_by_one() -> None:
    assert Question("Where is Ann? Also, who is Bo?", SCOPE).parts == ("Where is Ann?", "who is Bo?")
    many = "Where is Ann? " + "Also, who is Bo? " * 9
    assert Question(many, SCOPE).parts == (many,)
