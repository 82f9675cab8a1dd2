"""One server behind a URL and a key: operations go out, answers or errors of the library come back.

The faces that scripts write (`remote.py`, `blocking.py`) hold no logic: what can go wrong between two machines is
handled here once, above all that a request may have been done though its answer never came.
"""

import asyncio
import inspect
import json
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from remanent import errors
from remanent.errors import (
    AnswerLost,
    BusyError,
    CallerError,
    InvalidInput,
    InvalidSettings,
    RateLimited,
    RemanentError,
    ServerUnreachable,
    VersionConflict,
)
from remanent.http.client import AnswerTooLarge, LateClient, backoff, make_client, retry_after
from remanent.jobs import Progress
from remanent.model import Model, Scope, system_clock
from remanent.operations import CATALOGUE, Body, Operation, ProgressStep, Run, RunState, Target

if TYPE_CHECKING:
    import httpx2

_MAX_ATTEMPTS = 4
"""Requests for one answer, the first included; chosen by hand: the waits between them are 1.4 s at the most."""
_MAX_RESPONSE_BYTES = 1 << 30
"""More than any answer has; a peer that sends without end must not fill this machine's memory."""
_ERRORS = {name: kind for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, RemanentError)}
"""The library's errors by name: a server names the class, and the same is raised here."""
_PREFIX = "urn:remanent:error:"
_BROKEN_OFF = f'{{"type": "{_PREFIX}'
"""How the last line begins of an answer in lines that failed half-way."""
_UPLOADED = {Body.LINES: "application/x-ndjson", Body.BYTES: "application/octet-stream"}

Send = Callable[[], Awaitable["httpx2.Response"]]


