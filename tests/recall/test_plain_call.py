"""The plain call, `recall(question)`, gives what is published: no option makes it better."""

from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent import RecallOptions
from remanent.model import Injection
from remanent.recall import inject
from remanent.text.tokens import token_counter

FILLER = [
    f"Entry {number}: {text}"
    for number in range(30)
    for text in (
        "we talked about the weather and the garden for a while.",
        "the meeting was moved to another room again.",
        "somebody brought cake, and everybody was happy.",
        "the train was late, so that I read a book.",
    )
]
ROOMS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Larch", "Oak", "Pine")
ANSWER = ["The cabin has two beds.", "The cabin has a stove.", "The cabin has a boat.", "The cabin has no shower."]


@pytest.mark.spec("USE-03")
def test_a_session_that_holds_the_whole_answer_gives_all_of_it(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        for number, text in enumerate(FILLER):
            ada.remember(f"{text} A cabin was mentioned.", session=f"day {number}")
        ada.remember(ANSWER, session="cabin")
        memory.settle()
        found = [item.text for item in ada.recall("What does the cabin have?").items]
        assert set(ANSWER) <= set(found)
        bounded = ada.recall("What does the cabin have?", options=RecallOptions(source_share=0.4)).items
        assert len({item.text for item in bounded} & set(ANSWER)) == 2


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize(
    ("instruction", "talk", "aside", "asked"),
    [
        (
            "Always draw a diagram when I ask about networks.",
            "The networks in {room} join other networks.",
            "networks",
            "How do I plan networks?",
        ),
        ("以后讲网络都先画图。", "{room}的网络连着别的网络。", "网络", "网络应该怎么规划？"),
    ],
)
def test_a_standing_instruction_of_the_user_is_found_for_the_work_it_is_about(
    tmp_path: Path, instruction: str, talk: str, aside: str, asked: str
) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        told = [*FILLER, f"{' '.join(FILLER[:9])} {aside}", *(talk.format(room=room) for room in ROOMS)]
        ada.remember([*told, instruction], session="work")
        memory.settle()
        # Without the gate, which wants more than one word in common.
        found = ada.recall(asked, options=RecallOptions(gate=False)).items
        assert found[0].text == instruction


@pytest.mark.spec("USE-03")
def test_a_rare_exact_term_opens_the_gate(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([*FILLER, "A film by Ann: Quorbits."])
        memory.settle()
        found = ada.recall("Which prizes did the soundtrack of Quorbits win?")
        assert [item.text for item in found.items][:1] == ["A film by Ann: Quorbits."]
        assert not ada.recall("Which prizes did the soundtrack of Xyloprate win?").items


@pytest.mark.spec("USE-04")
def test_the_text_takes_what_its_budget_holds_and_the_items_stay_as_many_as_wanted(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([f"The cabin has a room called {name}." for name in ROOMS])
        memory.settle()
        found = ada.recall("Which rooms does the cabin have?", limit=2)
        assert len(found.items) == 2
        assert found.text.count("\n- ") == 8
        assert token_counter()(found.text) <= 1000
        small = ada.recall("Which rooms does the cabin have?", limit=2, budget=80)
        assert 0 < small.text.count("\n- ") < 8
        assert ada.recall("thanks!").text == ""
    with remanent.open(tmp_path, embedder="none", recall={"budget": 80}) as memory:
        assert memory.agent("ada").recall("Which rooms does the cabin have?").text == small.text


@pytest.mark.spec("USE-04")
@pytest.mark.parametrize(
    ("asked", "told", "again"),
    [
        ("What is my blood type?", "The lab says that my blood type is AB negative, which is rare.", "my blood type"),
        ("我的血型是什么？", "化验单上写着，我的血型是AB型阴性，比较少见。", "我的血型"),
    ],
)
def test_the_own_question_of_yesterday_ranks_behind_what_tells_the_answer(
    tmp_path: Path, asked: str, told: str, again: str
) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([*FILLER, "Hi!", "你好", asked, told], session="monday")
        ada.remember([{"role": "user", "content": asked}], session="tuesday")
        memory.settle()
        found = ada.recall(asked)
        assert found.items[0].text == told
        assert told in found.text
        assert f"{asked}\n" not in found.text
        of_asking = f"What did I ask about {again}?" if asked.isascii() else f"我问过{again}的什么？"
        assert ada.recall(of_asking, options=RecallOptions(gate=False)).items[0].text == asked


@pytest.mark.spec("USE-03")
def test_among_people_a_question_speaks_for_the_turn_that_answers_it(tmp_path: Path) -> None:
    talk = [
        {"role": "Mel", "content": "Any fun plans for the summer holidays?"},
        {
            "role": "Caro",
            "content": "Looking for an agency, because a child is what we dream of, and papers take months.",
        },
        {"role": "Mel", "content": "Good luck, then."},
    ]
    other = "The summer holidays were hot, and the plans for the roof were put off until the rain came back at last."
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([*FILLER, *([other] * 2)])
        ada.remember(talk, session="june")
        memory.settle()
        question = "What are the plans of Caro for the summer holidays?"
        items = ada.recall(question, limit=10, options=RecallOptions(gate=False)).items
        reply = next(item for item in items if talk[1]["content"] in item.text)
        assert [source.text for source in reply.sources] == [talk[1]["content"], talk[0]["content"]]
        assert not any(item.text == talk[0]["content"] for item in items)
        alone = next(item for item in items if item.text == other)
        assert reply.context > alone.context
        assert "brevity" in {boost.name for boost in reply.boosts}


@pytest.mark.spec("USE-04")
def test_an_answer_that_is_kept_needs_no_new_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[str]()

    def counted(question: str, *given: Any, **options: Any) -> Injection:
        made.append(question)
        return inject(question, *given, **options)

    monkeypatch.setattr("remanent.memory.inject", counted)
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([f"The cabin has a room called {name}." for name in ROOMS])
        memory.settle()
        first = ada.recall("Which rooms does the cabin have?", limit=2)
        again = ada.recall("Which rooms does the cabin have?", limit=2)
        assert again.cached
        assert again == first.replace(cached=True)
        assert len(made) == 1
        shorter = ada.recall("Which rooms does the cabin have?", limit=2, budget=80)
        assert shorter.text != first.text
        seen = RecallOptions(seen=first.injection.fingerprints)
        assert ada.recall("Which rooms does the cabin have?", limit=2, options=seen).text == ""


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I'm allergic to walnuts, which cereal is safe?", "What am I allergic to?"),
        ("My daughter moved to Leeds, is there a good gym?", "Where did my daughter move?"),
        ("Our passports run out in July, should be fine, right?", "When do our passports run out?"),
        ("我女儿对鸡蛋过敏，做什么蛋糕好？", "我女儿对什么过敏？"),
        ("我刚搬到成都，附近有什么好吃的？", "我搬到哪里了？"),
        ("护照七月到期，应该没事吧？", "护照什么时候到期？"),
    ],
)
def test_what_was_told_in_one_breath_with_a_question_is_an_answer(tmp_path: Path, told: str, question: str) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember(["The weather is fine.", "今天天气不错。", told, "Ann plays the flute.", "小王会下棋。"])
        memory.settle()
        found = ada.recall(question)
        assert found.items[0].text == told
        assert found.items[0].score > 0
        assert told in found.text


ASKED_OF_THE_AGENT = """
Can you recommend a film for tonight? Something light.|Paddington 2 is a light film.|What film did you recommend?
Suggest a name for my boat please.|Heron would be fine.|Which name did you suggest for my boat?
I need stretches for my back, list three for me.|Cat, cobra, child's pose.|Which stretches did you list for my back?
推荐个今晚看的电影呗，轻松点的。|可以看看《帕丁顿熊2》，很温馨。|你推荐了什么电影？
给我列几道适合夏天的凉菜，我好买菜。|拍黄瓜、凉拌木耳。|你给我列的凉菜有哪些？
帮我给小猫起个名字，要好听的。|叫桂圆怎么样。|你给小猫起的名字，你说的是什么？
""".strip()


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize("line", ASKED_OF_THE_AGENT.split("\n"))
def test_what_the_agent_said_comes_with_the_request_for_it(tmp_path: Path, line: str) -> None:
    request, reply, question = line.split("|")
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        aside = [{"role": "user", "content": text} for text in ("The weather is fine.", "今天天气不错。")]
        talk = [{"role": "user", "content": request}, {"role": "assistant", "content": reply}, *aside]
        ada.remember(talk, session="s")
        memory.settle()
        assert reply in ada.recall(question).items[0].text


@pytest.mark.spec("USE-03")
def test_where_much_is_found_what_one_of_several_people_goes_on_with_takes_one_place(tmp_path: Path) -> None:
    told = ["My turtles Tim and Tom live in a tank.", "The tank of my turtles Tim and Tom stands in the hall."]
    talk = [{"role": role, "content": text} for role, text in (("Ann", told[0]), ("Bob", "Good."), ("Ann", told[1]))]
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        for number in range(60):
            ada.remember(f"In hall {number} there is a tank, too.", session=f"hall {number}")
        ada.remember(talk, session="turtles")
        memory.settle()
        question = "Where is the tank of my turtles Tim and Tom?"
        best = ada.recall(question).items[0]
        bounded = ada.recall(question, options=RecallOptions(source_share=0.4)).items
    assert best.text == "\n…\n".join(told)
    assert {source.text for source in best.sources} == set(told)
    assert all(len(item.sources) == 1 for item in bounded), "the share of a session counts messages"
