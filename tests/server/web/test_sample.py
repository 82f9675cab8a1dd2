"""The first impression: every page over the sample workspace has something to show, in both languages."""

import re
from datetime import UTC, datetime

import pytest
from playwright.async_api import expect

from remanent.cli.demo import BANK, QUESTION, SampleWriter
from tests.server.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")
PLACE = "/org/default/ws/sample"


@pytest.mark.spec("UI-01")
@pytest.mark.spec("UI-04")
async def test_no_page_is_empty_and_no_figure_that_should_count_is_zero(window: OpenWindow) -> None:
    shown = await window(width=1280)
    await SampleWriter(shown.served.service, "default", datetime.now(UTC)).fill()
    page = shown.page
    await shown.open("/")
    for agent in ("ada", "lin"):
        await expect(page.locator("a.panel").filter(has_text=agent)).to_contain_text("journal entries")
    await shown.open(f"{PLACE}/memory?agent=ada")
    for label in ("Memories", "Mean confidence", "Conflicts", "Outdated premise"):
        figure = page.locator(".figure").filter(has=page.get_by_text(label, exact=True))
        await expect(figure.locator("b")).to_have_text(re.compile(r"^[1-9]"))
    await page.get_by_role("button", name="Outdated premise").click()
    await expect(page.get_by_role("dialog")).to_contain_text("working from the library")
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    for tab in ("All", "Semantic", "Episodic", "Procedural", "Shared", "Knowledge", "Short-term", "Turns"):
        await page.get_by_role("tab", name=tab, exact=True).click()
        await expect(page.locator("article.card").first).to_be_visible()
    await page.get_by_role("tab", name="Task banks").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text(BANK)
    await page.get_by_role("tab", name="Short-term").click()
    await expect(page.locator("article.card").first).to_contain_text("left")
    await shown.open(f"{PLACE}/ask?agent=ada&q={QUESTION}")
    await expect(page.locator("article.card").first).to_contain_text("Clara lives in")
    for name, wanted in {
        "conflicts": "Bremen", "timeline": "Turns by the day", "knowledge": "house-rules.md", "shared": "ADR-003",
        "runs": "Insight Doc", "admin": "bank.run", "settings": "embedder",
    }.items():  # fmt: skip
        await shown.open(f"{PLACE}/{name}?agent=ada")
        await expect(page.locator("main")).to_contain_text(wanted)
    await shown.open(f"{PLACE}/graph?agent=ada")
    await expect(page.get_by_text("Forgotten: 2")).to_be_visible()
    await shown.open(f"{PLACE}/runs?agent=ada&bank={BANK}")
    canvas = page.get_by_role("img", name="Query Graph")
    await expect(canvas).to_have_attribute("data-drawn", re.compile("[1-9]"))
    drawn = await canvas.get_attribute("data-drawn")
    await page.get_by_role("slider").fill("0")
    await expect(canvas).not_to_have_attribute("data-drawn", str(drawn))
    await page.get_by_role("slider").fill("100")
    for words, found in (("zebra crossing", 1), ("", 0)):
        await page.get_by_role("searchbox").fill(words)
        await expect(page.locator("main").get_by_text("0 found")).to_have_count(found)
    await shown.open(f"{PLACE}/timeline?agent=ada")
    await expect(page.locator(".timeline .episode").first).to_be_visible()
    await page.locator("p.k-episodic a").first.click()
    await expect(page.locator("article .badge")).to_have_text("Episodic")
    assert shown.complaints == []
