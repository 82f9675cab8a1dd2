"""Sessions: when one begins, when it is over, and who is told.

A session is a name that messages carry. It is open from the first thing said in it until it is ended: by a call, by a
coding agent's hook, or because nothing was said in it for a while. What is said later makes it open again, and it is
the same session. Saying something writes one value without reading any, so that remembering costs no more for it.
"""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import quote, unquote

from pydantic import JsonValue

from remanent.errors import NotFound
from remanent.model import Clock, Entry, Job, Model, NewId, Scope, from_millis, to_instant, to_millis
from remanent.model.base import Count
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


Tell = Callable[[Transaction, SessionEnd], Awaitable[None]]
"""Does what follows from the end of a session, inside of the unit of work that ends it."""


class Sessions:
    """The sessions of all agents of one open memory."""

    def __init__(self, store: Store, *, idle: timedelta, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._idle = idle
        self._clock = clock
        self._new_id = new_id
        self.listeners: list[Tell] = []
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
            raise NotFound(f"there is no session {session}; `remember` something in it, or begin it")
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
        newest = await self._store.entries(scope, EntryQuery(newest_first=True, limit=1))
        ended = SessionEnd(
            scope=scope,
            reason=reason,
            active_at=from_millis(active),
            ended_at=now,
            after_seq=_number(before, "last_seq"),
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
        found: dict[str, SessionInfo] = {}
        for name, value in states.items():
            if name.startswith(_ENDED) and isinstance(value, dict):
                session = unquote(name.removeprefix(_ENDED))
                active_at, ended_at = from_millis(value["active_at"]), from_millis(value["ended_at"])
                found[session] = SessionInfo(
                    session=session, is_open=False, active_at=active_at, ended_at=ended_at, reason=value["reason"]
                )
        for name, value in states.items():
            if name.startswith(OPEN) and isinstance(value, int):
                session = unquote(name.removeprefix(OPEN))
                ended = found.get(session)
                found[session] = SessionInfo(
                    session=session,
                    is_open=self.is_open(value),
                    active_at=from_millis(value),
                    ended_at=None if ended is None else ended.ended_at,
                    reason=None if ended is None else ended.reason,
                )
        return sorted(found.values(), key=lambda one: (one.active_at, one.session), reverse=True)

    async def _with_start(self, scope: Scope, info: SessionInfo) -> SessionInfo:
        first = await self._store.entries(scope.within(session=info.session), EntryQuery(limit=1))
        return info.replace(started_at=first[0].recorded_at) if first else info


def names_of(session: str) -> tuple[str, ...]:
    """Return the names of the states that belong to a session and go when it is erased."""
    return tuple(state_name(place, session) for place in (OPEN, _ENDED, CURRENT, ARCHIVED))


def _number(value: JsonValue, key: str) -> int:
    number = value.get(key) if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def state_name(place: str, session: str) -> str:
    """Return the name of a session's state."""
    return f"{place}{quote(session, safe='')}"
