"""The two indexes of a Query Graph: words by BM25, and embeddings by cosine; each change is seen by the next search.

Both address nodes by row, a small number that the graph gives to each node, so that a score is one place in an array
and adding the two is one operation. 10,000 nodes are searched in a few milliseconds.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.bank.node import QUERY_NODE
from remanent.embedding import Embedders
from remanent.model import Scope
from remanent.stores import RecordFilter, Vectors
from remanent.stores.local.products import normalise
from remanent.stores.local.rows import Codes, EncodedQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SATURATION = 1.2
"""BM25's k1: how soon a repeated term stops counting. The usual value, as in SQLite's own bm25()."""
_LENGTH_SHARE = 0.75
"""BM25's b: how far a long text is held back. The usual value."""


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

    def scores(self, terms: Sequence[str], *, size: int) -> "NDArray[np.float32]":
        """Return the score of every row below `size`, divided by the best: it has 1, a row without any term 0."""
        import numpy as np

        scores = np.zeros(size, np.float32)
        count = len(self._terms)
        average = self._length / count if count else 1.0
        for term in dict.fromkeys(terms):
            if term not in self._rows_of:
                continue
            rows, times, lengths = self._posting(term)
            rarity = math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5))
            damped = times + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / average)
            scores[rows] += rarity * times * (_SATURATION + 1) / damped
        best = float(scores.max(initial=0))
        return scores / best if best > 0 else scores

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


_MAX_NEAREST = 200
"""How many of the nearest a vector database is asked for; what is further away counts as 0. Chosen by hand, far above
any number of candidates."""
_MAX_CACHED_QUERIES = 256


class NodeEmbedder:
    """Embeds texts with every model of the set; recent queries are kept, since a run asks the same one often."""

    def __init__(self, embedders: Embedders | None) -> None:
        self._embedders = embedders
        self._known: dict[str, dict[str, NDArray[np.float32]]] = {}

    async def of_texts(self, texts: Sequence[str]) -> list[dict[str, bytes]]:
        """Return the vectors of texts by model, in the form in which they are stored."""
        if self._embedders is None:
            return [{} for _ in texts]
        found = await self._embedders.embed(texts)
        return [{model: vector.astype("<f4").tobytes() for model, vector in row.items()} for row in found]

    async def of_query(self, text: str) -> "dict[str, tuple[float, NDArray[np.float32]]]":
        """Return a query's vectors by model, each with the model's weight for its language; the weights add up to 1."""
        if self._embedders is None or not text.strip():
            return {}
        known = self._known.get(text)
        if known is None:
            (known,) = await self._embedders.embed([text])
            if len(self._known) >= _MAX_CACHED_QUERIES:
                self._known.clear()
            self._known[text] = known
        return self._shared(text, known)

    def weighed(self, text: str, kept: Mapping[str, bytes]) -> "dict[str, tuple[float, NDArray[np.float32]]]":
        """Return the stored vectors of a text in the form of a query's."""
        import numpy as np

        return self._shared(text, {model: np.frombuffer(values, "<f4") for model, values in kept.items()})

    def _shared(
        self, text: str, known: "Mapping[str, NDArray[np.float32]]"
    ) -> "dict[str, tuple[float, NDArray[np.float32]]]":
        members = self._embedders.members if self._embedders is not None else ()
        weights = {
            member.model_id: self._embedders.weight(member, text)
            for member in members
            if self._embedders is not None and member.model_id in known
        }
        total = sum(weights.values()) or 1.0
        return {model: (weight / total, known[model]) for model, weight in weights.items() if weight > 0}


class EmbeddingIndex(ABC):
    """The port: the similarity of every node to a query, wherever the vectors are.

    It answers in two steps, bounds for all nodes and exact values for few, so that an implementation can rule most of
    them out cheaply.
    """

    keeps_in_node: bool
    """Whether nodes carry their vectors."""

    @abstractmethod
    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of the node at a row."""

    @abstractmethod
    def drop(self, row: int) -> None:
        """Remove the vectors of the node at a row."""

    @abstractmethod
    async def bounds(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Return lower and upper bounds of each row's similarity to the query; a negative cosine counts as 0."""

    def exact(
        self,
        question: "Mapping[str, tuple[float, NDArray[np.float32]]]",
        rows: "NDArray[np.int64]",
        lowest: "NDArray[np.float32]",
    ) -> "NDArray[np.float32]":
        """Return the similarity of these rows to the query; unless overridden, their lower bounds are exact."""
        del self, question, rows
        return lowest


