"""What is read as taken back, and what is not."""

import pytest

from remanent.language.offline.changes import changes, retractions

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


def test_what_has_a_form_of_a_change_and_no_word_of_one_changes_nothing() -> None:
    assert not list(changes("我把备用钥匙藏在花盆底下了。"))
