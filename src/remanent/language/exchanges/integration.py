"""Integration: several nodes become one, or stay apart when nothing settles what they disagree on."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import LONGEST_TEXT, Context, Keywords, Neighbour, Node, Remark, Summary
from remanent.model import Model
from remanent.model.base import Text
from remanent.model.ids import Id


class Trigger(StrEnum):
    """Why nodes are integrated."""

    MERGE = "merge"
    CONFLICT = "conflict"


class Outcome(StrEnum):
    """Whether one node came of it."""

    INTEGRATED = "integrated"
    UNRESOLVED = "unresolved"
    """The validation settled nothing, or refuted every side: all nodes stay."""


class IntegrationRequest(Model):
    """Nodes to make one of, those around them, and what a validation of their conflict found."""

    nodes: Annotated[tuple[Node, ...], Field(min_length=2, max_length=20)]
    neighbours: Annotated[tuple[Neighbour, ...], Field(max_length=100)] = ()
    """Every neighbour of any of the nodes, once."""
    trigger: Trigger = Trigger.MERGE
    description: Remark = ""
    """What they disagree on, or the strategy that the analysis proposed for the merge."""
    validation: Annotated[Text, Field(max_length=LONGEST_TEXT)] = ""
    """What the validation of a conflict found: the authority."""

    @model_validator(mode="after")
    def _check_the_parts(self) -> "IntegrationRequest":
        ids = [*(node.node_id for node in self.nodes), *(neighbour.node_id for neighbour in self.neighbours)]
        if len(set(ids)) < len(ids):
            raise InvalidInput("a node is given twice; nodes and neighbours need ids of their own")
        if self.trigger is Trigger.CONFLICT and not self.validation.strip():
            raise InvalidInput("a conflict is integrated by its validation; with none, record it as unresolved")
        return self


class NeighbourUpdate(Model):
    """What a neighbour is about, now that it stands beside the integrated node."""

    node_id: Id
    context: Context
    keywords: Keywords


class IntegrationResponse(Model):
    """The content of the integrated node, or why there is none."""

    outcome: Outcome
    summary: Summary = ""
    context: Context = ""
    keywords: Keywords = ()
    neighbour_updates: tuple[NeighbourUpdate, ...] = ()
    interaction_tree_description: Remark
    """What was done and why, for the history; for `unresolved`, what stands against what."""
    upheld: tuple[Id, ...] = ()
    """Nodes that the validation found right; empty when it says of none."""

    @model_validator(mode="after")
    def _check_the_outcome(self) -> "IntegrationResponse":
        if self.outcome is Outcome.INTEGRATED and not self.summary.strip():
            raise InvalidInput("an integrated node needs a summary")
        if self.outcome is Outcome.UNRESOLVED and (self.summary or self.neighbour_updates or self.upheld):
            raise InvalidInput("an unresolved conflict has no summary, no updates and nothing upheld")
        return self
