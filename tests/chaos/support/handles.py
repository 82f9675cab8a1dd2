"""Looks for plain handles on an open database: `python -m tests.chaos.support.handles <home>`.

Closing any handle of a file drops every lock that the process holds on it, those of SQLite's connections included; so
while a connection is open, nobody in the process may open the file by other means. Prints what was opened so.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.units import commit_unit, erase_unit, read_contents, scope_of

SCOPE = scope_of("ada")
LOCKED = ("memory.db", "memory.db-shm")


async def _use_twice(home: Path, opened: list[str]) -> None:
    """Open a store, then let another in the same process do everything a store can do."""
    first = SqliteStore(home)
    await commit_unit(first, SCOPE, 1)
    opened.clear()
    second = SqliteStore(home)
    await commit_unit(second, SCOPE, 2)
    await read_contents(second, SCOPE)
    await erase_unit(second, SCOPE, 2)
    await second.check(SCOPE)
    await second.repair(SCOPE)
    await second.scopes()
    await second.close()
    found = list(opened)
    await first.close()
    opened[:] = found


def main(home: Path) -> None:
    """Listen to every file that Python opens while a store is at work."""
    opened: list[str] = []

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = os.fspath(arguments[0])
            if os.path.basename(path) in LOCKED:
                opened.append(path)

    sys.addaudithook(hear)
    asyncio.run(_use_twice(home, opened))
    print(json.dumps(opened))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
