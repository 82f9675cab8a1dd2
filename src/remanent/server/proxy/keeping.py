"""Turns go to memory, and when it cannot take them, to the spool, from where they go to memory later."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any

from remanent.discipline.shapes import Remember
from remanent.http.retries import backoff
from remanent.operations import Permission, Principal, Service
from remanent.server.places import place_of
from remanent.server.proxy.spool import Spool, Turn
from remanent.server.proxy.tolerance import Tolerated

REMEMBER = "remember"
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0


class Kept(StrEnum):
    """What became of a turn."""

    STORED = "stored"
    SPOOLED = "spooled"
    LOST = "lost"


class Keeper:
    """Keeps turns; nothing that goes wrong here is ever raised to a chat."""

    def __init__(
        self,
        service: Service,
        spool: Spool,
        *,
        timeout: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._service = service
        self._spool = spool
        self._timeout = timeout
        self._sleep = sleep
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_spooled = asyncio.Event()

    async def keep(self, making: Awaitable[Turn | None]) -> Kept:
        """Keep a turn durably; that the request it belongs to is cancelled meanwhile does not stop it."""
        task = asyncio.create_task(self._keep(making))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send spooled turns to memory while this lasts; at the end, turns under way are finished."""
        drainer = asyncio.create_task(self._drain_for_ever())
        try:
            yield
        finally:
            drainer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drainer
            while self._tasks:
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> int:
        """Send what is spooled to memory, once; return how many turns still wait."""
        return (await self._spool.drain(self._deliver)).waiting

    async def _keep(self, making: Awaitable[Turn | None]) -> Kept:
        with Tolerated("a turn is lost", level=logging.ERROR):
            turn = await making
            return Kept.STORED if turn is None else await self._store(turn)
        return Kept.LOST

    async def _store(self, turn: Turn) -> Kept:
        with Tolerated("memory cannot take a turn, it is spooled"):
            await self._deliver(turn)
            return Kept.STORED
        await self._spool.put(turn)
        self._has_spooled.set()
        return Kept.SPOOLED

    async def _deliver(self, turn: Turn) -> None:
        asked = Remember(messages=turn.messages, session=turn.scope.session, task=turn.scope.task)
        # It was let in when it was said; a key that was revoked since then takes no word back.
        writer = Principal(name=turn.who, permissions=frozenset({Permission.WRITE}))
        async with asyncio.timeout(self._timeout):
            await self._service.perform(REMEMBER, asked, place=place_of(turn.scope), principal=writer)

    async def _drain_for_ever(self) -> None:
        failures = 0
        while True:
            self._has_spooled.clear()
            waiting = 1
            with Tolerated("the spool cannot be emptied"):
                waiting = await self.drain()
            failures = failures + 1 if waiting else 0
            if not waiting:
                await self._has_spooled.wait()
            # A turn that was just refused would be refused again at once.
            await self._sleep(backoff(max(failures, 1), base=_FIRST_WAIT, cap=_LONGEST_WAIT, chance=1.0))
