"""What memory adds to a request: recalled in bounded time, once per question, and never what was just said."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

from remanent.memory import AsyncMemory
from remanent.model import Clock, Found, FoundItem, Scope
from remanent.recall import inject
from remanent.server.proxy.conversation import WINDOW, Conversation
from remanent.server.proxy.tolerance import Tolerated

_MOST_KNOWN = 1000


@dataclass(frozen=True, slots=True)
class Reminder:
    """What memory has to say to a conversation."""

    text: str = ""
    count: int = 0
    is_degraded: bool = False
    seconds: float = 0.0
    """How long recall took."""


class Reminding:
    """Recalls for conversations; a fault of memory is told and never raised."""

    def __init__(self, memory: AsyncMemory, *, limit: int, budget: int, timeout: float, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock
        self._limit = limit
        self._budget = budget
        self._timeout = timeout
        self._known: OrderedDict[tuple[Scope, str], tuple[float, Reminder]] = OrderedDict()

    async def remind(self, scope: Scope, conversation: Conversation) -> Reminder:
        """Return what to say to the conversation; while tools are called for one question, the same words each time."""
        place = conversation.question_place
        if place is None or not conversation.question or not self._limit:
            return Reminder()
        key = (scope, conversation.question_chain)
        begin = time.monotonic()
        known = self._known.get(key)
        if known is not None and begin - known[0] < WINDOW:
            return replace(known[1], seconds=0.0)
        reminder = await self._recall(scope, conversation)
        if not reminder.is_degraded:
            self._known[key] = (begin, reminder)
            self._known.move_to_end(key)
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return replace(reminder, seconds=time.monotonic() - begin)

    async def _recall(self, scope: Scope, conversation: Conversation) -> Reminder:
        agent = self._memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
        said = conversation.texts
        # What the conversation holds already is found first and left out, so that more is asked for than is wanted.
        width = self._limit + min(len(said), 3 * self._limit)
        with Tolerated("memory cannot answer a chat"):
            async with asyncio.timeout(self._timeout):
                found = await agent.recall(conversation.question, limit=width)
            chosen = _unsaid(found, said)[: self._limit]
            said_now = inject(conversation.question, chosen, now=self._clock(), budget=self._budget)
            return Reminder(said_now.text, len(said_now.record_ids), is_degraded=bool(found.left_out))
        return Reminder(is_degraded=True)


def _unsaid(found: Found, said: frozenset[str]) -> list[FoundItem]:
    """Return what the conversation does not hold already."""
    return [
        item
        for item in found.items
        if item.text.strip() not in said
        and not (item.sources and all(source.text.strip() in said for source in item.sources))
    ]
