"""Between a bank and whatever does its steps: the built-in agent, LangGraph, the OpenAI Agents SDK, anything else."""

from remanent.bank.adapter.adapter import AsyncAdapter
from remanent.bank.adapter.framework import BuiltinReact, EnhancedPrompt, Execution, Framework

__all__ = ["AsyncAdapter", "BuiltinReact", "EnhancedPrompt", "Execution", "Framework"]
