"""A chat that is longer than the model's window, made to fit before it is sent; what cannot be, goes as it came.

Messages keep a mark of the item that they came from, so that what was not shortened is sent as the client wrote it, and
what stands for others, or was shortened, in the form of the client's API.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from remanent.context import ContextView
from remanent.memory import AsyncMemory
from remanent.model import Scope
from remanent.server.proxy.conversation import ChatBody, Conversation, read_body
from remanent.server.proxy.dialects import ChatDialect
from remanent.server.proxy.memory import FailOpen
from remanent.text.tokens import token_counter
from remanent.values import dataclass

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
        with FailOpen("a chat cannot be made to fit and goes as it came"):
            async with asyncio.timeout(self._timeout):
                beside = [json.dumps(body.value(name), ensure_ascii=False) for name in _BESIDE if name in body.fields]
                room = max(int(_LEAST * budget), budget - token_counter()("\n".join(beside)))
                agent = self._memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
                view = await agent.context(_marked(dialect, body), budget=room, session=scope.session)
            if view.tokens_before <= room or not view.report:
                return None
            items = [item for message in view.messages for item in _items(dialect, body, message)]
            shorter = read_body(body.with_field(dialect.items, items), items=dialect.items)
            placed = list(dialect.messages(shorter))
            conversation = Conversation(
                tuple(message for _, message in placed), places=tuple(place for place, _ in placed)
            )
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
