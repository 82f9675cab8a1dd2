"""The built-in paths of recall."""

from remanent.recall.paths.entity import EntityPath
from remanent.recall.paths.graph import GraphPath
from remanent.recall.paths.keyword import KeywordPath
from remanent.recall.paths.recency import RecencyPath
from remanent.recall.paths.time import TimePath
from remanent.recall.paths.vector import FormerVectorPath, VectorPath

__all__ = ["EntityPath", "FormerVectorPath", "GraphPath", "KeywordPath", "RecencyPath", "TimePath", "VectorPath"]
