"""Looks for what an erasure should have taken: any piece of a text or a vector, in any file of a folder."""

import json
import random
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remanent.stores.vector_rows import Codes

_LETTERS = "bcdfghjklmnpqrtvwxz"  # no vowels: nothing that looks like an ending and is cut off by stemming
_HAN = [chr(0x4E00 + number) for number in range(0, 20_000, 7)]
_KEY = 8
"""Pieces are found by their first so many bytes, then compared in full."""
WINDOW = 16


def secret_text(rng: random.Random, *, words: int) -> str:
    """Return a text of words that occur nowhere else, in both scripts."""
    parts = []
    for number in range(words):
        if number % 4 == 3:
            parts.append("".join(rng.choices(_HAN, k=6)))
        else:
            parts.append("".join(rng.choices(_LETTERS, k=14)))
    return " ".join(parts)


def _pieces_of(text: str) -> set[bytes]:
    """Return what would betray a text: its words, their ends (an index shortens common beginnings), Chinese runs."""
    pieces = set()
    for word in text.split():
        if word[0] in _LETTERS:
            pieces |= {word[-10:].encode(), word[:10].encode()} if len(word) >= 10 else set()
        else:
            pieces |= {word[start : start + 4].encode() for start in range(len(word) - 3)}
    return pieces


def remains_of(folder: Path, texts: Iterable[str], vectors: Iterable[NDArray[np.float32]] = ()) -> list[str]:
    """Return which files still hold a piece of any of the texts, in any encoding that texts are kept in.

    Or 16 neighbouring bytes of any of the vectors, at any offset. Every file is looked through once for all of it.
    """
    sought = _sought(tuple(texts), tuple(vector.astype("<f4").tobytes() for vector in vectors))
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content, name = path.read_bytes(), path.relative_to(folder)
        for place in sought.places_in(content):
            found += [
                f"{name} at {place} holds {piece!r}"
                for piece in sought.by_key[content[place : place + _KEY]]
                if content.startswith(piece, place)
            ]
    return found


@lru_cache(maxsize=4)  # many folders are searched for the same, and putting it in order takes longest
def _sought(texts: tuple[str, ...], vectors: tuple[bytes, ...]) -> "_Sought":
    pieces = {piece for text in texts for piece in _pieces_of(text)}
    wide = {piece.decode().encode(form) for piece in pieces for form in ("utf-16-le", "utf-16-be")}
    escaped = {json.dumps(piece.decode())[1:-1].encode() for piece in pieces}
    windows = {
        shape[start : start + WINDOW]
        for vector in vectors
        for shape in _shapes(np.frombuffer(vector, "<f4"))
        for start in range(len(shape) - WINDOW + 1)
    }
    return _Sought(pieces | wide | escaped | windows)


def _shapes(vector: NDArray[np.float32]) -> list[bytes]:
    """Return the forms in which a vector may be kept: as it is or of length one, in full or half precision, coded."""
    unit = vector / np.linalg.norm(vector)
    forms = (vector, unit.astype("<f4"), vector.astype("<f2"), unit.astype("<f2"), _codes(unit))
    return [form.tobytes() for form in forms]


def _codes(unit: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return a vector in a byte a dimension, as an index has it in memory to look at less."""
    codes = Codes(1, len(unit))
    codes.write(0, unit.astype(np.float32).reshape(1, -1))
    row: NDArray[np.int8] = codes._bytes[0]
    return row


class _Sought:
    """Pieces in an order in which they are found quickly."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.by_key: dict[bytes, list[bytes]] = defaultdict(list)
        for piece in {*pieces}:
            self.by_key[piece[:_KEY]].append(piece)
        self.keys = np.sort(np.frombuffer(b"".join(self.by_key), "<u8"))
        self.slots = np.zeros(1 << 20, dtype=bool)
        self.slots[_slots_of(self.keys)] = True

    def places_in(self, content: bytes) -> list[int]:
        """Return where in the content any of the keys stands, at any offset."""
        places: list[int] = []
        for shift in range(_KEY):
            count = (len(content) - shift) // _KEY
            if count > 0 and len(self.keys):
                values = np.frombuffer(content, "<u8", count, shift)
                likely = np.flatnonzero(self.slots[_slots_of(values)])  # a few of them: the rest need not be looked up
                at = np.searchsorted(self.keys, values[likely]).clip(max=len(self.keys) - 1)
                places += (likely[self.keys[at] == values[likely]] * _KEY + shift).tolist()
        return places


def _slots_of(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return for each value a number below a million that equal values share, by multiplicative hashing."""
    return (values * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(44)
