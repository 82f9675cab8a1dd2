"""The gate: what nothing here answers gets an empty answer, what something answers does not."""

import random
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanent
from remanent import Agent
from remanent.memory import aopen
from remanent.model import GateReason, GateVerdict, RecallOptions
from remanent.recall.answerability import is_vague
from remanent.recall.calibration import own_questions, strangers, threshold_of
from remanent.recall.gate import (
    BOUNDS,
    GATE,
    MIN_RECORDS,
    Gate,
    KnownTerms,
    Nearness,
    QuestionTerms,
    TermMatch,
    TermsOfRecords,
    best_coverage,
    informative_terms,
    is_common,
    lenience,
    rarity,
    read_measures,
    strength,
    without_unsure,
)
from remanent.recall.indexing import turn_of
from remanent.recall.question import READ_ON_THE_LOOP
from remanent.stores import JobQuery, Store, TermCounts
from remanent.text.dates import TimeMention, find_dates
from remanent.text.scripts import working_language
from remanent.text.terms import index_terms
from remanent.text.words import CHINESE_STOP_WORDS, COMMON_ENGLISH, ENGLISH_STOP_WORDS, stem

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def terms_of(*words: str, known: KnownTerms | None = None) -> TermsOfRecords:
    """Return what reads records for a question of these words, each of which one record holds."""
    return TermsOfRecords(QuestionTerms(words), TermCounts(100, dict.fromkeys(words, 1)), known)


def covered(question: str, *texts: str) -> TermMatch:
    return best_coverage(informative_terms(question), {}, [frozenset(index_terms(text)) for text in texts], records=100)


def test_a_question_is_covered_as_far_as_one_text_names_what_it_asks_for() -> None:
    assert covered("green tea", "Green tea is best.").coverage == 1
    assert covered("green tea", "Tea is best.", "Green it is.").coverage == 0.5
    assert covered("绿茶多少钱一斤", "绿茶多少钱一斤都行").coverage == 1
    assert covered("green tea", "Coffee is best.", "我喜欢咖啡").coverage == 0


@pytest.mark.parametrize(
    ("question", "terms"),
    [("我的猫叫什么？", ("猫",)), ("车在哪里？", ("车",)), ("橘猫叫什么？", ("橘猫",))],
)
def test_what_is_asked_of_is_told_apart_from_the_word_that_asks(question: str, terms: tuple[str, ...]) -> None:
    assert informative_terms(question).terms == terms
    assert "猫叫" in informative_terms("我的猫叫声很大").terms


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    holding = {"tea": 80, "samovar": 1}
    question = informative_terms("tea samovar")
    common = best_coverage(question, holding, [{"tea"}], records=100).coverage
    rare = best_coverage(question, holding, [{"samovar"}], records=100).coverage
    assert rare > 4 * common


def test_a_term_that_few_records_hold_and_few_people_use_is_rare() -> None:
    def rare(question: str, text: str, *, holding: int, records: int = 300) -> bool:
        wanted = informative_terms(question)
        counts = dict.fromkeys(wanted.terms, holding)
        return best_coverage(wanted, counts, [frozenset(index_terms(text))], records=records).rare

    assert rare("萱侬律占地多少？", "萱侬律是一座岛屿。", holding=1)
    assert rare("蓍分布在哪些地区？", "蓍是菊科的植物。", holding=1), "one sign that hardly any word has is a name"
    assert not rare("猫分布在哪些地区？", "猫是动物。", holding=1), "any other is a part of words"
    assert rare("Who are the Quorbits?", "Quorbits", holding=3)
    assert not rare("Who are the Quorbits?", "Quorbits", holding=4)
    assert not rare("Who are the Quorbits?", "Quorbits", holding=1, records=40)
    assert not rare("Who are the Quorbits?", "Nobody", holding=1)
    assert not rare("Where is the house?", "the house", holding=1)
    assert not rare("pali sebasu kefofel bevanlel gorlezopi narimu?", "Pali lies by the sea.", holding=1)


def test_of_a_long_message_the_best_covered_sentence_counts() -> None:
    question = "It was raining all day and the bus never came. What was the booking code of the flight?"
    assert covered(question, "The booking code of the flight is QX7K2M.").coverage == 1


