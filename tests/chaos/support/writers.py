"""Processes that write until they are killed, forked from one that has everything loaded already.

`python -m tests.chaos.support.writers` reads one JSON order per line and answers on its output, line by line:
`pid <n>`; from the writer `begin`, `acknowledged`, `erasing`, `erased` with a unit's number; then `ended <status>`.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from remanent.stores import search_terms
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import checksums_available
from tests.chaos.support.places import ROOT, command
from tests.chaos.support.units import Ledger, commit_unit, erase_unit, scope_of, unit_of, vector_of


@dataclass(frozen=True)
class Order:
    """What a writer is to do."""

    home: str
    agent: str
    first: int
    """Number of its first unit of work."""
    seed: int
    count: int | None = None
    """How many units; without it the writer goes on until it is killed."""
    clients: int = 4
    erase: bool = False


def _say(what: str, number: int) -> None:
    # One write of a short line to a pipe arrives whole, however the process ends.
    os.write(sys.stdout.fileno(), f"{what} {number}\n".encode())


class _Writer:
    def __init__(self, order: Order) -> None:
        self._order = order
        self._scope = scope_of(order.agent)
        self._rng = random.Random(order.seed)
        self._next = order.first
        self._mine: list[int] = []

    def _done(self) -> bool:
        count = self._order.count
        return count is not None and self._next >= self._order.first + count

    async def run(self) -> None:
        while not self._done():
            store = SqliteStore(Path(self._order.home))
            rounds = self._rng.randint(1, 12) if self._order.count is None else sys.maxsize
            await asyncio.gather(*(self._client(store, rounds) for _ in range(self._order.clients)))
            await store.close()

    async def _client(self, store: SqliteStore, rounds: int) -> None:
        for _ in range(rounds):
            if self._done():
                return
            number, self._next = self._next, self._next + 1
            _say("begin", number)
            await commit_unit(store, self._scope, number)
            _say("acknowledged", number)
            self._mine.append(number)
            if self._order.erase and self._rng.random() < 0.1:
                await self._erase(store)

    async def _erase(self, store: SqliteStore) -> None:
        number = self._mine.pop(self._rng.randrange(len(self._mine)))
        _say("erasing", number)
        await erase_unit(store, self._scope, number)
        _say("erased", number)


def _warm_up() -> None:
    """Have everything made that is made on first use, so that a writer's short life is spent on writing."""
    for number in range(10):
        for record in unit_of(scope_of("warm"), number).records:
            search_terms(record)
        vector_of(number, 0)
    checksums_available()


def serve() -> None:
    """Fork a writer for every order; no thread is started here, so forking is safe."""
    _warm_up()
    for line in sys.stdin:
        order = Order(**json.loads(line))
        pid = os.fork()
        if pid == 0:
            asyncio.run(_Writer(order).run())
            os._exit(0)
        _say("pid", pid)
        _, status = os.waitpid(pid, 0)
        _say("ended", status)


class Writers:
    """The other end: gives orders, hears what is promised, and kills."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._answers = process.stdin, process.stdout

    def start(self, order: Order) -> int:
        """Have a writer begin, and return its process id."""
        self._orders.write(json.dumps(asdict(order)) + "\n")
        self._orders.flush()
        what, number = self._answers.readline().split()
        # The writer may be heard before the one that forked it.
        self._early = []
        while what != "pid":
            self._early.append((what, int(number)))
            what, number = self._answers.readline().split()
        return int(number)

    def listen(
        self, ledger: Ledger, begun: set[int], *, at_first_acknowledged: Callable[[], None] | None = None
    ) -> int:
        """Note what is said until the writer has ended, and return its status."""
        sets = {
            "begin": begun,
            "acknowledged": ledger.acknowledged,
            "erasing": ledger.erasing,
            "erased": ledger.erased,
        }
        for what, number in self._said():
            if what == "ended":
                return number
            sets[what].add(number)
            if what == "acknowledged" and at_first_acknowledged is not None:
                at_first_acknowledged()
                at_first_acknowledged = None
        raise AssertionError("the writers' server died")

    def _said(self) -> Iterator[tuple[str, int]]:
        yield from self._early
        for line in self._answers:
            what, number = line.split()
            yield what, int(number)


@contextmanager
def writers() -> Iterator[Writers]:
    """Start the server of writers."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command("writers"), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Writers(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)


if __name__ == "__main__":
    serve()
