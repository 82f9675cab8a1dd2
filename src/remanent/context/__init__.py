"""What an agent has at hand while it works: its conversation made to fit, scratchpads, and what waits to be kept."""

from typing import TYPE_CHECKING

from remanent.context.sessions import (
    Decision,
    Scratchpad,
    SessionEnd,
    SessionInfo,
    Sessions,
    SessionState,
    SessionStates,
)
from remanent.lightweight import exports
from remanent.model.statistics import Strategy

if TYPE_CHECKING:
    from remanent.context.compaction import Compactor, ContextView
else:
    __getattr__ = exports(__name__, compaction="Compactor ContextView")

__all__ = [
    "Compactor",
    "ContextView",
    "Decision",
    "Scratchpad",
    "SessionEnd",
    "SessionInfo",
    "SessionState",
    "SessionStates",
    "Sessions",
    "Strategy",
]