def test_a_date_counts_for_little_because_memories_do_not_repeat_when_they_were_made() -> None:
    question, text = (
        "What did James decide in October 2022?",
        frozenset(index_terms("James and Samantha decided to adopt a dog.")),
    )
    with_date = best_coverage(
        informative_terms(question, dates=find_dates(question, reference=NOW)), {}, [text], records=100
    )
    without = best_coverage(informative_terms(question), {}, [text], records=100)
    assert with_date.coverage > without.coverage


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "What happened yesterday?",
        "where does she live?",
        "我们上次聊了什么？",
        "她住在哪里？",
    ],
)
def test_a_question_that_names_nothing_is_vague(question: str) -> None:
    assert informative_terms(question, dates=find_dates(question, reference=NOW)).vague


@pytest.mark.parametrize("question", ["Where is Lisbon?", "量子计算机怎样纠错？", "zxcv qwer", "velvet hammer"])
def test_a_question_that_names_something_is_not_vague(question: str) -> None:
    assert not informative_terms(question, dates=find_dates(question, reference=NOW)).vague


@pytest.mark.parametrize("question", ["她不能吃什么？", "who tests?", "What can she eat?"])
def test_a_question_of_two_common_words_is_plain(question: str) -> None:
    assert informative_terms(question).plain


@pytest.mark.parametrize(
    "question", ["小孩有什么不能吃的？", "我现在怎么锻炼身体？", "Who attaches the handles to the cups?"]
)
def test_a_question_in_words_that_people_say_in_others_is_everyday(question: str) -> None:
    assert informative_terms(question).everyday


@pytest.mark.parametrize(
    "question", ["哪种釉料在还原焰里烧成铜红？", "velvet hammer compass", "zxcv", "硫酸的化学式", "？"]
)
def test_a_question_that_names_a_thing_of_its_own_is_not_everyday(question: str) -> None:
    assert not informative_terms(question).everyday


@pytest.mark.parametrize("question", ["哪种釉料在还原焰里烧成铜红？", "bottle turtle mirror", "zxcv", "硫酸的化学式"])
def test_a_question_of_rare_or_many_words_is_not_plain(question: str) -> None:
    assert not informative_terms(question).plain


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_rarity_is_positive_and_falls_with_every_record_that_holds_the_word(records: int, holding: int) -> None:
    holding = min(holding, records)
    assert rarity(holding, records=records) > 0
    assert rarity(holding, records=records) > rarity(holding + 1, records=records + 1) - 1e-9 or holding == 0


@settings(deadline=None)
@given(question=st.text(max_size=60), texts=st.lists(st.text(max_size=60), max_size=4), records=st.integers(0, 10**6))
def test_coverage_is_a_share_and_more_texts_never_cover_less(question: str, texts: list[str], records: int) -> None:
    wanted = informative_terms(question)
    terms = [frozenset(index_terms(text)) for text in texts]
    one = best_coverage(wanted, {}, terms, records=records)
    more = best_coverage(wanted, {}, [*terms, frozenset(wanted.terms)], records=records)
    assert 0 <= one.coverage <= more.coverage <= 1 + 1e-9
    assert 0 <= one.matched <= more.matched


@settings(deadline=None)
@given(
    coverage=st.floats(0, 1),
    matched=st.floats(0, 100),
    near=st.lists(st.floats(-50, 50), max_size=3),
    more=st.floats(0, 10),
)
def test_more_evidence_never_speaks_against_an_answer(
    coverage: float, matched: float, near: list[float], more: float
) -> None:
    base = strength(TermMatch(coverage, matched), near)
    assert strength(TermMatch(min(1, coverage + more), matched), near) >= base
    assert strength(TermMatch(coverage, matched + more), near) >= base
    assert strength(TermMatch(coverage, matched), [value + more for value in near]) >= base - 1e-9


