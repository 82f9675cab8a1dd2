"""Between a bank and whatever does its steps: the built-in agent, LangGraph, the OpenAI Agents SDK, anything else."""

from remanent.bank.adapter.adapter import Adapter
from remanent.bank.adapter.framework import BuiltinReact, EnhancedPrompt, Execution, Framework

__all__ = ["Adapter", "BuiltinReact", "EnhancedPrompt", "Execution", "Framework"]
