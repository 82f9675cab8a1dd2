"""Changes told in fresh words: what was known is marked, stays as it is, and stands behind the newer words."""

import pytest

from remanent.memory import AsyncAgent
from remanent.model import MemoryData
from remanent.stores.conformance.base import SetClock

CHANGED = """I'm allergic to penicillin.|It wasn't penicillin after all, it was the dye.|What am I allergic to?
The wedding is on 4 June.|We postponed the wedding.|When is the wedding?
My piano lessons are on Tuesdays.|My piano teacher retired, so no more piano for me.|When are my piano lessons?
I volunteer at the animal shelter every Saturday.|The shelter shut down in March.|Where do I volunteer?
I take metformin every morning.|The doctor took me off metformin.|Do I take metformin?
I drive a Skoda Octavia.|The Octavia went to the scrapyard last week.|What car do I drive?
I work at Deloitte.|Deloitte let me go in the spring.|Where do I work?
I bank with Monzo.|I closed my Monzo account.|Which bank am I with?
My son plays rugby.|He's given up rugby for drama.|What does my son play?
My flight to Porto is on 9 May.|The airline scrapped the Porto flight.|When is my flight to Porto?
My number is 0171 1111111.|I changed my number.|What is my number?
My phone number is 0171 1111111.|I've got a new number.|What is my phone number?
我的手机号是13800000000。|换号了。|我的手机号是多少？
我对青霉素过敏。|重新做了皮试，青霉素我可以用了。|我对青霉素过敏吗？
我在顺丰上班。|从顺丰离职了。|我在哪里上班？
下个月我要去成都参加婚礼。|成都那场婚礼延期了，还没定新的日子。|下个月我要去哪里？
我住在天通苑。|天通苑的房子上个月退租了。|我住在哪里？
我女儿在学小提琴。|小提琴她早就不拉了。|我女儿在学什么？
我的主治医生是刘主任。|刘主任调走了。|我的主治医生是谁？
我对芒果过敏。|上次查过敏原，芒果其实没事，是我记错了。|我对什么过敏？
我们用 Jira 管 bug。|我们决定从 Jira 迁到飞书项目。|我们用什么管 bug？
我最爱喝冰美式。|从今天开始我不喝咖啡了，改喝大麦茶。|我喜欢喝什么？
我最喜欢喝珍珠奶茶。|医生让我戒糖，我不喝奶茶了。|我喜欢喝什么？
我每天早上六点半去金鸡湖边跑步。|我改游泳了。|我早上做什么运动？
我的医生是王大夫。|现在给我看病的是刘大夫。|我的医生是谁？
我的牙医是陈医生。|现在给我看牙的是吴医生。|我的牙医是谁？
我用的是iPhone 14。|我换了华为Mate 70。|我用什么手机？
我们公司用企业微信打卡。|打卡改成钉钉了。|我们公司用什么打卡？
We use Jira to track bugs.|We decided to move from Jira to Linear.|What do we track bugs with?
I love iced americano.|As of today I no longer drink coffee.|What do I love to drink?
I run around the lake every morning.|I switched to swimming.|What exercise do I do in the morning?
My doctor is Dr. King.|I see Dr. Liu now instead.|Who is my doctor?"""
BESIDE = """My boss is Karen.|Karen quit smoking last month.
I live in Exeter.|The train to Exeter was cancelled this morning.
I work at Barclays.|Barclays moved its canteen to the third floor.
I play the cello.|I didn't play the cello yesterday because I was tired.
I'm vegetarian.|The vegetarian lasagne wasn't very good.
I drive a Toyota Yaris.|My neighbour sold her Yaris.
My brother lives in Toronto.|We left Toronto on Sunday.
I'm training for the Dublin marathon.|My friend dropped out of the marathon, so I run alone.
My landlord is Mr Kowalski.|Mr Kowalski stopped by to fix the tap.
I have a cat named Momo.|Momo is fine again after the operation.
I love jazz.|Would you be sad if jazz was over?
I smoke twenty cigarettes a day.|I dreamt I quit smoking.
My dog is called Bolt.|Bolt died laughing, so to speak.
My girlfriend is called Petra.|Petra and I broke up the chocolate into pieces.
Our standup is at 9.|The other team's standup moved to 10.
I'm single.|I'm married to my job.
I play the cello.|I no longer play the cello solo in the second movement.
The rent is 900 euros.|Since January the tram fare has gone up to 3 euros.
My number is 0171 1111111.|I changed my number plate.
晨会九点开始。|桌子挪到窗边了。
我住在厦门。|上周我们帮朋友搬家去了泉州。
我住在厦门。|我搬家去找房子了。
我吃素。|我家猫又开始吃肉了。
我的手机号是13800000000。|我妈换号了。
我对花生过敏。|我跟餐厅说了，菜里不要放花生。
我在华为上班。|华为取消了今年的年会。
我喜欢吃火锅。|今天火锅店关门了，没吃上。
我每天跑步。|今天下雨，没跑步。
我女儿在学钢琴。|我朋友的孩子不学钢琴了。
我住在天通苑。|天通苑的菜市场搬走了。
我家养了两只兔子。|兔子没事，就是有点拉肚子。
我每天早上去湖边跑步。|我老婆改游泳了。
我每天早上去湖边跑步。|我爸不跑了，改游泳。
我最爱喝冰美式。|今天不喝咖啡了，太晚了。
我最爱喝冰美式。|我哥戒咖啡了，改喝大麦茶。
我的医生是王大夫。|我妈的医生是刘大夫。
我的牙医是陈医生。|现在给我看病的是刘大夫。
我用的是iPhone 14。|我给我妈换了华为Mate 70。
我们用 Jira 管 bug。|换个话题，飞书项目好用吗？
我开一辆大众帕萨特。|同事把帕萨特卖了，提了辆小米SU7。
I love lattes.|No coffee today, I slept badly.
I run around the lake every morning.|I took up swimming.
I drink oolong every morning.|I gave up chocolate.
My doctor is Dr. King.|My mother sees Dr. Liu now."""


