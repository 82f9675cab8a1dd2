"""How much the engine does for something, counted in its own steps, however busy the machine is."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

T = TypeVar("T")


def count_steps(home: Path, ask: Callable[[apsw.Connection], T]) -> tuple[int, T]:
    """Return how many steps of ten instructions a question to the only store of a folder takes, and its answer."""
    [path] = home.rglob("memory.db")
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(count, 10)
    found = ask(connection)
    connection.close()
    return steps, found
