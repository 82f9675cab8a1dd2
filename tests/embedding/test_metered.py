from collections.abc import Sequence
from itertools import count

import pytest

from remanent.embedding.cached import CachedEmbedder
from remanent.embedding.metered import EmbeddingUse, MeteredEmbedder
from remanent.errors import ModelUnavailable
from tests.embedding.fakes import HashEmbedder


async def test_texts_characters_and_seconds_are_counted() -> None:
    metered = MeteredEmbedder(HashEmbedder(), timer=count(step=2).__next__)
    await metered.embed(["one", "three"])
    await metered.embed(["", "four"])
    assert metered.use == EmbeddingUse(texts=3, characters=12, seconds=4)


async def test_two_of_them_tell_the_hits_of_a_cache() -> None:
    computed = MeteredEmbedder(HashEmbedder())
    asked = MeteredEmbedder(CachedEmbedder(computed))
    for texts in (["a", "b"], ["a", "c"], ["b"]):
        await asked.embed(texts)
    assert (asked.use.texts, computed.use.texts) == (5, 3)


async def test_a_failure_is_counted_apart_and_passed_on() -> None:
    class Failing(HashEmbedder):
        async def embed_batch(self, texts: Sequence[str]) -> object:  # type: ignore[override]
            raise ModelUnavailable("down")

    metered = MeteredEmbedder(Failing())
    with pytest.raises(ModelUnavailable):
        await metered.embed(["a"])
    assert (metered.use.failures, metered.use.texts) == (1, 0)


async def test_it_stands_for_what_is_inside() -> None:
    inner = HashEmbedder(model_id="m")
    metered = MeteredEmbedder(inner)
    assert (metered.model_id, metered.dimension) == ("m", 32)
    await metered.close()
    assert inner.closed
