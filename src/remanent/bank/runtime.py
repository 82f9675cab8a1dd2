"""What happens in a bank, told as it happens: for live views, logs and those who follow a run."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import Field, JsonValue

from remanent.bank.graph import QueryGraph
from remanent.bank.ledger import BANK, Ledger
from remanent.bank.settings import BankSettings
from remanent.errors import LanguageError
from remanent.language.engine import Answer, Engine
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
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
    """What can happen."""

    CHUNK = "chunk"
    """A chunk of an over-long text was sorted by topics."""
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
    """A call of a role failed and is tried once more."""
    FAILED = "failed"
    """A step failed; the run goes on."""
    LIMIT = "limit"
    """A bound was reached; what it stopped is said."""
    ANSWER = "answer"
    CLEARED = "cleared"


class BankEvent(Model):
    """One thing that happened."""

    kind: EventKind
    at: Instant
    text: Text = ""
    data: JsonObject = Field(default_factory=dict)


EventListener = Callable[[BankEvent], None]
"""Is told every event, in order; it must not block."""


_TICK = timedelta(milliseconds=1)


@dataclass(slots=True)
class BankRuntime:
    """The means of one bank; its parts share it."""

    ledger: Ledger
    graph: QueryGraph
    engine: Engine
    settings: BankSettings
    clock: Clock
    new_id: NewId
    window: int
    """Tokens that the classification role is given at a time."""
    listeners: list[EventListener] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    """How often each role was asked, attempts that failed included."""
    write_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever changes the graph by what it read of it."""
    _asking: asyncio.Semaphore | None = None
    _last: datetime | None = None

    @property
    def scope(self) -> Scope:
        """Whose task it is."""
        return self.ledger.scope

    def now(self) -> datetime:
        """Return the time; no two calls get the same, so that time gives the order in which things came."""
        now = to_instant(self.clock())
        if self._last is not None and now <= self._last:
            now = self._last + _TICK
        self._last = now
        return now

    def advance_past(self, moments: Sequence[datetime]) -> None:
        """Let time go on behind what was read back."""
        self._last = max([*moments, *([self._last] if self._last else [])], default=None)

    def emit(self, kind: EventKind, text: str = "", **data: JsonValue) -> None:
        """Tell those who listen."""
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
        occurred_at: datetime | None = None,
        metadata: dict[str, JsonValue] | None = None,
        **said: JsonValue,
    ) -> Entry:
        """Return a journal entry that says what it is to the bank."""
        now = self.now()
        return Entry(
            id=self.new_id(),
            scope=self.scope,
            kind=kind,
            role=role,
            text=text,
            occurred_at=occurred_at or now,
            recorded_at=now,
            metadata={**(metadata or {}), BANK: {"source": source, **said}},
            attachments=tuple(attachments),
            origin=origin,
        )

    async def ask(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Have a role done; a failure is told and tried once more, a second one is the caller's."""
        if self._asking is None:
            self._asking = asyncio.Semaphore(self.settings.concurrency)
        async with self._asking:
            self.calls[role.name] += 1
            try:
                return await self.engine.run(role, request)
            except LanguageError as error:
                self.emit(EventKind.RETRY, str(error), role=role.name)
                self.calls[role.name] += 1
                return await self.engine.run(role, request)