TOLD = """
I have decided: in May I am moving from Berlin to Lisbon.
The lease here in Berlin ends on 30 April.
I booked the flight with TAP; my booking code is QX7K2M.
The airline lets you take two pieces of luggage.
The movers want 1,840 euros, and I paid half of it today.
I have arrived! The flat is on Rua da Rosa, third floor.
By the way, peanuts make me ill, so no satay for me, please.
My sister Clara visits from the 12th to the 15th of June.
I have found a climbing gym near the river, I go on Thursdays.
The neighbour upstairs plays the cello until midnight. Lovely.
I adopted a grey cat, and her name is Misty.
The dentist is on Avenida da Liberdade, next to the bakery.
My Portuguese teacher is called Beatriz.
I sold my old bicycle to a colleague for 90 euros.
今天的周会：新版本原定六月三日发布。
王芳负责前端，李雷负责后端，测试由韩梅梅来做。
每周一早上九点提醒大家更新进度。
数据库讨论了很久，最后决定用关系型数据库。
理由是事务可靠，而且运维同事都熟悉。
支付接口的联调卡住了，对方要到五月中旬才给测试账号。
因此发布日期推迟到六月二十四日。
客户希望界面支持深色模式，排进下一个版本。
服务器预算每月不超过八千元，超出要先找财务审批。
团建定在六月最后一个周末，去青岛看海。
奶奶的红烧肉要用冰糖和黄酒，小火炖两个小时。
我的驾照明年三月到期。
""".strip().split("\n")

ANSWERED = {
    "What is my booking code for the flight?": "QX7K2M",
    "How much do the movers cost?": "1,840",
    "When does my sister Clara visit?": "Clara",
    "What instrument does the neighbour play?": "cello",
    "What is the name of my cat?": "Misty",
    "Who is my Portuguese teacher?": "Beatriz",
    "谁负责前端？": "王芳",
    "发布日期推迟到什么时候？": "二十四日",
    "服务器的预算是多少？": "八千",
    "团建去哪里？": "青岛",
    "红烧肉怎么做？": "冰糖",
    "驾照什么时候到期？": "三月",
    # No word of it was told: 老人 is the grandmother.
    "老人做肉放什么？": "冰糖",
}
STRANGE = """
What is the capital of Burkina Faso?
How do quantum computers correct errors?
Explain the Treaty of Westphalia.
What is the wingspan of an albatross?
How does a nuclear submarine produce oxygen?
tiu ezhphiiu sajofckve gdwt
bottle turtle magnet violet
marble hammer velvet thunder compass
布基纳法索的首都是哪里？
量子计算机怎样纠错？
硫酸的化学式怎么写？
哪颗行星的引力最强？
礻萄譴舻暣庖酦
桌子雷声羽毛磁铁
""".strip().split("\n")


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with remanent.open(tmp_path_factory.mktemp("home"), embedder="multilingual") as memory:
        agent = memory.agent("ada")
        agent.remember(TOLD)
        memory.settle()
        yield agent


@pytest.mark.parametrize("question", ANSWERED)
def test_what_is_answered_here_passes(ada: Agent, question: str) -> None:
    found = ada.recall(question)
    assert found.gate is not None
    assert found.gate.passed
    assert ANSWERED[question] in found.text


@pytest.mark.parametrize("question", STRANGE)
def test_what_nothing_here_answers_gets_an_empty_answer_that_says_why(ada: Agent, question: str) -> None:
    found = ada.recall(question)
    assert found.items == ()
    assert found.text == ""
    assert found.gate is not None
    assert found.gate.reason is GateReason.STRANGE
    assert found.gate.score < found.gate.threshold
    assert found.gate.measured


def test_the_gate_can_be_left_open_for_one_question(ada: Agent) -> None:
    found = ada.recall(STRANGE[0], options=RecallOptions(gate=False))
    assert found.items
    assert found.gate is None


def test_a_question_without_a_word_is_answered_by_nothing(ada: Agent) -> None:
    found = ada.recall("?!…")
    assert found.items == ()
    assert found.gate is not None
    assert found.gate.reason in {GateReason.WORDLESS, GateReason.EMPTY}


def test_whoever_was_told_nothing_gets_a_verdict_as_everybody_does(tmp_path: Path) -> None:
    """Code that reads the verdict broke on the first question of each new user."""
    with remanent.open(tmp_path, embedder="none") as memory:
        agent = memory.agent("ada")
        agent.remember("My rabbit is called Misty.", user="eve")
        memory.settle()
        for found in (memory.agent("new").recall("hello"), agent.recall("What is my rabbit called?", user="bob")):
            assert found.gate is not None
            assert (found.gate.verdict, found.gate.reason, found.items) == ("far", GateReason.EMPTY, ())


