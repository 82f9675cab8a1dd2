"""Where an agent's files lie under the home folder, and that no name leads out of it."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from remanent.errors import InvalidScope, StorageError
from remanent.model import Scope

DATABASE = "memory.db"
META = "meta.json"
FORMAT = 1
_SAFE_IN_PATH = "-_.@+=~"


def folder_name(name: str) -> str:
    """Return a scope name as a folder name: readable, and legal on every file system."""
    return "".join(char if char.isalnum() or char in _SAFE_IN_PATH else quote(char, safe="") for char in name)


class Stamp(NamedTuple):
    """What tells whether an agent's files were written to: of each its inode, size and last change."""

    file: tuple[int, ...] | None
    log: tuple[int, ...] | None


class Layout:
    """The folders `<home>/<org>/<workspace>/<agent>/`."""

    def __init__(self, home: Path) -> None:
        self.home = home.expanduser().resolve()

    def folder(self, scope: Scope) -> Path:
        """Return the agent's folder; it need not exist."""
        return self.home / folder_name(scope.org) / folder_name(scope.workspace) / folder_name(scope.agent)

    def own_folder(self, scope: Scope) -> Path:
        """Return the agent's folder, or refuse one that is not truly its own."""
        self.verify(scope)
        return self.folder(scope)

    def database(self, scope: Scope) -> Path:
        """Return the agent's database file; it need not exist."""
        return self.folder(scope) / DATABASE

    def prepare(self, scope: Scope) -> Path:
        """Make the agent's folder and its `meta.json` if they are missing, and return the folder."""
        folder = self.folder(scope)
        self._make(folder)
        self.verify(scope)
        meta = folder / META
        if not meta.exists():
            body = {"format": FORMAT, "org": scope.org, "workspace": scope.workspace, "agent": scope.agent}
            write_durably(meta, json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n")
        return folder

    def _make(self, folder: Path) -> None:
        """Make a folder and those above it, each name durable before anything is put inside."""
        if folder.is_dir():
            return
        if folder != self.home:
            self._make(folder.parent)
            folder.mkdir(exist_ok=True, mode=0o700)
        else:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        sync_folder(folder.parent)

    def verify(self, scope: Scope) -> None:
        """Refuse a folder that is not truly the scope's own: behind a link, or of a name that differs only in case."""
        folder = self.folder(scope)
        if folder.resolve() != folder:
            raise InvalidScope(f"the folder of {scope} is a link; memories are kept under {self.home} only")
        if (folder / DATABASE).is_symlink():
            raise InvalidScope(f"the database of {scope} is a link; it would be another's memory")
        name = _recorded_agent(folder / META)
        if name is not None and name != scope.agent and name.casefold() == scope.agent.casefold():
            raise InvalidScope(f"agent {scope.agent!r} differs only in case from {name!r}, which lives in that folder")

    def written_at(self, scope: Scope) -> float:
        """Return when an agent's files were last written to, in seconds of the system's clock; 0 if there are none."""
        database = self.database(scope)
        times = [0.0]
        for path in (database, database.with_name(f"{database.name}-wal")):
            with suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)

    def stamp(self, scope: Scope) -> Stamp | None:
        """Return what changes when an agent's files are written to; `None` when that cannot be told."""
        database = self.database(scope)
        try:
            return Stamp(_stamp(database), _stamp(database.with_name(f"{database.name}-wal")))
        except OSError:
            return None

    def scopes(self) -> Iterator[Scope]:
        """Yield every agent that has a database, by path."""
        for path in sorted(self.home.glob(f"*/*/*/{DATABASE}")):
            org, workspace, agent = (unquote(part) for part in path.parent.relative_to(self.home).parts)
            try:
                yield Scope(org=org, workspace=workspace, agent=agent)
            except InvalidScope:
                continue  # a folder of somebody else's that we could not have made


def _recorded_agent(meta: Path) -> str | None:
    try:
        body = json.loads(meta.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None  # a torn or missing note is written anew; the database itself holds the truth
    name = body.get("agent") if isinstance(body, dict) else None
    return name if isinstance(name, str) else None


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def write_durably(path: Path, content: bytes) -> None:
    """Write a small file so that after a crash it is there whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each name durable before anything is put inside."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError as error:  # Windows opens no folders; its names are durable with the file
        if os.name == "nt":
            return
        raise StorageError(f"cannot open {folder}") from error
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
