"""REST: every operation of the catalogue as a route.

A request is read from path, query, headers and body; who may is asked before anything is read. JSON types are taken at
their word: a number in quotes is a text. Operations that take long answer at once with a run, which has routes of its
own to be followed, fetched and cancelled.
"""

import time
import types
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, aclosing
from functools import cache, partial
from typing import Any, Union, get_args, get_origin
from urllib.parse import unquote

from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from remanent.errors import InvalidInput, RemanentError, VersionConflict
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.operations import Body, Level, Operation, Principal, Run, RunState, Service, Target
from remanent.server.authentication import Authenticator, default_scope, watch_of
from remanent.server.idempotency import IdempotencyStore, fingerprint, hashed_upload, key_of
from remanent.server.limits import (
    UPLOAD_DISCOUNT,
    OrgCapacity,
    body_chunks,
    body_cost,
    check_type,
    json_body,
)
from remanent.server.problems import Refusal, problem
from remanent.server.telemetry import Tracer
from remanent.settings import ServerSettings

_MAX_SCHEMA_DEPTH = 20
"""Levels that are checked; deeper JSON is refused before it comes here."""


@cache
def _schema(request: type[Model]) -> dict[str, Any]:
    return request.model_json_schema(mode="validation")


def _check_types(request: type[Model], body: Mapping[str, Any]) -> None:
    """Refuse values of another JSON type than the request's schema names; everything else is left to the request."""
    schema = _schema(request)
    for name, value in body.items():
        expected = schema.get("properties", {}).get(name)
        if expected is not None and not _fits(expected, value, schema.get("$defs", {}), _MAX_SCHEMA_DEPTH):
            raise InvalidInput(f"{name}: the value has the wrong type")


def _fits(schema: Any, value: Any, definitions: Mapping[str, Any], depth: int) -> bool:
    """Tell whether a value has the JSON type that a schema names; limits and patterns are the request's own.

    Pydantic would take "3" for a number and 1 for true; whoever sends JSON means the types that they send, and a
    mistake that is mended here unseen comes back as a wrong answer later.
    """
    if not isinstance(schema, dict) or depth == 0:
        return True
    if "$ref" in schema:
        return _fits(definitions[schema["$ref"].rpartition("/")[2]], value, definitions, depth - 1)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return any(_fits(option, value, definitions, depth - 1) for option in options)
    if "type" in schema and not _is(schema["type"], value):
        return False
    if isinstance(value, list):
        return all(_fits(schema.get("items"), one, definitions, depth - 1) for one in value)
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        return all(_fits(known.get(name, others), one, definitions, depth - 1) for name, one in value.items())
    return True


def _is(kind: str, value: Any) -> bool:
    """Whether a value is of one JSON type; a whole number may be written as 1.0, and a truth value is no number."""
    if kind == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    types = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    return isinstance(value, types[kind])


_IF_MATCH = "if-match"
LINES = "application/x-ndjson"
_TRIPLES = "application/n-triples"
BYTES = "application/octet-stream"


def takes_body(operation: Operation[Any, Any]) -> bool:
    """Return whether the request's fields are sent as JSON."""
    return operation.reads is Body.JSON and operation.method in {"POST", "PUT"}


def upload_types(operation: Operation[Any, Any]) -> tuple[str, ...]:
    """Return the types that what is sent beside the request's fields may have; a form can send none of them."""
    return {Body.JSON: (), Body.LINES: (LINES, _TRIPLES), Body.BYTES: (BYTES,)}[operation.reads]


def own_fields(operation: Operation[Any, Any]) -> list[str]:
    """Return the fields that stand neither in the path nor in a header."""
    apart = {*operation.path_fields, operation.version_field}
    return [name for name in operation.request.model_fields if name not in apart]


def _is_list(operation: Operation[Any, Any], name: str) -> bool:
    """Return whether a field takes several values."""
    annotation = operation.request.model_fields[name].annotation
    options = get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else (annotation,)
    return any(get_origin(option) is tuple for option in options)


