"""Where an agent's files lie under the home folder, and that no name leads out of it.

`<home>/<org>/<workspace>/<agent>/` holds `memory.db`, a note of whose it is (`meta.json`) and blobs. Names
come from users: they are escaped, links are refused, and names that differ only in case are told apart from each other,
because some file systems do not.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from remanent.durability import NO_ROOM, make_folder, write_durably
from remanent.errors import DatabaseMissing, InvalidScope, InvalidSettings
from remanent.model import Scope

DATABASE = "memory.db"
META = "meta.json"
FORMAT = 1
"""Of `meta.json`, which only names the agent: the database has a schema number of its own."""
_SCHEMA_AT = 60
"""Where the header of a SQLite file has its user version."""
_SAFE_IN_PATH = "-_.@+=~"


def folder_name(name: str) -> str:
    """Return a scope name as a folder name: readable, and legal on every file system."""
    return "".join(char if char.isalnum() or char in _SAFE_IN_PATH else quote(char, safe="") for char in name)


class FileStamp(NamedTuple):
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

    def is_stored(self, scope: Scope) -> bool:
        """Return whether the agent has a database; `DatabaseMissing` where there was one and it is gone.

        A note or a log without its database is a loss, never an agent that has yet to say its first word.
        """
        database = self.database(scope)
        if database.exists():
            return True
        if not (self._is_noted(database) or database.with_name(f"{database.name}-wal").exists()):
            return False
        if database.exists():  # another process made it meanwhile, and its note after it
            return True
        raise DatabaseMissing(
            f"the database of {scope} is missing: {database} is gone, what belongs to it is still there; "
            f"put {DATABASE} back from a backup, or remove the folder {database.parent} and import an export "
            "(or begin anew)"
        )

    @staticmethod
    def _is_noted(database: Path) -> bool:
        return database.with_name(META).exists()

    def prepare(self, scope: Scope) -> Path:
        """Make the agent's folder if it is missing, and return it; `DatabaseMissing` where the database was lost."""
        folder = self.folder(scope)
        make_folder(folder)
        self.verify(scope)
        self.is_stored(scope)
        return folder

    def note(self, scope: Scope) -> None:
        """Write `meta.json` if it is missing; after the database is made, so that a note tells that there was one."""
        folder = self.folder(scope)
        meta = folder / META
        if not meta.exists():
            body = {"format": FORMAT, "org": scope.org, "workspace": scope.workspace, "agent": scope.agent}
            write_durably(meta, json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n")

    def require_writable(self) -> None:
        """Raise `InvalidSettings` when nothing can be kept under the home folder, since it is a file or read-only.

        Only making something tells: permissions say nothing to root, on read-only disks, or under `/proc`. A full disk
        is no reason to refuse, since what is stored can still be read.
        """
        folder = next((part for part in (self.home, *self.home.parents) if os.path.lexists(part)), self.home)
        if not folder.is_dir():
            raise InvalidSettings(
                f"{folder} is a file, but the home of all memories must be a folder (--home, REMANENT_HOME)"
            )
        try:
            Path(tempfile.mkdtemp(dir=folder, prefix=".remanent-")).rmdir()
        except OSError as error:
            if error.errno in NO_ROOM:
                return
            raise InvalidSettings(
                f"{folder} cannot be written to ({error.strerror or type(error).__name__}); "
                "change its permissions, or choose another home folder (--home, REMANENT_HOME)"
            ) from error

    def verify(self, scope: Scope) -> None:
        """Refuse a folder that is not truly the scope's own: behind a link, or of a name that differs only in case."""
        folder = self.folder(scope)
        if folder.resolve() != folder:
            raise InvalidScope(f"the folder of {scope} is a link; memories are kept under {self.home} only")
        if (folder / DATABASE).is_symlink():
            raise InvalidScope(f"the database of {scope} is a link; it would be another's memory")
        name = _recorded_agent(folder / META)
        if name is not None and name != scope.agent and name.casefold() == scope.agent.casefold():
            raise InvalidScope(
                f"agent {scope.agent!r} differs only in case from {name!r}, which already uses that folder"
            )

    def schema(self, scope: Scope) -> int:
        """Return the schema that a database's header names, without opening it; 0 when that cannot be read."""
        with suppress(OSError), open(self.database(scope), "rb") as file:
            head = file.read(_SCHEMA_AT + 4)
            return int.from_bytes(head[_SCHEMA_AT:], "big") if len(head) == _SCHEMA_AT + 4 else 0
        return 0

    def backup(self, scope: Scope, schema: int) -> Path:
        """Return where the copy lies that is made before a database of an older schema is changed."""
        return self.folder(scope) / f"{DATABASE}.backup-{schema}"

    def copies(self, scope: Scope) -> list[Path]:
        """Return the finished copies of an agent's database that lie beside it: backups, and what a repair saved."""
        folder = self.folder(scope)
        stem = DATABASE.removesuffix(".db")
        return sorted([*folder.glob(f"{DATABASE}.backup-*"), *folder.glob(f"{stem}.repaired-*.db")])

    def written_at(self, scope: Scope) -> float:
        """Return when an agent's files were last written to, in seconds of the system's clock; 0 if there are none."""
        database = self.database(scope)
        times = [0.0]
        for path in (database, database.with_name(f"{database.name}-wal")):
            with suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)

    def stamp(self, scope: Scope) -> FileStamp | None:
        """Return what changes when an agent's files are written to; `None` when that cannot be told."""
        database = self.database(scope)
        try:
            return FileStamp(_stamp(database), _stamp(database.with_name(f"{database.name}-wal")))
        except OSError:
            return None

    def scopes(self) -> Iterator[Scope]:
        """Yield every agent that has a database, by path."""
        yield from self._scopes_with(DATABASE)

    def lost_scopes(self) -> Iterator[Scope]:
        """Yield every agent whose database is missing though its note or its log is there, by path."""
        stored = set(self.scopes())
        noted = {*self._scopes_with(META), *self._scopes_with(f"{DATABASE}-wal")}
        yield from sorted(noted - stored, key=self.folder)

    def _scopes_with(self, name: str) -> Iterator[Scope]:
        """Yield the agents whose folder holds a file of this name, by path."""
        for path in sorted(self.home.glob(f"*/*/*/{name}")):
            org, workspace, agent = (unquote(part) for part in path.parent.relative_to(self.home).parts)
            try:
                yield Scope(org=org, workspace=workspace, agent=agent)
            except InvalidScope:
                continue  # a folder of somebody else's that we could not have made


def _recorded_agent(meta: Path) -> str | None:
    """Return whose folder a note says it is; nothing when there is no note or it cannot be read."""
    try:
        body = json.loads(meta.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None  # a torn or missing note is written anew; the database itself holds the truth
    name = body.get("agent") if isinstance(body, dict) else None
    return name if isinstance(name, str) else None


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is written to."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
