"""Measuring real talk: what counts as answered, and that the three answers are told apart on a small chat."""

from datetime import UTC, datetime

from bench.retrieval.sets import Conversation, Question, Session, Turn
from bench.talk import evidence, keywords_of, three_answers

FACTS = [
    "I adopted a tortoise called Bertram from the shelter in Leeds.",
    "My sister Anna plays the cello in the harbour orchestra.",
    "The roof of the greenhouse broke in the storm last winter.",
    "We bake rye bread every Sunday with my grandmother's sourdough.",
    "I failed my driving test twice because of parallel parking.",
    "Our neighbour paints lighthouses on old roof tiles.",
    "The dentist moved my appointment to the second week of June.",
    "I am learning Icelandic with a podcast about volcanoes.",
]
ASKED = ["What is the tortoise called?", "Which instrument does Anna play?", "What broke the greenhouse roof?"]


def chat(name: str, facts: list[str], questions: list[tuple[str, str]]) -> Conversation:
    turns = tuple(Turn(f"{name}{number}", "Mia", fact) for number, fact in enumerate(facts))
    session = Session(f"{name}-1", datetime(2024, 5, 1, tzinfo=UTC), turns)
    asked = [
        Question(f"q{number}", "single", text, True, frozenset({session.session_id}), frozenset({turn}))
        for number, (text, turn) in enumerate(questions)
    ]
    return Conversation(name, (session,), asked)


def test_a_question_counts_when_all_of_its_evidence_is_in_the_answer() -> None:
    own = chat("a", FACTS, [(text, f"a{place}") for place, text in enumerate(ASKED)])
    ours, theirs, asked = evidence([own])
    assert (ours, theirs, asked) == (1.0, 1.0, 3)
    wrong = chat("b", FACTS * 8, [("Which instrument does Anna play?", "b3")])
    assert evidence([wrong])[0] in {0.0, 1.0}
    missing = chat("c", FACTS, [("quantum chromodynamics lattice", "c1")])
    assert evidence([missing])[0] == 0.0


def test_strangers_questions_and_own_ones_are_told_apart() -> None:
    own = chat("a", FACTS, [(text, f"a{place}") for place, text in enumerate(ASKED)])
    strange = chat("z", ["x"], [("Who won the chess olympiad in Havana?", "z0"), ("How tall is Mount Elbrus?", "z0")])
    shares = {kind: (share, count) for kind, share, count in three_answers([own], [own, strange], cases=3)}
    assert shares["known"] == (100.0, 3)
    assert shares["never told"] == (100.0, 2)  # the stranger's alone: no chat is its own stranger


def test_words_are_those_of_the_question_and_chinese_stays_whole() -> None:
    assert keywords_of("What is the tortoise called?") == ["tortoise", "called"]
    assert keywords_of("我的表弟住在哪里？") == ["我的表弟住在哪里？"]
