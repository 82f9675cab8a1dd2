"""Any model of the package sentence-transformers, where that is installed; nothing is fetched from elsewhere."""

import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from remanent.embedding.packaged_models import Background
from remanent.embedding.port import Embedder, windows
from remanent.errors import InvalidSettings, MissingDependency, ModelUnavailable
from remanent.settings import EmbeddingSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BACKGROUND = Background("remanent-sentence-transformers")


class SentenceTransformersEmbedder(Embedder):
    """Runs the model on one thread of low priority, in small batches; it is loaded by the first text."""

    # Chosen by hand: small, so that a question does not wait behind a long list.
    batch_texts: ClassVar[int] = 16
    batch_characters: ClassVar[int] = sys.maxsize

    def __init__(self, settings: EmbeddingSettings) -> None:
        if settings.name is None or settings.dimension is None:
            raise InvalidSettings(
                "the embedder sentence-transformers needs embedding.name and embedding.dimension; see docs/settings.md"
            )
        if find_spec("sentence_transformers") is None:
            raise MissingDependency(
                "the embedder sentence-transformers needs its package: pip install sentence-transformers"
            )
        self._name = settings.name
        self._dimension = settings.dimension
        self._window = settings.window
        self._model: Any = None

    @property
    def model_id(self) -> str:
        """The model's name and dimension; of a path its last part, so that a folder may move."""
        is_path = self._name.startswith(("/", ".", "~"))
        name = PurePath(self._name).name if is_path else self._name
        return f"sentence-transformers:{name}:{self._dimension}"

    @property
    def dimension(self) -> int:
        """What the settings say; a model that differs is refused."""
        return self._dimension

    def pieces(self, text: str) -> Sequence[str]:
        """Return the pieces that the window holds; they count alike."""
        return windows(text, self._window)

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text."""
        return await _BACKGROUND.run(partial(self._compute, list(texts)))

    async def close(self) -> None:
        """Let go of the model."""
        self._model = None

    def _compute(self, texts: list[str]) -> "NDArray[np.float32]":
        """Return one row per text; a model of another dimension than the settings say is refused."""
        import numpy as np

        if self._model is None:
            self._model = self._load()
        vectors = np.asarray(
            self._model.encode(
                texts,
                batch_size=self.batch_texts,
                convert_to_numpy=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            ),
            np.float32,
        )
        if vectors.shape != (len(texts), self._dimension):
            raise InvalidSettings(
                f"{self._name} returns vectors of {vectors.shape[-1]} numbers, not "
                f"{self._dimension}; correct embedding.dimension"
            )
        if not np.isfinite(vectors).all():
            raise ModelUnavailable(f"{self._name} gives vectors that contain something other than numbers")
        return vectors

    def _load(self) -> Any:
        """Load the model from this machine only: nothing that is asked for in passing may fetch gigabytes."""
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._name, local_files_only=True)
        except (OSError, ValueError) as error:
            raise InvalidSettings(
                f"the model {self._name} is not on this machine or cannot be read; put it into a folder and name "
                "that in embedding.name"
            ) from error
