"""The Query Graph: the topics of a task and which of them belong together, searchable by words and by meaning.

The graph is a view of what the bank keeps: it holds no data of its own, only indexes, and follows every change that is
committed there. So a search sees each write at once, and nothing has to be rebuilt.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from remanent.bank.node import BANK, QUERY_NODE, RELATED, QueryNode, QueryNodeData, node_label, node_of
from remanent.bank.store import BankStore
from remanent.embedding import Embedders
from remanent.errors import InvalidInput, NotFound
from remanent.language.shapes import keywords as tidy_keywords
from remanent.lightweight import dataclass
from remanent.model import (
    Found,
    FoundItem,
    FoundSource,
    ItemOrder,
    Link,
    Maker,
    Origin,
    Record,
    Source,
    Status,
    system_clock,
)
from remanent.model.base import Share, Text
from remanent.recall import (
    PATIENT,
    AnswerOptions,
    Candidate,
    InMemoryPath,
    Question,
    Ranked,
    Ranker,
    RecallPath,
    RowTable,
)
from remanent.stores import LIVE, Change, RecordFilter, Transaction, Vectors
from remanent.stores.transaction import DropLink, PutLink, PutRecord, PutVector
from remanent.stores.vector_rows import dot, normalise
from remanent.text.terms import KeywordIndex, index_terms, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# ── the paths over a Query Graph's nodes, by words and by embeddings; each change is seen by the next search ──
# Nodes are addressed by row, a small number that the graph gives to each, so that a score is one place in an array.
# 10,000 nodes are searched in a few milliseconds.

EMBEDDED = "embedded"
"""The name beside a question under which its vector is: that of its words, or of a node whose like is looked for."""
_MAX_NEAREST = 200
"""How many of the nearest a vector database is asked for; what is further away counts as 0. Chosen by hand, far above
any number of candidates."""
_SUMMARY_SHARE = 2 / 3
"""How much a node's summary counts in its embedding beside its context and keywords (chosen by hand)."""

EmbeddedQuery = tuple[str, "NDArray[np.float32]"]
"""The model, and the unit vector that it gives to a query."""


class NodeEmbedder:
    """Embeds nodes and queries with the general model of the set.

    The second, English model costs five times as much and found hardly more of the evidence of real multi-document
    tasks, while a bank waits for its embeddings with every text that it takes in.
    """

    def __init__(self, embedders: Embedders | None) -> None:
        # What comes again is not computed again: a summary whose node is reworded, the query of every round.
        self._embedder = embedders.remembering if embedders is not None else None

    async def of_nodes(self, nodes: Sequence[tuple[str, str]]) -> list[dict[str, bytes]]:
        """Return the vectors of nodes, given by their summary and their label, in the form in which they are stored.

        The two are embedded apart and added: so a new context costs no embedding of the whole summary.
        """
        if self._embedder is None or not nodes:
            return [{} for _ in nodes]
        texts = dict.fromkeys(text for node in nodes for text in node if text)
        vectors = dict(zip(texts, normalise(await self._embedder.embed(list(texts))), strict=True))
        return [self._stored(vectors.get(summary, 0), vectors.get(label, 0)) for summary, label in nodes]

    def _stored(self, summary: "NDArray[np.float32] | int", label: "NDArray[np.float32] | int") -> dict[str, bytes]:
        """Return the vector under which a node is stored, by its model: summary and label mixed, and of unit length."""
        import numpy as np

        assert self._embedder is not None, "only called by an embedder"
        vector = np.asarray(_SUMMARY_SHARE * summary + (1 - _SUMMARY_SHARE) * label, np.float32)
        return {self._embedder.model_id: _unit(vector).astype("<f4").tobytes()} if vector.ndim else {}

    async def of_query(self, text: str) -> EmbeddedQuery | None:
        """Return a query's vector."""
        if self._embedder is None or not text.strip():
            return None
        return self._embedder.model_id, _unit((await self._embedder.embed([text]))[0])

    def of_stored(self, kept: Mapping[str, bytes]) -> EmbeddedQuery | None:
        """Return the stored vector of a node in the form of a query's."""
        import numpy as np

        if self._embedder is None or self._embedder.model_id not in kept:
            return None
        return self._embedder.model_id, np.frombuffer(kept[self._embedder.model_id], "<f4")