class Connection:
    """Speaks to one server. What may pass is tried again: whatever changes something has a key, and is done once."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.url = _checked(url)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._sleep = sleep
        self._chance = chance
        self._client = LateClient(
            partial(make_client, read_timeout=timeout, connect_timeout=timeout, limit=_MAX_RESPONSE_BYTES),
            closed=f"the connection to {self.url} was closed; connect again",
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def do(
        self,
        name: str,
        given: Mapping[str, Any],
        *,
        place: Target,
        upload: bytes | Iterable[str] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        """Have the server do an operation and return what the façade's method returns."""
        operation = CATALOGUE[name]
        face = operation.face
        asked = operation.request.model_validate(face.ask(dict(given)) if face is not None else dict(given))
        response = await self._send(operation, asked, place=place, upload=upload)
        if operation.answers is Body.BYTES:
            return response.content if face is None else face.give(response.content)
        value = response.json()
        if operation.long:
            run = Run.model_validate(value)
            try:
                value = await self._outcome(run, place=place, on_progress=on_progress)
            except ServerUnreachable as error:
                raise _lost(error, operation) from error
        answer = TypeAdapter(operation.response).validate_python(value)
        return answer if face is None else face.give(answer)

    async def lines(self, name: str, given: Mapping[str, Any] | None = None, *, place: Target) -> AsyncIterator[str]:
        """Yield the lines of an operation that answers with lines; all that it asks stands in its address."""
        client = await self._client()
        address = self._address(CATALOGUE[name], given or {}, place)
        async with self._reaching(), client.stream("GET", address, headers=self._headers) as response:
            if not response.is_success:
                await response.aread()
                raise _failure(response)
            async for line in response.aiter_lines():
                _check_whole(line)
                yield line

    # ── one request ──────────────────────────────────────────────────────────

    async def _send(
        self, operation: Operation[Any, Any], asked: Model, *, place: Target, upload: bytes | Iterable[str] | None
    ) -> "httpx2.Response":
        """Send a request as its route wants it, with a key by which the server knows it when it comes again."""
        client = await self._client()
        headers, key = dict(self._headers), secrets.token_hex(16)
        if operation.keyed is not None:
            asked = operation.keyed(asked, key)
        elif operation.changes:
            headers["Idempotency-Key"] = key
        fields = to_jsonable_python(asked.model_dump(mode="json", exclude_unset=True))
        version = fields.pop(operation.version_field, None) if operation.version_field else None
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        address = self._address(operation, fields, place)
        own = {name: value for name, value in fields.items() if name not in operation.path_fields}
        sent: dict[str, Any] = {"params": _query(own)}
        if operation.reads is not Body.JSON:
            sent["content"] = upload if isinstance(upload, bytes) else _joined(upload or ())
            headers["Content-Type"] = _UPLOADED[operation.reads]
        elif operation.method in {"POST", "PUT"}:
            sent = {"json": own}

        async def send() -> "httpx2.Response":
            async with self._reaching():
                return await client.request(operation.method, address, headers=headers, **sent)

        # What is sent line by line is gone after the first attempt.
        attempts = _MAX_ATTEMPTS if operation.reads is Body.JSON or isinstance(upload, bytes) else 1
        try:
            return await self._retry(send, attempts=attempts)
        except ServerUnreachable as error:
            raise _lost(error, operation, key=headers.get("Idempotency-Key")) from error

    async def _retry(self, send: Send, *, attempts: int) -> "httpx2.Response":
        """Ask until there is an answer or the attempts are used up; one that was sent and lost decides what is told."""
        lost: ServerUnreachable | None = None
        for failures in range(1, attempts + 1):
            try:
                response = await send()
                if not response.is_success:
                    raise _failure(response)
                _check_readable(response)
            except (RateLimited, ServerUnreachable, errors.StoreBusy) as error:
                lost = error if isinstance(error, ServerUnreachable) and error.was_sent else lost
                if failures == attempts:
                    raise lost or error from error
                asked = getattr(error, "retry_after", 0.0)
                await self._sleep(max(asked, backoff(failures, base=0.2, cap=5.0, chance=self._chance())))
            else:
                return response
        raise AssertionError("unreachable")

    async def _outcome(self, run: Run, *, place: Target, on_progress: Callable[[Progress], None] | None) -> Any:
        """Follow long work to its end; whoever stops waiting cancels it."""
        client = await self._client()
        address = f"{self.url}/v1/orgs/{quote(place.org, safe='')}/runs/{run.run_id}"
        try:
            while run.state is RunState.RUNNING:
                async with (
                    self._reaching(),
                    client.stream("GET", f"{address}/events", headers=self._headers, timeout=None) as events,
                ):
                    if not events.is_success:
                        await events.aread()
                        raise _failure(events)
                    async for line in events.aiter_lines():
                        if line.startswith("data: "):
                            told = line.removeprefix("data: ")
                            _check_whole(told)
                            run = Run.model_validate(json.loads(told))
                            _tell(run.step, on_progress)
        except asyncio.CancelledError:
            # Shielded: the cancellation must not cut off the very request that tells the server of it.
            await asyncio.shield(client.delete(address, headers=self._headers))
            raise
        if run.state is RunState.DONE:
            return run.response
        if run.state is RunState.INTERRUPTED:
            raise ServerUnreachable(run.message or "the server ended before the work was done; start it again")
        if run.state is RunState.CANCELLED:
            raise BusyError("the work was cancelled before it was done")
        raise _ERRORS.get(run.error or "", RemanentError)(run.message or f"the work failed with {run.error}")

    def _address(self, operation: Operation[Any, Any], fields: Mapping[str, Any], place: Target) -> str:
        """Return where an operation is asked for: the place, then its own path with the fields that stand in it."""
        steps = [f"{name}s/{quote(getattr(place, name), safe='')}" for name in operation.level.names]
        path = operation.path.format_map({name: quote(str(value), safe="") for name, value in fields.items()})
        return "/".join((self.url, "v1", *steps, path))

    @asynccontextmanager
    async def _reaching(self) -> AsyncIterator[None]:
        """Raise our errors for those of the HTTP client, and tell whether the server may have done it all the same."""
        import httpx2

        try:
            yield
        except AnswerTooLarge as error:
            raise CallerError(f"{self.url} sent an answer that is too large: {error}") from error
        except httpx2.InvalidURL as error:
            raise InvalidSettings(f"{self.url} is not a URL that can be reached") from error
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            # Without a connection nothing was sent; in any other case the server may have got all of it.
            unsent = httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.UnsupportedProtocol
            message = f"{self.url} does not answer: {str(error) or type(error).__name__}"
            raise ServerUnreachable(message, was_sent=not isinstance(error, unsent)) from error


