"""The way of an answer from the model to the client, as it came, while memory reads along."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from starlette.types import Receive, Send

from remanent.errors import ModelUnavailable
from remanent.server.proxy.answers import Answer, Events, read_whole
from remanent.server.proxy.upstream import Headers, Reply

Keep = Callable[[Answer, str | None], Awaitable[bool]]
"""Keeps an answer, given who or what kept it from being whole; returns whether memory took it."""

CLIENT, UPSTREAM, SIZE, ENCODING = "client", "upstream", "size", "encoding"


class Relay:
    """Passes one answer on to one client."""

    def __init__(self, send: Send, *, headers: Headers, is_degraded: bool = False) -> None:
        self._send = send
        self._headers = headers
        self._is_degraded = is_degraded

    async def pass_on(self, reply: Reply) -> None:
        """Pass on an answer that memory has no part in."""
        await self._start(reply, size=reply.size)
        await self._rest(reply.pieces())

    async def whole(self, reply: Reply, *, keep: Keep, longest: int) -> None:
        """Pass on an answer that comes in one piece, kept before it goes; one that is too large is not read."""
        body, coming = bytearray(), reply.pieces()
        try:
            async for piece in coming:
                body += piece
                if len(body) > longest:
                    break
        except asyncio.CancelledError:
            await keep(Answer(), CLIENT)
            raise
        if len(body) > longest:
            await self._keep(keep, Answer(), SIZE)
            await self._start(reply, size=reply.size)
            await self._body(bytes(body))
            await self._rest(coming)
            return
        answer, obstacle = (read_whole(bytes(body)), None) if reply.is_plain else (Answer(), ENCODING)
        await self._keep(keep, answer, obstacle)
        await self._start(reply, size=len(body))
        await self._body(bytes(body), more=False)

    async def stream(self, reply: Reply, *, keep: Keep) -> None:
        """Pass on events as they come; what the client got is kept, also when it or the model leaves early."""
        await self._start(reply)
        events, is_broken = Events(), False
        try:
            async for piece in reply.pieces():
                events.feed(piece)
                if events.answer.is_done:
                    # A client leaves after the last event: when it has that one, the turn is safe.
                    await keep(events.answer, None)
                await self._body(piece)
        except asyncio.CancelledError:
            await keep(events.answer, None if events.answer.is_whole else CLIENT)
            raise
        except ModelUnavailable:
            is_broken = True
        events.end()
        obstacle = None if events.answer.is_whole else UPSTREAM if reply.is_plain else ENCODING
        await keep(events.answer, obstacle)
        if not is_broken:
            await self._body(b"", more=False)
        # Otherwise the answer stays without its end, and the client sees it break off as it did for us.

    async def _keep(self, keep: Keep, answer: Answer, obstacle: str | None) -> None:
        self._is_degraded |= not await keep(answer, obstacle)

    async def _rest(self, coming: AsyncIterator[bytes]) -> None:
        try:
            async for piece in coming:
                await self._body(piece)
        except ModelUnavailable:
            return  # without its end: see above
        await self._body(b"", more=False)

    async def _start(self, reply: Reply, *, size: int | None = None) -> None:
        headers = [*reply.headers, *self._headers]
        headers.append((b"x-remanent", b"degraded" if self._is_degraded else b"ok"))
        if size is not None:
            headers.append((b"content-length", str(size).encode()))
        await self._send({"type": "http.response.start", "status": reply.status, "headers": headers})

    async def _body(self, piece: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": piece, "more_body": more})


async def while_connected(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Do the work; when the client leaves, it is cancelled and may clean up."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        is_left = leaving.done() and not working.done()
        for task in (working, leaving):
            if not task.done():
                task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)
    if not (is_left and working.cancelled()):
        working.result()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
