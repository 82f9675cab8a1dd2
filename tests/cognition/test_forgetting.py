"""What is forgotten answers no more, in whatever words it was told; the rest of what was said beside it still does."""

import asyncio
from datetime import timedelta

import pytest

from remanent import RecallOptions
from remanent.memory import AsyncAgent, AsyncMemory
from remanent.model import Record, Status
from remanent.model.found import Grain
from remanent.stores.conformance.base import SetClock

EVERYTHING = RecallOptions(gate=False)


async def everything(agent: AsyncAgent, question: str) -> str:
    """All that a recall gives of a question, its sources included, and all that is known."""
    found = await agent.recall(question, options=EVERYTHING)
    known = await agent.cognition.memories()
    quoted = [source.text for item in found.items for source in item.sources]
    return "\n".join([found.text, *quoted, *(one.content for one in known)])


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order", "gone"),
    [
        ("My dog Biscuit has epilepsy, and I work at Siemens.", "Forget that my dog has epilepsy.", "epilepsy"),
        (
            "My sister Nadia is pregnant but nobody knows. I work at Siemens.",
            "Please forget that my sister is pregnant.",
            "pregnant",
        ),
        (
            "I had an operation on my knee in March. I work at Siemens.",
            "Could you forget that I had an operation?",
            "operation",
        ),
        ("我的银行卡密码是4729，我在Siemens工作。", "请忘掉我的银行卡密码。", "4729"),
        ("我做了心理咨询，医生说我有轻度抑郁。我在Siemens工作。", "把我有轻度抑郁的事忘了吧。", "抑郁"),
    ],
)
async def test_a_part_of_a_message_is_forgotten_and_the_rest_still_answers(
    ada: AsyncAgent, clock: SetClock, told: str, order: str, gone: str
) -> None:
    await ada.remember(told)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert gone not in await everything(ada, order)
    assert "Siemens" in await everything(ada, "Siemens")
    assert [entry.text for entry in await ada.entries()] == [told, order], "the journal keeps every word"


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("grain", ["item", "turns", "session"])
async def test_nothing_that_stands_beside_an_answer_tells_what_was_forgotten(
    ada: AsyncAgent, clock: SetClock, grain: Grain
) -> None:
    await ada.remember(
        ["I have asthma.", "The hallway is six metres long, and my rent is 900 euros.", "The lamp is green."],
        session="s",
    )
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember("Forget that I have asthma. Forget my rent.", session="t")
    await ada.settle()
    found = await ada.recall("How long is the hallway?", grain=grain, options=EVERYTHING)
    shown = "\n".join([found.text, *(source.text for item in found.items for source in item.sources)])
    assert "six metres" in shown
    assert "asthma" not in shown
    assert "900" not in shown


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order", "gone"),
    [
        ("My salary is 84,000 euros, and Nell is in Leuven.", "I'd like you to forget my salary.", "84,000"),
        ("I work as a notary in Ghent.", "I want you to forget that I work as a notary.", "notary"),
        ("My salary is 84,000 euros.", "Wipe my salary from memory.", "84,000"),
        ("I work as a notary in Ghent.", "Remove from your memory that I work as a notary in Ghent", "notary"),
        ("My sister Nell is in rehab in Leuven.", "Can you forget everything about my sister?", "rehab"),
        ("My sister Nell is in rehab in Leuven.", "Please forget that my sister is in rehab.", "rehab"),
        ("I have a crush on Farid.", "Please don't keep that I have a crush on Farid.", "crush"),
        ("Farid lent me his bike.", "Please forget everything about Farid.", "bike"),
        ("I work at the town hall.", "Forget where I work.", "town hall"),
        ("我妹妹在戒酒中心。", "请从记忆里删除我妹妹在戒酒中心这件事。", "戒酒"),
        ("方磊借了我的自行车。", "把我说的关于方磊的话删掉。", "自行车"),
        ("我妹妹在戒酒中心。", "关于我妹妹的一切都请忘掉。", "戒酒"),
        ("我的年薪是二十万。", "我希望你忘掉我的年薪。", "二十万"),
        ("方磊借了我的自行车。", "请忘掉方磊。", "自行车"),
        ("方磊借了我的自行车。", "请删除关于方磊的记忆。", "自行车"),
    ],
)
async def test_an_order_to_forget_is_heard_in_many_forms(
    ada: AsyncAgent, clock: SetClock, told: str, order: str, gone: str
) -> None:
    await ada.remember(told)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert gone not in await everything(ada, told)


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order", "gone", "rest"),
    [
        ("我的手机号是13812345678。", "今天好累，我在杭州上班。把我的手机号忘了吧，谢谢！", "13812345678", "杭州"),
        ("我前男友叫李雷。", "我搬到成都了，忘掉我说的关于前男友的话。", "李雷", "成都"),
        ("我的手机号是13812345678。", "忘了我的手机号吧，我搬到成都了。", "13812345678", "成都"),
        ("My address is 14 Elm Street.", "I work at Bosch, please forget my address.", "Elm", "Bosch"),
        ("My ex is called Tom.", "I moved to Leeds. And forget what I said about my ex, thanks!", "Tom", "Leeds"),
        ("My phone number is 555-0142.", "Would you mind forgetting my phone number? I like tea.", "0142", "tea"),
    ],
)
async def test_an_order_beside_other_words_is_heard_and_those_are_learned(
    ada: AsyncAgent, clock: SetClock, *, told: str, order: str, gone: str, rest: str
) -> None:
    await ada.remember(told)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert gone not in await everything(ada, told)
    assert rest in "".join(one.content for one in await ada.cognition.memories())