async def test_the_gate_can_be_turned_off_in_the_settings(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", recall={"gate": False}) as memory:
        ada = memory.agent("ada")
        await ada.remember([f"{text} tea" for text in TOLD])
        await memory.settle()
        assert (await ada.recall("tea albatross zebra quantum errors")).items
        assert GATE not in await memory._parts.store.states(ada.scope)


async def test_words_alone_can_judge(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember(TOLD)
        await memory.settle()
        assert (await ada.recall("What is my booking code for the flight?")).items
        found = await ada.recall("Which albatross flight crossed the frozen southern ocean first?")
        assert found.items == ()


async def test_a_store_of_one_memory_answers_what_it_can(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="multilingual") as memory:
        ada = memory.agent("ada")
        await ada.remember("I moved to Lisbon in May.")
        await memory.settle()
        for question in ("where does she live?", "Lisbon", "When did I move?", "她搬到哪里了？", "她住在哪里？"):
            assert (await ada.recall(question)).items, question
        assert not (await ada.recall("How does a nuclear submarine produce oxygen?")).items


async def test_a_small_store_holds_back_where_nothing_comes_near_the_thing_that_is_named(tmp_path: Path) -> None:
    async with aopen(tmp_path) as memory:
        ada, lin = memory.agent("ada"), memory.agent("lin")
        heard = {"role": "assistant", "content": "There is live music in the old town tonight."}
        await ada.remember(["The kitchen is painted yellow.", "My bike is in the cellar."])
        await ada.remember([heard])
        await lin.remember(["We finally moved into the flat on Rua da Rosa.", "I design bridges for the council."])
        await lin.remember("儿子对腰果过敏。")
        await memory.settle()
        for question in (
            *("When is my birthday?", "What is the name of my cat?", "Where did I go to school?"),
            *("What is the deploy password?", "Where do I live?", "部署密码是什么？"),
        ):
            found = await ada.recall(question)
            assert not found.items, question
            assert found.gate is not None
            assert found.gate.reason is GateReason.STRANGE
            assert found.gate.score < found.gate.threshold
        for question in ("Where is my bike?", "What do you know about me?", "厨房是什么颜色？"):
            assert (await ada.recall(question)).items, question
        # Told in other words: by what "moved" means, by nearness, and in Chinese.
        for question in ("Where do I live?", "What do I do for a living?", "小孩不能吃什么？"):
            assert (await lin.recall(question)).items, question


async def test_a_first_store_of_a_few_words_answers_what_it_tells_and_nothing_else_of_oneself(tmp_path: Path) -> None:
    async with aopen(tmp_path) as memory:
        told = {
            "hi": ["hi", "My bike is a red Brompton and I keep it in the cellar."],
            "five": ["hi there", "My name is Jo", "My dog is Rex", "I work at Acme", "My car is a Volvo"],
            "zh": ["你好", "我叫小李", "我家的狗叫旺财", "我在腾讯上班", "我开一辆沃尔沃"],
        }
        for name, texts in told.items():
            for text in texts:
                await memory.agent(name).remember(text)
        await memory.settle()
        for name, question in (
            *(
                ("hi", question)
                for question in ("What is my blood type?", "Which school did I attend?", "我妈妈叫什么名字？")
            ),
            *(("five", question) for question in ("What is my blood type?", "Which school did I attend?")),
            *(("zh", question) for question in ("What is my blood type?", "我对什么过敏？", "我的鞋码是多少？")),
        ):
            found = await memory.agent(name).recall(question)
            assert not found.items, (name, question)
            assert found.gate is not None
            assert found.gate.reason is GateReason.STRANGE
            assert found.gate.score < found.gate.threshold
        for name, question, answer in (
            ("hi", "What bicycle do I have?", "Brompton"),
            ("five", "Where do I work?", "Acme"),
            ("five", "What is my pet called?", "Rex"),
            ("zh", "我的工作是什么？", "腾讯"),
            ("zh", "我的宠物叫什么？", "旺财"),
        ):
            items = (await memory.agent(name).recall(question)).items
            assert answer in items[0].text, question
            assert not {"hi", "hi there", "你好"} & {item.text for item in items}, "a greeting is no memory"


FEW = {
    "en": (
        "Mr Adeyemi signs off my timesheets.", "Our flat is over the chemist's in Whitby.",
        "My wife Ines conducts a choir.", "The roof was mended for 900 pounds.",
        "Dad came home from hospital on Friday.",
    ),
    "zh": (
        "我舅妈在菜市场卖豆腐。", "我从小在丽水长大。", "论文是许教授带我写的。",
        "请假要先填表，再找周姐签字，第二天才生效。", "阳台的花都晒死了。",
    ),
}  # fmt: skip
PERHAPS = {
    "Who supervises me?": "Adeyemi",
    "How is my father's health?": "hospital",
    "她靠什么谋生？": "豆腐",
    "我的故乡是哪里？": "丽水",
    "我的导师是谁？": "许教授",
}
"""Asked for in quite other words than it was told in."""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Agent]]:
    with remanent.open(tmp_path_factory.mktemp("few")) as memory:
        agents = {language: memory.agent(language) for language in FEW}
        for language, agent in agents.items():
            agent.remember(FEW[language])
        memory.settle()
        yield agents


