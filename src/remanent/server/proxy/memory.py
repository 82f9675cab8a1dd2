"""What memory does for a chat: recall before it, record after it, and a spool for what cannot be recorded now.

Whatever goes wrong on this side stays on this side: every call of memory stands in a `FailOpen` block or is bounded in
time. A turn that memory does not take is spooled and delivered later, by whichever server comes to it first; its
messages carry ids, so that delivering it twice changes nothing.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from enum import StrEnum
from functools import partial
from types import TracebackType
from typing import Annotated, Any, ParamSpec, Self, TypeVar
from weakref import WeakValueDictionary

from pydantic import Field

from remanent.context import ContextView
from remanent.context.spool import FOLDER, LOCK, REFUSED, WaitingTurn, WaitingTurns
from remanent.errors import AuditFailed, CallerError, InvalidInput
from remanent.http.client import backoff
from remanent.lightweight import BoundedDict, dataclass
from remanent.memory import AsyncMemory
from remanent.model import Clock, Found, FoundItem, GateReason, Message, NewId, RecallOptions, Scope
from remanent.model.base import Model
from remanent.operations import LOCAL, Permission, Principal, Service
from remanent.operations.journal import RememberMessages
from remanent.recall import inject, names_an_owner, nothing_told
from remanent.server.authentication import place_of
from remanent.server.proxy.conversation import WINDOW, ChatBody, Conversation, read_body
from remanent.server.proxy.dialects import ChatDialect
from remanent.stores.shelf import Shelf
from remanent.text.tokens import token_counter

P = ParamSpec("P")
R = TypeVar("R")

_logger = logging.getLogger(__name__)


class FailOpen:
    """A block that may fail in any way, even by a mistake of ours: it is logged, and what stands behind it goes on.

    The error's own words are not logged: they may hold what somebody said.
    """

    def __init__(self, what: str, *, level: int = logging.WARNING) -> None:
        self._what = what
        self._level = level
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.error = error
        _logger.log(self._level, "%s: %s", self._what, type(error).__name__)
        return True


_MAX_CACHED = 1000
"""Questions whose reminder is known: an agent asks the model again after each tool, and must get the same words."""


@dataclass(frozen=True, slots=True)
class InjectedMemory:
    """What memory has to say to a conversation."""

    text: str = ""
    count: int = 0
    is_degraded: bool = False
    seconds: float = 0.0
    """How long recall took."""


class ChatRecall:
    """Recalls for conversations; a fault of memory is told and never raised."""

    def __init__(self, memory: AsyncMemory, *, limit: int, budget: int, timeout: float, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock
        self._limit = limit
        self._budget = budget
        self._timeout = timeout
        self._known = BoundedDict[tuple[Scope, str, str | None], tuple[float, InjectedMemory]](_MAX_CACHED)

    async def remind(
        self, scope: Scope, conversation: Conversation, *, said: frozenset[str] | None = None, user: str | None = None
    ) -> InjectedMemory:
        """Return what to say to the conversation; while tools are called for one question, the same words each time.

        Who asks the same again, in a new chat or the next morning, is told what is known by then.

        `said` are the texts that the model is sent, where they are not those of the conversation; `user` is who asks,
        where the agent has several.
        """
        place = conversation.question_place
        if place is None or not conversation.question or not self._limit:
            return InjectedMemory()
        key = (scope, conversation.question_chain, user)
        begin = time.monotonic()
        is_asked_now = place == len(conversation.messages) - 1
        known = None if is_asked_now else self._known.get(key)
        if known is not None and begin - known[0] < WINDOW:
            return replace(known[1], seconds=0.0)
        reminder = await self._recall(scope, conversation, conversation.texts if said is None else said, user)
        if not reminder.is_degraded:
            self._known[key] = (begin, reminder)
        return replace(reminder, seconds=time.monotonic() - begin)

    async def _recall(
        self, scope: Scope, conversation: Conversation, said: frozenset[str], user: str | None
    ) -> InjectedMemory:
        """Ask memory, within the time that a chat can wait; what fails leaves the chat without a reminder."""
        agent = self._memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
        # What the conversation holds already is found first and left out, so that more is asked for than is wanted.
        width = self._limit + min(len(said), 3 * self._limit)
        with FailOpen("memory is not available for a chat"):
            async with asyncio.timeout(self._timeout):
                # Half of the time for searching: while models are still loaded, what words find is better than nothing.
                wishes = RecallOptions(within=self._timeout / 2)
                found = await agent.recall(conversation.question, limit=width, user=user, options=wishes)
                near, reason = found.items, None if found.gate is None else found.gate.reason
                if reason is GateReason.UNSPOKEN or (not near and names_an_owner(conversation.question)):
                    # Of what is held back, only whether it tells what is asked of oneself or of one's own people.
                    wishes = wishes.replace(gate=False)
                    near = (await agent.recall(conversation.question, limit=width, user=user, options=wishes)).items
            chosen = _not_in_conversation(found, said)[: self._limit]
            # What may be told in other words is not denied.
            may_be_told = found.left_out or reason in {GateReason.KNOWN, GateReason.UNSURE}
            unknown = "" if may_be_told else nothing_told(conversation.question, near)
            told = inject(
                conversation.question,
                chosen,
                now=self._clock(),
                budget=self._budget,
                ending=unknown,
                is_unsure=found.gate is not None and found.gate.verdict == "unsure",
            )
            return InjectedMemory(told.text, len(told.record_ids), is_degraded=bool(found.left_out))
        return InjectedMemory(is_degraded=True)


def _not_in_conversation(found: Found, said: frozenset[str]) -> list[FoundItem]:
    """Return what the conversation does not hold already."""
    return [
        item
        for item in found.items
        if item.text.strip() not in said
        and not (item.sources and all(source.text.strip() in said for source in item.sources))
    ]


class ChatTurn(Model):
    """What one request adds to memory; its messages carry ids, so storing it again changes nothing."""

    scope: Scope
    who: str = LOCAL.name
    """Who is named in the audit log."""
    messages: Annotated[tuple[Message, ...], Field(min_length=1)]


Deliver = Callable[[ChatTurn], Awaitable[None]]
"""Stores a turn, or raises."""


@dataclass(frozen=True, slots=True)
class SpoolResult:
    """What a look at the waiting turns came to."""

    stored: int = 0
    waiting: int = 0


_PATIENCE = 5.0
"""Seconds after which a database is away for the spool: a chat waits for it."""


class Spool:
    """A document per turn on the shelf, written durably and removed when memory has acknowledged the turn.

    A crash between those two leaves it; the turn is then sent to memory again, which knows its ids. The names keep the
    order in which turns came. A shelf that a database holds may be away with it: then turns wait in this home's files.
    """

    def __init__(self, turns: WaitingTurns, *, new_id: NewId) -> None:
        self._turns = turns
        self._new_id = new_id
        self._owners: dict[WaitingTurn, Scope | None] = {}
        """Whose turns wait, as far as that was looked up."""
        # Its own: while a database is away, calls of it hang, and would keep the threads from those who need none.
        self._thread = ThreadPoolExecutor(1, "spool")

    @property
    def is_shared(self) -> bool:
        """Whether other servers put turns here, too."""
        return self._turns.shared is not None

    async def put(self, turn: ChatTurn) -> None:
        """Keep a turn; on return it survives a crash."""
        if self._turns.shared is not None:
            with FailOpen("the database cannot store a turn; it waits on this machine"):
                await self._ask(self._write, self._turns.shared, turn)
                return
        await asyncio.to_thread(self._write, self._turns.own, turn)

    async def drain(self, deliver: Deliver) -> SpoolResult:
        """Send every waiting turn to memory, oldest first; after a failure an agent's later turns wait too."""
        stored, stuck, waiting = 0, set[Scope](), 0
        for place in await asyncio.to_thread(self._turns.all):
            # Held from reading to storing: whoever erases waits, and then finds the turn in memory or nowhere.
            async with _locked(place.shelf) as call:
                turn = await call(partial(self._read, place))
                if turn is None:
                    continue
                if turn.scope.owner in stuck:
                    waiting += 1
                    continue
                with FailOpen("memory does not accept a spooled turn") as outcome:
                    await deliver(turn)
                if outcome.error is None:
                    await call(partial(place.shelf.remove, place.name))
                    stored += 1
                elif isinstance(outcome.error, CallerError):
                    await call(partial(_set_aside, place))  # the same call will fail again
                else:
                    stuck.add(turn.scope.owner)
                    waiting += 1
        return SpoolResult(stored, waiting)

    async def holds(self, owner: Scope) -> bool:
        """Return whether a turn of an agent waits."""
        return await self._ask(self._holds, owner)

    async def _ask(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call something that a database may have to answer; one that takes too long is away."""
        asking = asyncio.get_running_loop().run_in_executor(self._thread, partial(function, *args, **kwargs))
        async with asyncio.timeout(_PATIENCE if self.is_shared else None):
            return await asking

    def _holds(self, owner: Scope) -> bool:
        """Look up whose turns wait; one that was read once is not read again."""
        known = self._owners
        self._owners = {turn: known[turn] if turn in known else self._owner_of(turn) for turn in self._turns.all()}
        return owner in self._owners.values()

    def _owner_of(self, place: WaitingTurn) -> Scope | None:
        turn = self._read(place)
        return None if turn is None else turn.scope.owner

    def count(self) -> int:
        """Return how many turns wait."""
        return len(self._turns.all())

    def _write(self, shelf: Shelf, turn: ChatTurn) -> None:
        shelf.write(f"{FOLDER}/{self._next_name(shelf)}.json", turn.to_json().encode())

    def _next_name(self, shelf: Shelf) -> str:
        """Return a name that sorts behind all that wait there, also when the clock was set back since they came."""
        waiting = (WaitingTurn(shelf, name).order for name in shelf.names(FOLDER))
        name, last = self._new_id(), max(waiting, default="")
        if name > last:
            return name
        stem, _, count = last.rpartition("_")
        return f"{stem}_{int(count) + 1:09}" if stem and count.isdecimal() else f"{last}_{1:09}"

    def _read(self, place: WaitingTurn) -> ChatTurn | None:
        """Return a spooled turn; one that cannot be read is set aside, so that it does not hold up the others."""
        content = place.shelf.read(place.name)
        if content is None:
            return None  # another process was faster
        try:
            return ChatTurn.from_json(content)
        except InvalidInput:
            _logger.error("a spooled turn cannot be read and is set aside: %s", place.name)  # noqa: TRY400
            _set_aside(place)
            return None


def _set_aside(place: WaitingTurn) -> None:
    """Put a turn where a person can look at it; it is there before it is gone from here, and nothing is thrown away."""
    content = place.shelf.read(place.name)
    if content is not None:
        place.shelf.write(f"{REFUSED}/{place.order}.json", content)
        place.shelf.remove(place.name)


@asynccontextmanager
async def _locked(shelf: Shelf) -> AsyncIterator[Callable[[Callable[[], R]], Awaitable[R]]]:
    """Keep others from erasing turns meanwhile; what is done to the shelf goes through what is given.

    A lock of a database belongs to the thread that took it, and what that thread does is committed when it lets go.
    """
    loop, thread, held = asyncio.get_running_loop(), ThreadPoolExecutor(1, "spool"), ExitStack()

    def call(function: Callable[[], R]) -> Awaitable[R]:
        return loop.run_in_executor(thread, function)

    try:
        await call(partial(held.enter_context, shelf.locked(LOCK, shared=True)))
        yield call
    finally:
        # Behind all that was begun, also when whoever waited for it was cancelled.
        letting_go = call(held.close)
        thread.shutdown(wait=False)
        await letting_go


REMEMBER = "remember"
_MIN_WAIT = 1.0
_MAX_WAIT = 60.0
"""Seconds between attempts to empty the spool, after the first failure and after many."""


class RecordOutcome(StrEnum):
    """What became of a turn."""

    STORED = "stored"
    SPOOLED = "spooled"
    LOST = "lost"


class TurnRecorder:
    """Keeps turns; nothing that goes wrong here is ever raised to a chat."""

    def __init__(
        self,
        service: Service,
        spool: Spool,
        *,
        timeout: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._service = service
        self._spool = spool
        self._timeout = timeout
        self._sleep = sleep
        self._tasks: set[asyncio.Task[Any]] = set()
        self._storing: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()
        self._has_spooled = asyncio.Event()

    async def keep(self, making: Awaitable[ChatTurn | None]) -> RecordOutcome:
        """Keep a turn durably; that the request it belongs to is cancelled meanwhile does not stop it."""
        task = asyncio.create_task(self._keep(making))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send spooled turns to memory while this lasts; at the end, turns under way are finished."""
        drainer = asyncio.create_task(self._drain_for_ever())
        try:
            yield
        finally:
            drainer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drainer
            while self._tasks:
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> int:
        """Send what is spooled to memory, once; return how many turns still wait."""
        return (await self._spool.drain(self._deliver)).waiting

    async def _keep(self, making: Awaitable[ChatTurn | None]) -> RecordOutcome:
        """Make and store a turn; a failure is logged as an error, because this is where words can be lost."""
        with FailOpen("a turn is lost", level=logging.ERROR):
            turn = await making
            return RecordOutcome.STORED if turn is None else await self._store(turn)
        return RecordOutcome.LOST

    async def _store(self, turn: ChatTurn) -> RecordOutcome:
        """Store a turn now, or spool it durably until memory takes it; never before older ones of its agent."""
        owner = turn.scope.owner
        async with self._storing.setdefault(owner, asyncio.Lock()):
            with FailOpen("memory cannot store a turn; it is spooled"):
                if not await self._spool.holds(owner):
                    await self._deliver(turn)
                    return RecordOutcome.STORED
            await self._spool.put(turn)
        self._has_spooled.set()
        return RecordOutcome.SPOOLED

    async def _deliver(self, turn: ChatTurn) -> None:
        """Store a turn by the operation that everybody uses, so that it is permitted, audited and indexed alike."""
        asked = RememberMessages(messages=turn.messages, session=turn.scope.session, task=turn.scope.task)
        # It was let in when it was said; a key that was revoked since then takes no word back.
        writer = Principal(name=turn.who, permissions=frozenset({Permission.WRITE}))
        async with asyncio.timeout(self._timeout):
            with contextlib.suppress(AuditFailed):  # it is stored: that it is noted late is no reason to store it again
                await self._service.perform(REMEMBER, asked, place=place_of(turn.scope), principal=writer)

    async def _drain_for_ever(self) -> None:
        """Empty the spool whenever something is in it, waiting longer after each failure."""
        failures = 0
        while True:
            self._has_spooled.clear()
            waiting = 1
            with FailOpen("the spool cannot be emptied"):
                waiting = await self.drain()
            failures = failures + 1 if waiting else 0
            if not waiting:
                await self._until_spooled()
            # A turn that was just refused would be refused again at once.
            await self._sleep(backoff(max(failures, 1), base=_MIN_WAIT, cap=_MAX_WAIT, chance=1.0))

    async def _until_spooled(self) -> None:
        """Wait until something is in the spool; what another server left there, which may be gone, tells nobody."""
        waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._has_spooled.wait())]
        if self._spool.is_shared:
            waits.append(asyncio.ensure_future(self._sleep(_MAX_WAIT)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()


# ── a chat that is longer than the model's window ────────────────────────────
# It is made to fit before it is sent; what cannot be, goes as it came. Messages keep a mark of the item that they came
# from, so that what was not shortened is sent as the client wrote it, and what stands for others, or was shortened, in
# the form of the client's API.

_MARK = "remanent_place"
_BESIDE = ("system", "instructions", "tools")
"""Fields that take room in the window beside the conversation."""
_LEAST = 0.25
"""The share of the budget that is left to the conversation, however much stands beside it."""


@dataclass(frozen=True, slots=True)
class ShrunkChat:
    """A chat as it is sent, and what was done to it."""

    body: ChatBody
    conversation: Conversation
    view: ContextView

    @property
    def header(self) -> bytes:
        """What a header says of it: the whole, then what each strategy did to the number of tokens."""
        view = self.view
        whole = f"level={view.level}, messages={len(view.given)}>{len(view.messages)}"
        steps = [("tokens", view.tokens_before, view.tokens)]
        steps += [(one.strategy.value.replace(" ", "-"), one.before, one.after) for one in view.report]
        return ", ".join([whole, *(f"{name}={before}>{after}" for name, before, after in steps)]).encode()


class ChatShrinking:
    """Makes chats fit that are longer than the window."""

    def __init__(self, memory: AsyncMemory, *, timeout: float) -> None:
        self._memory = memory
        self._timeout = timeout

    async def shrink(self, scope: Scope, dialect: ChatDialect, body: ChatBody) -> ShrunkChat | None:
        """Return a chat made to fit; none where it fits already, or where that cannot be done."""
        budget = self._memory.settings.context.budget
        if len(body.data) <= budget or not body.messages:  # a token has at least one byte
            return None
        with FailOpen("a chat cannot be made to fit and is sent unchanged"):
            async with asyncio.timeout(self._timeout):
                beside = [json.dumps(body.value(name), ensure_ascii=False) for name in _BESIDE if name in body.fields]
                room = max(int(_LEAST * budget), budget - token_counter()("\n".join(beside)))
                agent = self._memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
                view = await agent.context(_marked(dialect, body), budget=room, session=scope.session)
            if view.tokens_before <= room or not view.report:
                return None
            items = [item for message in view.messages for item in _items(dialect, body, message)]
            shorter = read_body(body.with_field(dialect.items, items), items=dialect.items)
            conversation = Conversation.of(dialect.messages(shorter), shorter)
            if conversation.question_place is not None:
                return ShrunkChat(shorter, conversation, view)
        return None


def _marked(dialect: ChatDialect, body: ChatBody) -> list[dict[str, Any]]:
    """Return the conversation as shortening reads it, each message with a mark of its item."""
    return [{**message, _MARK: place} for place, message in dialect.shrinkable(body)]


def _items(dialect: ChatDialect, body: ChatBody, message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the items of a request that a message of the view stands for."""
    said = {key: value for key, value in message.items() if key != _MARK}
    place = message.get(_MARK)
    return dialect.shrunk_items(said, None if place is None else (body.messages, place))
