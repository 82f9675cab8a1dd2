"""Reranking: which of some passages answer a question best."""

from typing import Annotated

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import LongText, Remark
from remanent.model import Model
from remanent.model.base import Share
from remanent.model.ids import Id


class RankedPassage(Model):
    """A passage and how well it answers, from 0 to 1."""

    passage_id: Id
    score: Share


class Passage(Model):
    """A passage that may answer the question."""

    passage_id: Id
    text: LongText


class RerankingRequest(Model):
    """A question and passages, in the order in which they were found."""

    query: Annotated[Remark, Field(min_length=1)]
    passages: Annotated[tuple[Passage, ...], Field(min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _check_the_ids(self) -> "RerankingRequest":
        if len({passage.passage_id for passage in self.passages}) < len(self.passages):
            raise InvalidInput("a passage is given twice; every passage needs an id of its own")
        return self


class RerankingResponse(Model):
    """Every passage once, best first; those of equal score stay in the order in which they were given."""

    ranked: tuple[RankedPassage, ...]
