"""What has changed comes before what was, and a change of something else moves nothing."""

from pathlib import Path

import pytest

import remanent
from remanent.memory import AsyncAgent
from remanent.model import RecallOptions
from remanent.stores.conformance.base import SetClock
from tests.cognition.conftest import told as told_in_turn

CHANGES = """We deploy on Fridays.|From now on we deploy on Tuesdays.|When do we deploy?
The deadline is Feb 20.|The deadline was pushed to March 3.|When is the deadline?
My rent is $1,500.|My landlord raised the rent to $1,650.|How much is my rent?
I study French at the college.|I dropped French at the college for Spanish.|What do I study at the college?
Tom leads the backend team.|Tom left, Priya leads the backend team now.|Who leads the backend team?
My flight leaves at 6 am.|They rescheduled my flight to 9 am.|When does my flight leave?
My phone number is 555-0134.|My new number is 555-0199.|What's my phone number?
My cat is called Miso.|Miso died.|How is my cat?
My girlfriend is Hannah.|We broke up.|Who is my girlfriend?
我的手机是华为Mate60。|我的手机换成了小米15。|我的手机是什么？
我每天早上喝咖啡。|我改喝红茶了。|我早上喝什么？
我住在北京。|我刚从北京搬到成都。|我住在哪里？
我们周五上线。|从今以后我们周二上线。|我们什么时候上线？
项目截止日期是2月20日。|截止日期推迟到3月3日了。|项目截止日期是哪天？
房租每月4500。|房东把房租涨到5000了。|我的房租是多少？
我坐地铁上班。|我现在骑车上班了，不坐地铁了。|我怎么上班？
我家猫叫年糕。|年糕上周去世了。|我家的猫怎么样了？
我女朋友叫林悦。|我和林悦分手了。|我女朋友是谁？
我订了12月3号去成都的机票。|去成都的机票退了，公司不批假。|我什么时候去成都？
我买了周六去北京的高铁票。|去北京的高铁票退了，会议改线上了。|我什么时候去北京？
三亚的酒店订在10月2号。|三亚的酒店取消了，孩子发烧。|三亚的酒店订在什么时候？
The flight to Chengdu is on December 3.|The flight to Chengdu got refunded.|When is the flight to Chengdu?"""
LONG = (
    "I came back from the lake and changed my mind on running shoes to something for races, so could you make a "
    "list with weight and price? I have read reviews for weeks, and every shop tells me something else about soles."
)
BESIDE = ("I met Sam at the station.", "The weather in Bern was fine.", "我昨天见了小王。", "今天天气不错。")


async def told(ada: AsyncAgent, clock: SetClock, *texts: str) -> None:
    for text in texts:
        await ada.remember(text)
        clock.advance(seconds=600)
    await ada.settle()


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", CHANGES.split("\n"))
async def test_what_has_changed_comes_before_what_was_and_that_stays_readable(
    ada: AsyncAgent, clock: SetClock, line: str
) -> None:
    old, new, question = line.split("|")
    await told(ada, clock, BESIDE[0], old)
    then = clock()
    await told(ada, clock, *BESIDE[1:], new)
    ranked = sorted((await ada.recall(question)).items, key=lambda item: item.rank)
    texts = [item.sources[0].text for item in ranked]
    assert texts[0] == new
    assert old in texts
    before = await ada.recall(question, options=RecallOptions(as_of=then))
    assert [item.text for item in before.items][:1] == [old]


@pytest.mark.parametrize(
    "line",
    [
        "I bought a silver necklace for my sister.|My sister switched to vegan food.|Which necklace did I buy?",
        "My rent is $1,500.|They moved the bus stop to Main Street.|How much is my rent?",
        "We deployed the shop on Fridays.|From now on we deploy on Tuesdays.|When did we originally deploy?",
        f"My favorite running shoes are red Nikes.|{LONG}|What brand are my favorite running shoes?",
        "I moved into the new flat in March.|Mum's moved into a bungalow.|When did I move into the flat?",
        "我三月搬进了新公寓。|妈妈搬到了奥特利的平房。|我什么时候搬进公寓的？",
        "我住在北京。|我把闹钟改到七点了。|我住在哪里？",
        "我的手机是华为Mate60。|我同事换了工作。|我的手机是什么？",
        "房东通知房租从5200涨到5800，下个月起算。|搬家的事黄了，独墅湖那个房子没谈拢，今年不搬了。|房租现在多少钱？",
        "我体重85公斤。|我爸现在72公斤了。|我体重多少？",
        "我最爱喝冰美式。|今天不喝冰美式了，太冷。|我喜欢喝什么？",
        "我们用石墨文档写方案。|客户说他们从石墨换到语雀了。|我们用什么写方案？",
        "I weigh 85 kg.|My dad is down to 72 kg now.|How much do I weigh?",
    ],
)
async def test_a_change_of_something_else_moves_nothing(ada: AsyncAgent, clock: SetClock, line: str) -> None:
    holds, other, question = line.split("|")
    await told(ada, clock, holds, *BESIDE, other)
    assert [item.text for item in (await ada.recall(question)).items][:1] == [holds]


