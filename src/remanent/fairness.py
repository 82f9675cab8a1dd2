"""Sharing what there is only so much of: whoever asks for a lot waits for itself, and not the others for it."""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from remanent.errors import QueueFull

LATELY = 10.0
"""Seconds after which somebody who has asked for nothing no longer counts as present: longer than people pause between
two requests of one piece of work, and short enough that a lone user soon has the whole machine."""


class FairSlots:
    """So many places to work in, handed out in turn by name (of an organisation).

    Somebody who is alone may take all but a quarter, which is there for whoever comes next. As soon as others have
    asked for one, too, each holds at most `shared`, and those who wait are served by turns, one of each name, however
    many of one name there are.
    """

    def __init__(
        self,
        total: int,
        *,
        shared: int,
        max_waiting: int | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total
        self._shared = min(shared, total)
        self._alone = max(self._shared, total - total // 4)
        self._max_waiting = max_waiting
        self._timer = timer
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._seen: OrderedDict[str, float] = OrderedDict()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Hold a place while this lasts, and wait for it before that; refuse when too many of the name wait."""
        self._see(name)
        if name not in self._waiting and self._may(name):
            self._held[name] += 1
        else:
            await self._wait(name)
        try:
            yield
        finally:
            self._release(name)

    async def _wait(self, name: str) -> None:
        """Wait for a place, in the queue of the name."""
        queue = self._waiting.get(name, deque())
        if self._max_waiting is not None and len(queue) >= self._max_waiting:
            raise QueueFull(f"{len(queue)} requests of this organisation wait already; send fewer at a time")
        self._waiting[name] = queue
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                queue.remove(turn)
                if not queue:
                    self._waiting.pop(name, None)
            else:  # the place was given in the same moment
                self._release(name)
            raise

    def _release(self, name: str) -> None:
        """Give a place back, and hand out all that are free now."""
        self._held[name] -= 1
        if not self._held[name]:
            del self._held[name]
        self._see(name)
        # Whoever was served goes to the end, so that the next place is another's.
        while (served := next(filter(self._may, self._waiting), None)) is not None:
            queue = self._waiting[served]
            queue.popleft().set_result(None)
            self._held[served] += 1
            self._waiting.move_to_end(served)
            if not queue:
                del self._waiting[served]

    def _may(self, name: str) -> bool:
        """Tell whether somebody may have one more place."""
        if self._held.total() >= self._total:
            return False
        return self._held[name] < (self._shared if self._has_others(name) else self._alone)

    def _has_others(self, name: str) -> bool:
        """Tell whether anybody else is there, works or waits."""
        if any(other != name for other in self._held) or any(other != name for other in self._waiting):
            return True
        return any(other != name for other in self._seen)

    def _see(self, name: str) -> None:
        """Note that somebody was here just now, and forget who was not for a while."""
        now = self._timer()
        self._seen[name] = now
        self._seen.move_to_end(name)
        while now - next(iter(self._seen.values())) > LATELY:
            self._seen.popitem(last=False)
