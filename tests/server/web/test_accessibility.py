"""Every page can be used by everybody: axe finds nothing, in both themes and both languages."""

from datetime import UTC, datetime
from pathlib import Path

import axe_playwright_python
import pytest

from remanent.cli.sample import SampleWriter
from tests.server.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PLACE = "/org/default/ws/sample"
PAGES = ("memory", "ask?q=Lisbon", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings")


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [("en-US", "light", 1200), ("zh-CN", "dark", 360), ("en-US", "dark", 360), ("zh-CN", "light", 1200)],
)
async def test_axe_finds_nothing_on_any_page(window: OpenWindow, language: str, theme: str, width: int) -> None:
    shown = await window(language=language, theme=theme, width=width)
    await SampleWriter(shown.served.service, "default", datetime.now(UTC)).fill()
    listed = (await shown.served.http.get("/v1/orgs/default/workspaces/sample/agents/ada/records")).json()["items"]
    wrong: dict[str, list[str]] = {}
    for page in (*PAGES, f"record/{listed[0]['id']}"):
        await shown.open(f"{PLACE}/{page}{'&' if '?' in page else '?'}agent=ada")
        await shown.page.evaluate(AXE)
        found = await shown.page.evaluate("axe.run(document)")
        wrong[page] = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]
    await shown.open("/")
    await shown.page.evaluate(AXE)
    found = await shown.page.evaluate("axe.run(document)")
    wrong["/"] = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]
    assert {page: listed for page, listed in wrong.items() if listed} == {}
