"""What the parts of one bank share: its storage and settings, the language roles, time, ids, and its events.

Every part gets the one `BankRuntime`. It is also the only place from which roles are asked and events are emitted, so
that retries, the bound on concurrent calls and the count of calls hold for all of them.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import Field, JsonValue

from remanent.bank.graph import QueryGraph
from remanent.bank.settings import BankSettings
from remanent.bank.store import BANK, BankStore
from remanent.errors import LanguageError, ModelDenied, ModelRejected, ModelUnavailable
from remanent.language.engines import BudgetedEngine
from remanent.language.role import Answer, ReplyT, RequestT, ResponseT, Role
from remanent.lightweight import dataclass
from remanent.model import (
    Attachment,
    Clock,
    Entry,
    EntryKind,
    Instant,
    JsonObject,
    Model,
    NewId,
    Origin,
    Scope,
    to_instant,
)
from remanent.model.base import Text


class EventKind(StrEnum):
    """What happens in a bank; live views, logs and progress reports are made of these."""

    CHUNK = "chunk"
    """One chunk of a long text was split into topics."""
    NODE = "node"
    EDGE = "edge"
    CONFLICT = "conflict"
    MERGE = "merge"
    VERDICT = "verdict"
    UNRESOLVED = "unresolved"
    UNDONE = "undone"
    PLAN = "plan"
    ROUND = "round"
    TOOL = "tool"
    RETRY = "retry"
    """A role failed and is asked once more."""
    FAILED = "failed"
    """A step failed; the run goes on."""
    LIMIT = "limit"
    """A limit was reached; the text says what it stopped."""
    ANSWER = "answer"
    CLEARED = "cleared"


EVENT_NAMES: Mapping[str, str] = {
    EventKind.CHUNK: "分块", EventKind.NODE: "节点", EventKind.EDGE: "关联", EventKind.CONFLICT: "矛盾",
    EventKind.MERGE: "合并", EventKind.VERDICT: "裁定", EventKind.UNRESOLVED: "未解决", EventKind.UNDONE: "撤销",
    EventKind.PLAN: "计划", EventKind.ROUND: "步骤", EventKind.TOOL: "工具", EventKind.RETRY: "重试",
    EventKind.FAILED: "失败", EventKind.LIMIT: "上限", EventKind.ANSWER: "答案", EventKind.CLEARED: "已清除",
}  # fmt: skip
"""What events are called in Chinese."""


class BankEvent(Model):
    """One thing that happened in a bank."""

    kind: EventKind
    at: Instant
    text: Text = ""
    data: JsonObject = Field(default_factory=dict)


EventListener = Callable[[BankEvent], None]
"""Receives every event in order, on the event loop; it must not block."""


_TICK = timedelta(milliseconds=1)
"""The resolution of stored times: a smaller step would be lost when a bank is read back."""

_NODE_ID_CHARS = 12
"""48 random bits: the chance that two of a million nodes of one store have the same is 1 in 500."""


@dataclass(slots=True)
class BankRuntime:
    """Everything that the parts of one bank need to do their work."""

    bank_store: BankStore
    graph: QueryGraph
    engine: BudgetedEngine
    settings: BankSettings
    clock: Clock
    new_id: NewId
    window: int
    """Tokens that fit into one call of the classification role; longer texts are cut into chunks."""
    listeners: list[EventListener] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    """How often each role was asked, failed attempts included: the price of a run."""
    write_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the graph is read and then changed by what was read: between the two, roles take seconds."""
    _asking: asyncio.Semaphore | None = None
    _last: datetime | None = None

    @property
    def scope(self) -> Scope:
        """The scope of the task."""
        return self.bank_store.scope

    def new_node_id(self) -> str:
        """Return an id for a node: the random end of an ordinary one, since prompts name nodes by it and it costs."""
        while (node_id := self.new_id()[-_NODE_ID_CHARS:]) in self.bank_store.records:
            pass
        return node_id

    def now(self) -> datetime:
        """Return the time, never the same twice: it orders nodes and entries, also after the clock stepped back."""
        now = to_instant(self.clock())
        if self._last is not None and now <= self._last:
            now = self._last + _TICK
        self._last = now
        return now

    def advance_past(self, moments: Sequence[datetime]) -> None:
        """Continue after these moments, so that what is added to a resumed bank is newer than what it held."""
        self._last = max([*moments, *([self._last] if self._last else [])], default=None)

    def emit(self, kind: EventKind, text: str = "", **data: JsonValue) -> None:
        """Send an event to all listeners."""
        event = BankEvent(kind=kind, at=to_instant(self.clock()), text=text, data=data)
        for listener in self.listeners:
            listener(event)

    def entry(
        self,
        text: str,
        *,
        source: str,
        kind: EntryKind = EntryKind.EVENT,
        role: str = "bank",
        origin: Origin = Origin.AGENT,
        attachments: Sequence[Attachment] = (),
        metadata: dict[str, JsonValue] | None = None,
        **details: JsonValue,
    ) -> Entry:
        """Return a journal entry whose metadata says what it is to the bank: its `source`, and what else is given."""
        now = self.now()
        return Entry(
            id=self.new_id(),
            scope=self.scope,
            kind=kind,
            role=role,
            text=text,
            occurred_at=now,
            recorded_at=now,
            metadata={**(metadata or {}), BANK: {"source": source, **details}},
            attachments=tuple(attachments),
            origin=origin,
        )

    async def ask(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Ask a role: once more after a failure; what is refused, or out of reach both times, is done offline."""
        return await self._ask(role, request, lambda: self.engine.run(role, request))

    async def ask_whole(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT] | None:
        """Ask a role whose request can be made smaller; nothing is returned where it was rejected as it stands."""
        try:
            return await self._ask(role, request, lambda: self.engine.run_whole(role, request))
        except ModelDenied:
            raise
        except ModelRejected:
            return None

    async def _ask(
        self,
        role: Role[RequestT, ReplyT, ResponseT],
        request: RequestT,
        call: Callable[[], Awaitable[Answer[ResponseT]]],
    ) -> Answer[ResponseT]:
        """Ask a role, with others up to the bound; once more where it fails, unless the request was refused.

        A bank is worked on for many requests in a row: one reply that cannot be used must not end its run, nor a model
        that is out of reach, without which the bank does all that it does where there is none.
        """
        if self._asking is None:
            self._asking = asyncio.Semaphore(self.settings.concurrency)
        async with self._asking:
            self.calls[role.name] += 1
            try:
                return await call()
            except ModelRejected:
                raise  # the same request would be rejected again
            except LanguageError as error:
                self.emit(EventKind.RETRY, str(error), role=role.name)
                self.calls[role.name] += 1
            try:
                return await call()
            except ModelUnavailable as error:
                return await self.engine.run_instead(role, request, error)