class InMemoryEmbeddings(EmbeddingIndex):
    """Vectors in memory: in full, and compressed to a byte per dimension, which rules most rows out.

    Reading a quarter of the bytes is what makes a search of 10,000 nodes fast; the bounds are strict, so the result is
    that of an exhaustive search.
    """

    keeps_in_node = True

    def __init__(self) -> None:
        self._matrices: dict[str, NDArray[np.float32]] = {}
        self._codes: dict[str, Codes] = {}
        self._present: dict[str, NDArray[np.float32]] = {}
        """By model, 1 for each row that has a vector: a zero row must not pull the mean of several models down."""

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Write the vectors into their matrices."""
        import numpy as np

        self.drop(row)
        for model, values in vectors.items():
            vector = normalise(np.frombuffer(values, "<f4").astype(np.float32).reshape(1, -1))
            self._reserve(model, row + 1, dimension=vector.shape[1])
            self._matrices[model][row] = vector[0]
            self._codes[model].write(row, vector)
            self._present[model][row] = 1 if vector.any() else 0

    def _reserve(self, model: str, size: int, *, dimension: int) -> None:
        import numpy as np

        matrix = self._matrices.get(model)
        if matrix is not None and size <= len(matrix):
            return
        grown = np.zeros((max(64, 2 * size), dimension), np.float32)
        present = np.zeros(len(grown), np.float32)
        codes = Codes(len(grown), dimension)
        if matrix is not None:
            grown[: len(matrix)] = matrix
            present[: len(matrix)] = self._present[model]
            codes = self._codes[model].grown(len(grown))
        self._matrices[model], self._present[model], self._codes[model] = grown, present, codes

    def drop(self, row: int) -> None:
        """Blank the row."""
        for model, matrix in self._matrices.items():
            if row < len(matrix):
                matrix[row] = 0
                self._codes[model].wipe(row)
                self._present[model][row] = 0

    async def bounds(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Compare the query with every compressed vector; a node without a model's vector is judged by the others."""
        import numpy as np

        lowest, highest = np.zeros(size, np.float32), np.zeros(size, np.float32)
        shares = np.zeros(size, np.float32)
        for model, (share, vector) in question.items():
            codes = self._codes.get(model)
            if codes is None:
                continue
            held = min(size, len(codes))
            if not held:
                continue
            low, high = np.empty(held, np.float32), np.empty(held, np.float32)
            codes.bounds(EncodedQuery(_unit(vector)), low, high)
            present = self._present[model][:held]
            lowest[:held] += share * low * present
            highest[:held] += share * high * present
            shares[:held] += share * present
        shares[shares == 0] = 1
        return np.clip(lowest / shares, 0, 1), np.clip(highest / shares, 0, 1)

    def exact(
        self,
        question: "Mapping[str, tuple[float, NDArray[np.float32]]]",
        rows: "NDArray[np.int64]",
        lowest: "NDArray[np.float32]",
    ) -> "NDArray[np.float32]":
        """Compute the cosines of these rows."""
        import numpy as np

        sums, shares = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
        for model, (share, vector) in question.items():
            matrix = self._matrices.get(model)
            if matrix is None:
                continue
            inside = rows < len(matrix)
            sums[inside] += share * (matrix[rows[inside]] @ _unit(vector))
            shares[inside] += share * self._present[model][rows[inside]]
        shares[shares == 0] = 1
        return np.asarray(np.clip(sums / shares, 0, 1), np.float32)


def _unit(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np

    row: NDArray[np.float32] = normalise(np.asarray(vector, np.float32).reshape(1, -1))[0]
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

    async def bounds(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Ask the database for the nearest."""
        import numpy as np

        wanted = RecordFilter(kinds=(QUERY_NODE,))
        sums = np.zeros(size, np.float32)
        for model, (share, vector) in question.items():
            hits = await self._vectors.search(
                self._scope, vector, model=model, record_filter=wanted, limit=min(_MAX_NEAREST, max(size, 1))
            )
            for hit in hits:
                row = rows.get(hit.record_id)
                if row is not None and row < size:
                    sums[row] += share * max(0.0, hit.score)
        near = np.clip(sums, 0, 1)
        return near, near