@pytest.mark.spec("COG-07")
async def test_answers_that_repeat_it_and_the_session_s_episode_forget_it_too(ada: AsyncAgent, clock: SetClock) -> None:
    talk = [
        {"role": "user", "content": "My dad has Parkinson's and he lives in Ulm. I visit him on Sundays by train."},
        {"role": "assistant", "content": "Sorry to hear that your dad has Parkinson's. Is the train to Ulm on time?"},
        {"role": "user", "content": "We decided to sell the house in Ulm in spring."},
        {"role": "assistant", "content": "I will look for agents in Ulm."},
    ]
    await ada.remember(talk, session="s")
    await ada.end_session("s")
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember("Please forget that my dad has Parkinson's.", session="t")
    await ada.settle()
    answer = "All right, I have forgotten that your dad has Parkinson's. Anything else about the train?"
    await ada.remember({"role": "assistant", "content": answer}, session="t")
    await ada.settle()
    assert "Parkinson" not in await everything(ada, "What illness does my dad have?")
    assert "train" in await everything(ada, "How do I visit him?")
    await ada.end_session("s")
    await ada.settle()
    assert "Parkinson" not in await everything(ada, "What illness does my dad have?"), "an episode that is made anew"


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("My mother's birthday is May 5.", "Forget my birthday."),
        ("我妈妈的生日是5月8日。", "请忘记我的生日。"),
        ("My dad smokes.", "Forget that I smoke."),
        ("I ordered a pizza for Tom.", "Forget about the pizza, let's get sushi."),
        ("I have asthma.", "Don't forget that I have asthma."),
        ("I said that Bram is kind.", "Forget that I said that."),
        ("我带了伞。", "忘了带伞。"),
        ("我弟弟有哮喘。", "请忘掉我有哮喘。"),
        ("我妹妹小安在布鲁日开花店。", "忘掉我妹妹小宁吧。"),
        ("My sister Nell is in rehab in Leuven.", "Forget that my salary is 84,000 euros."),
        ("The museum opens at ten.", "Forget that I have asthma."),
        ("The branch is called feature-x.", "Please delete the branch feature-x."),
        ("烦恼总会过去。", "忘掉烦恼吧。"),
        ("上一个方案是用瑞芯微的板子。", "请忘掉上一个方案，我们用新的。"),
        ("The old layout has three columns.", "I want you to forget the old layout and start again."),
        ("My name is Ann.", "Can you remove my name from the list?"),
    ],
)
async def test_what_was_not_meant_stays(ada: AsyncAgent, clock: SetClock, told: str, order: str) -> None:
    await ada.remember(told)
    await ada.settle()
    known = [one.content for one in await ada.cognition.memories()]
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert told in [item.text for item in (await ada.recall(told, options=EVERYTHING)).items]
    assert known == [one.content for one in await ada.cognition.memories() if one.content in known]


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order", "rest"),
    [
        (
            "By the way, my salary is 84,000 euros, and my sister Nell is in rehab in Leuven.",
            "Forget that my salary is 84,000 euros.",
            "my sister Nell is in rehab in Leuven.",
        ),
        (
            "With your asthma avoid dust. The museum opens at ten.",
            "Forget that I have asthma.",
            "The museum opens at ten.",
        ),
    ],
)
async def test_only_the_clause_that_tells_it_goes(
    ada: AsyncAgent, clock: SetClock, told: str, order: str, rest: str
) -> None:
    await ada.remember(told)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    (item,) = (await ada.recall(rest, options=EVERYTHING)).items
    assert item.text.endswith(rest)
    assert not set(told.split(rest, maxsplit=1)[0].split()) & {"84,000", "asthma"} & set(item.text.split())


