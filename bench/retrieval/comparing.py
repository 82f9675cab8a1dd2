"""One set asked of everyone: Remanent, BM25 alone, vectors alone, other memories; over the same texts and vectors."""

import hashlib
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from statistics import median

from bench.figures import Report
from bench.retrieval.baselines import Bm25, nearest
from bench.retrieval.keeping import Answered, Answers, KeptAnswers, state_of_recall
from bench.retrieval.product import Advance, Asked, ask_remanent
from bench.retrieval.rivals import DEPTH, RIVALS, Answer, Material, Rival, ask, prepare, state_of
from bench.retrieval.sets import NONSENSE, Conversation, Question, Turn
from bench.retrieval.studies import Grain
from bench.retrieval.vectors import KeptVectors
from remanent.embedding import Embedder, Embedders, open_embedders
from remanent.errors import MissingDependency
from remanent.model.kinds import TurnData
from remanent.recall.windows import SPOKEN_CHARACTERS
from remanent.text.tokens import token_counter

OURS = "Remanent"
OURS_QUALITY = "Remanent, quality mode"
WORDS = "BM25 alone"
MEANING = "vectors alone"

Meter = Callable[[str, int], Advance]
"""Begins a stretch of work with its name and length, and is told of every step."""

DELIVERED = 5
"""How many of the best the tokens are counted of."""

TIMED_QUESTIONS = 50
"""How many questions are embedded one by one to know how long it takes."""


class Field:
    """Who takes part beside us; environments are made when they are first needed, and what fails is not tried again."""

    def __init__(
        self,
        rivals: Sequence[Rival] = RIVALS,
        report: Report = lambda _: None,
        *,
        prepared: Callable[[Rival, Report], Path] = prepare,
    ) -> None:
        self.rivals = rivals
        self.absent: dict[str, str] = {}
        self._report = report
        self._prepared = prepared
        self._pythons: dict[str, Path] = {}

    def ask(self, rival: Rival, materials: Sequence[Material], advance: Advance) -> list[list[Answer]] | None:
        """Return a rival's answers, None when it cannot take part; why is noted in `absent`."""
        if rival.name in self.absent:
            return None
        try:
            if rival.name not in self._pythons:
                self._pythons[rival.name] = self._prepared(rival, self._report)
            return ask(rival, materials, python=self._pythons[rival.name], advance=advance)
        except MissingDependency as error:
            self.absent[rival.name] = str(error)
            self._report(f"{rival.name} takes no part: {error}")
            return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers of everyone to one set's questions, by grain and name, and when they were given."""

    answers: Mapping[Grain, Mapping[str, Sequence[Asked]]]
    moments: Mapping[str, datetime] = field(default_factory=dict)
    embedding: float = 0.0
    """Seconds that embedding one question takes: in our times it is included, in the others' it is not."""


