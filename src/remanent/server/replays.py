"""Idempotency-Key: a request that is repeated with the same key is done once and answered alike."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from remanent.errors import InvalidInput

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MOST = 10_000
SECONDS = 86_400.0
_LONGEST = 255


@dataclass(slots=True)
class _Kept:
    fingerprint: str
    at: float
    answer: asyncio.Future[Response]


class Replays:
    """The answers of one process to keyed requests, for a day; the journal itself knows repeated messages for good."""

    def __init__(self, *, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    async def once(
        self, key: str, *, who: str, fingerprint: str, answer: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Return the answer that was given for this key, or make it; what failed may be tried again."""
        self._forget_old()
        kept = self._kept.get((who, key))
        if kept is not None:
            if kept.fingerprint != fingerprint:
                raise InvalidInput(f"this {HEADER} was used for another request; take a new one")
            first = await asyncio.shield(kept.answer)
            return Response(first.body, first.status_code, headers={**dict(first.headers), REPLAYED: "true"})
        kept = _Kept(fingerprint, self._timer(), asyncio.get_running_loop().create_future())
        self._kept[(who, key)] = kept
        try:
            response = await answer()
        except BaseException as error:
            self._kept.pop((who, key), None)
            if isinstance(error, Exception):
                kept.answer.set_exception(error)
                kept.answer.exception()  # whoever waits is told; nobody need wait
            else:
                kept.answer.cancel()
            raise
        kept.answer.set_result(response)
        return response

    def _forget_old(self) -> None:
        ends = self._timer() - SECONDS
        while self._kept:
            oldest, kept = next(iter(self._kept.items()))
            if len(self._kept) <= MOST and kept.at > ends:
                return
            del self._kept[oldest]


def key_of(request: Request) -> str | None:
    """Return the key that a request carries, if it carries one."""
    key = request.headers.get(HEADER)
    if key is not None and not (0 < len(key) <= _LONGEST and key.isprintable()):
        raise InvalidInput(f"{HEADER} must be 1 to {_LONGEST} printable characters")
    return key


def fingerprint(request: Request, content: bytes) -> str:
    """Return what tells one request from another."""
    told = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(told + content).hexdigest()