@pytest.mark.spec("COG-07")
async def test_of_another_user_nothing_is_forgotten(ada: AsyncAgent, clock: SetClock) -> None:
    for user in ("ann", "bob"):
        await ada.remember("I have asthma, and I like tea.", user=user)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember("Forget that I have asthma.", user="ann")
    await ada.settle()
    assert "asthma" not in (await ada.recall("Do I have asthma?", user="ann", options=EVERYTHING)).text
    assert "asthma" in (await ada.recall("Do I have asthma?", user="bob", options=EVERYTHING)).text


@pytest.mark.spec("COG-07")
async def test_what_one_has_just_said_is_forgotten_whether_it_was_learned_or_not(
    ada: AsyncAgent, clock: SetClock
) -> None:
    await ada.remember("The door code is 5518. It rained all day.", session="s")
    clock.now += timedelta(minutes=1)
    await ada.remember("Forget what I just said.", session="s")
    await ada.settle()
    assert not (await ada.recall("door code", options=EVERYTHING)).items


@pytest.mark.spec("COG-07")
async def test_a_memory_that_is_restored_has_the_words_back_that_went_with_it(ada: AsyncAgent, clock: SetClock) -> None:
    told = "I live in Siena, my cat is called Momo, and I work at Bosch."
    await ada.remember(told)
    await ada.remember(
        {"role": "assistant", "content": "So you live in Siena. Shall we begin with the plan for your garden?"}
    )
    await ada.settle()
    home, work = [
        one for word in ("Siena", "Bosch") for one in await ada.cognition.memories() if one.content.endswith(word)
    ]
    for memory in (home, work):
        clock.now += timedelta(minutes=1)
        await ada.cognition.forget(memory.id)
        await ada.settle()
    turns = {item.text for item in (await ada.recall("cat Momo begin", options=EVERYTHING)).items}
    assert turns == {"my cat is called Momo", "Shall we begin with the plan for your garden?"}
    clock.now += timedelta(minutes=1)
    await ada.cognition.restore(home.id)
    await ada.settle()
    found = await everything(ada, "Where do I live?")
    assert "I live in Siena" in found
    assert "So you live in Siena." in found
    assert "Bosch" not in found, "what was forgotten since stays forgotten"
    clock.now += timedelta(minutes=1)
    await ada.restore(work.id)
    await ada.settle()
    assert told in [item.text for item in (await ada.recall("Momo", options=EVERYTHING)).items]


@pytest.mark.spec("COG-07")
async def test_two_orders_at_once_take_their_parts_out_of_one_message(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("I have asthma, my cat is called Momo, and I drink too much.")
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember("Forget that I have asthma. Forget that I drink too much.")
    await ada.settle()
    (item,) = (await ada.recall("Momo", options=EVERYTHING)).items
    assert item.text == "my cat is called Momo"
    assert {one.status for one in await ada.cognition.memories()} <= {Status.ACTIVE}


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    "told",
    [
        ["I still live in Siena. I live in Siena, near the gate.", "Forget that I live in Siena."],
        ["Forget that I live in Siena.", "Please forget that I live in Siena."],
        ["I moved to Ulm.", "Forget that I live in Siena.", "Forget where I live."],
        ["Forget that I live in Siena.", "I live in Ulm."],
    ],
)
async def test_what_is_told_anew_and_forgotten_in_one_go_is_learned_from_without_a_failure(
    ada: AsyncAgent, clock: SetClock, told: list[str]
) -> None:
    await ada.remember("I live in Siena.")
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(told)
    async with asyncio.timeout(20):
        await ada.settle()
    assert not await ada.admin.dead_letters()
    assert "Siena" not in [one.memory.value for one in await ada.cognition.memories()]


SESSION = (
    "The new pump of the greenhouse came on Tuesday and leaks at the lower valve.",
    "The supplier in Utrecht sends another valve by the end of the week.",
    "Tom will fit it on Saturday, and until then we water the seedlings by hand.",
    "The bill for the pump goes to the account of the allotment club.",
)


