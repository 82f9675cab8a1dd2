"""Tiered cognition as a discipline: what it declares, and what it does in one open memory.

A job reads what was said behind what was indexed. A memory's id follows from whose it is and what it is about, so
that the same again is evidence and another value the next version, with a settled `Conflict` that can be undone. A
memory that quotes one turn is found by way of that turn, beside which `review.py` puts it.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from remanent.bilingual import Bilingual
from remanent.cognition.expiry import Lifecycle
from remanent.cognition.model import (
    ATTRIBUTE_NAMES,
    EPISODE,
    INSTRUCTION,
    LEARN,
    MEMORIES,
    may_repeat,
    may_state,
    request_learning,
)
from remanent.cognition.orchestrator import RECIPES, CognitionPath
from remanent.cognition.profile import ProfilePath
from remanent.cognition.review import newest_first, read_along, review
from remanent.cognition.settings import CognitionSettings
from remanent.context import SessionEnd
from remanent.discipline import Along, AnyAgent, Discipline, OpenDiscipline, Operation, Parts
from remanent.jobs import Handler
from remanent.lightweight import late_class
from remanent.model import SHARED, Entry, Found, Job, Kind, Record, Scope
from remanent.recall import Question, RecallPath, Recipe
from remanent.stores import EntryQuery, RecordFilter, RecordQuery, Transaction

if TYPE_CHECKING:
    from remanent.cognition.face import AsyncCognition
    from remanent.cognition.learning import MemoryWriter

NAME = "cognition"
_SPOKEN = 8
"""Entries that are looked through for one message of a user: answers, calls of tools and their results lie between."""
_LOOK_AGAIN = 5.0
"""Seconds after which it is looked again whether a workspace shares anything: another process may have approved it.
Looking at each question would take a tenth of the time that a kept answer takes. Chosen by hand."""
_MAX_UNSHARED = 10_000
"""Workspaces of which that is known; with so many it begins anew, at the cost of a look each."""


class TieredCognition(Discipline):
    """Memories in tiers: facts, preferences, episodes and procedures made of what is said, each with its history."""

    name = NAME
    purpose = Bilingual(
        "Memories in tiers: facts, preferences, episodes and procedures made of what is said.",
        "分层记忆：从对话中得出的事实、偏好、情景与流程。",
    )
    kinds = (INSTRUCTION,)
    settings = CognitionSettings
    agent_face = late_class("remanent.cognition.face", "AsyncCognition")

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.cognition.operations import OPERATIONS

        return OPERATIONS

    def terms(self) -> Mapping[str, str]:
        """Return what attributes of a user are called: descriptions of conflicts name them."""
        return ATTRIBUTE_NAMES

    def open(self, parts: Parts) -> OpenDiscipline:
        """Return the discipline at work in one open memory."""
        return OpenCognition(parts)


class OpenCognition(OpenDiscipline):
    """The memories of all agents of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        settings = self._settings = parts.settings.section(CognitionSettings)
        self.lifecycle = Lifecycle(parts.store, settings, clock=parts.clock)
        self._unshared: dict[Scope, float] = {}
        """Workspaces that shared nothing when they were last looked at, each with when to look again."""
        parts.store.on_enqueue(self._look_again)

    @cached_property
    def writer(self) -> "MemoryWriter":
        """What learns; it knows every form of statement, and is loaded when there is something to learn."""
        from remanent.cognition.learning import MemoryWriter

        return MemoryWriter(self._parts, self._settings)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Learning from what was said, and from sessions that ended."""
        return {LEARN: self._learn, EPISODE: self._episode}

    @property
    def paths(self) -> Sequence[RecallPath]:
        """Memories by way of their turns, where memories are asked for; turns by way of what is known of the user."""
        return (CognitionPath(self._parts.store), ProfilePath(self._parts.store))

    @property
    def recipes(self) -> Sequence[Recipe]:
        """One for each intent."""
        return RECIPES

    async def on_turns(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Ask for memories of what was said, if any of it may state something and enough was said to be read."""
        every = self._settings.learn_every
        if (
            self._settings.learn
            and any(may_state(one) or may_repeat(one) for one in entries)
            and (every == 1 or await self._waits(tx.scope, every))
        ):
            request_learning(self._parts, tx, every=every)

    async def _waits(self, scope: Scope, every: int) -> bool:
        """Tell whether there are so many messages that nothing was learnt from yet."""
        read = await self._parts.store.state(scope.owner, LEARN)
        query = EntryQuery(after_seq=read if isinstance(read, int) else 0, limit=_SPOKEN * every)
        return sum(map(may_state, await self._parts.store.entries(scope.owner, query))) >= every

    async def on_session_end(self, tx: Transaction, ended: SessionEnd) -> None:
        """Ask for the episode that a session was, and for memories of what was not read yet."""
        if self._settings.learn and self._settings.learn_every > 1:
            request_learning(self._parts, tx, every=self._settings.learn_every)
        if self._settings.learn and ended.scope.session is not None:
            self._parts.enqueue(tx, EPISODE, payload={"session": ended.scope.session}, key=ended.scope.session)

    async def elsewhere(self, question: Question) -> Sequence[Question]:
        """Ask for what the workspace shares as well, where the question is not about one user or one session."""
        scope, wanted = question.scope, question.record_filter
        if wanted.kinds is not None and Kind.SHARED not in wanted.kinds:
            return ()
        if scope.agent == SHARED or scope.session or scope.task or question.whose:
            return ()
        if not await self._shares(scope.shared):
            return ()
        wanted = replace(wanted, kinds=(Kind.SHARED,))
        return (replace(question, scope=scope.shared, record_filter=wanted, beside={}),)

    def _look_again(self, scope: Scope) -> None:
        """Look again whether a workspace shares anything: what is approved asks for its index."""
        self._unshared.pop(scope, None)

    async def _shares(self, workspace: Scope) -> bool:
        """Tell whether a workspace shares anything; that it does not is believed for a while."""
        if time.monotonic() < self._unshared.get(workspace, 0.0):
            return False
        shared = RecordFilter(kinds=(Kind.SHARED,))
        if await self._parts.store.records(workspace, RecordQuery(filter=shared, limit=1)):
            return True
        # What waits for approval may be approved before its index is made; then no job is asked for that would tell.
        waiting = replace(shared, statuses=None)
        if await self._parts.store.records(workspace, RecordQuery(filter=waiting, limit=1)):
            return False
        if len(self._unshared) >= _MAX_UNSHARED:
            self._unshared.clear()
        self._unshared[workspace] = time.monotonic() + _LOOK_AGAIN
        return False

    async def on_candidates(self, question: Question, record_ids: Sequence[str]) -> None:
        """Read the memories that were made of the candidates."""
        await read_along(self._parts.store, question, record_ids)

    async def on_found(self, question: Question, found: Found, *, without: Sequence[str] = ()) -> Found:
        """Put what is known of the answers beside them."""
        alive_at = question.record_filter.as_of or self.lifecycle.steady()
        found = newest_first(question, found) if self._settings.learn else found
        return await review(self._parts.store, question, found, alive_at=alive_at, without=without)

    def on_given(self, scope: Scope, found: Found) -> None:
        """Count the memories that were given out."""
        self.lifecycle.count(scope, [memory_id for item in found.items for memory_id in item.memory_ids])

    async def goes_along(self, scope: Scope, record: Record) -> Along:
        """Return the turns that tell a memory, whole or without it, or the memories that rest on a turn alone."""
        return await self.writer.forgetting.along(scope, record) if record.kind in (*MEMORIES, Kind.TURN) else Along()

    async def _episode(self, job: Job, tx: Transaction) -> None:
        from remanent.cognition.episodes import make_episode

        await make_episode(self._parts, self._settings, job, tx)

    async def _learn(self, job: Job, tx: Transaction) -> None:
        await self._parts.journal.lull(job.scope)
        await self.lifecycle.flush(job.scope)
        # Side by side, so that what both read first is one call of the store.
        await asyncio.gather(self.writer.learn(job, tx), self.lifecycle.sweep_now_and_then(job.scope.owner, tx))

    def agent_face(self, agent: AnyAgent) -> "AsyncCognition":
        """Return one agent's memories."""
        from remanent.cognition.face import AsyncCognition

        return AsyncCognition(agent, self._parts, writer=self.writer, lifecycle=self.lifecycle)

    async def close(self) -> None:
        """Write what was counted."""
        await self.lifecycle.flush_all()
