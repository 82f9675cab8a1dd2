"""The types of the associative memory: nodes, what a recall finds, and what is left of the forgotten."""

from enum import StrEnum

from remanent.model import Found, FoundItem, Instant, Link, Model, Source
from remanent.model.base import Count, Share, Text
from remanent.model.ids import Id
from remanent.model.kinds import RecordData, register_kind

REMEMBER = "associative.remember"
"""The job that makes nodes of entries."""
COMPRESS = "associative.compress"
"""The job that looks at nodes, and its lane: beside the one of remember and recall, which never wait for it."""

REWRITE = "associative.rewrite"
"""The job that has texts made shorter, and its lane."""

EARLIER = "上文"
"""The relation from a node to one that was said before it in the same batch."""

LATER = "下文"
"""The relation from a node to one that was said after it in the same batch."""


class Knowledge(StrEnum):
    """What a recall can say of what was asked."""

    KNOWN = "known"
    """It lies near what is in focus: where the design's search looks, or in the same day's talk."""
    FURTHER_AWAY = "further_away"
    """It is known, lies further away and was told earlier."""
    FORGOTTEN = "forgotten"
    """It was once known; what is left says that much."""
    NEVER_TOLD = "never_told"


class Node(Model):
    """One memory of the graph."""

    id: Id
    content: Text
    phrase: Text = ""
    keywords: tuple[Text, ...] = ()
    created_at: Instant
    occurred_at: Instant
    scan_count: Count = 0
    original_length: Count = 0


class Hop(Model):
    """One link that a search followed."""

    from_id: Id
    to_id: Id
    relation: Text = ""
    strength: Share


class NodeMatch(Model):
    """A node that answers, and how it came to mind."""

    node: Node
    matched_keywords: tuple[Text, ...] = ()
    similarity: float | None = None
    """The cosine to what was asked, when the node was found by meaning."""
    focus_id: Id | None = None
    """Where its path begins; nothing when it was found by words or meaning too far away to have one."""
    strength: Share = 0.0
    """The product of the strengths of its hops; 1 for a focus itself, 0 without a path."""
    hops: tuple[Hop, ...] = ()
    distance: Count | None = None
    """How many hops it is away from that focus; nothing when it is further than was looked."""


class DanglingLink(Hop):
    """A link whose far end was deleted: that there was something is still known."""


class LinkHealth(Model):
    """The links of a node, told apart by whether their far end is still there."""

    valid: tuple[Link, ...]
    dangling: tuple[DanglingLink, ...]


class Forgotten(Model):
    """What is left of a deleted node, and from where it could be made again."""

    node_id: Id
    about: Text
    keywords: tuple[Text, ...] = ()
    learned_at: Instant
    forgotten_at: Instant
    size: Count
    reason: Text = ""
    sources: tuple[Source, ...] = ()
    """The journal entries that it came from."""


class RecalledNode(NodeMatch, FoundItem):
    """A node that a recall found, with its sources like any other item, and how it came to mind.

    Its score says how well it answers; in an exact search, the strength of its path.
    """


class AssociativeFound(Found):
    """The answer to a recall, the best first, with what was forgotten."""

    items: tuple[RecalledNode, ...] = ()
    dangling: tuple[DanglingLink, ...] = ()
    """Links to deleted nodes that were met on the way."""
    once_known: tuple[Forgotten, ...] = ()
    """Deleted nodes that the keywords ask about."""
    knowledge: Knowledge | None = None
    """What that says of what was asked; an exact search that finds nothing does not say, nor words in another language
    than all that was told."""
    not_in_graph: Count = 0
    """Messages that were remembered and are no nodes yet: their turn has not come, or a model is out of order."""


class CompressionDecision(StrEnum):
    """What a compression does with a node."""

    DELETED = "deleted"
    KEPT = "kept"
    """Left as it is: the text is short enough for the node's importance."""
    SHORTENED = "shortened"
    """Its text is to be made shorter."""


class GraphState(Model):
    """How the graph stands."""

    nodes: Count = 0
    links: Count = 0
    """Links that are not broken, those that dangle included."""
    dangling: Count = 0
    characters: Count = 0
    """Of all contents together."""
    mean_strength: float = 0.0
    """Of the links that are not broken."""
    focuses: tuple[Id, ...] = ()
    """Newest first."""
    forgotten: Count = 0
    """How many nodes were deleted and not restored."""


class TraceData(RecordData):
    """A node of the associative memory; its links are those of its record."""

    original_length: Count = 0
    """Length of the content before any compression: the measure of every target length."""


TRACE = register_kind("trace", TraceData, section="recent_episodes")