@pytest.mark.parametrize("question", PERHAPS)
def test_what_may_be_told_in_other_words_is_given_as_perhaps_no_answer(few: dict[str, Agent], question: str) -> None:
    language = working_language(question)
    found = few[language].recall(question)
    assert found.gate is not None
    assert (found.gate.verdict, found.gate.reason) == ("unsure", GateReason.UNSURE)
    assert PERHAPS[question] in found.text
    assert sum(text in found.text for text in FEW[language]) <= 3, "a few, not all there is"
    perhaps = {"en": "Perhaps none of these notes answers what is asked", "zh": "以上记录可能并未回答所问的事"}
    assert perhaps[language] in found.text.splitlines()[-2]


def test_what_is_told_is_given_as_an_answer_and_what_is_of_nobody_here_not_at_all(few: dict[str, Agent]) -> None:
    for question in ("How much was paid for mending the roof?", "我从小在哪里长大？"):
        gate = few[working_language(question)].recall(question).gate
        assert gate is not None
        assert gate.verdict == "near"
    for language in FEW:
        for question in (
            "Which metal melts at the lowest temperature?",
            "What is my blood type?",
            "月食是怎么形成的？",
        ):
            found = few[language].recall(question)
            assert found.gate is not None
            assert (found.gate.verdict, found.items, found.text) == ("far", (), "")


CHAT = {
    "en": """
        Hello! I am Gus, I moved to Cork in spring.
        The estate agent wants 1,300 a month for the house.
        I came out in a rash from penicillin in 2021, never again.
        My colleague Petra lends me her drill on Saturdays.
        We have a beagle, Muffin, who eats socks.
        Poor dog! Muffin had to have two teeth out, 310 euros!
        On Mondays I go bouldering with Petra.
        I have handed in my notice at the pharmacy.
        From June I look after the greenhouses of the town.
        The neighbours are building a sauna in the garden.
        Our boiler broke twice this winter.
        I paint the fence green next week.
        The train to Dublin was three hours late.
        I burnt the lentils again.
    """,
    "zh": """
        我叫方宁，春天刚搬到绍兴。
        房东一个月收两千六。
        我吃芒果嘴唇会肿，再也不敢碰了。
        同事陆婷每周六把电钻借给我。
        我们养了一只柴犬，叫年糕，爱咬袜子。
        年糕打架缝了几针，花了八百！
        每周一我跟陆婷去攀岩。
        我从药房辞职了。
        六月起我去管城里的温室。
        邻居在院子里盖桑拿房。
        锅炉这个冬天坏了两回。
        下周我要把篱笆刷成绿色。
        去杭州的火车晚了三个钟头。
        我又把扁豆烧糊了。
    """,
}
NOT_DENIED = (
    "What sport do I do?", "Is amoxicillin safe for me?", "Can I take amoxicillin?", "What drug must I not be given?",
    "What did the vet cost?", "我平时做什么运动？", "阿莫西林我能吃吗？", "我的工资是多少？",
)  # fmt: skip
"""Asked of oneself, in words that nothing here has."""
NOT_CERTAIN = (
    "When is my birthday?", "How old am I?", "What are my plans for Christmas?", "What is Petra's salary?",
    "What is Petra's phone number?", "陆婷的工资是多少？", "我的生日是哪天？",
)  # fmt: skip
"""What nothing here tells, though other things are told of whom they ask for."""


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Agent]]:
    with remanent.open(tmp_path_factory.mktemp("chat")) as memory:
        agents = {language: memory.agent(language) for language in CHAT}
        for language, agent in agents.items():
            agent.remember([{"role": "user", "content": line.strip()} for line in CHAT[language].strip().splitlines()])
        memory.settle()
        yield agents


