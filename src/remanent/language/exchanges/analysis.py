"""Analysis: how a new node stands to those that are there."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import Context, Keywords, Node, Remark
from remanent.model import Model
from remanent.model.base import Share
from remanent.model.ids import Id


class Phase(StrEnum):
    """What is judged in one go."""

    ORDERED = "ordered"
    """Everything in one call: conflict before merge before related."""
    CONFLICT_OR_MERGE = "conflict_or_merge"
    """The first of two calls."""
    RELATED = "related"
    """The second of two calls, made when the first found neither conflict nor merge."""


class Relationship(StrEnum):
    """How two nodes stand to each other, in the order of judgement."""

    CONFLICT = "conflict"
    MERGE = "merge"
    RELATED = "related"
    UNRELATED = "unrelated"


class AnalysisRequest(Model):
    """A new node and the candidates to judge it against."""

    new_node: Node
    candidates: Annotated[tuple[Node, ...], Field(min_length=1, max_length=50)]
    phase: Phase = Phase.ORDERED
    task: Remark = ""

    @model_validator(mode="after")
    def _check_the_ids(self) -> "AnalysisRequest":
        ids = [self.new_node.node_id, *(node.node_id for node in self.candidates)]
        if len(set(ids)) < len(ids):
            raise InvalidInput("a node is given twice; the new node and every candidate need an id of their own")
        return self


class Relation(Model):
    """How the new node stands to one candidate; fields that do not belong to the relationship are empty."""

    existing_node: Id
    relationship: Relationship
    confidence: Share
    reasoning: Remark = ""
    conflict_description: Remark = ""
    merge_strategy: Remark = ""
    context_update_new: Context = ""
    """The new context of the new node; empty leaves it as it is. The same holds for the three below."""
    context_update_existing: Context = ""
    keywords_update_new: Keywords = ()
    keywords_update_existing: Keywords = ()


class AnalysisResponse(Model):
    """One relation for every candidate, in the order in which they were given."""

    relations: tuple[Relation, ...]

    def found(self, relationship: Relationship) -> tuple[Relation, ...]:
        """Return the relations of one sort."""
        return tuple(relation for relation in self.relations if relation.relationship is relationship)


def second_phase(request: AnalysisRequest, response: AnalysisResponse) -> AnalysisRequest | None:
    """Return the second request of two, or nothing when the first found a conflict or a merge."""
    if request.phase is not Phase.CONFLICT_OR_MERGE:
        return None
    if response.found(Relationship.CONFLICT) or response.found(Relationship.MERGE):
        return None
    return request.replace(phase=Phase.RELATED)
