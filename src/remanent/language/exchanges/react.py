"""ReAct: one turn of thinking, calling tools or answering."""

import base64
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import LONGEST_TEXT, LongText, Remark
from remanent.model import JsonObject, Model
from remanent.model.base import Text


def _check_base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidInput("must be base64") from error
    return text


class Tool(Model):
    """A tool that may be called, declared as chat APIs do."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,63}$")]
    description: Remark
    parameters: JsonObject = Field(default_factory=dict)
    """The JSON schema of its arguments; empty for a tool without any."""


class ToolCall(Model):
    """A call of a tool that was declared."""

    name: Text
    arguments: JsonObject


class ToolResult(Model):
    """What a tool gave back, or why it did not."""

    name: Text
    content: Annotated[Text, Field(max_length=LONGEST_TEXT)]
    failed: bool = False


class Turn(Model):
    """What the agent said in one turn, and what its tool calls gave back."""

    said: Annotated[Text, Field(max_length=LONGEST_TEXT)]
    results: Annotated[tuple[ToolResult, ...], Field(max_length=100)] = ()


class Image(Model):
    """A picture that belongs to a task, as chat APIs take it."""

    media_type: Annotated[str, Field(pattern=r"^image/[a-z0-9.+-]{1,50}$")]
    data: Annotated[str, AfterValidator(_check_base64), Field(repr=False)]
    """The bytes in base64."""

    @classmethod
    def of(cls, content: bytes, *, media_type: str) -> "Image":
        """Return the picture of some bytes."""
        return cls(media_type=media_type, data=base64.b64encode(content).decode("ascii"))

    @property
    def content(self) -> bytes:
        """The bytes themselves."""
        return base64.b64decode(self.data)


class Urgency(StrEnum):
    """How much room is left."""

    NONE = "none"
    SOON = "soon"
    """Near the limit: the final answer is asked for."""
    NOW = "now"
    """Past it: no tool may be called any more."""


class ReactRequest(Model):
    """A task, the tools, and all turns up to now."""

    task: LongText
    """As the bank's adapter made it: what comes from memory in it is escaped already, so it is shown as it is."""
    tools: Annotated[tuple[Tool, ...], Field(max_length=100)] = ()
    turns: Annotated[tuple[Turn, ...], Field(max_length=1000)] = ()
    urgency: Urgency = Urgency.NONE
    images: Annotated[tuple[Image, ...], Field(max_length=20)] = ()
    """Shown with the task; needs a model that sees pictures."""


class ReactResponse(Model):
    """One turn, taken apart."""

    said: Text
    """The turn as it goes into the history."""
    thought: Text = ""
    tool_calls: tuple[ToolCall, ...] = ()
    problems: tuple[Remark, ...] = ()
    """Calls that cannot be made (no JSON, no such tool) and why, to be told to the agent."""
    answer: Text | None = None
