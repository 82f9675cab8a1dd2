"""A memory that forgets as people do, and knows it: linked nodes, focuses, decay, compression."""

from remanent.associative.associations import REMEMBER, Associations
from remanent.associative.compressors import Compressor, KeySentences, Levels, RoleCompressor, Shortened
from remanent.associative.links import LinkHealth
from remanent.associative.memory import AsyncAssociativeMemory
from remanent.associative.path import AssociativePath
from remanent.associative.taking import Taken
from remanent.associative.words import (
    AssociativeFound,
    DanglingLink,
    Forgotten,
    GraphState,
    Hop,
    Node,
    RecalledNode,
)

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
    "Node",
    "RecalledNode",
    "RoleCompressor",
    "Shortened",
    "Taken",
]
