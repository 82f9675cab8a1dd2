"""Opening a database file: settings, page checksums, schema steps with a backup first; errors translated in one place.

Everything in this package reaches the engine through a connection made here, and every exception of the engine or the
system leaves through `translated`. How many files may be open is decided here as well (`descriptor_budget`), because a
process that has run out of descriptors fails in places that cannot say why.
"""

import errno
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw
import apsw.sqlite_extra

from remanent.durability import NO_ROOM, sync_file, sync_folder
from remanent.errors import IntegrityError, MissingDependency, SchemaTooNew, StorageError, StorageFull, StoreBusy
from remanent.lightweight import dataclass

# ── the schema, as numbered steps from nothing (`sql/`); a step is never edited once released ──
# The tables of one agent's file:
#
# - `entries`: the journal. `seq` is never used twice, so that a place cited once means the same entry for ever; an
#   erased entry stays as a stub.
# - `records`, `versions`: what is known now, and every state it had before. Columns hold what is filtered or sorted by,
#   `body` the rest. `records_text` and `versions_text` are their full-text indexes.
# - `record_tags`, `record_sources`, `conflict_records`, `unembedded`: derived from bodies, to be found by; a repair
#   makes them anew. `record_sources` remembers the entries of every version there ever was, because erasure follows it.
# - `entry_metadata`: derived from the metadata and tags of entries by triggers, to be found by.
# - `links`, `conflicts`, `tombstones`: the graph, contradictions, and what is left of forgotten records.
# - `models`, `vectors`, `vector_removals`: vectors by embedding model, each with the revision it came with. Removals
#   are remembered for indexes that lag behind, down to the counter `vector_floor`.
# - `jobs`: the queue; `seq` is the order, and a job moves to the tail by getting a new one.
# - `states`: small named values of disciplines. `counters`: revisions and the like, which are no memory.
#
# `AUTOINCREMENT` wherever a number must not come again after its row is gone. `WITHOUT ROWID` for tables that are only
# ever found by their key. Moments are milliseconds since 1970 in UTC.

APPLICATION_ID = 0x52454D41  # "REMA" in the file header, so that no other SQLite file is taken for ours

MIGRATIONS = tuple(
    step.read_text(encoding="utf-8") for step in sorted(Path(__file__).with_name("sql").glob("[0-9]*.sql"))
)
"""Step n (counted from 1) takes a database from schema n-1 to schema n."""


READERS = 4
"""Threads that read for one store, and so the readers that one agent can have at work."""

PER_DATABASE = 5
"""Descriptors of an open database: file and log of its writer and of one reader, and the shared memory of the log."""

PER_READER = 2
"""Descriptors of each further reader: the file and the log."""

FEWEST = 2
"""Databases that are open at the same time however low the limit: an import may read from one into another."""

_DESCRIPTOR_ERRNOS = frozenset({errno.EMFILE, errno.ENFILE})
_PROBE = 4
"""Free descriptors below which opening a database may have failed for want of them: SQLite does not say why it did."""


@dataclass(frozen=True, slots=True)
class DescriptorBudget:
    """What one open memory may hold open at a time."""

    databases: int
    readers: int
    """Beyond the first of each database."""


