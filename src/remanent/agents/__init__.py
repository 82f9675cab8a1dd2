"""Agents that think, call tools and answer; the tools they have; the limits they keep."""

from remanent.agents.journal import EntryJournal
from remanent.agents.react import Limits, Outcome, ReactAgent, Stop
from remanent.agents.tools import AgentTool, File, FunctionTool, Listener, Step, ToolOutput

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
