"""What is taken in: bodies of bounded size, JSON of bounded shape, so many requests and no more."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any

from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from remanent.errors import InvalidInput, RateLimited
from remanent.server.hosts import values
from remanent.server.problems import Refusal

MOST_BUCKETS = 10_000
JSON = "application/json"
_SIMPLE = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
"""The types that a page of any site may send without a browser asking us first (the Fetch standard's safelist)."""


def check_not_simple(scope: Scope) -> None:
    """Refuse a request that changes something and says to be of a type which any page's form can send."""
    if scope["method"] in {"GET", "HEAD", "OPTIONS"}:
        return
    given = values(scope["headers"], b"content-type")
    if len(given) > 1 or any(_media_type(one) in _SIMPLE for one in given):
        raise Refusal(415, "send one content type: application/json, or the one that /docs names for this address")


def check_type(request: Request, *allowed: str) -> None:
    """Refuse a body that does not say that it is of an allowed type; a request without a body need say nothing."""
    given = request.headers.get("content-type")
    has_body = request.headers.get("content-length", "0").strip("0") or "transfer-encoding" in request.headers
    if (given is not None or has_body) and _media_type(given or "") not in allowed:
        raise Refusal(415, f"send {' or '.join(allowed)}")


def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


async def pieces(request: Request, *, limit: int) -> AsyncIterator[bytes]:
    """Yield a request's body as it comes, and refuse it as soon as it is too large."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise Refusal(413, f"at most {limit} bytes are taken")
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise Refusal(413, f"at most {limit} bytes are taken")
            yield piece
    except ClientDisconnect as error:
        raise Refusal(400, "the request ended before its body did") from error


async def read_json(request: Request, *, limit: int, depth: int, values: int) -> dict[str, Any]:
    """Return the JSON object of a request's body; no body is an empty object."""
    content = b"".join([piece async for piece in pieces(request, limit=limit)])
    if not content:
        return {}
    if _media_type(request.headers.get("content-type", "")) != JSON:
        raise Refusal(415, f"send {JSON}")
    try:
        value = from_json(content, allow_inf_nan=False)
    except ValueError as error:
        raise Refusal(400, f"the body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput("the body must be a JSON object")
    check_shape(value, depth=depth, values=values)
    return value


def check_shape(value: object, *, depth: int, values: int) -> None:
    """Refuse JSON that is nested too deep or holds too many values."""
    level: list[object] = [value]
    count = 0
    for _ in range(depth + 1):
        count += len(level)
        if count > values:
            raise InvalidInput(f"the JSON holds more than {values} values; send it in parts")
        below: list[object] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return
        level = below
    raise InvalidInput(f"the JSON is nested deeper than {depth} levels; flatten it")


class RateLimit:
    """A bucket of tokens for each name: full at first, refilled steadily, one token for each request."""

    def __init__(self, rate: float, burst: int, *, timer: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._timer = timer
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, *, cost: float = 1.0) -> None:
        """Take a token, or refuse and say when there will be one."""
        if not self._rate:
            return
        now = self._timer()
        tokens, since = self._buckets.pop(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        allowed = tokens >= cost
        self._buckets[name] = (tokens - cost if allowed else tokens, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if not allowed:
            wait = (cost - tokens) / self._rate
            raise RateLimited(f"too many requests; the next one is welcome in {wait:.1f} seconds", retry_after=wait)
