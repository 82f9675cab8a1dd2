import json
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from remanent.embedding.http import HttpReranker
from remanent.errors import ModelRejected, ModelUnavailable
from remanent.http.client import RequestLimits
from remanent.memory import aopen
from remanent.model import RecallOptions
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, fails, floods, sends, stalls
from tests.language.scripted.wire import Request, Wire

RERANK = "/v1/rerank"
KEY = "canary-77aa10c4d2"


def here(step: Step) -> Step:
    return replace(step, paths=(RERANK,))


def gives(*results: tuple[Any, Any]) -> Step:
    body = {"results": [{"index": index, "relevance_score": score} for index, score in results]}
    return here(sends(json.dumps(body).encode()))


def by_length() -> Step:
    """Scores a text by its length, the best first, as such APIs do."""

    async def act(request: Request, wire: Wire) -> None:
        texts = request.body["documents"]
        results = [{"index": number, "relevance_score": len(text) / 1000} for number, text in enumerate(texts)]
        await wire.reply_json({"results": sorted(results, key=lambda result: -result["relevance_score"])})

    return here(Step("scores by length", act))


@asynccontextmanager
async def reranker_at(server: ScriptedServer, *, window: int = 4000, **bounds: Any) -> AsyncIterator[HttpReranker]:
    async def no_sleep(_: float) -> None:
        pass

    reranker = HttpReranker(
        server.base_url, name="m", api_key=SecretStr(KEY), window=window, bounds=RequestLimits(**bounds), sleep=no_sleep
    )
    try:
        yield reranker
    finally:
        await reranker.close()


async def test_scores_come_back_in_the_order_of_the_texts() -> None:
    async with ScriptedServer(by_length()) as server, reranker_at(server) as reranker:
        scores = await reranker.score("which?", ["a", " ", "ccc", "b\ud800"])
    assert scores == [0.001, 0.0, 0.003, 0.002]
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "m", "query": "which?", "documents": ["a", "ccc", "b\ufffd"], "top_n": 3}


async def test_many_texts_go_in_several_requests_and_long_ones_are_cut() -> None:
    texts = ["x" * 50] + ["y" * (number + 1) for number in range(149)]
    async with ScriptedServer(by_length(), by_length()) as server, reranker_at(server, window=40) as reranker:
        scores = await reranker.score("which?", texts)
    assert [request.body["top_n"] for request in server.requests] == [100, 50]
    assert scores == [min(len(text), 40) / 1000 for text in texts]


@pytest.mark.parametrize(("question", "texts"), [("", ["a"]), ("a", []), ("a", [" "])])
async def test_nothing_to_compare_scores_nothing_and_asks_nobody(question: str, texts: list[str]) -> None:
    async with ScriptedServer() as server, reranker_at(server) as reranker:
        assert await reranker.score(question, texts) == [0.0] * len(texts)


async def test_raw_scores_of_any_size_are_brought_between_nought_and_one_in_their_order() -> None:
    async with ScriptedServer(gives((0, -1e4), (1, 0), (2, 1e300))) as server, reranker_at(server) as reranker:
        low, middle, high = await reranker.score("which?", ["a", "b", "c"])
    assert 0 <= low < middle == 0.5 < high <= 1


@pytest.mark.parametrize(
    "step",
    [
        gives((0, 0.5)),
        gives((0, 0.5), (0, 0.5)),
        gives((0, 0.5), (2, 0.5)),
        gives((0, 0.5), (1, 0.5), (2, 0.5)),
        gives((0, 0.5), (1, float("nan"))),
        gives((0, 0.5), (1, "high")),
        gives((0, 0.5), (1, None)),
        gives((0, 0.5), (1, 10**400)),
        gives((0, 0.5), ([1], 0.5)),
        here(sends(b"{}")),
        here(sends(b"[]")),
        here(sends(b"<html>")),
        here(sends(b"[" * 100_000)),
    ],
)
async def test_an_answer_that_is_none_is_refused_whole(step: Step) -> None:
    async with ScriptedServer(step) as server, reranker_at(server) as reranker:
        with pytest.raises(ModelUnavailable, match="not answer with a list of 2 scores"):
            await reranker.score("which?", ["a", "b"])


async def test_an_overloaded_api_is_asked_again() -> None:
    steps = (here(fails(429, headers={"Retry-After": "1"})), here(fails(500)), by_length())
    async with ScriptedServer(*steps) as server, reranker_at(server) as reranker:
        assert await reranker.score("which?", ["a"]) == [0.001]


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (fails(401, body={"error": {"message": f"no such key: {KEY}"}}), ModelRejected),
        (fails(503, body={"error": KEY}), ModelUnavailable),
        (stalls("middle"), ModelUnavailable),
        (floods(10**6), ModelRejected),
    ],
)
async def test_failures_have_our_types_and_do_not_show_the_key(step: Step, kind: type[Exception]) -> None:
    bounds: dict[str, Any] = {"request_timeout": 0.05, "max_answer": 10_000, "attempts": 1}
    async with ScriptedServer(here(step)) as server, reranker_at(server, **bounds) as reranker:
        with pytest.raises(kind) as caught:
            await reranker.score("which?", ["a"])
        shown = [*traceback.format_exception(caught.value), repr(vars(caught.value)), repr(vars(reranker))]
    assert [text for text in shown if KEY in text] == []


@pytest.mark.spec("COG-12", "COG-15")
async def test_a_memory_asks_the_reranker_and_answers_without_it_when_it_fails(tmp_path: Path) -> None:
    steps = (by_length(), here(fails(401)), here(sends(b'{"results": "none"}')))
    async with ScriptedServer(*steps) as server:
        there = {"kind": "http", "base_url": server.base_url, "name": "rerank-3", "api_key": KEY}
        recall = {"reranker": there, "path_timeout": 60}
        async with aopen(tmp_path, embedder="none", recall=recall) as memory:
            ada = memory.agent("ada")
            await ada.remember(["A heron at the weir.", "The heron at the weir stands and waits for fish and frogs."])
            await memory.settle()
            quality = RecallOptions(recipe="quality", gate=False)
            read = await ada.recall("Which heron is at the weir?", options=quality)
            assert all(item.reranked is not None for item in read.items)
            assert not read.left_out
            for question in ("What heron is at the weir?", "Where is the heron at the weir?"):
                found = await ada.recall(question, options=quality)
                assert {item.record_id for item in found.items} == {item.record_id for item in read.items}
                assert all(item.reranked is None for item in found.items)
                (left,) = found.left_out
                assert left.path == "reranker"
                assert left.reason.startswith("Model")
                assert KEY not in left.reason
