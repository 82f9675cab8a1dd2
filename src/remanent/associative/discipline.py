"""The associative memory as a discipline: what it declares, and its path into the main recall.

A job cuts entries into pieces, annotates them, names their relations to what is in focus and commits nodes, links and
focuses together; a second lane decays and compresses. Without a depth, recall enters by words and meaning
(`widening.py`), judged by the recall gate; with one it is the exact best-first search (`search.py`).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from remanent.associative.model import COMPRESS, REMEMBER, REWRITE, TRACE
from remanent.associative.settings import AssociativeSettings
from remanent.bilingual import Bilingual
from remanent.discipline import AnyAgent, Discipline, OpenDiscipline, Operation, Parts
from remanent.jobs import Handler
from remanent.language import Engine
from remanent.lightweight import Late, late_class
from remanent.model import Entry, EntryKind, Job, Receipt, Scope
from remanent.model.chat import Messages
from remanent.recall import Candidate, Question, RecallPath
from remanent.stores import Erased, Standing, Store, Transaction

if TYPE_CHECKING:
    from remanent.associative.face import Associations, AsyncAssociativeMemory
    from remanent.associative.search import SearchHit
    from remanent.associative.writer import Compressor

_ONE_SIGN = 1
"""Words of one sign are in half of all texts: as keywords they would match nearly every node."""


class AssociativePath(RecallPath):
    """Nodes that hold the question's words and that links lead to from the focuses."""

    name = "associative"

    def __init__(self, store: Store, associations: "Late[Associations]") -> None:
        self._store = store
        self._associations = associations

    async def prepare(self, scope: Scope) -> None:
        """Load the agent's graph."""
        if await self._has_graph(scope, None):
            await self._associations().graphs.at(scope)

    async def _has_graph(self, scope: Scope, standing: Standing | None) -> bool:
        """Tell whether there is one: all that works with graphs is loaded for the agents that have one only.

        Of an agent whose `standing` was read before all else the store is not asked again.
        """
        if self._associations.made is not None:
            return True
        known = None if standing is None else standing.graphs.get(TRACE, 0)
        return (await self._store.graph_revision(scope.owner, TRACE) if known is None else known) > 0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search the graph; of the nodes found, those with more of the words come first, then stronger paths."""
        wanted = question.record_filter
        words = [term for term in question.terms if len(term) > _ONE_SIGN]
        if not words or wanted.as_of is not None or not await self._has_graph(question.scope, question.standing):
            return []
        associations = self._associations()
        depth = associations.settings.default_search_depth  # the other paths of recall do what lies beyond
        found = await associations.search(question.scope, words, depth=depth, limit=0)
        scores = {item.vertex.id: _score(item, len(words)) for item in found.items}
        reasons = {one.vertex.id: " → ".join(relation or "·" for relation in one.relations) for one in found.items}
        passing = await self._store.match(question.scope, list(scores), wanted) if scores else []
        ordered = sorted(passing, key=lambda node_id: -scores[node_id])[:limit]
        return [Candidate(node_id, scores[node_id], reasons[node_id]) for node_id in ordered]


def _score(item: "SearchHit", words: int) -> float:
    # Words count more than links, because a strong link says nothing of this question: half of a score is certain by
    # the words alone, the other half goes with the path. Chosen by hand; fusion uses the ranks only.
    return len(item.matched_keywords) / words * (0.5 + item.strength / 2)


_NAME = "associative"


class Associative(Discipline):
    """A memory that forgets as people do: what is linked strongly stays, the rest fades and leaves a trace."""

    name = _NAME
    purpose = Bilingual("The memory that links, forgets by degrees, and knows it.", "会关联、逐渐遗忘且自知的记忆。")
    kinds = (TRACE,)
    settings = AssociativeSettings
    agent_face = late_class("remanent.associative.face", "AsyncAssociativeMemory")

    def __init__(self, *, compressor: "Compressor | None" = None, engine: Engine | None = None) -> None:
        """Take another way to shorten texts, or another engine, than the settings choose; see `open(disciplines=…)`."""
        self._compressor = compressor
        self._engine = engine

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.associative.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Return the discipline at work in one open memory."""
        return OpenAssociative(parts, compressor=self._compressor, engine=self._engine)


class OpenAssociative(OpenDiscipline):
    """The associative memories of all agents of one open memory."""

    def __init__(self, parts: Parts, *, compressor: "Compressor | None" = None, engine: Engine | None = None) -> None:
        self._parts = parts
        self._settings = parts.settings.section(AssociativeSettings)
        self.associations = Late(lambda: self._open(compressor, engine or parts.engine))

    def _open(self, compressor: "Compressor | None", engine: Engine) -> "Associations":
        """Make the memories of all agents; what they append goes through the one door, as of this discipline."""
        from remanent.associative.face import Associations

        parts = self._parts

        async def append(tx: Transaction, entries: Sequence[Entry]) -> None:
            await parts.journal.append(tx, entries, by=_NAME)

        return Associations(
            parts.store,
            engine,
            settings=self._settings,
            clock=parts.clock,
            new_id=parts.new_id,
            index=parts.journal.index,
            append=append,
            vectors=parts.vectors,
            embedders=parts.embedders,
            compressor=compressor,
            watch=parts.watch,
            attend=parts.attend,
            rest=parts.rest,
        )

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Making nodes, compressing, rewriting."""
        return {kind: partial(self._do, kind) for kind in (REMEMBER, COMPRESS, REWRITE)}

    async def _do(self, kind: str, job: Job, tx: Transaction) -> None:
        await self.associations().handlers[kind](job, tx)

    @property
    def paths(self) -> Sequence[RecallPath]:
        """Along links from what is in focus."""
        return (AssociativePath(self._parts.store, self.associations),)

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Ask for nodes of what was said, where everything is to become associative memory."""
        # Events are the notes that a discipline keeps of its own work: nobody said them.
        said = [entry.id for entry in entries if entry.kind is not EntryKind.EVENT]
        if self._settings.follow and said:
            self.associations().request(tx, said)

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of the agent's graph."""
        del erased
        if self.associations.made is not None:
            self.associations.made.forget(scope)

    def agent_face(self, agent: AnyAgent) -> "AsyncAssociativeMemory":
        """Return the agent's associative memory."""
        from remanent.associative.face import AsyncAssociativeMemory

        scope, associations = agent.scope, self.associations()

        def request(tx: Transaction, entries: Sequence[Entry]) -> None:
            if not self._settings.follow:  # else it was asked for when they were appended
                associations.request(tx, [entry.id for entry in entries])

        async def keep(messages: Messages, **about: Any) -> Receipt:
            return await self._parts.journal.keep(scope, messages, also=request, **about)

        return AsyncAssociativeMemory(associations, scope, keep=keep)
