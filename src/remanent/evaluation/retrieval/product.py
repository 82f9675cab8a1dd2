"""Asking Remanent itself: remember, settle, recall, through the public face and nothing else."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from remanent.evaluation.retrieval.sets import Conversation, Question, Session
from remanent.evaluation.retrieval.studies import Grain
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Found
from remanent.text.tokens import token_counter

DEPTH = 10
AFTER = timedelta(days=1)
"""How long after the last session a question without a date is asked."""

Advance = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what it was answered with: turns or sessions, best first."""

    question: Question
    ranking: list[str]
    seconds: float
    tokens: int = 0
    """How much text the first five items hold."""
    evidence: float | None = None
    """What speaks for an answer, above what speaks for strangers' questions; None where it was not judged."""
    passed: bool = True
    """Whether anything is answered when answering nothing is allowed."""


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
    """Remember a conversation in a folder, unless it is there already, and ask its questions."""
    async with aopen(home, embedder=embedder) as memory:
        agent = memory.agent(_name(conversation))
        await _remember(memory, agent, conversation, advance)
        answers: dict[Grain, list[Asked]] = {grain: [] for grain in grains}
        for question in conversation.questions:
            for grain in grains:
                asked = await _ask(agent, conversation, question, grain, recipe)
                answers[grain].append(await _judge(agent, conversation, asked) if judged else asked)
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
    until = None
    if question.before_session is not None:
        began = {session.session_id: session.began for session in conversation.sessions}
        until = began[question.before_session]
    asked_at = until or question.asked or conversation.sessions[-1].began + AFTER
    if not question.text.strip():
        return Asked(question, [], 0.0)
    begin = time.perf_counter()
    found = await agent.recall(
        question.text,
        limit=DEPTH,
        grain="session" if grain == "session" else "item",
        order="relevance",
        recipe=recipe,
        until=until,
        asked_at=asked_at,
        source_share=1.0,
        gate=False,  # what is measured is the order; whether to answer at all is measured apart
    )
    seconds = time.perf_counter() - begin
    return Asked(question, _ranking(found, grain), seconds, sum(map(token_counter(), _texts(found))))


async def _judge(agent: AsyncAgent, conversation: Conversation, asked: Asked) -> Asked:
    """Ask again, allowing no answer."""
    asked_at = asked.question.asked or conversation.sessions[-1].began + AFTER
    found = await agent.recall(asked.question.text, limit=1, gate=True, asked_at=asked_at)
    if found.gate is None:  # nothing was found that could be judged
        return replace(asked, evidence=None if found.items else -math.inf, passed=bool(found.items))
    return replace(asked, evidence=found.gate.score - found.gate.threshold, passed=found.gate.passed)


def _ranking(found: Found, grain: Grain) -> list[str]:
    if grain == "session":
        return list(dict.fromkeys(item.session for item in found.items if item.session is not None))
    return list(dict.fromkeys(one.caller_id for item in found.items for one in item.sources if one.caller_id))


def _texts(found: Found) -> list[str]:
    return [item.text for item in found.items[:5]]


def _name(conversation: Conversation) -> str:
    return f"c-{conversation.store_id}"
