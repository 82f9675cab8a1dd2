from datetime import UTC, datetime, timedelta
from math import prod
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.model import Kind, Origin, Record, Scope
from remanent.recall import Candidate, PathUse, Recipe
from remanent.recall.paths import BY_WORDS_ALONE
from remanent.recall.recipe import Boosts, Surroundings, built_in
from remanent.recall.scoring import (
    Factor,
    Gathered,
    PlaceBoosts,
    boosts_of_record,
    context_of,
    discounted,
    fuse,
    session_evidence,
    trust,
)
from remanent.stores import RecordPosition

MAY = datetime(2024, 5, 1, tzinfo=UTC)
SCOPE = Scope(org="o", workspace="w", agent="ada")
ALL = Boosts(recency=0.2, confidence=0.2, usage=0.1, trust=0.3, kinds={Kind.PROCEDURAL: 1.2, Kind.SEMANTIC: 1.1})


def _record(**fields: Any) -> Record:
    given_fields = {"kind": Kind.EPISODIC, "occurred_at": MAY, **fields}
    return Record(id="r1", scope=SCOPE, content="x", created_at=MAY, updated_at=MAY, **given_fields)


def boosts_of(record: Record, boosts: Boosts, *, now: datetime | None) -> tuple[Factor, ...]:
    place = RecordPosition(record.id, record.kind, None, record.occurred_at, record.trust)
    return PlaceBoosts(boosts, now=now).factors(place) + boosts_of_record(record, boosts)


def _factor(record: Record, *, now: datetime | None = MAY + timedelta(days=3650)) -> float:
    return prod(one.factor for one in boosts_of(record, ALL, now=now))


@pytest.mark.spec("COG-12")
def test_newer_surer_oftener_used_and_procedural_records_rise() -> None:
    plain = _factor(_record())
    assert _factor(_record(occurred_at=MAY + timedelta(days=3649))) > plain
    assert _factor(_record(confidence=0.4)) < plain
    assert _factor(_record(access_count=9)) > _factor(_record(access_count=1)) > plain
    kinds = [_factor(_record(kind=kind)) for kind in (Kind.PROCEDURAL, Kind.SEMANTIC, Kind.EPISODIC)]
    assert kinds == sorted(kinds, reverse=True)
    assert len(set(kinds)) == 3


def test_what_is_unknown_moves_nothing() -> None:
    assert boosts_of(_record(), ALL, now=None) == ()
    assert boosts_of(_record(confidence=0.3, access_count=5), Boosts(), now=MAY) == ()


def test_half_of_the_boost_for_being_new_is_left_after_a_half_life() -> None:
    (boost,) = boosts_of(_record(), Boosts(recency=0.4, half_life_days=10), now=MAY + timedelta(days=10))
    assert boost.name == "recency"
    assert boost.factor == pytest.approx(1.2)


def test_the_agent_s_word_counts_less_unless_it_is_asked_for() -> None:
    assert trust(Origin.USER, ALL) == 1
    assert trust(Origin.AGENT, ALL) == trust(Origin.WEB, ALL) == pytest.approx(0.7)
    assert trust(Origin.AGENT, ALL, agent_is_asked=True) == 1
    assert trust(Origin.WEB, ALL, agent_is_asked=True) == pytest.approx(0.7)


@given(
    st.floats(0, 1),
    st.integers(0, 10**9),
    st.integers(-5000, 5000),
    st.sampled_from(list(Kind)),
)
def test_every_factor_stays_within_its_bound(confidence: float, used: int, days: int, kind: Kind) -> None:
    record = _record(confidence=confidence, access_count=used, kind=kind, occurred_at=MAY + timedelta(days=days))
    bounds = {"recency": (1, 1.2), "confidence": (0.8, 1), "usage": (1, 1.1), "kind": (0.5, 1.5)}
    for boost in boosts_of(record, ALL, now=MAY):
        low, high = bounds[boost.name]
        assert low - 1e-9 <= boost.factor <= high + 1e-9


PLACES = st.builds(
    RecordPosition,
    st.just("r1"),
    st.sampled_from(list(Kind)),
    st.none(),
    st.integers(-5000, 5000).map(lambda days: MAY - timedelta(days=days)),
    st.sampled_from(Origin),
    role=st.sampled_from(["", "user", "assistant"]),
    recorded_at=st.none() | st.integers(-5000, 5000).map(lambda days: MAY - timedelta(days=days)),
)


