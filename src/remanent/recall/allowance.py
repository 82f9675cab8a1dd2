"""The time that one path may take for a question; while it loads what it needs, that time does not run."""

import asyncio
from types import TracebackType
from typing import Self

from remanent.recall.path import RecallPath
from remanent.recall.question import Question


class Allowance:
    """A time-out that waits for loading first: `seconds` for the path itself, and before it up to `loading`.

    A model or an index that is loaded for the first question would else be left out of its answer, although nothing is
    wrong with it. Raises `TimeoutError` like `asyncio.timeout`.
    """

    __slots__ = ("_loading", "_path", "_question", "_seconds", "_timeout", "_timer", "_until")

    def __init__(self, path: RecallPath, question: Question, *, seconds: float, loading: float) -> None:
        self._path = path
        self._question = question
        self._seconds = seconds
        self._loading = loading
        self._timeout = asyncio.timeout(None)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        loop = asyncio.get_running_loop()
        self._until = loop.time() + self._loading
        self._timer = loop.call_later(self._seconds, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def _look(self) -> None:
        """Give the path its time anew while it loads, else end it."""
        loop = asyncio.get_running_loop()
        left = self._until - loop.time()
        if left > 0 and self._path.preparing(self._question):
            self._timer = loop.call_later(min(self._seconds, left), self._look)
        else:
            self._timeout.reschedule(loop.time())
