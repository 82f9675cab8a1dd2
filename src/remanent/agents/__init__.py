"""Agents that think, call tools and answer; the tools they have; the limits they keep."""

from remanent.agents.react import AgentResult, Limits, ReactAgent, StopReason
from remanent.agents.tools import AgentStep, AgentTool, File, FunctionTool, StepListener, ToolOutput

__all__ = [
    "AgentResult",
    "AgentStep",
    "AgentTool",
    "File",
    "FunctionTool",
    "Limits",
    "ReactAgent",
    "StepListener",
    "StopReason",
    "ToolOutput",
]
