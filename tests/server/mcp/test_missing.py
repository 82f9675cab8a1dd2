"""Without the protocol's SDK, an extra, everything else works and `remanent mcp` says what to install."""

from pathlib import Path

import httpx2
import pytest

from remanent.cli.screen import Terminal
from remanent.cli.serving import _announce
from remanent.errors import MissingDependency
from remanent.memory import aopen
from remanent.operations import Service
from remanent.server import mcp
from remanent.server.app import create_app
from remanent.settings import load_settings


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    assert not mcp.is_installed()
    with pytest.raises(MissingDependency, match=r"pip install 'remanent\[mcp\]'"):
        mcp.require()


def test_nothing_is_missing_where_it_is_installed() -> None:
    mcp.require()


async def test_a_server_without_it_announces_none_and_says_at_the_address_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    settings = load_settings(home=tmp_path / "none")
    for as_json in (False, True):
        _announce(
            Terminal(as_json=as_json, language="en"), settings, "http://127.0.0.1:8765", is_open=True, sample=True
        )
    told = capsys.readouterr().out
    assert "8765/mcp" not in told
    assert mcp.INSTALL in told
    async with aopen(tmp_path / "home", embedder="none") as memory, Service(memory) as service:
        transport = httpx2.ASGITransport(app=create_app(service), client=("127.0.0.1", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            for language, note, refusal in (
                ("en", f"not installed yet: {mcp.INSTALL}", mcp.MISSING),
                ("zh", f"尚未安装：{mcp.INSTALL}", f"使用 MCP 需要其 SDK：{mcp.INSTALL}"),
            ):
                headers = {"accept-language": language}
                assert note in (await http.get("/", headers=headers)).text
                refused = await http.post("/mcp", json={}, headers=headers)
                assert (refused.status_code, refused.json()["detail"]) == (404, refusal)
