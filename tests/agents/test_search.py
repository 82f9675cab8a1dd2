"""The tool `search`: Serper's API, spoken over real HTTP by a server that knows its form; and the one without a key."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue, SecretStr

from remanent.agents.search import SearchableText, SerperSearch, TextSearch, Visit
from remanent.agents.tools import AgentTool
from remanent.errors import AddressRefused, InvalidInput, ToolFailed
from remanent.http.public import PublicFetcher
from remanent.model import Origin
from remanent.settings import ReaderSettings, SearchSettings
from remanent.text.terms import index_terms
from tests.http.site import Site, page
from tests.http.test_public import LITERALS, OUTER, RESOLVED, WHOLE
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, answers_with, fails, sends

SERPER_KEY = "canary-7d0e5"
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
    chosen = SearchSettings(base_url=server.origin, api_key=SecretStr(SERPER_KEY), **settings)
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
    assert request.headers["x-api-key"] == SERPER_KEY
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
        ([fails(403, body={"message": f"Unauthorized {SERPER_KEY}"})], r"403.*search\.api_key"),
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
    assert SERPER_KEY not in str(caught.value)


async def test_an_overloaded_search_is_tried_again() -> None:
    steps = [at_search(fails(429)), at_search(answers_with(ANSWER))]
    async with ScriptedServer(*steps) as server, search_at(server) as tool:
        assert "1932" in (await tool.call({"query": "bridge"})).text


# ── without a key ──

TEXTS = [
    SearchableText("e1", "The Harbour Bridge was opened in 1932.\n\n" + "Nothing of note happened. " * 200, "context"),
    SearchableText("e2", "青山大桥于1987年通车，全长一千二百米。"),
]


@pytest.mark.spec("BANK-25")
@pytest.mark.parametrize(("query", "found"), [("when was the bridge opened", "e1"), ("青山大桥 通车", "e2")])
async def test_without_a_key_what_was_given_is_searched(query: str, found: str) -> None:
    tool = TextSearch(lambda: TEXTS)
    output = await tool.call({"query": query})
    assert output.text.splitlines()[1].startswith(f"1. [{found}]")
    assert output.metadata["found"] == [found]
    assert (tool.origin, tool.declaration) == (Origin.TOOL, SerperSearch.declaration)


async def test_a_text_that_came_later_is_found_and_one_that_changed_is_read_again() -> None:
    texts: list[SearchableText] = []
    tool = TextSearch(lambda: texts)
    assert "没有结果" in (await tool.call({"query": "zebra"})).text
    texts.append(SearchableText("e3", "A zebra has stripes."))
    assert "stripes" in (await tool.call({"query": "zebra"})).text
    texts[0] = SearchableText("e3", "A zebra has hooves.")
    assert "stripes" not in (await tool.call({"query": "zebra"})).text
    texts.clear()
    assert "没有结果" in (await tool.call({"query": "zebra"})).text


async def test_the_words_of_texts_that_did_not_change_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def count(text: str) -> list[str]:
        counted.append(text)
        return index_terms(text)

    monkeypatch.setattr("remanent.agents.search.index_terms", count)
    texts = [*TEXTS]
    tool = TextSearch(lambda: texts)
    await tool.call({"query": "bridge"})
    assert counted
    counted.clear()
    texts.append(SearchableText("e3", "A zebra has stripes."))
    await tool.call({"query": ["bridge", "zebra"]})
    assert counted == ["A zebra has stripes."]


JINA_KEY = "canary-1b9c2"
READ = {
    "code": 200,
    "status": 20000,
    "data": {"title": "The bridge", "url": "https://a.example/", "content": "It was opened in 1932.", "usage": {}},
}


async def everywhere(host: str, port: int) -> Sequence[str]:
    """A resolver for which every name is a public site, on this machine."""
    return ["127.0.0.1"]


def outer() -> PublicFetcher:
    return PublicFetcher(resolver=everywhere, allowed=lambda address: address == OUTER)


@asynccontextmanager
async def visit_through(
    server: ScriptedServer, *, fetcher: PublicFetcher | None = None, **settings: Any
) -> AsyncIterator[Visit]:
    chosen = ReaderSettings(base_url=server.origin, api_key=SecretStr(JINA_KEY), **settings)
    tool = Visit(chosen, fetcher=fetcher or outer(), sleep=no_wait)
    try:
        yield tool
    finally:
        await tool.close()


def at_reader(step: Step) -> Step:
    return replace(step, paths=("/",))


@pytest.mark.spec("BANK-25")
async def test_a_page_is_read_through_jina_in_the_form_of_its_api() -> None:
    async with ScriptedServer(at_reader(answers_with(READ))) as server, visit_through(server) as tool:
        output = await tool.call({"url": "https://a.example/#top"})
        (request,) = server.requests
    assert isinstance(tool, AgentTool)
    assert (request.method, request.body) == ("POST", {"url": "https://a.example/"})
    assert (request.headers["authorization"], request.headers["accept"]) == (f"Bearer {JINA_KEY}", "application/json")
    assert output.text == "The bridge\nhttps://a.example/#top\n\nIt was opened in 1932."
    assert tool.origin is Origin.WEB


@pytest.mark.spec("BANK-25")
async def test_neither_jina_nor_anybody_else_is_asked_for_a_private_address() -> None:
    vectors = 0
    async with ScriptedServer() as server, Site({"/": page("secret")}) as site:
        for mode in ("jina", "direct"):
            async with visit_through(server, mode=mode, fetcher=PublicFetcher(resolver=everywhere)) as tool:
                urls = [f"http://{host}:{site.port}/" for host in LITERALS]
                urls += [url.format(port=site.port) for url in WHOLE]
                urls.append(f"http://public.example:{site.port}/")
                for url in urls:
                    with pytest.raises((AddressRefused, InvalidInput)):
                        await tool.call({"url": url})
                    vectors += 1
        assert (server.requests, site.connections) == ([], 0)
    assert vectors >= 60
    assert RESOLVED


@pytest.mark.spec("BANK-25")
async def test_without_a_key_pages_are_read_by_ourselves() -> None:
    html = "<title>Bridge</title><script>x</script><p>Opened in 1932.</p>"
    async with Site({"/": page(html), "/t": page("plain", media_type="text/plain")}) as site:
        tool = Visit(ReaderSettings(), fetcher=outer())
        url = f"http://public.example:{site.port}"
        read = await tool.call({"url": f"{url}/"})
        assert (read.text, read.metadata["title"]) == (f"Bridge\n{url}/\n\nOpened in 1932.", "Bridge")
        assert (await tool.call({"url": f"{url}/t"})).text == f"{url}/t\n\nplain"
        await tool.close()


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (page("\0\1", media_type="application/octet-stream"), "cannot be read as a page"),
        (page("<script>only</script>"), "has no text"),
        (page("x", media_type="text/plain; charset=klingon"), ""),
    ],
)
async def test_what_is_no_page_is_told(answer: bytes, complaint: str) -> None:
    async with Site({"/": answer}) as site:
        tool = Visit(ReaderSettings(), fetcher=outer())
        url = f"http://public.example:{site.port}/"
        if complaint:
            with pytest.raises(ToolFailed, match=complaint):
                await tool.call({"url": url})
        else:
            assert (await tool.call({"url": url})).text.endswith("x")
        await tool.close()


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ([fails(401, body={"message": f"bad key {JINA_KEY}"})], r"401.*reader\.api_key"),
        ([fails(422, body={"code": 422, "message": "no such page"})], "no such page"),
        ([fails(503), fails(503)], "503"),
        ([sends(b"not json")], "cannot be read"),
        ([answers_with({"data": None})], "cannot be read"),
        ([answers_with({"data": {"content": "  "}})], "has no text"),
    ],
)
async def test_what_goes_wrong_at_jina_is_told_without_the_key(steps: list[Step], complaint: str) -> None:
    async with ScriptedServer(*map(at_reader, steps)) as server, visit_through(server) as tool:
        with pytest.raises(ToolFailed, match=complaint) as caught:
            await tool.call({"url": "https://a.example/"})
    assert JINA_KEY not in str(caught.value)


@pytest.mark.parametrize("arguments", [{}, {"url": ""}, {"url": 7}, {"url": None}])
async def test_a_call_without_an_address_is_refused(arguments: dict[str, JsonValue]) -> None:
    tool = Visit(ReaderSettings())
    with pytest.raises(InvalidInput, match="visit needs"):
        await tool.call(arguments)
    await tool.close()
