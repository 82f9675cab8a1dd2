"""One JSON API behind a URL and a key: questions by POST, with retries, bounds and errors that name who must act.

Shared by embedders, rerankers and agents' tools, so that all of them wait, retry and complain alike.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from remanent.errors import ModelRejected, ModelUnavailable
from remanent.http.client import AnswerTooLarge, LateClient, Scrubber, backoff, make_client, retry_after
from remanent.model import Clock, system_clock
from remanent.values import dataclass

if TYPE_CHECKING:
    import httpx2
    from pydantic import SecretStr

# Time-outs, conflicts, too early, too many, and failures of the server, except for what it will never do.
_MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)} - {501, 505})


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
                f"{self._base_url} is no URL that can be asked; correct {self._prefix}base_url"
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
        if status in _MAY_PASS:
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
