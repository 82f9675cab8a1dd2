"""The port of sentence embedding: texts in, unit vectors out."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from remanent.errors import InvalidInput
from remanent.text.language import Language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(ABC):
    """Turns texts into vectors that lie close together when the texts mean alike.

    An adapter implements `embed_batch` and names its model; cleaning, batching and normalising are done here, so
    that all of them keep the same promises.
    """

    # One batch ends at either bound. Small batches let a question in between while a long list is embedded.
    batch_texts: ClassVar[int] = 64
    batch_characters: ClassVar[int] = 16_000

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The name under which vectors are stored; vectors of different names are never compared."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The length of every vector."""

    @abstractmethod
    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text. The texts are valid Unicode, have content, and fit the bounds of a batch.

        A text longer than `batch_characters` comes alone. Rows need not be normalised.
        """

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, in order: float32, C-contiguous, of length 1.

        A text that is empty or white space has no meaning to compare: its row is zero, so that its cosine to
        anything is 0. Lone surrogates are replaced before the model sees them.
        """
        import numpy as np

        if isinstance(texts, str):
            raise InvalidInput("embed() takes a list of texts, not one text: wrap it in a list")
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        for batch in self._batches(rows, texts):
            vectors[batch] = _normalised(await self.embed_batch([_well_formed(texts[row]) for row in batch]))
        return vectors

    @property
    def loading(self) -> bool:
        """Whether the next text has to wait until the model is in memory."""
        return False

    def skill(self, language: Language) -> float:
        """Return how much the model's word counts for a question in a language, beside words alone; 1 is in full."""
        return 1.0

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open; it is not used after that."""

    def _batches(self, rows: list[int], texts: Sequence[str]) -> Iterator[list[int]]:
        batch: list[int] = []
        characters = 0
        for row in rows:
            length = len(texts[row])
            if batch and (len(batch) >= self.batch_texts or characters + length > self.batch_characters):
                yield batch
                batch, characters = [], 0
            batch.append(row)
            characters += length
        if batch:
            yield batch


def _well_formed(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _normalised(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1  # a row of zeros stays one
    return np.asarray(vectors / lengths, np.float32)
