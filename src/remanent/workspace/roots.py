"""Which folder is whose: the session's, else the one that was chosen for the agent, else that of the settings.

A folder of the settings belongs to the agent that used it first, and others get one of their own: a key that reaches
one agent must not read another's files. Whoever wants one folder for all says so (`memory.shared`).
"""

import asyncio
import os
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from remanent.discipline import Parts
from remanent.durability import make_folder, write_durably
from remanent.errors import InvalidInput, InvalidSettings
from remanent.model import Scope
from remanent.workspace.files import OURS, WorkspaceFiles, lock_folder
from remanent.workspace.settings import VAULT, WorkspaceSettings

_STATE = "workspace"
"""The agent's named value that says which folder was chosen for it."""
OTHERS = ".workspaces"
"""The folder of the home where agents have theirs that do not own the one of the settings."""

_TEMPLATES = {
    "IDENTITY.md": (
        "Identity",
        "Who the agent is: name, role, what must never change.",
        "智能体是谁：名字、角色、不变的准则。",
    ),
    "SOUL.md": ("Soul", "Style, values, tone.", "风格、价值观、语气。"),
    "USER.md": ("User", "Who the user is, and what they prefer.", "用户是谁，有何偏好。"),
    "MEMORY.md": ("Memory", "What is to last.", "需要长期记住的内容。"),
}
"""The files that a new workspace begins with. Their hints are comments, which no prompt contains."""


class Roots:
    """The workspaces of all agents of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._settings = parts.settings.section(WorkspaceSettings)
        self._chosen: dict[Scope, WorkspaceFiles] = {}
        self._include: dict[Scope, str] = {}

    def files_in(self, folder: str | PathLike[str]) -> WorkspaceFiles:
        """Return the files of a folder, as it is."""
        return self._open(_folder(folder))

    async def files(self, scope: Scope, *, root: Path | None = None) -> WorkspaceFiles:
        """Return the files of an agent's workspace, made on first use; `root` is a session's own."""
        scope = scope.owner
        if root is not None:
            files = self._open(_folder(root))
            await asyncio.to_thread(_prepare, files)
            return files
        if scope not in self._chosen:
            noted = await self._parts.store.state(scope, _STATE)
            if isinstance(noted, dict):
                self._chosen[scope] = self._open(Path(str(noted["root"])))
                self._include[scope] = str(noted["include"])
            else:
                self._chosen[scope] = self._open(await asyncio.to_thread(self._usual, scope))
        files = self._chosen[scope]
        if self._include.get(scope) != VAULT:
            await asyncio.to_thread(_prepare, files)
        return files

    async def existing(self, scope: Scope) -> WorkspaceFiles | None:
        """Return the files of an agent's workspace if it has one; nothing is made."""
        noted = await self._parts.store.state(scope.owner, _STATE)
        if isinstance(noted, dict):
            self._include[scope.owner] = str(noted["include"])
        folder = await asyncio.to_thread(self._found, scope.owner, noted)
        return None if folder is None else self._open(folder)

    def _found(self, scope: Scope, noted: object) -> Path | None:
        """Return the folder of an agent's workspace, if there is one.

        The folder of the settings belongs to whoever made it: another agent has its own, unless it is said to be
        shared.
        """
        folder = Path(str(noted["root"])) if isinstance(noted, dict) else self._settled()
        is_own = isinstance(noted, dict) or self._settings.shared
        with suppress(FileNotFoundError, NotADirectoryError):
            is_own = is_own or (folder / OURS / "owner").read_bytes() == _owner(scope)
        folder = folder if is_own else self.own_folder(scope)
        return folder if folder.is_dir() else None

    @property
    def is_shared(self) -> bool:
        """Whether all agents have one folder."""
        return self._settings.shared

    def own_folder(self, scope: Scope) -> Path:
        """Return where an agent has its files that does not own the folder of the settings."""
        return self._parts.settings.home / OTHERS / scope.org / scope.workspace / scope.agent

    def include(self, scope: Scope) -> str:
        """Return which files of an agent's workspace are indexed."""
        return self._include.get(scope.owner, self._settings.include)

    async def init(self, scope: Scope, *, vault: str | None) -> dict[str, Any]:
        """Choose and make an agent's workspace."""
        scope = scope.owner
        if vault is not None:
            folder = _folder(vault)
            if not folder.is_dir():
                raise InvalidInput(f"there is no folder {vault}; make it first, or leave it out for a new workspace")
            if not self._settings.shared and not await asyncio.to_thread(_claim, folder, scope):
                raise InvalidInput(f"{vault} is another agent's workspace; choose another folder or set memory.shared")
            async with self._parts.store.transaction(scope) as tx:
                tx.state(_STATE, {"root": str(folder), "include": VAULT})
            self._chosen.pop(scope, None)
        files = await self.files(scope)
        made = [] if vault else [name for name in _TEMPLATES if (files.root / name).exists()]
        return {"root": str(files.root), "include": self.include(scope), "made": tuple(made)}

    def forget(self, scope: Scope) -> None:
        """Let go of what is kept of an agent."""
        self._chosen.pop(scope.owner, None)
        self._include.pop(scope.owner, None)

    def _open(self, folder: Path) -> WorkspaceFiles:
        """Return the files of a folder, with the bounds of the settings."""
        settings = self._settings
        return WorkspaceFiles(
            folder, clock=self._parts.clock, max_size=settings.max_file_size, max_changes=settings.max_changes
        )

    def _usual(self, scope: Scope) -> Path:
        """Return the folder of the settings, if the agent may have it, else one of its own."""
        folder = self._settled()
        return folder if self._settings.shared or _claim(folder, scope) else self.own_folder(scope)

    def _settled(self) -> Path:
        """Return the folder that settings name, or the one in the user's home."""
        folder = self._settings.root or self._settings.path
        if folder is None:
            try:
                folder = Path.home() / ".remanent" / "workspace"
            except RuntimeError as error:
                raise InvalidSettings("the user's home directory is unknown; set HOME or memory.path") from error
        return folder


def _folder(named: str | PathLike[str]) -> Path:
    """Return a folder as a whole path, `~` included."""
    try:
        return Path(named).expanduser().absolute()
    except RuntimeError as error:
        raise InvalidInput("this names a user whose home directory is unknown; write the path out") from error


def _owner(scope: Scope) -> bytes:
    return f"{scope.org}/{scope.workspace}/{scope.agent}\n".encode()


def _claim(folder: Path, scope: Scope) -> bool:
    """Make a folder the agent's own where it is nobody's yet; tell whether it is the agent's."""
    owner, name = folder / OURS / "owner", _owner(scope)
    with lock_folder(folder):
        if not owner.exists():
            write_durably(owner, name)
        return owner.read_bytes() == name


def _prepare(files: WorkspaceFiles) -> None:
    """Make the folder with its files the first time; what a person removed later stays away."""
    done = files.root / OURS / "made"
    if done.exists():
        return
    make_folder(files.root / "memory")
    for name, (title, english, chinese) in _TEMPLATES.items():
        path = files.root / name
        if not os.path.lexists(path):
            write_durably(path, f"# {title}\n\n<!-- {english} {chinese} -->\n".encode(), mode=0o600)
    with files.lock():
        write_durably(done, b"")
