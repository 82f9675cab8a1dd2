"""Telling small talk and mere questions from what tells something."""

import pytest

from remanent.text import talk
from remanent.text.talk import (
    asks_of_oneself,
    is_small_talk,
    is_standing_instruction,
    only_asks,
    only_shrugs,
    says_nothing_alone,
    share_asked,
    takes_back,
)

SMALL_TALK = """
hi
Hello there!
ok
OK, thanks!
thanks!
Thank you so much 😊
Thanks, Bob!
good morning
Hi, how are you?
great, got it
see you tomorrow
👍
Got it, I'll remember that.
Noted!
Woo!
Sorry!
Congratulations!
I'm glad to hear that.
Great, I'll keep that in mind.
听起来不错。
辛苦了，早点休息。
明白，有需要随时说
你好
您好！
好的
好的，谢谢！
谢谢你啦
嗯嗯
收到
早上好
明天见
好的，记住了。
好的，我会记住的。
恭喜！
很高兴认识你！
""".strip().split("\n")
MATTER = """
go on
yes, do that
ok, and the price?
hi, what is my blood type?
thanks, now book the flight
good idea, take the blue one
fine dining in Rome
okra
Noted: the flight is on Friday.
I'll remember that evening in Rome
Congratulations on the new flat in Lisbon!
I see a cat
继续
然后呢？
记住我住在上海
恭喜你搬到上海
好的，那就订周五的票
可以吃花生吗
行程
早餐吃什么
""".strip().split("\n")
ASKING = """
What is my blood type?
what is my blood type
Hi! Do you know my blood type?
Which one did I take, and when? Thanks
我的血型是什么？
我是什么血型
你知道我的血型吗
我的钥匙呢
我表妹在哪里上班呢。
有什么电影推荐吗？谢谢
""".strip().split("\n")
TELLING = """
My blood type is O positive.
I am O positive. What does that mean for my brother?
I know what he did.
You asked who called: it was Clara.
我是O型血。这是什么意思？
我什么都吃
我表妹在杭州上班呢。
""".strip().split("\n")
INSTRUCTIONS = """
Always cite the statute when I ask about contracts.
Please never use emoji in mails to customers.
Great, that helps. From now on, keep answers below ten lines.
When I ask about recipes, give the amounts in grams.
以后回答都用中文
每次我问天气，都先说温度
请始终给出出处。
""".strip().split("\n")
NO_INSTRUCTIONS = """
Never mind, it works now.
Always wanted to see Rome.
I always take the early train.
From now on I run every morning.
She asked me when I would come.
以后我都要早起
我每次都忘记带伞
""".strip().split("\n")


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_what_is_to_be_done_from_now_on_is_a_standing_instruction(text: str) -> None:
    assert is_standing_instruction(text)


@pytest.mark.parametrize("text", [*NO_INSTRUCTIONS, *MATTER, *ASKING, "Always cite. " + "x" * 400])
def test_what_people_tell_of_themselves_instructs_nobody(text: str) -> None:
    assert not is_standing_instruction(text)


def test_what_holds_no_word_of_an_instruction_is_not_looked_at_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "_STANDING", None)
    assert not is_standing_instruction("The garden gate is painted green, and 门口有棵树。")


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", SMALL_TALK)
def test_greetings_thanks_and_consent_are_small_talk(text: str) -> None:
    assert is_small_talk(text)
    assert not only_asks(text) or "?" in text


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", [*MATTER, *ASKING, *TELLING])
def test_what_goes_on_with_a_matter_is_no_small_talk(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", ASKING)
def test_a_turn_of_questions_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", TELLING)
def test_a_turn_that_also_tells_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


OF_ONESELF = """
What is my blood type?
Which school did my brother attend?
How old am I?
When did we move here?
我的血型是什么？
我哥哥在哪里上大学？
我家的狗叫什么名字？
我上次体检是什么时候
How long was I in Japan for?
Can you tell me my blood type?
Could you please remind me what my shoe size is?
Tell me my blood type.
你能告诉我我的血型吗？
请告诉我我的车牌号。
""".strip().split("\n")
OF_OTHER_THINGS = """
What is the capital of France?
How do I mend my bike?
Why does my build fail?
What should I cook for my guests?
My dog is called Rex.
Can you tell me how to mend my bike?
Remind me to call my bank.
Tell me what a noun is.
What is wrong with my Dockerfile?
法国的首都是哪里？
我的简历该写多长？
我的代码为什么报错？
怎么修我的自行车？
我可以吃什么？
我的狗叫旺财。
你能告诉我怎么修车吗？
周五提醒我给银行打电话。
""".strip().split("\n")


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("text", OF_ONESELF)
def test_who_asks_for_a_fact_of_their_own_life_asks_of_themselves(text: str) -> None:
    assert asks_of_oneself(text)


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("text", OF_OTHER_THINGS)
def test_advice_knowledge_and_statements_are_no_questions_of_oneself(text: str) -> None:
    assert not asks_of_oneself(text)


SHRUGS = """
I do not remember.
I'm sorry, but I don't have any information about your brother's school.
Sorry, I cannot tell.
不记得。
抱歉，我不知道。
对不起，我无法提供您的车牌号。
我没有找到有关上次体检的信息。
The conversation does not provide any information about the rent your sister pays.
The notes don't mention that.
此前的对话中没有提到您的工号。
""".strip().split("\n")
NO_SHRUGS = """
I don't know anybody in Leeds, but Lily moved there in May.
I do not remember the day. It was in May, and the flat is near the station.
You do not remember the name of your first school.
我不知道这家店。小丽说它在车站旁边。
妹妹不记得密码了。
The conversation with Tom did not help, so Lily moved to Leeds.
The contract does not mention the rent.
合同里没有提到租金。
""".strip().split("\n")


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", SHRUGS)
def test_who_only_says_that_it_is_not_known_shrugs(text: str) -> None:
    assert only_shrugs(text)


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize("text", NO_SHRUGS)
def test_who_tells_something_besides_does_not_shrug(text: str) -> None:
    assert not only_shrugs(text)


@pytest.mark.parametrize("text", ["ok, thanks!", "Hmmm… nope", "You’re welcome", "明白了解", "哈哈喽", "嗯嗯，好的"])
def test_greetings_thanks_and_bare_replies_say_nothing_alone_however_they_are_put_together(text: str) -> None:
    assert says_nothing_alone(text)


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize(
    "text",
    [
        *("yes", "Go on", "continue", "go ahead", "Yes, do that.", "ok, try again", "please fix it", "LGTM 👍"),
        *("是的", "继续吧", "好的，继续", "对，就这么办", "再试一次", "下一步"),
    ],
)
def test_what_only_goes_on_with_the_matter_in_hand_says_nothing_alone(text: str) -> None:
    assert says_nothing_alone(text)
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        *("go home", "commit and push", "run the tests", "fix the parser", "do it in Rust", "yes, 42", "next Friday"),
        *("继续用中文", "做饭", "开始时间", "重来没去过", "对花生过敏", "照片", "这样说吧，我住上海"),
    ],
)
def test_what_names_a_matter_says_something_alone(text: str) -> None:
    assert not says_nothing_alone(text)


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("piece", ["继续", "再试", "do it ", "嗯", "你好", "明白了", "hm", "hi "])
def test_small_talk_that_ends_in_something_else_is_told_at_once(piece: str) -> None:
    assert not says_nothing_alone(piece * 500 + "x")


