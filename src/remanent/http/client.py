"""HTTP for adapters: a client bounded in time and size, when to try again, and keeping keys out of errors.

Providers fail in every way there is: they are silent, flood, answer too late, repeat the key that they were sent. None
of that may hang a memory, fill it, or reach a log.
"""

import asyncio
import random
import re
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from remanent.errors import ModelRejected, ModelUnavailable, StoreClosed
from remanent.lightweight import dataclass
from remanent.model import Clock, system_clock

if TYPE_CHECKING:
    import ssl

    import httpx2
    from pydantic import SecretStr

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
            raise AnswerTooLarge(f"the answer has {length} bytes, but at most {limit} are read")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # A few bytes can unpack to any number of them, and we asked for plain ones.
            raise AnswerTooLarge("the answer is compressed, although that was not requested")
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


# ── one JSON API behind a URL and a key: questions by POST, with retries, bounds and errors that name who must act ──
# Shared by embedders, rerankers and agents' tools, so that all of them wait, retry and complain alike.

MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)} - {501, 505})
"""Statuses after which the same request may succeed: time-outs, conflicts, too early, too many, and failures of the
server, except for what it will never do."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long to wait, how much to read and how often to try."""

    timeout: float = 60.0
    """Seconds for a question in all, further attempts included."""
    request_timeout: float = 30.0
    connect_timeout: float = 10.0
    max_answer: int = 32 * 1024**2
    attempts: int = 3
    backoff_base: float = 1.0
    backoff_cap: float = 30.0


class JsonApi:
    """Asks one address; `group` is the group of settings that errors point to, empty where arguments are meant.

    A key goes into `Authorization` as a bearer's, into any other header as it is.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: "SecretStr | None",
        key_header: str = "Authorization",
        group: str = "",
        names_model: bool = True,
        bounds: RequestLimits | None = None,
        clock: Clock = system_clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._key_header = key_header
        self._names_model = names_model
        self._prefix = f"{group}." if group else ""
        self._bounds = bounds or RequestLimits()
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._scrubber = Scrubber([key.get_secret_value()] if key else [])
        self._client = LateClient(
            partial(
                make_client,
                read_timeout=self._bounds.request_timeout,
                connect_timeout=self._bounds.connect_timeout,
                limit=self._bounds.max_answer,
            ),
            closed=f"the connection to {self._base_url} was closed; open the memory again",
        )

    def __repr__(self) -> str:
        return f"JsonApi({self._base_url!r})"

    @property
    def place(self) -> str:
        """The address, as errors name it."""
        return self._base_url

    async def post(self, path: str, body: Mapping[str, Any]) -> bytes:
        """Return the bytes of a successful answer; raise `ModelUnavailable` or `ModelRejected` otherwise."""
        try:
            async with asyncio.timeout(self._bounds.timeout):
                return await self._post_with_retries(f"{self._base_url}/{path}", body)
        except TimeoutError as error:
            raise ModelUnavailable(f"{self._base_url} did not answer in time; see {self._prefix}timeout") from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _post_with_retries(self, url: str, body: Mapping[str, Any]) -> bytes:
        """Ask until there is an answer, the attempts are used up, or waiting is of no use."""
        failures = 0
        while True:
            try:
                return await self._ask(url, body)
            except ModelUnavailable as error:
                failures += 1
                asked = error.retry_after or 0.0
                if failures >= self._bounds.attempts or asked > self._bounds.backoff_cap:
                    raise
                wait = backoff(
                    failures, base=self._bounds.backoff_base, cap=self._bounds.backoff_cap, chance=self._chance()
                )
                await self._sleep(max(wait, asked))

    async def _ask(self, url: str, body: Mapping[str, Any]) -> bytes:
        """Send one request and return its answer, with every failure of the transport named as ours."""
        import httpx2

        client = await self._client()
        try:
            async with asyncio.timeout(self._bounds.request_timeout):
                response = await client.post(url, json=body, headers=self._headers())
        except AnswerTooLarge as error:
            raise ModelRejected(f"{self._base_url}: {error}; see {self._prefix}max_answer") from error
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise ModelUnavailable(
                f"{self._base_url} did not answer in time; see {self._prefix}request_timeout"
            ) from self._scrubber.cause(error)
        except (httpx2.HTTPError, httpx2.StreamError, OSError, RuntimeError) as error:
            reason = self._scrubber.clean(str(error)) or type(error).__name__
            raise ModelUnavailable(f"{self._base_url} could not be reached: {reason}") from self._scrubber.cause(error)
        except httpx2.InvalidURL as error:
            raise ModelRejected(
                f"{self._base_url} is not a URL that can be reached; correct {self._prefix}base_url"
            ) from self._scrubber.cause(error)
        if not response.is_success:
            raise self._failure(response)
        return response.content

    def _headers(self) -> dict[str, str]:
        """Return the headers with the key; it is unwrapped here and nowhere else."""
        headers = {"Accept": "application/json"}
        if self._key is not None:
            bearer = "Bearer " if self._key_header == "Authorization" else ""
            headers[self._key_header] = f"{bearer}{self._key.get_secret_value()}"
        return headers

    def _failure(self, response: "httpx2.Response") -> ModelUnavailable | ModelRejected:
        """Return the error for a status: who must act, and which setting to look at."""
        status = response.status_code
        message = f"{self._base_url} answers {status}: {self._provider_message(response)}"
        if status in MAY_PASS:
            return ModelUnavailable(message, retry_after=retry_after(response.headers, now=self._clock()))
        if status in {401, 403}:
            return ModelRejected(f"{message}. Check {self._prefix}api_key and what it is allowed to do")
        if status == 404 or response.is_redirect:
            also = f" and {self._prefix}name" if self._names_model else ""
            return ModelRejected(f"{message}. Check {self._prefix}base_url{also}")
        return ModelRejected(message)

    def _provider_message(self, response: "httpx2.Response") -> str:
        """Return what the provider said, in a line and without keys."""
        try:
            body = response.json()
        except (ValueError, RecursionError):
            text = response.text
            return "a page of HTML" if text.lstrip().startswith("<") else self._scrubber.clean(text or "nothing")
        inner = body.get("error", body) if isinstance(body, dict) else body
        text = inner.get("message", inner) if isinstance(inner, dict) else inner
        return self._scrubber.clean(str(text))
