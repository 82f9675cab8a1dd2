"""The workspace as a discipline: a folder of Markdown files that people can read, and what it gives an agent.

It is read, changed and replaced whole under a lock between processes, and looked at again at the last moment, since
people's editors know no lock. The difference is noted first, so that it can be undone. The index reads what differs.
"""

import asyncio
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from remanent.bilingual import Bilingual
from remanent.context.sessions import SessionEnd
from remanent.discipline import AnyAgent, Discipline, OpenDiscipline, Operation, Parts
from remanent.errors import InvalidSettings
from remanent.jobs import Handler
from remanent.lightweight import Late, late_class
from remanent.model import EntryKind, Job, Kind, Scope
from remanent.settings import Settings
from remanent.stores import EntryQuery, Erased, Erasure, Transaction
from remanent.workspace.settings import WorkspaceSettings

if TYPE_CHECKING:
    from remanent.workspace.face import AsyncWorkspace
    from remanent.workspace.files import Roots
    from remanent.workspace.index import WorkspaceIndex

_NAME = "workspace"
_FACTS = "workspace.facts"
"""The job that takes down the facts of a session that ended."""


class MarkdownWorkspace(Discipline):
    """Memory in files that the agent and its user both read and write."""

    name = _NAME
    purpose = Bilingual("Memory in Markdown files that people can read and edit.", "人可读写的 Markdown 文件记忆。")
    kinds = (Kind.NOTE,)
    settings = WorkspaceSettings
    section = "memory"
    agent_face = late_class("remanent.workspace.face", "AsyncWorkspace")

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.workspace.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Return the discipline at work in one open memory."""
        _check_backend(parts.settings)
        return OpenWorkspace(parts)


def _check_backend(settings: Settings) -> None:
    """Refuse a backend that is named without its address: notes would go elsewhere than their user thinks."""
    backend = settings.section(WorkspaceSettings).backend
    name, url = ("cache", settings.cache) if backend == "redis" else ("store", settings.store)
    schemes = {"postgresql": ("postgresql", "postgres"), "redis": ("redis", "rediss", "unix")}.get(backend)
    if schemes is not None and url.get_secret_value().partition(":")[0] not in schemes:
        raise InvalidSettings(
            f"memory.backend is {backend}, but {name} gives no address; set it like this: {name}: {schemes[0]}://…"
        )


class OpenWorkspace(OpenDiscipline):
    """The workspaces of all agents of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._settings = parts.settings.section(WorkspaceSettings)
        self._roots = Late(self._open)
        self._indexes: dict[tuple[Scope, str], WorkspaceIndex] = {}
        self._mem0: dict[Scope, Any] = {}
        self._loop = asyncio.get_running_loop()

    def _open(self) -> "Roots":
        from remanent.workspace.files import Roots

        return Roots(self._parts)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Taking down the facts of a session that ended."""
        return {_FACTS: self._take_down}

    async def on_session_end(self, tx: Transaction, ended: SessionEnd) -> None:
        """Ask for the facts of the session, where that is wanted."""
        if self._settings.follow and ended.last_seq > ended.after_seq:
            self._parts.enqueue(tx, _FACTS, payload={"session": ended.scope.session})

    async def _take_down(self, job: Job, tx: Transaction) -> None:
        """Take down the facts of the newest messages of a session; doing it again writes nothing twice."""
        from remanent.workspace.hooks import MAX_SCANNED_MESSAGES

        del tx
        session = str(job.payload["session"])
        query = EntryQuery(newest_first=True, limit=MAX_SCANNED_MESSAGES)
        entries = await self._parts.store.entries(job.scope.within(session=session), query)
        said = [
            {"role": entry.role, "content": entry.text}
            for entry in reversed(entries)
            if entry.kind is EntryKind.MESSAGE and entry.text
        ]
        await self._face(job.scope).end(said, session=session)

    async def before_erase(self, scope: Scope, erasure: Erasure) -> Erasure:
        """Destroy what was taken down of it in files; what else is in them is the user's own."""
        from remanent.workspace.hooks import erase_copies
        from remanent.workspace.mem0 import remove

        if erasure.everything:
            await asyncio.to_thread(remove, self._parts, scope.owner, self._mem0)
        return await erase_copies(self._parts, scope.owner, erasure, roots=self._roots())

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of what is kept of the agent's folder."""
        del erased
        self._roots().forget(scope)
        self._indexes = {key: index for key, index in self._indexes.items() if key[0] != scope.owner}

    def agent_face(self, agent: AnyAgent) -> "AsyncWorkspace":
        """Return the agent's workspace."""
        return self._face(agent.scope.owner)

    def _face(self, scope: Scope) -> "AsyncWorkspace":
        """Return what an agent holds of its workspace; indexes are shared by all faces of a folder."""
        from remanent.workspace.face import AsyncWorkspace
        from remanent.workspace.index import WorkspaceIndex, WorkspaceMemoryStore

        roots = self._roots()

        async def index(folder: str | PathLike[str] | None) -> WorkspaceIndex:
            files = await roots.files(scope) if folder is None else roots.files_in(folder)
            key = (scope, str(files.root))
            if key not in self._indexes:
                include, size = roots.include(scope), self._settings.max_file_size
                self._indexes[key] = WorkspaceIndex(self._parts, scope, files, include=include, max_size=size)
            return self._indexes[key]

        return AsyncWorkspace(
            self._parts, scope, roots=roots, store=WorkspaceMemoryStore(index, self._loop), mem0=self._mem0
        )

    async def close(self) -> None:
        """Let go of what Mem0 holds open."""
        if self._mem0:
            from remanent.workspace.mem0 import close_all

            await asyncio.to_thread(close_all, self._mem0)
