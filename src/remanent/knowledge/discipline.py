"""Knowledge bases as a discipline: what they declare, and how an open memory gets them.

Its bytes go to the blobs; one unit of work commits an entry that names them and the records made of them. All stand
in a session named by the document's id, so that erasing that erases the document. A chunk's id is a hash of its words
and headings: a changed version touches only what changed.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from remanent.bilingual import Bilingual
from remanent.discipline import AnyAgent, AnyMemory, Discipline, OpenDiscipline, Operation, Parts
from remanent.knowledge.settings import KNOWLEDGE, KnowledgeSettings
from remanent.lightweight import Late, late_class
from remanent.model import SHARED, Entry, EntryKind, MetadataCondition, Scope
from remanent.model.kinds import PASSAGES
from remanent.recall import Question, Recipe
from remanent.stores import Erasure

if TYPE_CHECKING:
    from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection, KnowledgeServices


class KnowledgeBase(Discipline):
    """Documents that agents can stand on: cut, indexed, searched, cited and checked against."""

    name = "knowledge"
    purpose = Bilingual(
        "Documents that answers can be found in, cited from and checked against.",
        "可供检索、引用与核对的文档。",
    )
    settings = KnowledgeSettings
    agent_face = late_class("remanent.knowledge.face", "AsyncKnowledgeCollection")
    memory_face = late_class("remanent.knowledge.face", "AsyncKnowledgeBases")

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return the operations; imported late, since most programs never call one."""
        from remanent.knowledge.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Return the discipline at work in one open memory."""
        return OpenKnowledgeBase(parts)


class OpenKnowledgeBase(OpenDiscipline):
    """The knowledge bases of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._services = Late(self._open)

    def _open(self) -> "KnowledgeServices":
        """Make the parts of knowledge bases when they are first needed: loading them takes a while."""
        from remanent.knowledge.face import KnowledgeServices
        from remanent.knowledge.folders import Folders
        from remanent.knowledge.library import Library
        from remanent.knowledge.proof import Prover
        from remanent.knowledge.search import Searcher

        library = Library(self._parts)
        searcher = Searcher(self._parts, library)
        folders = Folders(clock=self._parts.clock)
        return KnowledgeServices(library, searcher, folders, Prover(self._parts, searcher))

    @property
    def recipes(self) -> Sequence[Recipe]:
        """How passages are found."""
        return (KNOWLEDGE,)

    async def elsewhere(self, question: Question) -> Sequence[Question]:
        """Ask for documents among those that the workspace shares as well, as far as they are open to the agent."""
        scope, wanted = question.scope, question.record_filter
        kinds = tuple(kind for kind in PASSAGES if kind in (wanted.kinds or ()))
        if not kinds or scope.agent == SHARED:
            return ()
        collections = await self._services().library.open_to(scope.owner)
        if collections is not None and not collections:
            return ()
        self._parts.watch(scope.shared)
        named = () if collections is None else (MetadataCondition("collection", "in", collections),)
        shared = scope.shared.within(session=scope.session)
        return (
            replace(
                question,
                scope=shared,
                record_filter=replace(wanted, kinds=kinds, where=(*wanted.where, *named)),
                beside={},
            ),
        )

    def source_of(self, entry: Entry) -> str:
        """Return where a document came from."""
        if entry.kind is not EntryKind.DOCUMENT or "collection" not in entry.metadata:
            return ""
        return str(entry.metadata.get("source") or entry.metadata.get("name", ""))

    async def before_erase(self, scope: Scope, erasure: Erasure) -> Erasure:
        """With everything of an agent, what it has not finished sending goes, too."""
        if erasure.everything:
            from remanent.knowledge.uploads import PartialUploads

            await PartialUploads(self._parts.shelf).discard_all(scope)
        return erasure

    def agent_face(self, agent: AnyAgent) -> "AsyncKnowledgeCollection":
        """Return the agent's own documents; its searches see those of its workspace as well."""
        from remanent.knowledge.face import AsyncKnowledgeCollection

        return AsyncKnowledgeCollection(self._services(), agent.scope)

    def memory_face(self, memory: AnyMemory) -> "AsyncKnowledgeBases":
        """Return what opens knowledge bases."""
        from remanent.knowledge.face import AsyncKnowledgeBases

        return AsyncKnowledgeBases(self._services(), memory)

    async def close(self) -> None:
        """Close connections."""
        if self._services.made is not None:
            await self._services.made.folders.close()
