"""The application: REST from the catalogue, health, metrics, documentation, and whatever other parts are put in.

A part (MCP, the proxy) brings its own routes and its own life; the application only mounts it behind the same
middleware, so that no interface can be reached without the checks that hold for all.

At its border every request gets an id, is counted and logged, and every fault becomes an answer. What a browser could
be lured into sending is refused there, before any route is looked for: requests for another name, from a page of
another origin, or of a type that a form can send.
"""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanent.errors import RemanentError
from remanent.operations import Service
from remanent.server import mcp
from remanent.server import telemetry as figures
from remanent.server.authentication import Authenticator
from remanent.server.connections import RESERVE
from remanent.server.documentation import about, openapi, page
from remanent.server.hosts import SameOrigin, allowed_hosts, allowed_origins, header_values, read_authority
from remanent.server.limits import Pace, check_not_simple
from remanent.server.pages import Pages, counted_as, wants_chinese
from remanent.server.problems import Refusal, log_failure, problem, traceback_lines
from remanent.server.rest import HANDLED_ERRORS, Rest, error_response
from remanent.server.telemetry import Metrics, Tracer, Warmup, readiness


class ServerPart(Protocol):
    """An interface that the server offers beside REST: MCP, the proxy, the pages."""

    def routes(self) -> list[BaseRoute]:
        """Return the routes to add."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Be at work while this lasts."""


def create_app(service: Service, *, parts: Sequence[ServerPart] = (), warming: Warmup | None = None) -> ASGIApp:
    """Return the ASGI application of a service; `parts` are started and stopped by whoever serves it."""
    settings = service.memory.settings.server
    tracer = Tracer()
    counted = figures.Metrics()
    rest = Rest(service, settings, tracer=tracer)
    app = Starlette()
    app.router.redirect_slashes = False
    app.router.routes.extend(rest.routes())
    pages = Pages(service)
    app.router.routes.extend(_own(service, counted, warming, pages))
    app.router.routes.extend(pages.routes())
    for part in parts:
        app.router.routes.extend(part.routes())
    for kind in HANDLED_ERRORS:
        app.add_exception_handler(kind, _refuse)
    app.add_exception_handler(HTTPException, _refuse_protocol)
    return RequestMiddleware(
        app,
        hosts=allowed_hosts(settings),
        origins=allowed_origins(settings),
        most=settings.max_requests,
        metrics=counted,
        tracer=tracer,
    )


def _own(service: Service, counted: figures.Metrics, warming: Warmup | None, web: Pages) -> list[BaseRoute]:
    """Return the routes that are about the server itself; they name nobody, and all but the figures need no key."""
    authenticator = Authenticator(service, service.memory.settings.server)

    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        oldest = service.memory.settings.server.ready_queue_age
        found = await readiness(service.memory, oldest=oldest, audit=service.audit, warming=warming)
        return Response(found.to_json(), status_code=200 if found.ready else 503, media_type="application/json")

    async def metrics(request: Request) -> Response:
        """Tell the figures in Prometheus' form, to whoever may see those of the whole server."""
        await authenticator.operator(request)
        states = await service.memory.backlog(limit=1000)
        text = counted.text(
            jobs_pending=sum(state.pending for state in states),
            jobs_running=sum(state.running for state in states),
            jobs_dead=sum(state.dead for state in states),
            agents_in_use=len(states),
            usage=service.memory.usage(),
        )
        return PlainTextResponse(text, media_type=figures.MEDIA_TYPE)

    # Anybody may ask for these, and writing them takes half a second: once, beside the loop, and when first asked for.
    writing = asyncio.Lock()

    @cache
    def description() -> bytes:
        return bytes(JSONResponse(openapi(service.catalogue)).body)

    @cache
    def page_of(*, chinese: bool) -> str:
        return page(service.catalogue, chinese=chinese)

    async def described(_: Request) -> Response:
        async with writing:
            return Response(await asyncio.to_thread(description), media_type="application/json")

    async def shown(request: Request) -> Response:
        return HTMLResponse(page_of(chinese=wants_chinese(request)), headers=_PAGE)

    async def root(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await web.shell(request)
        return PlainTextResponse(about("zh" if wants_chinese(request) else "en"))

    addresses = {
        "/": root,
        "/livez": livez,
        "/readyz": readyz,
        "/metrics": metrics,
        "/openapi.json": described,
        "/docs": shown,
    }
    return [Route(path, counted_as(path, endpoint), methods=["GET"]) for path, endpoint in addresses.items()]


_PAGE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
}


async def _refuse(request: Request, error: Exception) -> Response:
    return error_response(error, request)