@given(PLACES, st.sampled_from([None, "user"]), st.booleans())
def test_the_product_of_a_place_is_that_of_its_factors(
    place: RecordPosition, person: str | None, agent_is_asked: bool
) -> None:
    times = [(MAY - timedelta(days=300), MAY)]
    boosts = PlaceBoosts(
        ALL.replace(speaker=0.5, time=0.6), now=MAY, agent_is_asked=agent_is_asked, person=person, times=times
    )
    assert boosts.product(place) == prod(one.factor for one in boosts.factors(place))


def test_what_happened_in_a_time_that_the_question_names_counts_more() -> None:
    boosts = PlaceBoosts(Boosts(time=0.6), now=MAY, times=[(MAY, MAY + timedelta(days=7))])
    days = {day: RecordPosition("r1", Kind.TURN, None, MAY + timedelta(days=day), Origin.USER) for day in (-1, 0, 6, 7)}
    assert {day: boosts.product(place) for day, place in days.items()} == {-1: 1.0, 0: 1.6, 6: 1.6, 7: 1.0}
    assert boosts.factors(days[0]) == (Factor("time", 1.6),)


@pytest.mark.spec("SAFE-04")
def test_a_date_in_the_future_makes_nothing_newer_than_when_it_was_told() -> None:
    told = MAY - timedelta(days=300)
    boosts = PlaceBoosts(Boosts(recency=0.4), now=MAY)
    honest = RecordPosition("r1", Kind.TURN, None, told, Origin.USER, recorded_at=told)
    ahead = honest._replace(occurred_at=MAY + timedelta(days=1000))
    passed = honest._replace(occurred_at=MAY - timedelta(days=1))
    fresh = honest._replace(occurred_at=MAY, recorded_at=MAY)
    assert boosts.product(ahead) == boosts.product(passed) == boosts.product(honest) < boosts.product(fresh)
    assert boosts.factors(ahead) == boosts.factors(honest)


@pytest.mark.spec("SAFE-04")
def test_who_is_not_known_counts_a_little_less_than_a_user_and_more_than_the_web() -> None:
    assert trust(Origin.WEB, ALL) < trust(Origin.UNTRUSTED, ALL) < trust(Origin.USER, ALL)


IN_A_SESSION = {
    record_id: RecordPosition(record_id, Kind.TURN, session, MAY)
    for record_id, session in (("a", "s"), ("b", "s"), ("c", "s"), ("d", "t"), ("e", None))
}


def test_a_turn_gets_a_share_of_its_session_s_best_turns() -> None:
    context = context_of({"a": 1.0, "b": 0.5, "d": 0.4, "e": 0.9}, IN_A_SESSION, Surroundings(session=0.3))
    assert context["a"] == context["b"] == pytest.approx(0.3 * (1 + 0.5 * 0.5))
    assert context["d"] == pytest.approx(0.3 * 0.4)
    assert context["c"] == 0.0, "nobody found it"
    assert context["e"] == pytest.approx(0.3 * 0.9), "what was said in no session is one of its own"
    learned = context_of({"e": 0.9}, {"e": IN_A_SESSION["e"]._replace(kind=Kind.SEMANTIC)}, Surroundings(session=0.3))
    assert learned["e"] == 0.0, "it was said in sessions, and belongs to none"


@pytest.mark.parametrize("fusion", ["rrf", "hybrid"])
def test_what_has_no_vector_yet_stands_level_with_the_best_that_vectors_found(fusion: Literal["rrf", "hybrid"]) -> None:
    found = {
        "keyword": [Candidate("new", 3.0, BY_WORDS_ALONE), Candidate("old", 1.0)],
        "vector": [Candidate("far", 0.3), Candidate("old", 0.2), Candidate("farther", 0.1)],
        "vector:other": [Candidate("far", 0.4), Candidate("farther", 0.1)],
        "graph": [Candidate("farther", 1.0)],
    }
    gathered = Gathered(found=found, weights=dict.fromkeys(found, 1.0), adding={"new", "old", "far", "farther"})
    recipe = Recipe(name="some", paths={"keyword": PathUse(), "vector": PathUse(), "graph": PathUse()}, fusion=fusion)
    assert next(iter(fuse(gathered, recipe))) == "new"
    assert [one.record_id for one in gathered.found["vector"]] == ["far", "old", "farther"], "what was found is kept"
    found["keyword"][0] = Candidate("new", 3.0)
    assert next(iter(fuse(gathered, recipe))) != "new"


