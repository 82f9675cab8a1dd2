"""The associative memory as a discipline: what it declares, and how it is put to work."""

from collections.abc import Mapping, Sequence
from typing import Any

from remanent.associative.associations import Associations
from remanent.associative.compressors import Compressor
from remanent.associative.kinds import TRACE
from remanent.associative.memory import AsyncAssociativeMemory
from remanent.associative.path import AssociativePath
from remanent.associative.settings import AssociativeSettings
from remanent.bilingual import Bilingual
from remanent.discipline import AnyAgent, Discipline, OpenDiscipline, Operation, Parts
from remanent.jobs import Handler
from remanent.model import Entry, EntryKind, Receipt, Scope
from remanent.model.message import Messages
from remanent.recall import RecallPath
from remanent.stores import Erased, Transaction

NAME = "associative"


class Associative(Discipline):
    """A memory that forgets as people do: what is linked strongly stays, the rest fades and leaves a trace."""

    name = NAME
    purpose = Bilingual("The memory that links, forgets by degrees, and knows it.", "会关联、逐渐遗忘且自知的记忆。")
    kinds = (TRACE,)
    settings = AssociativeSettings
    agent_face = AsyncAssociativeMemory

    def __init__(self, *, compressor: Compressor | None = None) -> None:
        self._compressor = compressor

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.associative.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work."""
        return OpenAssociative(parts, compressor=self._compressor)


class OpenAssociative(OpenDiscipline):
    """The associative memories of all agents of one open memory."""

    def __init__(self, parts: Parts, *, compressor: Compressor | None = None) -> None:
        self._journal = parts.journal
        self._settings = parts.settings.section(AssociativeSettings)

        async def append(tx: Transaction, entries: Sequence[Entry]) -> None:
            await parts.journal.append(tx, entries, by=NAME)

        self.associations = Associations(
            parts.store,
            parts.engine,
            settings=self._settings,
            clock=parts.clock,
            new_id=parts.new_id,
            index=parts.journal.index,
            append=append,
            vectors=parts.vectors,
            embedder=parts.embedder,
            compressor=compressor,
        )
        self.associations.watch = parts.watch

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Making nodes, recalling in turn, compressing, rewriting."""
        return self.associations.handlers

    @property
    def paths(self) -> Sequence[RecallPath]:
        """Along links from what is in focus."""
        return (AssociativePath(self.associations),)

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Ask for nodes of what was said, where everything is to become associative memory."""
        # Events are the notes that a discipline keeps of its own work: nobody said them.
        said = [entry.id for entry in entries if entry.kind is not EntryKind.EVENT]
        if self._settings.follow and said:
            self.associations.request(tx, said)

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of the agent's graph."""
        del erased
        self.associations.forget(scope)

    def agent_face(self, agent: AnyAgent) -> AsyncAssociativeMemory:
        """Return the agent's associative memory."""
        scope = agent.scope

        def request(tx: Transaction, entries: Sequence[Entry]) -> None:
            if not self._settings.follow:  # else it was asked for when they were appended
                self.associations.request(tx, [entry.id for entry in entries])

        async def keep(messages: Messages, *, session: str | None, task: str | None) -> Receipt:
            return await self._journal.keep(scope, messages, session=session, task=task, also=request)

        return AsyncAssociativeMemory(self.associations, scope, keep=keep)
