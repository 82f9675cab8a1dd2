"""Which agents' queues to look at, and when."""

import asyncio
import heapq
import itertools
from datetime import datetime

from remanent.jobs.waiting import Sleep, pause, wait_first
from remanent.model import Clock, Scope


class Agenda:
    """Hands out agents whose queue may hold work, first come first served, each to one looker at a time."""

    def __init__(self, *, clock: Clock, sleep: Sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._due: dict[Scope, None] = {}
        self._looking: set[Scope] = set()
        self._again: set[Scope] = set()
        self._times: dict[Scope, datetime] = {}
        # Entries of the heap whose time is no longer the one in `_times` are skipped.
        self._heap: list[tuple[datetime, int, Scope]] = []
        self._order = itertools.count()
        self._filled = asyncio.Event()
        self._moved = asyncio.Event()
        self._closed = False

    def look_now(self, owner: Scope) -> None:
        """Have the agent looked at as soon as a looker is free; if one is looking, once more after that."""
        if owner in self._looking:
            self._again.add(owner)
        else:
            self._due.setdefault(owner)
            self._filled.set()

    def look_at(self, owner: Scope, moment: datetime) -> None:
        """Have the agent looked at then, unless that is to happen earlier anyway."""
        known = self._times.get(owner)
        if known is not None and known <= moment:
            return
        self._times[owner] = moment
        heapq.heappush(self._heap, (moment, next(self._order), owner))
        self._moved.set()

    async def next(self) -> Scope | None:
        """Return the next agent to look at, or `None` once the agenda is closed; `looked` must follow."""
        while not self._closed:
            if self._due:
                owner = next(iter(self._due))
                del self._due[owner]
                # The look finds out anew when the next one is needed.
                self._times.pop(owner, None)
                self._looking.add(owner)
                return owner
            self._filled.clear()
            await self._filled.wait()
        return None

    def looked(self, owner: Scope) -> None:
        """Say that the look has ended."""
        self._looking.discard(owner)
        if owner in self._again:
            self._again.discard(owner)
            self.look_now(owner)

    async def keep_time(self) -> None:
        """Move agents whose time has come to the due ones, until cancelled."""
        while True:
            self._moved.clear()
            self._move_due()
            if self._heap:
                seconds = max(0.0, (self._heap[0][0] - self._clock()).total_seconds())
                await wait_first(self._moved.wait(), pause(self._sleep, seconds))
            else:
                await self._moved.wait()

    def close(self) -> None:
        """Hand out nothing more."""
        self._closed = True
        self._filled.set()

    def _move_due(self) -> None:
        now = self._clock()
        while self._heap and (self._heap[0][0] <= now or self._times.get(self._heap[0][2]) != self._heap[0][0]):
            moment, _, owner = heapq.heappop(self._heap)
            if self._times.get(owner) == moment:
                del self._times[owner]
                self.look_now(owner)
