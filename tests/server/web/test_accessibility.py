"""Every page can be used by everybody: axe finds nothing, in both themes and both languages."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest

from remanent.cli.sample import SampleWriter
from tests.server.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PLACE = "/org/default/ws/sample"
PAGES = ("memory", "ask?q=Lisbon", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings")


ALL_RULES, COLOURS = "{}", "{runOnly: ['color-contrast', 'link-in-text-block']}"
"""A theme changes nothing but colours: what holds of everything else in one theme holds in the other."""


@pytest.mark.parametrize(
    ("language", "themes", "width"), [("en-US", ("light", "dark"), 1200), ("zh-CN", ("dark", "light"), 360)]
)
async def test_axe_finds_nothing_on_any_page(
    window: OpenWindow, language: str, themes: tuple[Literal["light", "dark"], ...], width: int
) -> None:
    shown = await window(language=language, theme=themes[0], width=width)
    await SampleWriter(shown.served.service, "default", datetime.now(UTC)).fill()
    listed = (await shown.served.http.get("/v1/orgs/default/workspaces/sample/agents/ada/records")).json()["items"]
    wrong: dict[str, list[str]] = {}
    inside = [f"{PLACE}/{page}{'&' if '?' in page else '?'}agent=ada" for page in (*PAGES, f"record/{listed[0]['id']}")]
    for page in (*inside, "/"):
        await shown.page.emulate_media(color_scheme=themes[0])
        await shown.open(page)
        await shown.page.evaluate(AXE)
        for theme, rules in zip(themes, (ALL_RULES, COLOURS), strict=True):
            await shown.page.emulate_media(color_scheme=theme)
            background = await shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (max(map(int, re.findall(r"\d+", background)[:3])) < 128) is (theme == "dark"), background
            found = await shown.page.evaluate(f"axe.run(document, {rules})")
            wrong[f"{page}, {theme}"] = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]
    assert {page: listed for page, listed in wrong.items() if listed} == {}
