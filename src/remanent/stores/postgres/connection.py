"""Connections to PostgreSQL: how they are opened and pooled, what text they carry, and what their errors mean.

PostgreSQL refuses U+0000 in text, and people do send it. On the way in it becomes two characters, on the way out one
again; the adapters of the connection do that, so that no statement has to think of it.
"""

import asyncio
import json
import logging
import re
import secrets
import select
import struct
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import cache
from importlib import resources
from typing import Any, Final, LiteralString, TypeAlias

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import errors as engine
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format, TransactionStatus
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper

from remanent import errors
from remanent.errors import RemanentError
from remanent.model import Scope
from remanent.stores.sql import SqlStatement

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"

ROLE: Final = "remanent_app"
"""Who every transaction runs as, whoever logged in: neither owner nor superuser, so that row-level security holds."""
SCHEMA: Final = "remanent"
_SIZE: Final = 8
"""Connections of one process. Chosen by hand: four lanes of writers, and as many readers."""

# ── text ─────────────────────────────────────────────────────────────────────

_ESCAPE = "\x1a"
_ESCAPED = {"\x1a": "\x1aa", "\0": "\x1a0"}
_RESTORED = {"\x1aa": "\x1a", "\x1a0": "\0"}
_TO_ESCAPE = re.compile("[\x1a\0]")
_TO_RESTORE = re.compile("\x1a[a0]")


def escape(text: str) -> str:
    """Return a text without U+0000, from which `_restore` makes the same text again."""
    if "\0" in text or _ESCAPE in text:
        return _TO_ESCAPE.sub(lambda found: _ESCAPED[found[0]], text)
    return text


def _restore(text: str) -> str:
    """Return the text that was escaped."""
    return _TO_RESTORE.sub(lambda found: _RESTORED[found[0]], text) if _ESCAPE in text else text


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escape(obj))


class _BinaryTextDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escape(obj))


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        return _restore(bytes(data).decode())


class _BinaryTextLoader(_TextLoader):
    format = Format.BINARY


class _VectorLoader(Loader):
    """From the engine's own form (two numbers of 16 bits, then big-endian float32), bit by bit."""

    format = Format.BINARY

    def load(self, data: Buffer) -> NDArray[np.float32]:
        return np.frombuffer(data, ">f4", offset=4).astype("<f4")


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: NDArray[np.float32]) -> Buffer | None:
        return struct.pack(">HH", len(obj), 0) + obj.astype(">f4").tobytes()


async def _configure(connection: Connection) -> None:
    """Give a new connection the role, the settings and the types that every statement counts on."""
    await connection.execute(_SESSION)
    info = await TypeInfo.fetch(connection, "vector")
    if info is None:
        raise errors.StorageError(
            "no pgvector in the database; run `remanent migrate` as a user who may create extensions"
        )
    info.register(connection)
    oid = info.oid
    adapters = connection.adapters
    adapters.register_loader(oid, _VectorLoader)
    adapters.register_dumper(np.ndarray, type("VectorDumper", (_VectorDumper,), {"oid": oid}))
    adapters.register_dumper(int, Int8Dumper)  # one prepared statement whatever the size of a number
    for dumper in (_TextDumper, _BinaryTextDumper):
        adapters.register_dumper(str, dumper)
    for loader in (_TextLoader, _BinaryTextLoader):
        adapters.register_loader("text", loader)


# `jit` costs more than it saves in statements of some milliseconds.
_SESSION: LiteralString = f"""
SET SESSION search_path = {SCHEMA}, public; SET jit = off; SET timezone = 'UTC'; SET ROLE {ROLE}
"""

# ── errors ───────────────────────────────────────────────────────────────────

