"""Where the embeddings of nodes live: with the node, or in a vector database."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.embedding import Embedders
from remanent.model import Kind, Scope
from remanent.stores import RecordFilter, Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ASKED = 200
"""How many of the nearest a vector database is asked for; what is further away counts as not alike."""
_REMEMBERED = 256


class Meaning:
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
            if len(self._known) >= _REMEMBERED:
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


class Embeddings(ABC):
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
    async def cosines(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "NDArray[np.float32]":
        """Return how alike each row is to the question, from 0 to 1; what points away from it counts as 0."""


class InNode(Embeddings):
    """Vectors beside the nodes, in memory."""

    keeps_in_node = True

    def __init__(self) -> None:
        self._matrices: dict[str, NDArray[np.float32]] = {}
        self._present: dict[str, NDArray[np.float32]] = {}
        """By model, 1 for each row that has a vector."""

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Write the vectors into their matrices."""
        import numpy as np

        self.drop(row)
        for model, values in vectors.items():
            vector = np.frombuffer(values, "<f4")
            matrix = self._matrices.get(model)
            if matrix is None or row >= len(matrix):
                grown = np.zeros((max(64, 2 * (row + 1)), len(vector)), np.float32)
                present = np.zeros(len(grown), np.float32)
                if matrix is not None:
                    grown[: len(matrix)] = matrix
                    present[: len(matrix)] = self._present[model]
                matrix = self._matrices[model] = grown
                self._present[model] = present
            matrix[row] = vector
            self._present[model][row] = 1 if vector.any() else 0

    def drop(self, row: int) -> None:
        """Blank the row."""
        for model, matrix in self._matrices.items():
            if row < len(matrix):
                matrix[row] = 0
                self._present[model][row] = 0

    async def cosines(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "NDArray[np.float32]":
        """Multiply the question with every row; a node without a vector of a model is judged by the others."""
        import numpy as np

        sums = np.zeros(size, np.float32)
        shares = np.zeros(size, np.float32)
        for model, (share, vector) in question.items():
            matrix = self._matrices.get(model)
            if matrix is None:
                continue
            held = matrix[:size]
            sums[: len(held)] += share * (held @ vector)
            shares[: len(held)] += share * self._present[model][:size]
        shares[shares == 0] = 1
        return np.asarray(np.clip(sums / shares, 0, 1), np.float32)


class InVectors(Embeddings):
    """Vectors in a vector database over the store that keeps the bank; nodes carry none."""

    keeps_in_node = False

    def __init__(self, vectors: Vectors, scope: Scope) -> None:
        self._vectors = vectors
        self._scope = scope

    def put(self, row: int, vectors: Mapping[str, bytes]) -> None:
        """Do nothing: the database sees every vector that was committed."""

    def drop(self, row: int) -> None:
        """Do nothing: the database passes over what is not live."""

    async def cosines(
        self, question: "Mapping[str, tuple[float, NDArray[np.float32]]]", rows: Mapping[str, int], *, size: int
    ) -> "NDArray[np.float32]":
        """Ask the database for the nearest."""
        import numpy as np

        wanted = RecordFilter(kinds=(Kind.QUERY_NODE,))
        sums = np.zeros(size, np.float32)
        for model, (share, vector) in question.items():
            hits = await self._vectors.search(
                self._scope, vector, model=model, record_filter=wanted, limit=min(_ASKED, max(size, 1))
            )
            for hit in hits:
                row = rows.get(hit.record_id)
                if row is not None and row < size:
                    sums[row] += share * max(0.0, hit.score)
        return np.asarray(np.clip(sums, 0, 1), np.float32)