NEWEST_FIGURES = [
    (
        "The response time of the dashboard is 300 ms.",
        "Today the response time of the dashboard is 250 ms.",
        "What is the response time of the dashboard?",
    ),
    (
        "The deadline of the first sprint for the layout is April 1.",
        "I note that the deadline of the first sprint for the layout is April 5.",
        "What is the deadline of the first sprint for the layout?",
    ),
    (
        "On the first floor we keep 12 boxes of my old books in the shed.",
        "On the first floor we keep 19 boxes of my old books in the shed.",
        "How many boxes of books do I keep on the first floor?",
    ),
    ("看板接口的响应时间是300毫秒。", "看板接口的响应时间是250毫秒。", "看板接口的响应时间是多少？"),
    ("这个项目的预算是八十万。", "这个项目的预算是一百万。", "项目的预算是多少？"),
]
ONLY_NEWER = [
    (
        "I integrated Flask-Login for the sessions of my project.",
        "I read about Flask-Login for the sessions of my project.",
        "Have I integrated Flask-Login for the sessions of my project?",
    ),
    (
        "I want my CV in the European format with a photo.",
        "I sent my CV in the European format to Greg.",
        "How should I format my CV in the European format with a photo?",
    ),
    (
        "我三角形的测验做完了，圆的测验也做完了。",
        "我在看三角形的测验和圆的测验。",
        "我做完三角形的测验和圆的测验了吗？",
    ),
    ("我卖吉他和学琴之间隔了二十天。", "我的吉他卖了，在学琴。", "我卖吉他和学琴之间隔了几天？"),
]


@pytest.mark.parametrize(("old", "new", "question"), NEWEST_FIGURES)
async def test_the_newest_figure_comes_first_whoever_it_is_of(
    ada: AsyncAgent, clock: SetClock, old: str, new: str, question: str
) -> None:
    await told(ada, clock, BESIDE[0], old, *BESIDE[1:], new)
    assert [item.sources[0].text for item in (await ada.recall(question)).items][:1] == [new]


@pytest.mark.parametrize(("holds", "other", "question"), ONLY_NEWER)
async def test_what_only_shares_the_words_does_not_come_first_for_being_newer(
    ada: AsyncAgent, clock: SetClock, holds: str, other: str, question: str
) -> None:
    await told(ada, clock, holds, *BESIDE, other)
    assert [item.sources[0].text for item in (await ada.recall(question)).items][:1] == [holds]


async def test_who_somebody_was_is_over_when_they_die_and_nothing_else(ada: AsyncAgent, clock: SetClock) -> None:
    await told(ada, clock, "My cat is called Miso.", "My dog is called Rex.", "I like walking with Rex.", "Miso died.")
    held = {record.content for record in await ada.cognition.memories()}
    assert held == {"Miso died", "The user's dog is called Rex", "The user likes walking with Rex"}


async def test_what_happened_is_told_with_its_day(ada: AsyncAgent, clock: SetClock) -> None:
    await told(ada, clock, "Yesterday I ran 5 km in the park.", "我上周去参加了半程马拉松比赛。")
    held = {record.content for record in await ada.cognition.memories()}
    assert "Yesterday [2026-01-04] the user ran 5 km in the park" in held
    assert "用户上周[2025-12-29 – 2026-01-04]去参加了半程马拉松比赛" in held


async def test_that_somebody_moved_does_not_end_that_they_resigned(ada: AsyncAgent, clock: SetClock) -> None:
    await told(ada, clock, "我们搬家了。", "我辞职了。")
    assert {record.content for record in await ada.cognition.memories()} == {"用户等人搬家了", "用户辞职了"}
    assert (await ada.recall("我搬家了吗？")).items[0].text == "我们搬家了。"


