"""Where the embeddings of nodes live: with the node, or in a vector database."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.bank.node import QUERY_NODE
from remanent.embedding import Embedders
from remanent.model import Scope
from remanent.stores import RecordFilter, Vectors
from remanent.stores.local.codes import Codes, Question
from remanent.stores.local.normal import normalise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_NEAREST = 200
"""How many of the nearest a vector database is asked for; what is further away counts as not alike."""
_MAX_CACHED_QUERIES = 256


class NodeEmbedder:
    """Turns texts into the vectors of every model that knows their language; the same question is embedded once."""

    def __init__(self, embedders: Embedders | None) -> None:
        self._embedders = embedders
        self._known: dict[str, dict[str, NDArray[np.float32]]] = {}

    async def of_texts(self, texts: Sequence[str]) -> list[dict[str, bytes]]:
        """Return the vectors of texts, as they are kept."""
        if self._embedders is None:
            return [{} for _ in texts]
        found = await self._embedders.embed(texts)
        return [{model: vector.astype("<f4").tobytes() for model, vector in row.items()} for row in found]

    async def of_question(self, text: str) -> "dict[str, tuple[float, NDArray[np.float32]]]":
        """Return the vectors of a question, each with how much its model counts; the shares add up to 1."""
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
        """Return the vectors that are kept of a text, as those of a question."""
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
    """Knows how alike each node is to a question."""

    keeps_in_node: bool
    """Whether nodes carry their vectors."""

    @abstractmethod
    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Take in the vectors of the node at a row."""

    @abstractmethod
    def drop(self, row: int) -> None:
        """Let go of the node at a row."""

    @abstractmethod
    async def bounds(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Return between what the likeness of each row to the question lies; what points away from it counts as 0."""

    def exact(
        self,
        question: "Mapping[str, tuple[float, NDArray[np.float32]]]",
        rows: "NDArray[np.int64]",
        lowest: "NDArray[np.float32]",
    ) -> "NDArray[np.float32]":
        """Return how alike these rows are to the question; `lowest` are their bounds."""
        del self, question, rows
        return lowest


class InMemoryEmbeddings(EmbeddingIndex):
    """Vectors beside the nodes, in memory: whole, and in a byte a dimension, by which most rows are ruled out."""

    keeps_in_node = True

    def __init__(self) -> None:
        self._matrices: dict[str, NDArray[np.float32]] = {}
        self._codes: dict[str, Codes] = {}
        self._present: dict[str, NDArray[np.float32]] = {}
        """By model, 1 for each row that has a vector."""

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
        """Hold the question against every code; a node without a vector of a model is judged by the others."""
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
            codes.bounds(Question(_unit(vector)), low, high)
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
        """Multiply the question with these rows."""
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
    """Vectors in a vector database over the store that keeps the bank; nodes carry none."""

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
