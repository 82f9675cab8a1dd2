"""Translates the engine's exceptions into ours, in one place."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from remanent.errors import IntegrityError, StorageError, StorageFull, StoreBusy
from remanent.stores.sqlite.descriptors import is_starved, says_starved

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_IS_DAMAGED = "the database file is damaged; run `remanent doctor --repair` to save what is readable"
_STARVED = "this process has too many files open; nothing was written, try again, or raise its limit (ulimit -n)"
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
    extended = getattr(error, "extendedresult", 0)
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusy("another process holds the database; nothing was written, try again")
    if isinstance(error, apsw.FullError):
        return StorageFull("no room left on the device; nothing was written, make room and try again")
    if isinstance(error, _DAMAGED) or extended in {apsw.SQLITE_IOERR_DATA, apsw.SQLITE_IOERR_CORRUPTFS}:
        return IntegrityError(_IS_DAMAGED)
    if isinstance(error, (apsw.IOError, apsw.CantOpenError)) and connection is not None:
        number = connection.system_errno
        if number in _FULL:
            return StorageFull("no room left on the device; nothing was written, make room and try again")
    if isinstance(error, apsw.CantOpenError) and is_starved():
        return StoreBusy(_STARVED)
    return StorageError(f"the database failed ({type(error).__name__}, code {extended}); nothing was written")


def _of_system(error: OSError) -> StorageError | StoreBusy:
    if says_starved(error):
        return StoreBusy(_STARVED)
    if error.errno in _FULL:
        return StorageFull("no room left on the device; nothing was written, make room and try again")
    return StorageError(f"the file system refused: {error.strerror or type(error).__name__}")


def for_want_of_descriptors(error: BaseException) -> bool:
    """Return whether a translated error says that too many files are open."""
    return isinstance(error, StoreBusy) and error.args == (_STARVED,)
