"""The model behind the proxy, and the way of its answer to the client.

There is one address, from settings alone: nothing that a client sends can choose another. Requests go on in the
client's own bytes and answers come back in the model's; our own keys and headers go no further than this.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Send

from remanent.errors import InvalidSettings, ModelUnavailable
from remanent.http.client import LateClient, Scrubber, certificates
from remanent.server.proxy.conversation import ChatAnswer, EventReader, ReadAnswer, read_whole
from remanent.settings import ProxySettings

if TYPE_CHECKING:
    import httpx2

Headers = list[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
        b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip
# Cookies belong to the address they were set for; forwarding notes tell of networks that are no business of a model's.
_NOT_SENT = _HOP_BY_HOP | {
    b"accept-encoding", b"content-length", b"cookie", b"expect", b"forwarded", b"host", b"origin", b"referer",
    b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip",
}  # fmt: skip
_KEYS = frozenset({b"authorization", b"api-key", b"x-api-key"})
"""Headers that carry a client's key; they are left out where the settings hold one for the model."""
# The server in front of us writes its own.
_NOT_RETURNED = _HOP_BY_HOP | {b"content-length", b"date", b"server", b"set-cookie"}
_OURS = b"x-remanent"
_OUR_KEYS = (b"bearer rmn_", b"rmn_")
"""What a key of this server looks like in a header; it opens memories and is nothing for a model's provider."""


class UpstreamReply:
    """An answer of the model, its body still under way."""

    def __init__(self, response: "httpx2.Response", scrubber: Scrubber) -> None:
        self._response = response
        self._scrubber = scrubber
        self._coming = response.aiter_raw()
        self.status = response.status_code
        raw = [(name.lower(), value) for name, value in response.headers.raw]
        left_out = _NOT_RETURNED | _named_by_connection(raw)
        self.headers = [(name, value) for name, value in raw if name not in left_out and not name.startswith(_OURS)]

    @property
    def is_success(self) -> bool:
        """Whether the model answered at all."""
        return 200 <= self.status < 300

    @property
    def is_stream(self) -> bool:
        """Whether the answer comes as events."""
        kind: str = self._response.headers.get("content-type", "")
        return kind.partition(";")[0].strip().lower() == "text/event-stream"

    @property
    def is_plain(self) -> bool:
        """Whether the bytes can be read as they are."""
        encoding: str = self._response.headers.get("content-encoding", "identity")
        return encoding.strip().lower() == "identity"

    @property
    def size(self) -> int | None:
        """How many bytes were announced."""
        length: str = self._response.headers.get("content-length", "")
        return int(length) if length.isdigit() else None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes that are still to come; raise `ModelUnavailable` where they break off."""
        with _translated(self._scrubber):
            async for piece in self._coming:
                yield piece


@contextmanager
def _translated(scrubber: Scrubber) -> Iterator[None]:
    """Turn the HTTP library's errors into ours, without any key that their messages may repeat."""
    import httpx2

    try:
        yield
    except httpx2.TimeoutException as error:
        raise ModelUnavailable("the model behind the proxy did not answer in time") from scrubber.cause(error)
    except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
        said = scrubber.clean(str(error)) or type(error).__name__
        raise ModelUnavailable(f"the model behind the proxy cannot be reached: {said}") from scrubber.cause(error)


