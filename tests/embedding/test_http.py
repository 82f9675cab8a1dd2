import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from remanent import aopen
from remanent.embedding import open_embedder
from remanent.embedding.http import HttpEmbedder
from remanent.errors import InvalidSettings, ModelRejected, ModelUnavailable, RemanentError, StoreClosed
from remanent.settings import EmbeddingSettings
from tests.language.scripted.places import nobody
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import (
    EMBEDDINGS,
    Step,
    answers_with,
    embeds,
    fails,
    floods,
    hangs_up,
    sends,
    stalls,
)
from tests.language.scripted.wire import Request, Wire

KEY = "canary-4f1d0c77e9"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def vectors(texts: list[str]) -> list[list[float]]:
    """A vector that tells the length of its text and how many letters a it has."""
    return [[float(len(text)), float(text.count("a")), 1.0] for text in texts]


def good() -> Step:
    return embeds(vectors)


def here(step: Step) -> Step:
    return replace(step, paths=(EMBEDDINGS,))


def data(*rows: Any, indexes: list[Any] | None = None) -> dict[str, Any]:
    return {
        "data": [
            {"index": index, "embedding": row} for index, row in zip(indexes or range(len(rows)), rows, strict=True)
        ]
    }


class Waits(list[float]):
    """A sleep that does not sleep and notes for how long it was asked to."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@asynccontextmanager
async def embedder_at(
    place: ScriptedServer | str, *, waits: Waits | None = None, **settings: Any
) -> AsyncIterator[HttpEmbedder]:
    chosen: dict[str, Any] = {
        "base_url": place if isinstance(place, str) else place.base_url,
        "api_key": SecretStr(KEY),
        "name": "some-model",
        "dimension": 3,
        **settings,
    }
    embedder = HttpEmbedder(
        EmbeddingSettings(**chosen), clock=lambda: NOW, sleep=waits if waits is not None else Waits()
    )
    try:
        yield embedder
    finally:
        await embedder.close()


async def failure(*steps: Step, waits: Waits | None = None, **settings: Any) -> RemanentError:
    async with ScriptedServer(*map(here, steps)) as server, embedder_at(server, waits=waits, **settings) as embedder:
        with pytest.raises(RemanentError) as caught:
            await embedder.embed(["a", "bb"])
    return caught.value


async def test_texts_become_unit_vectors_in_order_and_the_request_has_the_form_of_the_api() -> None:
    async with ScriptedServer(good()) as server, embedder_at(server) as embedder:
        rows = await embedder.embed(["banana", " ", "x"])
    expected = np.array([[6, 3, 1], [0, 0, 0], [1, 0, 1]], np.float64)
    expected[[0, 2]] /= np.linalg.norm(expected[[0, 2]], axis=1, keepdims=True)
    assert np.allclose(rows, expected)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", EMBEDDINGS)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "some-model", "input": ["banana", "x"]}
    assert (embedder.model_id, embedder.dimension) == ("http:some-model:3", 3)


async def test_rows_are_put_in_order_by_their_index() -> None:
    answer = answers_with(data([0, 0, 1], [1, 0, 0], indexes=[1, 0]))
    async with ScriptedServer(here(answer)) as server, embedder_at(server) as embedder:
        rows = await embedder.embed(["first", "second"])
    assert rows.tolist() == [[1, 0, 0], [0, 0, 1]]


async def test_without_a_key_none_is_sent_and_shortening_is_asked_for_when_set() -> None:
    async with ScriptedServer(good()) as server, embedder_at(server, api_key=None, shorten=True) as embedder:
        await embedder.embed(["a"])
    assert "authorization" not in server.requests[0].headers
    assert server.requests[0].body["dimensions"] == 3


async def test_many_texts_go_in_several_requests() -> None:
    texts = ["a" * (number + 1) for number in range(130)]
    async with ScriptedServer(good(), good(), good()) as server, embedder_at(server) as embedder:
        rows = await embedder.embed(texts)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 2]
    assert (np.diff(rows[:, 2]) < 0).all()


async def test_a_text_longer_than_the_window_goes_in_pieces_that_count_alike() -> None:
    async with ScriptedServer(good()) as server, embedder_at(server, window=4) as embedder:
        (row,) = await embedder.embed(["aaaabb"])
    assert server.requests[0].body["input"] == ["aaaa", "bb"]
    parts = [np.array(vector) / np.linalg.norm(vector) for vector in vectors(["aaaa", "bb"])]
    assert np.allclose(row, sum(parts) / np.linalg.norm(sum(parts)))


async def test_numbers_too_large_for_their_squares_still_give_unit_vectors() -> None:
    answer = answers_with(data([1e300, 0, 1e300], [0, 0, 0]))
    async with ScriptedServer(here(answer)) as server, embedder_at(server) as embedder:
        rows = await embedder.embed(["a", "b"])
    assert np.allclose(rows, [[0.5**0.5, 0, 0.5**0.5], [0, 0, 0]])


async def test_an_overloaded_api_is_asked_again_after_the_time_it_names() -> None:
    waits = Waits()
    busy = fails(429, headers={"Retry-After": "7"})
    async with ScriptedServer(here(busy), good()) as server, embedder_at(server, waits=waits) as embedder:
        rows = await embedder.embed(["a"])
    assert rows.shape == (1, 3)
    assert waits == [7.0]


@pytest.mark.parametrize("step", [fails(500), fails(503), hangs_up()], ids=lambda step: step.name)
async def test_what_may_pass_is_tried_again_with_growing_waits_and_then_given_up(step: Step) -> None:
    waits = Waits()
    error = await failure(step, step, step, waits=waits)
    assert isinstance(error, ModelUnavailable)
    assert len(waits) == 2
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2


async def test_an_api_that_wants_to_be_left_alone_for_long_is_not_asked_again() -> None:
    waits = Waits()
    error = await failure(fails(429, headers={"Retry-After": "3600"}), waits=waits)
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == 3600
    assert waits == []


async def test_an_address_where_nobody_listens_is_unavailable() -> None:
    with nobody() as address:
        async with embedder_at(address) as embedder:
            with pytest.raises(ModelUnavailable, match="could not be reached"):
                await embedder.embed(["a"])


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "embedding.api_key"),
        (403, "embedding.api_key"),
        (404, "embedding.name"),
        (400, "scripted 400"),
        (307, "embedding.base_url"),
    ],
)
async def test_a_refusal_is_not_tried_again_and_says_what_to_change(status: int, hint: str) -> None:
    waits = Waits()
    error = await failure(fails(status, headers={"Location": "/elsewhere"}), waits=waits)
    assert isinstance(error, ModelRejected)
    assert hint in str(error)
    assert waits == []


MALFORMED = {
    "too few": data([1, 2, 3]),
    "too many": data([1, 2, 3], [1, 2, 3], [1, 2, 3]),
    "the same index twice": data([1, 2, 3], [1, 2, 3], indexes=[0, 0]),
    "a negative index": data([1, 2, 3], [1, 2, 3], indexes=[0, -1]),
    "an index that is no number": data([1, 2, 3], [1, 2, 3], indexes=[0, [1]]),
    "no index": {"data": [{"embedding": [1, 2, 3]}, {"embedding": [1, 2, 3]}]},
    "not a number": data([1, 2, 3], [1, float("nan"), 3]),
    "infinite": data([1, 2, 3], [1, float("inf"), 3]),
    "words": data([1, 2, 3], [1, "two", 3]),
    "nested": data([1, 2, 3], [1, [2], 3]),
    "null": data([1, 2, 3], [1, None, 3]),
    "an integer too large for a float": data([1, 2, 3], [1, 10**400, 3]),
    "base64": data("AAAA", "AAAA"),
    "no data": {"object": "list"},
    "a list": [1, 2],
    "a number": 1,
}


@pytest.mark.parametrize("answer", MALFORMED.values(), ids=MALFORMED)
async def test_an_answer_that_is_none_is_refused_whole(answer: Any) -> None:
    error = await failure(sends(json.dumps(answer).encode()))
    assert isinstance(error, ModelUnavailable)


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000, b'{"data": [{'])
async def test_bytes_that_are_no_json_are_refused(body: bytes) -> None:
    assert isinstance(await failure(sends(body)), ModelUnavailable)


async def test_vectors_of_another_length_name_the_setting_to_correct() -> None:
    error = await failure(answers_with(data([1, 2], [1, 2, 3])))
    assert isinstance(error, ModelRejected)
    assert "2 and 3 numbers, not 3; correct embedding.dimension" in str(error)


@pytest.mark.parametrize("says_so", [True, False])
async def test_an_answer_without_end_is_not_read_to_its_end(says_so: bool) -> None:
    flood = 64 * 1024**2
    async with (
        ScriptedServer(here(floods(flood, says_so=says_so))) as server,
        embedder_at(server, max_answer=100_000) as embedder,
    ):
        with pytest.raises(ModelRejected, match=r"embedding\.max_answer"):
            await embedder.embed(["a"])
    assert server.wires[0].sent < flood / 4


@pytest.mark.parametrize("where", ["start", "middle", "end"])
async def test_silence_ends_with_the_time_for_one_request(where: Any) -> None:
    error = await failure(stalls(where), attempts=1, request_timeout=0.05)
    assert isinstance(error, ModelUnavailable)
    assert "embedding.request_timeout" in str(error)


async def test_all_attempts_together_end_with_the_total_time() -> None:
    async def sleeps_for_ever(_: float) -> None:
        await asyncio.Event().wait()

    async with ScriptedServer(here(fails(500))) as server:
        settings = EmbeddingSettings(base_url=server.base_url, name="m", dimension=3, timeout=0.3)
        embedder = HttpEmbedder(settings, sleep=sleeps_for_ever)
        with pytest.raises(ModelUnavailable, match=r"embedding\.timeout"):
            await embedder.embed(["a"])
        await embedder.close()


async def test_a_closed_embedder_says_so() -> None:
    async with ScriptedServer() as server, embedder_at(server) as embedder:
        await embedder.close()
        with pytest.raises(StoreClosed):
            await embedder.embed(["a"])


def echoes(status: int, *, in_header: bool = False) -> Step:
    """A server that repeats the key it was sent."""

    async def act(request: Request, wire: Wire) -> None:
        said = f"the key {request.headers['authorization']} is not welcome"
        await wire.reply_json({"error": {"message": said}}, status=status, headers={"X-Key": KEY} if in_header else {})

    return here(Step(f"echoes with {status}", act))


@pytest.mark.parametrize(
    ("step", "level"),
    [
        (echoes(200), logging.DEBUG),
        (echoes(401), logging.DEBUG),
        (echoes(500), logging.DEBUG),
        # The client itself logs the headers of answers at its lowest level; we send none of those.
        (echoes(401, in_header=True), logging.INFO),
        (echoes(500, in_header=True), logging.INFO),
        (sends(KEY.encode(), status=418), logging.DEBUG),
        (hangs_up(), logging.DEBUG),
        (stalls("middle"), logging.DEBUG),
        (floods(10**6), logging.DEBUG),
    ],
)
async def test_no_failure_shows_the_key(step: Step, level: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(level)
    async with (
        ScriptedServer(forever=here(step)) as server,
        embedder_at(server, request_timeout=0.05, max_answer=10_000) as embedder,
    ):
        with pytest.raises(RemanentError) as caught:
            await embedder.embed(["a"])
        shown = [repr(embedder), repr(vars(embedder)), repr(embedder._api), str(embedder._settings)]
    error = caught.value
    shown += [*traceback.format_exception(error), repr(error), str(error.args), repr(vars(error))]
    shown += [caplog.text, *(repr(record.__dict__) for record in caplog.records)]
    assert [text for text in shown if KEY in text] == []


@pytest.mark.parametrize("missing", ["base_url", "name", "dimension"])
def test_what_must_be_set_is_named(missing: str) -> None:
    given = {"base_url": "http://localhost:1/v1", "name": "m", "dimension": 3}
    del given[missing]
    with pytest.raises(InvalidSettings, match=rf"embedding\.{missing}"):
        open_embedder("http", embedding=EmbeddingSettings.model_validate(given))


async def test_a_memory_remembers_and_recalls_by_the_api_and_by_words_when_it_fails(tmp_path: Any) -> None:
    def meaning(texts: list[str]) -> list[list[float]]:
        return [[float("cat" in text or "feline" in text), 1.0, 0.0] for text in texts]

    async with ScriptedServer(forever=embeds(meaning)) as server:
        embedding = {"base_url": server.base_url, "name": "m", "dimension": 3, "attempts": 1}
        async with aopen(tmp_path, embedder="http", embedding=embedding) as memory:
            await memory.agent("ada").remember(["The cat sleeps.", "Rain falls on the roof."])
            await memory.settle()
            found = await memory.agent("ada").recall("feline")
            assert "cat" in found.items[0].text
    async with aopen(tmp_path, embedder="http", embedding=embedding) as memory:
        found = await memory.agent("ada").recall("rain")
        assert "Rain" in found.items[0].text
