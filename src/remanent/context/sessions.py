"""Sessions: when one begins, when it is over, who is told; what an agent is at in one, and its scratchpads.

A session is a name that messages carry. It is open from the first thing said in it until it is ended: by a call, by a
coding agent's hook, or because nothing was said in it for a while. What is said later makes it open again, and it is
the same session. Saying something writes one value without reading any, so that remembering costs no more for it.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

from pydantic import Field, JsonValue, ValidationError
from pydantic_core import to_json

from remanent.errors import InvalidInput, NotFound, VersionConflict
from remanent.model import Clock, Entry, EntryKind, Job, Model, NewId, Origin, Scope, from_millis, to_instant, to_millis
from remanent.model.base import Count, Text, check_json
from remanent.model.clock import Instant
from remanent.model.job import TIMER
from remanent.stores import EntryQuery, Store, Transaction

SWEEP = "sessions"
"""The job that ends sessions in which nothing is said any more."""
OPEN = "session/open/"
_ENDED = "session/ended/"
CURRENT = "session/state/"
ARCHIVED = "session/archived/"
PREFIX = "session/"
"""Where the states of sessions lie: when an open one was last used, how one ended the last time, what its agent is at,
and the entry that holds what it was at."""

_MAX_TIMER = timedelta(hours=12)
"""A job may not wait longer than a day; the sweep looks again."""

EndReason = Literal["call", "hook", "idle"]


class SessionInfo(Model):
    """How a session stands."""

    session: str
    is_open: bool
    started_at: Instant | None = None
    """When the first thing was said in it."""
    active_at: Instant
    """When it was last used."""
    ended_at: Instant | None = None
    """When it was last ended; one that was resumed since has ended before it was last used."""
    reason: EndReason | None = None


class SessionEnd(Model):
    """A session that is over, as disciplines are told of it."""

    scope: Scope
    """The agent, and the session."""
    reason: EndReason
    active_at: Instant
    ended_at: Instant
    after_seq: Count = 0
    """The place in the journal of the last entry of the session when it ended before: what comes after it is new."""
    last_seq: Count = 0
    """The place of its last entry."""


SessionEndListener = Callable[[Transaction, SessionEnd], Awaitable[None]]
"""Does what follows from the end of a session, inside of the unit of work that ends it."""


class Sessions:
    """The sessions of all agents of one open memory."""

    def __init__(self, store: Store, *, idle: timedelta, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._idle = idle
        self._clock = clock
        self._new_id = new_id
        self.listeners: list[SessionEndListener] = []
        """Who is told of an end, in order."""
        self.watch: Callable[[Scope], None] = lambda _: None
        """Has the worker look at an agent's queue; set once there is a worker."""

    def heard(self, tx: Transaction, entries: Iterable[Entry]) -> None:
        """Keep the sessions of entries open, in the unit of work that appends them."""
        for session in dict.fromkeys(entry.scope.session for entry in entries):
            if session is not None:
                self.touch(tx, session)

    def touch(self, tx: Transaction, session: str) -> None:
        """Keep a session open, as part of a unit of work; one that was ended is resumed."""
        now = self._clock()
        tx.state(state_name(OPEN, session), to_millis(now))
        self._set_timer(tx, now + self._idle)

    async def begin(self, scope: Scope, session: str) -> SessionInfo:
        """Begin a session, or resume one, before anything is said in it."""
        scope = scope.within(session=session)
        async with self._store.transaction(scope.owner) as tx:
            self.touch(tx, session)
        self.watch(scope.owner)
        return await self.info(scope, session)

    async def end(self, scope: Scope, session: str, *, reason: EndReason = "call") -> SessionInfo:
        """End a session and tell the disciplines; one that is over stays as it is, and nobody is told again."""
        scope = scope.within(session=session)
        active = await self._store.state(scope.owner, state_name(OPEN, session))
        if isinstance(active, int):
            async with self._store.transaction(scope.owner) as tx:
                await self._end(tx, session, active, reason=reason)
            self.watch(scope.owner)
        return await self.info(scope, session)

    async def info(self, scope: Scope, session: str) -> SessionInfo:
        """Return how a session stands."""
        scope = scope.within(session=session)
        names = (state_name(OPEN, session), state_name(_ENDED, session))
        states = {name: await self._store.state(scope.owner, name) for name in names}
        found = self._read(states)
        if not found:
            raise NotFound(f"there is no session {session}; begin it, or `remember` something in it")
        return await self._with_start(scope, found[0])

    async def infos(self, scope: Scope, *, is_open: bool | None = None, limit: int = 100) -> list[SessionInfo]:
        """Return sessions, those that were used last first."""
        found = self._read(await self._store.states(scope.owner, prefix=PREFIX))
        chosen = [one for one in found if is_open is None or one.is_open is is_open][:limit]
        return [await self._with_start(scope, one) for one in chosen]

    def is_open(self, active: object) -> bool:
        """Tell by its last use whether a session is open: idleness ends it before the job that says so."""
        return isinstance(active, int) and from_millis(active) + self._idle > self._clock()

    async def sweep(self, job: Job, tx: Transaction) -> None:
        """End the sessions in which nothing was said for too long, and look again when the next may be over."""
        now = self._clock()
        due: list[datetime] = []
        for name, active in (await self._store.states(job.scope, prefix=OPEN)).items():
            if not isinstance(active, int):
                continue
            ends = from_millis(active) + self._idle
            if ends <= now:
                await self._end(tx, unquote(name.removeprefix(OPEN)), active, reason="idle")
            else:
                due.append(ends)
        if due:
            self._set_timer(tx, min(due))

    async def _end(self, tx: Transaction, session: str, active: int, *, reason: EndReason) -> None:
        """End a session in a unit of work, unless something is said in it meanwhile."""
        scope, now = tx.scope.within(session=session), to_instant(self._clock())
        before = await self._store.state(scope.owner, state_name(_ENDED, session))
        last_seq = before.get("last_seq") if isinstance(before, dict) else None
        newest = await self._store.entries(scope, EntryQuery(newest_first=True, limit=1))
        ended = SessionEnd(
            scope=scope,
            reason=reason,
            active_at=from_millis(active),
            ended_at=now,
            after_seq=last_seq if isinstance(last_seq, int) else 0,
            last_seq=newest[0].seq if newest else 0,
        )
        tx.state(state_name(OPEN, session), None, expects=active)
        kept: JsonValue = {
            "active_at": active,
            "ended_at": to_millis(now),
            "reason": reason,
            "last_seq": ended.last_seq,
        }
        tx.state(state_name(_ENDED, session), kept)
        for tell in self.listeners:
            await tell(tx, ended)

    def _set_timer(self, tx: Transaction, at: datetime) -> None:
        now = self._clock()
        due = min(at, now + _MAX_TIMER)
        tx.request(SWEEP, job_id=self._new_id(), at=now, lane=f"{TIMER}{SWEEP}", key=SWEEP, not_before=due)

    def _read(self, states: dict[str, Any]) -> list[SessionInfo]:
        """Return what states say of sessions, those that were used last first."""
        ends = {name.removeprefix(_ENDED): held for name, held in states.items() if name.startswith(_ENDED)}
        uses = {name.removeprefix(OPEN): held for name, held in states.items() if name.startswith(OPEN)}
        found = []
        for name in ends.keys() | uses.keys():
            used, end = uses.get(name), ends.get(name) or {}
            if not (end or isinstance(used, int)):
                continue
            found.append(
                SessionInfo(
                    session=unquote(name),
                    is_open=self.is_open(used),
                    active_at=from_millis(used if isinstance(used, int) else end["active_at"]),
                    ended_at=from_millis(end["ended_at"]) if end else None,
                    reason=end.get("reason"),
                )
            )
        return sorted(found, key=lambda one: (one.active_at, one.session), reverse=True)

    async def _with_start(self, scope: Scope, info: SessionInfo) -> SessionInfo:
        first = await self._store.entries(scope.within(session=info.session), EntryQuery(limit=1))
        return info.replace(started_at=first[0].recorded_at) if first else info


