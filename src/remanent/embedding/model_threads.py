"""Threads of low priority, on which local models work.

Batches are small and
taken in turn, so that whoever asks waits for one of them and not for an import.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

# Chosen by hand: behind interactive work, ahead of what runs at 19.
_NICENESS = 5


class Background:
    """Threads that are started by the first pieces of work and started anew in a forked child.

    They have a low priority, unless somebody waits for what they do.
    """

    def __init__(self, name: str, *, threads: int = 1, awaited: bool = False) -> None:
        self.threads = threads
        self._begin = None if awaited else _step_back
        self._name = name
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    async def run(self, work: Callable[[], T]) -> T:
        """Do a piece of work there, behind what waits already."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.threads, self._name, initializer=self._begin)
            executor = self._executor
        return await asyncio.get_running_loop().run_in_executor(executor, work)

    async def run_each(self, works: Sequence[Callable[[], T]]) -> list[T]:
        """Do pieces of work, as many at once as there are threads; others' work comes in between."""
        results: dict[int, T] = {}
        turns = iter(range(len(works)))

        async def take_turns() -> None:
            for turn in turns:
                results[turn] = await self.run(works[turn])

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.threads, len(works))):
                group.create_task(take_turns())
        return [results[turn] for turn in range(len(works))]

    def _after_fork(self) -> None:
        # A child has no copy of the threads.
        self._lock = threading.Lock()
        self._executor = None


def _step_back() -> None:
    """Lower the priority of this thread; Linux alone gives each thread one of its own."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)
