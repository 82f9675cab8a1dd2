from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.model import Kind
from remanent.recall import Surroundings
from remanent.recall.surroundings import context_of, discounted, session_evidence
from remanent.stores import Place

MAY = datetime(2024, 5, 1, tzinfo=UTC)


def _place(record_id: str, *, session: str | None = "s", before: str | None = None, after: str | None = None) -> Place:
    return Place(record_id, Kind.TURN, session, MAY, before_id=before, after_id=after)


PLACES = {
    "a": _place("a", after="b"),
    "b": _place("b", before="a", after="c"),
    "c": _place("c", before="b"),
    "d": _place("d", session="t"),
    "e": _place("e", session=None),
}


def test_a_turn_gets_a_share_of_what_its_neighbours_have() -> None:
    context = context_of({"a": 1.0, "c": 0.5}, PLACES, Surroundings(neighbours=0.2))
    assert context == pytest.approx({"a": 0.0, "b": 0.3, "c": 0.0, "d": 0.0, "e": 0.0})


def test_a_turn_gets_a_share_of_its_session_s_best_turns() -> None:
    context = context_of({"a": 1.0, "b": 0.5, "d": 0.4, "e": 0.9}, PLACES, Surroundings(session=0.3))
    assert context["a"] == context["b"] == pytest.approx(0.3 * (1 + 0.5 * 0.5))
    assert context["d"] == pytest.approx(0.3 * 0.4)
    assert context["c"] == 0.0, "nobody found it"
    assert context["e"] == 0.0, "it belongs to no session"


def test_only_the_best_turns_of_a_session_count() -> None:
    assert discounted([0.25, 1.0, 0.5, 0.125], discount=0.5, depth=2) == 1.25
    assert session_evidence({"a": 1.0, "b": 1.0, "d": 1.5}, PLACES, discount=1.0, depth=9) == {"s": 2.0, "t": 1.5}


@given(st.dictionaries(st.sampled_from("abcde"), st.floats(0, 1)), st.floats(0, 1), st.floats(0, 1))
def test_surroundings_take_nothing_away_and_grow_with_the_scores(
    scores: dict[str, float], neighbours: float, session: float
) -> None:
    around = Surroundings(neighbours=neighbours, session=session)
    context = context_of(scores, PLACES, around)
    doubled = context_of({one: 2 * score for one, score in scores.items()}, PLACES, around)
    for record_id, added in context.items():
        assert added >= 0
        assert doubled[record_id] == pytest.approx(2 * added)