class NodeWords(InMemoryPath):
    """Nodes by the words of their summary, context and keywords: BM25, divided by the best."""

    name = "keyword"

    def __init__(self, rows: RowTable) -> None:
        super().__init__(rows)
        self.index = KeywordIndex()

    async def scores(self, question: Question) -> "NDArray[np.float32]":
        """Compare the words with every node's."""
        return self.index.scores(query_terms(question.text), size=len(self._rows.ids))


class NodeVectors(RecallPath):
    """Nodes by the cosine of their embeddings, wherever these are; a negative one counts as 0."""

    name = "vector"
    keeps_in_node: bool
    """Whether nodes carry their vectors."""

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of the node at a row, unless a database sees every vector that was committed."""

    def drop(self, row: int) -> None:
        """Remove the vectors of the node at a row, unless a database passes over what is not live."""


class VectorsInMemory(NodeVectors, InMemoryPath):
    """Vectors in memory, a matrix for each model: 10,000 of them are compared in two milliseconds."""

    keeps_in_node = True

    def __init__(self, rows: RowTable) -> None:
        super().__init__(rows)
        self._matrices: dict[str, NDArray[np.float32]] = {}

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Write the vectors into their matrices."""
        import numpy as np

        self.drop(row)
        for model, values in vectors.items():
            vector = np.frombuffer(values, "<f4")
            matrix = self._matrices.get(model)
            if matrix is None or row >= len(matrix):
                grown = np.zeros((max(64, 2 * (row + 1)), len(vector)), np.float32)
                if matrix is not None:
                    grown[: len(matrix)] = matrix
                self._matrices[model] = matrix = grown
            matrix[row] = _unit(vector)

    def drop(self, row: int) -> None:
        """Blank the row."""
        for matrix in self._matrices.values():
            if row < len(matrix):
                matrix[row] = 0

    async def scores(self, question: Question) -> "NDArray[np.float32]":
        """Compare the query with every vector."""
        import numpy as np

        found = np.zeros(len(self._rows.ids), np.float32)
        query: EmbeddedQuery | None = question.beside[EMBEDDED]
        matrix = self._matrices.get(query[0]) if query is not None else None
        if query is not None and matrix is not None:
            held = min(len(found), len(matrix))
            found[:held] = np.clip(dot(matrix[:held], query[1]), 0, 1)
        return found


