"""One thread of low priority for a local model: it runs beside the event loop and takes small pieces in turn."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_NICENESS = 5


class BackgroundThread:
    """A thread that is started by the first piece of work and started anew in a forked child."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    async def run(self, work: Callable[[], T]) -> T:
        """Do a piece of work there, behind what waits already."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, self._name, initializer=_step_back)
            executor = self._executor
        return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _after_fork(self) -> None:
        # A child has no copy of the thread.
        self._lock = threading.Lock()
        self._executor = None


def _step_back() -> None:
    """Lower the priority of this thread; Linux alone gives each thread one of its own."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)
