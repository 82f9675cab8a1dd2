"""The two indexes of a Query Graph: words by BM25, and embeddings by cosine; each change is seen by the next search.

Both address nodes by row, a small number that the graph gives to each node, so that a score is one place in an array
and adding the two is one operation. 10,000 nodes are searched in a few milliseconds.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.bank.node import QUERY_NODE
from remanent.embedding import Embedders
from remanent.model import Scope
from remanent.stores import RecordFilter, Vectors
from remanent.stores.local.products import normalise
from remanent.text.bm25 import rarity, saturation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KeywordIndex:
    """BM25 over the terms of texts, by row; a row may be used again for another text.

    The rows of a term are put into arrays when a search first needs them, and these are dropped when one of its texts
    changes: an unchanged index gathers nothing again, and a changed one only what the next query asks for.
    """

    def __init__(self) -> None:
        self._terms: dict[int, Counter[str]] = {}
        self._rows_of: dict[str, dict[int, int]] = {}
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]] = {}
        self._length = 0
        self.gathered = 0
        """How many arrays were gathered so far; tests see by it that an unchanged index costs no rebuild."""

    def __len__(self) -> int:
        return len(self._terms)

    def put(self, row: int, terms: Sequence[str]) -> None:
        """Index the terms of a text in place of what the row had."""
        self.drop(row)
        counts = Counter(terms)
        self._terms[row] = counts
        self._length += counts.total()
        for term, count in counts.items():
            self._rows_of.setdefault(term, {})[row] = count
            self._postings.pop(term, None)

    def drop(self, row: int) -> None:
        """Remove the text of a row, if there is one."""
        counts = self._terms.pop(row, None)
        if counts is None:
            return
        self._length -= counts.total()
        for term in counts:
            rows = self._rows_of[term]
            del rows[row]
            self._postings.pop(term, None)
            if not rows:
                del self._rows_of[term]

    def scores(self, terms: Iterable[str], *, size: int) -> "NDArray[np.float32]":
        """Return the score of every row below `size`, divided by the best: it has 1, a row without any term 0."""
        return as_shares(self.weighted(dict.fromkeys(terms, 1.0), size=size))

    def weighted(self, weights: Mapping[str, float], *, size: int) -> "NDArray[np.float32]":
        """Return the plain BM25 score of every row below `size` for terms that count more or less."""
        import numpy as np

        scores = np.zeros(size, np.float32)
        count = len(self._terms)
        average = self._length / count if count else 1.0
        for term, weight in weights.items():
            if not weight or term not in self._rows_of:
                continue
            rows, times, lengths = self._posting(term)
            scores[rows] += weight * rarity(len(rows), count) * saturation(times, lengths / average)
        return scores

    def _posting(self, term: str) -> "tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]":
        import numpy as np

        known = self._postings.get(term)
        if known is None:
            rows = self._rows_of[term]
            lengths = (self._terms[row].total() for row in rows)
            known = (
                np.fromiter(rows.keys(), np.int32, len(rows)),
                np.fromiter(rows.values(), np.float32, len(rows)),
                np.fromiter(lengths, np.float32, len(rows)),
            )
            self._postings[term] = known
            self.gathered += 1
        return known


def as_shares(scores: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return scores divided by the best of them."""
    best = float(scores.max(initial=0))
    return scores / best if best > 0 else scores


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


class EmbeddingIndex(ABC):
    """The port: the similarity of every node to a query, wherever the vectors are."""

    keeps_in_node: bool
    """Whether nodes carry their vectors."""

    @abstractmethod
    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of the node at a row."""

    @abstractmethod
    def drop(self, row: int) -> None:
        """Remove the vectors of the node at a row."""

    @abstractmethod
    async def cosines(self, query: EmbeddedQuery, rows: Mapping[str, int], *, size: int) -> "NDArray[np.float32]":
        """Return each row's similarity to the query; a negative cosine counts as 0, and so does a missing vector."""


class InMemoryEmbeddings(EmbeddingIndex):
    """Vectors in memory, a matrix for each model: 10,000 of them are compared in two milliseconds."""

    keeps_in_node = True

    def __init__(self) -> None:
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

    async def cosines(self, query: EmbeddedQuery, rows: Mapping[str, int], *, size: int) -> "NDArray[np.float32]":
        """Compare the query with every vector."""
        import numpy as np

        found = np.zeros(size, np.float32)
        matrix = self._matrices.get(query[0])
        if matrix is not None:
            held = min(size, len(matrix))
            found[:held] = np.clip(matrix[:held] @ query[1], 0, 1)
        return found


def _unit(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    row: NDArray[np.float32] = normalise(vector.reshape(1, -1))[0]
    return row


class ExternalEmbeddings(EmbeddingIndex):
    """Vectors in a vector database that follows the store of the bank; nodes carry none."""

    keeps_in_node = False

    def __init__(self, vectors: Vectors, scope: Scope) -> None:
        self._vectors = vectors
        self._scope = scope

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Do nothing: the database sees every vector that was committed."""

    def drop(self, row: int) -> None:
        """Do nothing: the database passes over what is not live."""

    async def cosines(self, query: EmbeddedQuery, rows: Mapping[str, int], *, size: int) -> "NDArray[np.float32]":
        """Ask the database for the nearest."""
        import numpy as np

        found = np.zeros(size, np.float32)
        hits = await self._vectors.search(
            self._scope,
            query[1],
            model=query[0],
            record_filter=RecordFilter(kinds=(QUERY_NODE,)),
            limit=min(_MAX_NEAREST, max(size, 1)),
        )
        for hit in hits:
            row = rows.get(hit.record_id)
            if row is not None and row < size:
                found[row] = min(1.0, max(0.0, hit.score))
        return found
