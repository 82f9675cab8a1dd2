"""What is taken back: it is known to be over, or forgotten, and nothing else is touched."""

import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from remanent.memory import AsyncAgent
from remanent.model import MemoryData, RecallOptions, Status
from remanent.stores.conformance.base import SetClock

FACTS: dict[str, tuple[str, str, tuple[str, ...], list[str]]] = {
    "residence en": (
        "I live in {}.", "Where do I live?",
        ("I no longer live in {}.", "I don't live in {} anymore.", "I used to live in {}."),
        "Rome Oslo Bern Lyon Kiel".split(),
    ),
    "employer en": (
        "I work at {}.", "Where do I work?",
        ("I no longer work at {}.", "I quit my job at {}.", "I don't work at {} any more."),
        "IBM SAP Bosch Nokia Intel".split(),
    ),
    "pet en": (
        "I have a {}.", "Do I have a {}?",
        ("I don't have a {} anymore.", "Actually, I don't have a {}.", "I no longer have a {}."),
        "dog cat parrot rabbit hamster".split(),
    ),
    "allergy en": (
        "I'm allergic to {}.", "What am I allergic to?",
        ("I'm no longer allergic to {}.", "I'm not allergic to {} anymore.", "I'm not allergic to {}."),
        "nuts shellfish pollen milk eggs".split(),
    ),
    "residence zh": (
        "我住在{}。", "我住在哪里？", ("我不再住在{}了。", "我已经不住在{}了。", "我以前住在{}。"),
        "杭州 北京 上海 成都 武汉".split(),
    ),
    "employer zh": (
        "我在{}公司上班。", "我在哪里上班？", ("我不在{}公司上班了。", "我从{}公司离职了。", "我不再在{}公司上班了。"),
        "腾讯 华为 小米 网易 京东".split(),
    ),
    "pet zh": (
        "我养了一只{}。", "我养{}吗？", ("其实我没有养{}。", "我没有养{}了。", "我不养{}了。"),
        "狗 猫 兔子 鹦鹉 仓鼠".split(),
    ),
    "allergy zh": (
        "我对{}过敏。", "我对什么过敏？", ("我对{}不过敏了。", "我已经对{}不过敏了。", "其实我对{}不过敏。"),
        "花生 海鲜 牛奶 花粉 芒果".split(),
    ),
}  # fmt: skip
BESIDE = ("My brother lives in Paris.", "I really enjoy tea.", "我表哥住在南京。", "我喜欢爬山。", "I love Lisbon.")


def said(user: str, text: str) -> dict[str, Any]:
    return {"content": text, "metadata": {"user_id": user}}


@pytest.mark.spec("COG-07", "COG-08")
async def test_of_200_episodes_in_which_a_fact_disappears_its_absence_is_admitted(
    ada: AsyncAgent, clock: SetClock
) -> None:
    chance = random.Random(11)
    cases = []
    for number in range(200):
        kind = list(FACTS)[number % len(FACTS)]
        stated, question, denials, values = FACTS[kind]
        cases.append((f"u{number}", kind, stated, question, chance.choice(denials), chance.choice(values)))
    await ada.remember([said(user, stated.format(value)) for user, _, stated, _, _, value in cases])
    await ada.remember([said(user, chance.choice(BESIDE)) for user, *_ in cases])
    await ada.settle()
    before = clock()
    clock.now += timedelta(days=30)
    await ada.remember([said(user, denial.format(value)) for user, _, _, _, denial, value in cases])
    await ada.settle()
    admitted, then = Counter[str](), Counter[str]()
    for user, kind, stated, question, denial, value in cases:
        found = await ada.recall(question.format(value), user=user)
        told = {one.content for one in await ada.cognition.memories(user=user)}
        first = found.items[0] if found.items else None
        fact = next((item for item in found.items if item.text == stated.format(value)), None)
        admitted[kind] += (
            first is not None
            and first.text != stated.format(value)
            and (first.text == denial.format(value) or first.text in told)
            and (fact is None or fact.outdated_by is not None)
        )
        past = await ada.recall(
            question.format(value), user=user, options=RecallOptions(as_of=before + timedelta(days=1))
        )
        then[kind] += bool(past.items) and past.items[0].text == stated.format(value)
    assert min(admitted.values()) >= 0.6 * 25, admitted
    assert admitted.total() >= 0.9 * 200, admitted
    assert then.total() >= 0.95 * 200, then


