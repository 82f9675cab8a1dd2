"""Figures on generated talk: the newest value first, nothing retired by chance, little junk and no echo."""

import random
from datetime import timedelta

import pytest

from remanent.memory import AsyncAgent
from remanent.model import MemoryData, RecallOptions
from remanent.stores.conformance.base import SetClock

TOWNS = "Rome Oslo Bern Lyon Kiel Porto Ghent Turin Graz Malmo".split()
FIRMS = "IBM SAP Bosch Nokia Zalando Siemens Intel Oracle".split()
PLACES = "北京 上海 广州 深圳 杭州 成都 武汉 西安".split()
PHONES = [f"1391234567{digit}" for digit in range(10)]
CHAINS: tuple[tuple[str, tuple[str, ...], list[str]], ...] = (
    ("Where do I live?", ("I live in {}.", "I've just moved to {}.", "Well, I live in {} now."), TOWNS),
    ("Where do I work?", ("I work at {}.", "I started a new job at {}.", "I work for {} now."), FIRMS),
    ("What is my phone number?", ("My phone number is {}.", "I changed my phone number to {}."), PHONES),
    ("Where does my sister live?", ("My sister lives in {}.", "My sister moved to {}."), TOWNS),
    ("When is the launch?", ("The launch is on {}.", "The launch has been moved to {}."),
     ["Monday", "Friday", "June 5", "July 9"]),
    ("我住在哪里？", ("我住在{}。", "我搬到{}了。", "我现在住在{}。"), PLACES),
    ("我的电话是多少？", ("我的电话是{}。", "我的电话换成了{}。", "我的新电话是{}。"), PHONES),
    ("发布会的时间是什么时候？", ("发布会的时间是{}。", "发布会的时间改到{}。"), ["周一", "周三", "下周五", "5月8日"]),
)  # fmt: skip
DISTRACTORS = (
    "My brother lives in Paris.", "I really enjoy tea.", "My cat's name is Luna.", "I visited Vienna last week.",
    "我表哥住在南京。", "我喜欢爬山。", "我同事的电话是15500001111。", "年会的时间是周日。", "I love Lisbon.",
    "My aunt works at Shell.",
)  # fmt: skip


@pytest.mark.spec("COG-07", "COG-08")
async def test_of_200_update_chains_the_current_value_ranks_first_and_the_past_one_as_of_then(
    ada: AsyncAgent, clock: SetClock
) -> None:
    chance = random.Random(7)
    chains = []
    for number in range(200):
        question, forms, values = CHAINS[number % len(CHAINS)]
        chains.append((f"u{number}", question, forms, chance.sample(values, 3)))
    moments = []
    for step in range(3):
        messages = [
            {"content": forms[min(step, len(forms) - 1)].format(values[step]), "metadata": {"user_id": user}}
            for user, _, forms, values in chains
        ]
        messages += [{"content": chance.choice(DISTRACTORS), "metadata": {"user_id": user}} for user, *_ in chains]
        await ada.remember(messages)
        await ada.settle()
        moments.append(clock())
        clock.now += timedelta(days=30)
    first = then = 0
    for user, question, _, values in chains:
        found = await ada.recall(question, where={"user_id": user})
        first += bool(found.items) and values[2] in found.items[0].text
        past = await ada.recall(
            question, where={"user_id": user}, options=RecallOptions(as_of=moments[1] + timedelta(days=1))
        )
        then += bool(past.items) and values[1] in past.items[0].text
    assert first >= 190
    assert then >= 190


async def test_in_200_cases_no_unrelated_statement_retires_a_fact(ada: AsyncAgent, clock: SetClock) -> None:
    chance = random.Random(8)
    facts = []
    for number in range(200):
        _, forms, values = CHAINS[number % len(CHAINS)]
        facts.append((f"u{number}", forms[0].format(chance.choice(values))))
    await ada.remember([{"content": text, "metadata": {"user_id": user}} for user, text in facts])
    await ada.settle()
    before = {one.id: one.content for one in await ada.cognition.memories(limit=1000)}
    assert len(before) == 200
    clock.now += timedelta(days=1)
    told = [
        {"content": text, "metadata": {"user_id": user}} for user, _ in facts for text in chance.sample(DISTRACTORS, 4)
    ]
    await ada.remember(told)
    await ada.settle()
    after = {one.id: one.content for one in await ada.cognition.memories(limit=10_000)}
    assert {key: after.get(key) for key in before} == before
    assert await ada.conflicts() == []


SMALL_TALK = (
    "Thanks, that's great!", "Wow, that sounds awesome!", "How are you today?", "Ok, sounds good.", "好的，谢谢！",
    "That must have been amazing.", "I love that idea!", "I'm so proud of you!", "哈哈，太好了。", "你觉得呢？",
    "Can you help me with this?", "What do you think I should do?", "If I were you, I would live in Paris.",
    "I'd love to hear more about it.", "Let me know what you find.", "请帮我看一下这个。", "要是我住在海边就好了。",
    "She said that I live in Rome.", "I think so too.", "Sure, go ahead.",
)  # fmt: skip


@pytest.mark.spec("COG-06")
async def test_of_1000_turns_facts_are_kept_and_small_talk_prompts_and_echoes_are_not(ada: AsyncAgent) -> None:
    chance = random.Random(9)
    planted = {}
    messages = []
    for number in range(1000):
        user = {"user_id": f"u{number}"}
        if number % 5 == 0:
            _, forms, values = CHAINS[(number // 5) % len(CHAINS)]
            value = chance.choice(values)
            planted[f"u{number}"] = value
            messages.append({"content": forms[0].format(value), "metadata": user})
        elif number % 5 == 1:
            text = "You are a helpful assistant. Answer the question of the user, whose words follow."
            messages.append({"role": "user", "content": text, "metadata": user})
        else:
            messages.append({"content": chance.choice(SMALL_TALK), "metadata": user})
    await ada.remember(messages)
    await ada.settle()
    text = (await ada.recall("Where do I live?")).text
    await ada.remember([{"content": f"Here is what you know:\n{text}", "metadata": {"user_id": "echo"}}] * 20)
    await ada.settle()
    kept = await ada.cognition.memories(limit=10_000)
    right = [
        one for one in kept
        if isinstance(one.data, MemoryData) and planted.get(one.data.user, "\0") in one.content
    ]  # fmt: skip
    echoes = [one for one in kept if isinstance(one.data, MemoryData) and one.data.user == "echo"]
    assert len(right) >= 0.9 * len(planted)
    assert len(kept) - len(right) - len(echoes) <= 0.05 * len(kept)
    assert len(echoes) <= 0.01 * len(kept)
