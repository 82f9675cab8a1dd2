"""The plain call, `recall(question)`, gives what is published: no option makes it better."""

from pathlib import Path

import pytest

import remanent
from remanent import RecallOptions
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