@pytest.mark.spec("COG-07")
async def test_a_denial_of_something_else_retires_nothing(ada: AsyncAgent, clock: SetClock) -> None:
    cases = [
        (f"{kind} {number}", stated.format(value), denials[number % 3].format(other))
        for kind, (stated, _, denials, values) in FACTS.items()
        for number, (value, other) in enumerate(zip(values, [*values[1:], values[0]], strict=True))
    ]
    await ada.remember([said(user, fact) for user, fact, _ in cases])
    await ada.settle()
    before = {one.id: one.content for one in await ada.cognition.memories(limit=1000)}
    clock.now += timedelta(days=1)
    await ada.remember([said(user, denial) for user, _, denial in cases])
    await ada.remember([said(user, "That's wrong, try again.") for user, *_ in cases])
    await ada.settle()
    assert {one.id: one.content for one in await ada.cognition.memories(limit=1000) if one.id in before} == before
    assert await ada.conflicts() == []


async def test_what_is_over_makes_what_followed_from_it_stale_and_can_be_undone(
    ada: AsyncAgent, clock: SetClock
) -> None:
    await ada.remember("I live in Rome because I work at IBM.")
    await ada.settle()
    clock.now += timedelta(days=1)
    await ada.remember("I no longer work at IBM.")
    await ada.settle()
    kept = {one.data.attribute: one for one in await ada.cognition.memories() if isinstance(one.data, MemoryData)}
    assert kept["employer"].content == "The user no longer works at IBM"
    home = kept["residence"].data
    assert isinstance(home, MemoryData)
    assert home.stale
    assert not (await ada.cognition.why(kept["employer"].id)).rotten
    (conflict,) = await ada.conflicts()
    await ada.cognition.resolve(conflict.id, "undo")
    assert (await ada.cognition.show(kept["employer"].id)).content == "The user works at IBM"
    await ada.remember("I work at IBM again.")


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("fact", "order", "question", "word"),
    [
        ("I live in Rome.", "Forget that I live in Rome.", "Where do I live?", "Rome"),
        ("My birthday is May 5.", "Please forget my birthday.", "When is my birthday?", "May"),
        ("I have a dog named Max.", "Forget what I told you about my dog.", "Do I have a dog?", "Max"),
        ("我住在杭州。", "忘掉我住在杭州这件事。", "我住在哪里？", "杭州"),
        ("我的生日是5月8日。", "请忘记我的生日。", "我的生日是哪天？", "5月"),
    ],
)
async def test_what_a_user_asks_to_forget_is_recalled_no_more_and_can_be_restored(
    ada: AsyncAgent, fact: str, order: str, question: str, word: str
) -> None:
    await ada.remember([fact, "I like tea."], user="ann")
    await ada.remember(fact, user="bob")
    await ada.settle()
    tool = {"role": "tool", "content": order, "metadata": {"user_id": "ann"}}
    await ada.remember([tool, {"role": "assistant", "content": order, "metadata": {"user_id": "ann"}}])
    await ada.settle()
    found = await ada.recall(question, user="ann")
    assert any(item.text == fact for item in found.items), "neither a tool nor an agent has it forgotten"
    await ada.remember(order, user="ann")
    await ada.settle()
    told = await ada.recall(question, user="ann", options=RecallOptions(gate=False))
    assert not [item for item in told.items if word in item.text and item.sources[0].role == "user"]
    (gone,) = await ada.cognition.memories(user="ann", statuses=[Status.FORGOTTEN])
    assert word in (await ada.recall(question, user="bob")).items[0].text
    await ada.cognition.restore(gone.id)
    assert (await ada.cognition.show(gone.id)).status is Status.ACTIVE


