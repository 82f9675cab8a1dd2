"""What was saved, in tokens, by which strategy: of conversations made to fit, and of briefings.

It stands apart from the compactor, which is slow to import, because briefings report by it as well.
"""

from enum import StrEnum

from remanent.model import Model
from remanent.model.base import Count


class Strategy(StrEnum):
    """What made a conversation, or what a model is told beside it, shorter."""

    CLEANING = "cleaning"
    """Messages that a provider would refuse, or that stood there twice, went."""
    SYSTEM_PROMPTS = "system prompts"
    TOOL_RESULTS = "tool results"
    ATTACHMENTS = "attachments"
    SUMMARIES = "summaries"
    DIGEST = "digest"
    CUTTING = "cutting"
    """Of a message that has no room alone, the beginning, what the question needs, and the end stayed."""
    RETENTION = "retention"
    """What had no room went by its rank: history first, then results of tools."""
    RECALL = "on-demand recall"
    """What belongs to the message was told in place of all memories."""
    SHARING = "shared context"
    """What the workspace shares and the agent knows itself was told once."""


class Saving(Model):
    """What one strategy did to the number of tokens."""

    strategy: Strategy
    before: Count
    after: Count
