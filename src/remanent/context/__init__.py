"""An agent's working context: its conversation made to fit, sessions, scratchpads, and turns waiting to be stored."""

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
