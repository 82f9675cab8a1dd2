import pytest

from remanent.language.offline.questions import (
    AnswerType,
    answer_type,
    is_question,
    keyword_form,
    may_answer,
    statement_form,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where does Ada live?", AnswerType.PLACE),
        ("When did Tom join the company?", AnswerType.TIME),
        ("How many guests are expected?", AnswerType.NUMBER),
        ("Who leads the project?", AnswerType.PERSON),
        ("Why did the build fail?", AnswerType.REASON),
        ("How do I reset my password?", AnswerType.WAY),
        ("Is the server running?", AnswerType.WHETHER),
        ("What does she like?", AnswerType.THING),
        ("小王住在哪里？", AnswerType.PLACE),
        ("会议是什么时候？", AnswerType.TIME),
        ("预算是多少？", AnswerType.NUMBER),
        ("谁负责这个项目？", AnswerType.PERSON),
        ("为什么失败了？", AnswerType.REASON),
        ("怎么重置密码？", AnswerType.WAY),
        ("他喜欢吃辣吗？", AnswerType.WHETHER),
    ],
)
def test_a_question_says_what_sort_of_answer_it_wants(question: str, kind: AnswerType) -> None:
    assert answer_type(question) is kind
    assert is_question(question)


@pytest.mark.parametrize("text", ["Ada lives in Lisbon.", "The deadline is Friday.", "小王住在上海。", "我不知道。"])
def test_a_statement_asks_nothing(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What is the capital of France?", "The capital of France"),
        ("How many guests are expected at the wedding?", "Guests are expected at the wedding"),
        ("How do I reset my password?", "I reset my password"),
        ("Can you tell me who leads the project?", "Leads the project"),
        ("项目的预算是多少？", "项目的预算是"),
        ("为什么服务器宕机了？", "服务器宕机了"),
        ("怎么重置密码？", "重置密码"),
        ("小王住在哪里？", "小王住在"),
        ("他喜欢吃辣吗？", "他喜欢吃辣"),
    ],
)
def test_a_question_becomes_the_beginning_of_its_answer(question: str, statement: str) -> None:
    assert statement_form(question) == statement


def test_keywords_are_the_words_that_carry_a_question_in_their_order() -> None:
    assert keyword_form("Where did Ada's brother buy the red bike?") == "Ada's brother buy red bike"
    assert keyword_form("小王在哪里买的自行车？") == "小王 买 自行车"
    assert keyword_form("the of and") == ""


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("What time is breakfast?", "Breakfast is free of charge.", False),
        ("What time is breakfast?", "Breakfast begins at seven.", True),
        ("早餐是几点？", "早餐免费。", False),
        ("早餐是几点？", "早餐七点开始。", True),
        ("How much is breakfast?", "Breakfast is from 7 to 10.", False),
        ("How much is breakfast?", "Breakfast is free of charge.", True),
        ("How many eggs are in it?", "3. Add the eggs.", False),
        ("How many eggs are in it?", "Add two eggs.", True),
        ("How many people fit in?", "Forty people fit in.", True),
        ("How long does it take?", "It takes an hour.", True),
        ("年假有几天？", "年假须提前申请。", False),
        ("年假有几天？", "年假为十天。", True),
        ("When was it built?", "It was built of stone.", False),
        ("When was it built?", "It was built after the war.", True),
        ("When was the singer of the album of 1979 born?", "She recorded the album of 1979.", False),
        ("Which city was the band formed in when they met?", "It was Brooklyn, New York.", True),
        ("Who approves leave?", "The manager approves it.", True),
    ],
)
def test_a_sentence_gives_what_is_asked_for_or_not(question: str, sentence: str, *, expected: bool) -> None:
    assert may_answer(question, sentence) is expected
