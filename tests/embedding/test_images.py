from collections.abc import Sequence

import pytest

from remanent.embedding import port
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput


class Shown(ImageReader):
    """Reads whatever it was made with."""

    def __init__(self, *texts: str) -> None:
        self._texts: Sequence[str] = texts

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        return [WrittenLine(text, 0.9) for text in self._texts]


async def test_lines_without_text_are_left_out_and_the_rest_is_joined() -> None:
    reader = Shown("发票", " ", "Total: 12")
    assert [line.text for line in await reader.read(b"x")] == ["发票", "Total: 12"]
    assert await reader.read_text(b"x") == "发票\nTotal: 12"
    await reader.close()


async def test_nothing_and_too_much_are_refused_before_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port, "MOST_BYTES", 4)
    with pytest.raises(InvalidInput, match="empty"):
        await Shown("x").read(b"")
    with pytest.raises(InvalidInput, match="5 bytes, and 4"):
        await Shown("x").read(b"12345")
