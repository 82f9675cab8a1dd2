"""Idempotency-Key: a request that is repeated with the same key is done once and answered alike.

An answer is noted durably before it is given, in the store of the agent that it is about: erasing there takes the note
along, and a restart does not forget what was done. Memory holds the latest answers only for those who wait for them.
"""

import asyncio
import hashlib
import logging
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from remanent.errors import AuditFailed, InvalidInput, RemanentError, StorageError
from remanent.lightweight import dataclass
from remanent.model import Scope
from remanent.operations import Service, Target
from remanent.stores.notes import LIFETIME, NotedAnswer
from remanent.stores.shelf import Shelf

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
_FOLDER = ".access/replays"
"""On the shelf: what was done for a whole organisation, without secrets."""
_MAX_CACHED = 1_000
_MAX_CACHED_BYTES = 4 * 2**20
"""Answers that are kept in memory too, for requests that wait for the first of them; notes hold the rest."""
_LIFETIME_SECONDS = LIFETIME.total_seconds()
"""As long as notes hold: whoever retries does so within minutes, or never."""
_MAX_KEY_LENGTH = 255
"""Characters; as other APIs with this header allow."""
_MAX_UPLOAD_IN_MEMORY = 1024 * 1024
_PIECE = 65_536
"""Bytes of an upload that are kept in memory, beyond which it goes to a file; and of one read of it. Chosen by hand."""
_KEPT_HEADERS = ("content-type", "etag", "location")
"""The headers that belong to the answer; all others belong to one connection or one request."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _CachedResponse:
    """An answer that was given, or that somebody is at work on and others may wait for."""

    fingerprint: str
    at: float
    answer: asyncio.Future[Response]
    is_noted: bool = False
    size: int = 0


class IdempotencyStore:
    """The answers to keyed requests, for a day: in this process, and noted durably before they are given.

    A process that dies between doing and noting has answered nobody; the request is then done again when it comes
    again. What the journal holds is stored once even so, because its messages carry ids made of the key.
    """

    def __init__(self, service: Service, *, timer: Callable[[], float]) -> None:
        self._service = service
        self._timer = timer
        self._kept: OrderedDict[str, _CachedResponse] = OrderedDict()
        self._bytes = 0

    async def once(
        self,
        key: str,
        *,
        who: str,
        place: Target,
        fingerprint: str,
        answer: Callable[[], Awaitable[Response]],
        is_told: bool = True,
        is_made_anew: bool = False,
    ) -> Response:
        """Return the answer that was given for this key, or make it; what failed may be tried again.

        Unless `is_told`, it is noted that something was answered and not what; then it is made anew, if doing it again
        with this key gives the same answer.
        """
        self._forget_old()
        name = hashlib.sha256(f"{who}\n{key}".encode()).hexdigest()
        kept = self._kept.get(name)
        if kept is not None:
            _check(kept.fingerprint, fingerprint)
            first = await asyncio.shield(kept.answer)
            if kept.is_noted and not is_made_anew:
                # What is kept here may be about what was erased since, by whatever process: the note knows.
                note = await self._notes(place).find(name)
                if note is None or note.content is None:
                    raise InvalidInput(_ANSWER_GONE)
            return Response(first.body, first.status_code, headers={**dict(first.headers), REPLAYED: "true"})
        kept = _CachedResponse(fingerprint, self._timer(), asyncio.get_running_loop().create_future())
        self._kept[name] = kept
        try:
            response, is_noted = await self._noted(
                name, place, fingerprint, answer, is_told=is_told, is_made_anew=is_made_anew
            )
            kept.is_noted = is_noted and is_told
        except BaseException as error:
            self._kept.pop(name, None)
            if isinstance(error, Exception):
                kept.answer.set_exception(error)
                kept.answer.exception()  # whoever waits is told; nobody need wait
            else:
                kept.answer.cancel()
            raise
        kept.answer.set_result(response)
        kept.size = len(response.body)
        self._bytes += kept.size
        return response

    async def _noted(
        self,
        name: str,
        place: Target,
        fingerprint: str,
        answer: Callable[[], Awaitable[Response]],
        *,
        is_told: bool,
        is_made_anew: bool,
    ) -> tuple[Response, bool]:
        """Return the answer, and whether a note says that it was given."""
        notes = self._notes(place)
        earlier = await notes.find(name)
        if earlier is not None:
            if not is_made_anew:
                return _replayed(earlier, fingerprint), True
            _check(earlier.fingerprint, fingerprint)
        try:
            response = await answer()
        except AuditFailed:  # it is done: sent again, it must not be done twice
            await self._keep(notes, name, NotedAnswer(fingerprint=fingerprint, at=self._service.clock(), status=0))
            raise
        if earlier is not None:
            response.headers[REPLAYED] = "true"
            return response, True
        content = bytes(response.body).decode() if is_told else None
        headers = {header: response.headers[header] for header in _KEPT_HEADERS if header in response.headers}
        note = NotedAnswer(
            fingerprint=fingerprint,
            at=self._service.clock(),
            status=response.status_code,
            headers=headers if is_told else {},
            content=content,
        )
        return response, await self._keep(notes, name, note)

    @staticmethod
    async def _keep(notes: "_AgentNotes | _ShelfNotes", name: str, note: NotedAnswer) -> bool:
        """Note an answer; return whether that could be done."""
        try:
            await notes.keep(name, note)
        except RemanentError as error:
            # What was asked for is done, and its answer is good; only a restart would not know of it.
            _logger.warning("the answer to a keyed request is not noted: %s", type(error).__name__)
            return False
        return True

    def _notes(self, place: Target) -> "_AgentNotes | _ShelfNotes":
        if (scope := place.scope) is not None:
            return _AgentNotes(self._service, scope)
        return _ShelfNotes(self._service.memory.shelf, now=self._service.clock())

    def _forget_old(self) -> None:
        """Let go of the oldest answers, by age, count and size; one that is being made stays."""
        ends = self._timer() - _LIFETIME_SECONDS
        while self._kept:
            oldest, kept = next(iter(self._kept.items()))
            if len(self._kept) <= _MAX_CACHED and self._bytes <= _MAX_CACHED_BYTES and kept.at > ends:
                return
            if not kept.answer.done():
                return  # somebody is at it, and others may wait for it
            del self._kept[oldest]
            self._bytes -= kept.size


class _AgentNotes:
    """Notes in the agent's own store."""

    def __init__(self, service: Service, scope: Scope) -> None:
        self._notes = service.memory.notes
        self._scope = scope

    async def find(self, name: str) -> NotedAnswer | None:
        return await self._notes.find(self._scope, name)

    async def keep(self, name: str, note: NotedAnswer) -> None:
        await self._notes.keep(self._scope, name, note)


