"""Documents that agents can stand on: added, cut, indexed, searched, cited and checked against."""

from remanent.knowledge.discipline import KnowledgeBase
from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from remanent.knowledge.model import (
    Added,
    Document,
    DocumentChunk,
    DocumentView,
    KnowledgeAnswer,
    KnowledgeFound,
    KnowledgeStats,
    Passage,
    SyncReport,
    Technique,
    Verification,
)
from remanent.knowledge.search import KNOWLEDGE

__all__ = [
    "KNOWLEDGE",
    "Added",
    "AsyncKnowledgeBases",
    "AsyncKnowledgeCollection",
    "Document",
    "DocumentChunk",
    "DocumentView",
    "KnowledgeAnswer",
    "KnowledgeBase",
    "KnowledgeFound",
    "KnowledgeStats",
    "Passage",
    "SyncReport",
    "Technique",
    "Verification",
]
