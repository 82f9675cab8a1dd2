import numpy as np
import pytest

from remanent.errors import InvalidInput
from remanent.language.offline.salience import MAX_TEXTS, similarities, similarity_matrix, term_overlap
from remanent.language.role import Toolbox
from tests.language.offline.fakes import WordEmbedder

TEXTS = ["Ada lives in Lisbon.", "Lisbon is where Ada lives.", "The printer is broken.", "打印机坏了。"]


@pytest.mark.parametrize("toolbox", [Toolbox(), Toolbox(WordEmbedder())])
async def test_alike_texts_are_more_alike_than_others_and_each_is_alike_to_itself(toolbox: Toolbox) -> None:
    table = await similarity_matrix(TEXTS, toolbox)
    assert table.shape == (4, 4)
    assert np.allclose(table, table.T)
    assert np.allclose(np.diag(table), 1)
    assert table[0, 1] > table[0, 2]
    assert table.min() >= 0
    assert table.max() <= 1 + 1e-6


async def test_nothing_is_alike_to_nothing() -> None:
    assert (await similarity_matrix([], Toolbox(WordEmbedder()))).size == 0


async def test_one_text_is_compared_with_many() -> None:
    alike = await similarities(TEXTS[0], TEXTS[1:], Toolbox())
    assert alike[0] > alike[1]
    assert len(alike) == 3


def test_overlap_is_the_share_of_the_shorter_text() -> None:
    assert term_overlap("red bicycle", "the red bicycle of my neighbour") == 1
    assert term_overlap("red bicycle", "blue car") == 0
    assert term_overlap("", "blue car") == 0


@pytest.mark.spec("SAFE-07")
async def test_more_texts_than_can_be_compared_are_refused() -> None:
    with pytest.raises(InvalidInput, match="give fewer"):
        await similarity_matrix(["a"] * (MAX_TEXTS + 1), Toolbox())