def _checked(url: str) -> str:
    """Return an address without its last slash, or refuse it: passwords in addresses end up in logs."""
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise InvalidSettings(f"{url!r} is not a server address; write it like http://127.0.0.1:8765")
    if parts.username is not None or parts.password is not None:
        raise InvalidSettings("an address must not contain a password; give the key as key=…")
    return url.strip().rstrip("/")


def _query(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return fields as they stand in an address; what is not set is left out."""
    given = ((name, one) for name, value in fields.items() for one in (value if isinstance(value, list) else [value]))
    return [
        (name, json.dumps(one) if isinstance(one, bool | dict) else str(one)) for name, one in given if one is not None
    ]


def _lost(error: ServerUnreachable, operation: Operation[Any, Any], *, key: str | None = None) -> RemanentError:
    """Return what to say of a request that got no answer: what was sent and changes something may have been done."""
    if not (error.was_sent and operation.changes):
        return error
    if operation.keyed is not None:
        safe = "messages with an `id` of their own are stored once, however often they are sent"
    elif key is not None:
        safe = f"if sent again with the header `Idempotency-Key: {key}`, it is not carried out twice"
    else:
        safe = "the work may still be going on there"
    return AnswerLost(
        f"{error}; {operation.name} may have been carried out: check before you send it again; {safe}",
        idempotency_key=key,
    )


def _check_readable(response: "httpx2.Response") -> None:
    """Refuse an answer that says it is JSON and is not: something between here and the server cut or replaced it."""
    if response.headers.get("content-type", "").startswith("application/json"):
        try:
            response.json()
        except ValueError as error:
            raise ServerUnreachable(f"{response.url} sent an answer that cannot be read", was_sent=True) from error


async def _joined(lines: Iterable[str]) -> AsyncIterator[bytes]:
    """Yield lines as they are sent: an import may be larger than memory."""
    for line in lines:
        yield line.encode() + b"\n"


def _tell(step: ProgressStep, on_progress: Callable[[Progress], None] | None) -> None:
    """Tell of a step in the form in which the library tells of it."""
    if on_progress is not None:
        pending = 0 if step.total is None else step.total - step.done
        on_progress(Progress(pending=pending, done=step.done, failed=0))


def _check_whole(line: str) -> None:
    """Raise the error that a line tells of, if it is the last one of an answer that was broken off."""
    if line.startswith(_BROKEN_OFF):
        name, detail = _told(line)
        raise _ERRORS.get(name, RemanentError)(detail)


def _told(problem: str) -> tuple[str, str]:
    """Return the name of an error and what it says."""
    body = json.loads(problem)
    return str(body["type"]).removeprefix(_PREFIX), str(body["detail"])


def _failure(response: "httpx2.Response") -> RemanentError:
    """Return the error that the library itself would have raised."""
    try:
        name, detail = _told(response.text)
    except (ValueError, KeyError, TypeError):
        # Who stands before the server and answers in its place does not know either.
        message = f"{response.url} answered {response.status_code}, but not like a Remanent server"
        return ServerUnreachable(message, was_sent=response.status_code >= 500)
    if response.status_code == 412:  # If-Match did not match: the record has changed since it was read
        return VersionConflict(detail)
    if name not in _ERRORS:
        message = f"the server refused the request with {response.status_code}: {detail}"
        return InvalidInput(message) if response.status_code < 500 else ServerUnreachable(message, was_sent=True)
    error = _ERRORS[name](detail)
    if isinstance(error, RateLimited):
        error.retry_after = retry_after(response.headers, now=system_clock()) or error.retry_after
    return error


class RemotePart:
    """What every generated class of the remote face begins with: the server, and whose memory is meant there."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope
        self._place = Target(org=scope.org, workspace=scope.workspace, agent=scope.agent)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope} on {self._connection.url}>"
