from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from remanent import aopen
from remanent.embedding.wrappers import CachedEmbedder, EmbeddingUse, MeteredEmbedder
from remanent.errors import ModelUnavailable
from remanent.model import RoleFigures
from remanent.server.metrics import Metrics
from remanent.text.language import Language
from tests.embedding.fakes import HashEmbedder
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import embeds


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


def test_wrappers_know_languages_as_well_as_what_they_wrap() -> None:
    class Bad(HashEmbedder):
        def skill(self, language: Language) -> float:
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
