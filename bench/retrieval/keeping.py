"""Answers that are kept: a run that was interrupted, or one beside a newer Remanent, asks nobody twice."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import remanent
from bench.retrieval.product import Asked
from bench.retrieval.sets import Conversation, Question
from bench.retrieval.studies import Grain

OTHERS = frozenset({"cli", "client", "integrations", "operations", "server"})
"""Packages that no answer of recall is made by."""

Answers = Mapping[Grain, Sequence[Asked]]


@dataclass(frozen=True, slots=True)
class Answered:
    """One searcher's answers to a set's questions, and when they were given."""

    answers: Answers
    moment: datetime


class KeptAnswers:
    """Answers of searchers to one list of questions, in a folder; without a folder nothing is kept.

    They are found again only for the same texts and questions, and for the same `state` of the searcher: its code or
    its version.
    """

    def __init__(self, folder: Path | None, conversations: Sequence[Conversation]) -> None:
        self._folder = folder
        self._questions = [question for one in conversations for question in one.questions]
        self._asked = _digest_of(conversations)

    def get(self, name: str, *, state: str) -> Answered | None:
        """Return what a searcher answered, None when that is not known."""
        file = self._file(name, state)
        if file is None or not file.exists():
            return None
        content = json.loads(file.read_text(encoding="utf-8"))
        answers: dict[Grain, list[Asked]] = {
            grain: [_asked(line, question) for line, question in zip(lines, self._questions, strict=True)]
            for grain, lines in content["answers"].items()
        }
        return Answered(answers, datetime.fromisoformat(content["moment"]))

    def keep(
        self, name: str, answers: Answers, *, state: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> Answered:
        """Keep what a searcher answered, in place of what it answered in another state; all of it or nothing."""
        moment = clock()
        file = self._file(name, state)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            for old in file.parent.glob(f"{_plain(name)}.{self._asked}.*.json"):
                old.unlink()
            content = {
                "moment": moment.isoformat(),
                "answers": {grain: [_line(asked) for asked in given] for grain, given in answers.items()},
            }
            unfinished = file.with_suffix(".part")
            unfinished.write_text(json.dumps(content), encoding="utf-8")
            unfinished.replace(file)
        return Answered(answers, moment)

    def _file(self, name: str, state: str) -> Path | None:
        if self._folder is None:
            return None
        return self._folder / f"{_plain(name)}.{self._asked}.{_short(hashlib.sha256(state.encode()))}.json"


@cache
def state_of_recall() -> str:
    """Return a digest of the code that recall's answers are made by."""
    root = Path(remanent.__file__).parent
    asking = Path(__file__).with_name("product.py")
    answering = [file for file in root.rglob("*.py") if file.relative_to(root).parts[0] not in OTHERS]
    digest = hashlib.sha256()
    for file in [*sorted(answering), asking]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _digest_of(conversations: Sequence[Conversation]) -> str:
    digest = hashlib.sha256()
    for one in conversations:
        for session, turn in one.turns():
            said = f"{session.session_id} {session.began} {turn.turn_id} {turn.role} {turn.text}\0"
            digest.update(said.encode("utf-8", "surrogatepass"))
        for question in one.questions:
            asked = f"{question.question_id} {question.text} {question.asked} {question.before_session}\0"
            digest.update(asked.encode("utf-8", "surrogatepass"))
    return _short(digest)


def _short(digest: "hashlib._Hash") -> str:
    return digest.hexdigest()[:12]


def _line(asked: Asked) -> dict[str, object]:
    return {
        "ranking": asked.ranking,
        "seconds": asked.seconds,
        "processor": asked.processor,
        "tokens": asked.tokens,
        "evidence": asked.evidence,
        "passed": asked.passed,
        "lacking": asked.lacking,
        "unread": asked.unread,
    }


def _asked(line: dict[str, object], question: Question) -> Asked:
    return Asked(question, **line)  # type: ignore[arg-type]


def _plain(name: str) -> str:
    """Return a name as a file's."""
    return "".join(sign if sign.isalnum() else "-" for sign in name.lower())
