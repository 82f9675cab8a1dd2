"""Telling the other processes of a database that there is work, so that none waits for its next look.

After a commit and never inside it, where NOTIFY would make commits wait for each other (measured: half the writes a
second); what comes close together is told once. Whoever misses a word finds the work at its next poll.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from remanent.errors import RemanentError
from remanent.model import Scope
from remanent.stores.postgres.connection import ConnectionPool, translated

CHANNEL: Final = "remanent_work"
_GAP: Final = 0.02
"""Seconds between two words: agents that get work meanwhile are named together."""
_RECONNECT: Final = 1.0
"""Seconds before listening is tried again; meanwhile work is found by looking, only later."""
_TELL = f"SELECT pg_notify('{CHANNEL}', word) FROM unnest(%s::text[]) AS word"
_FAILURES = (RemanentError, psycopg.Error, OSError)

_logger = logging.getLogger(__name__)


class Wakeups:
    """One process's word to the others, and theirs to it."""

    def __init__(self, url: str, connections: ConnectionPool, heard: Callable[[Scope], None]) -> None:
        self._url = url
        self._connections = connections
        self._heard = heard
        self._name = secrets.token_hex(8)
        self._waiting: set[Scope] = set()
        self._telling: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    def tell(self, scope: Scope) -> None:
        """Have the others look at an agent, soon."""
        self._waiting.add(scope.owner)
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell(), name="remanent notify")

    async def _tell(self) -> None:
        """Tell other processes which agents have work, all that waits at once and then none for a moment.

        It is a courtesy: whoever does not hear of it looks at the queue by itself a little later, so failures are let
        pass.
        """
        try:
            while self._waiting:
                scopes, self._waiting = self._waiting, set()
                words = [json.dumps([self._name, one.org, one.workspace, one.agent]) for one in scopes]
                with translated():
                    async with self._connections.connection() as connection:
                        await connection.execute(_TELL.encode(), (words,))
                await asyncio.sleep(_GAP)
        except _FAILURES as error:
            _logger.debug("other processes are not told of work: %s", type(error).__name__)
        finally:
            self._telling = None

    async def listen(self) -> None:
        """Hear of the others' work from now on; the first call returns when this is so, or cannot be yet."""
        if self._listening is None:
            begun = asyncio.Event()
            self._listening = asyncio.create_task(self._listen(begun), name="remanent listen")
            await begun.wait()

    async def _listen(self, begun: asyncio.Event) -> None:
        """Hear which agents have work, and connect again after a while whenever the connection is lost.

        `begun` is set either way: who waits for the listening to begin must not wait for a database that is away.
        """
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self._url, autocommit=True, application_name="remanent listen", connect_timeout=10
                ) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}".encode())
                    begun.set()
                    async for word in connection.notifies():
                        self._hear(word.payload)
            except _FAILURES as error:
                _logger.debug("the database is not listened to: %s", type(error).__name__)
            finally:
                begun.set()
            await asyncio.sleep(_RECONNECT)

    def _hear(self, payload: str) -> None:
        """Take up a word of another process; whatever else somebody says there is no word of ours."""
        with suppress(ValueError, TypeError, RemanentError):
            name, org, workspace, agent = json.loads(payload)
            if name != self._name:
                self._heard(Scope(org=org, workspace=workspace, agent=agent))

    async def close(self) -> None:
        """Say and hear nothing more."""
        tasks = [task for task in (self._telling, self._listening) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