def _from_query(operation: Operation[Any, Any], request: Request) -> Model:
    """Read a request whose fields are in the address.

    There all values are texts, so that they are read leniently; a parameter that is not known is refused all the same,
    because a filter that is misspelt would answer with everything.
    """
    values: dict[str, Any] = {name: request.path_params[name] for name in operation.path_fields}
    for name in dict.fromkeys(request.query_params.keys()):
        given = request.query_params.getlist(name)
        if name not in own_fields(operation):
            raise InvalidInput(f"there is no parameter {name!a}")
        if _is_list(operation, name):
            values[name] = tuple(given)
        elif len(given) == 1:
            values[name] = given[0]
        else:
            raise InvalidInput(f"{name} is given {len(given)} times")
    read: Model = operation.request.model_validate_strings({**values, **_expected(operation, request)})
    return read


def _from_json(operation: Operation[Any, Any], request: Request, body: dict[str, Any]) -> Model:
    """Read a request whose fields are in the body; types are taken at their word there."""
    if request.query_params:
        raise InvalidInput("this address takes no query parameters; send them in the body")
    apart = {name for name in (*operation.path_fields, operation.version_field) if name is not None and name in body}
    if apart:
        raise InvalidInput(f"{', '.join(sorted(apart))} must not be in the body")
    _check_types(operation.request, body)
    path = {name: request.path_params[name] for name in operation.path_fields}
    expected = {name: int(value) for name, value in _expected(operation, request).items()}
    read: Model = operation.request.model_validate({**body, **path, **expected})
    return read


def _expected(operation: Operation[Any, Any], request: Request) -> dict[str, str]:
    """Return the version that If-Match names; a change that cannot be held to one is refused, not made all the same."""
    given = request.headers.get(_IF_MATCH)
    if given is None or given.strip() == "*":
        return {}
    if operation.version_field is None:
        if operation.changes:
            raise InvalidInput(
                "If-Match is not supported here, because there is no version to compare; nothing was changed"
            )
        return {}
    tag = given.strip().removeprefix('"').removesuffix('"')
    # A tag that is none of ours names a version that nothing has; whether the thing itself exists is asked first.
    is_ours = tag.isascii() and tag.isdigit() and 0 < len(tag) < 16 and int(tag) > 0
    return {operation.version_field: str(int(tag)) if is_ours else str(2**53)}


def _address(level: Level) -> str:
    return "/v1" + "".join(f"/{name}s/{{{name}}}" for name in level.names)


RUNS = f"{_address(Level.ORG)}/runs"
EVENTS = "text/event-stream"

Endpoint = Callable[[Request], Awaitable[Response]]

_SLASH = "\0"
"""What stands for a slash within a step while routes are compared; no name has it."""


class _StepRoute(Route):
    """A route of which a step may hold a slash, as the names of documents in subfolders do (sub%2Fnotes.md).

    A server gives the path with all signs decoded, in which such a slash is no longer told from one between steps.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], *, methods: list[str]) -> None:
        super().__init__(path, endpoint, methods=methods)
        self._slashes = path.count("/")
        last = path.rpartition("/")[2]
        self._ending = b"" if last.startswith("{") else f"/{last}".encode()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Compare the steps of the path as they were sent."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        # There are more than a hundred routes, and a look at each with a regular expression took a request .2 ms.
        if raw.count(b"/") != self._slashes or not (b"%" in raw or raw.endswith(self._ending)):
            return Match.NONE, {}
        if b"%2f" not in raw.lower():
            return super().matches(scope)
        steps = (unquote(step).replace("/", _SLASH) for step in raw.decode("latin-1").split("/"))
        match, found = super().matches({**scope, "path": "/".join(steps)})
        if match is Match.NONE:
            return match, found
        params = {name: str(value) for name, value in found["path_params"].items()}
        if any(_SLASH in params.get(name, "") for name in Level.AGENT.names):
            return Match.NONE, {}  # no place is called so
        found = {**found, "path_params": {name: value.replace(_SLASH, "/") for name, value in params.items()}}
        return match, found


def address_of(operation: Operation[Any, Any]) -> str:
    """Return the whole path of an operation's route."""
    return f"{_address(operation.level)}/{operation.path}"


