"""A node of the Query Graph: one topic of a task, as the store keeps it, as roles see it, and how it is searched.

The store knows only records; a node is a record of the kind `query_node`, and this module is the one place that
translates between the two.
"""

import re

from pydantic import ConfigDict, Field

from remanent.language.shapes import Context, GraphNode, Keywords, Neighbour, Summary
from remanent.model import Instant, Model, Record, Source, Status
from remanent.model.base import Text
from remanent.model.ids import Id
from remanent.model.kinds import RecordData, register_kind
from remanent.recall.recipe import PathUse, Recipe


class QueryNodeData(RecordData):
    """What a node has beyond an ordinary record; its summary is the record's content."""

    context: Text = ""


QUERY_NODE = register_kind("query_node", QueryNodeData)


UNRESOLVED = "unresolved"
"""The tag of a node whose conflict no validation could settle; prompts show it, so that nobody takes it for a fact."""

RELATED = "related"
"""The one kind of edge. Conflict and merge are states that the analysis finds, never edges."""


_BULLET = re.compile(r"^\s*(?:[-*•]\s+|(?:Reasoning|逻辑)[:：])")


class QueryNode(Model):
    """One topic: what is known about it, what it is about in one sentence, how it is found, and since when."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    id: Id
    summary: Summary
    context: Context = ""
    keywords: Keywords = ()
    timestamp: Instant
    embedding: dict[str, bytes] = Field(default_factory=dict)
    """By embedding model: little-endian float32; empty where a vector database keeps it."""
    provisional: bool = False
    """Whether it waits for a conflict to be validated."""
    unresolved: bool = False
    """Whether a validation could not decide if it is right."""
    sources: tuple[Source, ...] = ()
    """The spans of the journal that it was made from; its trees show them."""

    @property
    def shown(self) -> GraphNode:
        """The node as a role sees it: without embedding and edges, which would only fill the prompt."""
        return GraphNode(
            node_id=self.id,
            summary=self.summary,
            context=self.context,
            keywords=self.keywords,
            timestamp=self.timestamp,
            texts=tuple(dict.fromkeys(source.entry_id for source in self.sources)),
        )

    @property
    def beside(self) -> Neighbour:
        """The node as the integration role sees a neighbour: it may reword these, but not the summary."""
        return Neighbour(node_id=self.id, context=self.context, keywords=self.keywords)

    @property
    def text(self) -> str:
        """The text that it is found by."""
        return f"{node_label(self.context, self.keywords)}\n{self.summary}".strip()


def node_label(context: str, keywords: tuple[str, ...]) -> str:
    """Return what a node is about; with the summary it is what its embedding is computed from, as the design has it."""
    return "\n".join(part for part in (context, ", ".join(keywords)) if part)


def summary_lines(summary: str) -> list[str]:
    """Return what a summary says, line by line, without its headings and bullets."""
    lines = [_BULLET.sub("", line).strip() for line in summary.splitlines()]
    return [line for line in lines if line and line[-1] not in ":："]


def node_of(record: Record, *, embedding: dict[str, bytes]) -> QueryNode:
    """Return the node that a record keeps."""
    assert isinstance(record.data, QueryNodeData), "a query node carries its own data"
    return QueryNode(
        id=record.id,
        summary=record.content,
        context=record.data.context,
        keywords=record.keywords,
        timestamp=record.created_at,
        embedding=embedding,
        provisional=record.status is Status.PROVISIONAL,
        unresolved=UNRESOLVED in record.tags,
        sources=record.sources,
    )


_POOL = 50
"""Nodes that words and embeddings each name. Of what only one of them names the other tells its score as well, so that
just what both have behind 50 others is missed: of 120 questions to 400 paragraphs (HotpotQA) that was none of the
first five. With 200 a search among 10,000 nodes took twice as long."""

BANK = Recipe(
    name="bank",
    paths={"keyword": PathUse(weight=0.5, limit=_POOL, scale="best"), "vector": PathUse(weight=0.5, limit=_POOL)},
    other=None,
    fusion="sum",
    flood_share=1.0,
)
"""The design's score, `alpha * attribute + (1 - alpha) * embedding`, with its weight; `with_alpha` sets another.
Nothing else counts: no boosts, no surroundings, no diversity."""
