"""Records every operation of SQLite and of Python under one folder, in order, for a disk that forgets.

SQLite is watched through a VFS of its own that becomes the default; Python through the functions of `os` that make
names and contents durable. Use it in a process of its own: it cannot be taken out again.
"""

import os
import threading
from pathlib import Path
from typing import Any

import apsw

from tests.chaos.support.disk import Link, Make, Operation, Remove, Rename, Sync, SyncFolder, Truncate, Write

_NAMES_DURABLE_WITH_FIRST_SYNC = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Journal:
    """The operations so far; a position in it is a moment."""

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.operations: list[Operation] = []
        self._nodes: dict[str, int] = {}
        self._made = 0
        self._of_sqlite: set[int] = set()
        self._lock = threading.RLock()

    @property
    def position(self) -> int:
        """How many operations have been made."""
        with self._lock:
            return len(self.operations)

    def inside(self, path: str | os.PathLike[str]) -> str | None:
        """Return the path relative to the home, or nothing when it lies elsewhere."""
        full = os.path.abspath(os.fspath(path))
        home = str(self.home)
        if full == home:
            return ""
        return full[len(home) + 1 :] if full.startswith(home + os.sep) else None

    def note(self, operation: Operation) -> None:
        """Add an operation that has been carried out."""
        with self._lock:
            self.operations.append(operation)

    def made(self, path: str, *, is_folder: bool = False) -> int:
        """Note that a name came to be, unless it is known; return the file's number."""
        with self._lock:
            if path not in self._nodes:
                self._made += 1
                self._nodes[path] = self._made
                folder, name = os.path.split(path)
                self.note(Make(folder, name, self._made, is_folder))
            return self._nodes[path]

    def known(self, path: str) -> int:
        """Return the number of a file; what Python wrote to it is noted only here."""
        with self._lock:
            node = self.made(path)
            if node not in self._of_sqlite:
                content = (self.home / path).read_bytes()
                self.note(Truncate(node, len(content)))
                self.note(Write(node, 0, content))
            return node

    def taken_by_sqlite(self, path: str, *, existed: bool) -> int:
        """Return the number of a file whose every change will be noted from now on."""
        with self._lock:
            node = self.known(path) if existed else self.made(path)
            self._of_sqlite.add(node)
            return node

    def linked(self, path: str, to_path: str) -> None:
        """Note a second name."""
        with self._lock:
            self._nodes[to_path] = self._nodes[path]
            folder, name = os.path.split(to_path)
            self.note(Link(folder, name, self._nodes[to_path]))

    def renamed(self, path: str, to_path: str) -> None:
        """Note a change of name inside a folder."""
        with self._lock:
            self._nodes[to_path] = self._nodes.pop(path)
            (folder, name), (to_folder, to_name) = os.path.split(path), os.path.split(to_path)
            assert folder == to_folder, "a rename across folders is not modelled"
            self.note(Rename(folder, name, to_name))

    def removed(self, path: str) -> None:
        """Note that a name went away."""
        with self._lock:
            if self._nodes.pop(path, None) is not None:
                folder, name = os.path.split(path)
                self.note(Remove(folder, name))

    def synced(self, path: str) -> None:
        """Note that a file's content, or a folder's names, became durable."""
        with self._lock:
            if (self.home / path).is_dir():
                self.note(SyncFolder(path))
            else:
                self.note(Sync(self.known(path)))


class RecordedFile(apsw.VFSFile):
    """A file of SQLite whose changes are noted once they are made."""

    def __init__(self, journal: Journal, path: str, name: "str | apsw.URIFilename", flags: list[int]) -> None:
        existed = (journal.home / path).exists()
        super().__init__("unix", name, flags)
        self._journal = journal
        self._path = path
        self._node = journal.taken_by_sqlite(path, existed=existed)
        self._name_is_pending = bool(flags[0] & _NAMES_DURABLE_WITH_FIRST_SYNC)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802  (the name is the engine's)
        """Write, then note it."""
        super().xWrite(data, offset)
        self._journal.note(Write(self._node, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        """Cut, then note it."""
        super().xTruncate(newsize)
        self._journal.note(Truncate(self._node, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Sync, then note it; SQLite makes the name of a new log durable with its first sync."""
        super().xSync(flags)
        self._journal.note(Sync(self._node))
        if self._name_is_pending:
            self._journal.note(SyncFolder(os.path.dirname(self._path)))
            self._name_is_pending = False


class RecordingVFS(apsw.VFS):
    """The default VFS of this process from now on."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        super().__init__("recording", "unix", makedefault=True)

    def xOpen(self, name: "str | apsw.URIFilename | None", flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a file, a recorded one when it lies under the home."""
        plain = name.filename() if isinstance(name, apsw.URIFilename) else name
        path = self._journal.inside(plain) if plain is not None else None
        if name is None or path is None:
            return apsw.VFSFile("unix", name, flags)
        return RecordedFile(self._journal, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Remove a name, then note it."""
        super().xDelete(filename, syncdir)
        path = self._journal.inside(filename)
        if path is not None:
            self._journal.removed(path)
            if syncdir:
                self._journal.note(SyncFolder(os.path.dirname(path)))


class PythonWatch:
    """Stands in for the functions of `os` that make names and contents durable, and notes what they do."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._real = {name: getattr(os, name) for name in _WATCHED}

    def install(self) -> None:
        """Take the place of the real functions."""
        for name, method in _WATCHED.items():
            setattr(os, name, getattr(self, method))

    def sync(self, file: Any) -> None:
        """Sync, then note it."""
        self._real["fsync"](file)
        number = file if isinstance(file, int) else file.fileno()
        path = self._journal.inside(os.readlink(f"/proc/self/fd/{number}"))
        if path is not None:
            self._journal.synced(path)

    def make_folder(self, path: Any, *arguments: Any, **named: Any) -> None:
        """Make a folder, then note it."""
        self._real["mkdir"](path, *arguments, **named)
        inside = self._journal.inside(path)
        if inside:
            self._journal.made(inside, is_folder=True)

    def link(self, source: Any, target: Any, **named: Any) -> None:
        """Give a second name, then note it."""
        self._real["link"](source, target, **named)
        inside, to_inside = self._journal.inside(source), self._journal.inside(target)
        if inside is not None and to_inside is not None:
            self._journal.known(inside)
            self._journal.linked(inside, to_inside)

    def remove(self, path: Any, **named: Any) -> None:
        """Remove a name, then note it."""
        self._real["unlink"](path, **named)
        inside = self._journal.inside(path)
        if inside is not None:
            self._journal.removed(inside)

    def rename(self, source: Any, target: Any, **named: Any) -> None:
        """Change a name, then note it."""
        inside, to_inside = self._journal.inside(source), self._journal.inside(target)
        if inside is not None:
            self._journal.known(inside)
        self._real["replace"](source, target, **named)
        if inside is not None and to_inside is not None:
            self._journal.renamed(inside, to_inside)


_WATCHED = {
    "fsync": "sync",
    "fdatasync": "sync",
    "mkdir": "make_folder",
    "link": "link",
    "unlink": "remove",
    "remove": "remove",
    "rename": "rename",
    "replace": "rename",
}


def record(home: Path) -> tuple[Journal, RecordingVFS]:
    """Begin recording all that happens under a folder that exists and is empty."""
    journal = Journal(home)
    vfs = RecordingVFS(journal)
    PythonWatch(journal).install()
    return journal, vfs
