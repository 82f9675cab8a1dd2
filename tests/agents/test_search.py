"""The tool `search`: Serper's API, spoken over real HTTP by a server that knows its form; and the one without a key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue, SecretStr

from remanent.agents import AgentTool
from remanent.agents.knowledge import KnowledgeSearch, Text
from remanent.agents.search import SerperSearch
from remanent.errors import InvalidInput, ToolFailed
from remanent.model import Origin
from remanent.settings import SearchSettings
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, answers_with, fails, sends

KEY = "canary-7d0e5"
ANSWER = {
    "searchParameters": {"q": "bridge", "type": "search", "engine": "google"},
    "answerBox": {"answer": "1932", "title": "ignored"},
    "knowledgeGraph": {"title": "Bridge", "description": "A steel arch bridge."},
    "organic": [
        {"title": "The bridge", "link": "https://a.example/1", "snippet": "Opened  in 1932.", "position": 1},
        {"title": "History", "link": "https://b.example/2", "snippet": "It took\nten years.", "date": "3 May 2020"},
    ],
    "peopleAlsoAsk": [{"question": "ignored"}],
    "credits": 1,
}


async def no_wait(seconds: float) -> None:
    del seconds


@asynccontextmanager
async def search_at(server: ScriptedServer, **settings: Any) -> AsyncIterator[SerperSearch]:
    chosen = SearchSettings(base_url=server.origin, api_key=SecretStr(KEY), **settings)
    tool = SerperSearch(chosen, sleep=no_wait)
    try:
        yield tool
    finally:
        await tool.close()


def at_search(step: Step) -> Step:
    return replace(step, paths=("/search",))


@pytest.mark.spec("BANK-25")
async def test_a_search_is_asked_and_read_in_the_form_of_the_api() -> None:
    async with ScriptedServer(at_search(answers_with(ANSWER))) as server, search_at(server, results=7) as tool:
        output = await tool.call({"query": " harbour \n bridge "})
        (request,) = server.requests
    assert isinstance(tool, AgentTool)
    assert (request.method, request.body) == ("POST", {"q": "harbour bridge", "num": 7})
    assert request.headers["x-api-key"] == KEY
    assert "authorization" not in request.headers
    assert output.text == (
        "# harbour bridge\n1932\nA steel arch bridge.\n"
        "1. The bridge\n   https://a.example/1\n   Opened in 1932.\n"
        "2. History (3 May 2020)\n   https://b.example/2\n   It took ten years."
    )
    assert output.metadata["links"] == ["https://a.example/1", "https://b.example/2"]
    assert tool.origin is Origin.WEB


async def test_several_queries_are_searched_and_told_in_order() -> None:
    async with ScriptedServer(forever=at_search(answers_with({"organic": []}))) as server, search_at(server) as tool:
        output = await tool.call({"query": ["one", "two", "one", " "]})
        assert sorted(request.body["q"] for request in server.requests) == ["one", "two"]
    assert output.text == "# one\nno results / 没有结果\n\n# two\nno results / 没有结果"


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": 7}, {"query": [" ", None]}])
async def test_a_call_without_a_query_is_refused(arguments: dict[str, JsonValue]) -> None:
    async with ScriptedServer() as server, search_at(server) as tool:
        with pytest.raises(InvalidInput, match="search needs"):
            await tool.call(arguments)


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ([fails(403, body={"message": f"Unauthorized {KEY}"})], r"403.*search\.api_key"),
        ([fails(404)], r"Check search\.base_url$"),
        ([fails(500), fails(502), fails(503)], "503"),
        ([sends(b"<html>")], "cannot be read"),
        ([answers_with({"organic": {"title": 1}})], "cannot be read"),
        ([answers_with([])], "cannot be read"),
        ([sends(b"[" * 100_000)], "cannot be read"),
    ],
)
async def test_what_goes_wrong_is_told_without_the_key(steps: list[Step], complaint: str) -> None:
    async with ScriptedServer(*map(at_search, steps)) as server, search_at(server) as tool:
        with pytest.raises(ToolFailed, match=complaint) as caught:
            await tool.call({"query": "bridge"})
    assert KEY not in str(caught.value)


async def test_an_overloaded_search_is_tried_again() -> None:
    steps = [at_search(fails(429)), at_search(answers_with(ANSWER))]
    async with ScriptedServer(*steps) as server, search_at(server) as tool:
        assert "1932" in (await tool.call({"query": "bridge"})).text


# ── without a key ──

TEXTS = [
    Text("e1", "The Harbour Bridge was opened in 1932.\n\n" + "Nothing of note happened. " * 200, "context"),
    Text("e2", "青山大桥于1987年通车，全长一千二百米。"),
]


@pytest.mark.spec("BANK-25")
@pytest.mark.parametrize(("query", "found"), [("when was the bridge opened", "e1"), ("青山大桥 通车", "e2")])
async def test_without_a_key_what_was_given_is_searched(query: str, found: str) -> None:
    tool = KnowledgeSearch(lambda: TEXTS)
    output = await tool.call({"query": query})
    assert output.text.splitlines()[1].startswith(f"1. [{found}]")
    assert output.metadata["found"] == [found]
    assert (tool.origin, tool.declaration) == (Origin.TOOL, SerperSearch.declaration)


async def test_a_text_that_came_later_is_found_and_one_that_changed_is_read_again() -> None:
    texts: list[Text] = []
    tool = KnowledgeSearch(lambda: texts)
    assert "没有结果" in (await tool.call({"query": "zebra"})).text
    texts.append(Text("e3", "A zebra has stripes."))
    assert "stripes" in (await tool.call({"query": "zebra"})).text
    texts[0] = Text("e3", "A zebra has hooves.")
    assert "stripes" not in (await tool.call({"query": "zebra"})).text