TAKEN_BACK = """
no wait, it's Wednesday at 3
Correction: biology is on the 26th
scrap that, we eat fish again
Sorry, I meant Thursday
Oops, make that 8pm
Actually it's on Friday
my bad, it was Ana who paid
哦不对，是周三
更正一下，英语改到二十六号了
我记错了，是三楼
等等，不对，是下周
啊打错了，是15号
不是，我是说周五
""".strip().split("\n")
GOING_ON = """
actually I've gone off black coffee
no worries
wait for me at the station
I mean it's fine
I meant to tell you that we moved
make it a double
don't make that mistake
感觉有点不对劲
不是我买的
错过了末班车
""".strip().split("\n")


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_who_takes_back_what_was_just_said_is_heard(text: str) -> None:
    assert takes_back(text)


@pytest.mark.parametrize("text", GOING_ON)
def test_who_goes_on_takes_nothing_back(text: str) -> None:
    assert not takes_back(text)


TOLD_BEFORE_ASKING = """
I'm on warfarin, can I take ibuprofen?
My daughter is allergic to eggs, what cake can I bake?
we've got two kids and a dog so is a flat on the 5th floor ok?
I've a job interview at Monzo on Friday at 2, what should I wear?
I'm vegan, any dinner ideas?
passport runs out in July, should be fine right?
The bins go out on Monday, don't they?
Since I'm allergic to nuts, which cereal is safe?
my landlord wants 900 for the deposit - is that legal?
hey, I just moved to Leeds, where can I find a good gym?
我女儿鸡蛋过敏，做什么蛋糕好？
我下周三去上海出差，需要带伞吗？
我刚搬到成都，附近有什么好吃的？
我家猫十岁了还能打疫苗吗？
我胃不好，能喝咖啡吗
护照七月就到期了，应该没事吧？
因为我对花生过敏，哪种饼干能吃？
周五交房租，对吧？
my passport runs out in July, should be fine right?
""".strip().split("\n")
ASKED_ALL_THE_SAME = """
My cat, what is she called?
My older sister, what is her name?
I forgot, what's my shoe size?
I was wondering, where did I park?
if I move to Japan, what visa do I need?
By the way, where do I work?
I told you before, what's my dog's name?
I can't remember, when is my flight?
When I was in Paris, what did I eat?
I know, right?
我上次说的那家店，叫什么来着？
我忘了，我住几楼？
我想问一下，我的血型是什么？
我的猫，叫什么名字？
我的电脑密码，是多少？
我记不清了，我什么时候搬的家？
What's my name, right?
do I like tea, or coffee?
我是什么时候搬家的？
我住在哪里，你记得吗？
我在哪儿上班，几点下班？
我喜欢什么颜色，蓝色吗？
What about you?
And my brother, where does he live?
是吧？
I live in Rome, right?
我住在罗马，对吧？
我们什么时候去，几点出发？
""".strip().split("\n")


@pytest.mark.parametrize("text", TOLD_BEFORE_ASKING)
def test_what_somebody_tells_of_themselves_before_they_ask_is_told(text: str) -> None:
    assert not only_asks(text)
    assert share_asked(text) < 1


@pytest.mark.parametrize("text", ASKED_ALL_THE_SAME)
def test_a_question_that_is_only_led_up_to_still_asks(text: str) -> None:
    assert only_asks(text)
