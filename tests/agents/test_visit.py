"""The tool `visit`: Jina Reader's API over real HTTP, pages read by ourselves, and the doors that stay shut."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue, SecretStr

from remanent.agents import AgentTool
from remanent.agents.visit import Visit
from remanent.errors import AddressRefused, InvalidInput, ToolFailed
from remanent.http.public import PublicFetcher
from remanent.model import Origin
from remanent.settings import ReaderSettings
from tests.http.site import Site, page
from tests.http.test_public import LITERALS, OUTER, RESOLVED, WHOLE
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, answers_with, fails, sends

KEY = "canary-1b9c2"
READ = {
    "code": 200,
    "status": 20000,
    "data": {"title": "The bridge", "url": "https://a.example/", "content": "It was opened in 1932.", "usage": {}},
}


async def no_wait(seconds: float) -> None:
    del seconds


async def everywhere(host: str, port: int) -> Sequence[str]:
    """A resolver for which every name is a public site, on this machine."""
    return ["127.0.0.1"]


def outer() -> PublicFetcher:
    return PublicFetcher(resolver=everywhere, allowed=lambda address: address == OUTER)


@asynccontextmanager
async def visit_through(
    server: ScriptedServer, *, fetcher: PublicFetcher | None = None, **settings: Any
) -> AsyncIterator[Visit]:
    chosen = ReaderSettings(base_url=server.origin, api_key=SecretStr(KEY), **settings)
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
    assert (request.headers["authorization"], request.headers["accept"]) == (f"Bearer {KEY}", "application/json")
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
        (page("\0\1", media_type="application/octet-stream"), "not read as a page"),
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
        ([fails(401, body={"message": f"bad key {KEY}"})], r"401.*reader\.api_key"),
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
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("arguments", [{}, {"url": ""}, {"url": 7}, {"url": None}])
async def test_a_call_without_an_address_is_refused(arguments: dict[str, JsonValue]) -> None:
    tool = Visit(ReaderSettings())
    with pytest.raises(InvalidInput, match="visit needs"):
        await tool.call(arguments)
    await tool.close()