class Upstream:
    """Sends requests on; answers are given as they come, byte by byte and whatever their status."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._client = LateClient(partial(_make_client, settings), closed="the proxy was closed")
        self._key = settings.api_key.get_secret_value() if settings.api_key else None
        self._anthropic_key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else None
        self._scrubber = Scrubber([key for key in (self._key, self._anthropic_key) if key])

    @asynccontextmanager
    async def ask(
        self, method: str, path: str, *, query: str, headers: Headers, body: bytes | None, is_anthropic: bool = False
    ) -> AsyncIterator[UpstreamReply]:
        """Yield the answer, its body unread; raise `ModelUnavailable` when there is none."""
        own = self._settings.anthropic_base_url if is_anthropic else None
        base = own or self._settings.base_url
        if base is None:
            raise InvalidSettings(
                "this proxy has no model to forward to; set proxy.base_url (REMANENT_PROXY__BASE_URL)"
            )
        client = await self._client()
        key = self._anthropic_key if own else self._key
        outgoing = _outgoing(headers, key=key, is_anthropic=is_anthropic)
        url = f"{base}/{path}" + (f"?{query}" if query else "")
        with _translated(self._scrubber):
            request = client.build_request(method, url, content=body, headers=outgoing)
            response = await client.send(request, stream=True)
        try:
            yield UpstreamReply(response, self._scrubber)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _outgoing(headers: Headers, *, key: str | None, is_anthropic: bool) -> Headers:
    """Return the headers to send on: the client's own, without what is meant for us or for the connection."""
    left_out = _NOT_SENT | _named_by_connection(headers) | (_KEYS if key else frozenset())
    kept = [
        (name, value)
        for name, value in headers
        if name not in left_out and not name.startswith(_OURS) and not value.lower().startswith(_OUR_KEYS)
    ]
    # Plain bytes: what the client gets is what came, and memory can read it too.
    kept.append((b"accept-encoding", b"identity"))
    if key:
        kept.append((b"x-api-key", key.encode()) if is_anthropic else (b"authorization", f"Bearer {key}".encode()))
    return kept


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    named = b",".join(value for name, value in headers if name == b"connection")
    return frozenset(name.strip().lower() for name in named.split(b",") if name.strip())


def _make_client(settings: ProxySettings) -> "httpx2.AsyncClient":
    """Make the client. It follows no redirect: a key must not go to an address that nobody configured."""
    import httpx2

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(settings.read_timeout, connect=settings.connect_timeout, pool=settings.connect_timeout),
        limits=httpx2.Limits(max_connections=settings.connections, max_keepalive_connections=settings.connections),
        headers={},
        follow_redirects=False,
        verify=certificates(),
    )


RecordAnswer = Callable[[ChatAnswer, str | None], Awaitable[bool]]
"""Keeps an answer, given who or what kept it from being whole; returns whether memory took it."""

CLIENT, UPSTREAM, SIZE, ENCODING = "client", "upstream", "size", "encoding"
"""What kept an answer from being kept whole."""


class AnswerRelay:
    """Passes one answer on to one client."""

    def __init__(
        self, send: Send, *, headers: Headers, is_degraded: bool = False, read: ReadAnswer = ChatAnswer.add
    ) -> None:
        self._send = send
        self._read = read
        self._headers = headers
        self._is_degraded = is_degraded

    async def pass_on(self, reply: UpstreamReply) -> None:
        """Pass on an answer that memory has no part in."""
        await self._start(reply, size=reply.size)
        await self._rest(reply.pieces())

    async def whole(self, reply: UpstreamReply, *, keep: RecordAnswer, longest: int) -> None:
        """Pass on an answer that comes in one piece, kept before it goes; one that is too large is not read."""
        body, coming = bytearray(), reply.pieces()
        try:
            async for piece in coming:
                body += piece
                if len(body) > longest:
                    break
        except asyncio.CancelledError:
            await keep(ChatAnswer(), CLIENT)
            raise
        if len(body) > longest:
            await self._keep(keep, ChatAnswer(), SIZE)
            await self._start(reply, size=reply.size)
            await self._body(bytes(body))
            await self._rest(coming)
            return
        answer, obstacle = (read_whole(bytes(body), self._read), None) if reply.is_plain else (ChatAnswer(), ENCODING)
        await self._keep(keep, answer, obstacle)
        await self._start(reply, size=len(body))
        await self._body(bytes(body), more=False)

    async def stream(self, reply: UpstreamReply, *, keep: RecordAnswer) -> None:
        """Pass on events as they come; what the client got is kept, also when it or the model leaves early."""
        await self._start(reply)
        events, is_broken = EventReader(self._read), False
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

    async def _keep(self, keep: RecordAnswer, answer: ChatAnswer, obstacle: str | None) -> None:
        self._is_degraded |= not await keep(answer, obstacle)

    async def _rest(self, coming: AsyncIterator[bytes]) -> None:
        """Pass on what is left of an answer; where it breaks off, the client sees it break off."""
        try:
            async for piece in coming:
                await self._body(piece)
        except ModelUnavailable:
            return  # without its end: see above
        await self._body(b"", more=False)

    async def _start(self, reply: UpstreamReply, *, size: int | None = None) -> None:
        """Send the status and headers: the model's own, and what memory did."""
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
