"""A memory that forgets as people do, and knows it: linked nodes, focuses, decay, compression."""

from typing import TYPE_CHECKING

from remanent.late import exports

if TYPE_CHECKING:
    from remanent.associative.compression import Compressor, KeySentences, Levels, RoleCompressor, ShortenedText
    from remanent.associative.discipline import Associative, AssociativePath
    from remanent.associative.face import AsyncAssociativeMemory, MemoryManager
    from remanent.associative.memory import Associations
    from remanent.associative.model import (
        REMEMBER,
        AssociativeFound,
        DanglingLink,
        Forgotten,
        GraphState,
        Hop,
        Knowledge,
        LinkHealth,
        Node,
        RecalledNode,
    )
    from remanent.associative.triples import LoadedTriples
else:
    __getattr__ = exports(
        __name__,
        compression="Compressor KeySentences Levels RoleCompressor ShortenedText",
        discipline="Associative AssociativePath",
        face="AsyncAssociativeMemory MemoryManager",
        memory="Associations",
        model="LinkHealth REMEMBER AssociativeFound DanglingLink Forgotten GraphState Hop Knowledge Node RecalledNode",
        triples="LoadedTriples",
    )

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
