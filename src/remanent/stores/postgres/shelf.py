"""The shelf on PostgreSQL: documents and logs as rows, which all servers of one database share.

Connections are its own and blocking, apart from those of memories: row-level security shows the shelf to no other. A
lock is a transaction's: what is done under it is committed together when it is let go, or not at all.
"""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus

from remanent.errors import StoreBusy, StoreClosed
from remanent.stores.postgres.connection import RETRY, ROLE, SCHEMA, give_up, is_gone, statement, translated
from remanent.stores.postgres.store import migrate_now
from remanent.stores.shelf import DAMAGED, Hold, Log, OpenLog, P, R, Shelf

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_MAX_IDLE = 4
"""Connections that are kept while nobody needs them: as many as the audit log has writers."""
_SESSION = f"SET search_path = {SCHEMA}, public; SET ROLE {ROLE}; SET remanent.shelf = 'on'"


class PostgresShelf(Shelf):
    """Documents and logs in one database."""

    is_shared = True

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        self._url = url
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._own = threading.local()
        """The connection of the lock that this thread holds: what is done meanwhile is part of its transaction."""
        self._ready = False
        self._closed = False

    # ── documents ────────────────────────────────────────────────────────────

    def read(self, name: str) -> bytes | None:
        """Return a document, or `None` where there is none."""
        found = self.rows("shelf_read", name)
        return bytes(found[0][0]) if found else None

    def write(self, name: str, content: bytes) -> None:
        """Put a document; on return, or at the end of the lock that is held, it survives a crash of the server."""
        self.rows("shelf_write", name, content)

    def remove(self, name: str) -> None:
        """Remove a document, if there is one."""
        self.rows("shelf_remove", name)

    def exists(self, name: str) -> bool:
        """Return whether there is a document of this name."""
        return self.state(name) is not None

    def state(self, name: str) -> Hashable | None:
        """Return a number that is another one after every write."""
        found = self.rows("shelf_state", name)
        return found[0][0] if found else None

    def names(self, folder: str) -> list[str]:
        """Return the documents of a folder, those written longest ago first."""
        return [str(row[0]) for row in self.rows("shelf_names", _pattern(folder))]

    def documents(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Yield the documents of a folder with what they hold, by one statement."""
        found = self.rows("shelf_documents", _pattern(folder))
        yield from ((str(name), bytes(content)) for name, content in found)

    # ── logs ─────────────────────────────────────────────────────────────────

    def logs(self, folder: str) -> list[str]:
        """Return the logs of a folder, by name, with what was set aside from them."""
        begins, ends = f"{folder}/", f"{folder}0"  # 0 follows /
        found = self.rows("shelf_logs", begins=begins, ends=ends, aside=f"%{DAMAGED}")
        return [str(row[0]) for row in found]

    def log(self, name: str) -> Log:
        """Return a log, which need not be there yet."""
        return _PostgresLog(self, name)

    # ── locks ────────────────────────────────────────────────────────────────

    @contextmanager
    def locked(self, name: str, *, shared: bool = False) -> Iterator[None]:
        """Hold a lock in a transaction that everything which this thread does meanwhile is part of."""
        if getattr(self._own, "connection", None) is not None:
            raise AssertionError("a lock of the shelf inside another one")
        how = statement("shelf_lock_shared" if shared else "shelf_lock").encode()
        with translated(), self._connection() as connection, connection.transaction():
            connection.execute(statement("shelf_patience").encode(), (f"{round(self._timeout * 1000)}ms",))
            connection.execute(how, (_number(name),))
            self._own.connection = connection
            try:
                yield
            finally:
                self._own.connection = None

    def hold(self, name: str) -> Hold:
        """Hold a lock for as long as a connection of its own lasts, which the server ends with the process."""
        return _ConnectionHold(self, name)

    def is_held(self, name: str) -> bool:
        """Return whether the connection that holds the name is still there."""
        return not self.rows("shelf_try_lock", _number(name))[0][0]

    async def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it on another thread: the answer comes over a network."""
        return await asyncio.to_thread(function, *args, **kwargs)

    def close(self) -> None:
        """Let go of every connection; those in use go when they are given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    # ── inside ───────────────────────────────────────────────────────────────

    def rows(self, name: str, *values: object, **named: object) -> list[tuple[Any, ...]]:
        """Return what a statement answers; where the connection was lost and nothing hangs on it, another one does."""
        own: Connection | None = getattr(self._own, "connection", None)
        with translated():
            if own is not None:
                return _rows(own, name, named or values)
            try:
                with self._connection() as connection:
                    return _rows(connection, name, named or values)
            except psycopg.Error as error:
                if not is_gone(error):
                    raise
            with self._connection() as connection:
                return _rows(connection, name, named or values)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Give a connection in autocommit mode that nobody else uses meanwhile."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connect()
        try:
            yield connection
        finally:
            is_idle = not connection.closed and connection.info.transaction_status == TransactionStatus.IDLE
            if is_idle and not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def connect(self) -> Connection:
        """Open a connection; a server that is away is waited for."""
        if self._closed:
            raise StoreClosed("the store is closed; open it again")
        until = time.monotonic() + self._timeout
        while True:
            try:
                if not self._ready:
                    migrate_now(self._url, only_from_nothing=True)
                    self._ready = True
                connection: Connection = psycopg.connect(
                    self._url, autocommit=True, application_name="remanent shelf", connect_timeout=10
                )
                connection.execute(_SESSION.encode())
                return connection
            except (psycopg.OperationalError, StoreBusy) as error:
                give_up(error, until=until)
            time.sleep(RETRY)


def _rows(connection: Connection, name: str, values: Any) -> list[tuple[Any, ...]]:
    cursor = connection.execute(statement(name).encode(), values)
    return cursor.fetchall() if cursor.description else []


def _pattern(folder: str) -> str:
    return f"^{folder.replace('.', '[.]')}/[^/]+[.]json$"


def _number(name: str) -> int:
    """Return the number of a lock: 63 bits of a hash, so that two names hardly ever share one."""
    return int.from_bytes(hashlib.sha256(f"remanent shelf {name}".encode()).digest()[:8], "big") >> 1


class _ConnectionHold(Hold):
    def __init__(self, shelf: PostgresShelf, name: str) -> None:
        with translated():
            self._connection = shelf.connect()
            self._connection.execute(statement("shelf_hold").encode(), (_number(name),))

    @property
    def is_lost(self) -> bool:
        """Whether the server was restarted since, which lets go of all locks."""
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            return True
        return False

    def release(self) -> None:
        """Let go at once: a connection that is closed keeps its locks until the server has noticed."""
        with suppress(psycopg.Error):
            self._connection.execute(statement("shelf_release").encode())
        with suppress(psycopg.Error):
            self._connection.close()


class _PostgresLog(Log, OpenLog):
    """The rows of a log; there is nothing to open, so that it is what is held, too."""

    def __init__(self, shelf: PostgresShelf, name: str) -> None:
        self._shelf = shelf
        self._name = name

    @contextmanager
    def held(self) -> Iterator[OpenLog]:
        with self._shelf.locked(self._name):
            yield self

    @contextmanager
    def glance(self) -> Iterator[OpenLog | None]:
        # One statement sees whole commits only: nobody need be waited for.
        yield None if self.state() is None else self

    def lines(self) -> Iterator[bytes]:
        """Yield every line, in pages, so that a long log is never held as a whole."""
        place = 0
        while found := self._shelf.rows("log_lines", self._name, place):
            yield from (bytes(line) for _, line in found)
            place = found[-1][0]

    def state(self) -> tuple[int, ...] | None:
        found = self._shelf.rows("log_state", self._name)
        return (0, found[0][0], found[0][1]) if found else None

    def require_room(self) -> None:
        """Leave that to the server, which refuses a commit that it has no room for, whole."""

    def aside(self, name: str) -> str | None:
        content = self._shelf.read(f"{self._name.rpartition('/')[0]}/{name}")
        return None if content is None else hashlib.sha256(content).hexdigest()

    @property
    def end(self) -> int:
        return int(self._shelf.rows("log_end", self._name)[0][0])

    def backwards(self, *, within: int) -> Iterator[tuple[bytes, int]]:
        # A line of the audit log has some 400 bytes.
        found = self._shelf.rows("log_last", self._name, within // 400)
        yield from ((bytes(line), place) for line, place in found)

    def put(self, lines: Sequence[bytes], *, place: int) -> None:
        self._shelf.rows("log_cut", self._name, place)
        self._shelf.rows("log_put", self._name, place, list(lines))

    def set_aside(self, place: int, *, name: Callable[[str], str]) -> tuple[str, str]:
        """Copy the lines behind a place into a document named after their hash, before they are cut off."""
        found = self._shelf.rows("log_behind", self._name, place)
        content = b"".join(bytes(line) for (line,) in found)
        digest = hashlib.sha256(content).hexdigest()
        chosen = name(digest)
        self._shelf.write(f"{self._name.rpartition('/')[0]}/{chosen}", content)
        return chosen, digest
