"""The ports of embedding, reranking and reading pictures, and two wrappers that stand around any embedder.

Cleaning, batching and normalising are done once here and not by each adapter, so that a vector means the same whoever
made it. What is kept and what is counted is decided where models are opened, and no model knows of either.
"""

import sys
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, TypeVar

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import CacheFigures, Clock, EmbeddingFigures, system_clock
from remanent.text.scripts import TextLanguage, well_formed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


T = TypeVar("T")


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

        A text longer than `batch_characters` comes alone. Rows need not be normalised; those of the pieces of one text
        are added up.
        """

    def pieces(self, text: str) -> Sequence[str]:
        """Return the texts that are embedded for one: several for what is longer than the model reads at once."""
        return (text,)

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, in order: float32, C-contiguous, of length 1.

        A text that is empty or white space has no meaning to compare: its row is zero, so that its cosine to
        anything is 0. Lone surrogates are replaced before the model sees them.
        """
        import numpy as np

        if isinstance(texts, str):
            raise InvalidInput("embed() takes a list of texts, not one text: wrap it in a list")
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        read = [
            (row, piece) for row, text in enumerate(texts) if text.strip() for piece in self.pieces(well_formed(text))
        ]
        for batch in self._batches(read):
            rows = await self.embed_batch([piece for _, piece in batch])
            for (row, _), vector in zip(batch, rows, strict=True):
                vectors[row] += vector
        return _normalised(vectors)

    @property
    def loading(self) -> bool:
        """Whether the next text has to wait until the model is in memory."""
        return False

    def skill(self, language: TextLanguage) -> float:
        """Return how much the model's word counts for a question in a language, beside words alone; 1 is in full."""
        return 1.0

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open; it is not used after that."""

    def _batches(self, read: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
        """Yield pieces that make a batch within both bounds."""
        batch: list[tuple[int, str]] = []
        characters = 0
        for row, piece in read:
            if batch and (len(batch) >= self.batch_texts or characters + len(piece) > self.batch_characters):
                yield batch
                batch, characters = [], 0
            batch.append((row, piece))
            characters += len(piece)
        if batch:
            yield batch


class Reranker(ABC):
    """Says how well texts answer a question."""

    @abstractmethod
    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score between 0 and 1 per text, in order; higher is better."""

    async def prepare(self) -> None:  # noqa: B027 - most adapters load nothing
        """Load what the first question would have to wait for."""

    def knows(self, language: TextLanguage) -> bool:
        """Tell whether a question in that language can be judged."""
        return True

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open."""


def _normalised(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return rows of length 1; what is all zero stays so."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1  # a row of zeros stays one
    return np.asarray(vectors / lengths, np.float32)


MAX_IMAGE_BYTES = 32 * 1024**2
"""A picture of more bytes is refused before it is looked at."""


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """One line that was read in a picture."""

    text: str
    confidence: float
    """From 0 to 1, as the reader sees it."""


class ImageReader(ABC):
    """Reads the text in a picture, line by line from the top."""

    @abstractmethod
    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        """Return the lines of a picture whose size was checked; `InvalidInput` when it cannot be decoded."""

    async def read(self, image: bytes) -> list[WrittenLine]:
        """Return the lines in a picture of a usual format (PNG, JPEG, WebP, GIF, BMP, TIFF); none if it has no text."""
        if not image:
            raise InvalidInput("the picture is empty")
        if len(image) > MAX_IMAGE_BYTES:
            raise InvalidInput(
                f"the picture has {len(image)} bytes, but at most {MAX_IMAGE_BYTES} are read; make it smaller"
            )
        return [line for line in await self.read_lines(image) if line.text.strip()]

    async def read_text(self, image: bytes) -> str:
        """Return all that is written in a picture, a line of it on each line."""
        return "\n".join(line.text for line in await self.read(image))

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open."""


_MAX_WINDOWS = 8
"""How many pieces of a long text are read; their vectors are averaged. Chosen by hand: the mean of many says little."""


def windows(text: str, size: int) -> list[str]:
    """Return the pieces of a text, or some of them, spread evenly, when there are too many; blank ones are left out."""
    return spread([piece for start in range(0, len(text), size) if (piece := text[start : start + size]).strip()])


