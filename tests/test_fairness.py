"""Places that are shared by turns: whoever asks for a lot waits for itself."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import partial

import pytest

from remanent.fairness import (
    ALLOWANCE,
    IDLE,
    LATELY,
    LONG,
    MIN_PAUSE,
    MOST_OTHERS,
    PAUSE_FACTOR,
    FairSlots,
    FairThreads,
    Shares,
    breathe,
    in_thread,
)


class Work:
    """Work that goes on until it is told to end, and notes who began."""

    def __init__(self, slots: FairSlots) -> None:
        self.slots = slots
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def _do(self, name: str, org: str) -> None:
        async with self.slots.hold(org):
            self.begun.append(name)
            await self.ends[name].wait()

    async def ask(self, *names: str) -> None:
        """Ask for a place for each; the organisation is the first letter."""
        for name in names:
            self.ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._do(name, name[0]))
        await settled()

    async def end(self, *names: str) -> None:
        for name in names:
            self.ends[name].set()
            await self.tasks[name]
        await settled()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_who_is_alone_may_have_all_places_but_those_for_whoever_comes_next() -> None:
    work = Work(FairSlots(4, shared=1))
    await work.ask("a1", "a2", "a3", "a4")
    assert work.begun == ["a1", "a2", "a3"]
    await work.end("a2")
    assert work.begun[3:] == ["a4"]
    await work.ask("b1")
    assert work.begun[4:] == ["b1"]
    await work.end("a1", "a3", "a4", "b1")


@pytest.mark.spec("SAFE-02")
async def test_while_others_ask_nobody_holds_more_than_their_share() -> None:
    work = Work(FairSlots(8, shared=2))
    await work.ask("b1")
    await work.end("b1")
    await work.ask(*(f"a{number}" for number in range(100)))
    assert work.begun == ["b1", "a0", "a1"]
    await work.ask("b2", "c1")
    assert work.begun[3:] == ["b2", "c1"]  # there is room, though 98 came before them
    await drained(work)


@pytest.mark.spec("SAFE-02")
async def test_those_who_wait_are_served_by_turns() -> None:
    work = Work(FairSlots(1, shared=1))
    await work.ask("a0", *(f"a{number}" for number in range(1, 6)), "b1", "b2", "c1")
    await drained(work)
    assert work.begun == ["a0", "a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]


async def test_a_share_grows_again_when_the_others_have_gone() -> None:
    now = [0.0]
    work = Work(FairSlots(4, shared=1, timer=lambda: now[0]))
    await work.ask("b1")
    await work.end("b1")
    await work.ask("a1", "a2", "a3")
    assert work.begun == ["b1", "a1"]
    now[0] += 2 * LATELY
    await work.end("a1")
    assert work.begun == ["b1", "a1", "a2", "a3"]
    await drained(work)


async def test_whoever_stops_waiting_in_the_moment_of_their_turn_harms_nobody() -> None:
    slots = FairSlots(1, shared=1)
    work = Work(slots)
    assert slots.take("c")
    await work.ask("a1", "a2", "b1")
    for name in ("a1", "b1"):
        work.tasks[name].cancel()
    slots.give_back("c")
    await settled()
    assert work.begun == ["a2"]
    await work.end("a2")
    assert not slots.is_busy


async def test_whoever_stops_waiting_leaves_no_hole() -> None:
    work = Work(FairSlots(1, shared=1))
    await work.ask("a1", "a2", "b1")
    work.tasks["a2"].cancel()
    await work.end("a1")
    assert work.begun == ["a1", "b1"]
    await work.ask("c1")
    work.ends["b1"].set()
    await asyncio.sleep(0)  # the place is on its way to c1
    work.tasks["c1"].cancel()
    await settled()
    await work.ask("d1")
    assert work.begun[-1] == "d1"
    await work.end("d1")


async def drained(work: Work) -> None:
    """End everything in the order in which it begins."""
    ended = 0
    while ended < len(work.tasks):
        name = work.begun[ended]
        if not work.tasks[name].done():
            await work.end(name)
        ended += 1


class Machine:
    """Time, and how much of it the process computed."""

    def __init__(self) -> None:
        self.now = 0.0
        self.computed = 0.0
        self.due: list[tuple[float, Callable[[], None]]] = []
        self.shares = Shares(timer=lambda: self.now, computed=lambda: self.computed)

    def slots(self, total: int = 4, *, shared: int = 2) -> FairSlots:
        return FairSlots(
            total,
            shared=shared,
            shares=self.shares,
            timer=lambda: self.now,
            call_later=lambda seconds, work: self.due.append((self.now + seconds, work)),
        )

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        for moment, work in list(self.due):
            if moment <= self.now:
                self.due.remove((moment, work))
                work()

    async def compute(
        self, slots: FairSlots, name: str, seconds: float, *, waiting: float = 0.0, beside: str | None = None
    ) -> None:
        """Compute for somebody, while another perhaps wants something, too."""
        with self.shares.asking(beside) if beside else nullcontext():
            async with slots.hold(name):
                self.now += seconds + waiting
                self.computed += seconds


@pytest.mark.spec("SAFE-02")
async def test_who_computed_beyond_their_share_waits_while_the_others_do_not() -> None:
    machine = Machine()
    slots = machine.slots()
    await machine.compute(slots, "a", 1.0, beside="b")
    assert not slots.take("a")
    assert slots.take("b")
    with machine.shares.asking("b"):
        machine.pass_by(2 * IDLE)
        assert not slots.take("a")
        machine.pass_by(PAUSE_FACTOR)
    assert slots.take("a")


@pytest.mark.spec("SAFE-02")
async def test_with_many_others_one_has_too_little_of_the_time_to_be_noticed_by_one_request_in_twenty() -> None:
    machine = Machine()
    slots = machine.slots()
    had = 0.0
    for _ in range(5000):
        for other in range(MOST_OTHERS + 10):
            machine.shares.see(str(other))
        if slots.take("a"):
            slots.give_back("a", seconds=0.05)
            machine.pass_by(0.05)
            had += 0.05
        else:
            machine.pass_by(0.01)
    assert had - ALLOWANCE < 0.05 * machine.now


async def test_who_is_alone_computes_as_much_as_they_like() -> None:
    machine = Machine()
    slots = machine.slots()
    for _ in range(10):
        await machine.compute(slots, "a", 5.0)
    assert slots.take("a")


@pytest.mark.spec("SAFE-02")
async def test_who_asks_in_sequence_never_waits_for_others_who_were_here_and_want_nothing_now() -> None:
    machine = Machine()
    slots = machine.slots()
    for other in "bcdefghij":
        await machine.compute(slots, other, 0.01)
    machine.pass_by(1.1 * IDLE)
    begun = machine.now
    for _ in range(200):
        assert slots.take("a")
        machine.pass_by(0.02)
        slots.give_back("a", seconds=0.02)
    assert machine.now - begun < LATELY, "the others are no longer counted as present"
    with machine.shares.asking("b"):  # somebody wants something again
        times = 0
        while slots.take("a") and times < 50:
            slots.give_back("a", seconds=0.02)
            times += 1
    assert times < 50


async def test_a_pause_ends_as_soon_as_the_others_want_nothing_more() -> None:
    machine = Machine()
    slots = machine.slots()
    with machine.shares.asking("b"):
        await machine.compute(slots, "a", 60.0)
        waiting = asyncio.create_task(machine.compute(slots, "a", 0.01))
        machine.pass_by(2 * IDLE)
        await settled()
        assert not waiting.done()
    machine.pass_by(IDLE)
    await settled()
    assert not waiting.done()
    machine.pass_by(IDLE)
    await settled()
    assert waiting.done()


async def test_waiting_for_a_model_is_not_computing() -> None:
    machine = Machine()
    slots = machine.slots()
    await machine.compute(slots, "a", 0.01, waiting=60.0, beside="b")
    machine.shares.see("b")
    assert slots.take("a")


async def test_a_question_within_a_request_counts_once_and_one_that_outlives_it_counts_itself() -> None:
    machine = Machine()
    requests, questions = machine.slots(), machine.slots()
    machine.shares.see("b")
    async with requests.hold("a"):
        await machine.compute(questions, "a", 0.9 * ALLOWANCE)
        assert questions.take("a")  # not yet counted
        questions.give_back("a")
        begun = asyncio.Event()

        async def run() -> None:
            await begun.wait()
            await machine.compute(questions, "a", 5.0)

        outliving = asyncio.create_task(run())
        await settled()
    assert requests.take("a")
    begun.set()
    with machine.shares.asking("b"):
        await outliving
    assert not questions.take("a")


@pytest.mark.spec("SAFE-02")
async def test_who_computed_beyond_their_share_by_one_way_waits_at_all_of_them() -> None:
    """Else whoever sends requests, bodies and runs at once would have as many shares."""
    machine = Machine()
    requests, questions = machine.slots(), machine.slots()
    paused: list[tuple[str, float]] = []
    machine.shares.join(lambda name, seconds: paused.append((name, seconds)), is_background=True)
    await machine.compute(requests, "a", 1.0, beside="b")
    assert not questions.take("a")
    assert questions.take("b")
    [(name, seconds)] = paused
    assert (name, seconds > MIN_PAUSE) == ("a", True)


@pytest.mark.spec("SAFE-02")
async def test_what_is_asked_waits_only_briefly_for_what_its_organisation_does_in_the_background() -> None:
    machine = Machine()
    slots = machine.slots()
    machine.shares.see("b")
    assert machine.shares.charge("a", 1.0, is_background=True) > MIN_PAUSE
    assert not slots.take("a")
    machine.pass_by(MIN_PAUSE)
    assert slots.take("a")


class Breaths:
    """Shares of which the test says how long threads computed, and notes how long they sleep."""

    def __init__(self, *others: str) -> None:
        self.computed = 0.0
        self.slept: list[float] = []
        self.shares = Shares(timer=lambda: 0.0, thread_time=lambda: self.computed, sleep=self.slept.append)
        for other in others:
            self.shares.see(other)


def work_for(seconds: float, breaths: Breaths) -> None:
    for _ in range(round(1000 * seconds)):
        breaths.computed += 0.001
        breathe()


@pytest.mark.spec("SAFE-02")
def test_long_work_sleeps_between_its_pieces_as_long_as_its_share_says() -> None:
    breaths = Breaths("b", "c")
    with breaths.shares.turn("a", is_background=True):
        work_for(0.5, breaths)
    assert len(breaths.slept) > 50
    assert sum(breaths.slept) == pytest.approx(2 * 0.5, rel=0.3)  # two others, two parts of three are theirs
    assert max(breaths.slept) < 0.02


def test_short_requests_and_whoever_is_alone_do_not_sleep() -> None:
    short, alone = Breaths("b"), Breaths()
    with short.shares.turn("a"):
        work_for(0.9 * LONG, short)
    with alone.shares.turn("a", is_background=True):
        work_for(1.0, alone)
    work_for(1.0, short)  # nobody's turn
    assert not any(short.slept + alone.slept)


def test_what_was_slept_is_not_computed() -> None:
    machine = Machine()
    machine.shares.see("b")
    machine.shares.sleep = machine.pass_by
    machine.shares.thread_time = lambda: machine.computed
    with machine.shares.turn("a", is_background=True) as seconds:
        for _ in range(100):
            machine.now += 0.002
            machine.computed += 0.002
            breathe()
            machine.computed += 0.004 * (machine.now > 0.1)  # others go on meanwhile
        assert seconds() == pytest.approx(0.2, abs=0.02)


@pytest.mark.spec("SAFE-02")
async def test_a_piece_in_a_shared_thread_is_followed_by_a_pause_outside_of_it() -> None:
    breaths = Breaths("b")
    with breaths.shares.turn("a", is_background=True) as seconds:
        assert await in_thread(len, "four") == 4
        assert seconds() == 0.0
    assert breaths.slept == []  # not the thread
    assert await in_thread(len, "four") == 4


def test_work_that_is_carried_to_another_thread_breathes_there() -> None:
    breaths = Breaths("b")
    with breaths.shares.turn("a", is_background=True), ThreadPoolExecutor(1) as threads:
        threads.submit(work_for, 0.1, breaths).result()
        assert breaths.slept == []
        threads.submit(copy_context().run, work_for, 0.1, breaths).result()
    assert breaths.slept


class Calls:
    """Calls that end when they are told to, and who began."""

    def __init__(self, threads: FairThreads) -> None:
        self._threads = threads
        self.begun: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.ends: dict[str, threading.Event] = {}

    def ask(self, *names: str) -> None:
        """Ask for a thread for each; the organisation is the first letter."""
        for name in names:
            self.ends[name] = threading.Event()
            self._threads.of(name[0])(partial(self._do, name))

    def _do(self, name: str) -> None:
        self.begun.put(name)
        assert self.ends[name].wait(30)

    def end(self) -> None:
        for event in self.ends.values():
            event.set()
        self._threads.shutdown()

    def next(self, many: int) -> set[str]:
        return {self.begun.get(timeout=30) for _ in range(many)}


@pytest.mark.spec("SAFE-02")
def test_a_call_of_somebody_else_does_not_wait_for_any_number_of_ones() -> None:
    calls = Calls(FairThreads(4, name="test"))
    calls.ask(*(f"a{number}" for number in range(100)))
    assert calls.next(3) == {"a0", "a1", "a2"}
    assert calls.begun.empty()
    calls.ask("b0")
    assert calls.next(1) == {"b0"}
    calls.ends["a0"].set()
    calls.ends["a1"].set()
    calls.ask("c0")
    assert calls.next(1) == {"c0"}
    calls.ends["a2"].set()  # two of four while others are here
    assert calls.next(1) == {"a3"}
    calls.end()
    assert calls.next(96) == {f"a{number}" for number in range(4, 100)}


@pytest.mark.spec("SAFE-02")
def test_what_is_done_in_the_background_has_one_thread_while_others_are_here() -> None:
    shares, threads = Shares(), FairThreads(4, name="test")
    calls = Calls(threads)
    calls.ask("b0")
    assert calls.next(1) == {"b0"}
    with shares.turn("a", is_background=True):
        calls.ask("a0", "a1")
    calls.ask("a2")
    assert calls.next(2) == {"a0", "a2"}
    calls.end()
    assert calls.next(1) == {"a1"}


def test_what_fails_in_a_thread_gives_it_back() -> None:
    threads = FairThreads(1, name="test")
    threads.of("a")(lambda: print(1 / 0))
    done = threading.Event()
    threads.of("a")(done.set)
    assert done.wait(30)
    threads.shutdown()
