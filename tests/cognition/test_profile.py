"""What users told of themselves is found by asking for it, although question and answer share no word."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from remanent import Agent, RecallOptions, aopen
from remanent.cognition.profile import asked_attributes
from tests.cognition.conftest import told

CHINESE = (
    "我叫李雷，在杭州做后端开发。",
    "我家的猫叫豆包。",
    "今天天气不错，我去跑步了。",
    "我对花生过敏。",
    "我妈妈的生日是三月五号。",
    "我住在上海浦东。",
    "我今年32岁。",
    "我的手机号是13800001111。",
)
ENGLISH = (
    "My name is Jonas and I work as a nurse in Bergen.",
    "Our cat is called Biscuit.",
    "I am allergic to peanuts.",
    "My mother's birthday is on the fifth of March.",
    "I live in a small flat by the harbour.",
    "I drive a blue Volvo.",
)
ASKED = [
    ("zh", "我叫什么名字？", "李雷"),
    ("zh", "我的名字是什么", "李雷"),
    ("zh", "我是谁？", "李雷"),
    ("zh", "What's my name?", "李雷"),
    ("zh", "我现在住在哪里？", "上海"),
    ("zh", "我多大了？", "32"),
    ("zh", "我的电话是多少？", "13800001111"),
    ("en", "Who am I?", "Jonas"),
    ("en", "What am I called?", "Jonas"),
    ("en", "What do I do for a living?", "nurse"),
    ("en", "Where do I live?", "harbour"),
]


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Agent]]:
    """An agent of each language whose user has told of themselves."""
    with (
        told(tmp_path_factory.mktemp("zh"), *CHINESE, embedder="auto") as chinese,
        told(tmp_path_factory.mktemp("en"), *ENGLISH, embedder="auto") as english,
    ):
        yield {"zh": chinese, "en": english}


@pytest.mark.parametrize(("language", "question", "answer"), ASKED, ids=[question for _, question, _ in ASKED])
def test_what_a_user_is_comes_first_when_asked_for(
    users: dict[str, Agent], language: str, question: str, answer: str
) -> None:
    found = users[language].recall(question)
    assert answer in found.items[0].text, [item.text for item in found.items]


async def test_the_newest_value_answers_and_no_other_users(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        agent = memory.agent("x")
        for user, city in (("ada", "Lisbon"), ("bob", "Oslo"), ("ada", "Porto")):
            await agent.remember(f"I live in {city}.", user=user)
            await agent.remember("The weather was fine and nothing happened.", user=user)
            await memory.settle()
        found = await agent.recall("Where am I living now?", user="ada")
        assert "Porto" in found.items[0].text
        assert "Oslo" not in found.text


@pytest.mark.parametrize(
    ("before", "now", "question", "place"),
    [
        (
            "我住在西湖区文三路的一个老小区。",
            "我们搬家了，从文三路搬到了滨江区，离公司近多了。",
            "我住在哪里？",
            "滨江区",
        ),
        ("我住在北京。", "我们上周从北京搬到了成都", "我住在哪里？", "成都"),
        ("我在腾讯上班。", "我从腾讯跳槽到了字节", "我在哪里上班？", "字节"),
    ],
)
async def test_who_moved_from_there_no_longer_lives_or_works_there(
    tmp_path: Path, before: str, now: str, question: str, place: str
) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        agent = memory.agent("x")
        for text in (before, now):
            await agent.remember(text)
            await memory.settle()
        assert (await agent.recall(question)).items[0].text == now
        (known,) = await agent.cognition.memories(kinds=["semantic"])
        assert place in known.content


async def test_a_filter_that_leaves_the_turn_out_is_kept(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        agent = memory.agent("x")
        await agent.remember("My name is Jonas.", tags=["private"])
        await agent.remember("I am glad that who I am does not matter here.", tags=["work"])
        await memory.settle()
        entries = await agent.entries()
        assert "Jonas" not in (await agent.recall("Who am I?", tags=["work"])).text
        before = entries[0].recorded_at - timedelta(days=1)
        assert not (await agent.recall("Who am I?", options=RecallOptions(as_of=before))).items


@pytest.mark.parametrize(
    "question",
    [
        "What is my mother's name?",
        "我妈妈叫什么？",
        "我的猫叫什么名字？",
        "Who was Ada Lovelace?",
        "What is the name of my street?",
        "她住在哪里？",
        "我妈叫什么名字？",
        "我女儿住在哪里？",
        "我妈和我住在哪里？",
        "我爸在哪上班？",
        "Where does my sister live?",
        "What is my mother's job?",
        "What company do I think my mother works for?",
        "What is my company's address?",
        "我应该住在哪里比较好，你能给我一些关于城市、房价、交通、学校和天气的建议吗？我想要一个安静又方便、离公司不远、离公园很近的地方，价格也要合适。",
    ],
)
def test_what_is_asked_of_others_is_not_looked_up(question: str) -> None:
    assert asked_attributes(question) == ()
