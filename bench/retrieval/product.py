"""Asking Remanent itself: remember, settle, recall, through the public face and nothing else."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from bench.retrieval.sets import NONSENSE, Conversation, Question, Session
from bench.retrieval.studies import Grain
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Found, RecallOptions

DEPTH = 10
AFTER = timedelta(days=1)
"""How long after the last session a question without a date is asked."""

RERANKER = "reranker"
"""What an answer calls the cross-encoder that is left out of it."""

Advance = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what it was answered with: turns or sessions, best first."""

    question: Question
    ranking: list[str]
    seconds: float
    processor: float = 0.0
    """Seconds of processor time, which other work on the machine does not lengthen."""
    tokens: int = 0
    """How much text the first five hold."""
    evidence: float | None = None
    """What speaks for an answer: the higher, the likelier there is one; None where it was not judged."""
    passed: bool = True
    """Whether anything is answered when answering nothing is allowed."""
    lacking: bool = False
    """Whether a path failed or was late, as on a machine that is too busy: then less is found than could be."""
    unread: bool = False
    """Whether a cross-encoder should have read the best and did not: it was late, or does not know the language."""


async def ask_remanent(
    home: Path,
    conversation: Conversation,
    grains: Sequence[Grain],
    *,
    recipe: str | None = None,
    embedder: str = "auto",
    judged: bool = False,
    advance: Advance = lambda _: None,
) -> dict[Grain, list[Asked]]:
    """Remember a conversation in a folder, unless it is there already, and ask its questions.

    Nonsense is asked only where answers are judged: no order of answers to it is right.
    """
    async with aopen(home, embedder=embedder) as memory:
        agent = memory.agent(_name(conversation))
        await _remember(memory, agent, conversation, advance)
        answers: dict[Grain, list[Asked]] = {grain: [] for grain in grains}
        for question in conversation.questions:
            if not question.text.strip() or (question.type == NONSENSE and not judged):
                given = [Asked(question, [], 0.0) for _ in grains]
            else:
                given = [await _ask(agent, conversation, question, grain, recipe) for grain in grains]
            if judged and question.text.strip():
                given = await _judge(agent, conversation, given)
            for grain, asked in zip(grains, given, strict=True):
                answers[grain].append(asked)
            advance(1)
        return answers


async def _remember(memory: AsyncMemory, agent: AsyncAgent, conversation: Conversation, advance: Advance) -> None:
    known = {entry.scope.session for entry in await agent.entries(newest_first=True, limit=1)}
    if conversation.sessions[-1].session_id not in known:
        for session in conversation.sessions:
            if messages := _messages(session):
                await agent.remember(messages, session=session.session_id)
            advance(len(messages))
    await memory.settle()


def _messages(session: Session) -> list[dict[str, object]]:
    return [
        {
            "role": turn.role,
            "content": turn.text,
            "id": turn.turn_id,
            "occurred_at": session.began + timedelta(seconds=place),
        }
        for place, turn in enumerate(session.turns)
        if turn.text.strip()
    ]


async def _ask(
    agent: AsyncAgent, conversation: Conversation, question: Question, grain: Grain, recipe: str | None
) -> Asked:
    begin, spent = time.perf_counter(), time.process_time()
    found = await agent.recall(
        question.text,
        limit=DEPTH,
        grain="session" if grain == "session" else "item",
        until=_until(conversation, question),
        options=RecallOptions(
            order="relevance", recipe=recipe, asked_at=_asked_at(conversation, question), source_share=1.0, gate=False
        ),
    )
    seconds, processor = time.perf_counter() - begin, time.process_time() - spent
    missing = {left.path for left in found.left_out}
    ranking = _ranking(found, grain)
    return Asked(question, ranking, seconds, processor, lacking=bool(missing - {RERANKER}), unread=RERANKER in missing)


async def _judge(agent: AsyncAgent, conversation: Conversation, given: Sequence[Asked]) -> list[Asked]:
    """Ask once more, allowing no answer."""
    question = given[0].question
    found = await agent.recall(
        question.text,
        limit=1,
        until=_until(conversation, question),
        options=RecallOptions(gate=True, asked_at=_asked_at(conversation, question)),
    )
    if found.gate is None:  # nothing was found that could be judged
        evidence, passed = None if found.items else -math.inf, bool(found.items)
    else:
        evidence, passed = found.gate.score - found.gate.threshold, found.gate.passed
    return [replace(asked, evidence=evidence, passed=passed) for asked in given]


def _until(conversation: Conversation, question: Question) -> datetime | None:
    if question.before_session is None:
        return None
    return next(one.began for one in conversation.sessions if one.session_id == question.before_session)


def _asked_at(conversation: Conversation, question: Question) -> datetime:
    return _until(conversation, question) or question.asked or conversation.sessions[-1].began + AFTER


def _ranking(found: Found, grain: Grain) -> list[str]:
    if grain == "session":
        return list(dict.fromkeys(item.session for item in found.items if item.session is not None))
    return list(dict.fromkeys(one.caller_id for item in found.items for one in item.sources if one.caller_id))


def _name(conversation: Conversation) -> str:
    return f"c-{conversation.store_id}"
