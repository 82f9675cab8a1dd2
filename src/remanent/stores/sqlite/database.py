"""One agent's database file: a writer thread with group commit, and readers beside it.

SQLite allows one writer, and a durable commit costs a sync of the disk (some milliseconds). So all writes of a file go
through one thread, and units of work that wait while a sync is under way share the next one: a hundred tasks that write
at once pay for a few commits, not for a hundred. Each unit still succeeds or fails by itself.

Readers have connections of their own and see a consistent snapshot, whatever is written meanwhile (WAL).
"""

import asyncio
import queue
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import apsw

from remanent.errors import RemanentError, StorageError, StorageFull, StoreBusy, StoreClosed
from remanent.lightweight import dataclass
from remanent.stores.sqlite import connection as opening
from remanent.stores.sqlite.connection import close_quietly, for_want_of_descriptors, translated
from remanent.stores.sqlite.fileformat import check_before_open
from remanent.stores.sqlite.reads import HeldReader
from remanent.stores.sqlite.writes import Unit, after_rollback, apply_together, before_commit
from remanent.stores.store import settle

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
OnThread = Callable[[Callable[[], None]], None]
"""Has something done on another thread, which raises nothing."""

MAX_GROUP = 512
"""How many units of work share one commit; chosen by hand, so that a flood does not delay the first of it."""


_present_lock = threading.Lock()
_present: Counter[Path] = Counter()
"""How many open databases of this process each file has."""


@dataclass(slots=True)
class _Request:
    work: Work[Any]
    alone: bool
    """Run outside any transaction, with nothing else in the group."""
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        """Hand the outcome to the waiting task, unless it has gone."""
        settle(self.future, self.result if self.error is None else self.error)


