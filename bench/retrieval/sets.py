"""Public sets of conversations and questions in one format; a folder holds them, nothing of them is shipped.

`<name>.stores.jsonl.gz` has one conversation a line, `<name>.questions.jsonl.gz` one question a line that names its
conversation and the sessions and turns that answer it.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from remanent.errors import InvalidInput, NotFound
from remanent.text.dates import find_dates

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""When sessions of a set without dates begin."""

NONSENSE = "nonsense"
"""The type of questions in made-up words."""

NONSENSE_SEED = 4711
_APART = timedelta(minutes=5)

_WEEKDAY = re.compile(r"\([A-Za-z]+\)|周[一二三四五六日天]")
_DASHED = re.compile(r"^([A-Z][a-z]+)-(\d{1,2})-(\d{4})$")


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said."""

    turn_id: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """What was said in one sitting, and when it began."""

    session_id: str
    began: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a conversation, and what answers it."""

    question_id: str
    type: str
    text: str
    answerable: bool
    sessions: frozenset[str]
    turns: frozenset[str]
    asked: datetime | None = None
    before_session: str | None = None
    """Only sessions before this one had happened when it was asked."""
    twins: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Other turns of the same words as a turn that answers it, each with that turn."""

    @property
    def half(self) -> int:
        """0 or 1, for choosing parameters on one half and reporting on the other."""
        return hashlib.sha256(self.question_id.encode()).digest()[0] % 2


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions in order, and the questions about them."""

    store_id: str
    sessions: tuple[Session, ...]
    questions: list[Question] = field(default_factory=list)

    def turns(self) -> Iterator[tuple[Session, Turn]]:
        """Yield every turn with its session, in order."""
        for session in self.sessions:
            for turn in session.turns:
                yield session, turn

    def before(self, session_id: str | None) -> frozenset[str]:
        """Return the sessions that lie before one; all of them for None."""
        names = [session.session_id for session in self.sessions]
        return frozenset(names if session_id is None else names[: names.index(session_id)])


def load_set(folder: Path, name: str) -> list[Conversation]:
    """Read one set from a folder."""
    stores, questions = folder / f"{name}.stores.jsonl.gz", folder / f"{name}.questions.jsonl.gz"
    for file in (stores, questions):
        if not file.exists():
            raise NotFound(f"no {file.name} in {folder}; name the folder with --data or REMANENT_EVAL_DATA")
    asked = list(_lines(questions))
    # Where only what lies before a session counts, the order of sessions is their time, whatever their dates say.
    is_ordered = any(line.get("before_session") for line in asked)
    conversations = {line["store"]: _conversation(line, is_ordered=is_ordered) for line in _lines(stores)}
    alike = {name: _turns_by_text(conversation) for name, conversation in conversations.items()}
    for line in asked:
        conversation = conversations.get(line["store"])
        if conversation is None:
            raise InvalidInput(f"{questions.name}: question {line['id']} asks of a conversation that is not there")
        conversation.questions.append(_question(line, alike[line["store"]]))
    return list(conversations.values())


def _turns_by_text(conversation: Conversation) -> dict[str, list[str]]:
    """Return by turn the turns of the same words, itself among them."""
    by_text: dict[str, list[str]] = {}
    for _, turn in conversation.turns():
        by_text.setdefault(turn.text, []).append(turn.turn_id)
    return {turn_id: turn_ids for turn_ids in by_text.values() for turn_id in turn_ids}


def sampled(conversations: Sequence[Conversation], *, most: int) -> list[Conversation]:
    """Return the conversations with at most so many questions in all, spread evenly; the sessions stay whole."""
    total = sum(len(one.questions) for one in conversations)
    if total <= most:
        return list(conversations)
    kept: list[Conversation] = []
    place = 0
    for one in conversations:
        chosen = []
        for question in one.questions:
            if place * most // total != (place + 1) * most // total:
                chosen.append(question)
            place += 1
        if chosen:
            kept.append(Conversation(one.store_id, one.sessions, chosen))
    return kept


def with_nonsense(conversations: Sequence[Conversation], *, count: int) -> list[Conversation]:
    """Return the conversations with questions in made-up words, so many in all, which nothing can answer."""
    texts = Corpus(seed=NONSENSE_SEED).questions(count)
    added: list[Conversation] = []
    for place, one in enumerate(conversations):
        strange = [
            Question(f"{one.store_id}-{NONSENSE}-{number}", NONSENSE, f"{text}?", False, frozenset(), frozenset())
            for number, text in enumerate(texts)
            if number % len(conversations) == place
        ]
        added.append(Conversation(one.store_id, one.sessions, [*one.questions, *strange]))
    return added


def moment_of(words: str) -> datetime | None:
    """Read a set's own wording of a date: "1:56 pm on 8 May, 2023", "2023/05/20 (Sat) 07:47", "March-15-2024"."""
    plain = _DASHED.sub(r"\1 \2, \3", " ".join(_WEEKDAY.sub(" ", words).split()))
    found = find_dates(plain, reference=UNDATED)
    return found[0].begin if found else None


def _conversation(line: dict[str, Any], *, is_ordered: bool) -> Conversation:
    sessions = []
    last = UNDATED
    for session in line["sessions"]:
        began = moment_of(session["date"]) if session["date"] else None
        # Sessions of one day without an hour keep their order; those that the set itself puts out of order stay so,
        # unless the set goes by their order.
        is_late = began is not None and began <= last and (is_ordered or began.date() == last.date())
        last = last + _APART if began is None or is_late else began
        turns = tuple(Turn(turn["turn"], turn["role"], turn["text"]) for turn in session["turns"])
        sessions.append(Session(session["session"], last, turns))
    return Conversation(line["store"], tuple(sessions))


def _question(line: dict[str, Any], alike: Mapping[str, Sequence[str]]) -> Question:
    return Question(
        question_id=line["id"],
        type=line["type"],
        text=line["question"],
        answerable=line["answerable"],
        sessions=frozenset(line["evidence_sessions"]),
        turns=frozenset(line["evidence_turns"]),
        asked=moment_of(line["date"]) if line["date"] else None,
        before_session=line.get("before_session"),
        twins={twin: turn for turn in line["evidence_turns"] for twin in alike.get(turn, ()) if twin != turn},
    )


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
