"""What an agent has at hand while it works: scratchpads."""

from remanent.context.scratchpad import Scratchpad

__all__ = ["Scratchpad"]