@pytest.mark.parametrize("question", [*NOT_DENIED, *NOT_CERTAIN])
def test_what_is_asked_of_oneself_is_neither_denied_nor_certain_where_no_memory_has_its_words(
    chat: dict[str, Agent], question: str
) -> None:
    """To deny an allergy may kill; to be certain of a birthday that nobody told makes one up."""
    gate = chat[working_language(question)].recall(question).gate
    assert gate is not None
    assert gate.verdict == "unsure"


@pytest.mark.parametrize(
    "question",
    [
        "How do I fix a flat tyre?",
        "How do I improve my pronunciation?",
        "What language do they speak in Brazil?",
        "Can I bring liquids on a plane?",
        "我怎么给手机清理内存？",
        "去日本我需要签证吗？",
        "我面试该穿什么？",
    ],
)
def test_what_anybody_may_ask_gets_nothing_though_it_says_i(chat: dict[str, Agent], question: str) -> None:
    found = chat[working_language(question)].recall(question)
    assert found.gate is not None
    assert (found.gate.verdict, found.items) == ("far", ())


def test_what_is_told_in_such_a_chat_is_still_certain(chat: dict[str, Agent]) -> None:
    for question in ("Where did I hand in my notice?", "What did I burn again?", "我从哪里辞职了？", "房东收多少？"):
        gate = chat[working_language(question)].recall(question).gate
        assert gate is not None
        assert gate.verdict == "near", question


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("我老家是哪里的？", "法国的首都是哪里？"),
        ("What is the name of our river?", "What is the name of Peru's river?"),
    ],
)
async def test_that_something_was_asked_speaks_for_no_answer(tmp_path: Path, asked: str, other: str) -> None:
    async with aopen(tmp_path) as memory:
        ada = memory.agent("ada")
        await ada.remember(FEW[working_language(asked)][3:])
        await memory.settle()
        before = await ada.recall(other)
        await ada.remember(asked)
        await memory.settle()
        after = await ada.recall(other)
        assert before.gate is not None
        assert after.gate is not None
        assert before.gate.verdict == after.gate.verdict == "far"
        assert (
            asked
            in (await ada.recall("What did I ask you?" if asked.isascii() else "我之前问过你什么？")).items[0].text
        )


@pytest.mark.parametrize(
    ("reason", "score", "judged"),
    [
        (GateReason.UNSURE, 3.0, ("near", GateReason.NEAR)),
        (GateReason.UNSURE, 1.0, ("far", GateReason.STRANGE)),
        (GateReason.UNSPOKEN, 1.0, ("near", GateReason.VAGUE)),
        (GateReason.NEAR, 3.0, ("near", GateReason.NEAR)),
    ],
)
def test_of_documents_nothing_is_perhaps_an_answer(
    reason: GateReason, score: float, judged: tuple[str, GateReason]
) -> None:
    verdict = without_unsure(GateVerdict(passed=True, reason=reason, score=score, threshold=2.0))
    assert (verdict.verdict, verdict.reason) == judged