def test_the_echo_of_an_agent_adds_nothing_to_its_session_and_gets_less_of_it() -> None:
    places = IN_A_SESSION | {"b": IN_A_SESSION["b"]._replace(trust=Origin.AGENT)}
    scores = {"a": 1.0, "b": 0.5, "d": 0.4}
    heard = context_of(scores, places, Surroundings(session=0.3), agent_share=0.5)
    assert heard["a"] == pytest.approx(0.3 * 1.0), "the agent repeats what it was told"
    assert heard["b"] == pytest.approx(0.5 * 0.3 * 1.0)
    learned = places | {"b": places["b"]._replace(kind=Kind.SEMANTIC)}
    kept = context_of(scores, learned, Surroundings(session=0.3), agent_share=0.5)
    assert kept["a"] == pytest.approx(0.3 * (1 + 0.5 * 0.5)), "a memory made of what was told is no echo"
    asked = context_of(scores, places, Surroundings(session=0.3), agent_share=1.0)
    assert asked["a"] == asked["b"] == pytest.approx(0.3 * (1 + 0.5 * 0.5)), "its own word is asked for"


def test_only_the_best_turns_of_a_session_count() -> None:
    assert discounted([0.25, 1.0, 0.5, 0.125], discount=0.5, depth=2) == 1.25
    assert session_evidence({"a": 1.0, "b": 1.0, "d": 1.5}, IN_A_SESSION, discount=1.0, depth=9) == {"s": 2.0, "t": 1.5}


@given(st.dictionaries(st.sampled_from("abcde"), st.floats(0, 1)), st.floats(0, 1))
def test_surroundings_take_nothing_away_and_grow_with_the_scores(scores: dict[str, float], session: float) -> None:
    around = Surroundings(session=session)
    context = context_of(scores, IN_A_SESSION, around)
    doubled = context_of({one: 2 * score for one, score in scores.items()}, IN_A_SESSION, around)
    for record_id, added in context.items():
        assert added >= 0
        assert doubled[record_id] == pytest.approx(2 * added)


def test_in_a_talk_with_an_agent_fewer_turns_of_a_session_count_than_in_a_diary() -> None:
    """A diary comes back to what it told; of MemDaily's questions 6 of 150 lost a part of their evidence by less."""
    turns = {"a": ("talk", Origin.USER), "b": ("talk", Origin.AGENT), "c": ("talk", Origin.USER)}
    turns |= dict.fromkeys("def", ("diary", Origin.USER))
    places = {name: RecordPosition(name, Kind.TURN, session, MAY, who) for name, (session, who) in turns.items()}
    evidence = session_evidence(dict.fromkeys(places, 1.0), places, discount=1.0, depth=5, with_agent=2)
    assert evidence == {"talk": 2.0, "diary": 3.0}


@pytest.mark.parametrize("words", [{"right": 0.93, "wrong": 1.0}, {"right": 1.9e-6, "wrong": 2.0e-6}])
@pytest.mark.parametrize("others", [0, 3, 25])
def test_a_small_lead_in_words_among_few_does_not_outweigh_a_clear_one_in_meaning(
    words: dict[str, float], others: int
) -> None:
    near = {"right": 0.71, "wrong": 0.5, **{f"other {number}": 0.2 for number in range(others)}, "far": 0.1}
    found = {
        "keyword": [Candidate(one, score) for one, score in sorted(words.items(), key=lambda pair: -pair[1])],
        "vector": [Candidate(one, score) for one, score in near.items()],
    }
    gathered = Gathered(found=found, weights={"keyword": 0.55, "vector": 0.45}, adding=set(near))
    assert next(iter(fuse(gathered, built_in()["default"]))) == "right"


def test_of_a_full_list_the_last_counts_nothing() -> None:
    recipe = Recipe(name="full", paths={"keyword": PathUse(limit=3, scale="rise")}, fusion="hybrid")
    found = {"keyword": [Candidate("a", 9.0), Candidate("b", 6.0), Candidate("c", 5.0)]}
    fused = fuse(Gathered(found=found, weights={"keyword": 1.0}, adding={"a", "b", "c"}), recipe)
    assert fused == pytest.approx({"a": 1.0, "b": 0.25, "c": 0.0})
    short = {"keyword": found["keyword"][:2]}
    fused = fuse(Gathered(found=short, weights={"keyword": 1.0}, adding={"a", "b"}), recipe)
    assert fused == pytest.approx({"a": 1.0, "b": 2 / 3})
