"""Waiting for the first of several things, with time that is passed in.

Nothing in this package sleeps by itself, so that a test decides when time passes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from typing import Any

from remanent.model import Clock, system_clock

Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


def lease_time(clock: Clock) -> datetime | None:
    """Return what leases are reckoned by: a clock that was given, or else that of the database, which all share."""
    return None if clock is system_clock else clock()


async def pause(sleep: Sleep, seconds: float) -> None:
    """Wait so many seconds; a coroutine, as tasks are made from."""
    await sleep(seconds)


async def wait_first(*waits: Coroutine[Any, Any, Any]) -> None:
    """Return when the first has ended, or was cancelled; the others are cancelled and have ended too."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