async def test_a_small_store_is_not_measured_and_a_grown_one_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")

        async def measured_at() -> object:
            await memory.settle()
            kept = (await memory._parts.store.states(ada.scope)).get(GATE)
            return kept["seq"] if isinstance(kept, dict) else None

        await ada.remember(TOLD[: MIN_RECORDS - 1])
        assert await measured_at() is None
        await ada.remember(TOLD[MIN_RECORDS - 1])
        assert await measured_at() == MIN_RECORDS
        await ada.remember([f"{number} cups of tea" for number in range(3)])
        assert await measured_at() == MIN_RECORDS
        await ada.remember([f"{number} pots of coffee" for number in range(20)])
        assert await measured_at() == MIN_RECORDS + 23
        # What was added while it was measured asks for it again: nothing is measured twice.
        counting = Mock(wraps=memory._parts.store.term_counts)
        monkeypatch.setattr(memory._parts.store, "term_counts", counting)
        async with memory._parts.store.transaction(ada.scope) as tx:
            memory._parts.indexing.request(tx, GATE)
        memory._parts.worker.attend(ada.scope)
        assert await measured_at() == MIN_RECORDS + 23
        assert not await memory._parts.store.jobs(ada.scope, JobQuery())
        assert not counting.called


def test_a_threshold_stands_between_strangers_and_the_stores_own_questions() -> None:
    bounds = BOUNDS["en"]
    assert threshold_of([0.0] * 50, [12.0] * 20, bounds=bounds) == bounds.lowest
    assert threshold_of([9.0] * 50, [12.0] * 20, bounds=bounds) == bounds.highest
    assert threshold_of([0.0] * 50, [2.0] * 20, bounds=bounds) == 2.0
    assert threshold_of([0.0] * 50, [2.0] * 3, bounds=bounds) == bounds.lowest