class _ShelfNotes:
    """Notes on the shelf, for what belongs to no agent."""

    def __init__(self, shelf: Shelf, *, now: datetime) -> None:
        self._shelf = shelf
        self._now = now

    async def find(self, name: str) -> NotedAnswer | None:
        return await asyncio.to_thread(self._find, f"{_FOLDER}/{name}.json")

    async def keep(self, name: str, note: NotedAnswer) -> None:
        await asyncio.to_thread(self._write, name, note)

    def _find(self, name: str) -> NotedAnswer | None:
        """Return the answer that was noted under a name, unless it is too old to be given again."""
        try:
            content = self._shelf.read(name)
        except OSError as error:
            raise StorageError(f"{name} cannot be read: {error.strerror}") from error
        return None if content is None else self._valid(content)

    def _valid(self, content: bytes) -> NotedAnswer | None:
        """Return a note that is still valid; a damaged one counts as none, and its request is done again."""
        try:
            note = NotedAnswer.from_json(content)
        except InvalidInput:
            return None
        return note if note.at > self._now - LIFETIME else None

    def _write(self, name: str, note: NotedAnswer) -> None:
        """Write a note durably; notes that have expired go at this occasion, so that nothing else need tidy up.

        The oldest stand first: behind one that is still valid nothing has expired.
        """
        try:
            for other, content in self._shelf.documents(_FOLDER):
                if self._valid(content) is not None:
                    break
                self._shelf.remove(other)
            self._shelf.write(f"{_FOLDER}/{name}.json", note.to_json().encode())
        except OSError as error:
            raise StorageError(f"nothing can be written to {_FOLDER}: {error.strerror}") from error


_ANSWER_GONE = (
    f"the request sent with this {HEADER} was carried out, but its answer is no longer available; use a new key"
)


def _check(known: str, given: str) -> None:
    if known != given:
        raise InvalidInput(f"this {HEADER} was already used for a different request; use a new key")


def _replayed(note: NotedAnswer, fingerprint: str) -> Response:
    """Return the noted answer as it was given the first time, marked as given again."""
    _check(note.fingerprint, fingerprint)
    if note.content is None:
        raise InvalidInput(_ANSWER_GONE)
    return Response(note.content.encode(), note.status, headers={**note.headers, REPLAYED: "true"})


def key_of(request: Request) -> str | None:
    """Return the key that a request carries, if it carries one."""
    key = request.headers.get(HEADER)
    if key is not None and not (0 < len(key) <= _MAX_KEY_LENGTH and key.isprintable()):
        raise InvalidInput(f"{HEADER} must be 1 to {_MAX_KEY_LENGTH} printable characters")
    return key


def fingerprint(request: Request, content: bytes) -> str:
    """Return what tells one request from another."""
    told = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(told + content).hexdigest()


@asynccontextmanager
async def hashed_upload(upload: AsyncIterator[bytes]) -> AsyncIterator[tuple[bytes, AsyncIterator[bytes]]]:
    """Take an upload in and give its hash and its pieces once more; a large one waits in a file without a name."""
    digest = hashlib.sha256()
    with tempfile.SpooledTemporaryFile(max_size=_MAX_UPLOAD_IN_MEMORY) as file:
        async for piece in upload:
            digest.update(piece)
            await asyncio.to_thread(file.write, piece)
        file.seek(0)

        async def pieces() -> AsyncIterator[bytes]:
            while piece := await asyncio.to_thread(file.read, _PIECE):
                yield piece

        yield digest.digest(), pieces()
