"""The proxy for chat clients, in the APIs of OpenAI and Anthropic: any agent gets a memory by changing its base URL.

The way of a chat: who asks and whether they may read and write; the body, read without changing a byte; a reminder
from memory, put where the settings say; the model's answer, passed on while it is read along; the turn, recorded
once, also when the client or the model leaves early or the model refuses to answer.
"""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from remanent.bilingual import Language, prefers_chinese, translated
from remanent.context.spool import WaitingTurns
from remanent.errors import InvalidSettings, ModelUnavailable, NotFound, RemanentError
from remanent.lightweight import BoundedDict, dataclass
from remanent.memory import AsyncMemory
from remanent.model import Clock, Entry, Message, Scope, id_source, system_clock
from remanent.model.filters import USER_KEY
from remanent.operations import Principal, Service
from remanent.operations.access.keys import PREFIX
from remanent.server.authentication import Authenticator, default_scope, place_of, scope_of, user_of, watch_of
from remanent.server.hosts import header_values
from remanent.server.limits import JSON, OrgCapacity, body_cost, check_type
from remanent.server.problems import RETRY_SECONDS, Refusal, log_failure, problem_type_of
from remanent.server.proxy.conversation import (
    WINDOW,
    ChatAnswer,
    ChatBody,
    Conversation,
    UnreadableChat,
    bucket_of,
    message_id,
    read_body,
    to_remember,
)
from remanent.server.proxy.dialects import CHAT_COMPLETIONS, DIALECTS, MESSAGES, RESPONSES, ChatDialect
from remanent.server.proxy.memory import (
    REMEMBER,
    ChatRecall,
    ChatShrinking,
    ChatTurn,
    FailOpen,
    InjectedMemory,
    RecordOutcome,
    Spool,
    TurnRecorder,
)
from remanent.server.proxy.upstream import (
    CLIENT,
    UPSTREAM,
    AnswerRelay,
    Headers,
    RecordAnswer,
    Upstream,
    while_connected,
)
from remanent.server.telemetry import SEARCH, Tracer
from remanent.settings import MemoryPlace
from remanent.text.tokens import token_counter


def _refusal(error: RemanentError | Refusal, *, dialect: ChatDialect, languages: str) -> tuple[int, Headers, bytes]:
    """Return status, headers and body that say what is wrong, in the caller's own form and language.

    The status is what the models' APIs would have, so that their clients handle it.
    """
    language: Language = "zh" if prefers_chinese(languages) else "en"
    if isinstance(error, Refusal):
        status, message = error.status, error.detail
    else:
        row = problem_type_of(error)
        status, message = row.status, str(error) if row.tells else row.title.say(language)
        if isinstance(error, ModelUnavailable | InvalidSettings):
            # Here the model is what stands behind, and not what is asked.
            status = 502 if isinstance(error, ModelUnavailable) else 503
        log_failure(error, status=status)
    body = json.dumps(dialect.error(status, translated(message, language))).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 429:
        seconds = getattr(error, "retry_after", None) or RETRY_SECONDS
        headers.append((b"retry-after", str(math.ceil(seconds)).encode()))
    return status, headers, body


_MAX_RECENT_ENTRIES = 200
"""Entries of a session that are looked through for a first sending: more than fit into its window in practice."""


