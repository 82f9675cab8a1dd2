"""Notes that outlive the process: answers given to requests with a key, and erasures that were begun.

Answers lie in the store of the agent they were about, as states that no export shows: they survive a restart, every
process sees them, and erasing something of the agent takes the answers' content with it.

An erasure is noted on the shelf before anything goes, so that one cut short by a crash is carried to its end: whose it
is and what was asked for, never what was said. Who erases holds a lock beside it: a note whose lock nobody holds was
left by a crash. In files whoever opens the memory next ends what it names, and where servers share a store any of them
does. The lock goes with the process however that ends, and a process that is stopped for long but alive keeps it.
"""

import asyncio
import json
import secrets
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import Field

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import Clock, Instant, Model, Scope
from remanent.model.base import Text
from remanent.stores.queries import Erasure
from remanent.stores.shelf import Hold, Shelf, as_shelf
from remanent.stores.sqlite.connection import translated
from remanent.stores.store import HIDDEN, Store

LIFETIME = timedelta(days=1)
"""How long a request can be sent again and get its first answer; what other APIs with idempotency keys promise, too."""
MAX_NOTES = 10_000
"""Of one agent; beyond them the oldest go, so that a client with a new key for every request fills no disk."""
_PREFIX = f"{HIDDEN}note/"
_BLANK = f"{HIDDEN}blank/"
"""Notes without content stand apart, so that an erasure looks only at what it has to take."""
_TIDY_EVERY = 500
"""Notes between two looks for old ones: looking reads them all."""
_MAX_COUNTED_AGENTS = 10_000
"""Agents whose notes are counted at a time."""


class NotedAnswer(Model):
    """An answer, and what tells the request that it was given to from others."""

    fingerprint: Text
    at: Instant
    status: int
    headers: dict[str, Text] = Field(default_factory=dict)
    content: Text | None = None
    """`None` where it must not be kept, or was erased."""