class Database:
    """Serialises writes of one file on one thread; units of work that wait together are committed together."""

    def __init__(
        self, path: Path, *, busy_timeout: float, on_thread: OnThread, spare: threading.Semaphore | None = None
    ) -> None:
        self.path = path
        self._busy_timeout = busy_timeout
        self._on_thread = on_thread
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        """What is to be written; `None` says that nothing follows."""
        self._spare = threading.Semaphore(sys.maxsize) if spare is None else spare
        """Readers that databases may have beyond their first, all of them together: each takes descriptors."""
        self._idle: list[apsw.Connection] = []
        self._readers = 0
        """How many readers there are, at work or idle."""
        self._reading = 0
        self._held: set[HeldReader] = set()
        self._lock = threading.Lock()
        self._freed = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None
        self._writer: apsw.Connection | None = None
        self._writer_is_suspect = False
        self._migrations: Sequence[str] = ()
        self._alone = threading.Lock()
        self._closed = False

    def open(self, *, migrations: Sequence[str]) -> None:
        """Make the file if it is missing, bring it to the newest schema, and start the writer; blocks."""
        self._migrations = migrations
        _enter(self.path)
        try:
            self._writer = self._open_writer()
        except StorageFull:
            # With no room left the writer is tried again with every write, and what is stored can be read.
            if not self.path.exists():
                _leave(self.path)
                raise
        except BaseException:
            _leave(self.path)
            raise
        self._thread = threading.Thread(
            target=self._serve, name=f"remanent-writer-{self.path.parent.name}", daemon=True
        )
        self._thread.start()

    def _open_writer(self) -> apsw.Connection:
        """Open the connection that writes, making the file or bringing its schema up to date first."""
        if not self.path.exists():
            opening.create(self.path, migrations=self._migrations)
        writer = self._connect()
        try:
            opening.migrate(writer, self.path, migrations=self._migrations)
        except BaseException:
            writer.close()
            raise
        return writer

    async def write(self, work: Work[T], *, alone: bool = False) -> T:
        """Run work in a transaction on the writer thread; returns when it is durable."""
        loop = asyncio.get_running_loop()
        request = _Request(work, alone, loop, loop.create_future())
        with self._lock:
            self._refuse_when_closed()
            self._requests.put(request)
        result: T = await request.future
        return result

    async def read(self, work: Work[T], *, snapshot: bool = True) -> T:
        """Run work on a reader connection, on one consistent snapshot; work of one statement is that by itself."""
        # As `run_in_executor` does, at half its cost: one future instead of two or three that are chained.
        loop = asyncio.get_running_loop()
        request = _Request(work, False, loop, loop.create_future())
        self._on_thread(partial(self._read_for, request, snapshot=snapshot))
        result: T = await request.future
        return result

    def _read_for(self, request: _Request, *, snapshot: bool) -> None:
        """Read in this thread for somebody who waits on an event loop, and hand over the answer or the error there."""
        try:
            request.result = self.peek(request.work, snapshot=snapshot)
        except BaseException as error:  # noqa: BLE001 - border: it goes to whoever asked
            request.error = error
        with suppress(RuntimeError):  # that loop has ended and nobody waits there any more
            request.loop.call_soon_threadsafe(request.settle)

    def peek(self, work: Work[T], *, snapshot: bool = True) -> T:
        """Run work on a reader here and now, inside a transaction where it needs one; blocks."""
        with self._reader() as reader, translated(reader):
            if not snapshot:
                return work(reader)
            reader.execute("BEGIN")
            try:
                return work(reader)
            finally:
                if reader.in_transaction:
                    reader.execute("ROLLBACK")

    @contextmanager
    def _reader(self) -> Iterator[apsw.Connection]:
        """Lend a reader, counted so that closing waits for it."""
        with self._lock:
            self._refuse_when_closed()
            self._reading += 1
        try:
            with self._borrowed_reader() as reader:
                yield reader
        finally:
            with self._lock:
                self._reading -= 1
                self._freed.notify_all()

    @contextmanager
    def _borrowed_reader(self) -> Iterator[apsw.Connection]:
        """Lend a reader and take it back, unless it has failed; on a full disk, lend one that needs no room."""
        try:
            reader = self._any_reader()
        except StorageFull:
            with self._lone_reader() as reader:
                yield reader
            return
        try:
            yield reader
        except StorageError:
            close_quietly(reader)  # its caches may hold what was read before the damage or only in part
            self._drop_reader()
            raise
        except BaseException:
            self._give_back(reader)
            raise
        self._give_back(reader)

    def _any_reader(self) -> apsw.Connection:
        """Return an idle reader, a new one, or else the next that is given back."""
        reader = self._idle_or_new(may_open=True)
        if reader is None:
            try:
                return self._connect(read_only=True)
            except StoreBusy as error:
                self._drop_reader()
                if not for_want_of_descriptors(error):
                    raise
            except BaseException:
                self._drop_reader()
                raise
            reader = self._idle_or_new(may_open=False)
        if reader is None:
            raise StoreBusy("this process has too many files open; try again, or raise its limit (ulimit -n)")
        return reader

    def _idle_or_new(self, *, may_open: bool) -> apsw.Connection | None:
        """Return an idle reader, waiting for one if need be; `None` is the leave to open another.

        Whoever has a reader is at work on a thread of its own, so that the waiting ends.
        """
        with self._freed:
            while not self._idle:
                if may_open and (self._readers == 0 or self._spare.acquire(blocking=False)):
                    self._readers += 1
                    return None
                if self._readers == 0:
                    return None
                self._freed.wait()
            return self._idle.pop()

    def _drop_reader(self) -> None:
        """Note that a reader is no more."""
        with self._freed:
            self._readers -= 1
            if self._readers:
                self._spare.release()
            self._freed.notify_all()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; open it again")

    @contextmanager
    def _lone_reader(self) -> Iterator[apsw.Connection]:
        """Lend a connection that works without any room on the disk, one at a time."""
        with self._alone, closing(self._connect(read_only=True, alone=True)) as reader:
            if reader.pragma("user_version") != len(self._migrations):
                raise StorageFull("no room left on the device to bring the database up to date; make room, try again")
            yield reader

    def _give_back(self, reader: apsw.Connection) -> None:
        with self._freed:
            self._idle.append(reader)
            self._freed.notify_all()

    def hold(self) -> HeldReader:
        """Open a reader that keeps to this moment until it is let go, by `release` or by closing; blocks."""
        held = HeldReader(self._connect(read_only=True))
        with self._lock:
            if not self._closed:
                self._held.add(held)
                return held
        held.let_go()
        raise StoreClosed("the store is closed; open it again")

    def release(self, held: HeldReader) -> None:
        """Let go of a reader that keeps to its moment; blocks while it reads."""
        held.let_go()
        with self._lock:
            self._held.discard(held)

    def _connect(self, *, read_only: bool = False, alone: bool = False) -> apsw.Connection:
        return opening.connect(self.path, busy_timeout=self._busy_timeout, read_only=read_only, alone=alone)

    def close(self) -> None:
        """Finish what waits, then let go of the file; blocks."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._requests.put(None)
            held = tuple(self._held)
        for moment in held:
            self.release(moment)
        if self._thread is not None:
            self._thread.join()
        with self._freed:
            # A reader whose caller has gone is still at work; the file counts as open until it has ended.
            self._freed.wait_for(lambda: not self._reading)
            for reader in self._idle:
                close_quietly(reader)
            self._idle.clear()
            if self._readers > 1:
                self._spare.release(self._readers - 1)
            self._readers = 0
        if self._thread is not None:
            _leave(self.path)

    def _serve(self) -> None:
        """The life of the writer thread: group after group until it is told to stop."""
        try:
            while True:
                group, last = self._next_group()
                if group:
                    self._run(group)
                    _settle(group)
                if last:
                    return
        finally:
            if self._writer is not None:
                close_quietly(self._writer)

    def _next_group(self) -> tuple[list[_Request], bool]:
        """Wait for a request, then take along what else waits, up to one that must run alone."""
        first = self._requests.get()
        if first is None:
            return [], True
        group = [first]
        while not group[-1].alone and len(group) < MAX_GROUP:
            try:
                following = self._requests.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return group, True
            group.append(following)
        return group, False

    def _run(self, group: list[_Request]) -> None:
        """Run a group that shares a commit, then the one request that must run alone, if there is one."""
        alone = group.pop() if group[-1].alone else None
        if group:
            try:
                _run_together(self._sound_writer(), group)
            except StoreBusy as error:
                for request in group:
                    request.error = StoreBusy(*error.args)
            except RemanentError:
                # The engine gave up on the whole transaction: each is tried by itself, so that only the guilty fail.
                self._writer_is_suspect = True
                for request in group:
                    self._run_by_itself(request, lambda writer, one: _run_with_savepoints(writer, [one]))
        if alone is not None:
            self._run_by_itself(alone, _run_alone)
            group.append(alone)

    def _run_by_itself(self, request: _Request, run: Callable[[apsw.Connection, _Request], None]) -> None:
        """Run one request, and note whether the connection can still be trusted after it."""
        try:
            run(self._sound_writer(), request)
        except Exception as error:  # noqa: BLE001  (border: it goes to the caller)
            request.error = error
        self._writer_is_suspect |= isinstance(request.error, StorageError)

    def _sound_writer(self) -> apsw.Connection:
        """Return the writer, a new one after the engine has failed.

        FTS5 keeps state in memory that a rollback does not put right: after a read that fails in the middle of an
        insertion, the next commit of that connection leaves a malformed index.
        """
        if self._writer is None:
            self._writer = self._open_writer()
        elif self._writer_is_suspect:
            old, self._writer = self._writer, self._connect()
            close_quietly(old)
        self._writer_is_suspect = False
        return self._writer


def _enter(path: Path) -> None:
    """Note that this process has the file open, after looking for damage if it is the first to.

    Looking opens the files plainly, and closing a plain handle drops every lock that this process holds on the file:
    so it is done before any connection, and nobody else may connect meanwhile.
    """
    with _present_lock:
        if not _present[path]:
            with translated():
                check_before_open(path)
        _present[path] += 1


def _leave(path: Path) -> None:
    """Count one user of a file less."""
    with _present_lock:
        _present[path] -= 1
        if not _present[path]:
            del _present[path]


def _run_together(writer: apsw.Connection, group: list[_Request]) -> None:
    """Run units of work in one transaction; one that is refused is undone, and the others go through."""
    try:
        with _transaction(writer), translated(writer):
            for is_unit, requests in groupby(group, key=lambda request: isinstance(request.work, Unit)):
                _run_all(writer, list(requests), is_unit=is_unit)
    except (StorageError, StoreBusy):
        raise
    except Exception:  # noqa: BLE001  (one of them is refused, which is rare: now each is told apart)
        _run_with_savepoints(writer, group)


def _run_all(writer: apsw.Connection, requests: list[_Request], *, is_unit: bool) -> None:
    """Run requests of one kind in order."""
    work = [request.work for request in requests]
    results = apply_together(writer, work) if is_unit else [one(writer) for one in work]  # type: ignore[arg-type]
    for request, result in zip(requests, results, strict=True):
        request.error = None
        request.result = result


def _run_with_savepoints(writer: apsw.Connection, group: list[_Request]) -> None:
    """Run units of work in one transaction, each behind a savepoint, so that a refused one undoes only itself."""
    with _transaction(writer):
        for request in group:
            request.error = None
            try:
                with translated(writer):
                    writer.execute("SAVEPOINT unit")
                    request.result = request.work(writer)
                    writer.execute("RELEASE unit")
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001  (border: whatever a unit of work raises goes to its caller)
                request.error = error
                with translated(writer):
                    writer.execute("ROLLBACK TO unit")
                    writer.execute("RELEASE unit")


def _run_alone(writer: apsw.Connection, request: _Request) -> None:
    """Run work that brings its own transactions, or none, such as a checkpoint or a check of all pages."""
    try:
        with translated(writer):
            request.result = request.work(writer)
    finally:
        _roll_back(writer)


@contextmanager
def _transaction(writer: apsw.Connection) -> Iterator[None]:
    """Open a writing transaction, and commit it unless something goes wrong.

    IMMEDIATE, because a transaction that begins by reading cannot become a writing one once another process has
    written.
    """
    with translated(writer):
        writer.execute("BEGIN IMMEDIATE")
    try:
        yield
        with translated(writer):
            before_commit(writer)
            writer.execute("COMMIT")
    except BaseException:
        after_rollback(writer)
        _roll_back(writer)
        raise


def _roll_back(writer: apsw.Connection) -> None:
    """End a transaction that is still open."""
    if writer.in_transaction:
        try:
            writer.execute("ROLLBACK")
        except apsw.Error:
            return  # the engine has rolled back by itself


def _settle(group: list[_Request]) -> None:
    """Wake every waiting task, once per event loop rather than once per request."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Request]] = defaultdict(list)
    for request in group:
        by_loop[request.loop].append(request)
    for loop, requests in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle_all, requests)
        except RuntimeError:
            continue  # that loop has ended and nobody waits there any more


def _settle_all(requests: list[_Request]) -> None:
    for request in requests:
        request.settle()