@dataclass(frozen=True, slots=True)
class RestCall:
    """One request to an operation, by somebody who may ask for it."""

    operation: Operation[Any, Any]
    request: Request
    place: Target
    principal: Principal

    @property
    def key(self) -> str | None:
        """The idempotency key under which it is done once only, if the caller gave one and it changes anything."""
        given = key_of(self.request)
        return given if self.operation.changes else None


class Rest:
    """The REST interface of one service."""

    def __init__(self, service: Service, settings: ServerSettings, *, tracer: Tracer) -> None:
        self._service = service
        self._settings = settings
        self._tracer = tracer
        self._authenticator = Authenticator(service, settings)
        self._capacity = OrgCapacity.of(service)
        self._replays = IdempotencyStore(service, timer=time.monotonic)
        self._answers = {name: TypeAdapter(operation.response) for name, operation in service.catalogue.items()}

    def routes(self) -> list[BaseRoute]:
        """Return a route for each address; the methods of one address share it."""
        at: dict[str, dict[str, Endpoint]] = defaultdict(dict)
        for operation in self._service.catalogue.values():
            at[address_of(operation)][operation.method] = self._endpoint(operation)
        at[RUNS]["GET"] = self._list_runs
        runs = self._service.runs
        at[f"{RUNS}/{{run_id}}"] |= {"GET": partial(self._run, runs.get), "DELETE": partial(self._run, runs.cancel)}
        at[f"{RUNS}/{{run_id}}/events"]["GET"] = self._follow_run
        # A word before a place for any word: else `memories/{record_id}` would answer for `memories/health`.
        ordered = sorted(at.items(), key=lambda one: [part.startswith("{") for part in one[0].split("/")])
        return [_StepRoute(path, self._dispatch(path, methods), methods=list(methods)) for path, methods in ordered]

    # ── one request ──────────────────────────────────────────────────────────

    def _dispatch(self, path: str, methods: Mapping[str, Endpoint]) -> Endpoint:
        """Return the endpoint of one address, which picks that of the method."""

        async def dispatch(request: Request) -> Response:
            """Find the operation by its method: an operation is a method and a path, and a route only a path."""
            request.state.route = path
            # Starlette answers HEAD where there is a GET.
            endpoint = methods.get(request.method) or methods["GET"]
            try:
                return await endpoint(request)
            except VersionConflict as error:
                if _IF_MATCH in request.headers:
                    raise Refusal(412, str(error)) from error
                raise

        return dispatch

    def _endpoint(self, operation: Operation[Any, Any]) -> Endpoint:
        """Return the endpoint of an operation.

        The order matters: who asks and whether they may is settled before a byte of the body is read, so that strangers
        can neither learn what exists nor make the server work.
        """

        async def endpoint(request: Request) -> Response:
            """Do one operation: who asks and whether they may, before anything else is said or read."""
            principal = await self._authenticator.principal(request)
            names = {
                name: request.path_params[name] for name in ("org", "workspace", "agent") if name in request.path_params
            }
            # What names no place is done for the organisation of the key.
            place = (
                Target(**names) if names else Target(org=default_scope(self._service.memory.settings, principal).org)
            )
            # Before anything is read of what lies there, and before anything is said of what was sent.
            await self._service.admit(operation, None, place=place, principal=principal)
            key_of(request)
            call = RestCall(operation, request, place, principal)
            with self._capacity.request_slot(place.org):
                if operation.reads is not Body.JSON:
                    # No turn is taken: a file comes as fast as its client sends it, and is read in threads.
                    return await self._upload(call)
                asked = await self._asked(call)
                async with self._capacity.work_slot(place.org):
                    await watch_of(request).check()  # a body may take its time to come
                    return await self._keyed(call, asked)

        return endpoint

    async def _asked(self, call: RestCall) -> Model:
        """Return the operation's request, from the query or from the body."""
        if not takes_body(call.operation):
            return _from_query(call.operation, call.request)
        limits, request, org = self._settings, call.request, call.place.org
        charge = partial(self._authenticator.charge, call.principal)
        async with self._capacity.body(org, request, limit=int(limits.max_body), charge=charge) as data:
            content = json_body(request, data, depth=limits.max_depth, values=limits.max_values)
            try:
                return await self._capacity.parse(
                    org, size=len(data), work=lambda: _from_json(call.operation, request, content.read())
                )
            finally:  # what is refused took its time, too
                charge(body_cost(0, values=content.count))

    async def _keyed(self, call: RestCall, asked: Model) -> Response:
        """Do the operation, once only where the caller gave an idempotency key.

        Answers with secrets are not written down; those of a whole workspace neither, because no single agent's erasure
        would remove them.
        """
        operation, key = call.operation, call.key
        if key is None:
            return await self._do(call, asked)
        if operation.keyed is not None:
            asked = operation.keyed(asked, f"{call.principal.name} {key}")
        return await self._replays.once(
            key,
            who=call.principal.name,
            place=call.place,
            fingerprint=fingerprint(call.request, asked.to_json().encode()),
            answer=lambda: self._do(call, asked, key=key),
            is_told=not operation.secret and operation.level is not Level.WORKSPACE,
            is_made_anew=operation.secret,
        )

    async def _do(self, call: RestCall, asked: Model, **more: Any) -> Response:
        """Do the operation and answer in its own way: with a run to follow, with lines, or with one JSON value."""
        operation = call.operation
        by: dict[str, Any] = {"place": call.place, "principal": call.principal}
        with self._tracer.operation(operation.name, agent=call.place.agent, act=operation.act):
            if operation.long:
                run = await self._service.start(operation.name, asked, **by)
                where = f"{RUNS}/{run.run_id}".replace("{org}", call.request.path_params["org"])
                return _json(run, status=202, headers={"Location": where})
            if operation.answers is Body.LINES:
                lines = await self._service.stream(operation.name, asked, **by)
                return await _stream(lines, call.request, seat=self._capacity.request_slot(call.place.org))
            answer = await self._service.perform(operation.name, asked, **by, **more)
        return self._respond(operation, call.request, answer)

    async def _upload(self, call: RestCall) -> Response:
        """Do an operation that takes a file or lines beside its fields."""
        check_type(call.request, *upload_types(call.operation))
        asked = _from_query(call.operation, call.request)
        upload = self._counted(call, body_chunks(call.request, limit=int(self._settings.max_upload)))
        if call.key is None:
            return await self._do(call, asked, upload=upload)
        # A key must be held against what comes with it before anything is done: it waits in a file.
        async with hashed_upload(upload) as (digest, content):
            return await self._replays.once(
                call.key,
                who=call.principal.name,
                place=call.place,
                fingerprint=fingerprint(call.request, asked.to_json().encode() + digest),
                answer=lambda: self._do(call, asked, upload=content),
            )

    async def _counted(self, call: RestCall, coming: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield an upload while its key holds, and charge it to that at its end: its size need not be known before."""
        size, watch = 0, watch_of(call.request)
        try:
            async for piece in coming:
                size += len(piece)
                await watch.check()
                yield piece
            await watch.check()
        finally:
            self._authenticator.charge(call.principal, body_cost(size // UPLOAD_DISCOUNT))

    def _respond(self, operation: Operation[Any, Any], request: Request, answer: Any) -> Response:
        """Return the answer; one with a version carries it as ETag, for conditional requests."""
        if operation.answers is Body.BYTES:
            return Response(answer, media_type=BYTES)
        headers = {}
        version = getattr(answer, "version", None)
        if isinstance(version, int):
            headers["ETag"] = f'"{version}"'
            if request.method == "GET" and request.headers.get("if-none-match") == headers["ETag"]:
                return Response(status_code=304, headers=headers)
        content = self._answers[operation.name].dump_json(answer)
        return Response(content, media_type="application/json", headers=headers)

    # ── long work ────────────────────────────────────────────────────────────

    async def _list_runs(self, request: Request) -> Response:
        principal, org = await self._at_runs(request)
        return _json({"items": await self._service.runs.list(principal=principal, org=org), "next": None})

    async def _run(self, work: Callable[..., Awaitable[Run]], request: Request) -> Response:
        """Fetch or cancel one run."""
        principal, org = await self._at_runs(request)
        return _json(await work(request.path_params["run_id"], principal=principal, org=org))

    async def _follow_run(self, request: Request) -> Response:
        """Answer with events until the run ends, at most for so long, and while the key holds."""
        principal, org = await self._at_runs(request)
        run_id = request.path_params["run_id"]
        await self._service.runs.get(run_id, principal=principal, org=org)
        runs = self._service.runs.follow(run_id, principal=principal, org=org)
        events = _events(runs, request, longest=self._settings.stream_timeout)
        return _Stream(events, seat=self._capacity.request_slot(org), media_type=EVENTS)

    async def _at_runs(self, request: Request) -> tuple[Principal, str]:
        principal = await self._authenticator.principal(request)
        return principal, Target(org=request.path_params["org"]).org


def _json(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(to_json(value), status_code=status, media_type="application/json", headers=dict(headers or {}))


class _Stream(StreamingResponse):
    """An answer that lasts as long as somebody listens, and counts as a request under way all the while."""

    def __init__(self, content: AsyncIterator[bytes], *, seat: AbstractContextManager[None], media_type: str) -> None:
        super().__init__(content, media_type=media_type)
        self._seat = seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or be refused before the first byte."""
        with self._seat:
            await super().__call__(scope, receive, send)


async def _events(runs: AsyncIterator[Run], request: Request, *, longest: float) -> AsyncIterator[bytes]:
    """Yield server-sent events: `progress` while it runs, then one named for how it ended; at most for so long.

    What keeps it from going on, such as a key that was revoked, is told in a last one, `error`.
    """
    try:
        async for run in watch_of(request).watched(runs, longest=longest):
            name = "progress" if run.state is RunState.RUNNING else run.state.value
            yield b"event: " + name.encode() + b"\ndata: " + to_json(run) + b"\n\n"
    except RemanentError as error:
        yield b"event: error\ndata: " + bytes(error_response(error, request).body) + b"\n\n"


async def _stream(
    lines: AsyncGenerator[str, None], request: Request, *, seat: AbstractContextManager[None]
) -> Response:
    """Answer with lines; what fails before the first of them is still a proper error.

    What fails later, and a key that no longer holds, is told in a last line before the answer is broken off, so that
    nobody takes it for whole.
    """
    first, watch = await anext(lines, None), watch_of(request)

    async def content() -> AsyncIterator[bytes]:
        async with aclosing(lines):
            if first is not None:
                yield first.encode() + b"\n"
            try:
                async for line in lines:
                    await watch.check()
                    yield line.encode() + b"\n"
            except RemanentError as error:
                yield bytes(error_response(error, request).body) + b"\n"
                raise

    return _Stream(content(), seat=seat, media_type=LINES)


def error_response(error: Exception, request: Request) -> Response:
    """Return the answer to what was refused."""
    languages = request.headers.get("accept-language", "")
    return problem(error, request_id=getattr(request.state, "request_id", ""), languages=languages)


HANDLED_ERRORS: tuple[type[Exception], ...] = (Refusal, RemanentError)
