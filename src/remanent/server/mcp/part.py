"""MCP over HTTP: one address beside REST, with the same keys, names and limits."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from remanent.errors import InvalidInput
from remanent.model import Scope as Whose
from remanent.operations import Principal, Service
from remanent.server.door import Door
from remanent.server.limits import cost_of, declared, pieces, separators
from remanent.server.mcp.protocol import Context, Visitor, make_server
from remanent.server.places import NAMES, default_scope, place_of, scope_of
from remanent.server.shares import Shares

PATH = "/mcp"


class Mcp:
    """The MCP part of a server.

    Every request stands for itself and brings its own key: there is no session that another key could take over, none
    to expire, and any number of processes can serve the same clients.
    """

    def __init__(self, service: Service) -> None:
        settings = service.memory.settings
        self._service = service
        self._door = Door(service, settings.server)
        self._shares = Shares.of(service)
        self._settings = settings
        self._manager = StreamableHTTPSessionManager(
            make_server(service, visit=_visitor),
            stateless=True,
            # Host and Origin of every request were checked at the border.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=int(settings.server.max_body),
        )
        # It tells of every request; ours are counted and logged at the border.
        logging.getLogger("mcp").setLevel(logging.ERROR)

    def routes(self) -> list[BaseRoute]:
        """Return the one route."""
        return [Route(PATH, _Endpoint(self), methods=["GET", "POST", "DELETE"])]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be at work while this lasts."""
        async with self._manager.run():
            yield

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, after asking who sends it."""
        request = Request(scope, receive)
        request.state.route = PATH
        principal = self._door.principal(request)
        whose = self._whose(request, default=default_scope(self._settings, principal))
        request.state.visitor = Visitor(principal, place_of(whose))
        with self._shares.seat(whose.org):
            if request.method == "POST":
                receive = await self._checked(request, principal, org=whose.org)
            await self._manager.handle_request(scope, receive, send)

    async def _checked(self, request: Request, principal: Principal, *, org: str) -> Receive:
        """Return the body again, once it is here and known to hold no more values than any other may."""
        limits = self._settings.server
        self._door.charge(principal, cost=cost_of(declared(request)))
        data = b"".join([piece async for piece in pieces(request, limit=int(limits.max_body))])
        values = await self._shares.read(org, size=len(data), work=lambda: separators(data, most=limits.max_values))
        self._door.charge(principal, cost=cost_of(0 if declared(request) else len(data), values=values))
        if values >= limits.max_values:
            raise InvalidInput(f"the JSON holds more than {limits.max_values} values; send it in parts")
        body: list[Message] = [{"type": "http.request", "body": data, "more_body": False}]

        async def again() -> Message:
            return body.pop() if body else await request.receive()

        return again

    def _whose(self, request: Request, *, default: Whose) -> Whose:
        # Many clients let people set an address and nothing else.
        asked = {f"x-remanent-{name}": request.query_params[name] for name in NAMES if name in request.query_params}
        return scope_of({**asked, **request.headers}, default)


class _Endpoint:
    """An ASGI application; a function would be taken for something else by the router."""

    def __init__(self, part: Mcp) -> None:
        self._part = part

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._part.answer(scope, receive, send)


def _visitor(ctx: Context) -> Visitor:
    if ctx.request is None:
        raise RuntimeError("a request over HTTP has lost where it came from")
    visitor: Visitor = ctx.request.state.visitor
    return visitor
