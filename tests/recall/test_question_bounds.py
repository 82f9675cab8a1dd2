"""However long a question is, a bounded part of it is analysed."""

from datetime import UTC, datetime

import pytest

from remanent.model import Scope
from remanent.recall import question as module
from remanent.recall.question import LONGEST_READ, Question

SCOPE = Scope(org="acme", workspace="lab", agent="ada")
ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.spec("SAFE-02")
def test_every_reading_of_a_question_sees_a_bounded_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, int] = {}
    for name in ("focus", "questions", "query_terms", "language_of", "find_dates", "mentions", "fold"):
        real = getattr(module, name)

        def noting(text: str, *, real: object = real, name: str = name, **more: object) -> object:
            seen[name] = max(seen.get(name, 0), len(text))
            return real(text, **more)  # type: ignore[operator]

        monkeypatch.setattr(module, name, noting)
    question = Question("on 2024-05-01 " * 10_000, SCOPE, asked_at=ASKED_AT)
    question.analyse()
    question.person_among(["user"])
    assert len(seen) == 7
    assert max(seen.values()) <= LONGEST_READ + 1


def test_the_beginning_and_the_end_of_a_very_long_question_are_read() -> None:
    filler = "lorem ipsum dolor sit amet. " * 1000
    question = Question(f"Where does Ann Lee live? {filler} And what was on 3 May 2024?", SCOPE, asked_at=ASKED_AT)
    assert "Ann Lee" in [mention.text for mention in question.names]
    assert [(date.begin.year, date.begin.month, date.begin.day) for date in question.dates] == [(2024, 5, 3)]


def test_a_question_of_usual_length_is_read_whole() -> None:
    text = "x" * LONGEST_READ
    assert Question(text, SCOPE).read == text
