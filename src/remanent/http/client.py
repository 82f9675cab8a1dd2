"""HTTP for adapters: a client bounded in time and size, when to try again, and keeping keys out of errors.

Providers fail in every way there is: they are silent, flood, answer too late, repeat the key that they were sent. None
of that may hang a memory, fill it, or reach a log.
"""

import asyncio
import re
import traceback
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING

from remanent.errors import StoreClosed

if TYPE_CHECKING:
    import ssl

    import httpx2

_HIDDEN = "***"
_SHORTEST = 4
"""A key of fewer characters is a placeholder, and hiding it would hide half of every text."""

# Things that look like somebody's key, even if it is not ours: a provider may repeat one that it was sent.
_LOOKS_SECRET = re.compile(r"\b(?:sk|pk|key)-[A-Za-z0-9_\-*]{8,}|(?i:\bbearer\s+)\S+")


class Scrubber:
    """Takes keys out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The longest first, should one be a part of another.
        self._secrets = sorted((secret for secret in secrets if len(secret) >= _SHORTEST), key=len, reverse=True)

    def clean(self, text: str, *, longest: int = 300) -> str:
        """Return the text in one line, without keys and not too long."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        text = " ".join(_LOOKS_SECRET.sub(_HIDDEN, text).split())
        return text if len(text) <= longest else text[: longest - 1] + "…"

    def cause(self, error: BaseException) -> BaseException | None:
        """Return the error if it can be shown as a cause, and None if its text, or that of a cause of it, has a key."""
        shown = "".join(traceback.TracebackException.from_exception(error).format())
        return None if any(secret in shown for secret in self._secrets) else error


_MAX_DOUBLINGS = 64
"""Past so many any base lies above any cap, and the power would not fit a float."""


def backoff(failures: int, *, base: float, cap: float, chance: float) -> float:
    """Return the seconds to wait after so many failures: doubled each time, up to the cap, the half of it by chance.

    The chance, from 0 to 1, keeps clients that failed together from coming back together.
    """
    longest = min(cap, base * 2.0 ** min(max(failures, 1) - 1, _MAX_DOUBLINGS))
    return longest / 2 + longest / 2 * chance


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds that a provider asks to be left alone: given in milliseconds, seconds or as a date."""
    named = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _seconds(named.get(name, ""), unit=unit)
        if seconds is not None:
            return seconds
    try:
        moment = parsedate_to_datetime(named.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (aware - now).total_seconds())


def _seconds(text: str, *, unit: float) -> float | None:
    """Return a number of seconds; None for what is no number, negative or without end."""
    try:
        seconds = float(text) / unit
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


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
        """Refuse an answer by what its headers say, and bound the reading of its body otherwise."""
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


class LateClient:
    """A client that the first request makes: one, however many ask at once."""

    def __init__(self, make: "Callable[[], httpx2.AsyncClient]", *, closed: str) -> None:
        self._make = make
        self._client: httpx2.AsyncClient | None = None
        self._opening = asyncio.Lock()
        self._closed = closed
        self._is_closed = False

    async def __call__(self) -> "httpx2.AsyncClient":
        """Return the client; raise `StoreClosed` with what is to be said then when it was closed."""
        if self._is_closed:
            raise StoreClosed(self._closed)
        async with self._opening:
            if self._client is None:
                # In a thread: importing the client and loading certificates takes a quarter of a second.
                self._client = await asyncio.to_thread(self._make)
            return self._client

    async def close(self) -> None:
        """Let go of the connections."""
        self._is_closed = True
        if self._client is not None:
            await self._client.aclose()


@cache
def certificates() -> "ssl.SSLContext":
    """Load the certificates that are trusted; it takes some 90 ms, and all clients can share them."""
    import httpx2

    return httpx2.create_ssl_context()
