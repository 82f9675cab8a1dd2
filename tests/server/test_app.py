"""What the server says of itself, to anybody and at little cost."""

from pathlib import Path

import httpx2
import pytest

from remanent.memory import aopen
from remanent.operations import Service
from remanent.server import app as application


def never(*_: object, **__: object) -> str:
    raise AssertionError("written again")


@pytest.mark.spec("SAFE-02")
async def test_the_documentation_is_written_once_and_not_for_each_who_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        app = application.create_app(service)
        transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            first = [(await http.get(path)).status_code for path in ("/docs", "/docs?lang=zh", "/openapi.json")]
            assert first == [200, 200, 200]
            for name in ("page", "openapi", "JSONResponse"):
                monkeypatch.setattr(application, name, never)
            english, chinese = await http.get("/docs"), await http.get("/docs?lang=zh")
            assert "what the server can do" in english.text
            assert "服务器能做什么" in chinese.text
            assert "/v1/orgs/{org}/workspaces" in " ".join((await http.get("/openapi.json")).json()["paths"])


@pytest.mark.parametrize(("language", "said"), [("en", "a memory for agents"), ("zh-CN", "长期记忆")])
async def test_the_root_says_what_this_is_and_where_to_go(tmp_path: Path, language: str, said: str) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        transport = httpx2.ASGITransport(app=application.create_app(service), client=("127.0.0.1", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            plain = await http.get("/", headers={"accept-language": language})
            assert plain.headers["content-type"].startswith("text/plain")
            for wanted in (said, "/docs", "/livez", "/readyz"):
                assert wanted in plain.text
            page = await http.get("/", headers={"accept-language": language, "accept": "text/html,*/*"})
            assert said in page.text
            assert '<div id="app">' in page.text
            for address in ("/docs", "/openapi.json", "/livez", "/readyz"):
                assert (await http.get(address)).status_code == 200
