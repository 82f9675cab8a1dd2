"""Sharing what there is only so much of: whoever asks for a lot waits for itself, and not the others for it.

All work of a process shares one interpreter, so that whoever computes slows everybody else. Places to work in are
handed out by turns, and a name (of an organisation) that has computed for more than its share of the time gets no
further place until the others had theirs. Nobody waits for others who want nothing.
"""

import asyncio
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec, TypeVar

LATELY = 10.0
"""Seconds after which somebody who has asked for nothing no longer counts as present: longer than people pause between
two requests of one piece of work, and short enough that a lone user soon has the whole machine."""
IDLE = 0.5
"""Seconds without anybody else's request after which nobody is made to wait, although others were here lately. Nine
that ask every three seconds, as an agent at work does, leave one gap in five so long; with more, it is rare."""
MOST_OTHERS = 24
"""Others that count at most: nobody's share is less than a twenty-fifth. While one tenant computes, requests of others
take up to twice as long; that must befall less than one in twenty of them, or their p95 doubles. With a ninth, it
was 2.15 times on two idle cores."""
ALLOWANCE = 0.2
"""Seconds of computing that nobody waits for: some twenty questions at once, as an agent may have."""
MIN_PAUSE = 0.25
PAUSE_FACTOR = float(MOST_OTHERS)
_MAX_PAUSE = 10.0
"""However much somebody has had, they wait no longer than a quarter of a second, or so many times what their last work
took, or so many seconds at the very most: whoever had a long text indexed may still ask something."""


LONG = 0.03
"""Seconds that one thread computes for a request before the work counts as long: storing 300 messages takes less. What
is done in the background is long from its beginning."""
_PIECE = 0.003
"""Seconds of long work between two breaths: a question of somebody else takes 10 ms and hardly notices one of them."""
_LONGEST_BREATH = 0.1
"""Seconds of one breath at the most: a thread that sleeps holds its place among the readers."""

P = ParamSpec("P")
T = TypeVar("T")
Pause = Callable[[str, float], None]
"""Hands out nothing to a name for so many seconds."""