def descriptor_budget(max_open: int, *, limit: int | None = None) -> DescriptorBudget:
    """Return what may be open under a limit of descriptors, that of this process unless given.

    Half of them are for databases (three quarters of these for one writer and one reader each, the rest for further
    readers). The rest stays for connections, models, and whatever else the program opens: 128 at a limit of 256.
    """
    limit = soft_limit() if limit is None else limit
    databases = max(FEWEST, min(max_open, limit * 3 // 8 // PER_DATABASE))
    return DescriptorBudget(
        databases=databases,
        readers=min(databases * (READERS - 1), limit // 8 // PER_READER),
    )


def soft_limit() -> int:
    """Return how many descriptors this process may have open; very many where the system has no such limit."""
    try:
        import resource
    except ImportError:  # Windows: handles are bounded by memory only
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else int(soft)


def says_starved(error: OSError) -> bool:
    """Return whether the system refused because too many files are open."""
    return error.errno in _DESCRIPTOR_ERRNOS


def is_starved() -> bool:
    """Return whether the process has hardly any descriptor left."""
    taken: list[int] = []
    try:
        for _ in range(_PROBE):
            taken.append(os.open(os.devnull, os.O_RDONLY))  # noqa: PERF401 - all that were opened are closed
    except OSError as error:
        return says_starved(error)
    finally:
        for descriptor in taken:
            with suppress(OSError):
                os.close(descriptor)
    return False


_IS_DAMAGED = "the database file is damaged; run `remanent doctor --repair` to save what is readable"
_STARVED = "this process has too many files open; nothing was written: try again, or raise its limit (ulimit -n)"
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)


@contextmanager
def translated(connection: apsw.Connection | None = None) -> Iterator[None]:
    """Raise our own error for whatever the engine or the operating system raises inside, keeping the cause."""
    try:
        yield
    except apsw.Error as error:
        raise _of_engine(error, connection) from error
    except UnicodeDecodeError as error:  # a text that was written whole is no longer
        raise IntegrityError(_IS_DAMAGED) from error
    except OSError as error:
        raise _of_system(error) from error


def _of_engine(error: apsw.Error, connection: apsw.Connection | None) -> StorageError | StoreBusy:
    """Return our error for one of the engine, by who must act: wait, make room, repair, or tell us.

    The engine reports a full disk as an I/O error in some calls, so that the system's own number is looked at, too.
    """
    extended = getattr(error, "extendedresult", 0)
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusy("another process is using the database; nothing was written: try again")
    if isinstance(error, apsw.FullError):
        return StorageFull("no space left on the device; nothing was written: free some space and try again")
    if isinstance(error, _DAMAGED) or extended in {apsw.SQLITE_IOERR_DATA, apsw.SQLITE_IOERR_CORRUPTFS}:
        return IntegrityError(_IS_DAMAGED)
    if isinstance(error, (apsw.IOError, apsw.CantOpenError)) and connection is not None:
        number = connection.system_errno
        if number in NO_ROOM:
            return StorageFull("no space left on the device; nothing was written: free some space and try again")
    if isinstance(error, apsw.CantOpenError) and is_starved():
        return StoreBusy(_STARVED)
    return StorageError(f"the database failed ({type(error).__name__}, code {extended}); nothing was written")


def _of_system(error: OSError) -> StorageError | StoreBusy:
    """Return our error for one of the operating system."""
    if says_starved(error):
        return StoreBusy(_STARVED)
    if error.errno in NO_ROOM:
        return StorageFull("no space left on the device; nothing was written: free some space and try again")
    return StorageError(f"the file system refused the operation: {error.strerror or type(error).__name__}")


def for_want_of_descriptors(error: BaseException) -> bool:
    """Return whether a translated error says that too many files are open."""
    return isinstance(error, StoreBusy) and error.args == (_STARVED,)


OLDEST_SAFE = (3, 51, 3)
"""Older SQLite can corrupt a WAL database when a checkpoint resets the log (fixed in 3.51.3)."""

_CHECKSUM_VFS = "cksmvfs"
_CHECKSUM_BYTES = 8
"""Reserved at the end of every page, as the checksum extension of SQLite asks for."""
_vfs_lock = threading.Lock()


MEMORY = 512 * 2**20
"""Bytes that the engine takes in this process before connections reuse their own pages rather than take more.

Chosen by hand: 64 connections whose cache is full.
"""


def bound_memory() -> None:
    """Bound what all open files take together; whoever set a bound for this process keeps it."""
    with _vfs_lock:
        if apsw.soft_heap_limit(-1) == 0:
            apsw.soft_heap_limit(MEMORY)


def engine_version() -> tuple[int, ...]:
    """Return the version of the SQLite that apsw carries."""
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))


def checksums_available() -> bool:
    """Return whether page checksums can be verified; loads the means on first use."""
    with _vfs_lock:
        if _CHECKSUM_VFS in apsw.vfs_names():
            return True
        if apsw.sqlite_extra.has("cksumvfs") is None:
            return False
        with closing(apsw.Connection(":memory:")) as connection:
            apsw.sqlite_extra.load(connection, "cksumvfs")
        return _CHECKSUM_VFS in apsw.vfs_names()


