"""The paths over a Query Graph's nodes, by words and by embeddings; each change is seen by the next search.

Nodes are addressed by row, a small number that the graph gives to each, so that a score is one place in an array.
10,000 nodes are searched in a few milliseconds.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.bank.node import QUERY_NODE
from remanent.embedding import Embedders
from remanent.recall import Candidate, InMemoryPath, Question, RecallPath, RowTable
from remanent.stores import RecordFilter, Vectors
from remanent.stores.local.products import normalise
from remanent.text.bm25 import KeywordIndex
from remanent.text.terms import query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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

    @abstractmethod
    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of the node at a row."""

    @abstractmethod
    def drop(self, row: int) -> None:
        """Remove the vectors of the node at a row."""


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
            found[:held] = np.clip(matrix[:held] @ query[1], 0, 1)
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

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Do nothing: the database sees every vector that was committed."""

    def drop(self, row: int) -> None:
        """Do nothing: the database passes over what is not live."""

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
