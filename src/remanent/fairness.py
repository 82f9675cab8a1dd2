"""Sharing what there is only so much of: whoever asks for a lot waits for itself, and not the others for it.

All work of a process shares one interpreter, so that whoever computes slows everybody else. Places to work in are
handed out by turns, and a name (of an organisation) that has computed for more than its share of the time gets no
further place until the others had theirs.
"""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from remanent.errors import QueueFull

LATELY = 10.0
"""Seconds after which somebody who has asked for nothing no longer counts as present: longer than people pause between
two requests of one piece of work, and short enough that a lone user soon has the whole machine."""
MOST_OTHERS = 8
"""Others that count at most: nobody's share is less than a ninth. While one tenant computes, the others' requests take
up to twice as long; a ninth of the time is seldom enough for their p95."""
ALLOWANCE = 0.2
"""Seconds of computing that nobody waits for: some twenty questions at once, as an agent may have."""
MIN_PAUSE = 0.25
PAUSE_FACTOR = 8.0
MAX_PAUSE = 10.0
"""However much somebody has had, they wait no longer than a quarter of a second, or so many times what their last work
took, or so many seconds at the very most: whoever had a long text indexed may still ask something."""


class Shares:
    """Who asked for something lately, and who has had more than their share. All work of one memory shares one."""

    def __init__(
        self, *, timer: Callable[[], float] = time.monotonic, computed: Callable[[], float] = time.process_time
    ) -> None:
        self._timer = timer
        self._computed = computed
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._had: dict[str, tuple[float, float]] = {}
        """What each has had beyond its share, in seconds, and when that was so."""

    def see(self, name: str) -> None:
        """Note that somebody was here just now, and forget who was not for a while."""
        now = self._timer()
        self._seen[name] = now
        self._seen.move_to_end(name)
        while now - next(iter(self._seen.values())) > LATELY:
            gone, _ = self._seen.popitem(last=False)
            self._had.pop(gone, None)

    def others(self, name: str) -> int:
        """Return how many others were here."""
        return len(self._seen) - (name in self._seen)

    def started(self) -> tuple[float, float]:
        """Return what `seconds_since` needs to tell how long something computes from now on."""
        return self._timer(), self._computed()

    def seconds_since(self, begun: tuple[float, float]) -> float:
        """Return for how long something can have computed since: no longer than it took, and than the process did.

        What waits for a model over the network does not compute, and nor does the process unless others do.
        """
        return min(self._timer() - begun[0], self._computed() - begun[1])

    def charge(self, name: str, seconds: float) -> float:
        """Note that somebody computed for so long; return for how many seconds it is the others' turn now."""
        now = self._timer()
        share = 1 / (1 + min(self.others(name), MOST_OTHERS))
        had, since = self._had.get(name, (0.0, now))
        had = max(0.0, had - (now - since) * share) + seconds
        self._had[name] = (had, now)
        if share == 1 or not seconds:
            return 0.0
        return min(max(0.0, had - ALLOWANCE) / share, max(MIN_PAUSE, PAUSE_FACTOR * seconds), MAX_PAUSE)


class _Ticket:
    """A place that is held: what is done within it counts once."""

    def __init__(self) -> None:
        self.is_open = True


_HELD: ContextVar[_Ticket | None] = ContextVar("remanent-fairness-held", default=None)


class FairSlots:
    """So many places to work in, handed out in turn by name (of an organisation).

    Somebody who is alone may take all but a quarter, which is there for whoever comes next. As soon as others have
    asked for something, too, each holds at most `shared`, and those who wait are served by turns, one of each name,
    however many of one name there are.
    """

    def __init__(
        self,
        total: int,
        *,
        shared: int,
        max_waiting: int | None = None,
        shares: Shares | None = None,
        timer: Callable[[], float] = time.monotonic,
        call_later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        self._total = total
        self._shared = min(shared, total)
        self._alone = max(self._shared, total - total // 4)
        self._max_waiting = max_waiting
        self._shares = shares or Shares(timer=timer)
        self._timer = timer
        self._call_later = call_later
        self._held: Counter[str] = Counter()
        self._paused: dict[str, float] = {}
        """Until when it is the others' turn, by name."""
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Hold a place while this lasts, and wait for it before that; refuse when too many of the name wait."""
        self._shares.see(name)
        if name in self._waiting or not self.take(name):
            await self._wait(name)
        outer, ticket = _HELD.get(), _Ticket()
        _HELD.set(ticket)
        begun = self._shares.started()
        try:
            yield
        finally:
            ticket.is_open = False
            _HELD.set(outer)
            self._shares.see(name)
            is_counted = outer is not None and outer.is_open
            self.give_back(name, seconds=0.0 if is_counted else self._shares.seconds_since(begun))

    def take(self, name: str) -> bool:
        """Take a place, to be given back, if there is one for that name now."""
        is_free = self._may(name)
        if is_free:
            self._held[name] += 1
        return is_free

    def give_back(self, name: str, *, seconds: float = 0.0) -> None:
        """Give a place back in which somebody computed for so long, and hand out all that are free now."""
        self._held[name] -= 1
        if not self._held[name]:
            del self._held[name]
        pause = self._shares.charge(name, seconds)
        if pause > 0:
            self._pause(name, pause)
        self._hand_out()

    def _pause(self, name: str, seconds: float) -> None:
        """Hand out no place to that name for so long."""
        self._paused[name] = self._timer() + seconds
        (self._call_later or asyncio.get_running_loop().call_later)(seconds, lambda: self._resume(name))

    def _resume(self, name: str) -> None:
        """End a pause, unless it was made longer meanwhile."""
        if self._timer() >= self._paused.get(name, 0.0):
            self._paused.pop(name, None)
            self._hand_out()

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
                self.give_back(name)
            raise

    def _hand_out(self) -> None:
        """Hand out all places that are free now; whoever was served goes to the end, so that the next is another's."""
        while (served := next(filter(self._may, self._waiting), None)) is not None:
            queue = self._waiting[served]
            queue.popleft().set_result(None)
            self._held[served] += 1
            self._waiting.move_to_end(served)
            if not queue:
                del self._waiting[served]

    def _may(self, name: str) -> bool:
        """Tell whether somebody may have one more place."""
        if name in self._paused or self._held.total() >= self._total:
            return False
        return self._held[name] < (self._shared if self._has_others(name) else self._alone)

    def _has_others(self, name: str) -> bool:
        """Tell whether anybody else is there, works or waits."""
        if any(other != name for other in self._held) or any(other != name for other in self._waiting):
            return True
        return self._shares.others(name) > 0