def _unit(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    row: NDArray[np.float32] = normalise(vector.reshape(1, -1))[0]
    return row


class VectorsInDatabase(NodeVectors):
    """Vectors in a vector database that follows the store of the bank; nodes carry none."""

    keeps_in_node = False
    rates = True

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Ask the database for the nearest."""
        query: EmbeddedQuery | None = question.beside[EMBEDDED]
        if query is None:
            return []
        hits = await self._vectors.search(
            question.scope,
            query[1],
            model=query[0],
            record_filter=RecordFilter(kinds=(QUERY_NODE,)),
            limit=max(limit, _MAX_NEAREST),
        )
        near = [Candidate(hit.record_id, min(1.0, hit.score)) for hit in hits if hit.score > 0]
        question.beside[self.name] = {one.record_id: one for one in near}
        return near[:limit]

    def rate(self, question: Question, record_ids: Sequence[str]) -> list[Candidate]:
        """Return what else the database found."""
        near: dict[str, Candidate] = question.beside.get(self.name, {})
        return sorted((near[one] for one in record_ids if one in near), key=lambda one: -one.score)


_DEFAULT_K = 5
"""The design's number of candidates."""
_DEFAULT_ALPHA = 0.5
"""The design's weight: words and meaning count the same."""
_MAX_SCORED = 500
"""Nodes that are scored as a whole, twice as many by words and by embeddings each. Chosen by hand: of what stands
behind a thousand others both ways, no sentence comes into a prompt."""


class RetrievedNode(FoundItem):
    """A node that a search returned, with its sources like any other item, and why.

    Of a node that settled a contradiction the sources tell where its words stand and not the words, which may be those
    that were refuted; its tree has them.
    """

    node: QueryNode
    is_candidate: bool
    """Whether the query itself found it; otherwise it is a neighbour of a node that it found."""
    attribute: Share = 0.0
    """The BM25 score, divided by that of the best node, which has 1; 0 where `alpha` gives words no weight."""
    embedding: Share = 0.0
    """The cosine of the embeddings; what points away from the query counts as 0, as all does where `alpha` is 1."""
    neighbour_of: tuple[str, ...] = ()
    """The candidates that it is a neighbour of."""


class BankFound(Found):
    """The result of a search: candidates and their neighbours together, newest first.

    Newest first is the design's order: where nodes disagree, a reader should meet the later one first.
    """

    items: tuple[RetrievedNode, ...] = ()
    recipe: Text = BANK.name
    order: ItemOrder = "time"

    @property
    def candidates(self) -> tuple[RetrievedNode, ...]:
        """What the query itself found, best first."""
        return tuple(sorted((item for item in self.items if item.is_candidate), key=lambda item: item.rank))

    @property
    def neighbours(self) -> tuple[RetrievedNode, ...]:
        """The neighbours of the candidates, newest first."""
        return tuple(item for item in self.items if not item.is_candidate)


@dataclass(frozen=True, slots=True)
class NodeDraft:
    """The content of a new node: what roles wrote, before code adds the id, the time and the embedding."""

    summary: str
    context: str = ""
    keywords: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    trust: Origin = Origin.USER
    made_by: Maker = field(default_factory=Maker)
    provisional: bool = False


class QueryGraph:
    """Nodes and undirected `related` edges.

    Every node has a row in the indexes; the rows of deleted nodes are used again, so that a long task with many merges
    does not grow the matrices.
    """

    def __init__(self, bank_store: BankStore, embedder: NodeEmbedder, *, vectors: Vectors | None = None) -> None:
        self.bank_store = bank_store
        """The storage that the graph is a view of."""
        self._embedder = embedder
        self._rows = RowTable()
        words = NodeWords(self._rows)
        self.index = words.index
        """The words of the nodes."""
        self._embeddings = VectorsInMemory(self._rows) if vectors is None else VectorsInDatabase(vectors)
        self._ranker = Ranker([words, self._embeddings], PATIENT, clock=system_clock)
        self._adjacent: dict[str, set[str]] = {}
        bank_store.listen(self._follow)

    # ── reading ──────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._rows

    def record(self, node_id: str) -> Record:
        """Return the record of a node that is in the graph; deleted and merged ones are refused like unknown ones."""
        record = self.bank_store.record(node_id) if node_id in self._rows else None
        if record is None:
            raise NotFound(f"there is no node {node_id} in this graph; `search` returns the ids of existing nodes")
        return record

    def get(self, node_id: str) -> QueryNode:
        """Return a node."""
        return self._node(self.record(node_id))

    @property
    def nodes(self) -> tuple[QueryNode, ...]:
        """Every node, oldest first."""
        found = [self.get(node_id) for node_id in self._rows]
        return tuple(sorted(found, key=lambda node: (node.timestamp, node.id)))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every edge once, by the ids of its ends."""
        return tuple(sorted((one, other) for one, near in self._adjacent.items() for other in near if one < other))

    def neighbours(self, node_id: str) -> tuple[QueryNode, ...]:
        """Return the neighbours of a node, oldest first."""
        self.record(node_id)
        found = [self.get(other) for other in self._adjacent.get(node_id, ())]
        return tuple(sorted(found, key=lambda node: (node.timestamp, node.id)))

    async def search(
        self,
        query: str,
        *,
        k: int = _DEFAULT_K,
        alpha: float = _DEFAULT_ALPHA,
        exclude: Collection[str] = (),
    ) -> BankFound:
        """Return the best nodes for a query and their neighbours, all of them newest first.

        The score is the design's: `alpha * attribute + (1 - alpha) * embedding`, both of them in [0, 1].
        """
        _check_parameters(k, alpha)
        # The query is embedded first: the graph may change meanwhile.
        vector = await self._embedder.of_query(query)
        best = await self._best(query, vector, k=k, alpha=alpha, exclude=frozenset(exclude))
        chosen = {one.record_id for one in best.candidates}
        beside: dict[str, list[str]] = {}
        for one in best.candidates:
            for other in sorted(self._adjacent.get(one.record_id, ())):
                if other not in chosen and other not in exclude:
                    beside.setdefault(other, []).append(one.record_id)
        found = []
        for rank, one in enumerate(best.candidates, start=1):
            scores = {path: min(1.0, candidate.score) for path, _, candidate in one.found}
            why = {"attribute": scores.get(NodeWords.name, 0.0), "embedding": scores.get(NodeVectors.name, 0.0)}
            found.append(self.found(one.record_id, rank=rank, is_candidate=True, score=min(1.0, one.score), **why))
        found += [
            self.found(node_id, rank=rank, is_candidate=False, neighbour_of=tuple(of))
            for rank, (node_id, of) in enumerate(beside.items(), start=len(found) + 1)
        ]
        return BankFound(query=query, items=newest_first(found), left_out=best.left_out)

    def found(self, node_id: str, *, score: float = 0.0, **why: Any) -> RetrievedNode:
        """Return a node as an item of an answer."""
        record = self.record(node_id)
        told = {source for source, _ in self.bank_store.told(record)}
        sources = []
        for source in record.sources:
            whole = FoundSource.of(self.bank_store.entries[source.entry_id], source)
            sources.append(whole if source in told else whole.replace(text=""))
        return RetrievedNode.of(record, sources, score=score, session=None, tags=(), node=self._node(record), **why)

    @property
    def ids(self) -> Collection[str]:
        """The ids of every node."""
        return self._rows.keys()

    async def scores(self, query: str, *, alpha: float = _DEFAULT_ALPHA) -> dict[str, float]:
        """Return the score of every node for a query; what has the most others before it counts as 0."""
        _check_parameters(1, alpha)
        vector = await self._embedder.of_query(query)
        ranked = await self._rank(query, vector, depth=_MAX_SCORED, alpha=alpha, all_of_them=True)
        return {one.record_id: one.score for one in ranked.candidates}

    async def similar(
        self, node_id: str, *, k: int = _DEFAULT_K, alpha: float = _DEFAULT_ALPHA, exclude: Collection[str] = ()
    ) -> tuple[QueryNode, ...]:
        """Return the nodes most similar to one, best first, by its own words and its own embedding."""
        _check_parameters(k, alpha)
        text = node_of(self.record(node_id), embedding={}).text
        vector = self._embedder.of_stored(self.bank_store.vectors.get(node_id, {}))
        best = await self._best(text, vector, k=k, alpha=alpha, exclude=frozenset({node_id, *exclude}))
        return tuple(self.get(one.record_id) for one in best.candidates)

    async def _best(
        self, text: str, vector: EmbeddedQuery | None, *, k: int, alpha: float, exclude: frozenset[str]
    ) -> Ranked:
        """Return the best nodes; one that shares nothing with the text is left out, even if that leaves fewer."""
        ranked = await self._rank(text, vector, depth=k + len(exclude), alpha=alpha)
        # What was deleted a moment ago is no answer.
        best = [one for one in ranked.candidates if one.record_id in self._rows and one.record_id not in exclude]
        return ranked._replace(candidates=best[:k])

    async def _rank(
        self, text: str, vector: EmbeddedQuery | None, *, depth: int, alpha: float, all_of_them: bool = False
    ) -> Ranked:
        """Rank nodes for a text as the recipe says."""
        question = Question(text, self.bank_store.scope, beside={EMBEDDED: vector})
        options = AnswerOptions(BANK.with_alpha(alpha), limit=depth, depth=depth)
        return await self._ranker.rank(question, options, all_of_them=all_of_them)

    # ── writing: into a unit of work, or as one of its own ──────────────────────

    async def create(self, draft: NodeDraft, *, node_id: str, at: datetime) -> QueryNode:
        """Add a node."""
        (vectors,) = await self.vectors_of([draft])
        async with self.bank_store.transaction() as tx:
            self.put_new(tx, draft, node_id=node_id, at=at, vectors=vectors)
        return self.get(node_id)

    async def update(
        self, node_id: str, *, at: datetime, context: str | None = None, keywords: Sequence[str] | None = None
    ) -> QueryNode:
        """Change the context and keywords of a node; its embedding is computed again."""
        changed = self.reworded(node_id, context=context, keywords=keywords)
        (vectors,) = await self.vectors_of([changed])
        async with self.bank_store.transaction() as tx:
            self.put_update(tx, changed, at=at, vectors=vectors)
        return self.get(node_id)

    async def delete(self, node_id: str, *, at: datetime) -> None:
        """Remove a node and its edges; its record stays as superseded, so that merges can be undone."""
        async with self.bank_store.transaction() as tx:
            self.put_deletion(tx, node_id, at=at)

    async def connect(self, one: str, other: str, *, at: datetime) -> None:
        """Add an edge between two nodes; adding it again changes nothing."""
        async with self.bank_store.transaction() as tx:
            self.put_edge(tx, one, other, at=at)

    async def disconnect(self, one: str, other: str) -> None:
        """Remove the edge between two nodes."""
        self.record(one)
        self.record(other)
        async with self.bank_store.transaction() as tx:
            tx.unlink(*sorted((one, other)), relation=RELATED)

    async def vectors_of(self, nodes: Sequence[NodeDraft | Record]) -> list[dict[str, bytes]]:
        """Return the vectors of nodes that are about to be written."""
        return await self._embedder.of_nodes(
            [
                (node.summary, node_label(node.context, node.keywords))
                if isinstance(node, NodeDraft)
                else (node.content, node_label(node.summary, node.keywords))
                for node in nodes
            ]
        )

    def reworded(self, node_id: str, *, context: str | None, keywords: Sequence[str] | None) -> Record:
        """Return the record of a node with another context and other keywords; `None` leaves them as they are."""
        record = self.record(node_id)
        context = record.summary if context is None else context
        words = record.keywords if keywords is None else tidy_keywords(keywords)
        return record.replace(summary=context, keywords=words, data={"context": context})

    def put_new(
        self, tx: Transaction, draft: NodeDraft, *, node_id: str, at: datetime, vectors: dict[str, bytes]
    ) -> None:
        """Put a new node into a unit of work."""
        record = Record(
            id=node_id,
            scope=self.bank_store.scope,
            kind=QUERY_NODE,
            content=draft.summary,
            summary=draft.context,
            keywords=draft.keywords,
            created_at=at,
            updated_at=at,
            occurred_at=at,
            status=Status.PROVISIONAL if draft.provisional else Status.ACTIVE,
            sources=draft.sources,
            trust=draft.trust,
            made_by=draft.made_by,
            data=QueryNodeData(context=draft.context),
        )
        tx.put(record)
        self.put_vectors(tx, node_id, vectors)

    def put_next(self, tx: Transaction, record: Record, *, at: datetime, **changes: Any) -> None:
        """Put the next version of a node into a unit of work."""
        tx.put(record.replace(**changes, version=record.version + 1, updated_at=at), expects=record.version)

    def put_update(self, tx: Transaction, changed: Record, *, at: datetime, vectors: dict[str, bytes]) -> None:
        """Put a node's new context and keywords into a unit of work."""
        self.put_next(tx, changed, at=at)
        self.put_vectors(tx, changed.id, vectors)

    def put_deletion(self, tx: Transaction, node_id: str, *, at: datetime) -> None:
        """Put the removal of a node and of its edges into a unit of work."""
        self.put_next(tx, self.record(node_id), at=at, status=Status.SUPERSEDED)
        for other in sorted(self._adjacent.get(node_id, ())):
            tx.unlink(*sorted((node_id, other)), relation=RELATED)

    def put_edge(self, tx: Transaction, one: str, other: str, *, at: datetime, known: Collection[str] = ()) -> None:
        """Put an edge into a unit of work; `known` are nodes that the same unit adds."""
        if one == other:
            raise InvalidInput(f"node {one} cannot be related to itself; give two nodes")
        for node_id in (one, other):
            if node_id not in known:
                self.record(node_id)
        first, second = sorted((one, other))
        tx.link(Link(from_id=first, to_id=second, relation=RELATED, created_at=at, updated_at=at))

    def put_vectors(self, tx: Transaction, node_id: str, vectors: dict[str, bytes]) -> None:
        """Put the vectors of a node into a unit of work."""
        tx.changes += [PutVector(node_id, model, values) for model, values in vectors.items()]

    # ── following the bank's store ─────────────────────────────────────────────────

    def _follow(self, change: Change) -> None:
        """Update the indexes by one committed change."""
        if isinstance(change, PutRecord) and change.record.kind is QUERY_NODE:
            self._index_record(change.record)
        elif isinstance(change, PutVector) and change.record_id in self._rows:
            row = self._rows[change.record_id]
            self._embeddings.put(row, self.bank_store.vectors[change.record_id])
        elif isinstance(change, PutLink) and change.link.relation == RELATED:
            self._adjacent.setdefault(change.link.from_id, set()).add(change.link.to_id)
            self._adjacent.setdefault(change.link.to_id, set()).add(change.link.from_id)
        elif isinstance(change, DropLink) and change.relation == RELATED:
            self._adjacent.get(change.from_id, set()).discard(change.to_id)
            self._adjacent.get(change.to_id, set()).discard(change.from_id)

    def _index_record(self, record: Record) -> None:
        """Index a live record, or free the row of one that is not live any more."""
        if record.status not in LIVE:
            self._drop(record.id)
            return
        if record.id not in self._rows:
            self._embeddings.put(self._rows.add(record.id), self.bank_store.vectors.get(record.id, {}))
        self.index.put(self._rows[record.id], index_terms(node_of(record, embedding={}).text))

    def _drop(self, node_id: str) -> None:
        """Take a node out of what is searched; its record stays in the bank's store."""
        if (row := self._rows.remove(node_id)) is not None:
            self.index.drop(row)
            self._embeddings.drop(row)

    def clear(self) -> None:
        """Forget every node."""
        for node_id in list(self._rows):
            self._drop(node_id)
        self._rows.clear()
        self._adjacent.clear()

    def _node(self, record: Record) -> QueryNode:
        kept = self.bank_store.vectors.get(record.id, {}) if self._embeddings.keeps_in_node else {}
        return node_of(record, embedding=dict(kept))


def newest_first(found: Iterable[RetrievedNode]) -> tuple[RetrievedNode, ...]:
    """Return nodes in the design's order."""
    return tuple(sorted(found, key=lambda item: (item.node.timestamp, item.node.id), reverse=True))


def _check_parameters(k: int, alpha: float) -> None:
    """Refuse a search that could return nothing, or whose weights mean nothing."""
    if k < 1:
        raise InvalidInput(f"k must be at least 1, not {k}")
    if not 0 <= alpha <= 1:
        raise InvalidInput(f"alpha must be between 0 (meaning only) and 1 (words only), not {alpha}")
