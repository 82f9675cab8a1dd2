"""Questions for a sort of thing are answered by what was told of one of that sort, as long as it is one's own."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from remanent import Agent, aopen
from remanent.cognition.profile import CATEGORIES, asked_categories, tells_of_own
from remanent.model import GateReason
from tests.cognition.conftest import told

ASKED = [
    ("我有什么宠物？", "pet"),
    ("我养了什么？", "pet"),
    ("What pets do I have?", "pet"),
    ("Do I have any pets?", "pet"),
    ("What kind of pet do I have?", "pet"),
    ("我家有宠物吗", "pet"),
    ("我的宠物叫什么名字？", "pet"),
    ("我有兄弟姐妹吗？", "siblings"),
    ("How many siblings do I have?", "siblings"),
    ("Do I have any brothers or sisters?", "siblings"),
    ("我开什么车？", "vehicle"),
    ("我的车是什么牌子？", "vehicle"),
    ("What car do I drive?", "vehicle"),
    ("What kind of car do I have?", "vehicle"),
    ("我开的是什么车？", "vehicle"),
    ("我会什么乐器？", "instrument"),
    ("我会弹什么乐器", "instrument"),
    ("What instruments do I play?", "instrument"),
    ("Which musical instrument am I learning?", "instrument"),
    ("我有什么爱好？", "hobby"),
    ("我的爱好是什么", "hobby"),
    ("我的爱好有哪些？", "hobby"),
    ("我最喜欢的运动是什么？", "hobby"),
    ("What are my hobbies?", "hobby"),
    ("What do I do in my free time?", "hobby"),
    ("我平时做什么运动？", "hobby"),
    ("我对什么过敏？", "allergy"),
    ("我有什么忌口", "allergy"),
    ("Do I have any allergies?", "allergy"),
    ("What am I allergic to?", "allergy"),
    ("What can't I eat?", "allergy"),
    ("我的职业是什么？", "job"),
    ("我是做什么工作的", "job"),
    ("What's my profession?", "job"),
    ("What do I do for a living?", "job"),
    ("我有什么饮食禁忌？", "diet"),
    ("Do I have any dietary restrictions?", "diet"),
    ("What is my diet?", "diet"),
    ("我会说哪些语言？", "language"),
    ("What languages do I speak?", "language"),
    ("我有孩子吗", "children"),
    ("Do I have kids?", "children"),
    ("How many children do I have?", "children"),
    ("我结婚了吗", "partner"),
    ("Am I married?", "partner"),
    ("我有什么慢性病？", "health"),
    ("Do I have any health conditions?", "health"),
]
OF_OTHER_THINGS = [
    "我新买的运动鞋是什么颜色？",
    "我下属有什么爱好？",
    "我妹妹有什么宠物？",
    "Does my sister have any pets?",
    "What pets does my brother have?",
    "What did I tell the kids?",
    "我妈妈的爱好是什么",
    "What should I feed pets?",
    "我昨天把车停在哪里了",
    "When is my job interview?",
    "What is my sister's job?",
    "我的工作单位在哪个城市？",
    "Where did I park the car?",
    "What time do I have to pick up the kids?",
    "我同事开什么车？",
    "他有什么爱好？",
    "When did I sell my car?",
    "我妈对什么过敏？",
    "我女儿对什么过敏？",
    "我家猫对什么过敏？",
    "我养的猫对什么过敏？",
    "我认识的小王对什么过敏？",
    "我的孩子有什么过敏？",
    "我妈不能吃什么？",
    "我女儿养了什么？",
    "我前女友有什么宠物？",
    "我对象有兄弟姐妹吗？",
    "我女儿有孩子吗？",
    "我姐结婚了吗？",
    "我那个同事开什么车？",
    "我侄女会什么乐器？",
    "我爸有空做什么？",
    "我孙子有什么爱好？",
    "我妈吃素吗？",
    "我妈是做什么的？",
    "我媳妇会说什么语言？",
    "我的猫有什么病？",
    "What is my mothers job?",
    "What is my mom job?",
    "What is my ex allergy?",
    "What are my son's allergies?",
    "What allergies do I have to watch for my son?",
    "Which pets do I and my sister have?",
    "What instrument do I want my kids to play?",
    "Do I have my mother's car",
]
OWN = [
    ("pet", "我养了一只橘猫，叫团子。"),
    ("pet", "我家的狗昨天又拆家了"),
    ("pet", "去年领养了一只仓鼠"),
    ("pet", "My cat Momo knocked over the vase again."),
    ("pet", "We adopted two rescue greyhounds in May."),
    ("pet", "I've had a tortoise since I was ten."),
    ("siblings", "我哥哥在深圳上班"),
    ("siblings", "我有一个双胞胎妹妹"),
    ("siblings", "My older brother lives in Perth"),
    ("siblings", "I'm an only child"),
    ("vehicle", "我去年买了一辆比亚迪"),
    ("vehicle", "我开的是沃尔沃"),
    ("vehicle", "I drive a blue Volvo"),
    ("vehicle", "卡罗拉卖了，换了辆比亚迪"),
    ("vehicle", "我上个月把那辆丰田卖了"),
    ("vehicle", "Traded the Golf in for a Tesla"),
    ("vehicle", "We swapped our old van for a Skoda"),
    ("instrument", "我从小学古筝"),
    ("instrument", "我弹了十年钢琴"),
    ("instrument", "I took up the cello last winter"),
    ("instrument", "I've been playing the drums for years"),
    ("hobby", "周末我喜欢去爬山"),
    ("hobby", "我最近迷上了烘焙"),
    ("hobby", "I go climbing every Thursday"),
    ("hobby", "I'm really into pottery"),
    ("allergy", "我对花生过敏"),
    ("allergy", "我一吃虾就起疹子"),
    ("allergy", "我和我妈妈都对虾过敏"),
    ("allergy", "Peanuts make my throat swell."),
    ("allergy", "I'm allergic to penicillin"),
    ("diet", "我已经吃素三年了"),
    ("diet", "I've been vegan since college"),
    ("job", "我在医院当护士"),
    ("job", "我是一名小学老师"),
    ("job", "I work as a paramedic"),
    ("job", "I'm a high school teacher"),
    ("language", "我会说粤语和英语"),
    ("language", "I speak fluent Portuguese"),
    ("children", "我女儿上小学了"),
    ("children", "We have two sons"),
    ("health", "我有高血压"),
    ("health", "I was diagnosed with asthma"),
    ("partner", "我老婆做饭很好吃"),
    ("partner", "My husband snores"),
    ("partner", "我和小雨分手了"),
    ("partner", "我去年和前夫离婚了"),
]
NOT_OWN = [
    ("pet", "My sister's dog bit the postman."),
    ("pet", "我妹妹养了一只柯基"),
    ("pet", "I have a friend who has a parrot"),
    ("pet", "楼下有一只猫"),
    ("pet", "My neighbour got a husky"),
    ("pet", "I saw a dog in the park"),
    ("pet", "我朋友家的猫很可爱"),
    ("pet", "我去朋友家看了她养的猫"),
    ("siblings", "Her brother is ill"),
    ("siblings", "他姐姐来了"),
    ("vehicle", "My boss drives a Porsche"),
    ("vehicle", "我老板开宝马"),
    ("vehicle", "我爸的卡罗拉卖了，换了辆比亚迪"),
    ("vehicle", "小王的卡罗拉卖了，换了辆比亚迪"),
    ("vehicle", "我把爸的丰田卖了"),
    ("vehicle", "Tom traded the Golf in for a Tesla"),
    ("vehicle", "My brother traded his Golf in for a Tesla"),
    ("instrument", "My son plays the violin"),
    ("instrument", "我女儿在学小提琴"),
    ("hobby", "My wife loves gardening"),
    ("hobby", "我爸爱钓鱼"),
    ("allergy", "My sister is allergic to cats"),
    ("allergy", "我妹妹对花生过敏"),
    ("allergy", "我最好的朋友对花生过敏"),
    ("allergy", "我昨天才知道我妈对花生过敏"),
    ("diet", "My roommate is vegan"),
    ("job", "我老师说我进步了"),
    ("job", "I started seeing a therapist"),
    ("job", "I am seeing a doctor tomorrow"),
    ("job", "我爸是医生"),
    ("children", "我姐姐的儿子"),
    ("health", "My mum has diabetes"),
    ("partner", "My sister got married"),
    ("partner", "我跟小雨说小林分手了"),
    ("partner", "小雨和小林分手了"),
]
SORT = {one.name: one for one in CATEGORIES}


@pytest.mark.parametrize(("question", "name"), ASKED)
def test_a_question_for_a_sort_of_ones_own_is_known_by_its_form(question: str, name: str) -> None:
    assert SORT[name] in asked_categories(question)


@pytest.mark.parametrize("question", OF_OTHER_THINGS)
def test_what_is_asked_of_others_or_of_one_such_thing_is_no_such_question(question: str) -> None:
    assert asked_categories(question) == ()


@pytest.mark.parametrize(("name", "text"), OWN)
def test_what_is_ones_own_is_known_by_how_it_is_told(name: str, text: str) -> None:
    assert tells_of_own(text, SORT[name])


@pytest.mark.parametrize(("name", "text"), NOT_OWN)
def test_what_others_have_is_not_ones_own(name: str, text: str) -> None:
    assert not tells_of_own(text, SORT[name])


TALK = {
    "zh": ("今天{}的会议开得有点久", "帮我查一下{}的天气", "我想去{}玩几天", "{}的房价又涨了"),
    "en": (
        "The meeting in {} took long",
        "Can you check the weather in {}?",
        "I want to see {}",
        "Rents in {} went up",
    ),
}
TOLD = {
    "zh": (
        "我妹妹养了一只柯基。",
        "我养了一只橘猫，叫团子。",
        "我同事开保时捷。",
        "去年我买了一辆比亚迪。",
        "我从小学古筝。",
    ),
    "en": (
        "My sister's dog bit the postman.",
        "My cat Momo broke a vase.",
        "My boss drives a Porsche.",
        "I drive a Volvo.",
    ),
}
PLACES = "Paris Rome Oslo Lima Bonn Cork Bath Nice Metz Pisa Gent Linz Brno Lodz Cluj".split()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Agent]]:
    """An agent of each language that was told much, and something of its user's own in the midst of it."""
    with ExitStack() as opened:
        agents = {}
        for language, forms in TALK.items():
            talk = [form.format(place) for form in forms for place in PLACES]
            messages = [{"role": "user", "content": text} for text in [*talk[:30], *TOLD[language], *talk[30:]]]
            agents[language] = opened.enter_context(told(tmp_path_factory.mktemp(language), messages))
        yield agents


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("zh", "我有什么宠物？", "橘猫"),
        ("zh", "我开什么车？", "比亚迪"),
        ("zh", "我会什么乐器？", "古筝"),
        ("zh", "Do I have any pets?", "橘猫"),
        ("en", "What pets do I have?", "Momo"),
        ("en", "What car do I have?", "Volvo"),
        ("en", "我有什么宠物？", "Momo"),
    ],
)
def test_among_many_messages_ones_own_comes_first(
    many: dict[str, Agent], language: str, question: str, answer: str
) -> None:
    found = many[language].recall(question)
    assert answer in found.items[0].text
    assert found.gate is not None
    assert found.gate.reason is GateReason.KNOWN