class ChatExchange:
    """A request on its way to becoming a turn."""

    def __init__(
        self,
        scope: Scope,
        conversation: Conversation,
        *,
        who: str,
        memory: AsyncMemory,
        clock: Clock,
        user: str | None = None,
    ) -> None:
        self.scope = scope
        self._whose = {} if user is None else {USER_KEY: user}
        self._who = who
        self._conversation = conversation
        self._agent = memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
        self._longest = memory.settings.max_text_length
        self._patience = memory.settings.proxy.keep_timeout
        self._clock = clock
        self._begun = clock()
        self._is_turning = False
        # While the model thinks: by the time it has answered, this is known.
        self._looking = asyncio.create_task(self._look())

    def turn(self, answer: ChatAnswer, *, cut_by: str | None = None) -> Awaitable[ChatTurn | None]:
        """Return what to keep, if there is anything; `cut_by` says who ended the answer before its end."""
        # From the call on, and not from when it is first waited for: in between the request may be gone.
        self._is_turning = True
        return self._turn(answer, cut_by=cut_by)

    async def _turn(self, answer: ChatAnswer, *, cut_by: str | None) -> ChatTurn | None:
        """Put the new messages and the answer together; an unanswered question is kept and marked as such."""
        bucket = await self._looking
        answered = answer.to_remember(
            self._conversation.chain, bucket=bucket, moment=self._clock(), longest=self._longest, cut_by=cut_by
        )
        asked = self._asked(bucket, self._begun)
        if cut_by and not answered:
            asked = [message.replace(metadata={**message.metadata, "unanswered": cut_by}) for message in asked]
        messages = tuple(one.replace(metadata={**one.metadata, **self._whose}) for one in (*asked, *answered))
        return ChatTurn(scope=self.scope, who=self._who, messages=messages) if messages else None

    def _asked(self, bucket: int, moment: datetime) -> list[Message]:
        """Return the new messages of the request as memory keeps them."""
        return [
            message
            for said in self._conversation.new
            for message in to_remember(said, bucket=bucket, moment=moment, longest=self._longest)
        ]

    def abandon(self) -> None:
        """Stop looking when no turn will come of this; a turn under way has what it needs."""
        if not self._is_turning:
            self._looking.cancel()

    async def _look(self) -> int:
        """Return the stretch of time that the request counts to: that of a first sending, if this is a second one."""
        bucket = bucket_of(self._begun)
        before = {message_id(said.chain, bucket - 1) for said in self._conversation.new}
        lately: list[Entry] = []
        with FailOpen("memory cannot say what was said recently"):
            async with asyncio.timeout(self._patience):
                lately = await self._agent.entries(
                    session=self.scope.session,
                    since=self._begun - timedelta(seconds=WINDOW),
                    newest_first=True,
                    limit=_MAX_RECENT_ENTRIES,
                )
        return bucket - 1 if any(entry.caller_id in before for entry in lately) else bucket


_PLAIN = "-_.:@+=~ /#,()"
"""What scope names hold beside letters and digits, and a header can hold as it is."""

_MAX_SESSIONS = 10_000
"""Responses whose conversation is known (about 2 MB); one that goes on from an older one counts as a new one."""

_VALUES_PER_MESSAGE = 3
"""What a message counts as where values of JSON are counted: itself, its role and its content."""

_READ, _WRITE = "recall", REMEMBER
"""The operations whose permissions a chat needs."""


@dataclass(frozen=True, slots=True)
class ChatCaller:
    """Who asks, and whose memory they mean."""

    principal: Principal
    scope: Scope
    user: str | None = None
    """Which of the agent's users, where it has several."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked, as it came and as memory sees it."""

    dialect: ChatDialect
    body: ChatBody
    conversation: Conversation

    def reminded(self, memory: InjectedMemory, *, where: MemoryPlace) -> bytes:
        """Return the request with what memory says in it; all else stays as it came, for providers cache it."""
        place = self.conversation.question_item
        if not memory.text or place is None:
            return self.body.data
        return self.dialect.remind(self.body, memory.text, place=place, where=where)


