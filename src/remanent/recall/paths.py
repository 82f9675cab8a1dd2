"""The paths of recall: each ranks records for a question in its own way."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from remanent.embedding import Embedder, Embedders, open_former
from remanent.model import Kind, Scope
from remanent.recall.turns import MODELS, indexed_through
from remanent.stores import EntryQuery, Hit, Order, RecordFilter, RecordQuery, Store, Vectors
from remanent.text.words import index_terms, query_terms

TAIL = 200
"""How many of the newest entries are searched word by word while their index is not made yet."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of whom, and which records count."""

    text: str
    scope: Scope
    record_filter: RecordFilter = field(default_factory=RecordFilter)


class RecallPath(ABC):
    """One way to find records for a question."""

    name: str
    adds: bool = True
    """Whether what only this path found belongs in the answer; else it just moves what others found."""

    def weight(self, question: Question) -> float | None:
        """Return how much this path's ranks count for a question, or None for its usual weight."""
        return None

    @abstractmethod
    async def find(self, question: Question, *, limit: int) -> list[Hit]:
        """Return records with this path's own score, best first."""


class KeywordPath(RecallPath):
    """Records that hold the question's words, by BM25."""

    name = "keyword"

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Hit]:
        """Search the text index, and word by word what was said since it was made."""
        terms = query_terms(question.text)
        if not terms:
            return []
        hits = await self._store.search_text(question.scope, terms, record_filter=question.record_filter, limit=limit)
        fresh = await self._find_in_tail(question, frozenset(terms))
        # No common measure with BM25: what holds most of the question's words goes first, the rest last.
        close = [hit for hit in fresh if 2 * hit.score > len(terms)]
        return close + hits + [hit for hit in fresh if 2 * hit.score <= len(terms)]

    async def _find_in_tail(self, question: Question, terms: frozenset[str]) -> list[Hit]:
        """Return turns that are not indexed yet and share words with the question, most words first."""
        wanted = question.record_filter
        if (wanted.kinds is not None and Kind.TURN not in wanted.kinds) or wanted.tags or wanted.as_of is not None:
            return []
        tail = await self._store.entries(
            question.scope,
            EntryQuery(
                after_seq=await indexed_through(self._store, question.scope),
                occurred_from=wanted.occurred_from,
                occurred_before=wanted.occurred_before,
                newest_first=True,
                limit=TAIL,
            ),
        )
        hits = [Hit(entry.id, float(len(terms.intersection(index_terms(entry.text))))) for entry in tail]
        return sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score)


class VectorPath(RecallPath):
    """Records whose meaning is near the question's, by one of the models that embed them."""

    def __init__(self, vectors: Vectors, embedder: Embedder, *, among: Embedders | None = None) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._among = among
        first = among is None or among.model_ids[0] == embedder.model_id
        self.name = "vector" if first else f"vector:{embedder.model_id}"

    def weight(self, question: Question) -> float | None:
        """Weigh the model by how well it knows the question's language."""
        return None if self._among is None else self._among.weight(self._embedder, question.text)

    async def find(self, question: Question, *, limit: int) -> list[Hit]:
        """Embed the question and search its neighbours; a model that does not know the language is not asked."""
        if self.weight(question) == 0:
            return []
        return await _nearest(self._vectors, self._embedder, question, limit=limit)


class FormerVectorPath(RecallPath):
    """Records near the question by a model that embedded them before, until the new one has embedded them all."""

    name = "vector:former"

    def __init__(self, store: Store, vectors: Vectors, embedders: Embedders) -> None:
        self._store = store
        self._vectors = vectors
        self._wanted = set(embedders.model_ids)

    async def find(self, question: Question, *, limit: int) -> list[Hit]:
        """Search with the first former model that can be had here."""
        noted = (await self._store.states(question.scope)).get(MODELS)
        former = {str(model) for model in noted} - self._wanted if isinstance(noted, list) else set()
        for model_id in sorted(former):
            embedder = open_former(model_id)
            if embedder is not None:
                return await _nearest(self._vectors, embedder, question, limit=limit)
        return []


async def _nearest(vectors: Vectors, embedder: Embedder, question: Question, *, limit: int) -> list[Hit]:
    (vector,) = await embedder.embed([question.text])
    return await vectors.search(
        question.scope, vector, model=embedder.model_id, record_filter=question.record_filter, limit=limit
    )


class RecencyPath(RecallPath):
    """What happened last."""

    name = "recency"
    adds = False  # that something is new does not make it an answer

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Hit]:
        """Return the newest records."""
        query = RecordQuery(filter=question.record_filter, order=Order.LAST_OCCURRED, limit=limit)
        return [Hit(record.id, 0.0) for record in await self._store.records(question.scope, query)]