def test_a_smaller_store_is_judged_more_leniently() -> None:
    sizes = [lenience(size) for size in (0, 1, 5, 20, 100, 10_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == sizes[1] > 2
    assert sizes[-1] == 0


def test_deviations_are_counted_from_the_middle() -> None:
    assert Nearness(0.2, 0.05).deviations(0.3) == pytest.approx(2)


@pytest.mark.parametrize("kept", [None, 3, {}, {"version": 0}, {"version": 1, "models": {}, "tongues": {"en": 1}}])
def test_measures_that_cannot_be_read_are_as_good_as_none(kept: object) -> None:
    assert read_measures(kept, "en", models={}) is None  # type: ignore[arg-type]


def test_strangers_are_the_same_each_time_and_of_one_language() -> None:
    for language in ("en", "zh"):
        assert strangers(language) == strangers.__wrapped__(language)
    assert all(text.isascii() for text in strangers("en"))
    assert not any(text.isascii() for text in strangers("zh"))


def test_a_stores_own_questions_are_made_of_half_the_words_of_what_it_holds(ada: Agent) -> None:
    records = [turn_of(entry) for entry in ada.entries()]
    questions = list(own_questions(records, random.Random(1)))
    assert len(questions) > len(TOLD) // 2
    for question in questions:
        holder = [text for text in TOLD if all(word in text for word in question.split())]
        assert holder or not question.isascii()


async def test_what_somebody_else_did_speaks_against_an_answer(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember(
            [
                {"role": "Caroline", "content": "I went to the charity race on Sunday and learned to rest."},
                {"role": "Melanie", "content": "I adopted a dog from the shelter, his name is Oscar."},
                {"role": "Caroline", "content": "What a lovely name for him!"},
                {"role": "Melanie", "content": "My daughter plays the clarinet in the school band."},
            ]
        )
        await memory.settle()

        async def lead(question: str) -> float | None:
            verdict = (await ada.recall(question)).gate
            assert verdict is not None
            return verdict.speaker_lead

        assert (await lead("Where did Melanie adopt the dog from?") or 0) > 0.5
        assert (await lead("Where did Caroline adopt the dog from?") or 0) < -0.5
        assert await lead("Who went to the charity race and adopted a dog?") is None
        assert await lead("Did Caroline and Melanie adopt the dog?") is None


def test_being_said_by_another_weighs_more_than_being_said_by_the_one_who_is_named() -> None:
    words = TermMatch(0.5, 1.0)
    plain = strength(words, [1.0], speaker_lead=0.0)
    assert plain > strength(words, [1.0])
    assert strength(words, [1.0], speaker_lead=-0.5) < plain < strength(words, [1.0], speaker_lead=0.5)
    assert plain - strength(words, [1.0], speaker_lead=-0.5) > strength(words, [1.0], speaker_lead=0.5) - plain


def test_where_no_word_is_shared_only_the_model_that_knows_every_language_counts() -> None:
    gate = Gate(cast("Store", None), models={"vector": "every", "vector:english": "english"})
    near = {"vector": 0.3, "vector:english": 0.9}
    assert gate.telling(TermMatch(coverage=0.0), near) == [0.3]
    assert gate.telling(TermMatch(coverage=0.2), near) == [0.3, 0.9]
    assert gate.telling(TermMatch(coverage=0.0), {"vector:english": 0.9}) == [0.9]


def test_every_form_of_a_word_that_everybody_uses_is_common() -> None:
    assert [word for word in sorted(COMMON_ENGLISH) if not is_common(stem(word))] == []
    assert not is_common("zeolite")


def test_a_question_without_chinese_has_no_chinese_cut_into_words(ada: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = turn_of(ada.entries()[0]).replace(content="我的牙医是 Dr. Okafor，在 Elm Street。")
    whole = terms_of("牙医")(turn)
    monkeypatch.setattr("remanent.text.terms.cut", None)
    plain = terms_of("dentist", "okafor")(turn)
    assert "牙医" in whole
    assert plain == {term for term in whole if term.isascii()}


def test_a_sentence_of_which_hardly_a_word_is_left_is_not_covered_by_itself() -> None:
    question = QuestionTerms(("ada", "cello", "play", "well"), (("ada", "cello"), ("play", "cello", "well")))
    assert question.without({"ada"}).sentences == (("play", "cello", "well"),)


@pytest.mark.parametrize("question", ["Who is it?", "他在哪里"])
def test_a_question_of_stop_words_alone_has_none_of_them_as_terms(question: str) -> None:
    terms = informative_terms(question).terms
    assert not {*ENGLISH_STOP_WORDS, *CHINESE_STOP_WORDS}.intersection(terms)


async def test_a_long_question_is_read_in_another_thread_and_a_short_one_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[int, bool] = {}

    def reading(text: str, *, dates: Sequence[TimeMention] = ()) -> QuestionTerms:
        threads[len(text)] = threading.current_thread() is threading.main_thread()
        return informative_terms(text, dates=dates)

    async with aopen(tmp_path, embedder="none") as memory:
        await memory.agent("x").remember("Mona plays the trumpet in Kyoto.")
        await memory.settle()
        monkeypatch.setattr("remanent.recall.gate.informative_terms", reading)
        for length in (READ_ON_THE_LOOP, READ_ON_THE_LOOP + 1):
            await memory.agent("x").recall("Mona in Kyoto ".ljust(length, "o"))
    assert threads == {READ_ON_THE_LOOP: True, READ_ON_THE_LOOP + 1: False}


def test_a_word_that_asks_of_anything_is_vague_and_a_name_is_not() -> None:
    assert is_vague(stem("things"))
    assert not is_vague("kyoto")


FILLING = {
    "en": "We talked about the budget, the hiring plan and the noisy office. ",
    "zh": "我们谈了预算、招聘计划，还有吵闹的办公室。",
}
DEEP = {
    "en": ("The spare key lies under the lighthouse bell.", "lighthouse"),
    "zh": ("备用钥匙放在灯塔的铜钟下面。", "灯塔"),
}


@pytest.mark.parametrize("language", DEEP)
@pytest.mark.parametrize("before", [3_500, 50_000])
async def test_what_stands_deep_in_a_long_message_is_found_and_what_does_not_is_not(
    tmp_path: Path, language: str, before: int
) -> None:
    fact, question = DEEP[language]
    filling = FILLING[language]
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember([filling * (before // len(filling)) + fact + filling * 100, *TOLD])
        await memory.settle()
        found = await ada.recall(question)
        assert found.gate is not None
        assert found.gate.coverage == 1
        assert fact in found.items[0].text
        for strange in STRANGE:
            assert not (await ada.recall(strange)).items, strange


def test_which_part_of_a_long_record_is_read_depends_on_each_question(ada: Agent) -> None:
    turn = turn_of(ada.entries()[0]).replace(
        content=f"{FILLING['en'] * 60}A lighthouse. {FILLING['en'] * 60}A volcano."
    )
    known: KnownTerms = {}
    assert "lighthous" in terms_of("lighthous", known=known)(turn)
    assert "volcano" in terms_of("volcano", known=known)(turn)