_OURS: dict[str, type[errors.RemanentError]] = {
    "RM001": errors.DuplicateEntry,
    "RM002": errors.VersionConflict,
    "RM003": errors.NotFound,
    "RM004": errors.InvalidInput,
    "RM005": errors.QueueFull,
    "RM006": errors.LeaseLost,
}
_UNREACHABLE = "the database does not answer; check that it is running and that the URL in `store` is right"
_FULL = (
    errors.StorageFull,
    "no space left on the database's machine; nothing was written: free some space and try again",
)
_HELD = (errors.StoreBusy, "another process has locked what this needs; nothing was written: try again")
_OLD = (errors.StorageError, "the database does not have this version's tables; run `remanent migrate`")
_THEIRS: dict[str, tuple[type[errors.RemanentError], str]] = {
    "22000": (errors.InvalidInput, "the vector differs in size from this model's other vectors"),
    "42501": (
        errors.StorageError,
        f"the login is not allowed to act as {ROLE}; run as the owner of the tables: GRANT {ROLE} TO it",
    ),
    **dict.fromkeys(("53100", "53200"), _FULL),
    **dict.fromkeys(("40001", "40P01", "55P03", "57014", "53300"), _HELD),
    **dict.fromkeys(("42P01", "42883", "3F000", "22023"), _OLD),
    "54000": (errors.InvalidInput, "a name is too long to be indexed; keep names under 2,000 bytes"),
    "XX001": (errors.IntegrityError, "the database reports damaged data; look at its log"),
    "XX002": (errors.IntegrityError, "the database reports a damaged index; look at its log"),
}
"""By SQLSTATE, who must act and how."""


def error_of(sqlstate: str | None, message: str) -> errors.RemanentError:
    """Return our error for one of the server's; only messages of our own functions are passed on."""
    state = sqlstate or ""
    if state in _OURS:
        return _OURS[state](_restore(message))
    kind, text = _THEIRS.get(state, (errors.StorageError, "the database failed; nothing was written"))
    return kind(f"{text} (SQLSTATE {state or 'unknown'})")


_LOST = (engine.AdminShutdown, engine.CrashShutdown, engine.CannotConnectNow)


def is_gone(error: BaseException) -> bool:
    """Return whether the connection was lost, so that another may do."""
    unnamed = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and error.sqlstate is None
    return unnamed or isinstance(error, _LOST)


@contextmanager
def translated() -> Iterator[None]:
    """Raise our own error for whatever the driver raises inside, keeping the cause; texts are never repeated."""
    try:
        yield
    except (TimeoutError, OSError) as error:
        raise errors.StoreBusy(_UNREACHABLE) from error
    except psycopg.Error as error:
        if is_gone(error):
            raise errors.StoreBusy(_UNREACHABLE) from error
        raise error_of(error.sqlstate, error.diag.message_primary or "") from error


RETRY: Final = 0.05
"""Seconds between two attempts to reach a server that is away."""
_PASSING = ("starting up", "shutting down", "recovery mode", "too many", "not yet accepting")
"""What a server says that will take connections later."""


def give_up(error: Exception, *, until: float) -> None:
    """Raise where it is no use to try again to connect: the login is refused, or it took too long."""
    refused = isinstance(error, psycopg.OperationalError) and "FATAL" in str(error)
    if refused and not any(word in str(error) for word in _PASSING):
        raise errors.StorageError("the database refuses the login; check the URL in `store`") from error
    if time.monotonic() > until:
        raise error


# ── statements ───────────────────────────────────────────────────────────────


