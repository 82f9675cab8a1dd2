"""A memory that forgets as people do, and knows it: linked nodes, focuses, decay, compression."""

from remanent.associative.compression import Compressor, KeySentences, Levels, RoleCompressor, ShortenedText
from remanent.associative.discipline import Associative, AssociativePath
from remanent.associative.graph_store import LinkHealth
from remanent.associative.memory import REMEMBER, Associations, AsyncAssociativeMemory
from remanent.associative.model import (
    AssociativeFound,
    DanglingLink,
    Forgotten,
    GraphState,
    Hop,
    Knowledge,
    Node,
    RecalledNode,
)
from remanent.associative.triples import LoadedTriples

MemoryManager = AsyncAssociativeMemory
"""The design's name for it."""

__all__ = [
    "REMEMBER",
    "Associations",
    "Associative",
    "AssociativeFound",
    "AssociativePath",
    "AsyncAssociativeMemory",
    "Compressor",
    "DanglingLink",
    "Forgotten",
    "GraphState",
    "Hop",
    "KeySentences",
    "Knowledge",
    "Levels",
    "LinkHealth",
    "LoadedTriples",
    "MemoryManager",
    "Node",
    "RecalledNode",
    "RoleCompressor",
    "ShortenedText",
]