async def _episode(agent: AsyncAgent) -> Record:
    await agent.remember([{"role": "user", "content": text} for text in SESSION], session="greenhouse")
    await agent.settle()
    await agent.end_session("greenhouse")
    await agent.settle()
    return next(one for one in await agent.cognition.memories(kinds=["episodic"]) if one.memory.attribute == "session")


@pytest.mark.spec("COG-07")
async def test_an_episode_rests_on_no_turn_that_is_forgotten_until_that_is_back(
    ada: AsyncAgent, clock: SetClock
) -> None:
    before = await _episode(ada)
    first, second = before.sources[0], before.sources[1]
    for gone in (first, second):
        clock.now += timedelta(minutes=1)
        await ada.forget(gone.entry_id)
    assert (await ada.get(before.id)).sources == before.sources[2:]
    clock.now += timedelta(minutes=1)
    await ada.restore(first.entry_id)
    assert (await ada.get(before.id)).sources == (first, *before.sources[2:]), "the other one stays away"
    await ada.restore(second.entry_id)
    after = await ada.get(before.id)
    assert (after.sources, after.content) == (before.sources, before.content)


@pytest.mark.spec("COG-07")
async def test_an_episode_itself_is_forgotten_and_comes_back(ada: AsyncAgent, clock: SetClock) -> None:
    before = await _episode(ada)
    clock.now += timedelta(minutes=1)
    assert (await ada.cognition.forget(before.id)).status is Status.FORGOTTEN
    assert "valve" not in await everything(ada, "What leaks?")
    clock.now += timedelta(minutes=1)
    back = await ada.cognition.restore(before.id)
    assert (back.status, back.content) == (Status.ACTIVE, before.content)
    assert "valve" in await everything(ada, "What leaks?")


IN_ONE_GO = """我的手机号是13812345678。|把我的手机号忘了吧。|我的新手机号是13999998888。
My phone number is 555-0142.|Forget my phone number.|My phone number is 555-7777.
Forget my phone number.|My phone number is 555-7777.
My ex is called Tom and he is a DJ.|Tom called me.|Forget everything about Tom.|Tom Hanks is my favourite actor.
我前男友叫李雷，他住在重庆。|李雷昨天来找我了。|请忘掉关于李雷的一切。|我喜欢吃火锅。
我有哮喘，我在西门子工作。|忘掉我有哮喘这件事。|我弟弟有哮喘。
I have a dog named Max.|My dog likes cheese.|Forget everything about my dog.|I have a dog named Rex.
我对花生过敏。|我对虾过敏。|忘掉我对花生过敏。|我对花生过敏。
My boss is Karen.|I like tea, please forget my boss.|My boss is Ivan.
I live in Siena, and I work at Bosch.|I moved to Ulm.|Forget where I live.|I live in Bern.
我住在昆明。|忘掉我刚才说的话。|我喜欢喝茶。
我搬到杭州了。|我住在成都。|忘掉我的住址吧。|我喜欢喝茶。
My phone number is 555-0142.|Forget my phone number.|Nice day, please forget my phone number."""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("talk", IN_ONE_GO.split("\n"))
async def test_messages_that_come_in_one_go_forget_what_they_would_one_by_one(
    memory: AsyncMemory, clock: SetClock, talk: str
) -> None:
    messages = talk.split("|")
    slowly, at_once = memory.agent("slowly"), memory.agent("at-once")
    for message in messages:
        await slowly.remember(message, session="s")
        await slowly.settle()
        clock.now += timedelta(minutes=1)
    await at_once.remember(messages, session="s")
    await at_once.settle()
    kept = []
    for agent in (slowly, at_once):
        found = [item.text for one in messages for item in (await agent.recall(one, options=EVERYTHING)).items]
        kept.append((sorted(one.content for one in await agent.cognition.memories()), sorted(set(found))))
    assert kept[0] == kept[1]


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("My salary is 84,000 euros and I like tea. Forget my salary.", "84,000"),
        ("我的工资是两万三，我喜欢喝茶。对了，把我的工资忘了吧。", "两万三"),
    ],
)
async def test_what_stands_before_an_order_in_its_own_message_is_forgotten_too(
    ada: AsyncAgent, text: str, gone: str
) -> None:
    await ada.remember(text)
    await ada.settle()
    found = await everything(ada, text)
    assert gone not in found
    assert "tea" in found or "喝茶" in found


