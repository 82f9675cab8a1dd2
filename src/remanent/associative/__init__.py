"""A memory that forgets as people do, and knows it: linked nodes, focuses, decay, compression."""

from remanent.associative.compression import Compressor, KeySentences, Levels, RoleCompressor, ShortenedText
from remanent.associative.discipline import AssociativePath
from remanent.associative.graph_store import LinkHealth
from remanent.associative.memory import REMEMBER, Associations, AsyncAssociativeMemory
from remanent.associative.model import AssociativeFound, DanglingLink, Forgotten, GraphState, Hop, Node, RecalledNode
from remanent.associative.triples import LoadedTriples

__all__ = [
    "REMEMBER",
    "Associations",
    "AssociativeFound",
    "AssociativePath",
    "AsyncAssociativeMemory",
    "Compressor",
    "DanglingLink",
    "Forgotten",
    "GraphState",
    "Hop",
    "KeySentences",
    "Levels",
    "LinkHealth",
    "LoadedTriples",
    "Node",
    "RecalledNode",
    "RoleCompressor",
    "ShortenedText",
]
