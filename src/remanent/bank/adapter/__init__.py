"""Between a bank and whatever does its steps: the built-in agent, LangGraph, the OpenAI Agents SDK, anything else."""
