"""The workspace as a discipline: a folder of Markdown files that people can read, and what it gives an agent."""

import asyncio
from collections.abc import Sequence
from os import PathLike
from typing import Any

from remanent.bilingual import Bilingual
from remanent.discipline import AnyAgent, Discipline, OpenDiscipline, Operation, Parts
from remanent.model import Kind, Scope
from remanent.stores import Erased
from remanent.workspace.face import AsyncWorkspace
from remanent.workspace.index import WorkspaceIndex, WorkspaceMemoryStore
from remanent.workspace.mem0 import close_all
from remanent.workspace.roots import Roots
from remanent.workspace.settings import WorkspaceSettings

NAME = "workspace"


class Workspace(Discipline):
    """Memory in files that the agent and its user both read and write."""

    name = NAME
    purpose = Bilingual("Memory in Markdown files that people can read and edit.", "人可读写的 Markdown 文件记忆。")
    kinds = (Kind.NOTE,)
    settings = WorkspaceSettings
    section = "memory"
    agent_face = AsyncWorkspace

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.workspace.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work."""
        return OpenWorkspace(parts)


class OpenWorkspace(OpenDiscipline):
    """The workspaces of all agents of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._settings = parts.settings.section(WorkspaceSettings)
        self._roots = Roots(parts)
        self._indexes: dict[tuple[Scope, str], WorkspaceIndex] = {}
        self._mem0: dict[Scope, Any] = {}
        self._loop = asyncio.get_running_loop()

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of what is kept of the agent's folder; the files are the user's own."""
        del erased
        self._roots.forget(scope)
        self._indexes = {key: index for key, index in self._indexes.items() if key[0] != scope.owner}

    def agent_face(self, agent: AnyAgent) -> AsyncWorkspace:
        """Return the agent's workspace."""
        scope = agent.scope.owner

        async def index(folder: str | PathLike[str] | None) -> WorkspaceIndex:
            files = await self._roots.files(scope) if folder is None else self._roots.files_in(folder)
            key = (scope, str(files.root))
            if key not in self._indexes:
                include, size = self._roots.include(scope), self._settings.max_file_size
                self._indexes[key] = WorkspaceIndex(self._parts, scope, files, include=include, max_size=size)
            return self._indexes[key]

        return AsyncWorkspace(
            self._parts, scope, roots=self._roots, store=WorkspaceMemoryStore(index, self._loop), mem0=self._mem0
        )

    async def close(self) -> None:
        """Let go of what Mem0 holds open."""
        await asyncio.to_thread(close_all, self._mem0)