async def test_neither_what_another_user_has_nor_what_the_assistant_said_is_the_users_own(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        agent = memory.agent("x")
        await agent.remember("I have a parrot called Rio.", user="bob")
        await agent.remember([{"role": "assistant", "content": "I have a hamster in this story."}], user="ada")
        await agent.remember("My cat is called Momo.", user="ada")
        await agent.remember("We got a tortoise as well.", user="ada")
        await memory.settle()
        found = await agent.recall("What pets do I have?", user="ada")
        assert ["tortoise" in found.items[0].text, "Momo" in found.items[1].text] == [True, True], "the newest first"
        assert "Rio" not in found.text


def test_what_is_asked_of_ones_mother_is_not_answered_by_ones_own(tmp_path: Path) -> None:
    with told(tmp_path, "我妈对青霉素过敏。", "我对虾过敏。") as agent:
        assert "青霉素" in agent.recall("我妈对什么过敏？").items[0].text
        assert "虾" in agent.recall("我对什么过敏？").items[0].text


@pytest.mark.parametrize(
    ("before", "now", "question"),
    [
        ("我开的是丰田卡罗拉。", "卡罗拉卖了，换了辆比亚迪。", "我开什么车？"),
        ("I drive a blue Volvo.", "Traded the Volvo in for a Tesla.", "What car do I drive?"),
        ("我女朋友叫小雨。", "我和小雨分手了。", "我有对象吗？"),
    ],
)
def test_what_took_the_place_of_a_thing_comes_before_it(tmp_path: Path, before: str, now: str, question: str) -> None:
    with told(tmp_path, before, now) as agent:
        assert [item.text for item in agent.recall(question).items[:2]] == [now, before]
