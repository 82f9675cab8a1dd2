"""A node of the Query Graph: one topic, as a record of the store and as the roles see it."""

from pydantic import ConfigDict, Field

from remanent.bank.kinds import QUERY_NODE, QueryNodeData
from remanent.language.shapes import Context, GraphNode, Keywords, Neighbour, Summary
from remanent.model import Instant, Maker, Model, Record, Scope, Source, Status
from remanent.model.entry import Origin
from remanent.model.ids import Id

UNRESOLVED = "unresolved"
"""The tag of a node that stands in a conflict which no validation could settle."""

RELATED = "related"
"""The one sort of edge."""


class QueryNode(Model):
    """One topic: what is known of it, what it is about, how it is found, and since when it is there."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    id: Id
    summary: Summary
    context: Context = ""
    keywords: Keywords = ()
    timestamp: Instant
    embedding: dict[str, bytes] = Field(default_factory=dict)
    """By embedding model: little-endian float32; empty where a vector database keeps it."""
    provisional: bool = False
    """Whether it waits for the validation of a conflict."""
    unresolved: bool = False
    """Whether a validation left open if it is right."""
    sources: tuple[Source, ...] = ()
    """The spans of the journal that its trees show."""

    @property
    def shown(self) -> GraphNode:
        """The node as a role sees it: no embedding, no edges."""
        return GraphNode(
            node_id=self.id,
            summary=self.summary,
            context=self.context,
            keywords=self.keywords,
            timestamp=self.timestamp,
        )

    @property
    def beside(self) -> Neighbour:
        """The node as a neighbour of those at hand."""
        return Neighbour(node_id=self.id, context=self.context, keywords=self.keywords)

    @property
    def text(self) -> str:
        """What it is embedded and found by."""
        return embedding_text(self.summary, self.context, self.keywords)


def embedding_text(summary: str, context: str, keywords: tuple[str, ...]) -> str:
    """Return the text of which a node's embedding is made."""
    return "\n".join(part for part in (context, ", ".join(keywords), summary) if part)


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


def record_of(node: QueryNode, *, scope: Scope, made_by: Maker, trust: Origin) -> Record:
    """Return the first version of the record that keeps a node."""
    return Record(
        id=node.id,
        scope=scope,
        kind=QUERY_NODE,
        content=node.summary,
        summary=node.context,
        keywords=node.keywords,
        tags=(UNRESOLVED,) if node.unresolved else (),
        created_at=node.timestamp,
        updated_at=node.timestamp,
        occurred_at=node.timestamp,
        status=Status.PROVISIONAL if node.provisional else Status.ACTIVE,
        sources=node.sources,
        trust=trust,
        made_by=made_by,
        data=QueryNodeData(context=node.context),
    )
