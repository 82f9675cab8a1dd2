"""The associative memory as a discipline: it can be given parts of its own when a memory is opened."""

from pathlib import Path

import pytest

import remanent
from remanent.associative import Compressor, Shortened
from remanent.associative.discipline import Associative
from remanent.model import Maker

QUICK = {"max_focus_count": 1, "decay_rate": 0.5, "delete_threshold": 1}
LONG = "Ada moved to Lisbon in May because she likes the sea, the light and the tiled houses on the hills. " * 3


class Telegraphist(Compressor):
    """Leaves the first letters, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def shorten(self, text: str, *, target: int, original_length: int) -> Shortened:
        del target, original_length
        self.asked.append(text)
        return Shortened(text[:9], "telegram", ("telegram",), Maker(role="telegraphist"))


@pytest.mark.spec("USE-09")
def test_it_takes_a_compressor_when_a_memory_is_opened(tmp_path: Path) -> None:
    compressor = Telegraphist()
    given = [Associative(compressor=compressor)]
    with remanent.open(tmp_path, embedder="none", disciplines=given, associative=QUICK) as memory:
        associative = memory.agent("ada").associative
        for text in (LONG, "Bob sails.", "Eve paints."):
            associative.remember(text)
            memory.settle()
        for _ in range(3):
            associative.compress()
            memory.settle()
        assert compressor.asked
        assert LONG.strip() not in [node.content for node in associative.nodes()]