def names_of(session: str) -> tuple[str, ...]:
    """Return the names of the states that belong to a session and go when it is erased."""
    return tuple(state_name(place, session) for place in (OPEN, _ENDED, CURRENT, ARCHIVED))


def state_name(place: str, session: str) -> str:
    """Return the name of a session's state."""
    return f"{place}{quote(session, safe='')}"


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
        return _read_state(session, held) if held is not None else await self._archived(scope)

    async def update(
        self, scope: Scope, session: str, changes: Mapping[str, Any], *, expects: int | None = None
    ) -> SessionState:
        """Change what is given and leave the rest; the session is begun or resumed by it."""
        scope = scope.within(session=session)
        held = await self._store.state(scope.owner, state_name(CURRENT, session))
        before = _read_state(session, held) if held is not None else await self._archived(scope)
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
                f"the state of a session may have at most {MAX_CHARACTERS} "
                f"characters, not {size}; use `remember` for what is done"
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
        if entry is None or entry.erased:
            return SessionState(session=session)
        return _read_state(session, json.loads(entry.text))

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


def _read_state(session: str, held: object) -> SessionState:
    return SessionState.model_validate({**(held if isinstance(held, dict) else {}), "session": session})


# A pad is for what an agent has at hand, not for documents: the bounds keep all pads of an agent in one quick read.
# Chosen by hand.
MAX_KEYS = 200
MAX_KEY_CHARACTERS = 200
MAX_VALUE_CHARACTERS = 20_000
"""A pad is read whole and goes into prompts: what is longer is a text to remember, or a file."""
MAX_PAD_CHARACTERS = 65_536
"""Characters of all values of an agent as JSON: they are read with the agent's other states."""

