"""The one read path from a question to what is remembered."""

from remanent.recall.fusion import reciprocal_rank
from remanent.recall.paths import FormerVectorPath, KeywordPath, Question, RecallPath, RecencyPath, VectorPath
from remanent.recall.recall import Recall
from remanent.recall.turns import EMBED, REEMBED, TURNS, Indexing

__all__ = [
    "EMBED",
    "REEMBED",
    "TURNS",
    "FormerVectorPath",
    "Indexing",
    "KeywordPath",
    "Question",
    "Recall",
    "RecallPath",
    "RecencyPath",
    "VectorPath",
    "reciprocal_rank",
]
