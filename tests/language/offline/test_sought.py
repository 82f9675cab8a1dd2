import pytest

from remanent.language.offline.answer_finding import find_answer

BRIDGE = (
    "Orlin Bridge is a suspension bridge over the river Tarn. It was designed by Edda Marlow and opened in 1934. "
    "The main span is 412 metres long. It has two towers and weighs 9,000 tonnes."
)
BRIDGE_ZH = "苍溪大桥是跨越苍溪江的悬索桥，设计者为林秉谦，1987年建成通车。大桥主跨412米，全重九千吨，有两座桥塔。"


@pytest.mark.spec("BANK-25")
@pytest.mark.parametrize(
    ("text", "question"),
    [
        (BRIDGE, "What is the design speed of Orlin Bridge?"),
        (BRIDGE, "What is the design load limit of Orlin Bridge?"),
        (BRIDGE, "How many piers does Orlin Bridge have?"),
        (BRIDGE, "What was the price of Orlin Bridge?"),
        (BRIDGE_ZH, "苍溪大桥的设计车速是多少？"),
        (BRIDGE_ZH, "苍溪大桥的设计荷载是多少？"),
        (BRIDGE_ZH, "苍溪大桥的设计寿命有多少年？"),
        (BRIDGE_ZH, "苍溪大桥有几个桥墩？"),
        ("Lamp L2 costs 45 euros.", "What is the price of Lamp L9?"),
        ("台灯A2的零售价是45元。", "台灯A9的零售价是多少？"),
    ],
)
def test_a_figure_of_something_else_is_no_answer(text: str, question: str) -> None:
    assert not find_answer(question, [text], titles=["Orlin Bridge 苍溪大桥"]).is_good


@pytest.mark.parametrize(
    ("text", "question", "figure"),
    [
        (BRIDGE, "How many towers does Orlin Bridge have?", "two towers"),
        (BRIDGE, "What is the weight of Orlin Bridge?", "9,000 tonnes"),
        (BRIDGE, "How long is the main span of Orlin Bridge?", "412"),
        (BRIDGE_ZH, "苍溪大桥的主跨多长？", "412米"),
        (BRIDGE_ZH, "苍溪大桥有几座桥塔？", "两座桥塔"),
        ("非洲猴面包树的果实重约15克。", "猴面包树果实的重量是多少？", "15克"),
        ("临江市2007年人口普查数据为91606人。", "临江市的人口数是多少？", "91606"),
        ("试用期结束后，每周可居家办公两天。试用期为六个月。", "试用期多久？", "六个月"),
    ],
)
def test_the_figure_of_the_thing_asked_for_is_one(text: str, question: str, figure: str) -> None:
    assert figure in find_answer(question, [text], titles=["Orlin Bridge 苍溪大桥"]).text


def test_what_somebody_does_is_no_thing_that_is_asked_of() -> None:
    texts = ["Send the revised plan to the office by Friday.", "A key may make 25 requests per second."]
    assert "plan" not in find_answer("What happens if I send too many requests?", texts, titles=["Staff", "API"]).text
    assert find_answer("How do I send a plan?", texts, titles=["Staff", "API"]).sentences == (texts[0],)
