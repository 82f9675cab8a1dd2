"""A store as it stood at one moment, held while an agent is read whole and others go on writing to it.

What is erased meanwhile must not live on in what is read from it: a snapshot looks whether anything of the agent was
erased, with every answer and in between, and then lets go of the moment it held.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Self

from remanent.errors import RemanentError, StoreBusy
from remanent.model import Scope
from remanent.stores.queries import Query
from remanent.stores.query_steps import nothing_stored
from remanent.stores.store import StoreReader

LOOK = 0.25
"""Seconds between looks whether something was erased, which waits for the snapshot to go. Chosen by hand."""

Ask = Callable[[Scope, Sequence[Query[Any]]], Awaitable[list[Any]]]


class Snapshot(StoreReader):
    """Answers as of its moment, until something of its agent is erased."""

    def __init__(
        self,
        scope: Scope,
        ask: Ask,
        *,
        has_erased: Callable[[], Awaitable[bool]],
        let_go: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__()
        self._scope = scope.owner
        self._answers = ask
        self._has_erased = has_erased
        self._let_go = let_go
        self._ended: RemanentError | None = None

    async def read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer, unless what the answer holds is erased by now."""
        answers: list[Any] = []
        if self._ended is None:
            try:
                answers = await self._answers(scope, queries)
            except RemanentError as error:
                self._end(error)
        if self._ended is None:
            await self._look()
        if self._ended is not None:
            raise self._ended
        return answers

    async def __aenter__(self) -> Self:
        """Look for erasures from now on: whoever reads slowly, or no more, must not hold them back."""
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let go."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        await self._let_go()

    async def _watch(self) -> None:
        while self._ended is None:
            await asyncio.sleep(LOOK)
            await self._look()
        await self._let_go()

    async def _look(self) -> None:
        """End it where something was erased, or where nobody can tell any more."""
        try:
            if await self._has_erased():
                self._end(StoreBusy(f"something of {self._scope} was erased while it was exported; export it again"))
        except RemanentError as error:
            self._end(error)

    def _end(self, error: RemanentError) -> None:
        if self._ended is None:
            self._ended = error


class Opening:
    """A snapshot for as long as its `async with` lasts.

    A class, and no generator: the loop closes generators that were left half-way all at once, in no order.
    """

    def __init__(self, scope: Scope, begin: Callable[[Scope, AsyncExitStack], Awaitable[StoreReader]]) -> None:
        self._scope = scope
        self._begin = begin
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> StoreReader:
        """Hold the moment, or nothing."""
        try:
            return await self._begin(self._scope, self._stack)
        except BaseException:
            await self._stack.aclose()
            raise

    async def __aexit__(self, *_: object) -> None:
        """Let go of all that holds it, the last first."""
        await self._stack.aclose()


class Unstored(StoreReader):
    """The snapshot of an agent that has no data."""

    async def read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer that there is nothing."""
        return [nothing_stored(query) for query in queries]
