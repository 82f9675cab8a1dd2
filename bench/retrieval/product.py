"""Asking Remanent itself: remember, settle, recall, through the public face and nothing else."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.retrieval.sets import Conversation, Question, Session
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
    advance: Advance = lambda _: None,
    **settings: Any,
) -> dict[Grain, list[Asked]]:
    """Remember a conversation in a folder, unless it is there already, and ask its questions."""
    async with aopen(home, embedder=embedder, **settings) as memory:
        agent = memory.agent(_name(conversation))
        await _remember(memory, agent, conversation, advance)
        answers: dict[Grain, list[Asked]] = {grain: [] for grain in grains}
        for question in conversation.questions:
            is_asked = bool(question.text.strip())
            for grain in grains:
                asked = await _ask(agent, conversation, question, grain, recipe) if is_asked else None
                answers[grain].append(asked or Asked(question, [], 0.0))
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
    """Ask by the plain call: what a user gets, the gate included. Only the row of a recipe names that."""
    begin, spent = time.perf_counter(), time.process_time()
    found = await agent.recall(
        question.text,
        limit=DEPTH,
        grain="session" if grain == "session" else "item",
        until=_until(conversation, question),
        options=RecallOptions(recipe=recipe, asked_at=_asked_at(conversation, question)),
    )
    seconds, processor = time.perf_counter() - begin, time.process_time() - spent
    missing = {left.path for left in found.left_out}
    # Without a verdict, nothing was found that could be judged.
    unjudged = None if found.items else -math.inf
    return Asked(
        question,
        _ranking(found, grain),
        seconds,
        processor,
        evidence=unjudged if found.gate is None else found.gate.score - found.gate.threshold,
        passed=bool(found.items),
        lacking=bool(missing - {RERANKER}),
        unread=RERANKER in missing,
    )


def _until(conversation: Conversation, question: Question) -> datetime | None:
    if question.before_session is None:
        return None
    return next(one.began for one in conversation.sessions if one.session_id == question.before_session)


def _asked_at(conversation: Conversation, question: Question) -> datetime:
    return _until(conversation, question) or question.asked or conversation.sessions[-1].began + AFTER


def _ranking(found: Found, grain: Grain) -> list[str]:
    items = sorted(found.items, key=lambda item: item.rank)
    if grain == "session":
        return list(dict.fromkeys(item.session for item in items if item.session is not None))
    return list(dict.fromkeys(one.caller_id for item in items for one in item.sources if one.caller_id))


def _name(conversation: Conversation) -> str:
    return f"c-{conversation.store_id}"