@dataclass(slots=True)
class Contest:
    """One set and how it is asked."""

    name: str
    conversations: Sequence[Conversation]
    grains: Sequence[Grain]
    field: Field
    home: Path | None = None
    """Where what was remembered, embedded and answered stays for the next run; without it, nowhere."""
    embedder: str = "auto"
    quality: bool = False
    report: Report = lambda _: None
    meter: Meter = lambda _name, _total: lambda _done: None

    async def compare(self) -> Comparison:
        """Ask the questions of everyone whose answers are not known yet."""
        kept = KeptAnswers(self.home and self.home / "answers" / self.name, self.conversations)
        given: dict[str, Answered] = {}
        for label, recipe in ((OURS, None), *([(OURS_QUALITY, "quality")] if self.quality else [])):
            state = f"{label} {recipe} {self.embedder} {state_of_recall()}"
            given[label] = kept.get(label, state=state) or kept.keep(
                label, await self._ours(label, recipe), state=state
            )
        self.report(f"{self.name}: {WORDS}")
        given[WORDS] = Answered(self._answers(_by_words), datetime.now(UTC))
        embedders = open_embedders(self.embedder)
        seconds = 0.0
        if embedders is not None:
            materials = await self._materials(embedders)
            seconds = await _embedding_time(embedders, self.conversations)
            by_meaning = [_by_meaning(material) for material in materials]
            given[MEANING] = Answered(self._answers_of(by_meaning), datetime.now(UTC))
            for rival in self.field.rivals:
                if (answered := self._of_rival(kept, rival, materials)) is not None:
                    given[rival.name] = answered
        return Comparison(
            {grain: {name: one.answers[grain] for name, one in given.items()} for grain in self.grains},
            {name: one.moment for name, one in given.items()},
            seconds,
        )

    async def _ours(self, label: str, recipe: str | None) -> Answers:
        advance = self.meter(f"{self.name}: {label}", sum(map(_size, self.conversations)))
        answers: dict[Grain, list[Asked]] = {grain: [] for grain in self.grains}
        with tempfile.TemporaryDirectory(prefix="remanent-bench-") as folder:
            place = (self.home or Path(folder)) / f"{self.name}-{self.embedder}"
            for one in self.conversations:
                found = await ask_remanent(
                    place,
                    one,
                    self.grains,
                    recipe=recipe,
                    embedder=self.embedder,
                    advance=advance,
                )
                for grain in self.grains:
                    answers[grain] += _Texts(one).counted(found[grain], grain)
        return answers

    async def _materials(self, embedders: Embedders) -> list[Material]:
        kept = {
            member.model_id: KeptVectors(member, folder=self.home and self.home / "vectors")
            for member in embedders.members
        }
        advance = self.meter(f"{self.name}: vectors", sum(map(_size, self.conversations)))
        return [
            await _material(one, kept[_best(embedders, one).model_id], advance=advance) for one in self.conversations
        ]

    def _of_rival(self, kept: KeptAnswers, rival: Rival, materials: Sequence[Material]) -> Answered | None:
        state = hashlib.sha256(state_of(rival).encode())
        for material in materials:
            state.update(material.vectors.tobytes())
        known = kept.get(rival.name, state=state.hexdigest())
        if known is not None:
            return known
        advance = self.meter(f"{self.name}: {rival.name}", sum(map(_size, self.conversations)))
        answers = self.field.ask(rival, materials, advance)
        return None if answers is None else kept.keep(rival.name, self._answers_of(answers), state=state.hexdigest())

    def _answers(self, search: Callable[[Conversation, Grain], list[Asked]]) -> Answers:
        return {
            grain: [asked for one in self.conversations for asked in _Texts(one).counted(search(one, grain), grain)]
            for grain in self.grains
        }

    def _answers_of(self, given: Sequence[Sequence[Answer]]) -> Answers:
        """Return answers in turns as what was asked for: a session stands where its first turn does."""
        by_store = dict(zip((one.store_id for one in self.conversations), given, strict=True))
        return self._answers(lambda one, grain: _as_asked(one, by_store[one.store_id], grain))


# ── what everyone searches ───────────────────────────────────────────────────


def spoken(turn: Turn) -> str:
    """Return what is searched of a turn: its text, after the name of who spoke where the role is one."""
    speaker = TurnData(role=turn.role).speaker
    return f"{speaker}: {turn.text}" if speaker else turn.text


async def _material(conversation: Conversation, vectors: KeptVectors, *, advance: Advance) -> Material:
    turns = [(session.session_id, turn) for session, turn in conversation.turns() if turn.text.strip()]
    texts = [spoken(turn) for _, turn in turns]
    questions = [question.text for question in conversation.questions]
    said = []
    for question in conversation.questions:
        before = conversation.before(question.before_session)
        said.append(sum(session_id in before for session_id, _ in turns))
    # Like our own: what a long turn is about shows in its beginning.
    rows = await vectors.of([*(text[:SPOKEN_CHARACTERS] for text in texts), *questions], advance=advance)
    return Material([turn.turn_id for _, turn in turns], texts, questions, said, rows)


def _best(embedders: Embedders, conversation: Conversation) -> Embedder:
    """Return the model that suits the questions' language best."""
    asked = " ".join(question.text for question in conversation.questions if question.type != NONSENSE)
    return max(embedders.members, key=lambda member: embedders.weight(member, asked[:2000]))


