"""The application: REST from the catalogue, health, metrics, documentation, and whatever other parts are put in.

A part (MCP, the proxy) brings its own routes and its own life; the application only mounts it behind the same
middleware, so that no interface can be reached without the checks that hold for all.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from remanent.bilingual import prefers_chinese
from remanent.operations import Service
from remanent.server import mcp
from remanent.server import telemetry as figures
from remanent.server.authentication import Authenticator
from remanent.server.documentation import about, openapi, page
from remanent.server.health import Warmup, readiness
from remanent.server.hosts import allowed_hosts, allowed_origins
from remanent.server.middleware import RequestMiddleware
from remanent.server.problems import Refusal
from remanent.server.rest import HANDLED_ERRORS, Rest, error_response
from remanent.server.telemetry import Tracer
from remanent.server.web.pages import Pages


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
        return HTMLResponse(page_of(chinese=_wants_chinese(request)), headers=_PAGE)

    async def root(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await web.shell(request)
        return PlainTextResponse(about("zh" if _wants_chinese(request) else "en"))

    addresses = {
        "/": root,
        "/livez": livez,
        "/readyz": readyz,
        "/metrics": metrics,
        "/openapi.json": described,
        "/docs": shown,
    }
    return [Route(path, _named(path, endpoint), methods=["GET"]) for path, endpoint in addresses.items()]


_PAGE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
}


def _named(path: str, endpoint: Any) -> Any:
    """Note the route's own path, under which the request is counted: an address as sent could name a tenant."""

    async def named(request: Request) -> Response:
        request.state.route = path
        answer: Response = await endpoint(request)
        return answer

    return named


def _wants_chinese(request: Request) -> bool:
    wanted = request.query_params.get("lang") or request.headers.get("accept-language", "")
    return prefers_chinese(wanted)


async def _refuse(request: Request, error: Exception) -> Response:
    return error_response(error, request)


async def _refuse_protocol(request: Request, error: Exception) -> Response:
    """Answer what routing refused in the one form of all errors."""
    status = getattr(error, "status_code", 404)
    told = {404: "there is no such address; /docs lists them", 405: "this address takes other methods"}
    if request.url.path == "/mcp" and not mcp.is_installed():
        told[404] = mcp.MISSING
    headers = dict(getattr(error, "headers", None) or {})
    return error_response(Refusal(status, told.get(status, "the request cannot be read"), headers), request)
