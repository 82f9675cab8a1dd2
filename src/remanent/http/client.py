"""The HTTP client that providers are spoken to with: bounded in time and in what it reads."""

from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

    import httpx2


class AnswerTooLarge(Exception):
    """A provider sends more than any answer has."""


def make_client(
    *, read_timeout: float, connect_timeout: float, limit: int, isolated: bool = False
) -> "httpx2.AsyncClient":
    """Return a client that gives up on silence and on floods; proxies of the environment are used as usual.

    An isolated one uses no proxy and keeps no connection: each request goes where it says, by itself.
    """
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        """A body that ends in an error when it grows too large."""

        def __init__(self, inner: httpx2.AsyncByteStream) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > limit:
                    raise AnswerTooLarge(f"the answer is larger than {limit} bytes")
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def bound(response: httpx2.Response) -> None:
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length) > limit:
            raise AnswerTooLarge(f"the answer has {length} bytes, and {limit} are read at most")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # A few bytes can unpack to any number of them, and we asked for plain ones.
            raise AnswerTooLarge("the answer is compressed, which was not asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = Bounded(response.stream)

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(read_timeout, connect=connect_timeout),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
        verify=certificates(),
        trust_env=not isolated,
        limits=httpx2.Limits(max_connections=100, max_keepalive_connections=0 if isolated else 20),
    )


@cache
def certificates() -> "ssl.SSLContext":
    """Load the certificates that are trusted; it takes some 90 ms, and all clients can share them."""
    import httpx2

    return httpx2.create_ssl_context()
