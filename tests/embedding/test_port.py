from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.embedding import port
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput
from remanent.text.scripts import well_formed
from tests.embedding.fakes import HashEmbedder

any_texts = st.lists(st.text(st.characters(), max_size=30))


@given(any_texts)
async def test_every_row_is_a_unit_vector_or_zero_for_a_blank_text(texts: list[str]) -> None:
    vectors = await HashEmbedder().embed(texts)
    assert vectors.shape == (len(texts), 32)
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    for text, row in zip(texts, vectors, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1.0 if text.strip() else 0.0, abs=1e-5)


@given(any_texts)
async def test_batches_keep_the_bounds_the_order_and_every_text(texts: list[str]) -> None:
    embedder = HashEmbedder()
    await embedder.embed(texts)
    for batch in embedder.batches:
        assert len(batch) <= embedder.batch_texts
        assert len(batch) == 1 or sum(map(len, batch)) <= embedder.batch_characters
    sent = [text for batch in embedder.batches for text in batch]
    assert sent == [well_formed(text) for text in texts if text.strip()]


@given(any_texts)
async def test_a_text_has_the_same_vector_alone_and_among_others(texts: list[str]) -> None:
    together = await HashEmbedder().embed(texts)
    alone = [(await HashEmbedder().embed([text]))[0] for text in texts]
    assert np.array_equal(together, np.reshape(alone, (-1, 32)))


async def test_no_text_gives_no_row() -> None:
    assert (await HashEmbedder().embed([])).shape == (0, 32)


async def test_a_model_that_answers_zero_stays_zero() -> None:
    assert not (await HashEmbedder(scale=0.0).embed(["text"])).any()


async def test_one_text_instead_of_a_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match="list"):
        await HashEmbedder().embed("text")


async def test_lone_surrogates_are_replaced_before_the_model_sees_them() -> None:
    embedder = HashEmbedder()
    await embedder.embed(["a\ud800b", "c\ud83d\ude00"])
    assert embedder.batches == [["a\ufffdb", "c😀"]]


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
    monkeypatch.setattr(port, "MAX_IMAGE_BYTES", 4)
    with pytest.raises(InvalidInput, match="empty"):
        await Shown("x").read(b"")
    with pytest.raises(InvalidInput, match="5 bytes, but at most 4"):
        await Shown("x").read(b"12345")
