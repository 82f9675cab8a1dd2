"""HyDE: a made-up answer, whose vector finds the real one better than the question's does."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Remark
from remanent.model import Model

LONGEST_PASSAGE = 800


class HydeRequest(Model):
    """A question."""

    question: Annotated[Remark, Field(min_length=1)]


class HydeResponse(Model):
    """A passage as it could stand in a document that answers the question; for searching, never for showing."""

    passage: Annotated[Remark, Field(min_length=1, max_length=LONGEST_PASSAGE)]
