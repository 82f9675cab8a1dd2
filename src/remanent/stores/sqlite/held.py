"""A reader that keeps to one moment: a reading transaction that stays open from one question to the next.

Writers go on beside it, and what they write stays in the log until it has gone. The log cannot be cut before, either,
so that an erasure waits for it: whoever holds one looks for erasures (`snapshot.py`).
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import apsw

from remanent.errors import StoreBusy, StoreClosed
from remanent.model import Scope
from remanent.stores.queries import Query, StandingQuery
from remanent.stores.sqlite.connection import translated
from remanent.stores.sqlite.reads import SQLITE_ANSWERS
from remanent.stores.store import Store, StoreReader

_SCRUBS_DUE = "SELECT value FROM counters WHERE name = 'scrub_due'"


def scrubs_due(connection: apsw.Connection) -> int:
    """Return how many erasures have taken their rows and not yet overwritten what was left of them."""
    return connection.execute(_SCRUBS_DUE).get or 0


class HeldReader:
    """A connection inside its transaction, for one thread at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = connection
        try:
            with translated(connection):
                connection.execute("BEGIN")
                self.scrubs_due = scrubs_due(connection)  # the first look is what fixes the moment
        except BaseException:
            self.let_go()
            raise

    def answer(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer questions one after the other; blocks."""
        with self._lock:
            if self._connection is None:
                raise StoreClosed("the store is closed; open it again")
            with translated(self._connection):
                return [SQLITE_ANSWERS[type(query)](self._connection, scope, query) for query in queries]

    def let_go(self) -> None:
        """Close the connection, once nobody reads; blocks until then."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(apsw.Error):
                    connection.close(True)


class UnheldReader(StoreReader):
    """What stands in on a disk without the room that a reader beside others takes, where hardly anything can change.

    Nothing is held: every answer is of its own moment, and one of another than the first is refused.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._revision: int | None = None

    async def read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer, unless anything was changed since the first answer."""
        standing, *answers = await self._store.read(scope, (StandingQuery(), *queries))
        if self._revision not in {None, standing.revision}:
            raise StoreBusy(f"{scope.owner} changed while it was exported; let its jobs finish, then export again")
        self._revision = standing.revision
        return answers