async def told(ada: AsyncAgent, clock: SetClock, *texts: str) -> None:
    for text in texts:
        await ada.remember(text)
        clock.advance(seconds=600)
    await ada.settle()


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", CHANGED.split("\n"))
async def test_what_newer_words_let_doubt_is_marked_and_stands_behind_them(
    ada: AsyncAgent, clock: SetClock, line: str
) -> None:
    old, new, question = line.split("|")
    await told(ada, clock, old, "The weather in Bern was fine.", "今天天气不错。")
    before = (await ada.cognition.memories())[-1]
    await told(ada, clock, new)
    after = next(one for one in await ada.cognition.memories() if one.id == before.id)
    assert after.content == before.content
    assert after.memory.stale
    texts = [item.sources[0].text for item in sorted((await ada.recall(question)).items, key=lambda item: item.rank)]
    assert texts.index(new) < texts.index(old)
    doubted = next(one for one in (await ada.recall(question)).items if one.sources[0].text == old)
    assert doubted.stale
    assert new not in doubted.stale
    await told(ada, clock, old)
    again = next(one for one in await ada.cognition.memories() if one.id == before.id)
    assert not again.memory.stale, "said once more, it holds"


@pytest.mark.parametrize("line", BESIDE.split("\n"))
async def test_what_only_shares_a_word_with_a_change_is_neither_marked_nor_ended(
    ada: AsyncAgent, clock: SetClock, line: str
) -> None:
    old, new = line.split("|")
    await told(ada, clock, old)
    before = await ada.cognition.memories()
    await told(ada, clock, new)
    after = {one.id: one for one in await ada.cognition.memories()}
    assert [(after[one.id].content, after[one.id].memory.stale) for one in before] == [(before[0].content, "")]


async def test_what_let_doubt_something_is_not_quoted_when_it_is_gone(ada: AsyncAgent, clock: SetClock) -> None:
    await told(ada, clock, "I drive a Skoda Octavia.")
    await told(ada, clock, "The Octavia went to the scrapyard last week.")
    last = (await ada.entries())[-1]
    await ada.erase(entry_ids=[last.id])
    found = await ada.recall("What car do I drive?")
    assert [item.text for item in found.items] == ["I drive a Skoda Octavia."]
    assert "scrapyard" not in repr([one.model_dump() for one in await ada.cognition.memories()])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rent is 900 euros.", "Since January the rent has gone up to 980."),
        ("My rent is 900 euros a month.", "As of March, my rent has risen to 980."),
        ("晨会九点开始。", "晨会挪到十点了。"),
        ("我住在厦门。", "上个月我们搬家去了泉州。"),
        ("我吃素。", "我又开始吃肉了。"),
        ("我是素食者。", "又开始吃肉了。"),
        ("我的车是斯柯达。", "我把斯柯达卖了。"),
    ],
)
async def test_what_is_told_in_everyday_words_takes_the_place_of_what_was(
    ada: AsyncAgent, clock: SetClock, old: str, new: str
) -> None:
    await told(ada, clock, old)
    (before,) = await ada.cognition.memories()
    await told(ada, clock, new)
    (after,) = await ada.cognition.memories()
    assert isinstance(before.data, MemoryData)
    assert after.memory.replaces == before.data.value
