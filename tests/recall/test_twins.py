"""What was said twice in the same words is one item, and both places are among its sources."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import remanent
from remanent.recall.answers import MAX_TWINS

SAID = "My blood type is AB negative."
ASKED = "What is my blood type?"
FILLER = [f"Entry {number}: we talked about the weather and the garden." for number in range(12)]


def _agent(memory: remanent.Memory) -> remanent.Agent:
    ada = memory.agent("ada")
    ada.remember(FILLER, session="filler")
    return ada


def _say(ada: remanent.Agent, day: int, text: str = SAID, *, user: str | None = None, **fields: object) -> str:
    message = {"role": "user", "content": text, "occurred_at": datetime(2024, 5, day, 12, tzinfo=UTC), **fields}
    return ada.remember([message], session=f"day {day}", user=user).entry_ids[0]


def _items(ada: remanent.Agent, text: str = SAID, **options: object) -> list[remanent.FoundItem]:
    found = ada.recall(ASKED, **options)  # type: ignore[arg-type]
    return [item for item in found.items if item.text.casefold() == text.casefold()]


@pytest.mark.spec("USE-03")
def test_an_item_said_twice_names_both_places_and_stands_once(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        first, second = _say(ada, 1), _say(ada, 9, f"  {SAID} ".replace(" ", "  "))
        memory.settle()
        (item,) = [one for one in ada.recall(ASKED).items if "blood type is" in " ".join(one.text.split())]
        assert [source.entry_id for source in item.sources] == [second, first], "the newest first"
        assert item.record_id == second
        assert item.session == "day 9"
        assert item.evidence == (second, first)
        assert "[2024-05-01, 2024-05-09] user:" in ada.recall(ASKED).text


@pytest.mark.spec("USE-03")
def test_no_more_places_are_named_than_a_reader_can_use(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        for day in range(1, 16):
            _say(ada, day)
        memory.settle()
        first = _items(ada)[0]
        assert len(first.sources) == MAX_TWINS + 1
        assert first.session == "day 15"


@pytest.mark.spec("USE-03")
@pytest.mark.parametrize(
    "fields",
    [{"role": "Bob"}, {"user": "bob"}],
    ids=["another speaker", "another user"],
)
def test_the_same_words_of_somebody_else_are_another_statement(tmp_path: Path, fields: dict[str, str]) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        _say(ada, 1)
        _say(ada, 2, **fields)
        memory.settle()
        assert [len(item.sources) for item in _items(ada)] == [1, 1]


@pytest.mark.spec("USE-03")
def test_words_that_mean_another_day_each_time_are_not_told_as_one(tmp_path: Path) -> None:
    text = "They took my blood yesterday, to tell the blood type."
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        _say(ada, 1, text)
        _say(ada, 9, text)
        memory.settle()
        assert [len(item.sources) for item in _items(ada, text)] == [1, 1]


@pytest.mark.spec("SAFE-03")
def test_a_twin_that_is_erased_or_not_asked_for_leaves_no_trace_in_the_other(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        first = _say(ada, 1, user="ann", metadata={"place": "clinic"})
        second = _say(ada, 9, user="ann", metadata={"place": "home"})
        other = _say(ada, 10, user="bob")
        memory.settle()
        (item,) = _items(ada, user="ann")
        assert {source.entry_id for source in item.sources} == {first, second}
        assert item.metadata["place"] == "home"
        (item,) = _items(ada, user="bob")
        assert [source.entry_id for source in item.sources] == [other]
        (item,) = _items(ada, user="ann", until=datetime(2024, 5, 5, tzinfo=UTC))
        assert [source.entry_id for source in item.sources] == [first]
        (item,) = _items(ada, where={"place": "clinic"})
        assert [source.entry_id for source in item.sources] == [first]
        (item,) = _items(ada, user="ann", options=remanent.RecallOptions(without=(second,)))
        assert (item.record_id, item.session, item.metadata["place"]) == (first, "day 1", "clinic")
        assert [source.entry_id for source in item.sources] == [first]
        ada.erase(entry_ids=[second])
        (item,) = _items(ada, user="ann")
        assert second not in item.to_json()
        assert "home" not in item.to_json()


@pytest.mark.spec("COG-16")
def test_what_was_taken_back_and_said_again_holds_again(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = _agent(memory)
        for day, city in ((1, "Paris"), (5, "Rome"), (9, "Paris")):
            _say(ada, day, f"I live in {city}.")
        memory.settle()
        found = {item.text: item for item in ada.recall("Where do I live?").items}
        assert found["I live in Paris."].outdated_by is None
        assert found["I live in Paris."].session == "day 9"
