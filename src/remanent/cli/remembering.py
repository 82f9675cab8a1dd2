"""Waiting for the index."""

from remanent._sync import Memory
from remanent.cli.screen import Screen


def settle(screen: Screen, memory: Memory) -> None:
    """Wait for the index, and show that there is something to wait for."""
    with screen.indexing() as report:
        memory.settle(on_progress=report)
