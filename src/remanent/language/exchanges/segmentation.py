"""Segmentation: what was said becomes short pieces that each make sense alone."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Place, Utterance
from remanent.model import Model
from remanent.model.base import Text

LONGEST_SEGMENT = 200


class SegmentationRequest(Model):
    """What was said, and what was said before it, for telling who and what is meant."""

    utterances: Annotated[tuple[Utterance, ...], Field(min_length=1, max_length=1000)]
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()


class Segment(Model):
    """One piece with its pronouns resolved, and where it came from."""

    text: Annotated[Text, Field(min_length=1, max_length=LONGEST_SEGMENT)]
    places: Annotated[tuple[Place, ...], Field(min_length=1)]


class SegmentationResponse(Model):
    """The pieces in the order of what was said; empty when nothing in it is worth a memory."""

    segments: tuple[Segment, ...]
