"""Extraction: what of a conversation is worth keeping for some days."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Remark, Utterance
from remanent.model import Model
from remanent.model.base import Count, Share


class FactKind(StrEnum):
    """What sort of thing was said."""

    PREFERENCE = "preference"
    """How somebody wants things, or that this changed."""
    DECISION = "decision"
    FOLLOW_UP = "follow_up"
    """Something that is still to be done or looked at again."""
    MOOD = "mood"
    """How somebody feels about it."""
    FACT = "fact"
    """Something lasting about a person, a project or the world."""
    REQUEST = "request"
    """What the user asked for."""
    COMPLETION = "completion"
    """What was finished."""


SHORT_TERM = (FactKind.PREFERENCE, FactKind.DECISION, FactKind.FOLLOW_UP, FactKind.MOOD)
"""What short-term memory keeps."""


class ExtractionRequest(Model):
    """A conversation and the sorts of things to look for."""

    utterances: Annotated[tuple[Utterance, ...], Field(min_length=1, max_length=1000)]
    kinds: Annotated[tuple[FactKind, ...], Field(min_length=1, max_length=len(FactKind))] = SHORT_TERM
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class ExtractedFact(Model):
    """One thing worth keeping, worded so that it makes sense alone."""

    kind: FactKind
    content: Annotated[Remark, Field(min_length=1)]
    reason: Remark = ""
    """Why, if that was said."""
    importance: Share = 0.5
    confirmed: bool = False
    """Set when it was said in so many words that it is to be remembered."""
    sources: Annotated[tuple[Count, ...], Field(min_length=1)]
    """The numbers, from 0, of the utterances that it came from."""


class ExtractionResponse(Model):
    """What was found, in the order of the conversation; only of the kinds that were asked for."""

    facts: tuple[ExtractedFact, ...]
