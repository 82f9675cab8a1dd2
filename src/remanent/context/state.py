"""The structured state of a session: what an agent is at, what it has decided, and what stands in its way.

It lives while the session does. When the session ends it goes into the journal, and when the session is resumed it is
there again. Writers say which version they read; whoever was slower is told, and nothing is written over.

Versions, because two processes of one agent may both write: whoever was slower is told and reads again, where the last
one would else have undone the first.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, JsonValue, ValidationError

from remanent.context.sessions import ARCHIVED, CURRENT, OPEN, SessionEnd, Sessions, state_name
from remanent.errors import InvalidInput, VersionConflict
from remanent.model import Clock, Entry, EntryKind, Model, NewId, Origin, Scope, to_instant
from remanent.model.base import Count, Text
from remanent.model.clock import Instant
from remanent.stores import Store, Transaction

# What an agent reads before each step must stay short. Chosen by hand.
MAX_ITEMS = 100
MAX_ITEM_CHARACTERS = 2_000
"""Characters of one line."""
MAX_CHARACTERS = 20_000
"""Characters of a session's state as JSON."""

Line = Annotated[Text, Field(max_length=MAX_ITEM_CHARACTERS)]
Lines = Annotated[tuple[Line, ...], Field(max_length=MAX_ITEMS)]


class Decision(Model):
    """What was decided, and why."""

    what: Annotated[Line, Field(min_length=1)]
    why: Line = ""


class WorkState(Model):
    """What an agent is at in a session."""

    current_goal: Line = ""
    sub_goals: Lines = ()
    completed: Lines = ()
    current_step: Line = ""
    decisions: Annotated[tuple[Decision, ...], Field(max_length=MAX_ITEMS)] = ()
    blockers: Lines = ()
    notes: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of the agent's own."""


class SessionState(WorkState):
    """The state of a session, with the version that a writer says it read."""

    session: str
    version: Count = 0
    """Rises with every change; 0 where there is nothing, or the session is over."""
    updated_at: Instant | None = None


class SessionStates:
    """The structured states of all sessions of one open memory."""

    def __init__(
        self,
        store: Store,
        sessions: Sessions,
        *,
        append: Callable[[Transaction, Sequence[Entry]], Awaitable[None]],
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._store = store
        self.sessions = sessions
        self._append = append
        self._clock = clock
        self._new_id = new_id
        sessions.listeners.append(self._archive)

    async def read(self, scope: Scope, session: str) -> SessionState:
        """Return the state of a session; nothing of one that is over."""
        scope = scope.within(session=session)
        active = await self._store.state(scope.owner, state_name(OPEN, session))
        if not self.sessions.is_open(active):
            return SessionState(session=session)
        held = await self._store.state(scope.owner, state_name(CURRENT, session))
        return _read(session, held) if held is not None else await self._archived(scope)

    async def update(
        self, scope: Scope, session: str, changes: Mapping[str, Any], *, expects: int | None = None
    ) -> SessionState:
        """Change what is given and leave the rest; the session is begun or resumed by it."""
        scope = scope.within(session=session)
        held = await self._store.state(scope.owner, state_name(CURRENT, session))
        before = _read(session, held) if held is not None else await self._archived(scope)
        if expects is not None and expects != before.version:
            raise VersionConflict(
                f"the state of session {session} is at version {before.version}, not {expects}; read it again"
            )
        about = {"version": before.version + 1, "updated_at": to_instant(self._clock())}
        try:
            after = SessionState.model_validate({**before.model_dump(), **changes, **about})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            raise InvalidInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
        written = after.model_dump(mode="json", exclude={"session"})
        if (size := len(json.dumps(written, ensure_ascii=False))) > MAX_CHARACTERS:
            raise InvalidInput(
                f"the state of a session has at most {MAX_CHARACTERS} characters, not {size}; `remember` what is done"
            )
        async with self._store.transaction(scope.owner) as tx:
            tx.state(state_name(CURRENT, session), written, expects=held)
            self.sessions.touch(tx, session)
        self.sessions.watch(scope.owner)
        return after

    async def _archived(self, scope: Scope) -> SessionState:
        """Return the state that a session had when it ended, from the journal; nothing where that was erased."""
        session = scope.session or ""
        entry_id = await self._store.state(scope.owner, state_name(ARCHIVED, session))
        if not isinstance(entry_id, str):
            return SessionState(session=session)
        entry = (await self._store.entries_by_id(scope, (entry_id,))).get(entry_id)
        return (
            SessionState(session=session) if entry is None or entry.erased else _read(session, json.loads(entry.text))
        )

    async def _archive(self, tx: Transaction, ended: SessionEnd) -> None:
        """Put the state of a session that is over into the journal."""
        session = ended.scope.session or ""
        held = await self._store.state(ended.scope.owner, state_name(CURRENT, session))
        if held is None:
            return
        entry = Entry(
            id=self._new_id(),
            scope=ended.scope,
            kind=EntryKind.EVENT,
            role="assistant",
            text=json.dumps(held, ensure_ascii=False),
            occurred_at=ended.ended_at,
            recorded_at=ended.ended_at,
            origin=Origin.AGENT,
        )
        await self._append(tx, [entry])
        tx.state(state_name(CURRENT, session), None, expects=held)
        tx.state(state_name(ARCHIVED, session), entry.id)


def _read(session: str, held: object) -> SessionState:
    return SessionState.model_validate({**(held if isinstance(held, dict) else {}), "session": session})