class Proxy:
    """Recalls, injects, passes on, journals; a fault of memory never breaks the chat."""

    def __init__(
        self,
        service: Service,
        *,
        clock: Clock = system_clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        memory = service.memory
        settings = memory.settings.proxy
        self._service = service
        self._memory = memory
        self._settings = settings
        self._authenticator = Authenticator(service, memory.settings.server)
        self._capacity = OrgCapacity.of(service)
        self._tracer = Tracer()
        self._clock = clock
        self._sessions = BoundedDict[tuple[Scope, str], str](_MAX_SESSIONS)
        self._upstream = Upstream(settings)
        self._reminding = ChatRecall(
            memory, limit=settings.limit, budget=settings.budget, timeout=settings.recall_timeout, clock=clock
        )
        self._shrinking = ChatShrinking(memory, timeout=settings.recall_timeout)
        waiting = WaitingTurns(memory.shelf, memory.settings.home)
        spool = Spool(waiting, new_id=id_source(clock))
        self.keeper = TurnRecorder(service, spool, timeout=settings.keep_timeout, sleep=sleep)

    def routes(self) -> list[BaseRoute]:
        """Return the routes to mount."""
        addresses: dict[str, tuple[str, _Handler]] = {
            f"/v1/{dialect.path}": ("POST", partial(self._chat, dialect)) for dialect in DIALECTS
        } | {
            "/v1/messages/count_tokens": ("POST", partial(self._forward, "messages/count_tokens")),
            "/v1/embeddings": ("POST", partial(self._forward, "embeddings")),
            "/v1/models": ("GET", self._models),
            "/v1/models/{model:path}": ("GET", self._models),
        }
        known = [
            Route(path, _ProxyEndpoint(path, handler), methods=[method])
            for path, (method, handler) in addresses.items()
        ]
        other = _ProxyEndpoint("/v1/{path}", self._unknown)
        return [*known, _OtherRoute("/v1/{path:path}", other, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])]

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

    async def _chat(self, dialect: ChatDialect, request: Request, send: Send) -> None:
        """Recall, insert, pass on and keep; a request that cannot be read goes on as it is."""
        visitor = await self._visitor(request, _READ, _WRITE)
        with self._capacity.request_slot(visitor.scope.org):
            data = b""
            try:
                async with self._body(request, visitor) as data:
                    asked = await self._understood(data, visitor, dialect)
            except UnreadableChat:
                # Whatever it is, the model's API has its own words for what is wrong with it.
                await self._answering(request, self._pass_on(request, send, dialect.path, data))
                return
            if visitor.scope.session is None:
                named = asked.conversation.session
                if visitor.user is not None:  # two users may begin with the same words
                    named = f"{named}-{blake2b(visitor.user.encode(), digest_size=6).hexdigest()}"
                # That of the response which the request goes on from, where it says so and that is known.
                session = self._sessions.get((visitor.scope.owner, asked.body.follows)) or named
                visitor = replace(visitor, scope=visitor.scope.within(session=session))
            await self._answering(request, self._talk(request, send, visitor, asked))

    async def _unknown(self, request: Request, _: Send) -> None:
        """Say that there is no such address, to whoever may know what there is."""
        await self._authenticator.principal(request, key=self._key)
        path = request.url.path.removeprefix("/v1/")
        known = {*(dialect.path for dialect in DIALECTS), "embeddings", "models", "messages/count_tokens"}
        if path in known:
            raise Refusal(405, f"/v1/{path} does not accept this method")
        raise Refusal(404, f"the proxy does not offer this address; it has {', '.join(sorted(known))}")

    async def _forward(self, path: str, request: Request, send: Send) -> None:
        """Pass a request on, for embeddings or a count of tokens; memory has no part in it."""
        visitor = await self._visitor(request, _READ)
        with self._capacity.request_slot(visitor.scope.org):
            async with self._body(request, visitor) as data:
                pass  # it is here, and goes on as it is: nothing that follows holds it up for others
            await self._answering(request, self._pass_on(request, send, path, data))

    async def _models(self, request: Request, send: Send) -> None:
        """Pass on which models there are: clients ask before they chat."""
        visitor = await self._visitor(request, _READ)
        name = request.path_params.get("model")
        if name is not None and {"", ".", ".."} & set(name.split("/")):
            raise NotFound("there is no such model")  # and no way out of the models
        path = "models" if name is None else f"models/{quote(name)}"
        with self._capacity.request_slot(visitor.scope.org):
            await self._answering(request, self._pass_on(request, send, path, None))

    # ── how it is answered ───────────────────────────────────────────────────

    @staticmethod
    async def _answering(request: Request, work: Coroutine[Any, Any, None]) -> None:
        """Answer as long as the client is there and its key holds."""
        await while_connected(request.receive, watch_of(request).during(work))

    async def _talk(self, request: Request, send: Send, visitor: ChatCaller, asked: ChatRequest) -> None:
        """Ask the model with what memory has to say, and keep the turn while the answer passes through."""
        scope, conversation, dialect = visitor.scope, asked.conversation, asked.dialect
        shrunk = await self._shrinking.shrink(scope, dialect, asked.body) if self._settings.shrink else None
        with self._tracer.operation("recall", agent=scope.agent, act=SEARCH):
            # What was left out is told again by memory, if it belongs to the question.
            said = (conversation if shrunk is None else shrunk.conversation).texts
            reminder = await self._reminding.remind(scope, conversation, said=said, user=visitor.user)
        exchange = ChatExchange(
            scope, conversation, who=visitor.principal.name, memory=self._memory, clock=self._clock, user=visitor.user
        )
        headers = _memory_headers(scope, reminder)
        if shrunk is not None:
            headers.append((b"x-remanent-context", shrunk.header))
            asked = ChatRequest(dialect, shrunk.body, shrunk.conversation)
        relay = AnswerRelay(send, headers=headers, is_degraded=reminder.is_degraded, read=dialect.read)
        asking = self._upstream.ask(
            "POST",
            dialect.path,
            query=request.url.query,
            headers=request.headers.raw,
            body=asked.reminded(reminder, where=self._settings.place),
            is_anthropic=dialect.is_anthropic,
        )
        keep = self._keeping(exchange)
        try:
            with self._tracer.chat(agent=scope.agent, host=urlsplit(self._settings.base_url or "").hostname or ""):
                async with asking as reply:
                    if not reply.is_success:
                        await keep(ChatAnswer(), UPSTREAM)
                        await relay.pass_on(reply)
                    elif reply.is_stream:
                        await relay.stream(reply, keep=keep)
                    else:
                        await relay.whole(reply, keep=keep, longest=self._settings.max_answer)
        except (ModelUnavailable, asyncio.CancelledError) as error:
            # What was said is not lost with the answer; sent again, it has the same id and is kept once.
            await keep(ChatAnswer(), UPSTREAM if isinstance(error, ModelUnavailable) else CLIENT)
            raise
        finally:
            exchange.abandon()

    def _keeping(self, exchange: ChatExchange) -> RecordAnswer:
        """Return what keeps an exchange, once however often it is called."""
        kept: RecordOutcome | None = None

        async def keep(answer: ChatAnswer, obstacle: str | None) -> bool:
            """Keep the turn once, however often the relay calls this while an answer ends."""
            nonlocal kept
            if kept is None:
                kept = RecordOutcome.LOST  # until it is known; a second call must not begin again
                self._note_session(exchange.scope, answer.response_id)
                kept = await self.keeper.keep(exchange.turn(answer, cut_by=obstacle))
            return kept is RecordOutcome.STORED

        return keep

    def _note_session(self, scope: Scope, response_id: str) -> None:
        """Note which conversation a response belongs to: a client may go on from it without sending it again."""
        if response_id and scope.session is not None:
            self._sessions[scope.owner, response_id] = scope.session

    async def _pass_on(self, request: Request, send: Send, path: str, body: bytes | None) -> None:
        """Send a request on as it came, and the answer back."""
        async with self._upstream.ask(
            request.method,
            path,
            query=request.url.query,
            headers=request.headers.raw,
            body=body,
            is_anthropic=_spoken_by(request).is_anthropic,
        ) as reply:
            await AnswerRelay(send, headers=[]).pass_on(reply)

    # ── who asks ─────────────────────────────────────────────────────────────

    async def _visitor(self, request: Request, *needed: str) -> ChatCaller:
        """Return who asks and whose memory they mean, once every operation that the chat needs is allowed."""
        principal = await self._authenticator.principal(request, key=self._key)
        scope = scope_of(request.headers, default_scope(self._memory.settings, principal))
        for name in needed:
            operation = self._service.catalogue[name]
            await self._service.admit(operation, None, place=place_of(scope), principal=principal)
        return ChatCaller(principal, scope, user_of(request.headers))

    @staticmethod
    def _key(request: Request) -> str | None:
        """Return our own key: from its own header, or where the model's key usually stands if it is one of ours."""
        given = request.headers.get("x-remanent-key")
        bearer = request.headers.get("authorization", "").partition(" ")[2].strip()
        usual = (bearer, request.headers.get("x-api-key", ""))
        return given or next((key for key in usual if key.startswith(f"{PREFIX}_")), None)

    def _body(self, request: Request, visitor: ChatCaller) -> AbstractAsyncContextManager[bytes]:
        """Give the body, charged to the key by its size."""
        check_type(request, JSON)
        charge = partial(self._authenticator.charge, visitor.principal)
        limit = int(self._settings.max_request)
        return self._capacity.body(visitor.scope.org, request, limit=limit, charge=charge)

    async def _understood(self, data: bytes, visitor: ChatCaller, dialect: ChatDialect) -> ChatRequest:
        """Return what memory needs of a chat; all of it is worked out here, where a large one keeps nobody waiting."""
        most = self._memory.settings.server.max_values

        def understand() -> ChatRequest:
            """Read the body and work everything out of it that is needed later."""
            body = read_body(data, values=most, items=dialect.items)
            conversation = Conversation.of(dialect.messages(body), body)
            conversation.work_out()
            return ChatRequest(dialect, body, conversation)

        asked = await self._capacity.parse(visitor.scope.org, size=len(data), work=understand)
        values = _VALUES_PER_MESSAGE * len(asked.body.messages)
        self._authenticator.charge(visitor.principal, body_cost(0, values=values))
        return asked


