"""Between a bank and whatever does its steps: the built-in agent, LangGraph, the OpenAI Agents SDK, anything else."""

from remanent.bank.adapter.adapter import Adapter
from remanent.bank.adapter.framework import BuiltinReact, Execution, Framework
from remanent.bank.adapter.prompt import EnhancedPrompt

__all__ = ["Adapter", "BuiltinReact", "EnhancedPrompt", "Execution", "Framework"]
