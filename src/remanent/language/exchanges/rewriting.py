"""Rewriting: a question becomes several that find more."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Remark, Utterance
from remanent.model import Model

LONGEST_QUERY = 300


class RewritingRequest(Model):
    """A question, and what was said right before it, for telling what it is about."""

    query: Annotated[Remark, Field(min_length=1)]
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()
    count: Annotated[int, Field(ge=1, le=10)] = 3


class RewritingResponse(Model):
    """Other wordings of the question, best first; the question itself is not among them."""

    queries: tuple[Annotated[Remark, Field(min_length=1, max_length=LONGEST_QUERY)], ...]
