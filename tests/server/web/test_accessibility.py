"""Every page can be used by everybody: axe finds nothing, in both themes and both languages."""

from pathlib import Path

import axe_playwright_python
import pytest

from tests.server.web.conftest import PLACE, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PAGES = ("memory", "ask?q=Lisbon", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin")


@pytest.mark.parametrize(("language", "theme"), [("en-US", "light"), ("zh-CN", "dark")])
async def test_axe_finds_nothing_on_any_page(window: OpenWindow, language: str, theme: str) -> None:
    shown = await window(language=language, theme=theme)
    await shown.say("The flat is in Lisbon.", "The cat is called Mog.", tags=["home"], session="moving")
    await shown.served.http.post(
        "/v1/orgs/acme/workspaces/lab/agents/ada/associative/remember", json={"messages": ["The flat is in Lisbon."]}
    )
    await shown.served.service.memory.settle()
    listed = (await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/ada/records")).json()["items"]
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