IN_THE_OTHER_LANGUAGE = """我的手机号是13812345678。|Please forget my phone number.|13812345678
My phone number is 555-0142.|把我的手机号忘了吧|0142
我住在成都。|Forget my address.|成都
I live in Siena.|忘掉我住在哪里。|Siena
我妹妹叫小安，在戒酒中心。|Forget everything about my sister.|小安
My sister Nell is in rehab.|请忘掉我姐姐的事。|Nell
我前男友叫李雷。|Nice day, and forget what I said about my ex.|李雷
My ex is called Tom and he is a DJ.|今天好累，忘掉我说的前男友的事|Tom
我的工资是两万三。|Forget my salary please.|两万三
I have a dog named Max.|把我的狗忘了吧。|Max
I'm allergic to nuts.|忘掉我的过敏吧|nuts
我在西门子工作。|Forget where I work.|西门子
I am 34.|忘掉我的年龄。|34
我妈妈得了糖尿病。|Forget everything about my mother.|糖尿病"""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", IN_THE_OTHER_LANGUAGE.split("\n"))
async def test_an_order_in_the_other_language_finds_what_it_names(ada: AsyncAgent, clock: SetClock, line: str) -> None:
    told, order, gone = line.split("|")
    await ada.remember(told)
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert gone not in await everything(ada, told)


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("我妹妹叫小安。", "Forget everything about my brother."),
        ("My mother's birthday is May 5.", "请忘记我的生日。"),
        ("我妈妈的生日是5月8日。", "Forget my birthday."),
        ("我的手机号是13812345678。", "Forget my email."),
        ("我喜欢热狗。", "Forget my dog."),
        ("我弟弟对花生过敏。", "Forget my allergy."),
    ],
)
async def test_an_order_in_the_other_language_leaves_what_it_does_not_name(
    ada: AsyncAgent, clock: SetClock, told: str, order: str
) -> None:
    await ada.remember(told)
    await ada.settle()
    known = [one.content for one in await ada.cognition.memories()]
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    assert told in [item.text for item in (await ada.recall(told, options=EVERYTHING)).items]
    assert known == [one.content for one in await ada.cognition.memories()]


COMMON_WORDINGS = """我一个月工资两万三。|忘掉我的工资。|两万三
我前妻叫孙丽。|忘掉孙丽。|孙丽
我一个月工资两万三。|别记我工资的事了。|两万三
我的生日是3月8日。|请删掉我的生日信息。|3月8日
我的生日是3月8日。|把我的生日删了吧。|3月8日
我在西门子上班。|把我的工作信息清空。|西门子
我欠老李五万块钱。|欠老李钱的事，请从记忆里删除。|五万
我在吃抗抑郁药。|我吃抗抑郁药这事儿你就当不知道，忘了它。|抗抑郁
我昨天跟老板吵了一架。|上面那句当我没说。|吵了一架
我昨天跟老板吵了一架。|刚才那条撤回。|吵了一架
我的车牌号是浙A12345。|把车牌号忘掉。|12345
我的车牌号是浙A12345。|我的车牌号你不用记。|12345
我得了痔疮。|別記住我得痔疮的事。|痔疮
我前女友叫陈璐，在银行上班。|不要再提我前女友了，把她忘了。|陈璐
我男朋友叫赵磊，是个消防员。|我和赵磊分手了，把他忘掉吧。|消防员
我有乙肝。|我有乙肝这个事儿，以后别再记着了。|乙肝
My ex-wife is called Sonia.|Forget Sonia.|Sonia
I earn 84000 a year.|Please forget my salary.|84000
My birthday is March 8.|Delete my birthday information, please.|March 8
I work at Siemens.|Clear my job information.|Siemens
I owe Lionel five thousand dollars.|The money I owe Lionel, please remove it from your memory.|five thousand
I take antidepressants.|That I take antidepressants, pretend you never heard it.|antidepressants
I had a fight with my boss.|Scratch what I just said.|fight
I had a fight with my boss.|Forget my last message.|fight
My license plate is KX-7742.|You don't need to remember my license plate.|7742
My license plate is KX-7742.|Forget the license plate.|7742
My ex-girlfriend Lulu works at a bank.|Don't mention my ex-girlfriend again, forget her.|Lulu
I'm pregnant.|I'm pregnant, but please don't store that.|pregnant"""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", COMMON_WORDINGS.split("\n"))
async def test_an_order_in_a_common_wording_is_followed_and_not_learned(
    ada: AsyncAgent, clock: SetClock, line: str
) -> None:
    told, order, gone = line.split("|")
    await ada.remember(["今天天气不错。" if told[-1] == "。" else "Nice weather today.", told], session="s")
    await ada.settle()
    assert gone in await everything(ada, told)
    known = {one.id for one in await ada.cognition.memories()}
    clock.now += timedelta(minutes=1)
    await ada.remember([{"role": "assistant", "content": "OK."}, order], session="s")
    await ada.settle()
    assert gone not in await everything(ada, told)
    assert {one.id for one in await ada.cognition.memories()} <= known


