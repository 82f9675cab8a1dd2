"""Relation naming: what a new node has to do with each of those in focus."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import LongText
from remanent.model import Model
from remanent.model.base import Text

LONGEST_RELATION = 20


class RelationNamingRequest(Model):
    """A node's content and the contents of the nodes in focus; all are named in one call."""

    node: LongText
    focuses: Annotated[tuple[LongText, ...], Field(min_length=1, max_length=50)]


class RelationNamingResponse(Model):
    """A name for each focus, in their order: 2 to 4 characters in Chinese, a word or two in English, empty if none."""

    relations: tuple[Annotated[Text, Field(max_length=LONGEST_RELATION)], ...]