async def _refuse_protocol(request: Request, error: Exception) -> Response:
    """Answer what routing refused in the one form of all errors."""
    status = getattr(error, "status_code", 404)
    told = {404: "there is no such address; /docs lists them", 405: "this address does not accept this method"}
    if request.url.path.endswith("/remember"):  # as the library and the command line call it
        told[404] = "there is no such address: to remember something, use POST …/entries; /docs lists all addresses"
    if request.url.path == "/mcp" and not mcp.is_installed():
        told[404] = mcp.MISSING
    headers = dict(getattr(error, "headers", None) or {})
    return error_response(Refusal(status, told.get(status, "the request cannot be read"), headers), request)


_REQUEST_ID = "x-request-id"
_SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)

_HEALTH = frozenset({"/livez", "/readyz", "/metrics"})
"""Answered however many requests are under way."""

_access = logging.getLogger("remanent.server.access")


class RequestMiddleware:
    """Wraps the whole application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        origins: frozenset[str],
        most: int,
        metrics: Metrics,
        tracer: Tracer,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._same_origin = SameOrigin(origins)
        self._most = most
        self._metrics = metrics
        self._tracer = tracer
        self._pace = Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        sent: list[int] = []

        async def note(message: Message) -> None:
            """Note the status that goes out, and add the headers that every answer carries."""
            if message["type"] == "http.response.start":
                if message["status"] == 429:
                    await self._pause(scope)
                sent.append(message["status"])
                headers = list(message.get("headers", ()))
                # A model behind the proxy has an id of its own, by which its provider finds the request.
                if not any(name == _REQUEST_ID.encode() for name, _ in headers):
                    headers.append((_REQUEST_ID.encode(), request_id.encode()))
                message["headers"] = [*headers, *_SECURITY_HEADERS]
            await send(message)

        self._metrics.under_way += 1
        try:
            with self._tracer.request(scope):
                await self._answer(scope, receive, note, request_id=request_id, sent=sent)
        finally:
            self._metrics.under_way -= 1
            self._tell(scope, status=sent[0] if sent else 499, seconds=time.perf_counter() - begun)

    async def _pause(self, scope: Scope) -> None:
        """Let whoever is refused again and again wait for it; meanwhile its connection makes room for others."""
        client = scope.get("client") or ("", 0)
        seconds = self._pace.pause(scope["state"].get("payer") or client[0])
        if not seconds:
            return
        ended = scope["state"].get("yields", asyncio.get_running_loop().create_future)()
        self._metrics.under_way -= 1
        try:
            await asyncio.wait([ended], timeout=seconds)
        finally:
            self._metrics.under_way += 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send, *, request_id: str, sent: list[int]) -> None:
        """Hand the request on, and turn whatever is raised into an answer as long as none was begun."""
        languages = next(iter(header_values(scope["headers"], b"accept-language")), "")
        try:
            self._check(scope)
            await self._app(scope, receive, send)
        except (Refusal, RemanentError) as error:
            if sent:
                raise
            await problem(error, request_id=request_id, languages=languages)(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the outermost border: a defect is an answer and a line in the log
            if sent:
                log_failure(error, request_id=request_id)
            else:
                await problem(error, request_id=request_id, languages=languages)(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        """Refuse what no route shall see."""
        named = header_values(scope["headers"], b"host")
        host = read_authority(named[0]) if len(named) == 1 else None
        if host is None:
            raise Refusal(400, "send exactly one Host header: a name or an address, with a port if needed")
        if host.name not in self._hosts:
            raise Refusal(
                421, "this server does not answer to that name; add the name to `server.allowed_hosts` to allow it"
            )
        self._same_origin.check(scope, host)
        if all(header_values(scope["headers"], name) for name in (b"content-length", b"transfer-encoding")):
            # A proxy in front may go by the other of the two, and take the rest for somebody else's request.
            raise Refusal(400, "send Content-Length or Transfer-Encoding, not both", {"Connection": "close"})
        check_not_simple(scope)
        if scope["path"] in _HEALTH:
            return
        if self._metrics.under_way > self._most + RESERVE:
            raise Refusal(503, "too many requests are in progress", {"Retry-After": "1"})
        if self._metrics.under_way > self._most:
            scope["state"]["reserve"] = True  # the door lets administrators in

    def _tell(self, scope: Scope, *, status: int, seconds: float) -> None:
        """Count the request and log it: by its route and who sent it, never by its address or its words."""
        route = scope.get("state", {}).get("route", "other")
        self._metrics.count(route, scope["method"], status, seconds)
        if _access.isEnabledFor(logging.INFO):
            _access.info(
                "request",
                extra={
                    "fields": {
                        "request_id": scope["state"]["request_id"],
                        "method": scope["method"],
                        "route": route,
                        "status": status,
                        "ms": round(1000 * seconds, 1),
                        "who": scope["state"].get("who", ""),
                    }
                },
            )


class JsonLines(logging.Formatter):
    """Writes log records as JSON lines; what people said is in none of them."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "from": record.name,
            "says": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line |= {"error": type(record.exc_info[1]).__name__, "where": traceback_lines(record.exc_info[1])}
        return json.dumps(line, ensure_ascii=False)
