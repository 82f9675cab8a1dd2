"""Whether a memory tells what somebody asks of themselves, or another thing."""

from collections.abc import Sequence

import pytest

from remanent.model import FoundItem, PathRank
from remanent.recall.answerability import lacks_answer
from remanent.recall.injection import inject, nothing_told
from tests.recall.items import MAY, make_item

NOTES = (
    "I adopted a grey cat called Pixel last winter.", "We are getting married on 3 October in Verona.",
    "My landlord, Mr Hughes, wants the rent by the fifth.", "My car is a blue Skoda from 2018.",
    "Our son Felix starts school in September.", "I grew up in a village near Cork.",
    "我每周三晚上上钢琴课。", "我的房东姓陈，房租每月五号交。", "我对花生过敏。", "我爱人是护士，在市三院上班。",
    "周五提醒我给银行打电话。", "我的电脑是去年买的联想。",
)  # fmt: skip
UNKNOWN = """
What is my shoe size?
What is my bank account number?
When did my grandmother die?
Which hotel did we book in Madrid?
How tall am I?
What is my favourite film?
What is Felix's blood type?
Can you remind me what my wifi password is?
我的鞋码是多少？
我的电话号码是多少？
我爷爷是哪年去世的？
我去年在哪里过的春节？
我订的是哪家酒店？
我家的狗叫什么名字？
我爱人的血型是什么？
""".strip().split("\n")
KNOWN = """
What is my cat called?
Who is my landlord?
What car do I drive?
Where did I grow up?
What is my landlord's name?
How much is my rent?
我哪天上钢琴课？
我对什么过敏？
我爱人在哪里上班？
我的租金哪天交？
我的电脑是什么牌子？
""".strip().split("\n")
NOT_OF_ONESELF = """
What is the capital of France?
What is Verona's population?
Who wrote Emma's theme song?
How do I book a hotel?
法国的首都是哪里？
怎么订酒店？
我的鞋码是42。
""".strip().split("\n")


def items(texts: Sequence[str] = NOTES, scores: Sequence[float] = ()) -> list[FoundItem]:
    found = [make_item(text, number=place) for place, text in enumerate(texts)]
    near = [PathRank(path="vector", rank=1, score=score) for score in scores]
    return [item.replace(ranks=(rank,)) for item, rank in zip(found, near, strict=True)] if near else found


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("asked", UNKNOWN)
def test_what_no_memory_speaks_of_is_untold(asked: str) -> None:
    assert lacks_answer(asked, items())


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("asked", KNOWN)
def test_what_a_memory_speaks_of_by_the_same_or_another_word_is_told(asked: str) -> None:
    assert not lacks_answer(asked, items())


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("asked", NOT_OF_ONESELF)
def test_of_what_is_no_fact_of_ones_own_nothing_is_said(asked: str) -> None:
    assert not lacks_answer(asked, items())
    assert not lacks_answer(asked, [])


def test_what_is_counted_may_be_told_one_by_one_by_other_names() -> None:
    assert not lacks_answer("How many pets do I have?", items())
    assert lacks_answer("How many pets do I have?", [])


def test_a_memory_that_stands_out_in_meaning_tells_it_in_other_words() -> None:
    asked = "When is our wedding?"
    assert lacks_answer(asked, items())
    assert lacks_answer(asked, items(scores=[0.2] * 12))
    assert not lacks_answer(asked, items(scores=[0.2, 0.6, *[0.2] * 10]))


@pytest.mark.parametrize(
    ("asked", "told", "others"),
    [
        ("What is my hamster called?", "我养了一只叫豆豆的仓鼠。", NOTES[:5]),
        ("我的仓鼠叫什么？", "My hamster is Dot.", NOTES[6:]),
    ],
)
def test_a_memory_in_another_language_tells_it_by_its_meaning_alone(
    asked: str, told: str, others: Sequence[str]
) -> None:
    near = items([told, *others], [0.48] + [0.2] * len(others))
    assert not lacks_answer(asked, near)
    assert lacks_answer(asked, items([told, *others], [0.35] + [0.2] * len(others)))
    assert not lacks_answer(asked, items([told] * 5, [0.35] + [0.2] * 4)), "nothing is in the language of the question"
    assert not lacks_answer(asked, near[:2]), "among a few none can stand out"
    assert lacks_answer(asked, items([others[0], told, *others[1:]], [0.35] + [0.2] * len(others)))


def test_what_was_only_asked_earlier_is_untold() -> None:
    asked = "What is my shoe size?"
    assert nothing_told(asked, items([*NOTES, asked]))
    assert nothing_told(asked, items([*NOTES, "Please tell me my shoe size."]))
    assert not nothing_told(asked, items([*NOTES, "My shoe size is 42."]))


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("budget", [None, 60, 100, 1000])
def test_the_statement_stands_behind_the_notes_and_counts_in_the_budget(budget: int | None) -> None:
    line = nothing_told("What is my shoe size?", items())
    told = inject("What is my shoe size?", items(), now=MAY, budget=budget, ending=line)
    assert told.text.endswith(f"\n{line}\n</memory>")
    assert told.text.count(line) == 1
    if budget is not None and told.tokens is not None:
        assert told.tokens <= budget
    assert told.record_ids or budget == 60
