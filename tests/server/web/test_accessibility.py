"""Every page can be used by everybody: axe finds nothing, in both themes and both languages."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest
from playwright.async_api import Page, expect

from remanent.cli.demo import SampleWriter
from tests.server.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PLACE = "/org/default/ws/sample"
PAGES = ("memory", "ask?q=Lisbon", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings")


ALL_RULES, COLOURS = "{resultTypes}", "{resultTypes, runOnly: ['color-contrast', 'link-in-text-block']}"
"""A theme changes nothing but colours: what holds of everything else in one theme holds in the other."""
LOOK = """async () => {
  const resultTypes = ["violations"];  // what passed is every element of the page, and nobody reads it
  const found = await axe.run(document, RULES);
  return found.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`);
}"""


THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = {"en": (1200, THEMES), "zh-CN": (360, THEMES[::-1])}
"""Each language at a width of its own; everything is looked at in the first theme, colours in the second, too."""


async def test_axe_finds_nothing_on_any_page_in_either_language_and_theme(window: OpenWindow) -> None:
    shown = await window(language="en-US")
    await SampleWriter(shown.served.service, "default", datetime.now(UTC)).fill()
    listed = (await shown.served.http.get("/v1/orgs/default/workspaces/sample/agents/ada/records")).json()["items"]
    wrong: dict[str, list[str]] = {}
    inside = [f"{PLACE}/{page}{'&' if '?' in page else '?'}agent=ada" for page in (*PAGES, f"record/{listed[0]['id']}")]
    for address in (*inside, "/"):
        await shown.open(address)
        if (
            "/settings" in address
        ):  # hundreds of rows of three sorts, which took two fifths of all the time: some of each
            await shown.page.get_by_role("searchbox").fill("folder")
            for sort in ("home", "secrets", "seal_key"):
                await expect(shown.page.get_by_role("row").filter(has_text=sort).first).to_be_visible()
        await shown.page.evaluate(AXE)
        spoken = set()
        for _ in LOOKS:  # in the language that the page before was left in, then in the other
            language = await shown.page.evaluate("document.documentElement.lang")
            spoken.add(language)
            for where, found in await _violations(shown.page, language):
                wrong[f"{address}, {where}"] = found
            await shown.page.locator("header.top button[lang]").click()
            await expect(shown.page.locator("html")).not_to_have_attribute("lang", language)
        assert spoken == set(LOOKS)
    assert {page: found for page, found in wrong.items() if found} == {}


async def _violations(page: Page, language: str) -> list[tuple[str, list[str]]]:
    """Return what axe finds on the page as it is, in both themes at the width of its language."""
    width, themes = LOOKS[language]
    await page.set_viewport_size({"width": width, "height": 900})
    seen = []
    for theme, rules in zip(themes, (ALL_RULES, COLOURS), strict=True):
        await page.emulate_media(color_scheme=theme)
        background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (max(map(int, re.findall(r"\d+", background)[:3])) < 128) is (theme == "dark"), background
        seen.append((f"{language}, {theme}", await page.evaluate(LOOK.replace("RULES", rules))))
    return seen
