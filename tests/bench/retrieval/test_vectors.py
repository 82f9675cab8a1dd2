"""Vectors are made once, and found again by the next run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.retrieval.vectors import KeptVectors
from remanent.embedding import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Lengths(Embedder):
    """Tells a text by its length; notes what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    @property
    def model_id(self) -> str:
        return "lengths"

    @property
    def dimension(self) -> int:
        return 2

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        self.given += texts
        return np.array([[1.0, len(text)] for text in texts], np.float32)


async def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    import numpy as np

    embedder = _Lengths()
    first = await KeptVectors(embedder, folder=tmp_path).of(["a", "bb", "a", ""])
    again = await KeptVectors(embedder, folder=tmp_path).of(["bb", "ccc", "a"])
    assert embedder.given == ["a", "bb", "ccc"]
    assert np.array_equal(again[0], first[1])
    assert np.array_equal(again[2], first[0])
    assert not first[3].any()


async def test_what_was_half_written_is_made_again(tmp_path: Path) -> None:
    embedder = _Lengths()
    await KeptVectors(embedder, folder=tmp_path).of(["a", "bb"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    rows = await KeptVectors(embedder, folder=tmp_path).of(["a", "bb"])
    assert embedder.given == ["a", "bb", "bb"]
    assert rows.shape == (2, 2)
    await KeptVectors(embedder, folder=tmp_path).of(["a", "bb"])
    assert embedder.given == ["a", "bb", "bb"]


async def test_every_step_is_told(tmp_path: Path) -> None:
    steps: list[float] = []
    kept = KeptVectors(_Lengths(), folder=tmp_path)
    await kept.of(["a", "bb"])
    await kept.of(["a", "bb", "ccc"], advance=steps.append)
    assert sum(steps) == 3
