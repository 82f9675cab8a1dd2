"""A server that runs beside a test, for clients that block."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.rest.conftest import Served, running


@contextmanager
def serving(home: Path, **server: Any) -> Iterator[Served]:
    """Run a server in a thread of its own, for clients that block."""
    begun, done, found = threading.Event(), threading.Event(), []

    async def run() -> None:
        async with running(home, **server) as served:
            found.append(served)
            begun.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    try:
        assert begun.wait(30)
        yield found[0]
    finally:
        done.set()
        thread.join()
