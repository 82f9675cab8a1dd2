"""Whether a store has anything to say to a question, and how that was judged."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.model.base import Model, Share, Text


class GateReason(StrEnum):
    """Why the gate let an answer pass or held it back."""

    NEAR = "near"
    """Enough speaks for an answer."""
    STRANGE = "strange"
    """No more speaks for an answer than for a question that belongs to nobody here."""
    VAGUE = "vague"
    """The question names nothing that could be missing, so that nothing speaks against an answer."""
    WORDLESS = "wordless"
    """There is no word in the question."""
    UNMEASURED = "unmeasured"
    """Too little is known of this store and its models to judge by."""


class GateVerdict(Model):
    """What the gate found; the scores of one store can be compared, those of different stores roughly."""

    passed: bool
    reason: GateReason
    score: float = 0.0
    threshold: float = 0.0
    measured: bool = False
    """Whether the threshold comes from this store, and not from what is usual."""
    coverage: Share = 0.0
    """How much of what the question asks for, by the weight of its words, the best candidate names."""
    speaker_lead: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Where the question names one of those who spoke: how much more of it this one's words name than others' do."""
    nearness: dict[Text, float] = Field(default_factory=dict)
    """By path, how much nearer in meaning the best candidate is than a stranger's, in standard deviations."""