class NotedAnswers:
    """Finds and keeps notes; old ones go in passing."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._kept: defaultdict[Scope, int] = defaultdict(int)

    async def find(self, scope: Scope, name: str) -> NotedAnswer | None:
        """Return the note under a name, unless it is too old."""
        places = (_PREFIX + name, _BLANK + name)
        found = await asyncio.gather(*(self._store.state(scope.owner, place) for place in places))
        value = next((one for one in found if isinstance(one, dict)), None)
        if value is None:
            return None
        note = NotedAnswer.model_validate(value)
        return note if note.at > self._clock() - LIFETIME else None

    async def keep(self, scope: Scope, name: str, note: NotedAnswer) -> None:
        """Keep a note durably."""
        owner = scope.owner
        if self._kept[owner] % _TIDY_EVERY == 0:
            await self._tidy(owner)
        self._kept[owner] += 1
        if len(self._kept) > _MAX_COUNTED_AGENTS:
            self._kept.clear()  # whoever comes next is tidied up once more than needed
        async with self._store.transaction(owner) as tx:
            tx.state((_BLANK if note.content is None else _PREFIX) + name, note.model_dump(mode="json"))

    async def blank(self, scope: Scope) -> None:
        """Let go of what the answers said, and know further on that they were given."""
        notes = await self._all(scope.owner, _PREFIX)
        if not notes:
            return
        async with self._store.transaction(scope.owner) as tx:
            for key, note in notes.items():
                tx.state(key, None)
                tx.state(_BLANK + key.removeprefix(_PREFIX), note.replace(content=None).model_dump(mode="json"))

    async def _tidy(self, scope: Scope) -> None:
        """Remove notes that are too old, and the oldest beyond the number that is kept."""
        notes = {**await self._all(scope, _PREFIX), **await self._all(scope, _BLANK)}
        oldest = sorted(notes, key=lambda key: notes[key].at)
        ends = self._clock() - LIFETIME
        over = max(0, len(oldest) - (MAX_NOTES - _TIDY_EVERY))
        gone = [key for place, key in enumerate(oldest) if place < over or notes[key].at <= ends]
        if gone:
            async with self._store.transaction(scope) as tx:
                for key in gone:
                    tx.state(key, None)

    async def _all(self, scope: Scope, prefix: str) -> dict[str, NotedAnswer]:
        """Return the notes under a prefix; one that cannot be read counts as old, so that it goes in passing."""
        found = {}
        for key, value in (await self._store.states(scope, prefix=prefix)).items():
            try:
                found[key] = NotedAnswer.model_validate(value)
            except InvalidInput:  # not of this version: it goes with the oldest
                found[key] = NotedAnswer(fingerprint="", at=self._clock() - LIFETIME, status=0)
        return found


FOLDER = ".erasing"
"""Of the shelf; no organisation can have this name."""


@dataclass(frozen=True, slots=True)
class PendingErasure:
    """One erasure that has begun, and has not ended while its note is there."""

    scope: Scope
    erasure: Erasure
    last_seq: int
    """The newest entry when it was begun: what is said later was not meant."""
    name: str
    """Of its note."""
    shelf: Shelf
    held: Hold

    def end(self) -> None:
        """Say that nothing is left to do."""
        with translated():
            self.shelf.remove(self.name)
        self.release()

    def release(self) -> None:
        """Leave the rest to whoever looks next."""
        with translated():
            self.held.release()


class PendingErasures:
    """The erasures that have begun, in this home or on any server of a store."""

    def __init__(self, place: Path | Shelf) -> None:
        self._shelf = as_shelf(place)

    @property
    def is_shared(self) -> bool:
        """Whether other servers see them."""
        return self._shelf.is_shared

    def begin(self, scope: Scope, erasure: Erasure, *, last_seq: int) -> PendingErasure:
        """Write down, durably, that an erasure begins; held first, so that nobody takes it for one that was left."""
        name = f"{FOLDER}/{secrets.token_hex(8)}.json"
        with translated():
            held = self._shelf.hold(_lock_of(name))
            try:
                self._shelf.write(name, _note(scope, erasure, last_seq))
            except BaseException:
                held.release()
                raise
        return PendingErasure(scope, erasure, last_seq, name, self._shelf, held)

    def has_any(self) -> bool:
        """Return whether any erasure is under way or was cut short."""
        with translated():
            return bool(self._shelf.names(FOLDER))

    def interrupted(self) -> Iterator[PendingErasure]:
        """Yield the erasures that nobody carries on, each held by this process from then on."""
        with translated():
            names = self._shelf.names(FOLDER)
        for name in names:
            begun = self._take(name)
            if begun is not None:
                yield begun

    def _take(self, name: str) -> PendingErasure | None:
        """Return an erasure that nobody carries on, held by this process; a torn note goes, an unknown one stays."""
        with translated():
            if self._shelf.is_held(_lock_of(name)):
                return None
            held = self._shelf.hold(_lock_of(name))
            try:
                body = self._shelf.read(name)  # only now: another may have ended it meanwhile
                noted = None if body is None else _read(body)
                if noted is not None:
                    return PendingErasure(*noted, name=name, shelf=self._shelf, held=held)
                if body is not None and not body.endswith(b"}"):
                    self._shelf.remove(name)  # the crash came before anything was erased
            except BaseException:
                held.release()
                raise
            held.release()
        return None


def _lock_of(name: str) -> str:
    return f"{name.removesuffix('.json')}.lock"


def _note(scope: Scope, erasure: Erasure, last_seq: int) -> bytes:
    """Return what the note holds: whose memory and what goes; no word of what is to be erased."""
    body = {
        "org": scope.org,
        "workspace": scope.workspace,
        "agent": scope.agent,
        "entry_ids": erasure.entry_ids,
        "record_ids": erasure.record_ids,
        "session": erasure.session,
        "everything": erasure.everything,
        "last_seq": last_seq,
    }
    return json.dumps(body).encode()


def _read(note: bytes) -> tuple[Scope, Erasure, int] | None:
    """Return what a note says, or nothing when it is torn or not ours."""
    try:
        body: dict[str, Any] = json.loads(note)
        return (
            Scope(org=body["org"], workspace=body["workspace"], agent=body["agent"]),
            Erasure(
                tuple(body["entry_ids"]), tuple(body["record_ids"]), body["session"], everything=body["everything"]
            ),
            body["last_seq"],
        )
    except (ValueError, KeyError, TypeError, InvalidInput):
        return None
