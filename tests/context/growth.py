"""What is done with a conversation, for the measurement of how the work grows."""

from typing import Any

from remanent.context import messages as chat
from remanent.context import trimming
from remanent.text.tokens import ESTIMATE
from tests.growth import Work
from tests.hostile import lines

MODULES = ("messages", "trimming")


def _conversation(text: str) -> list[chat.ReadMessage]:
    roles = ("user", "assistant")
    said: list[dict[str, Any]] = [
        {"role": roles[at % 2], "content": line} for at, line in enumerate(lines(text.replace("\0", " ")))
    ]
    return chat.read_messages(said)


ADAPTERS: dict[str, Work] = {
    "context.messages.read_messages": _conversation,
    "context.messages.sanitized": lambda text: chat.sanitized(_conversation(text)),
    "context.messages.style_of": lambda text: chat.style_of(_conversation(text)),
    "context.messages.units": lambda text: chat.units(_conversation(text)),
    "context.trimming.shortened_result": lambda text: trimming.shortened_result(text, count=ESTIMATE),
}
