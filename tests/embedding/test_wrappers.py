from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent import aopen
from remanent.embedding.port import CachedEmbedder, MeteredEmbedder
from remanent.errors import InvalidInput, ModelUnavailable
from remanent.model import EmbeddingFigures, RoleFigures
from remanent.server.telemetry import Metrics
from remanent.text.scripts import TextLanguage
from tests.embedding.fakes import HashEmbedder
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import embeds

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


async def test_texts_characters_and_seconds_are_counted() -> None:
    metered = MeteredEmbedder(HashEmbedder(), timer=count(step=2).__next__)
    await metered.embed(["one", "three"])
    await metered.embed(["", "four"])
    assert metered.figures == EmbeddingFigures(model=metered.model_id, texts=3, characters=12, seconds=4)


async def test_two_of_them_tell_the_hits_of_a_cache() -> None:
    computed = MeteredEmbedder(HashEmbedder())
    asked = MeteredEmbedder(CachedEmbedder(computed))
    for texts in (["a", "b"], ["a", "c"], ["b"]):
        await asked.embed(texts)
    assert (asked.figures.texts, computed.figures.texts) == (5, 3)


async def test_a_failure_is_counted_apart_and_passed_on() -> None:
    class Failing(HashEmbedder):
        async def embed_batch(self, texts: Sequence[str]) -> object:  # type: ignore[override]
            raise ModelUnavailable("down")

    metered = MeteredEmbedder(Failing())
    with pytest.raises(ModelUnavailable):
        await metered.embed(["a"])
    assert (metered.figures.failures, metered.figures.texts) == (1, 0)


async def test_it_stands_for_what_is_inside() -> None:
    inner = HashEmbedder(model_id="m")
    metered = MeteredEmbedder(inner)
    assert (metered.model_id, metered.dimension) == ("m", 32)
    await metered.close()
    assert inner.closed


def test_wrappers_know_languages_as_well_as_what_they_wrap() -> None:
    class Bad(HashEmbedder):
        def skill(self, language: TextLanguage) -> float:
            return 0.25 if language == "zh" else 1.0

    for wrapped in (MeteredEmbedder(Bad()), CachedEmbedder(Bad()), CachedEmbedder(MeteredEmbedder(Bad()))):
        assert (wrapped.skill("zh"), wrapped.skill("en")) == (0.25, 1.0)


async def test_a_memory_tells_what_its_models_took(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(lambda texts: [[1.0, 2.0] for _ in texts])) as server:
        embedding = {"base_url": server.base_url, "name": 'a"b', "dimension": 2, "attempts": 1}
        async with aopen(tmp_path, embedder="http", embedding=embedding) as memory:
            await memory.agent("ada").remember(["one", "two"])
            await memory.settle()
            usage = memory.usage()
            (figures,) = usage.embedding
            assert (figures.model, figures.texts, figures.failures) == ('http:a"b:2', 2, 0)
            assert figures.characters > 0
            assert usage.roles == ()
            told = Metrics().text(usage=usage)
            assert 'remanent_embedded_texts_total{model="http:a\\"b:2"} 2' in told
            roles = (RoleFigures(role="intent", runs=2, requests=3, input_tokens=9, cost=0.5),)
            told = Metrics().text(usage=usage.replace(roles=roles))
            assert 'remanent_role_requests_total{role="intent"} 3' in told
            assert 'remanent_role_cost_dollars_total{role="intent"} 0.5' in told