class ConnectionPool:
    """The connections of one process: opened when they are needed, kept while they live, at most `_SIZE` of them.

    A server that is away is waited for; it is tried again many times a second, because a restart takes about one.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        self._url = url
        self._timeout = timeout
        self._free = asyncio.Semaphore(_SIZE)
        self._holding = asyncio.Semaphore(_SIZE // 2)
        self._idle: list[Connection] = []
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Give a connection in autocommit mode that nobody else uses meanwhile."""
        until = time.monotonic() + self._timeout
        await asyncio.wait_for(self._free.acquire(), self._timeout)
        try:
            connection = await self._take(until)
            try:
                yield connection
            finally:
                await self._give_back(connection)
        finally:
            self._free.release()

    async def _take(self, until: float) -> Connection:
        """Return an idle connection that is still alive, else a new one; a server that restarts is waited for."""
        if self._closed:
            raise errors.StoreClosed("the store is closed; open it again")
        while self._idle:
            connection = self._idle.pop()
            if _is_alive(connection):
                return connection
            await connection.close()
        while True:
            try:
                return await _connect(self._url, timeout=max(1.0, until - time.monotonic()))
            except psycopg.OperationalError as error:
                give_up(error, until=until)
            await asyncio.sleep(RETRY)

    async def _give_back(self, connection: Connection) -> None:
        """Keep a connection for the next; what a statement that was broken off has left is unknown."""
        idle = not connection.closed and connection.info.transaction_status == TransactionStatus.IDLE
        if idle and not self._closed:
            self._idle.append(connection)
        else:
            await connection.close()

    async def read(self, agent: int, statements: Sequence[SqlStatement]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each statement, all of one snapshot, in one round trip; a lost connection is replaced."""
        try:
            return await self._read(agent, statements)
        except psycopg.Error as error:
            if not is_gone(error):
                raise
        return await self._read(agent, statements)

    async def _read(self, agent: int, statements: Sequence[SqlStatement]) -> list[list[tuple[Any, ...]]]:
        """Ask all statements in one snapshot and one round trip, as the agent whose rows alone are seen."""
        async with self.connection() as connection, connection.pipeline():
            await connection.execute(_SNAPSHOT)
            await connection.execute(_SCOPE, (str(agent),))
            cursors = await _ask(connection, statements)
            await connection.execute("COMMIT")
            return [await cursor.fetchall() for cursor in cursors]

    async def hold(self, agent: int, stack: AsyncExitStack) -> Connection:
        """Return a connection inside a reading transaction that keeps to its moment; none of those that others use."""
        await stack.enter_async_context(self._holding)
        connection = await _connect(self._url, timeout=self._timeout)
        stack.push_async_callback(connection.close)
        await connection.execute(_SNAPSHOT)
        await connection.execute(_SCOPE, (str(agent),))
        return connection

    @asynccontextmanager
    async def transaction(self, agent: int) -> AsyncIterator[Connection]:
        """Give a connection inside a transaction of one agent, which is locked against other writers."""
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_SCOPE, (str(agent),))
            await connection.execute("SELECT 1 FROM agents WHERE id = %s FOR UPDATE", (agent,))
            yield connection

    async def close(self) -> None:
        """Let go of every connection; those in use go when they are given back."""
        self._closed = True
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.close()


async def _ask(
    connection: Connection, statements: Sequence[SqlStatement]
) -> "list[psycopg.AsyncCursor[tuple[Any, ...]]]":
    """Send statements, whose rows are then fetched in their order."""
    cursors = []
    for asked in statements:
        cursor = connection.cursor(binary=asked.binary)
        kept = None if asked.prepared else False
        cursors.append(await cursor.execute(asked.sql.encode(), asked.values, prepare=kept))
    return cursors


async def ask_held(connection: Connection, statements: Sequence[SqlStatement]) -> list[list[tuple[Any, ...]]]:
    """Return the rows of each statement within the transaction that is open, in one round trip."""
    async with connection.pipeline():
        return [await cursor.fetchall() for cursor in await _ask(connection, statements)]


async def _connect(url: str, *, timeout: float) -> Connection:
    """Open a connection and set it up; one that cannot be set up is not left open."""
    connection: Connection = await psycopg.AsyncConnection.connect(
        url, autocommit=True, application_name="remanent", connect_timeout=max(2, round(timeout))
    )
    try:
        await _configure(connection)
    except BaseException:
        await connection.close()
        raise
    return connection


def _is_alive(connection: Connection) -> bool:
    """Return whether a connection that nobody uses is still there: a server that ends one sends something first."""
    if connection.closed:
        return False
    readable, _, _ = select.select([connection.fileno()], [], [], 0)
    return not readable


_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_SCOPE = "SELECT set_config('remanent.agent', %s, true)"


_NAME = re.compile(r"^-- ([a-z_]+): (.+)$", re.MULTILINE)


def sql_file(name: str) -> str:
    """Return one of the files of SQL."""
    return (resources.files(__package__) / "sql" / name).read_text("utf-8")


@cache
def statements() -> dict[str, str]:
    """Return every statement by its name."""
    _, *parts = _NAME.split(sql_file("statements.sql"))
    return {name: sql.strip() for name, _, sql in zip(*[iter(parts)] * 3, strict=True)}


def statement(name: str) -> str:
    """Return a statement."""
    return statements()[name]


# ── telling the other processes of a database that there is work ──
# So that none waits for its next look. After a commit and never inside it, where NOTIFY would make commits wait for
# each other (measured: half the writes a second); what comes close together is told once. Whoever misses a word finds
# the work at its next poll.

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
                        self._take_notification(word.payload)
            except _FAILURES as error:
                _logger.debug("the database is not listened to: %s", type(error).__name__)
            finally:
                begun.set()
            await asyncio.sleep(_RECONNECT)

    def _take_notification(self, payload: str) -> None:
        """Tell of work that another process notified of; whatever else is sent on the channel is passed over."""
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