async def test_that_is_no_longer_true_means_what_one_said_right_before(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("I live in Rome.", session="a")
    clock.now += timedelta(minutes=1)
    await ada.remember("That's no longer true.", session="a")
    await ada.remember(["我住在杭州。", {"role": "assistant", "content": "好的，你住在上海。"}], session="b", user="li")
    await ada.remember("这不对。", session="b", user="li")
    await ada.settle()
    kept = {one.content for one in await ada.cognition.memories()}
    assert kept == {"The user lives in Rome (no longer true)", "用户住在杭州"}


async def test_a_word_within_another_is_not_what_was_meant(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember(["My laptop is a Cardinal 3.", "My sister lives in Romeo.", "I love carrots."])
    await ada.settle()
    clock.now += timedelta(days=1)
    await ada.remember(["Forget my car.", "My sister no longer lives in Rome.", "I no longer like car."])
    await ada.settle()
    kept = {one.content for one in await ada.cognition.memories()}
    assert kept == {"The user's laptop is a Cardinal 3", "The user's sister lives in Romeo", "The user loves carrots"}


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("fact", "order"),
    [
        ("My dog is called Max.", "Please delete my dog."),
        ("I have a dog named Max.", "Erase my dog."),
        ("I have a dog named Max.", "Don't keep my dog."),
        ("我的生日是5月8日。", "请删除我的生日。"),
        ("我的生日是5月8日。", "把我的生日删掉。"),
    ],
)
async def test_an_order_to_delete_a_thing_is_no_wish_to_forget_it(ada: AsyncAgent, fact: str, order: str) -> None:
    """Agents are told to delete branches, appointments and files: what is known of those is not theirs to lose."""
    await ada.remember(fact)
    await ada.settle()
    known = await ada.cognition.memories()
    assert known
    await ada.remember(order)
    await ada.settle()
    assert not await ada.cognition.memories(statuses=[Status.FORGOTTEN])
    assert {one.id for one in known} <= {one.id for one in await ada.cognition.memories()}


async def test_what_something_can_be_used_for_is_not_over(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("I'm interested in astronomy.")
    await ada.settle()
    known = {one.content for one in await ada.cognition.memories()}
    assert known
    clock.now += timedelta(days=1)
    await ada.remember("I'm interested in astronomy, above all how lenses can be used to find planets.")
    await ada.settle()
    assert known <= {one.content for one in await ada.cognition.memories()}
    assert not [one for one in await ada.conflicts() if one.state.value == "resolved"]


OVER = """My rent is $1,500.|My landlord raised the rent to $1,650.
I study French at the college.|I dropped French at the college for Spanish.
My flight leaves at 6 am.|They rescheduled my flight to 9 am.
I drive a Honda Civic.|I traded my Honda Civic for a Tesla Model 3.
I go to the gym on Mondays.|I go to the gym on Wednesdays instead of Mondays now.
We deploy on Fridays.|From now on we deploy on Tuesdays.
My boss is Laura.|My new boss is Peter.
I use Windows at home.|I switched from Windows to Linux at home.
I have two cats.|I have three cats now.
I'm learning Spanish.|I stopped learning Spanish.
I'm allergic to cats.|It turns out I'm not allergic to cats.
My wife works at Siemens.|My wife left Siemens for Bosch.
I work at Spotify.|I quit Spotify and joined Klarna.
I'm vegetarian.|I eat fish again now.
房租每月4500。|房东把房租涨到5000了。
我坐地铁上班。|我现在骑车上班了，不坐地铁了。
我的手机是小米14。|我换手机了，换成了华为Mate 70。
我吃素。|我不吃素了。
我的老板是王总。|我换老板了，新老板是李总。
我在学西班牙语。|我不学西班牙语了。
我太太在西门子工作。|我太太离开西门子，去了博世。
My manager is Sofie.|Sofie went on maternity leave; my manager is now Bram.
My landlord is Mr. Okoro.|Mrs. Weiss is my landlord now.
My phone is a Fairphone 4.|I swapped my Fairphone for a Pixel 10.
My laptop is a ThinkPad X1.|I traded my ThinkPad in for a MacBook Air.
My budget for the kitchen is 12,000 euros.|I raised the kitchen budget to 15,000 euros.
I'm allergic to shellfish.|The new blood test shows that I'm not allergic to shellfish after all.
I'm allergic to peanuts.|My doctor says I can eat peanuts again.
My son is allergic to eggs.|My son has outgrown his egg allergy.
我对花生过敏。|复查结果出来了，医生说我可以吃花生了。
请记住：我儿子乐乐对鸡蛋过敏。|乐乐的过敏复查了，医生说鸡蛋现在可以吃了，不过要避开腰果。
我对芒果过敏。|检查结果显示我不对芒果过敏。
我在一家会计事务所上班。|我从会计事务所辞职了，开了一家花店。
我开的是一辆大众朗逸。|朗逸卖掉了，换了一辆特斯拉 Model 3。
我的会计是方先生。|方先生退休了，现在的会计是梁女士。
我的班主任是陈老师。|陈老师调走了，现在的班主任是林老师。
我们每周四下午三点开周会。|周会改到周五上午十点。
I drink black coffee every morning.|I switched to green tea last month.
I'm single.|I got married to Dana in June.
I smoke a pack a day.|I quit smoking.
I'm a teacher at Lincoln High.|I retired in May.
My yoga class is on Tuesdays at 6 pm.|Yoga got moved to Thursdays.
My yoga class is on Tuesdays at 6 pm.|The yoga class has been moved to Thursday at 7 pm.
I'm going to Lisbon in September.|The Lisbon trip is off.
I have a dog named Biscuit.|We had to put Biscuit down last week.
I own a Vespa.|Someone stole my Vespa.
I ride my bike to work.|I take the train to work now.
I have high blood pressure.|My blood pressure is back to normal, the doctor says.
I'm allergic to penicillin.|It turns out penicillin is fine for me.
I go to the gym every Monday.|I go to the gym on Wednesdays now.
我每天早上喝咖啡。|我改喝红茶了。
我每天抽一包烟。|我戒烟了。
我每天喝两瓶可乐。|我戒可乐了。
我开一辆大众朗逸。|我把车换成了比亚迪汉。
我养了一只猫叫豆包。|豆包上周走丢了。
我养了一只猫叫豆包。|豆包上个月走丢了，一直没找到。
我男朋友叫周浩。|我和周浩分手了，好难过。
我打算国庆去成都。|国庆不去成都了。
我准备考研。|我放弃考研了。
我每天早上六点起床跑步。|最近改成晚上跑步了。
我在苏州租房子住。|我回老家南通了，不在苏州住了。
我有胃病。|我的胃病已经好了。
I drink three cups of coffee every day.|I gave up coffee.
I eat chocolate every evening.|I've cut out chocolate completely.
I go to the gym every morning.|I don't go to the gym these days.
I'm on a keto diet.|I'm not doing keto anymore.
I play the guitar in a band.|I left the band in March.
I drive a Ford Fiesta.|Sold the car last week.
I study physics.|I dropped out and now I study carpentry.
I'm studying for the bar exam.|I passed the bar exam!
I work at Oracle.|I'm no longer at Oracle.
I have a cat named Luna.|Luna isn't with us anymore.
My girlfriend is called Nina.|Nina and I are no longer together.
I'm engaged.|We called the wedding off.
I live in Lyon.|I packed up and moved to Nantes in May.
I play chess every Thursday.|I stopped playing chess ages ago.
My landlord is Mr. Brown.|Mr. Green is our landlord now.
I work at Accenture.|My contract with Accenture ran out.
我每周去两次健身房。|我的健身卡到期了，不去健身房了。
我养了一只仓鼠叫球球。|球球前几天死了。
我每天喝两杯咖啡。|我现在不喝咖啡了。
我每天早上跑五公里。|最近膝盖不好，跑步停了。
我男朋友叫阿杰。|我跟阿杰已经散了。
I live in Siena.|Haha no, I was joking, I don't live in Siena.
I'm allergic to bees.|Just kidding, I'm not allergic to bees.
我住在昆明。|哈哈，我开玩笑的，我不住在昆明。
I live in Siena.|I was joking.
我住在昆明。|开玩笑的。
I drive a Trek bike.|My Trek bike was stolen last week.
I'm going to Rome in May.|I'm not going to Rome after all.
My manager is Sofie.|Bram is my new manager.
My manager is Sofie.|I have a new manager called Bram.
I smoke cigarettes every day.|I'm done with cigarettes.
My best friend Astrid lives in Lund.|Astrid moved to Aarhus last week.
My brother Tobias works at Shell.|Tobias now works at BP.
My friend Amir lives in Bonn.|Amir lives in Ulm now.
我最好的朋友小敏住在苏州。|小敏上周搬到了南京。
我同事王磊住在北京。|王磊上个月搬到上海了。
My rent is 850 euros.|They put my rent up to 910.
My rent is 700 euros.|My rent has gone up to 750 euros.
My favourite tea is sencha.|Actually I've switched from sencha to mint.
我最喜欢的茶是乌龙茶。|我从乌龙茶换成了普洱。
我血型是O型。|我之前说错了，我血型其实是A型。
我血型是 O 型 Rh 阳性。|血型其实记错了，体检单上写的是 A 型。
我的邮编是210000。|邮编写错了，其实是210008。
我开一辆大众帕萨特。|把帕萨特卖了，提了辆小米SU7。
我用的是MacBook Air。|我把MacBook Air换成了联想小新。
我体重85公斤。|我现在72公斤了。
我住在杭州。|我把家搬回老家绍兴了。
我们周五下午开例会。|例会挪到周一上午了。
My shoe size is 9.|I got my shoe size wrong, it's 10.
I weigh 85 kg.|I'm down to 72 kg now.
I live in Hangzhou.|I moved my family back to my hometown Shaoxing."""
STANDS = """I smoke a pack a day.|My brother quit smoking.
My sister is called Nina.|Nina and I broke up.
I work at Bosch.|I left Bosch early today.
I drink coffee every morning.|I gave up my seat on the bus.
I drink coffee every morning.|I'm done with my coffee.
I drive a Ford Fiesta.|I drive a van at work now.
I have a parrot named Kiwi.|I no longer like kiwi.
I live in Lyon.|I met a man who quit his job and moved to Nantes.
我每周去两次健身房。|我今天不去健身房了。
我每天开车上班。|我把车停了。
I smoke a pack a day.|I want to quit smoking.
I drink coffee every morning.|I switched to green tea in the afternoon.
I'm single.|I went to a wedding; my cousin got married.
I'm single.|If I got married, I'd move to Rome.
I work at Bosch.|I joined Costco last week to get cheap tires.
I'm going to Lisbon in September.|The Porto trip is off.
My yoga class is on Tuesdays at 6 pm.|Pottery got moved to Thursdays.
My son is allergic to penicillin.|It turns out penicillin is fine for me.
我每天早上喝咖啡。|我晚上改喝牛奶了。
我每天抽一包烟。|我弟弟戒烟了。
我单身。|我还没结婚。
我住在朝阳区。|我妹妹搬家了，新家在通州。
我的手机号是13800001111。|我妈换号了，新号码是13911112222。
我打算国庆去成都。|元旦不去哈尔滨了。
I drink coffee every morning.|My sister stopped drinking coffee.
I bake bread every Sunday.|I stopped eating bread.
My boss is Laura.|They moved my boss to another floor.
My car is red.|I moved my car to the garage.
I live in Paris.|I left Paris for Rome this morning.
I work at Siemens.|My wife left Siemens for Bosch.
I have two cats.|My brother has three cats now.
I go to the gym on Mondays.|I go to the pool on Wednesdays now.
I use Linux at home.|We switched from Windows to Linux at the office.
My rent is $900.|My sister's landlord raised the rent to $1,200.
I'm learning Spanish.|I stopped learning the guitar.
I have a dog called Rex.|I sold my dog sculptures.
I have a dog called Rex.|I lost my dog's leash.
My flight leaves at 6 am.|They rescheduled my dentist to 9 am.
My rent is $900.|I would love it if they lowered the rent to $700.
我坐地铁上班。|我不坐飞机了。
我的老板是王总。|同事的新老板是李总。
我在学西班牙语。|我不学钢琴了。
我住在北京。|我刚离开北京去上海出差。
房租每月4500。|我姐姐的房租涨到5000了。
我的手机是小米14。|我妹妹换手机了。
我有两只猫。|邻居现在有三只猫了。
My manager is Sofie.|My manager is now in Paris.
My manager is Sofie.|Bram is my new neighbour.
My manager is Sofie.|My sister's manager is now Bram.
My phone is a Fairphone 4.|My sister swapped her Fairphone for a Pixel 10.
My budget for the kitchen is 12,000 euros.|I raised the bathroom budget to 15,000 euros.
I'm allergic to penicillin.|The test shows that I'm not allergic to cats.
I'm allergic to peanuts.|My brother can eat peanuts again.
I'm allergic to peanuts.|I could eat peanuts again if the therapy worked.
我对花生过敏。|我儿子可以吃花生了。
我对花生过敏。|医生说我可以吃鸡蛋了。
我对花生过敏。|等做完脱敏我可以吃花生了。
我开的是一辆大众朗逸。|邻居的朗逸卖掉了。
我每天做面包。|面包卖掉了。
我在一家会计事务所上班。|我姐从会计事务所辞职了。
我的会计是方先生。|我姐姐现在的会计是梁女士。
我表妹叫王芳。|我表妹现在是护理组长。
我们每周四下午三点开周会。|月会改到周五上午十点。
My daughter is Anna.|Anna moved out in March.
我住在成都。|我和老公住在一起。
我在腾讯上班。|我在家上班。
My flatmate is Tomasz.|Tomasz moved away from the door.
My boss is Karen.|Karen quit smoking.
My boss is Karen.|Karen left the meeting early.
My dog is called Bruno.|I lost Bruno in the park but found him again.
My girlfriend is Hanna.|I left Hanna a note.
我的室友叫阿强。|阿强搬走了那张桌子。
我的狗叫豆豆。|豆豆送去洗澡了。
I live in Rome.|Haha, I was joking about the pizza.
I live in Rome.|I'm not joking, I live in Rome.
I live in Rome.|I'm the queen of Denmark. Just kidding!
My best friend Ingrid lives in Malmö.|Ingrid moved to the front row.
My best friend Ingrid lives in Malmö.|Ingrid wants to move to Copenhagen.
My best friend Ingrid lives in Malmö.|Astrid moved to Copenhagen last week.
My best friend Ingrid lives in Malmö.|Ingrid's brother moved to Copenhagen.
My best friend Ingrid lives in Malmö.|Ingrid moved to Sweden in 1999.
My best friend Ingrid lives in Malmö.|My friend said Ingrid moved to Copenhagen if I got that right.
My brother Jonas lives in Bern.|Jonas now works at BP.
我最好的朋友小敏住在苏州。|小敏上周搬到了前排。
我最好的朋友小敏住在苏州。|小敏的妹妹搬到了南京。
我同事王磊住在北京。|王磊搬到楼上了。
My wife is Clara.|Clara and I are over the moon.
My wife is Clara.|We ended things on a high note.
My wife is Clara.|We separated the trash.
I have a dog named Rex.|I put Rex on a diet.
I have a dog named Rex.|We let Rex in.
I'm a teacher.|I retired my old laptop.
I work at Siemens.|I left my job application at home.
I work at Siemens.|I got a new job title.
I drive a red Mazda.|I have a new car charger.
I live in Rome.|No kidding.
我对花生过敏。|花生可以吃了，已经煮熟了。
我住在南京。|我搬到前排坐了。
My rent is 900 euros.|They put my rent up for discussion.
My rent is 900 euros.|My blood pressure went up to 150.
My favourite tea is oolong.|We switched from oolong to rooibos at the office.
My favourite tea is oolong.|I switched from coffee to oolong.
我最喜欢的茶是乌龙茶。|我太太从乌龙茶换成了普洱。
我血型是O型。|其实我挺怕抽血的。
我血型是O型。|我老婆血型记错了，其实是A型。
我体重85公斤。|我爸现在72公斤了。
我住在杭州。|我姐搬家了，搬回绍兴了。
我住在杭州。|我把书搬回家了。
我开一辆大众帕萨特。|同事把他的帕萨特卖了，提了辆小米SU7。
我有两辆电动车。|我把电动车卖了。
我对虾过敏。|我记错了日子，聚餐是后天。
My shoe size is 9.|I got my brother's shoe size wrong, it's 10."""


async def test_a_change_that_names_no_matter_is_told_by_that_of_the_memory(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("我的手机是iPhone 15。")
    await ada.settle()
    clock.advance(seconds=600)
    await ada.remember("我换手机了，现在用华为Mate 70。")
    await ada.settle()
    (conflict,) = await ada.conflicts()
    assert conflict.description == "用户：手机"


@pytest.mark.spec("COG-07", "COG-08")
@pytest.mark.parametrize("line", OVER.split("\n"))
async def test_who_tells_of_a_change_ends_what_was_in_one_memory_that_can_be_undone(
    ada: AsyncAgent, clock: SetClock, line: str
) -> None:
    was, changed = line.split("|")
    await ada.remember(was)
    await ada.settle()
    (before,) = await ada.cognition.memories()
    clock.advance(seconds=600)
    await ada.remember(changed)
    await ada.settle()
    (now,) = await ada.cognition.memories()
    assert (now.id, now.version) == (before.id, 2)
    assert now.content != before.content
    assert isinstance(now.data, MemoryData)
    assert now.data.replaces
    (conflict,) = await ada.cognition.conflicts()
    await ada.cognition.resolve(conflict.id, "undo")
    assert before.content in {record.content for record in await ada.cognition.memories()}


@pytest.mark.spec("COG-08")
@pytest.mark.parametrize("line", STANDS.split("\n"))
async def test_a_change_of_something_else_ends_nothing(ada: AsyncAgent, clock: SetClock, line: str) -> None:
    holds, other = line.split("|")
    await ada.remember(holds)
    await ada.settle()
    before = await ada.cognition.memories()
    clock.advance(seconds=600)
    await ada.remember(other)
    await ada.settle()
    assert [record.version for record in before] == [1]
    after = {record.id: record for record in await ada.cognition.memories()}
    assert after[before[0].id].content == before[0].content
    assert not after[before[0].id].memory.stale


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("likely", "changed"),
    [
        ("I work as a nurse at Mercy Hospital.", "I got laid off."),
        ("My girlfriend is Priya.", "Priya is my wife now."),
        ("我在华为做测试工程师。", "我上个月跳槽去了小米。"),
        ("我女朋友叫小雯。", "我和小雯领证了。"),
    ],
)
async def test_what_a_change_makes_doubtful_stays_and_is_told_with_the_doubt(
    ada: AsyncAgent, clock: SetClock, likely: str, changed: str
) -> None:
    await ada.remember(likely)
    await ada.settle()
    (before,) = await ada.cognition.memories()
    clock.advance(seconds=600)
    await ada.remember(changed)
    await ada.settle()
    now = next(one for one in await ada.cognition.memories() if one.id == before.id)
    assert isinstance(now.data, MemoryData)
    assert (now.content, bool(now.data.stale)) == (before.content, True)


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("several", "one", "left"),
    [
        ("I have two cats, Miso and Tofu.", "Tofu died last night.", "The user has two cats, Miso and Tofu; Tofu died"),
        ("I'm allergic to eggs, soy, and wheat.", "I can eat soy again.", "The user is allergic to eggs and wheat; "),
        ("I'm allergic to nuts and milk.", "I'm not allergic to milk anymore.", "The user is allergic to nuts; "),
        ("I'm allergic to nuts and milk.", "I can drink milk again.", "The user is allergic to nuts; "),
        (
            "I'm allergic to tree nuts and milk.",
            "I'm not allergic to nuts.",
            "The user is allergic to tree nuts and milk",
        ),
        ("我对花生和虾过敏。", "我对虾不过敏了。", "用户对花生过敏；"),
        ("我对花生和虾过敏。", "医生说我可以吃虾了。", "用户对花生过敏；"),
    ],
)
async def test_who_takes_back_one_of_several_allergies_still_has_the_others(
    ada: AsyncAgent, clock: SetClock, several: str, one: str, left: str
) -> None:
    await ada.remember(several)
    await ada.settle()
    clock.advance(seconds=600)
    await ada.remember(one)
    await ada.settle()
    (now,) = await ada.cognition.memories()
    assert now.content.startswith(left)
    assert not (await ada.cognition.why(now.id)).rotten
