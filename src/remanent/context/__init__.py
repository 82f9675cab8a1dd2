"""What an agent has at hand while it works: its conversation made to fit, scratchpads, and what waits to be kept."""

from remanent.context.compaction import (
    Compactor,
    ContextCompactor,
    ContextView,
    Replaced,
    Saving,
    Strategy,
)
from remanent.context.scratchpad import Scratchpad
from remanent.context.sessions import SessionEnd, SessionInfo, Sessions
from remanent.context.spool import SpoolFolder

__all__ = [
    "Compactor",
    "ContextCompactor",
    "ContextView",
    "Replaced",
    "Saving",
    "Scratchpad",
    "SessionEnd",
    "SessionInfo",
    "Sessions",
    "SpoolFolder",
    "Strategy",
]