def spread(pieces: list[T]) -> list[T]:
    """Return the pieces, or as many as are read of a long text, evenly from the first to the last."""
    if len(pieces) <= _MAX_WINDOWS:
        return pieces
    last = len(pieces) - 1
    return [pieces[last * number // (_MAX_WINDOWS - 1)] for number in range(_MAX_WINDOWS)]


class _Wrapper(Embedder):
    """An embedder as the one inside it is, which cuts what it is given into batches of its own."""

    batch_texts: ClassVar[int] = sys.maxsize
    batch_characters: ClassVar[int] = sys.maxsize

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def model_id(self) -> str:
        """The inner embedder's model."""
        return self._inner.model_id

    @property
    def loading(self) -> bool:
        """Whether the inner embedder is still being loaded."""
        return self._inner.loading

    @property
    def dimension(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dimension

    def skill(self, language: TextLanguage) -> float:
        """Return the inner embedder's skill."""
        return self._inner.skill(language)

    async def close(self) -> None:
        """Close the inner embedder."""
        await self._inner.close()


class CachedEmbedder(_Wrapper):
    """Gives back the vector of a text it has seen, keyed by model and content hash; the least used go first.

    A vector is kept for `lifetime`. The texts themselves are not kept. 4,096 vectors of 512 numbers take about 10 MB.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        capacity: int = 4_096,
        lifetime: timedelta = timedelta(hours=24),
        clock: Clock = system_clock,
    ) -> None:
        if capacity < 1:
            raise InvalidInput(f"a cache must have room for at least 1 vector, not {capacity}")
        super().__init__(inner)
        self._capacity = capacity
        self._lifetime = lifetime
        self._clock = clock
        self._vectors: OrderedDict[tuple[str, bytes], tuple[datetime, NDArray[np.float32]]] = OrderedDict()
        self._lock = Lock()
        self.figures = CacheFigures(name=f"embedding:{self.model_id}")
        """How often a vector was there."""

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, asking the inner embedder once for each text that is not remembered."""
        import numpy as np

        model_id = self.model_id
        keys = [(model_id, blake2b(text.encode("utf-8"), digest_size=16).digest()) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = await self._inner.embed(list(missing.values()))
            known |= {key: row.copy() for key, row in zip(missing, fresh, strict=True)}
            self._keep(known, list(missing))
        return np.stack([known[key] for key in keys])

    async def close(self) -> None:
        """Forget every vector and close the inner embedder."""
        self.clear()
        await super().close()

    def clear(self) -> None:
        """Forget every vector, as when what they were made from is erased."""
        with self._lock:
            self._vectors.clear()

    def _known(self, keys: list[tuple[str, bytes]]) -> "dict[tuple[str, bytes], NDArray[np.float32]]":
        """Return the vectors that are there and not too old, and count hits and misses."""
        now = self._clock()
        with self._lock:
            kept = {key: self._vectors[key] for key in keys if key in self._vectors}
            known = {key: vector for key, (end, vector) in kept.items() if now < end}
            for key in known:
                self._vectors.move_to_end(key)
            hits = sum(key in known for key in keys)
            self.figures = self.figures.counted(hits=hits, misses=len(keys) - hits)
        return known

    def _keep(self, vectors: "dict[tuple[str, bytes], NDArray[np.float32]]", fresh: list[tuple[str, bytes]]) -> None:
        """Keep fresh vectors, and drop the longest unused ones beyond the capacity."""
        end = self._clock() + self._lifetime
        with self._lock:
            for key in fresh:
                self._vectors[key] = (end, vectors[key])
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


class MeteredEmbedder(_Wrapper):
    """Counts texts, characters and seconds; outside a cache it counts what was asked, inside what was computed.

    Two of them, one on each side of a cache, tell its hits: the difference between their texts.
    """

    def __init__(self, inner: Embedder, *, timer: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(inner)
        self._timer = timer
        self.figures = EmbeddingFigures(model=inner.model_id)
        """What was embedded since the wrapper was made; seconds go from asking to answer, waiting included."""

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return what the inner embedder returns, counted; what failed is counted apart."""
        begin = self._timer()
        embedded: Sequence[str] = ()
        try:
            vectors = await self._inner.embed(texts)
            embedded = texts
        finally:
            past = self.figures
            self.figures = past.replace(
                texts=past.texts + len(embedded),
                characters=past.characters + sum(map(len, embedded)),
                seconds=past.seconds + self._timer() - begin,
                failures=past.failures + (embedded is not texts),
            )
        return vectors
