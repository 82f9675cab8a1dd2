"""What an agent has at hand while it works: its conversation made to fit, scratchpads, and what waits to be kept."""

from remanent.context.compaction import (
    Compactor,
    ContextCompactor,
    ContextView,
    Replaced,
    Saving,
    Strategy,
)
from remanent.context.scratchpad import Scratchpad, SubagentRow, missing_subagents
from remanent.context.sessions import SessionEnd, SessionInfo, Sessions
from remanent.context.spool import SpoolFolder
from remanent.context.state import Decision, SessionState, SessionStates

__all__ = [
    "Compactor",
    "ContextCompactor",
    "ContextView",
    "Decision",
    "Replaced",
    "Saving",
    "Scratchpad",
    "SessionEnd",
    "SessionInfo",
    "SessionState",
    "SessionStates",
    "Sessions",
    "SpoolFolder",
    "Strategy",
    "SubagentRow",
    "missing_subagents",
]
