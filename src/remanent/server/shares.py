"""What one organisation may have of a server while others want it, too: requests under way, work, reading of bodies."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import TypeVar
from weakref import WeakKeyDictionary

from starlette.requests import Request

from remanent.errors import QueueFull
from remanent.fairness import FairSlots
from remanent.operations import Service
from remanent.server.connections import most_connections
from remanent.settings import ServerSettings

T = TypeVar("T")

AT_ONCE = 32
"""Requests that are worked on at the same time: as many questions as recall takes at once."""
LARGE = 2**20
LARGE_AT_ONCE = 16
"""Bodies of `LARGE` bytes or more that are read at the same time: each is held in memory until it is understood."""
LARGE_OF_ONE = 4
"""Of one organisation, while others send such, too."""
OFF_LOOP = 16 * 1024
"""Bytes from which a body is read in a thread: reading fewer takes less than a millisecond, as much as the change of
threads may."""


class Shares:
    """The parts of one server that organisations share. REST, MCP and the proxy of one server have the same."""

    def __init__(self, settings: ServerSettings) -> None:
        self._most = max(1, min(settings.max_requests, most_connections(settings)) // 2)
        self._under_way: Counter[str] = Counter()
        shared = settings.org_concurrency
        self._turns = FairSlots(AT_ONCE, shared=shared)
        self._large = FairSlots(LARGE_AT_ONCE, shared=LARGE_OF_ONE)
        # One at a time: threads that compute only wait for each other, and the event loop for all of them.
        self._bodies = FairSlots(1, shared=1)
        self._reader: ThreadPoolExecutor | None = None

    @classmethod
    def of(cls, service: Service) -> "Shares":
        """Return those of a server."""
        if service not in _SHARES:
            _SHARES[service] = cls(service.memory.settings.server)
        return _SHARES[service]

    @contextmanager
    def seat(self, org: str) -> Iterator[None]:
        """Count a request from here to its end; refuse it when its organisation has half of all that can be."""
        if self._under_way[org] >= self._most:
            raise QueueFull(f"{self._most} requests of this organisation are under way; send fewer at a time")
        self._under_way[org] += 1
        try:
            yield
        finally:
            self._under_way[org] -= 1
            if not self._under_way[org]:
                del self._under_way[org]

    def turn(self, org: str) -> AbstractAsyncContextManager[None]:
        """Work on a request while this lasts, when it is its organisation's turn."""
        return self._turns.hold(org)

    def room(self, org: str, request: Request) -> AbstractAsyncContextManager[None]:
        """Have room for a request's body while this lasts; what a client sends meanwhile waits in its connection."""
        length = request.headers.get("content-length", "")
        is_large = int(length) >= LARGE if length.isdigit() else "transfer-encoding" in request.headers
        return self._large.hold(org) if is_large else nullcontext()

    async def read(self, org: str, *, size: int, work: Callable[[], T]) -> T:
        """Return what reading a body of so many bytes gives; a large one is read in a thread, by turns."""
        if size < OFF_LOOP:
            return work()
        if self._reader is None:
            self._reader = ThreadPoolExecutor(1, thread_name_prefix="remanent-bodies")
        async with self._bodies.hold(org):
            return await asyncio.get_running_loop().run_in_executor(self._reader, work)


_SHARES: WeakKeyDictionary[Service, Shares] = WeakKeyDictionary()