def test_what_is_over_stands_behind_what_is_asked_for_where_it_is_of_something_else(tmp_path: Path) -> None:
    told_before = ("I am allergic to shellfish.", "My dog's name is Biscuit.", "I'm learning Spanish.")
    over = ("Biscuit passed away yesterday.", "I gave up on Spanish.")
    beside = ("My favorite color is green.", "I have a gym membership at Equinox.", "I use Vim as my editor.")
    with told_in_turn(tmp_path, *told_before, *beside, *over, embedder="auto") as agent:
        found = [item.text for item in agent.recall("What am I allergic to?", limit=3).items]
        assert found[0] == told_before[0]
        assert not set(found) & {*over, *told_before[1:]}, "what was so of other things brings its end along"
        found = [item.text for item in agent.recall("What's my dog's name?", limit=3).items]
        assert found[:2] == [over[0], told_before[1]]


def test_a_span_of_time_is_no_matter_that_two_turns_share(tmp_path: Path) -> None:
    job = "我跳槽了，下个月去阿里上班。"
    with told_in_turn(tmp_path, "我每天抽一包烟。", job, "我戒烟三个月了。", embedder="auto") as agent:
        assert agent.recall("我在哪里上班？").items[0].text == job


@pytest.mark.parametrize(
    ("before", "now", "question"),
    [
        ("I live in Rome.", "I've moved to Oslo.", "Where do I live?"),
        ("我住在成都。", "我搬到上海了。", "我住在哪里？"),
        ("My favourite tea is oolong.", "My favourite tea is rooibos now.", "What is my favourite tea?"),
    ],
)
def test_a_clock_that_went_ahead_does_not_win_for_ever(tmp_path: Path, before: str, now: str, question: str) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([{"role": "user", "content": before, "occurred_at": "2131-01-01T00:00:00Z"}])
        ada.remember(now)
        memory.settle()
        found = ada.recall(question)
        assert next(item.text for item in found.items if item.kind == "turn") == now
        (fact,) = [record for record in ada.records() if record.kind == "semantic"]
        assert fact.version > 1


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("of_this", "of_that", "question"),
    [
        (
            "The maths resit is on the 22nd, French on the 25th.",
            "They moved biology to the 26th.",
            "When is the maths resit?",
        ),
        ("My shift begins at 7am on weekdays.", "They moved the gym class to 9am.", "When does my shift begin?"),
        (
            "The crate of apples weighs 12kg.",
            "I changed the dog's food to a 3kg bag.",
            "How heavy is the crate of apples?",
        ),
        ("高数补考8月22日，周一出成绩。", "生日会改到8月26日了。", "高数补考是哪天？"),
    ],
)
async def test_another_day_or_measure_is_not_a_change_of_the_one_that_is_asked_for(
    ada: AsyncAgent, clock: SetClock, of_this: str, of_that: str, question: str
) -> None:
    await told(ada, clock, of_this, of_that)
    assert (await ada.recall(question)).items[0].text == of_this


def test_what_newer_words_let_doubt_is_not_put_behind_them_where_something_else_is_asked(tmp_path: Path) -> None:
    """The boss has left; the hospital that was named in the same breath stands where it stood."""
    said = """2026-01-05 user: Hi! I'm Tessa, I just started as a nurse at St. Mary's hospital in Leeds.
        2026-01-05 assistant: Congratulations Tessa! How is the new job going?
        2026-01-05 user: Pretty hectic, night shifts mostly. My boss is called Harriet, she's strict but fair.
        2026-01-06 user: My brother Owen is getting married in July.
        2026-02-02 user: Signed for the flat, moving in on the 1st of March.
        2026-04-01 user: Harriet left, the new ward manager is someone called Femi.
        2026-06-15 user: I started climbing with Jo from work on Thursdays.
        2026-07-08 user: The dentist wants me back in six months."""
    turns = [line.strip().split(" ", 2) for line in said.splitlines()]
    with remanent.open(tmp_path) as memory:
        ada = memory.agent("ada")
        ada.remember(
            [
                {"role": role.strip(":"), "content": text, "occurred_at": f"{day}T09:00:00+00:00"}
                for day, role, text in turns
            ],
            session="chat",
        )
        memory.settle()
        items = ada.recall("Where do I work?", options=RecallOptions(gate=False)).items
    place = next(at for at, item in enumerate(items) if "St. Mary's" in item.text)
    assert items[place].stale, "the boss who is named there has left"
    assert place < next(at for at, item in enumerate(items) if item.text.startswith("Harriet left"))
    assert place < 3
