"""Intent: what sort of message it is, which decides where memories are looked for."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import LongText, Utterance
from remanent.model import Model
from remanent.model.base import Share, Text


class Intent(StrEnum):
    """What a message is after."""

    NEW_TASK = "new_task"
    FOLLOW_UP = "follow_up"
    BUG_FIX = "bug_fix"
    PREFERENCE = "preference"
    CROSS_AGENT = "cross_agent"


AgentName = Annotated[Text, Field(min_length=1, max_length=64)]


class IntentRequest(Model):
    """A message, what was said right before it, and the other agents that it could be for."""

    message: LongText
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()
    agents: Annotated[tuple[AgentName, ...], Field(max_length=100)] = ()


class IntentResponse(Model):
    """What the message is after, and how sure that is."""

    intent: Intent
    confidence: Share
    target_agent: AgentName | None = None
    """For a cross-agent task, the agent that it is for, if it is one of those given."""
