"""Documents that agents can stand on: added, cut, indexed, searched, cited and checked against."""

from typing import TYPE_CHECKING

from remanent.late import exports

if TYPE_CHECKING:
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
    from remanent.knowledge.recipe import KNOWLEDGE
else:
    __getattr__ = exports(
        __name__,
        discipline="KnowledgeBase",
        face="AsyncKnowledgeBases AsyncKnowledgeCollection",
        model="Added Document DocumentChunk DocumentView KnowledgeAnswer KnowledgeFound KnowledgeStats Passage "
        "SyncReport Technique Verification",
        recipe="KNOWLEDGE",
    )

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