OF_ANOTHER = """我住在杭州。/我姐在杭州开了家面馆。/我下个月去杭州参加马拉松。|忘掉我住在杭州这件事。
我有哮喘。/我妈也有哮喘，吃孟鲁司特。|请忘记我有哮喘。
我有哮喘。/我在写一本关于哮喘的书。|忘掉我有哮喘。
我离过婚。/我哥离过两次婚。|把我离过婚这件事删掉。
我月薪八千。/我弟弟月薪一万。|忘掉我的月薪。
我体重80公斤。/我买了三斤苹果。|忘掉我的体重。
I live in Ghent./My sister opened a noodle shop in Ghent./I run a marathon in Ghent.|Forget that I live in Ghent.
I have asthma./My mother has asthma too, she takes montelukast.|Please forget that I have asthma.
I have asthma./I'm reading a book about asthma.|Forget that I have asthma."""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", OF_ANOTHER.split("\n"))
async def test_what_is_so_of_another_or_told_otherwise_stays(ada: AsyncAgent, clock: SetClock, line: str) -> None:
    told, order = line.split("|")
    gone, *rest = told.split("/")
    await ada.remember([gone, *rest])
    await ada.settle()
    known = {one.content for one in await ada.cognition.memories()}
    clock.now += timedelta(minutes=1)
    await ada.remember(order)
    await ada.settle()
    texts = [item.text for one in (gone, *rest) for item in (await ada.recall(one, options=EVERYTHING)).items]
    assert gone not in texts
    assert set(rest) <= set(texts)
    left = {one.content for one in await ada.cognition.memories()}
    assert len(known - left) <= 1


@pytest.mark.spec("COG-07")
async def test_no_memory_stays_whose_clause_an_order_takes(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("我男朋友叫赵磊，是个消防员。")
    await ada.settle()
    clock.now += timedelta(minutes=1)
    await ada.remember("忘掉赵磊。")
    await ada.settle()
    assert not await ada.cognition.memories()
    gone = await ada.cognition.memories(statuses=[Status.FORGOTTEN])
    clock.now += timedelta(minutes=1)
    for one in gone:
        await ada.restore(one.id)
    await ada.settle()
    found = await ada.recall("赵磊", options=EVERYTHING)
    assert "我男朋友叫赵磊，是个消防员。" in [one.text for one in found.items]
    assert len(await ada.cognition.memories()) == len(gone) == 2


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("I live in Paris.", "Forget Paris."),
        ("我的钥匙在抽屉里。", "出门的时候别忘了带我的钥匙。"),
        ("我的手机号是13812345678。", "帮我把手机号从报名名单里删掉。"),
        ("我体重82公斤。", "体重不用记，减肥靠管住嘴，这是教练说的。"),
        ("老李欠我五万。", "老李把欠我钱的事忘了。"),
        ("我在弹琴。", "刚才那条朋友圈我已经撤回了。"),
        ("My phone number is 555-0142.", "Remove my phone number from the sign-up list."),
        ("My license plate is KX-7742.", "Will you forget my license plate?"),
        ("My cat is called Momo.", "Delete line 3 and keep the line about Momo."),
        ("My project is called Atlas.", "Delete my project."),
    ],
)
async def test_what_looks_like_an_order_takes_nothing(ada: AsyncAgent, clock: SetClock, told: str, order: str) -> None:
    await ada.remember(told, session="s")
    await ada.settle()
    known = {one.id for one in await ada.cognition.memories()}
    clock.now += timedelta(minutes=1)
    await ada.remember(order, session="s")
    await ada.settle()
    assert told in [item.text for item in (await ada.recall(told, options=EVERYTHING)).items]
    assert known <= {one.id for one in await ada.cognition.memories()}
