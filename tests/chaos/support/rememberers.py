"""Processes that remember associatively until they are killed, forked from one that has everything loaded already.

`python -m tests.chaos.support.rememberers` reads one JSON order per line and answers on its output, line by line:
`pid <n>`; from the process `begin` and `acknowledged` with a call's number; then `ended <status>`.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from remanent.language.engines import OfflineEngine
from remanent.language.roles.annotation import ANNOTATION, AnnotationRequest
from remanent.memory import AsyncMemory, aopen
from remanent.stores.sqlite.connection import checksums_available
from tests.chaos.support.places import ROOT, command

START = datetime(2026, 1, 1, tzinfo=UTC)
RATE, FLOOR, FOCUSES = 0.5, 0.01, 5
LONGEST_DELAY = 0.006
"""Seconds between the call of the store that was chosen and the kill: within it, or a little behind."""
UNTIL_FORGOTTEN = 10
"""Calls of remember, each with its compression, after which the oldest nodes have become unimportant."""
TAPPED = ("commit", "claim_any", "records", "entries", "graph_revision")


@dataclass(frozen=True)
class Order:
    """What a process is to do."""

    home: str
    agent: str
    life: int
    """How many lived before; each lives an hour later, so that no lease of the dead is waited for."""
    first: int
    """Number of its first call of remember."""
    seed: int
    calls: int | None = None
    """After how many calls of the store it is killed; without it, it goes on for a while, finishes all, and ends."""


def texts_of(number: int) -> list[str]:
    """Return the messages of a call of remember; each becomes one node."""
    every = [
        f"Crane {number} was moved to pier {number} before noon.",
        f"团子第{number}次搬到了杭州的新家。",
        f"The audit log number {number} was handed over to Mira.",
    ]
    return every[: 1 + number % 3]


def _say(what: str, number: int) -> None:
    # One write of a short line to a pipe arrives whole, however the process ends.
    os.write(sys.stdout.fileno(), f"{what} {number}\n".encode())


class _Process:
    def __init__(self, order: Order) -> None:
        self._order = order
        self._rng = random.Random(order.seed)
        self._calls = 0
        self._begun = time.monotonic()

    def _clock(self) -> datetime:
        return START + timedelta(hours=self._order.life, seconds=time.monotonic() - self._begun)

    async def run(self) -> None:
        order = self._order
        async with aopen(
            order.home,
            clock=self._clock,
            embedder="none",
            workspace="lab",
            org="org",
            recall={"gate": False},  # measuring it takes longer than most lives here
            associative={"decay_rate": RATE, "link_break_threshold": FLOOR, "max_focus_count": FOCUSES},
        ) as memory:
            if order.calls is None:
                await self._finish(memory)
                return
            for name in TAPPED:
                self._tap(memory._parts.store, name)
            await self._live(memory)

    async def _finish(self, memory: AsyncMemory) -> None:
        """Say enough more for some of the first nodes to be forgotten, and wait until all is done."""
        ada = memory.agent(self._order.agent).associative
        for number in range(self._order.first, self._order.first + UNTIL_FORGOTTEN):
            _say("begin", number)
            await ada.remember(texts_of(number))
            _say("acknowledged", number)
            await memory.settle()

    async def _live(self, memory: AsyncMemory) -> None:
        ada = memory.agent(self._order.agent).associative
        number = self._order.first
        while True:
            for _ in range(self._rng.randint(1, 3)):
                _say("begin", number)
                await ada.remember(texts_of(number))
                _say("acknowledged", number)
                number += 1
            if self._rng.random() < 0.3:
                await ada.recall(["pier", "团子"])
            if self._rng.random() < 0.7:
                await memory.settle()

    def _tap(self, store: Any, name: str) -> None:
        inner: Callable[..., Awaitable[Any]] = getattr(store, name)

        async def tapped(*args: Any, **more: Any) -> Any:
            self._calls += 1
            if self._calls == self._order.calls:
                delay = self._rng.random() * LONGEST_DELAY
                threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
            return await inner(*args, **more)

        setattr(store, name, tapped)


def serve() -> None:
    """Fork a process for every order; no thread is started here, so forking is safe."""
    asyncio.run(OfflineEngine().run(ANNOTATION, AnnotationRequest(text=texts_of(2)[1])))
    checksums_available()
    for line in sys.stdin:
        order = Order(**json.loads(line))
        pid = os.fork()
        if pid == 0:
            try:
                asyncio.run(_Process(order).run())
            except BaseException:  # noqa: BLE001 - the process ends here, and a trace on stderr is all that is wanted
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            os._exit(0)
        _say("pid", pid)
        _, status = os.waitpid(pid, 0)
        _say("ended", status)


class Rememberers:
    """The other end: gives orders and hears what is promised."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._answers = process.stdin, process.stdout

    def live(self, order: Order, *, begun: set[int], acknowledged: set[int]) -> int:
        """Have a process live to its end, note what it says, and return its status."""
        self._orders.write(json.dumps(asdict(order)) + "\n")
        self._orders.flush()
        for line in self._answers:
            what, number = line.split()
            if what == "ended":
                return int(number)
            if what in {"begin", "acknowledged"}:
                (begun if what == "begin" else acknowledged).add(int(number))
        raise AssertionError("the server of processes died")


@contextmanager
def rememberers() -> Iterator[Rememberers]:
    """Start the server of processes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command("rememberers"), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Rememberers(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


if __name__ == "__main__":
    serve()
