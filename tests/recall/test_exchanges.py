"""A short question and what somebody says to it are one answer."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfile

import pytest

import remanent
from remanent.model.clock import local

ASKED = "Lovely turtles! Since when do you keep them?"
TOLD = "Three years now, they are called Tim and Tom."
TALK = [
    {"role": "Ann", "content": ASKED},
    {"role": "Bob", "content": TOLD},
    {"role": "Ann", "content": "The turtles at the zoo are called Kim and Kam."},
]


def _found(tmp_path: Path, talk: list[dict[str, str]], question: str, **options: object) -> list[remanent.FoundItem]:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember(talk, session="talk", metadata={"room": "blue"})
        memory.settle()
        return list(ada.recall(question, **options).items)  # type: ignore[arg-type]


@pytest.mark.spec("USE-03")
def test_an_answer_comes_with_its_question_and_both_stand_among_its_sources(tmp_path: Path) -> None:
    found = _found(tmp_path, TALK, "What are the turtles called?")
    pair = next(item for item in found if len(item.sources) == 2)
    assert pair.text == f"Ann: {ASKED}\nBob: {TOLD}"
    assert {source.text for source in pair.sources} == {ASKED, TOLD}
    assert pair.metadata == {"room": "blue"}
    assert [item.text for item in found if item is not pair] == [TALK[2]["content"]], "nothing is said twice"


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"role": "user", "content": ASKED}, {"role": "assistant", "content": "Turtles live for a hundred years."}),
        ({"role": "Ann", "content": "I saw turtles called Tim and Tom."}, {"role": "Bob", "content": "Turtles, good."}),
        ({"role": "Ann", "content": ASKED}, {"role": "Ann", "content": "I mean the turtles called Tim and Tom."}),
        ({"role": "Ann", "content": f"{'The turtles swim. ' * 30}{ASKED}"}, {"role": "Bob", "content": TOLD}),
    ],
    ids=["an agent's answer", "no question", "nobody answers himself", "a long tale that ends with a question"],
)
def test_what_is_no_exchange_among_people_stays_apart(
    tmp_path: Path, first: dict[str, str], second: dict[str, str]
) -> None:
    found = _found(tmp_path, [first, second], "What about the turtles called Tim?")
    assert found
    assert all(len(item.sources) == 1 for item in found)


MATTER = [
    {"role": "user", "content": "My turtles Tim and Tom live in a tank of 200 litres."},
    {"role": "assistant", "content": "Lovely! A tank for turtles wants a lamp."},
    {"role": "user", "content": "The tank of my turtles Tim and Tom stands in the hall."},
]


@pytest.mark.spec("USE-03")
def test_what_a_user_tells_an_agent_in_two_messages_takes_one_place(tmp_path: Path) -> None:
    talk = [*MATTER, {"role": "assistant", "content": "Good."}, {"role": "user", "content": "And a tank for the car?"}]
    pair, *others = _found(tmp_path, talk, "Where is the tank of my turtles Tim and Tom?")
    assert pair.text == f"{MATTER[0]['content']}\n…\n{MATTER[2]['content']}"
    assert {source.text for source in pair.sources} == {MATTER[0]["content"], MATTER[2]["content"]}
    assert MATTER[1]["content"] in {item.text for item in others}
    assert all(len(item.sources) == 1 for item in others), "what is far from the question stays apart"
    assert {MATTER[0]["content"], MATTER[2]["content"]}.isdisjoint(item.text for item in others), "nothing twice"


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize(
    "between",
    [{"role": "user", "content": "My tank for turtles wants a lamp."}, {"role": "Bob", "content": "Turtles, good!"}],
    ids=["the user", "somebody else"],
)
def test_without_an_agent_between_them_messages_stay_apart(tmp_path: Path, between: dict[str, str]) -> None:
    found = _found(tmp_path, [MATTER[0], between, MATTER[2]], "Where is the tank of my turtles Tim and Tom?")
    assert found
    assert all(len(item.sources) == 1 for item in found)


@pytest.mark.spec("USE-03")
def test_messages_of_a_diary_stay_apart(tmp_path: Path) -> None:
    said = [
        MATTER[0]["content"],
        "It rained.",
        MATTER[2]["content"],
        "My turtles left.",
        "I cleaned the car, and its tank.",
    ]
    diary = [{"role": "user", "content": text} for text in said]
    found = _found(tmp_path, diary, "Where is the tank of my turtles Tim and Tom?")
    assert [len(item.sources) for item in found] == [1, 1, 1, 1]


@pytest.mark.spec("USE-03")
def test_who_asks_what_was_asked_gets_the_questions_by_themselves(tmp_path: Path) -> None:
    found = _found(tmp_path, TALK, "What did Ann ask about the turtles?")
    assert all(len(item.sources) == 1 for item in found)


@pytest.mark.spec("USE-03")
def test_the_limit_counts_answers_and_what_is_beside_one_takes_no_place(tmp_path: Path) -> None:
    talk = [
        {"role": role, "content": text}
        for number in range(8)
        for role, text in (("Ann", f"Is boat {number} yours?"), ("Bob", f"Boat {number} belongs to my aunt {number}."))
    ]
    found = _found(tmp_path, talk, "To whom do the boats belong, which aunt?", limit=4)
    assert len(found) == 4
    assert all(len(item.sources) == 2 for item in found)


@pytest.mark.spec("COG-16")
def test_what_does_not_count_is_not_told_beside_what_does(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        asked, told, _ = ada.remember(TALK, session="talk").entry_ids
        memory.settle()
        for gone, left in ((asked, TOLD), (told, ASKED)):
            options = remanent.RecallOptions(without=(gone,))
            found = ada.recall("What are the turtles called?", options=options)
            assert {item.text for item in found.items} == {left, TALK[2]["content"]}


@pytest.mark.spec("USE-03")
def test_a_diary_that_nobody_replies_to_gives_way_to_no_other_talk(tmp_path: Path) -> None:
    told = ["Tim swims in the tank.", "Tim sleeps in the tank.", "Tim eats in the tank.", "Tim sits in the tank."]
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([{"role": "user", "content": text} for text in told], session="diary")
        ada.remember("Tim hides in the tank.", session="elsewhere")
        ada.remember("A tank.", session="more")
        memory.settle()
        found = ada.recall("Tim tank?")
    assert [item.session for item in found.items][:4] == ["diary"] * 4


TAKEN_BACK = """The dentist is Tuesday at 3.|No wait, it's Wednesday at 3.|The vet is on Tuesday.|When's the dentist?
Our train leaves at 8:40.|Sorry, I meant 9:40.|The bus is free.|When does our train leave?
Mia's party is in the park.|Scratch that, they moved it indoors.|Mia is six.|Where is Mia's party?
周二下午三点约了牙医。|哦不对，是周三。|给狗打疫苗是周二。|什么时候看牙医？
我们的座位在三排。|我记错了，是五排。|电影是法国的。|我们的座位在几排？
快递放在门口了。|说错了，在楼下驿站。|门口有一双鞋。|快递放在哪儿？"""


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize("line", TAKEN_BACK.split("\n"))
@pytest.mark.parametrize("reply", [None, "Noted, the dentist, the train, the party. 好的，牙医、座位、快递。"])
def test_what_was_taken_back_comes_with_what_is_right(tmp_path: Path, line: str, reply: str | None) -> None:
    said, corrected, aside, question = line.split("|")
    talk = [{"role": "user", "content": said}]
    talk += [{"role": "assistant", "content": reply}] if reply else []
    talk += [{"role": "user", "content": corrected}, {"role": "user", "content": aside}]
    found = _found(tmp_path, talk, question)
    assert {source.text for source in found[0].sources} >= {said, corrected}
    assert found[0].text.index(said) < found[0].text.index(corrected)
    assert sum(corrected in item.text for item in found) == 1, "nothing is said twice"


@pytest.mark.spec("USE-03")
def test_a_correction_is_found_by_the_words_of_what_it_corrects_among_much_else(tmp_path: Path) -> None:
    aside = [{"role": "user", "content": f"Note {number}: the garden needs water."} for number in range(60)]
    talk = [
        {"role": "user", "content": "The dentist is Tuesday at 3."},
        {"role": "user", "content": "No wait, it's Wednesday."},
        *aside,
    ]
    found = _found(tmp_path, talk, "When is the dentist?")
    assert "Wednesday" in found[0].text


@pytest.mark.spec("USE-03")
def test_what_another_takes_back_stays_apart(tmp_path: Path) -> None:
    talk = [
        {"role": "Ann", "content": "The dentist is Tuesday at 3."},
        {"role": "Bob", "content": "No wait, it's Wednesday."},
    ]
    assert len(_found(tmp_path, talk, "When is the dentist?")[0].sources) == 1


YES = [
    {"role": "Ann", "content": "Shall we meet at the aquarium?"},
    {"role": "Bob", "content": "Yes, in May."},
    {"role": "Ann", "content": "The trains are late again."},
]


@pytest.mark.parametrize("way", ["an export", "a repair"])
def test_a_reply_is_found_by_what_it_replies_to_however_its_index_was_made(tmp_path: Path, way: str) -> None:
    first, other = tmp_path / "first", tmp_path / "other"
    with remanent.open(first, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember(YES, session="talk")
        memory.settle()
        before = ada.recall("aquarium")
        if way == "a repair":
            copy = Path(str(ada.admin.repair()))
            target = other / copy.relative_to(first).with_name("memory.db")
            target.parent.mkdir(parents=True)
            copyfile(copy, target)
        lines = [*ada.export()]
    with remanent.open(other, embedder="none") as memory:
        ada = memory.agent("ada")
        if way == "an export":
            ada.load(lines)
        after = ada.recall("aquarium")
    assert [item.text for item in after.items] == [item.text for item in before.items]
    assert any("in May" in source.text for item in after.items for source in item.sources)


def test_what_is_said_days_later_answers_nothing_and_has_its_own_day(tmp_path: Path) -> None:
    """A line that broke "yesterday" stood under the day of a question that was asked two weeks before it."""
    at = datetime(2026, 1, 6, 10, tzinfo=UTC)
    speech = {"role": "assistant", "content": "A speech can be short! Shall I draft it?", "occurred_at": at}
    boiler = {"role": "user", "content": "My boiler broke yesterday."}
    with remanent.open(tmp_path, embedder="none") as memory:
        for name, waited in (("late", timedelta(days=14)), ("soon", timedelta(minutes=2))):
            memory.agent(name).remember([speech, {**boiler, "occurred_at": at + waited}], session="s")
        memory.settle()
        late, soon = (memory.agent(name).recall("boiler speech draft") for name in ("late", "soon"))
        assert [len(item.sources) for item in late.items] == [1, 1]
        assert [len(item.sources) for item in soon.items] == [2]
        assert "[2026-01-20] user: My boiler broke yesterday [2026-01-19]." in late.text


def test_each_line_of_an_exchange_over_midnight_has_its_own_day(tmp_path: Path) -> None:
    evening = datetime(2026, 1, 6, 20, tzinfo=UTC)
    said = (evening, evening + timedelta(hours=8))
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([{**line, "occurred_at": at} for line, at in zip(TALK[:2], said, strict=True)], session="s")
        memory.settle()
        text = ada.recall("Since when are the turtles Tim and Tom here?").text
    days = [re.escape(str(local(moment).date())) for moment in said]
    assert re.search(rf"- \[{days[0]}.*\] Ann: .*\n- \[{days[1]}.*\] Bob: ", text), text
