"""What an agent has at hand while it works: its conversation made to fit, scratchpads, and what waits to be kept."""

from typing import TYPE_CHECKING

from remanent.context.savings import Saving, Strategy
from remanent.context.scratchpad import Scratchpad, SubagentRow, missing_subagents
from remanent.context.sessions import SessionEnd, SessionInfo, Sessions
from remanent.context.spool import WaitingTurns
from remanent.context.state import Decision, SessionState, SessionStates
from remanent.late import exports

if TYPE_CHECKING:
    from remanent.context.compaction import Compactor, ContextCompactor, ContextView, Replaced
else:
    __getattr__ = exports(__name__, compaction="Compactor ContextCompactor ContextView Replaced")

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
    "Strategy",
    "SubagentRow",
    "WaitingTurns",
    "missing_subagents",
]
