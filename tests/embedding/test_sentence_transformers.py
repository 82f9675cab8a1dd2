"""The adapter against a stand-in for the package, which is far too large to install for these few calls."""

import numpy as np
import pytest

from remanent.embedding import open_embedder
from remanent.errors import InvalidSettings, MissingDependency
from remanent.settings import EmbeddingSettings
from tests.embedding.fakes import StandInSentenceTransformer


def settings(name: str | None = "/models/tiny", dimension: int | None = 3, window: int = 4000) -> EmbeddingSettings:
    return EmbeddingSettings(name=name, dimension=dimension, window=window)


async def test_the_model_is_loaded_once_from_this_machine_and_gives_unit_vectors(
    stand_in: type[StandInSentenceTransformer],
) -> None:
    embedder = open_embedder("sentence-transformers", embedding=settings())
    assert embedder is not None
    assert stand_in.made == []
    rows = await embedder.embed(["banana", "", "x"] * 10)
    await embedder.embed(["y"])
    assert stand_in.made == [("/models/tiny", {"local_files_only": True})]
    assert stand_in.batches == [16, 4, 1]
    assert np.allclose(rows[0], np.array([6, 3, 1]) / 46**0.5)
    assert rows[1].tolist() == [0, 0, 0]
    await embedder.close()


async def test_a_text_longer_than_the_window_is_read_in_pieces(stand_in: type[StandInSentenceTransformer]) -> None:
    embedder = open_embedder("sentence-transformers", embedding=settings(window=2))
    assert embedder is not None
    await embedder.embed(["abcde"])
    assert stand_in.batches == [3]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("name", "model_id"),
    [
        ("/models/tiny", "sentence-transformers:tiny:3"),
        ("./tiny", "sentence-transformers:tiny:3"),
        ("../tiny", "sentence-transformers:tiny:3"),
        ("somebody/tiny", "sentence-transformers:somebody/tiny:3"),
    ],
)
def test_vectors_are_kept_under_the_models_name(name: str, model_id: str) -> None:
    embedder = open_embedder("sentence-transformers", embedding=settings(name))
    assert embedder is not None
    assert embedder.model_id == model_id


@pytest.mark.usefixtures("stand_in")
async def test_a_model_that_is_not_there_or_of_another_length_names_the_setting() -> None:
    absent = open_embedder("sentence-transformers", embedding=settings("/nowhere"))
    other = open_embedder("sentence-transformers", embedding=settings(dimension=4))
    assert absent is not None
    assert other is not None
    with pytest.raises(InvalidSettings, match=r"embedding\.name"):
        await absent.embed(["a"])
    with pytest.raises(InvalidSettings, match=r"3 numbers, not 4; correct embedding\.dimension"):
        await other.embed(["a"])


@pytest.mark.parametrize(("name", "dimension"), [(None, 3), ("tiny", None)])
def test_what_must_be_set_is_named(name: str | None, dimension: int | None) -> None:
    with pytest.raises(InvalidSettings, match=r"embedding\.name and embedding\.dimension"):
        open_embedder("sentence-transformers", embedding=settings(name, dimension))


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remanent.embedding.sentence_transformers.find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match="pip install sentence-transformers"):
        open_embedder("sentence-transformers", embedding=settings())
