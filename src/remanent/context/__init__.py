"""What an agent has at hand while it works: scratchpads, and what was said and waits to be kept."""

from remanent.context.scratchpad import Scratchpad
from remanent.context.spool import SpoolFolder

__all__ = ["Scratchpad", "SpoolFolder"]
