import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.embedding import CachedEmbedder
from remanent.embedding.wrappers import MeteredEmbedder
from remanent.errors import InvalidInput
from tests.embedding.fakes import HashEmbedder

few_texts = st.lists(st.sampled_from(["a", "b", "c", "d", "", "a\ud800", "中文"]))


def asked(inner: HashEmbedder) -> list[str]:
    return [text for batch in inner.batches for text in batch]


@given(st.lists(few_texts), st.integers(1, 4))
async def test_it_answers_as_the_inner_embedder_does(calls: list[list[str]], capacity: int) -> None:
    cached = CachedEmbedder(HashEmbedder(), capacity=capacity)
    for texts in calls:
        expected = await HashEmbedder().embed(texts)
        assert np.allclose(await cached.embed(texts), expected, atol=1e-6)


async def test_a_text_is_embedded_once() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["a", "b", "a"])
    await cached.embed(["b", "a", "c"])
    assert asked(inner) == ["a", "b", "c"]


async def test_it_is_loading_as_long_as_the_inner_embedder_is() -> None:
    class Slow(HashEmbedder):
        @property
        def loading(self) -> bool:
            return not self.batches

    cached = CachedEmbedder(MeteredEmbedder(Slow()))
    assert cached.loading
    await cached.embed(["a"])
    assert not cached.loading


async def test_the_least_used_go_first() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.embed(["a"])
    await cached.embed(["b"])
    await cached.embed(["a"])
    await cached.embed(["c"])
    await cached.embed(["a"])
    assert asked(inner) == ["a", "b", "c"]
    await cached.embed(["b"])
    assert asked(inner) == ["a", "b", "c", "b"]


async def test_a_call_larger_than_the_cache_is_answered_whole() -> None:
    texts = [str(number) for number in range(50)]
    cached = CachedEmbedder(HashEmbedder(), capacity=2)
    assert np.allclose(await cached.embed(texts), await HashEmbedder().embed(texts), atol=1e-6)


async def test_changing_a_result_does_not_change_what_is_remembered() -> None:
    cached = CachedEmbedder(HashEmbedder())
    first = await cached.embed(["a"])
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(await cached.embed(["a"]), kept)


async def test_what_was_cleared_is_embedded_anew() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["a"])
    cached.clear()
    await cached.embed(["a"])
    assert asked(inner) == ["a", "a"]


async def test_it_goes_by_the_name_of_its_inner_embedder_and_closes_it() -> None:
    inner = HashEmbedder(model_id="other")
    cached = CachedEmbedder(inner)
    assert (cached.model_id, cached.dimension) == ("other", 32)
    await cached.close()
    assert inner.closed


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        CachedEmbedder(HashEmbedder(), capacity=0)