def connect(path: Path, *, busy_timeout: float, read_only: bool = False, alone: bool = False) -> apsw.Connection:
    """Open an existing database with the settings that every connection has.

    One that is `alone` needs no room on the disk for memory to share with others, and shuts them out meanwhile.
    """
    vfs = _CHECKSUM_VFS if checksums_available() else None
    with translated():
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    try:
        with translated(connection):
            if alone:
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            _configure(connection, busy_timeout=busy_timeout, read_only=read_only)
            _check_checksums(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def close_quietly(connection: apsw.Connection) -> None:
    """Close a connection whose last wishes do not matter."""
    with suppress(apsw.Error):
        connection.close(True)


def _check_checksums(connection: apsw.Connection, path: Path) -> None:
    """Refuse to go on when pages would be read unverified, or written without the checksums they have."""
    kept = connection.reserve_bytes("main") == _CHECKSUM_BYTES
    if not checksums_available():
        if kept:
            raise MissingDependency(
                f"{path} has page checksums, and this apsw cannot keep them up; install apsw from a binary wheel"
            )
    elif not kept or not connection.pragma("checksum_verification"):
        raise IntegrityError(f"{path} should have page checksums and has none: its header is damaged")


def _configure(connection: apsw.Connection, *, busy_timeout: float, read_only: bool) -> None:
    """Give a connection the settings that every promise of this store rests on."""
    connection.set_busy_timeout(int(busy_timeout * 1000))
    # FULL, and the fullfsync of macOS: a commit that returned must survive a power cut. secure_delete: what is deleted
    # is overwritten. temp_store: no text in temporary files. trusted_schema: a file from elsewhere runs no functions of
    # its own. The cache is 8 MB a connection, which holds the upper levels of every index of a large agent; a log
    # beyond 8 MB is cut when it is begun anew.
    for pragma in (
        "PRAGMA synchronous=FULL",
        "PRAGMA fullfsync=1",
        "PRAGMA checkpoint_fullfsync=1",
        "PRAGMA secure_delete=ON",
        "PRAGMA temp_store=MEMORY",
        "PRAGMA cell_size_check=ON",
        "PRAGMA trusted_schema=OFF",
        "PRAGMA cache_size=-8192",
        "PRAGMA journal_size_limit=8388608",
        f"PRAGMA query_only={int(read_only)}",
    ):
        connection.execute(pragma)


def create(path: Path, *, migrations: Sequence[str]) -> None:
    """Make a new database beside its final name, then give it that name unless somebody was faster."""
    with translated():
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-", suffix=".db")
        os.close(handle)
        try:
            _fill(temporary, migrations)
            _give_name(temporary, path)
        finally:
            for leftover in (temporary, f"{temporary}-wal", f"{temporary}-shm"):
                Path(leftover).unlink(missing_ok=True)


def _fill(temporary: str, migrations: Sequence[str]) -> None:
    """Make the schema in a new file, with room for checksums on every page from the first one on."""
    vfs = _CHECKSUM_VFS if checksums_available() else None
    with closing(apsw.Connection(temporary, vfs=vfs)) as connection:
        if vfs is not None:
            connection.reserve_bytes("main", _CHECKSUM_BYTES)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        with connection:
            _step(connection, migrations, start=0)
        # Closing moves the log into the file, too, but says nothing when that fails.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _give_name(temporary: str, path: Path) -> None:
    """Give a finished file its name by linking: unlike a rename, that fails when another process was first."""
    with open(temporary, "rb+") as file:
        sync_file(file.fileno())
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    sync_folder(path.parent)


def migrate(connection: apsw.Connection, path: Path, *, migrations: Sequence[str]) -> None:
    """Bring a database to the newest schema, after a backup; refuse one that is newer or not ours."""
    with translated(connection):
        if connection.pragma("application_id") != APPLICATION_ID:
            raise IntegrityError(f"{path} is not a Remanent database")
        found = int(connection.pragma("user_version"))
        if found == len(migrations):
            return
        if found > len(migrations):
            raise SchemaTooNew(
                f"{path} has schema {found}, but this version of Remanent only "
                f"knows {len(migrations)}; upgrade Remanent"
            )
        with connection:
            # Nobody else writes from here on; but somebody may have been faster.
            connection.execute("UPDATE counters SET value = value WHERE name = 'vector_revision'")
            found = int(connection.pragma("user_version"))
            if found < len(migrations):
                _backup(path, path.with_name(f"{path.name}.backup-{found}"))
                _step(connection, migrations, start=found)


def _step(connection: apsw.Connection, migrations: Sequence[str], *, start: int) -> None:
    for number, script in enumerate(migrations[start:], start=start + 1):
        connection.execute(script)
        connection.execute(f"PRAGMA user_version={number}")


def _backup(path: Path, target: Path) -> None:
    """Copy a database, consistent and whole, to a new file; by a reader, since a writer cannot be copied from."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    os.close(handle)
    temporary = Path(name)
    vfs = _CHECKSUM_VFS if checksums_available() else None
    try:
        with (
            closing(connect(path, busy_timeout=5, read_only=True)) as source,
            closing(apsw.Connection(name, vfs=vfs)) as copy,
            copy.backup("main", source, "main") as work,
        ):
            while not work.done:
                work.step(1000)
        with open(temporary, "rb+") as file:
            sync_file(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