SCRATCHPADS = "scratchpad/"

# Of the keys that runtimes keep for themselves, as the design names them, those that are read here. The others
# (delegation_result::, __pending_subagent_summaries__, __taskspace_hint__, …) are values like any.
_SUBAGENT_RESULT = "subagent_result::"
SESSION_FACTS = "session_facts"


class SubagentRow(Model):
    """What is known of a sub-agent whose own row is gone: who it was, and what came of its work."""

    id: str
    result: JsonValue


def missing_subagents(pad: Mapping[str, JsonValue], known: Collection[str] = ()) -> list[SubagentRow]:
    """Return rows of the sub-agents that a runtime has none of any more, rebuilt from what their ends left on a pad."""
    ends = {key.removeprefix(_SUBAGENT_RESULT): pad[key] for key in sorted(pad) if key.startswith(_SUBAGENT_RESULT)}
    return [SubagentRow(id=name, result=result) for name, result in ends.items() if name and name not in known]


class Scratchpad:
    """The pad of one agent's session; without a session, the one that belongs to no session.

    Every key is a state of its own, so that two writers of different keys never undo each other's work.
    """

    def __init__(self, store: Store, scope: Scope, *, session: str | None = None) -> None:
        self._store = store
        self._scope = scope.owner
        self._place = f"{SCRATCHPADS}{quote(session or '', safe='')}/"

    async def read(self) -> dict[str, JsonValue]:
        """Return all values by key, sorted by key."""
        states = await self._store.states(self._scope, prefix=self._place)
        found = {unquote(name.removeprefix(self._place)): value for name, value in states.items()}
        return dict(sorted(found.items()))

    async def write(self, key: str, value: JsonValue) -> None:
        """Keep a value under a key in place of what was there; `None` removes it. Durable on return."""
        if not key.strip() or len(key) > MAX_KEY_CHARACTERS or not key.isprintable():
            raise InvalidInput(f"a scratchpad key must have 1 to {MAX_KEY_CHARACTERS} printable characters")
        check_json(value)
        if value is not None:
            await self._check_room(key, value)
        async with self._store.transaction(self._scope) as tx:
            tx.state(self._name(key), value)

    async def clear(self) -> None:
        """Remove every value."""
        keys = await self.read()
        if not keys:
            return
        async with self._store.transaction(self._scope) as tx:
            for key in keys:
                tx.state(self._name(key), None)

    async def _check_room(self, key: str, value: JsonValue) -> None:
        """Refuse what would make the pads too large; two writers at once may overshoot by one value each."""
        size = _size(value)
        if size > MAX_VALUE_CHARACTERS:
            raise InvalidInput(
                f"a scratchpad value may have at most {MAX_VALUE_CHARACTERS} "
                f"characters, not {size}; use `remember` for longer text"
            )
        own = self._name(key)
        states = await self._store.states(self._scope, prefix=SCRATCHPADS)
        others = {name: held for name, held in states.items() if name != own}
        if len(others) >= MAX_KEYS or sum(map(_size, others.values())) + size > MAX_PAD_CHARACTERS:
            raise InvalidInput(
                f"an agent's scratchpads can hold at most {MAX_KEYS} values and "
                f"{MAX_PAD_CHARACTERS} characters; remove what is no longer needed"
            )

    def _name(self, key: str) -> str:
        return f"{self._place}{quote(key, safe='')}"


def _size(value: JsonValue) -> int:
    return len(to_json(value).decode())