async def _embedding_time(embedders: Embedders, conversations: Sequence[Conversation]) -> float:
    asked = [question.text for one in conversations for question in one.questions if question.text.strip()]
    best = _best(embedders, conversations[0])
    times = []
    for text in asked[: TIMED_QUESTIONS + 1]:
        begin = time.perf_counter()
        await best.embed([text])
        times.append(time.perf_counter() - begin)
    return median(times[1:] or times)  # the first waits for the model


class _Texts:
    """What the turns and sessions of a conversation hold, in tokens."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._tokens: dict[str, int] = {}

    def counted(self, answers: Sequence[Asked], grain: Grain) -> list[Asked]:
        """Return the answers with the tokens that the best of them deliver."""
        return [
            replace(asked, tokens=sum(self._count(found, grain) for found in asked.ranking[:DELIVERED]))
            for asked in answers
        ]

    @cached_property
    def _turns(self) -> dict[str, str]:
        return {turn.turn_id: spoken(turn) for _, turn in self._conversation.turns()}

    @cached_property
    def _sessions(self) -> dict[str, list[str]]:
        return {one.session_id: [turn.turn_id for turn in one.turns] for one in self._conversation.sessions}

    def _count(self, found: str, grain: Grain) -> int:
        if grain == "session":
            return sum(self._count(turn_id, "turn") for turn_id in self._sessions[found])
        if found not in self._tokens:
            self._tokens[found] = token_counter()(self._turns[found])
        return self._tokens[found]


# ── plain search ─────────────────────────────────────────────────────────────


def _by_words(conversation: Conversation, grain: Grain) -> list[Asked]:
    """Search turns, or whole sessions: what BM25 alone is best at."""
    if grain == "turn":
        ids = [turn.turn_id for _, turn in conversation.turns()]
        index = Bm25([spoken(turn) for _, turn in conversation.turns()])
    else:
        ids = [session.session_id for session in conversation.sessions]
        index = Bm25(["\n".join(map(spoken, session.turns)) for session in conversation.sessions])
    answers = []
    for question in conversation.questions:
        begin, spent = time.perf_counter(), time.process_time()
        found = index.ranking(question.text)
        seconds, processor = time.perf_counter() - begin, time.process_time() - spent
        ranking = _allowed(conversation, question, [ids[place] for place, _ in found])
        scores = {ids[place]: score for place, score in found}
        best = scores[ranking[0]] if ranking else 0.0
        answers.append(Asked(question, ranking, seconds, processor, evidence=best))
    return answers


def _by_meaning(material: Material) -> list[Answer]:
    answers = []
    count = len(material.ids)
    for place, (question, said) in enumerate(zip(material.questions, material.said, strict=True)):
        begin, spent = time.perf_counter(), time.process_time()
        found = nearest(material.vectors[:said], material.vectors[count + place])[:DEPTH] if question.strip() else []
        seconds, processor = time.perf_counter() - begin, time.process_time() - spent
        ids = [material.ids[one] for one, _ in found]
        answers.append(Answer(ids, seconds, processor, found[0][1] if found else None))
    return answers


# ── from turns to what was asked for ─────────────────────────────────────────


def _as_asked(conversation: Conversation, given: Sequence[Answer], grain: Grain) -> list[Asked]:
    session_of = {turn.turn_id: session.session_id for session, turn in conversation.turns()}
    asked = []
    for question, answer in zip(conversation.questions, given, strict=True):
        ids = answer.ids if grain == "turn" else list(dict.fromkeys(session_of[turn_id] for turn_id in answer.ids))
        ranking = _allowed(conversation, question, ids)
        score = -math.inf if answer.score is None else answer.score
        asked.append(Asked(question, ranking, answer.seconds, answer.processor, evidence=score))
    return asked


def _allowed(conversation: Conversation, question: Question, ids: Sequence[str]) -> list[str]:
    """Leave out what had not happened when it was asked."""
    if question.before_session is None:
        return list(ids[:DEPTH])
    sessions = conversation.before(question.before_session)
    turns = {turn.turn_id for session, turn in conversation.turns() if session.session_id in sessions}
    return [found for found in ids if found in sessions or found in turns][:DEPTH]


def _size(conversation: Conversation) -> int:
    return sum(1 for _ in conversation.turns()) + len(conversation.questions)