class Shares:
    """Who asked for something lately, and who has had more than their share. All work of one memory shares one."""

    def __init__(
        self,
        *,
        timer: Callable[[], float] = time.monotonic,
        computed: Callable[[], float] = time.process_time,
        thread_time: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._timer = timer
        self._computed = computed
        self.thread_time = thread_time
        self.sleep = sleep
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._asking: Counter[str] = Counter()
        """How many requests and jobs of each wait or are worked on."""
        self._had: dict[str, tuple[float, float]] = {}
        """What each has had beyond its share, in seconds, and when that was so."""
        self._doors: list[tuple[Pause, bool]] = []

    def join(self, pause: Pause, *, is_background: bool = False) -> None:
        """Have something that hands out work told for how long it is the others' turn, and not this name's."""
        self._doors.append((pause, is_background))

    def see(self, name: str) -> None:
        """Note that somebody was here just now, and forget who was not for a while."""
        now = self._timer()
        self._seen[name] = now
        self._seen.move_to_end(name)
        while now - next(iter(self._seen.values())) > LATELY:
            gone, _ = self._seen.popitem(last=False)
            if gone in self._asking:
                self._seen[gone] = now
            else:
                self._had.pop(gone, None)

    def others(self, name: str) -> int:
        """Return how many others were here."""
        return len(self._seen) - (name in self._seen)

    def waiting_others(self, name: str) -> int:
        """Return how many others one waits for: those who were here, unless none of them wants anything now."""
        if any(other != name for other in self._asking):
            return self.others(name)
        last = next((seen for other, seen in reversed(self._seen.items()) if other != name), None)
        return 0 if last is None or self._timer() - last > IDLE else self.others(name)

    @contextmanager
    def asking(self, name: str) -> Iterator[None]:
        """Count somebody as one who wants something while this lasts."""
        self.see(name)
        self._asking[name] += 1
        try:
            yield
        finally:
            self._asking[name] -= 1
            if not self._asking[name]:
                del self._asking[name]
            self.see(name)

    @contextmanager
    def turn(self, name: str, *, is_background: bool = False) -> Iterator[Callable[[], float]]:
        """Work for somebody while this lasts; gives what tells for how long it can have computed so far.

        That is no longer than it took, and than the process computed: what waits for a model over the network does not
        compute, and nor does the process unless others do. Work within other work is counted with that.
        """
        outer, turn = _TURN.get(), _Turn(self, name, is_background=is_background)
        is_counted = outer is not None and outer.is_open
        if not is_counted:
            _TURN.set(turn)
        begun, computed = self._timer(), self._computed()

        def seconds() -> float:
            took = self._timer() - begun - turn.slept
            return 0.0 if is_counted else max(0.0, min(took, self._computed() - computed))

        try:
            yield seconds
        finally:
            turn.is_open = False
            _TURN.set(outer)

    def charge(self, name: str, seconds: float, *, is_background: bool = False) -> float:
        """Note that somebody computed for so long; return for how many seconds it is the others' turn now.

        Everything that hands out work is told: else whoever asks by four ways at once would have four shares. What is
        done in the background waits for what was asked, which in its turn waits for it only briefly.
        """
        pause = self._pause_after(name, seconds)
        for door, is_in_background in self._doors if pause > 0 else ():
            door(name, min(pause, MIN_PAUSE) if is_background and not is_in_background else pause)
        return pause

    def _pause_after(self, name: str, seconds: float) -> float:
        """Return how long a name pauses after its work, so that over time it has its share and no more."""
        now = self._timer()
        share = 1 / (1 + min(self.waiting_others(name), MOST_OTHERS))
        had, since = self._had.get(name, (0.0, now))
        had = max(0.0, had - (now - since) * share) + seconds
        self._had[name] = (had, now)
        if share == 1 or not seconds:
            return 0.0
        return min(max(0.0, had - ALLOWANCE) / share, max(MIN_PAUSE, PAUSE_FACTOR * seconds), _MAX_PAUSE)


class Pauses:
    """Who gets nothing for a while, because it is the others' turn; that ends early when these want nothing."""

    def __init__(
        self,
        shares: Shares,
        *,
        ended: Callable[[], None],
        is_background: bool = False,
        timer: Callable[[], float] = time.monotonic,
        call_later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        self._shares = shares
        self._ended = ended
        self._timer = timer
        self._call_later = call_later
        self._until: dict[str, float] = {}
        shares.join(self.begin, is_background=is_background)

    def __contains__(self, name: object) -> bool:
        return name in self._until

    def begin(self, name: str, seconds: float) -> None:
        """Pause somebody for so long from now, or for longer if that was said before."""
        is_paused = name in self._until
        self._until[name] = max(self._until.get(name, 0.0), self._timer() + seconds)
        if not is_paused:
            self._look_later(name)

    def _look_later(self, name: str) -> None:
        seconds = min(self._until[name] - self._timer(), IDLE)
        (self._call_later or asyncio.get_running_loop().call_later)(seconds, lambda: self._look(name))

    def _look(self, name: str) -> None:
        """End a pause whose time is over, or for which nobody waits any more: it is for others, no punishment."""
        if self._timer() < self._until[name] and self._shares.waiting_others(name):
            self._look_later(name)
        else:
            del self._until[name]
            self._ended()


class _Turn:
    """Somebody's turn to work: what is done within it counts once, and breathes."""

    def __init__(self, shares: "Shares", name: str, *, is_background: bool) -> None:
        self.is_open = True
        self.is_background = is_background
        self.slept = 0.0
        self._shares = shares
        self._name = name
        self._of_thread = threading.local()

    def breathe(self) -> None:
        """Pause a thread that has worked for a while, as long as its share asks for."""
        now = self._shares.thread_time()
        since = getattr(self._of_thread, "since", None)
        if since is None:
            self._of_thread.since = now if self.is_background else now + LONG
            return
        if now - since >= _PIECE:
            self._shares.sleep(self.pause_after(now - since))
            self._of_thread.since = self._shares.thread_time()

    def pause_after(self, seconds: float) -> float:
        """Return how long others go first after so much work, which is then paid for."""
        pause = min(min(self._shares.waiting_others(self._name), MOST_OTHERS) * seconds, _LONGEST_BREATH)
        self.slept += pause
        return pause

    def timed(self, work: Callable[[], T]) -> tuple[T, float]:
        begun = self._shares.thread_time()
        result = work()
        return result, self._shares.thread_time() - begun


_TURN: ContextVar[_Turn | None] = ContextVar("remanent-fairness-turn", default=None)


def breathe() -> None:
    """Let others go first, between two pieces of long work in a thread of the worker's own; call it every millisecond.

    Whoever computes for half a second at once makes everything that others ask meanwhile take several times as long,
    and pausing afterwards does not help those. In pieces of a few milliseconds, with pauses between, nobody notices.
    """
    turn = _TURN.get()
    if turn is not None and turn.is_open:
        turn.breathe()


def rested(seconds: float) -> None:
    """Say that whose turn it is has waited for so long, which is not paid for."""
    turn = _TURN.get()
    if turn is not None:
        turn.slept += seconds


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a piece of work in a thread that all share; in the background, let others go first after it.

    The pause is not made in the thread, which somebody else may need.
    """
    turn = _TURN.get()
    if turn is None or not turn.is_background:
        return await asyncio.to_thread(work, *args, **kwargs)
    result, seconds = await asyncio.to_thread(turn.timed, lambda: work(*args, **kwargs))
    await asyncio.sleep(turn.pause_after(seconds))
    return result


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
        shares: Shares | None = None,
        timer: Callable[[], float] = time.monotonic,
        call_later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        self._total = total
        self._shared = min(shared, total)
        self._alone = max(self._shared, total - total // 4)
        self._shares = shares or Shares(timer=timer)
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._paused = Pauses(self._shares, ended=self._hand_out, timer=timer, call_later=call_later)

    @property
    def is_busy(self) -> bool:
        """Whether anybody has a place."""
        return bool(self._held)

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Hold a place while this lasts, and wait for it before that."""
        with self._shares.asking(name):
            if name in self._waiting or not self.take(name):
                await self._wait(name)
            with self._shares.turn(name) as turn:
                try:
                    yield
                finally:
                    self._shares.see(name)
                    self.give_back(name, seconds=turn())

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
        self._shares.charge(name, seconds)
        self._hand_out()

    async def _wait(self, name: str) -> None:
        """Wait for a place, in the queue of the name."""
        queue = self._waiting.setdefault(name, deque())
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the place was given in the same moment
                self.give_back(name)
            elif turn in queue:
                queue.remove(turn)
                if not queue:
                    del self._waiting[name]
            raise

    def _hand_out(self) -> None:
        """Hand out all places that are free now; whoever was served goes to the end, so that the next is another's."""
        while (served := next(filter(self._may, self._waiting), None)) is not None:
            queue = self._waiting[served]
            turn = queue.popleft()
            if not turn.done():  # else whoever waited has gone in this moment
                turn.set_result(None)
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


class FairThreads(Executor):
    """Threads that work for several names (of organisations) in turn, so that nobody's many calls keep others waiting.

    As with `FairSlots`, somebody who is alone leaves a quarter of them free for whoever comes next, and has half of
    them while others were here lately; what is done in the background has one then. Work without a name is done as
    soon as any thread is free.
    """

    def __init__(self, total: int, *, name: str) -> None:
        self._pool = ThreadPoolExecutor(total, thread_name_prefix=name)
        self._total = total
        self._alone = max(1, total - total // 4)
        self._shared = max(1, total // 2)
        self._changed = threading.Condition()
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._held: Counter[tuple[str, bool]] = Counter()
        self._waiting: OrderedDict[tuple[str, bool], deque[Callable[[], None]]] = OrderedDict()
        """By name, and whether it is done in the background."""

    def of(self, name: str) -> Callable[[Callable[[], None]], None]:
        """Return what does work, which raises nothing, on the threads as one name may have them."""
        return partial(self.enter, name)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Have something done for nobody in particular."""
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as declared
        """Let what waits be done, too."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting)
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def enter(self, name: str, work: Callable[[], None]) -> None:
        """Do work, which raises nothing, when it is that name's turn."""
        turn = _TURN.get()
        queue = (name, turn is not None and turn.is_background)
        with self._changed:
            now = time.monotonic()
            self._seen[name] = now
            self._seen.move_to_end(name)
            while now - next(iter(self._seen.values())) > LATELY:
                self._seen.popitem(last=False)
            if queue not in self._waiting and self._may(queue):
                self._begin(queue, work)
                return
            self._waiting.setdefault(queue, deque()).append(work)
            self._hand_out()

    def _begin(self, queue: tuple[str, bool], work: Callable[[], None]) -> None:
        """Hand work to a thread."""
        self._pool.submit(self._do, queue, work)
        self._held[queue] += 1

    def _hand_out(self) -> None:
        """Give every name what it may have; whoever was served goes to the end."""
        while (served := next(filter(self._may, self._waiting), None)) is not None:
            queue = self._waiting[served]
            self._begin(served, queue[0])
            queue.popleft()
            self._waiting.move_to_end(served)
            if not queue:
                del self._waiting[served]

    def _may(self, queue: tuple[str, bool]) -> bool:
        """Tell whether a queue may have another thread; alone it may have nearly all, beside others its share."""
        # The pool is never given more than it has threads for: what waits there would wait behind anybody's.
        if self._held.total() >= self._total:
            return False
        _, is_background = queue
        shared = 1 if is_background else self._shared
        return self._held[queue] < (shared if len(self._seen) > 1 else self._alone)

    def _do(self, queue: tuple[str, bool], work: Callable[[], None]) -> None:
        """Do a piece of work, then let the next one in, whatever became of this."""
        try:
            work()
        finally:
            with self._changed:
                self._held[queue] -= 1
                if not self._held[queue]:
                    del self._held[queue]
                self._hand_out()
                self._changed.notify_all()
