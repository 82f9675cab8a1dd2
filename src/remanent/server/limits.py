"""Limits on what is accepted: bodies, JSON, requests per key, and each organisation's share.

Three things can be used up by one caller at the cost of all: the event loop (parsing), memory (bodies that are held)
and places to work in. Each has its bound here. Rates are per key; shares are per organisation and bind only while
others want the server, too.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from remanent.errors import InvalidInput, QueueFull, RateLimited
from remanent.fairness import FairSlots, Shares
from remanent.lightweight import BoundedDict, dataclass
from remanent.operations import Service
from remanent.server.connections import max_connections
from remanent.server.hosts import header_values
from remanent.server.problems import Refusal
from remanent.settings import ServerSettings

_MAX_BUCKETS = 10_000
"""Callers whose rate is known at once; beyond that the longest unseen starts with a full bucket (about 2 MB)."""
_BYTES_PER_TOKEN = 8 * 1024
"""A body of 16 MB, the largest, takes up to 0.2 s of everybody's time to parse. At this price and the usual rate a key
can send one in ten seconds, and takes no more than 2 % of the time with them."""
_VALUES_PER_TOKEN = 25
"""A thousand messages, the most in one request, are 40 tokens as texts and 160 as objects; they take 0.2 s to store."""
UPLOAD_DISCOUNT = 8
"""By how much a byte of a file is cheaper than one of JSON: it is stored as it is."""
REFUSALS_AT_ONCE = 20
REFUSALS_PER_SECOND = 25.0
"""Of one caller. A refusal takes 1 to 2 ms of the event loop, so whoever sends again at once, over however many
connections, takes no more than 5 % of it."""
LONGEST_PAUSE = 10.0
"""Seconds that the next refusal of a caller is put off at the most, however many were asked for: a program that was
mended meanwhile is answered soon."""
_PIECE = 64 * 1024
"""Bytes that are looked through at a time: a fraction of a millisecond, after which other threads get a turn."""
JSON = "application/json"
_SIMPLE = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
"""The types that a page of any site may send without a browser asking us first (the Fetch standard's safelist)."""


def check_not_simple(scope: Scope) -> None:
    """Refuse a request that changes something and says to be of a type which any page's form can send."""
    if scope["method"] in {"GET", "HEAD", "OPTIONS"}:
        return
    given = header_values(scope["headers"], b"content-type")
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


async def body_chunks(request: Request, *, limit: int) -> AsyncIterator[bytes]:
    """Yield a request's body as it comes, and refuse it as soon as it is too large."""
    if declared_length(request) > limit:
        raise Refusal(413, f"at most {limit} bytes are accepted")
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise Refusal(413, f"at most {limit} bytes are accepted")
            yield piece
    except ClientDisconnect as error:
        raise Refusal(400, "the request ended before its body was complete") from error


@dataclass(slots=True)
class JsonBody:
    """A body as it came, that shall be JSON of bounded shape."""

    data: bytes
    depth: int
    values: int
    count: int = 0
    """How many values it holds at least, known once it was read."""

    def read(self) -> dict[str, Any]:
        """Return the JSON object; no body is an empty object. Takes its time: see `OrgCapacity.parse`."""
        if not self.data:
            return {}
        # No other thread runs while JSON is parsed: eight million numbers in 16 MB would take a second of everybody's.
        self.count = count_separators(self.data, most=self.values)
        if self.count >= self.values:
            raise _too_many(self.values)
        try:
            value = from_json(self.data, allow_inf_nan=False)
        except ValueError as error:
            raise Refusal(400, f"the body is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise InvalidInput("the body must be a JSON object")
        check_shape(value, depth=self.depth, values=self.values)
        return value


async def read_body(request: Request, *, limit: int) -> bytes:
    """Return a request's body."""
    return b"".join([piece async for piece in body_chunks(request, limit=limit)])


def json_body(request: Request, data: bytes, *, depth: int, values: int) -> JsonBody:
    """Return a request's body as one that must be called JSON if there is any."""
    if data and _media_type(request.headers.get("content-type", "")) != JSON:
        raise Refusal(415, f"send {JSON}")
    return JsonBody(data, depth, values)


def count_separators(data: bytes, *, most: int) -> int:
    """Return how many commas of a JSON text stand outside of strings, which is less than it holds values.

    It is looked through in pieces, between which other threads run, and no further than to `most`.
    """
    count, is_inside, is_escaped = 0, False, False
    for begin in range(0, len(data), _PIECE):
        piece = data[begin + is_escaped : begin + _PIECE].replace(b"\\\\", b"")
        is_escaped = piece.endswith(b"\\")
        parts = piece.replace(b'\\"', b"").split(b'"')
        count += sum(part.count(b",") for part in parts[is_inside::2])
        is_inside ^= len(parts) % 2 == 0
        if count >= most:
            break
    return count


def declared_length(request: Request) -> int:
    """Return how many bytes a request says that its body has; 0 where it does not say."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def body_cost(size: int, *, values: int = 0) -> float:
    """Return what a body costs of its key's rate beside the request itself."""
    return float(size // _BYTES_PER_TOKEN + values // _VALUES_PER_TOKEN)


def _too_many(values: int) -> InvalidInput:
    return InvalidInput(f"the JSON contains more than {values} values; send it in parts")


def check_shape(value: object, *, depth: int, values: int) -> None:
    """Refuse JSON that is nested too deep or holds too many values.

    Level by level and not by recursion: the depth is the caller's to choose, and a stack that overflows ends more than
    one request. It counts before it goes down, so that no more values are looked at than are allowed.
    """
    level: list[object] = [value]
    count = 0
    for _ in range(depth + 1):
        count += len(level)
        if count > values:
            raise _too_many(values)
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
        self._buckets = BoundedDict[str, tuple[float, float]](_MAX_BUCKETS)

    def take(self, name: str, *, cost: float = 1.0) -> None:
        """Take a token, or refuse and say when there will be one."""
        if not self._rate:
            return
        now = self._timer()
        tokens, since = self._buckets.get(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        allowed = tokens >= cost
        self._buckets[name] = (tokens - cost if allowed else tokens, now)
        if not allowed:
            wait = (cost - tokens) / self._rate
            raise RateLimited(f"too many requests; try again in {wait:.1f} seconds", retry_after=wait)

    def charge(self, name: str, *, cost: float) -> None:
        """Take tokens for what was done already; a bucket that owes some refuses until it has been refilled."""
        if not self._rate or cost <= 0 or name not in self._buckets:
            return
        tokens, since = self._buckets[name]
        # Nobody owes more than a full bucket: however large a file was, whoever sent it soon comes in again.
        self._buckets[name] = (max(tokens - cost, -self._burst), since)


T = TypeVar("T")

_MAX_CONCURRENT_REQUESTS = 32
"""Requests that are worked on at the same time: as many questions as recall takes at once."""
LARGE_BODY_BYTES = 2**20
"""From here on a body counts as large: below, hundreds fit into memory without anybody noticing."""
_MAX_LARGE_BODIES = 16
"""Bodies of that size or more that are read at the same time: each is held in memory until it is understood."""
MAX_LARGE_BODIES_PER_ORG = 4
"""Of one organisation, while others send such, too."""
MIN_THREADED_BYTES = 16 * 1024
"""Bytes from which a body is read in a thread: reading fewer takes less than a millisecond, as much as the change of
threads may."""


class OrgCapacity:
    """The parts of one server that organisations share. REST, MCP and the proxy of one server have the same."""

    def __init__(self, settings: ServerSettings, *, shares: Shares | None = None) -> None:
        self._most = max(1, min(settings.max_requests, max_connections(settings)) // 2)
        self._under_way: Counter[str] = Counter()
        shared = settings.org_concurrency
        self._turns = FairSlots(_MAX_CONCURRENT_REQUESTS, shared=shared, shares=shares)
        self._large = FairSlots(_MAX_LARGE_BODIES, shared=MAX_LARGE_BODIES_PER_ORG)
        # One at a time: threads that compute only wait for each other, and the event loop for all of them.
        self._bodies = FairSlots(1, shared=1, shares=shares)
        self._reader: ThreadPoolExecutor | None = None

    @classmethod
    def of(cls, service: Service) -> "OrgCapacity":
        """Return the capacity that a server gives its organisations."""
        if service not in _CAPACITIES:
            memory = service.memory
            _CAPACITIES[service] = cls(memory.settings.server, shares=memory.shares)
        return _CAPACITIES[service]

    @contextmanager
    def request_slot(self, org: str) -> Iterator[None]:
        """Count a request from here to its end; refuse it when its organisation has half of all that can be."""
        if self._under_way[org] >= self._most:
            raise QueueFull(f"this organisation already has {self._most} requests in progress; send fewer at a time")
        self._under_way[org] += 1
        try:
            yield
        finally:
            self._under_way[org] -= 1
            if not self._under_way[org]:
                del self._under_way[org]

    def work_slot(self, org: str) -> AbstractAsyncContextManager[None]:
        """Work on a request while this lasts, when it is its organisation's turn."""
        return self._turns.hold(org)

    @asynccontextmanager
    async def body(
        self, org: str, request: Request, *, limit: int, charge: Callable[[float], None]
    ) -> AsyncIterator[bytes]:
        """Give a request's body, and have room for it while this lasts; what a client sends before waits at its end.

        Whoever sent it is charged before it is here: many at once would else all be let in before the first of them is
        counted. What is too large is refused unread, and costs no more than any request: else the next ones would be
        refused for it.
        """
        length = declared_length(request)
        charge(body_cost(length if length <= limit else 0))
        is_large = length >= LARGE_BODY_BYTES or "transfer-encoding" in request.headers
        async with self._large.hold(org) if is_large else nullcontext():
            data = await read_body(request, limit=limit)
            charge(body_cost(0 if length else len(data)))
            yield data

    async def parse(self, org: str, *, size: int, work: Callable[[], T]) -> T:
        """Return what reading a body of so many bytes gives; a large one is read in a thread, by turns."""
        if size < MIN_THREADED_BYTES:
            return work()
        if self._reader is None:
            self._reader = ThreadPoolExecutor(1, thread_name_prefix="remanent-bodies")
        async with self._bodies.hold(org):
            return await asyncio.get_running_loop().run_in_executor(self._reader, work)


_CAPACITIES: WeakKeyDictionary[Service, OrgCapacity] = WeakKeyDictionary()


class Pace:
    """Lets the first refusals of a caller go at once, and further ones at a steady pace.

    Whoever asks again as soon as it was refused would else keep the event loop busy with refusing: a hundred
    connections that do so make every turn of the loop, of which other requests need several, a hundred refusals long.
    """

    def __init__(self, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._due = BoundedDict[str, float](_MAX_BUCKETS)
        """When the refusals of each so far would all have gone, had none of them gone at once."""

    def pause(self, name: str) -> float:
        """Return how many seconds the next refusal of a caller has to wait."""
        now = self._timer()
        due = max(self._due.get(name, now), now) + 1 / REFUSALS_PER_SECOND
        self._due[name] = min(due, now + LONGEST_PAUSE)
        return max(0.0, self._due[name] - now - REFUSALS_AT_ONCE / REFUSALS_PER_SECOND)
