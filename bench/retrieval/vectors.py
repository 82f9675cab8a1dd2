"""Vectors that are made once: every searcher of a run gets the same ones, and the next run finds them in a file."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.embedding import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGEST = 16
AT_ONCE = 64


class KeptVectors:
    """The vectors of one model by text; with a folder, each is added to a file of it as soon as it is made."""

    def __init__(self, embedder: Embedder, *, folder: Path | None = None) -> None:
        self.embedder = embedder
        self._file = None if folder is None else folder / f"{embedder.model_id}.vectors"
        self._known: dict[bytes, NDArray[np.float32]] = {}
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._read(self._file)

    async def of(
        self, texts: Sequence[str], *, advance: Callable[[float], None] = lambda _: None
    ) -> "NDArray[np.float32]":
        """Return one row per text; what is not known yet is embedded."""
        import numpy as np

        keys = [_key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        advance(len(texts) - len(missing))
        wanted = list(missing.items())
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            rows = await self.embedder.embed([text for _, text in part])
            self._keep([key for key, _ in part], rows)
            advance(len(part))
        return np.stack([self._known[key] for key in keys])

    def _keep(self, keys: Sequence[bytes], rows: "NDArray[np.float32]") -> None:
        self._known.update(zip(keys, rows, strict=True))
        if self._file is not None:
            with self._file.open("ab") as stream:
                stream.write(b"".join(key + row.tobytes() for key, row in zip(keys, rows, strict=True)))

    def _read(self, file: Path) -> None:
        """Read what is there; what an interrupted run left half written is cut off."""
        import numpy as np

        size = DIGEST + 4 * self.embedder.dimension
        content = file.read_bytes() if file.exists() else b""
        whole = len(content) // size * size
        if whole < len(content):
            with file.open("r+b") as stream:
                stream.truncate(whole)
        for start in range(0, whole, size):
            row = np.frombuffer(content, np.float32, self.embedder.dimension, start + DIGEST)
            self._known[content[start : start + DIGEST]] = row


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()
