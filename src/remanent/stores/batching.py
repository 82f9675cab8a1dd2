"""Sending together what is asked at the same time, so that many questions cost one call.

Those who ask know nothing of each other: paths of one recall, probes of one measurement. What all of them ask within
one breath of the event loop goes out as one call, and over a network as one round trip.
"""

import asyncio
import types
from collections.abc import Awaitable, Callable, Generator, Hashable, Sequence
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
Q = TypeVar("Q")
Send = Callable[[K, Sequence[Q]], Awaitable[Sequence[Any]]]
_Asked = tuple[Q, "asyncio.Future[Any]"]


class Batches(Generic[K, Q]):
    """Gathers questions by a key and sends each group once a turn of the loop has added nothing to it.

    Not at the first turn: whoever asks by way of a task, or of a task's task, comes a turn or two later. Waiting costs
    microseconds while the loop is idle. When a group fails, each question is sent by itself, so that everybody gets
    an answer or an error of their own.
    """

    def __init__(self, send: Send[K, Q]) -> None:
        self._send = send
        self._groups: dict[tuple[asyncio.AbstractEventLoop, K], list[_Asked[Q]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, key: K, question: Q) -> "asyncio.Future[Any]":
        """Return the answer to come of a question, which is sent with what else is asked under its key."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        place = loop, key
        group = self._groups.get(place)
        if group is None:
            group = self._groups[place] = []
            task = loop.create_task(self._gather(place, group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        group.append((question, future))
        return future

    async def _gather(self, place: tuple[asyncio.AbstractEventLoop, K], group: list[_Asked[Q]]) -> None:
        """Send the group as soon as it has not grown since the last turn."""
        try:
            await _grown(group)
        finally:
            del self._groups[place]
        await self._answer(place[1], [asked for asked in group if not asked[1].done()])

    async def _answer(self, key: K, group: list[_Asked[Q]]) -> None:
        """Send questions and hand out what comes back; whoever has gone meanwhile gets nothing."""
        if not group:
            return
        try:
            answers = await self._send(key, [question for question, _ in group])
        except BaseException as error:  # noqa: BLE001 - border: it goes to whoever asked
            if len(group) > 1 and isinstance(error, Exception):
                for asked in group:
                    await self._answer(key, [asked])
                return
            for _, future in group:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), answer in zip(group, answers, strict=True):
            if not future.done():
                future.set_result(answer)


@types.coroutine
def _grown(group: Sequence[object]) -> Generator[None, None, None]:
    """Let the loop turn until a turn adds nothing; bare, since a `sleep(0)` for each turn is a coroutine more."""
    before = 0
    while len(group) > before:
        before = len(group)
        yield
