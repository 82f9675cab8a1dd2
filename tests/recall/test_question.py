from datetime import UTC, datetime

import pytest

from remanent.model import Scope
from remanent.recall import question as module
from remanent.recall.question import MAX_READ_CHARACTERS, Question

SCOPE = Scope(org="o", workspace="w", agent="ada")


@pytest.mark.parametrize(
    "text",
    [
        "When did Caroline move?",
        "In which city does Ann live?",
        "How many books has she read?",
        "小王的生日是哪天？",
        "她养了几只猫",
        "今天真热。我真正想问的是，她住在哪儿？",
    ],
)
def test_a_question_for_a_fact_is_told_by_its_words(text: str) -> None:
    assert Question(text, SCOPE).asks_for_a_fact


@pytest.mark.parametrize(
    "text",
    [
        "Let us go on with the second chapter.",
        "How should I begin the talk?",
        "Do you have an idea?",
        "继续写第二章吧",
        "What a day. I wrote all morning. Then it rained. Now please sum up the plan.",
        "When " + "we talk of the garden " * 20,
    ],
)
def test_a_message_that_goes_on_talking_asks_for_none(text: str) -> None:
    assert not Question(text, SCOPE).asks_for_a_fact


def test_the_one_speaker_who_is_named_is_found() -> None:
    speakers = ["Caroline", "Mel", "user", "小红", ""]
    assert Question("What does caroline paint?", SCOPE).person_among(speakers) == "Caroline"
    assert Question("小红喜欢什么？", SCOPE).person_among(speakers) == "小红"
    assert Question("What did Melanie paint?", SCOPE).person_among(speakers) is None
    assert Question("What do Caroline and Mel share?", SCOPE).person_among(speakers) is None
    assert Question("What does the user paint?", SCOPE).person_among(speakers) is None


def test_questions_asked_together_are_searched_one_by_one() -> None:
    assert Question("Where is Ann? Also, who is Bo?", SCOPE).parts == ("Where is Ann?", "who is Bo?")
    many = "Where is Ann? " + "Also, who is Bo? " * 9
    assert Question(many, SCOPE).parts == (many,)


ADA = Scope(org="acme", workspace="lab", agent="ada")
ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.spec("SAFE-02")
def test_every_reading_of_a_question_sees_a_bounded_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, int] = {}
    for name in ("asked_part", "questions", "query_terms", "language_of", "find_dates", "fold"):
        real = getattr(module, name)

        def noting(text: str, *, real: object = real, name: str = name, **more: object) -> object:
            seen[name] = max(seen.get(name, 0), len(text))
            return real(text, **more)  # type: ignore[operator]

        monkeypatch.setattr(module, name, noting)
    question = Question("on 2024-05-01 " * 10_000, ADA, asked_at=ASKED_AT)
    question.analyse()
    question.person_among(["user"])
    assert len(seen) == 6
    assert max(seen.values()) <= MAX_READ_CHARACTERS + 1


def test_what_is_read_of_the_words_is_read_once_for_all_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    for name in ("asked_part", "questions", "query_terms", "language_of", "find_dates"):
        real = getattr(module, name)

        def noting(text: str, *, real: object = real, name: str = name, **more: object) -> object:
            read.append(name)
            return real(text, **more)  # type: ignore[operator]

        monkeypatch.setattr(module, name, noting)
    question = Question("Where was Ann in May?", ADA, asked_at=ASKED_AT)
    copy = question.amended(seeds=("one",))
    copy.amended(standing=None).analyse()
    question.analyse()
    assert sorted(read) == sorted(set(read))
    assert question.times
    assert (copy.language, copy.amended(foreign=True).language, question.language) == ("en", "other", "en")


def test_the_beginning_and_the_end_of_a_very_long_question_are_read() -> None:
    filler = "lorem ipsum dolor sit amet. " * 1000
    question = Question(f"Where does Ann Lee live? {filler} And what was on 3 May 2024?", ADA, asked_at=ASKED_AT)
    assert {"ann", "lee", "live"} <= set(question.terms)
    assert [(date.begin.year, date.begin.month, date.begin.day) for date in question.dates] == [(2024, 5, 3)]


def test_a_question_of_usual_length_is_read_whole() -> None:
    text = "x" * MAX_READ_CHARACTERS
    assert Question(text, ADA).read == text


@pytest.mark.parametrize(
    ("asked", "terms"),
    [
        ("What's my dog called?", ["dog"]),
        ("What is the name of my cat?", ["cat"]),
        ("What is my mum's name?", ["mum"]),
        ("我的狗叫什么？", ["狗"]),
        ("我女儿的名字是什么？", ["女儿", "女", "儿"]),
        ("Who called me?", ["call"]),
        ("What is my name?", ["name"]),
    ],
)
def test_what_only_asks_for_a_name_is_not_searched(asked: str, terms: list[str]) -> None:
    assert Question(asked, SCOPE).terms == tuple(terms)
