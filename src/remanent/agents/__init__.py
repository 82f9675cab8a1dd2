"""Agents that think, call tools and answer; the tools they have; the limits they keep."""

from remanent.agents.journal import EntryJournal
from remanent.agents.limits import Limits
from remanent.agents.react import Outcome, ReactAgent, Stop
from remanent.agents.steps import File, Listener, Step
from remanent.agents.tools import AgentTool, FunctionTool, ToolOutput

__all__ = [
    "AgentTool",
    "EntryJournal",
    "File",
    "FunctionTool",
    "Limits",
    "Listener",
    "Outcome",
    "ReactAgent",
    "Step",
    "Stop",
    "ToolOutput",
]
