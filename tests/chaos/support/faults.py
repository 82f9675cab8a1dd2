"""Makes the Nth call to the operating system fail, under SQLite as under Python, once or until it is lifted.

SQLite's own VFS is tapped at the level of C: a VFS written in Python reports through exceptions, and those surface even
where SQLite has dealt with the error itself (a checkpoint that fails after a commit that did not). The table of the VFS
is changed in place; so use it in a process of its own.
"""

import ctypes
import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

# Paths go through as bare pointers: SQLite keeps more around the text than its end shows.
_Open = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)  # fmt: skip
_Delete = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_Transfer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_Truncate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_Sync = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_Size = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_Map = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p
)  # fmt: skip


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", _Open),
        ("delete", _Delete),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("close", ctypes.c_void_p),
        ("read", _Transfer),
        ("write", _Transfer),
        ("truncate", _Truncate),
        ("sync", _Sync),
        ("size", _Size),
        ("lock", ctypes.c_void_p),
        ("unlock", ctypes.c_void_p),
        ("check_lock", ctypes.c_void_p),
        ("control", ctypes.c_void_p),
        ("sector_size", ctypes.c_void_p),
        ("characteristics", ctypes.c_void_p),
        ("map_shared", _Map),
        ("lock_shared", ctypes.c_void_p),
        ("barrier", ctypes.c_void_p),
        ("unmap_shared", ctypes.c_void_p),
        ("fetch", ctypes.c_void_p),
        ("unfetch", ctypes.c_void_p),
    )


_CODES = {
    "open": apsw.SQLITE_CANTOPEN,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "size": apsw.SQLITE_IOERR_FSTAT,
    "map_shared": apsw.SQLITE_IOERR_SHMSIZE,
}
_GROW = {"write", "map_shared"}
"""Calls that fail when the disk is full."""
_PYTHON_CALLS = ("fsync", "mkdir", "link", "replace", "open")
_GROW_IN_PYTHON = {"fsync", "mkdir", "link", "open"}


@dataclass
class Plan:
    """Which call is to fail."""

    nth: int = 0
    """Counted from 1; 0 for none."""
    lasting: bool = False
    """Whether the calls after it fail, too."""
    full: bool = False
    """Whether the disk is full: only calls that need room are counted and fail."""


class Faults:
    """Counts the calls that touch a folder, and lets the chosen ones fail."""

    def __init__(self, home: Path) -> None:
        self._home = os.fspath(home)
        self._plan: Plan | None = None
        self._lock = threading.Lock()
        self.calls = 0
        self.failed: list[str] = []

    @contextmanager
    def during(self, plan: Plan) -> Iterator[None]:
        """Count from zero and fail by plan for a while."""
        with self._lock:
            self._plan, self.calls, self.failed = plan, 0, []
        try:
            yield
        finally:
            with self._lock:
                self._plan = None

    def concerns(self, path: str) -> bool:
        """Return whether a path lies under the folder."""
        return path.startswith(self._home)

    def strikes(self, what: str, *, grows: bool) -> bool:
        """Count a call and return whether it is to fail."""
        with self._lock:
            plan = self._plan
            if plan is None or (plan.full and not grows):
                return False
            self.calls += 1
            hit = bool(plan.nth) and (self.calls == plan.nth or (plan.lasting and self.calls > plan.nth))
            if hit:
                self.failed.append(what)
            return hit

    def code(self, what: str) -> int:
        """Return the error that SQLite is to see, or 0 when the call may go on."""
        if not self.strikes(what, grows=what in _GROW):
            return 0
        return apsw.SQLITE_FULL if self._is_full() and what == "write" else _CODES[what]

    def refuse(self, what: str) -> None:
        """Raise the error that Python is to see, if any."""
        if self.strikes(f"os.{what}", grows=what in _GROW_IN_PYTHON):
            number = errno.ENOSPC if self._is_full() else errno.EIO
            raise OSError(number, os.strerror(number))

    def _is_full(self) -> bool:
        plan = self._plan
        return plan is not None and plan.full


class Tap:
    """Stands between SQLite and its VFS, and between Python and `os`."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._tables: dict[int, _Methods] = {}
        self._kept: list[object] = []  # what C holds a pointer to must not be collected

    def install(self) -> None:
        """Take the place of the real functions for the rest of the process."""
        pointer = ctypes.c_void_p()
        with closing(apsw.Connection(":memory:", vfs="unix")) as connection:
            connection.file_control("main", apsw.SQLITE_FCNTL_VFS_POINTER, ctypes.addressof(pointer))
        vfs = ctypes.cast(pointer, ctypes.POINTER(_Vfs)).contents
        assert vfs.name == b"unix"
        vfs.open = self._keep(_Open(self._opening(_Open(_address(vfs.open)))))
        vfs.delete = self._keep(_Delete(self._deleting(_Delete(_address(vfs.delete)))))
        for name in _PYTHON_CALLS:
            setattr(os, name, self._python(name, getattr(os, name)))

    def _keep(self, function: Any) -> Any:
        self._kept.append(function)
        return function

    def _opening(self, real: Any) -> Callable[..., int]:
        def opening(vfs: int, path: int | None, file: int, flags: int, out: int | None) -> int:
            if path is None or not self._faults.concerns(_text_at(path)):
                return int(real(vfs, path, file, flags, out))
            code = self._faults.code("open")
            if code:
                ctypes.c_void_p.from_address(file).value = None  # no methods: there is nothing to close
                return code
            code = int(real(vfs, path, file, flags, out))
            if code == apsw.SQLITE_OK:
                self._tap_file(file)
            return code

        return opening

    def _deleting(self, real: Any) -> Callable[..., int]:
        def deleting(vfs: int, path: int, sync: int) -> int:
            code = self._faults.code("delete") if self._faults.concerns(_text_at(path)) else 0
            return code or int(real(vfs, path, sync))

        return deleting

    def _tap_file(self, file: int) -> None:
        methods = ctypes.c_void_p.from_address(file)
        assert methods.value is not None
        if methods.value not in self._tables:
            self._tables[methods.value] = self._tapped(_Methods.from_address(methods.value))
        methods.value = ctypes.addressof(self._tables[methods.value])

    def _tapped(self, real: _Methods) -> _Methods:
        table = _Methods.from_buffer_copy(real)
        for name in ("read", "truncate", "sync", "size", "map_shared"):
            if not getattr(real, name):
                continue  # a log has no shared memory
            kind = type(getattr(real, name))
            function = kind(_address(getattr(real, name)))
            setattr(table, name, self._keep(kind(self._failing(name, function))))
        table.write = self._keep(_Transfer(self._writing(_Transfer(_address(real.write)))))
        return table

    def _failing(self, name: str, real: Any) -> Callable[..., int]:
        return lambda *arguments: self._faults.code(name) or int(real(*arguments))

    def _writing(self, real: Any) -> Callable[..., int]:
        def writing(file: int, content: int, amount: int, offset: int) -> int:
            code = self._faults.code("write")
            if code:
                real(file, content, amount // 2, offset)  # a write that fails may have been done in part
                return code
            return int(real(file, content, amount, offset))

        return writing

    def _python(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self._faults.concerns(_path_of(arguments[0])):
                self._faults.refuse(name)
            return real(*arguments, **named)

        return call


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _text_at(pointer: int) -> str:
    return os.fsdecode(ctypes.string_at(pointer))


def _path_of(argument: Any) -> str:
    if isinstance(argument, int):
        return os.readlink(f"/proc/self/fd/{argument}")
    return os.fsdecode(argument)
