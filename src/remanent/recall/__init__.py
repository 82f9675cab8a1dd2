"""The one read path from a question to what is remembered."""

from remanent.recall.answerability import names_an_owner
from remanent.recall.answers import AnswerCache
from remanent.recall.calibration import Calibration
from remanent.recall.echoes import Echoes
from remanent.recall.evaluation import evaluate_recall
from remanent.recall.gate import GATE, Gate
from remanent.recall.indexing import EMBED, REEMBED, TURNS, Indexing
from remanent.recall.injection import INJECTED_ITEMS, inject, nothing_told
from remanent.recall.paths import (
    Candidate,
    GraphPath,
    InMemoryPath,
    KeywordPath,
    RecallPath,
    RecencyPath,
    RowTable,
    TimePath,
)
from remanent.recall.question import Question
from remanent.recall.ranker import PATIENT, AnswerOptions, Ranked, Ranker
from remanent.recall.recall import Finish, Recall
from remanent.recall.recipe import PathUse, Recipe
from remanent.recall.vector_path import Coverage, FormerVectorPath, VectorPath
from remanent.recall.windows import FINER, FinerState
from remanent.text.tokens import ROUGH

__all__ = [
    "EMBED",
    "FINER",
    "GATE",
    "INJECTED_ITEMS",
    "PATIENT",
    "REEMBED",
    "ROUGH",
    "TURNS",
    "AnswerCache",
    "AnswerOptions",
    "Calibration",
    "Candidate",
    "Coverage",
    "Echoes",
    "FinerState",
    "Finish",
    "FormerVectorPath",
    "Gate",
    "GraphPath",
    "InMemoryPath",
    "Indexing",
    "KeywordPath",
    "PathUse",
    "Question",
    "Ranked",
    "Ranker",
    "Recall",
    "RecallPath",
    "RecencyPath",
    "Recipe",
    "RowTable",
    "TimePath",
    "VectorPath",
    "evaluate_recall",
    "inject",
    "names_an_owner",
    "nothing_told",
]
