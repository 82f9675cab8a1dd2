"""One set asked of everyone: Remanent, BM25 alone, vectors alone, other memories; over the same texts and vectors."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.embedding import Embedders, open_embedders
from remanent.errors import MissingDependency
from remanent.evaluation.figures import Report
from remanent.evaluation.retrieval.baselines import Bm25, nearest
from remanent.evaluation.retrieval.product import Advance, Asked, ask_remanent
from remanent.evaluation.retrieval.rivals import DEPTH, Answer, Material, Rival, ask, prepare
from remanent.evaluation.retrieval.sets import Conversation, Question
from remanent.evaluation.retrieval.studies import Grain, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OURS = "Remanent"
OURS_QUALITY = "Remanent, quality mode"
WORDS = "BM25 alone"
MEANING = "vectors alone"

Meter = Callable[[str, int], Advance]
"""Begins a stretch of work with its name and length, and is told of every step."""


READ_AT_ONCE = 2000
"""Characters of a text that a small model reads at once; what comes after is cut off where nothing cleverer is done."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers of everyone to one set's questions, by grain and name, and who could not take part."""

    answers: Mapping[Grain, Mapping[str, list[Asked]]]
    absent: Mapping[str, str] = field(default_factory=dict)


async def compare(
    name: str,
    conversations: Sequence[Conversation],
    studies: Sequence[Study],
    *,
    home: Path | None = None,
    embedder: str = "auto",
    quality: bool = False,
    judged: bool = False,
    rivals: Sequence[Rival] = (),
    report: Report = lambda _: None,
    meter: Meter = lambda _name, _total: lambda _done: None,
) -> Comparison:
    """Ask a set's questions of everyone; with a folder, what Remanent remembered stays there for the next run."""
    grains: list[Grain] = list(dict.fromkeys(study.grain for study in studies))
    answers: dict[Grain, dict[str, list[Asked]]] = {grain: {} for grain in grains}
    with tempfile.TemporaryDirectory(prefix="remanent-bench-") as folder:
        place = (home or Path(folder)) / f"{name}-{embedder}"
        for label, recipe in ((OURS, None), *([(OURS_QUALITY, "quality")] if quality else [])):
            advance = meter(f"{name}: {label}", sum(_size(one) for one in conversations))
            for conversation in conversations:
                found = await ask_remanent(
                    place,
                    conversation,
                    grains,
                    recipe=recipe,
                    embedder=embedder,
                    judged=judged and label == OURS,
                    advance=advance,
                )
                for grain in grains:
                    answers[grain].setdefault(label, []).extend(found[grain])
    report(f"{name}: {WORDS}")
    for grain in grains:
        answers[grain][WORDS] = [asked for one in conversations for asked in _by_words(one, grain)]
    embedders = open_embedders(embedder)
    if embedders is None:
        return Comparison(answers)
    materials = [await _material(one, embedders, meter) for one in conversations]
    for grain in grains:
        pairs = zip(conversations, materials, strict=True)
        answers[grain][MEANING] = [asked for one, material in pairs for asked in _by_meaning(one, material, grain)]
    absent = {}
    for rival in rivals:
        report(f"{name}: {rival.name}")
        try:
            given = ask(rival, materials, python=prepare(rival, report))
        except MissingDependency as error:
            absent[rival.name] = str(error)
            continue
        for grain in grains:
            pairs_given = zip(conversations, given, strict=True)
            answers[grain][rival.name] = [asked for one, got in pairs_given for asked in _of_rival(one, got, grain)]
    return Comparison(answers, absent)


# ── plain search ─────────────────────────────────────────────────────────────


def _by_words(conversation: Conversation, grain: Grain) -> list[Asked]:
    """Search turns, or whole sessions: what BM25 alone is best at."""
    if grain == "turn":
        ids = [turn.turn_id for _, turn in conversation.turns()]
        index = Bm25([turn.text for _, turn in conversation.turns()])
    else:
        ids = [session.session_id for session in conversation.sessions]
        index = Bm25(["\n".join(turn.text for turn in session.turns) for session in conversation.sessions])
    answers = []
    for question in conversation.questions:
        begin = time.perf_counter()
        found = index.ranking(question.text)
        seconds = time.perf_counter() - begin
        answers.append(Asked(question, _allowed(conversation, question, [ids[place] for place, _ in found]), seconds))
    return answers


def _by_meaning(conversation: Conversation, material: Material, grain: Grain) -> list[Asked]:
    answers = []
    count = len(material.ids)
    for place, question in enumerate(conversation.questions):
        begin = time.perf_counter()
        found = nearest(material.vectors[:count], material.vectors[count + place])
        ids = [material.ids[place] for place, _ in found]
        answers.append(_as_asked(conversation, question, Answer(ids, time.perf_counter() - begin), grain))
    return answers


# ── others ───────────────────────────────────────────────────────────────────


async def _material(conversation: Conversation, embedders: Embedders, meter: Meter) -> Material:
    """Return a conversation for others, with vectors of the model that suits its language best."""
    turns = {turn.turn_id: turn.text for _, turn in conversation.turns() if turn.text.strip()}
    questions = [question.text for question in conversation.questions]
    texts = [text[:READ_AT_ONCE] for text in (*turns.values(), *questions)]
    best = max(embedders.members, key=lambda member: embedders.weight(member, " ".join(questions)[:2000]))
    advance = meter(f"{conversation.store_id}: {best.model_id}", len(texts))
    rows = []
    for start in range(0, len(texts), 64):
        rows.append(await best.embed(texts[start : start + 64]))
        advance(64)
    depths = [len(turns) if question.before_session else DEPTH for question in conversation.questions]
    return Material(list(turns), list(turns.values()), questions, depths, _stacked(rows))


def _of_rival(conversation: Conversation, given: Sequence[Answer], grain: Grain) -> list[Asked]:
    pairs = zip(conversation.questions, given, strict=True)
    return [_as_asked(conversation, question, answer, grain) for question, answer in pairs]


def _as_asked(conversation: Conversation, question: Question, answer: Answer, grain: Grain) -> Asked:
    """Return an answer in turns as one in the wanted grain: a session stands where its first turn does."""
    if grain == "turn":
        return Asked(question, _allowed(conversation, question, answer.ids), answer.seconds)
    session_of = {turn.turn_id: session.session_id for session, turn in conversation.turns()}
    sessions = list(dict.fromkeys(session_of[turn_id] for turn_id in answer.ids))
    return Asked(question, _allowed(conversation, question, sessions), answer.seconds)


def _allowed(conversation: Conversation, question: Question, ids: Sequence[str]) -> list[str]:
    """Leave out what had not happened when it was asked."""
    if question.before_session is None:
        return list(ids[:DEPTH])
    sessions = conversation.before(question.before_session)
    turns = {turn.turn_id for session, turn in conversation.turns() if session.session_id in sessions}
    return [found for found in ids if found in sessions or found in turns][:DEPTH]


def _stacked(rows: "Sequence[NDArray[np.float32]]") -> "NDArray[np.float32]":
    import numpy as np

    return np.concatenate(rows)


def _size(conversation: Conversation) -> int:
    return sum(1 for _ in conversation.turns()) + len(conversation.questions)
