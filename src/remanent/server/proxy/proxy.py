"""The OpenAI-compatible proxy: any agent gets a memory by changing its base URL."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Send
from starlette.types import Scope as Connection

from remanent.context.spool import FOLDER
from remanent.errors import NotFound, RemanentError
from remanent.model import Clock, NewId, Scope, id_source, system_clock
from remanent.operations import Principal, Service
from remanent.operations.access.keys import PREFIX
from remanent.server.door import Door
from remanent.server.limits import JSON, check_type, cost_of, declared, pieces
from remanent.server.places import default_scope, place_of, scope_of
from remanent.server.problems import Refusal
from remanent.server.proxy.answers import Answer
from remanent.server.proxy.body import ChatBody, Unreadable, read_body
from remanent.server.proxy.conversation import Conversation
from remanent.server.proxy.exchange import Exchange
from remanent.server.proxy.keeping import REMEMBER, Keeper, Kept
from remanent.server.proxy.refusals import refusal
from remanent.server.proxy.relay import Keep, Relay, while_connected
from remanent.server.proxy.reminding import Reminder, Reminding
from remanent.server.proxy.spool import Spool
from remanent.server.proxy.upstream import Headers, Upstream
from remanent.server.shares import Shares
from remanent.server.telemetry import SEARCH, Tracer
from remanent.text.tokens import token_counter

_PLAIN = "-_.:@+=~ /#,()"
"""What scope names hold beside letters and digits, and a header can hold as it is."""

VALUES_OF_A_MESSAGE = 3
"""What a message counts as where values of JSON are counted: itself, its role and its content."""

_READ, _WRITE = "recall", REMEMBER
"""The operations whose permissions a chat needs."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks, and whose memory they mean."""

    principal: Principal
    scope: Scope