_Handler = Callable[[Request, Send], Awaitable[None]]


class _ProxyEndpoint:
    """An ASGI application of one handler; what is wrong with a request is said in the form of the API."""

    def __init__(self, path: str, handler: _Handler) -> None:
        self._path = path
        self._handler = handler

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Answer a refusal in the form of the API that the client speaks, unless its answer has begun."""
        has_begun = is_stream = False

        async def watched(message: AsgiMessage) -> None:
            nonlocal has_begun, is_stream
            has_begun = True
            if message["type"] == "http.response.start":
                kinds = header_values(message["headers"], b"content-type")
                is_stream = any(kind.startswith("text/event-stream") for kind in kinds)
            await send(message)

        request = Request(connection, receive)
        request.state.route = self._path
        try:
            await self._handler(request, watched)
        except (RemanentError, Refusal) as error:
            dialect = _spoken_by(request)
            status, headers, body = _refusal(
                error, dialect=dialect, languages=request.headers.get("accept-language", "")
            )
            if is_stream:
                await send({"type": "http.response.body", "body": dialect.broken_off(body)})
                return
            if has_begun:
                raise
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})


class _OtherRoute(Route):
    """Everything below /v1 that is not of REST, whose own errors have another form."""

    def matches(self, scope: Connection) -> tuple[Match, Connection]:
        is_rest = scope["path"] == "/v1/orgs" or scope["path"].startswith("/v1/orgs/")
        return (Match.NONE, {}) if is_rest else super().matches(scope)


def _spoken_by(request: Request) -> ChatDialect:
    """Return the API that a request is meant for: that of its address, or else as its client shows itself."""
    path = request.url.path.removeprefix("/v1/")
    if path.startswith(MESSAGES.path) or "anthropic-version" in request.headers:
        return MESSAGES
    return RESPONSES if path.startswith(RESPONSES.path) else CHAT_COMPLETIONS


def _memory_headers(scope: Scope, reminder: InjectedMemory) -> Headers:
    """Return headers that say what memory did."""
    return [
        (b"x-remanent-agent", quote(scope.agent, safe=_PLAIN).encode()),
        (b"x-remanent-session", quote(scope.session or "", safe=_PLAIN).encode()),
        (b"x-remanent-injected", str(reminder.count).encode()),
        (b"server-timing", f"recall;dur={1000 * reminder.seconds:.1f}".encode()),
    ]
