"""Answers that were given to requests with a key of the caller's own, kept with the agent they were about.

They lie in the agent's own store, as states that no export shows: they survive a restart, every process sees them, and
erasing something of the agent takes the answers' content with it.
"""

import asyncio
from collections import defaultdict
from datetime import timedelta

from pydantic import Field

from remanent.errors import InvalidInput
from remanent.model import Clock, Instant, Model, Scope
from remanent.model.base import Text
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