class Proxy:
    """Recalls, injects, passes on, journals; a fault of memory never breaks the chat."""

    def __init__(
        self,
        service: Service,
        *,
        clock: Clock = system_clock,
        new_id: NewId | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        memory = service.memory
        settings = memory.settings.proxy
        self._service = service
        self._memory = memory
        self._settings = settings
        self._door = Door(service, memory.settings.server)
        self._shares = Shares.of(service)
        self._tracer = tracer or Tracer()
        self._clock = clock
        self._upstream = Upstream(settings)
        self._reminding = Reminding(
            memory, limit=settings.limit, budget=settings.budget, timeout=settings.recall_timeout, clock=clock
        )
        spool = Spool(memory.settings.home / FOLDER, new_id=new_id or id_source(clock))
        self.keeper = Keeper(service, spool, timeout=settings.keep_timeout)

    def routes(self) -> list[BaseRoute]:
        """Return the routes to mount."""
        addresses = {
            "/v1/chat/completions": ("POST", self._chat),
            "/v1/embeddings": ("POST", self._embeddings),
            "/v1/models": ("GET", self._models),
            "/v1/models/{model:path}": ("GET", self._models),
        }
        return [
            Route(path, _Endpoint(path, handler), methods=[method]) for path, (method, handler) in addresses.items()
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be at work while this lasts; at the end, turns under way are finished and connections closed."""
        # The first count of tokens reads tables for half a second; no chat shall wait for that.
        warming = asyncio.create_task(asyncio.to_thread(token_counter))
        try:
            async with self.keeper.running():
                yield
        finally:
            await asyncio.gather(warming, return_exceptions=True)
            await self._upstream.close()

    # ── what is asked ────────────────────────────────────────────────────────

    async def _chat(self, request: Request, send: Send) -> None:
        visitor = await self._visitor(request, _READ, _WRITE)
        self._door.charge(visitor.principal, cost=cost_of(declared(request)))
        with self._shares.seat(visitor.scope.org):
            data = b""
            try:
                async with self._shares.room(visitor.scope.org, request):
                    data = await self._read(request, visitor)
                    body, conversation = await self._understood(data, visitor)
            except Unreadable:
                # Whatever it is, the model's API has its own words for what is wrong with it.
                await while_connected(request.receive, self._pass_on(request, send, "chat/completions", data))
                return
            if visitor.scope.session is None:
                visitor = replace(visitor, scope=visitor.scope.within(session=conversation.session))
            await while_connected(request.receive, self._talk(request, send, visitor, body, conversation))

    async def _embeddings(self, request: Request, send: Send) -> None:
        visitor = await self._visitor(request, _READ)
        self._door.charge(visitor.principal, cost=cost_of(declared(request)))
        with self._shares.seat(visitor.scope.org):
            data = await self._read(request, visitor)
            await while_connected(request.receive, self._pass_on(request, send, "embeddings", data))

    async def _models(self, request: Request, send: Send) -> None:
        visitor = await self._visitor(request, _READ)
        name = request.path_params.get("model")
        if name is not None and {"", ".", ".."} & set(name.split("/")):
            raise NotFound("there is no such model")  # and no way out of the models
        path = "models" if name is None else f"models/{quote(name)}"
        with self._shares.seat(visitor.scope.org):
            await while_connected(request.receive, self._pass_on(request, send, path, None))

    # ── how it is answered ───────────────────────────────────────────────────

    async def _talk(
        self, request: Request, send: Send, visitor: Visitor, body: ChatBody, conversation: Conversation
    ) -> None:
        scope = visitor.scope
        with self._tracer.operation("recall", agent=scope.agent, act=SEARCH):
            reminder = await self._reminding.remind(scope, conversation)
        exchange = Exchange(scope, conversation, who=visitor.principal.name, memory=self._memory, clock=self._clock)
        relay = Relay(send, headers=_told(scope, reminder), is_degraded=reminder.is_degraded)
        asked = _reminded(body, conversation, reminder)
        asking = self._upstream.ask(
            "POST", "chat/completions", query=request.url.query, headers=request.headers.raw, body=asked
        )
        try:
            with self._tracer.chat(agent=scope.agent, host=urlsplit(self._settings.base_url or "").hostname or ""):
                async with asking as reply:
                    if not reply.is_success:
                        await relay.pass_on(reply)
                    elif reply.is_stream:
                        await relay.stream(reply, keep=self._keeping(exchange))
                    else:
                        await relay.whole(reply, keep=self._keeping(exchange), longest=self._settings.max_answer)
        finally:
            exchange.abandon()

    def _keeping(self, exchange: Exchange) -> Keep:
        """Return what keeps an exchange, once however often it is called."""
        kept: Kept | None = None

        async def keep(answer: Answer, obstacle: str | None) -> bool:
            nonlocal kept
            if kept is None:
                kept = Kept.LOST  # until it is known; a second call must not begin again
                kept = await self.keeper.keep(exchange.turn(answer, cut_by=obstacle))
            return kept is Kept.STORED

        return keep

    async def _pass_on(self, request: Request, send: Send, path: str, body: bytes | None) -> None:
        async with self._upstream.ask(
            request.method, path, query=request.url.query, headers=request.headers.raw, body=body
        ) as reply:
            await Relay(send, headers=[]).pass_on(reply)

    # ── who asks ─────────────────────────────────────────────────────────────

    async def _visitor(self, request: Request, *needed: str) -> Visitor:
        principal = self._door.principal(request, key=self._key)
        scope = scope_of(request.headers, default_scope(self._memory.settings, principal))
        for name in needed:
            operation = self._service.catalogue[name]
            await self._service.admit(operation, None, place=place_of(scope), principal=principal)
        return Visitor(principal, scope)

    @staticmethod
    def _key(request: Request) -> str | None:
        """Return our own key: from its own header, or where the model's key usually stands if it is one of ours."""
        given = request.headers.get("x-remanent-key")
        bearer = request.headers.get("authorization", "").partition(" ")[2].strip()
        return given or (bearer if bearer.startswith(f"{PREFIX}_") else None)

    async def _read(self, request: Request, visitor: Visitor) -> bytes:
        check_type(request, JSON)
        data = b"".join([piece async for piece in pieces(request, limit=int(self._settings.max_request))])
        self._door.charge(visitor.principal, cost=cost_of(0 if declared(request) else len(data)))
        return data

    async def _understood(self, data: bytes, visitor: Visitor) -> tuple[ChatBody, Conversation]:
        """Return what memory needs of a chat; all of it is worked out here, where a large one keeps nobody waiting."""
        most = self._memory.settings.server.max_values

        def understand() -> tuple[ChatBody, Conversation]:
            body = read_body(data, values=most)
            conversation = Conversation(body.messages)
            conversation.work_out()
            return body, conversation

        body, conversation = await self._shares.read(visitor.scope.org, size=len(data), work=understand)
        self._door.charge(visitor.principal, cost=cost_of(0, values=VALUES_OF_A_MESSAGE * len(body.messages)))
        return body, conversation


class _Endpoint:
    """An ASGI application of one handler; what is wrong with a request is said in the form of the API."""

    def __init__(self, path: str, handler: Callable[[Request, Send], Awaitable[None]]) -> None:
        self._path = path
        self._handler = handler

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        request = Request(connection, receive)
        request.state.route = self._path
        try:
            await self._handler(request, watched)
        except (RemanentError, Refusal) as error:
            if has_begun:
                raise
            status, headers, body = refusal(error)
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})


def _reminded(body: ChatBody, conversation: Conversation, reminder: Reminder) -> bytes:
    """Return the request with what memory says put before the question: the beginning stays as providers cache it."""
    place = conversation.question_place
    if not reminder.text or place is None:
        return body.data
    return body.with_message({"role": "user", "content": reminder.text}, before=place)


def _told(scope: Scope, reminder: Reminder) -> Headers:
    """Return headers that say what memory did."""
    return [
        (b"x-remanent-agent", quote(scope.agent, safe=_PLAIN).encode()),
        (b"x-remanent-session", quote(scope.session or "", safe=_PLAIN).encode()),
        (b"x-remanent-injected", str(reminder.count).encode()),
        (b"server-timing", f"recall;dur={1000 * reminder.seconds:.1f}".encode()),
    ]
