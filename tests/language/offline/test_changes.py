"""What is read as taken back, and what is not."""

import pytest

from remanent.language.offline.changes import changes, retractions
from remanent.language.offline.statements import statements

ENDED = """I no longer live in Rome.|residence|Rome
My sister doesn't live in Oslo anymore.|residence|Oslo
I used to be a nurse.|job|nurse
I quit my job at IBM.|employer|IBM
My phone number is no longer 13912345678.|phone number|13912345678
Actually, I don't have a dog.|family|a dog
I'm not allergic to nuts anymore.|allergy|nuts
我不再住在杭州了。|住址|杭州
我从腾讯公司离职了。|工作单位|腾讯公司
其实我没有养狗。|家庭|一只狗
我妹妹不住在上海了。|住址|上海
我对花生不过敏了。|过敏|花生"""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", ENDED.split("\n"))
def test_a_denial_is_read_as_the_statement_that_holds_no_more(line: str) -> None:
    text, attribute, value = line.split("|")
    (one,) = retractions(text)
    assert (one.statement.attribute, one.statement.value, one.forgets) == (attribute, value, False)


@pytest.mark.parametrize(
    "line",
    """Miso died.|Miso
Sadly our cat Miso passed away last night.|Miso
My grandmother died in 2019.|grandmother
Hannah and I broke up.|hannah
I broke up with my boyfriend.|boyfriend
We got divorced.|wife husband
我们家的狗豆豆上个月去世了。|豆豆
我和林悦分手了。|林悦
我离婚了。|老婆 老公 妻子 丈夫
He died.|
The battery died.|
我的电脑死机了。|""".split("\n"),
)
def test_who_is_no_more_or_parted_from_is_named(line: str) -> None:
    text, who = line.split("|")
    assert [one.statement.attribute for one in retractions(text)] == who.split()


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    "text",
    ["Forget that I live in Rome.", "Please forget my birthday.", "忘掉我住在杭州这件事。", "请忘记我的生日。"],
)
def test_only_the_user_has_something_forgotten(text: str) -> None:
    assert [one.forgets for one in retractions(text)] == [True]
    assert not any(one.forgets for one in retractions(text, speaker="Mallory", is_user=False))


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget that I live in Rome.", "别忘了我住在杭州。", "I live in Rome.", "Do I no longer live in Rome?",
        "I don't trust pills, and I prefer tea.", "I forgot my keys.", "She said I no longer live in Rome.",
        "If I no longer live in Rome, what then?", "我忘了带钥匙。", "我是不是不住在杭州了？",
    ],
)  # fmt: skip
def test_what_takes_nothing_back(text: str) -> None:
    assert retractions(text) == []


HEARD = """今天好累。把我的手机号忘了吧，谢谢！|我的手机号
把我的手机号忘了吧，今天好累。|我的手机号
不好意思，能不能请你忘掉我的手机号？|我的手机号
刚才说的手机号请忘掉|我的手机号
别再提我前男友了，忘了他吧。|我前男友
昨天加班到十点。请你忘掉我昨天说的工资。|我的工资
把我的手机号、地址和生日都忘了吧，我们聊点别的。|我的手机号/我的地址/我的生日
以后叫我小李就行，还有把我的真名忘掉吧。|我的真名
我不想让你记得我的体重了。|我的体重
It was a long day, please forget my phone number.|my phone number
Please forget my phone number, I had pasta.|my phone number
Hey, would you mind forgetting my phone number?|my phone number
I live in Leeds now, and forget what I said about my ex.|my ex
Nice weather! I want you to forget that I take antidepressants.|I take antidepressants
Forget my phone number and remind me tomorrow to call Ann.|my phone number
Please forget my address, my birthday and my salary.|my address/my birthday/my salary
Also forget the phone number I gave you.|my phone number
I'd appreciate it if you forgot my shoe size.|my shoe size
Forget that I'm allergic to nuts, milk and eggs. I love cake.|I'm allergic to nuts, milk and eggs
请把我的血型删掉|我的血型
體重這條刪掉。|我的体重
我欠赌债那件事，你别记着了。|我欠赌债
跟我儿子有关的都忘了吧。|我儿子
As for my abortion, please forget about it.|my abortion
No need to keep my blood type.|my blood type
The fact that I was in prison: please forget it.|I was in prison"""


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize("line", HEARD.split("\n"))
def test_an_order_to_forget_is_heard_wherever_it_stands(line: str) -> None:
    text, about = line.split("|")
    assert list(dict.fromkeys(one.about for one in retractions(text) if one.forgets)) == about.split("/")


@pytest.mark.parametrize(
    "text",
    """出门的时候别忘了我的钥匙。
哎呀，忘了我的伞了。
我老公又把我的生日忘了，气死我了。
老师说：“把你的手机号忘了吧。”
我想忘掉我的前男友，可是好难。
他让我忘掉我的前男友。
你居然忘了我的名字。
你怎么把我的手机号忘了？
要是你忘了我的手机号就惨了
昨天太忙，把我妈的生日忘了。
医生劝我忘掉我的过去。
我妈说，忘掉我的手机号吧。
Don't you dare forget my birthday.
I just want to drink and forget my ex.
I sometimes panic and forget my own name.
I go home, sleep and forget my worries.
My therapist told me to forget about my ex.
Please make sure you don't forget my allergy.
"Forget my name," he said.
How can I forget my ex?
You never forget my birthday, thanks!
Translate: please forget my phone number.
I will not forget my mother.
I forgot my keys, and my sister forgot my birthday.""".split("\n"),
)
def test_who_tells_of_forgetting_or_warns_of_it_orders_nothing(text: str) -> None:
    assert not [one for one in retractions(text) if one.forgets]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I live in Leeds now, and forget what I said about my ex.", ["The user lives in Leeds"]),
        ("Forget my old number, my new number is 555-2222.", ["The user's new number is 555-2222"]),
        ("忘了我的住址吧，我搬到成都了。", ["用户搬到成都了"]),
        ("以后用中文回答，忘掉我的地址。", ["以后用中文回答"]),
        ("Remember that I like tea, and forget that I like coffee.", ["The user likes tea"]),
    ],
)
def test_what_stands_beside_an_order_to_forget_is_stated(text: str, told: list[str]) -> None:
    assert [one.content for one in statements(text)] == told


def test_what_has_a_form_of_a_change_and_no_word_of_one_changes_nothing() -> None:
    assert not list(changes("我把备用钥匙藏在花盆底下了。"))
