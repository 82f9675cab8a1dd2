"""The pages as a person meets them, in a real browser at a real server."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Request, Route, expect

from remanent.operations import ProgressStep, Report, Run, Target
from tests.server.rest.conftest import running
from tests.server.web.conftest import PLACE, OpenWindow
from tests.servers import free_port

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def collect(runs: AsyncIterator[Run]) -> list[Run]:
    return [run async for run in runs]


TABS_EN = ["All", "Semantic", "Episodic", "Procedural", "Shared", "Knowledge"]
TABS_ZH = ["全部记忆", "语义记忆", "情景记忆", "程序记忆", "共享记忆", "知识库"]


@pytest.mark.spec("UI-01")
@pytest.mark.parametrize(("language", "tabs"), [("en-US", TABS_EN), ("zh-CN", TABS_ZH)])
async def test_the_memory_page_has_the_tabs_of_the_design_in_both_languages(
    window: OpenWindow, language: str, tabs: list[str]
) -> None:
    shown = await window(language=language)
    await shown.say("I live in Lisbon.")
    await shown.open(f"{PLACE}/memory")
    await expect(shown.page.get_by_role("tab")).to_contain_text([*tabs, re.compile(".")], use_inner_text=True)
    links = await shown.page.locator("nav.side a").all_inner_texts()
    assert ("图谱" if language == "zh-CN" else "Graph") in links
    assert ("任务运行" if language == "zh-CN" else "Runs") in links
    assert shown.complaints == []
    assert shown.foreign == []


async def test_what_counts_all_of_the_memory_is_asked_for_after_the_cards_are_there(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    asked: list[str] = []
    shown.page.on("request", lambda request: asked.append(request.url.partition("/agents/ada/")[2]))
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await shown.page.route("**/agents/ada/records?*", hold)
    await shown.page.goto(f"{shown.served.url}{PLACE}/memory?agent=ada")
    await expect(shown.page.locator(".figure").first).to_contain_text("…")
    assert [one for one in asked if "health" in one or "queue" in one] == []
    held.set()
    await expect(shown.page.locator("article.card").first).to_be_visible()
    await expect(shown.page.locator(".figure").first).not_to_contain_text("…")
    # Every page and reference of a file is examined on the page of administration, not whenever somebody looks.
    assert [one for one in asked if "health" in one] == ["memories/health", "health?quick=true"]


async def test_typing_finds_by_words_at_once_and_a_pause_searches_in_full(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.")
    await shown.open(f"{PLACE}/memory?agent=ada")
    recipes: list[str | None] = []

    def note(request: Request) -> None:
        if request.url.endswith("/recall"):
            recipes.append(json.loads(request.post_data or "{}").get("recipe"))

    shown.page.on("request", note)
    async with shown.page.expect_response(
        lambda answer: answer.url.endswith("/recall") and "recipe" not in (answer.request.post_data or "")
    ):
        await shown.page.get_by_role("searchbox").fill("where is the flat?")
    assert recipes == ["words", None]
    await expect(shown.page.locator("article.card").first).to_contain_text("Lisbon")


async def test_a_graph_is_read_and_drawn_by_a_worker_and_never_by_the_page_itself(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    lines = []
    for node in range(40):
        lines += [
            f"<node:n{node}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <memory:Node> .",
            f'<node:n{node}> <memory:content> "Thing {node} of the year." .',
            f'<node:n{node}> <memory:createdAt> "{1_700_000_000_000 + node}" .',
        ]
    loaded = await shown.served.http.post(
        "/v1/orgs/acme/workspaces/lab/agents/ada/associative/triples",
        content="\n".join(lines),
        headers={"content-type": "application/n-triples"},
    )
    assert loaded.status_code == 200, loaded.text
    # Thousands of lines take half a second to draw where no graphics card helps, and some tenths to read: no page may
    # wait for that.
    await shown.page.add_init_script(
        "window.__pens = 0; const given = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (...asked) {"
        " window.__pens++; return given.apply(this, asked); };"
        "window.__texts = []; const text = Response.prototype.text;"
        "Response.prototype.text = function () { window.__texts.push(this.url); return text.call(this); };"
    )
    await shown.open(f"{PLACE}/graph?agent=ada")
    canvas = shown.page.locator("canvas")
    await expect(canvas).to_have_attribute("data-drawn", "40")
    await shown.page.get_by_role("slider").fill("50")
    await expect(canvas).to_have_attribute("data-drawn", "20")
    assert await shown.page.evaluate("window.__pens") == 0
    texts = await shown.page.evaluate("window.__texts")
    assert [url for url in texts if url.endswith("/associative/state")] != []
    assert [url for url in texts if url.endswith("/associative/triples")] == []
    await shown.page.get_by_text("Nodes", exact=True).click()
    await shown.page.get_by_role("button", name="Thing 3 of the year.").click()
    await expect(shown.page.get_by_role("heading", name="Thing 3 of the year.")).to_be_visible()
    assert shown.complaints == []


async def test_tabs_are_walked_with_the_arrow_keys(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    await shown.open(f"{PLACE}/memory")
    await shown.page.get_by_role("tab", name="All").focus()
    await shown.page.keyboard.press("ArrowRight")
    await expect(shown.page.get_by_role("tab", name="Semantic")).to_have_attribute("aria-selected", "true")
    await expect(shown.page.get_by_role("tab", name="Semantic")).to_be_focused()


@pytest.mark.spec("UI-02")
async def test_search_takes_words_tags_and_a_range_of_time(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.", tags=["home"], occurred_at="2026-03-01T10:00:00Z")
    await shown.say("The office is in Porto.", tags=["work"], occurred_at="2026-05-01T10:00:00Z")
    await shown.open(f"{PLACE}/memory")
    cards = shown.page.locator("article.card")
    await expect(cards).to_have_count(2)
    await shown.page.get_by_role("searchbox").fill("where is the flat?")
    await expect(cards.first).to_contain_text("Lisbon")
    await shown.page.get_by_role("searchbox").fill("")
    await shown.page.get_by_label("Tags").fill("work")
    await expect(cards).to_have_count(1)
    await expect(cards.first).to_contain_text("Porto")
    await shown.page.get_by_label("Tags").fill("")
    await shown.page.get_by_label("To", exact=True).fill("2026-04-01")
    await expect(cards).to_have_count(1)
    await expect(cards.first).to_contain_text("Lisbon")


@pytest.mark.spec("UI-03")
@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en-US", ["Confidence: 100%", "Source: 1 turn", "Agent: ada", "Tags: home", "Delete"]),
        ("zh-CN", ["置信度: 100%", "来源: 1次对话", "Agent: ada", "标签: home", "删除"]),
    ],
)
async def test_a_card_says_what_the_design_asks_for(window: OpenWindow, language: str, wanted: list[str]) -> None:
    shown = await window(language=language)
    await shown.say("The flat is in Lisbon. " * 30, tags=["home"])
    await shown.open(f"{PLACE}/memory")
    card = shown.page.locator("article.card").first
    for text in wanted:
        await expect(card).to_contain_text(text)
    lines = await card.locator(".body").evaluate(
        "node => node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
    )
    assert lines < 2.2
    assert await card.locator("time").get_attribute("title")
    assert await card.locator("svg").count() == 1


@pytest.mark.spec("UI-03")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_each_kind_has_the_colour_of_the_design(window: OpenWindow, theme: str) -> None:
    shown = await window(theme=theme)
    await shown.open("/")
    hues = {}
    for kind in ("semantic", "episodic", "procedural", "shared"):
        value = await shown.page.evaluate(
            "kind => getComputedStyle(document.documentElement).getPropertyValue(`--${kind}`).trim()", kind
        )
        red, green, blue = (int(value[at : at + 2], 16) for at in (1, 3, 5))
        hues[kind] = next(
            hue
            for hue, holds in {
                "purple": blue > red > green,
                "blue": blue > green > red,
                "green": green > blue > red,
                "amber": red > green > blue,
                "another": True,
            }.items()
            if holds
        )
    assert hues == {"semantic": "purple", "episodic": "blue", "procedural": "green", "shared": "amber"}


async def test_what_is_deleted_can_be_brought_back(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.")
    await shown.open(f"{PLACE}/memory")
    cards = shown.page.locator("article.card")
    await cards.first.get_by_role("button", name="Delete").click()
    await expect(cards).to_have_count(0)
    await shown.page.get_by_role("button", name="Undo").click()
    await expect(cards).to_have_count(1)
    found = await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/ada/records", params={"kinds": "turn"})
    assert [record["status"] for record in found.json()["items"]] == ["active"]


async def test_a_memory_is_shown_with_the_words_it_came_from_and_erased_after_asking_twice(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello there.", "𝒳 The flat is in Lisbon.", "It is on the third floor.", session="moving")
    await shown.open(f"{PLACE}/memory")
    await shown.page.get_by_role("link", name="The flat is in Lisbon").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_contain_text("The flat is in Lisbon")
    await expect(shown.page.locator("mark")).to_have_text("𝒳 The flat is in Lisbon.")
    await expect(shown.page.locator(".turn")).to_have_count(3)
    await shown.page.get_by_role("button", name="Erase for good").click()
    dialog = shown.page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Erase for good")).to_be_disabled()
    await dialog.get_by_role("textbox").fill("ERASE")
    await dialog.get_by_role("button", name="Erase for good").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text("Memory")
    left = await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/ada/records", params={"kinds": "turn"})
    assert "Lisbon" not in left.text
    assert "third floor" in left.text


async def test_a_question_shows_what_an_agent_would_be_given(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.", "The cat is called Mog.")
    await shown.open(f"{PLACE}/ask?agent=ada")
    await shown.page.get_by_role("searchbox").fill("Where is the flat in Lisbon?")
    await shown.page.get_by_role("button", name="Ask").click()
    await expect(shown.page.locator("article.card").first).to_contain_text("Lisbon")
    asked = await shown.served.http.post(
        "/v1/orgs/acme/workspaces/lab/agents/ada/recall", json={"query": "Where is the flat in Lisbon?", "limit": 10}
    )
    assert await shown.page.locator("pre").inner_text() == asked.json()["injection"]["text"]


async def test_a_lost_connection_is_told_and_loses_nothing_that_was_typed(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.")
    await shown.open(f"{PLACE}/memory")
    await shown.page.context.set_offline(True)
    await shown.page.get_by_role("searchbox").fill("flat")
    await expect(shown.page.get_by_role("alert")).to_contain_text("cannot be reached")
    await shown.page.context.set_offline(False)
    await shown.page.get_by_role("button", name="Try again").click()
    await expect(shown.page.locator("article.card").first).to_contain_text("Lisbon")
    await expect(shown.page.get_by_role("searchbox")).to_have_value("flat")


async def test_who_sits_before_a_page_whose_server_was_stopped_is_told_and_goes_on_when_it_is_back(
    window: OpenWindow, tmp_path: Path
) -> None:
    home, port = tmp_path / "another", free_port()
    async with running(home, port=port) as served:
        shown = await window(at=served)
        await shown.say("I live in Lisbon.")
        page = shown.page
        await shown.open(f"{PLACE}/memory?agent=ada&tab=semantic")
        await page.get_by_role("button", name="Edit").click()
        edited = page.get_by_role("textbox", name="Edit")
        await edited.fill("I live in Porto.")
    # Stopped: what is sent fails, a page that was not loaded yet cannot be, and what was typed stays where it is.
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("cannot be reached")
    await expect(edited).to_have_value("I live in Porto.")
    await page.keyboard.press("Escape")
    await page.get_by_role("searchbox").fill("Lisbon")
    await expect(page.get_by_role("alert")).to_contain_text("What you typed is kept")
    await page.get_by_role("link", name="Ask", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    async with running(home, port=port):
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_role("heading", name="What an agent would get")).to_be_visible()
        await page.get_by_role("link", name="Memory", exact=True).click()
        await expect(page.get_by_role("searchbox")).to_have_value("Lisbon")
        await expect(page.locator("article.card").first).to_contain_text("Lisbon")


async def test_a_newcomer_is_shown_how_to_connect_and_can_try_it(window: OpenWindow) -> None:
    shown = await window()
    await shown.open("/")
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text("Nothing is remembered yet")
    for way in ("Python", "REST", "MCP", "Proxy"):
        await expect(shown.page.get_by_role("heading", name=way)).to_be_visible()
    assert shown.served.url in await shown.page.locator("pre").first.inner_text()
    await shown.page.get_by_role("button", name="Try it").click()
    await expect(shown.page.get_by_role("status").last).to_contain_text("12th to the 15th of June")


@pytest.mark.parametrize("room", [{"width": 360}, {"width": 1200, "zoom": 2}], ids=["phone", "zoomed to 200 %"])
async def test_every_page_opens_without_a_complaint_and_asks_no_other_host(
    window: OpenWindow, room: dict[str, int]
) -> None:
    shown = await window(**room)
    await shown.say("The flat is in Lisbon.", "The cat is called Mog.")
    graph = await shown.served.http.post(
        "/v1/orgs/acme/workspaces/lab/agents/ada/associative/remember", json={"messages": ["The flat is in Lisbon."]}
    )
    assert graph.status_code == 200
    await shown.served.service.memory.settle()
    for page in ("memory", "ask", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings"):
        await shown.open(f"{PLACE}/{page}?agent=ada")
        await expect(shown.page.get_by_role("heading", level=1)).to_be_visible()
        wide = await shown.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{page} is {wide} px too wide"
    long = "a-name-of-an-agent-" * 3 + "x"
    await shown.say("The flat is in Faro.", agent=long)
    await shown.open(f"{PLACE}/memory?agent={long}")
    await expect(shown.page.get_by_role("heading", level=1)).to_be_visible()
    assert await shown.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    await shown.open("/")
    assert shown.complaints == []
    assert shown.foreign == []


_COUNT_FORMATTERS = """
window.made = 0;
for (const sort of ["DateTimeFormat", "NumberFormat", "RelativeTimeFormat"])
  Intl[sort] = new Proxy(Intl[sort], { construct(Sort, parts) { window.made++; return new Sort(...parts); } });
"""


async def test_formatters_are_made_once_however_many_cards_there_are(window: OpenWindow) -> None:
    # Each takes some milliseconds to make: for twenty cards longer than a search may take.
    shown = await window()
    await shown.say(*(f"The flat number {number} is in Lisbon." for number in range(20)))
    await shown.page.add_init_script(_COUNT_FORMATTERS)
    await shown.open(f"{PLACE}/memory?agent=ada&tab=turn")
    await expect(shown.page.locator("article.card").nth(9)).to_be_visible()
    assert 1 <= await shown.page.evaluate("window.made") <= 8


@pytest.mark.parametrize("page", ["", f"{PLACE}/memory"])
async def test_the_first_view_is_small(window: OpenWindow, page: str) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.")
    found: list[int] = []
    session = await shown.page.context.new_cdp_session(shown.page)
    await session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: found.append(int(event["encodedDataLength"])))
    await shown.open(page or "/")
    assert 0 < sum(found) <= 150_000


@pytest.mark.spec("KB-06")
async def test_documents_are_added_previewed_searched_and_removed(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge")
    await expect(shown.page.get_by_text("No documents yet.")).to_be_visible()
    harbour = b"# The harbour\n\nThe lighthouse of Vell is 48 metres high.\n\n## Ferries\n\nThe ferry leaves at noon.\n"
    await shown.page.locator("input[type=file]").set_input_files(
        [
            FilePayload(name="harbour.md", mimeType="text/markdown", buffer=harbour),
            FilePayload(name="broken.pdf", mimeType="application/pdf", buffer=b"%PDF-1.7 nothing more"),
        ]
    )
    progress = shown.page.get_by_role("status").filter(has_text="harbour.md")
    await expect(progress).to_contain_text("Added")
    await expect(progress).to_contain_text("This did not work")
    row = shown.page.get_by_role("row").filter(has_text="harbour.md")
    await expect(row).to_contain_text("Markdown")
    await expect(row).to_contain_text("Ready")
    failed = shown.page.get_by_role("row").filter(has_text="broken.pdf")
    await expect(failed).to_contain_text("cannot be read")
    await failed.get_by_role("button", name="Delete").click()
    await shown.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(failed).to_have_count(0)
    await row.get_by_role("button", name="Preview").click()
    dialog = shown.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("The lighthouse of Vell is 48 metres high.")
    await dialog.get_by_role("button", name="Close").click()
    await shown.page.get_by_role("searchbox").fill("How high is the lighthouse?")
    await shown.page.get_by_role("button", name="Search").click()
    found = shown.page.locator("article.card").first
    await expect(found).to_contain_text("48 metres")
    await expect(found).to_contain_text("harbour.md")
    await shown.page.get_by_label("Parent documents").check()
    await expect(shown.page.locator("article.card").first).to_contain_text("48 metres")
    # The fifth technique is on from the start; what each that is on brings is told.
    brought = shown.page.get_by_role("status").filter(has_text="Keywords and meaning")
    await expect(brought).to_be_visible()
    await shown.page.get_by_label("Keywords and meaning").uncheck()
    await expect(brought).to_have_count(0)
    await expect(shown.page.locator("article.card").first).to_contain_text("48 metres")
    await row.get_by_role("button", name="Delete").click()
    await shown.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(shown.page.get_by_text("No documents yet.")).to_be_visible()
    left = await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/shared/knowledge/documents")
    assert left.json()["items"] == []


async def test_no_word_of_the_table_is_broken_and_a_search_is_told_of_at_once(window: OpenWindow) -> None:
    shown = await window(width=640)
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge")
    page = shown.page
    ferries = FilePayload(name="ferries.md", mimeType="text/markdown", buffer=b"The ferry leaves at noon.")
    await page.locator("input[type=file]").set_input_files([ferries])
    sort = page.get_by_text("Markdown", exact=True)
    await expect(sort).to_be_visible()
    assert await sort.evaluate("node => node.getClientRects().length") == 1
    answered = asyncio.Event()

    async def hold(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    await page.route("**/search", hold)
    await page.get_by_role("searchbox").fill("When does the ferry leave?")
    await page.get_by_role("button", name="Search").click()
    await expect(page.get_by_text("Searching…")).to_be_visible()
    answered.set()
    await expect(page.locator("article.card").first).to_contain_text("at noon")
    await expect(page.get_by_text("Searching…")).to_have_count(0)


async def test_an_agents_documents_stand_beside_the_workspaces_and_each_says_whose_it_is(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    for owner, name in (("ada", "diary.md"), ("shared", "rules.md")):
        added = await shown.served.http.post(
            f"/v1/orgs/acme/workspaces/lab/agents/{owner}/knowledge/documents?name={name}",
            content=f"# {name}\n\nThe pier of Vell is old, says {name}.\n".encode(),
            headers={"content-type": "application/octet-stream"},
        )
        assert added.status_code == 200, added.text
    page = shown.page
    await shown.open(f"{PLACE}/knowledge?agent=ada")
    diary, rules = (page.get_by_role("row").filter(has_text=name) for name in ("diary.md", "rules.md"))
    await expect(diary).to_contain_text("ada alone")
    await expect(rules).to_contain_text("the workspace")
    await page.get_by_role("searchbox").fill("What does the diary say of the pier of Vell?")
    await page.get_by_role("button", name="Search").click()
    await page.locator("article.card").filter(has_text="says diary.md").get_by_role("button").click()
    await expect(page.get_by_role("dialog")).to_contain_text("says diary.md")
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await page.get_by_label("For").select_option("ada")
    note = FilePayload(name="note.md", mimeType="text/markdown", buffer=b"# Note\n\nMine.\n")
    await page.locator("input[type=file]").set_input_files([note])
    await expect(page.get_by_role("row").filter(has_text="note.md")).to_contain_text("ada alone")
    await diary.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(diary).to_have_count(0)
    await page.locator("header.top select").select_option("shared")
    await expect(page.get_by_role("row").filter(has_text=".md")).to_have_count(1)
    assert shown.complaints == []


@pytest.mark.spec("UI-04")
async def test_the_health_panel_leads_to_cleaning_up_and_to_conflicts(window: OpenWindow) -> None:
    shown = await window(language="zh-CN")
    await shown.say("I live in Lisbon.")
    await shown.say("I live in Porto.")
    await shown.open(f"{PLACE}/memory?agent=ada")
    panel = shown.page.locator(".figures")
    for label in ("总记忆条数", "平均置信度", "过期记忆", "冲突记忆"):
        await expect(panel).to_contain_text(label)
    await expect(panel).to_contain_text("待清理")
    await expect(panel).to_contain_text("待解决")
    health = (await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/ada/memories/health")).json()
    assert health["total"] > 0
    await expect(panel.locator(".figure", has_text="总记忆条数")).to_contain_text(str(health["total"]))
    await panel.get_by_role("button", name="过期记忆").click()
    await expect(shown.page.get_by_role("dialog")).to_contain_text("清理")
    await shown.page.get_by_role("dialog").get_by_role("button", name="取消").click()
    await panel.get_by_role("button", name="冲突记忆").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text("冲突")
    assert shown.complaints == []


@pytest.mark.spec("UI-01")
async def test_a_task_bank_is_shown_with_its_insight_its_graph_and_the_words_behind_a_node(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    body = {"task": "How high is Mount Kelt?", "context": "Mount Kelt is 3,412 metres high.", "bank_id": "kelt"}
    started = await shown.served.http.post("/v1/orgs/acme/workspaces/lab/agents/ada/banks", json=body)
    await collect(shown.served.service.runs.follow(started.json()["run_id"]))
    await shown.open(f"{PLACE}/runs?agent=ada")
    row = shown.page.get_by_role("row").filter(has_text="Work on one long task")
    await expect(row).to_contain_text("Done")
    await row.get_by_role("button", name="Open").click()
    await expect(shown.page.get_by_role("heading", name="Insight Doc")).to_be_visible()
    await expect(shown.page.locator("ol")).to_contain_text("How high is Mount Kelt?")
    await expect(shown.page.get_by_role("img", name="Query Graph")).to_be_visible()
    node = shown.page.locator("article.card").first
    await node.get_by_role("button", name="Interaction tree").click()
    await expect(node.locator("pre")).to_contain_text("3,412 metres")
    await shown.open(f"{PLACE}/memory?agent=ada&tab=bank")
    await shown.page.get_by_role("tabpanel").get_by_role("link", name="How high is Mount Kelt?").click()
    await expect(shown.page.get_by_role("heading", name="Insight Doc")).to_be_visible()
    await shown.open(f"{PLACE}/runs?agent=lin")
    row = shown.page.get_by_role("row").filter(has_text="Work on one long task")
    await expect(row).to_contain_text("ada")
    assert await shown.page.get_by_role("alert").count() == 0, "another agent's bank is not opened as one's own"
    await row.get_by_role("link", name="Open").click()
    await expect(shown.page.get_by_role("heading", name="Insight Doc")).to_be_visible()
    await shown.open(f"{PLACE}/runs?agent=ada&bank=nothing")
    await expect(shown.page.get_by_role("alert")).to_contain_text("there is no bank nothing here")
    assert [one for one in shown.complaints if "404" not in one] == []


async def test_a_run_is_followed_by_its_events_and_can_be_stopped(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    service = shown.served.service
    steps: asyncio.Queue[str] = asyncio.Queue()

    async def work(report: Report) -> object:
        while True:
            report(ProgressStep(note=await steps.get()))

    place = Target(org="acme", workspace="lab", agent="ada")
    run = await service.runs.start(service.catalogue["settle"], work, place=place)
    streams: list[str] = []
    shown.page.on("request", lambda request: streams.append(request.url) if "/events" in request.url else None)
    # While nobody looks the list is not asked for again and again, and cannot tell what the events should.
    await shown.page.add_init_script("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })")
    await shown.page.goto(f"{shown.served.url}{PLACE}/runs?agent=ada")
    row = shown.page.get_by_role("row").filter(has_text="Running")
    await expect(row).to_be_visible()
    for note in ("reading <b>page 1</b>", "reading page 2"):
        steps.put_nowait(note)
        await expect(row).to_contain_text(note)
    assert streams == [f"{shown.served.url}/v1/orgs/acme/runs/{run.run_id}/events"]
    await row.get_by_role("button", name="Stop").click()
    await expect(shown.page.get_by_role("row").filter(has_text="Stopped")).to_be_visible()
    assert (await service.runs.get(run.run_id)).state == "cancelled"
    assert shown.complaints == []


@pytest.mark.spec("KB-06")
async def test_a_large_file_goes_on_where_a_lost_connection_cut_it_off(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge")
    # Much to send and little to read: what counts here is the way to the server.
    text = f"<html><body><p>The lighthouse of Vell has 99 steps.</p><!-- {'fog ' * 2_300_000} --></body></html>"
    large = FilePayload(name="large.html", mimeType="text/html", buffer=text.encode())
    sent: list[str] = []
    lost = False

    async def cut(route: Route) -> None:
        nonlocal lost
        sent.append(route.request.url.rpartition("=")[2])
        if len(sent) == 2 and not lost:
            lost = True
            await route.abort("connectionreset")
        else:
            await route.continue_()

    await shown.page.route("**/knowledge/uploads/*?offset=*", cut)
    await shown.page.locator("input[type=file]").set_input_files([large])
    progress = shown.page.get_by_role("status").filter(has_text="large.html")
    await expect(progress).to_contain_text("cannot be reached")
    await progress.get_by_role("button", name="Try again").click()
    await expect(progress).to_contain_text("Added")
    # The first part was sent once: what had arrived was not sent again.
    assert sent == ["0", "8000000", "8000000"]
    await expect(shown.page.get_by_role("row").filter(has_text="large.html")).to_be_visible()


async def test_the_settings_are_shown_without_a_secret_and_only_to_who_runs_the_server(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/settings?agent=ada")
    rows = shown.page.get_by_role("row")
    await expect(rows.filter(has_text="seal_key")).to_contain_text("not set")
    await expect(rows.filter(has_text="embedder")).to_contain_text(["none"])
    await shown.page.get_by_role("searchbox").fill("the position the log has reached")
    await expect(rows).to_have_count(2)
    assert await shown.page.locator("main input:not([type=search]):not([type=checkbox])").count() == 0
    assert shown.complaints == []


async def test_what_was_chosen_is_there_again_when_one_comes_back_from_a_memory(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.", tags=["home"], occurred_at="2026-03-01T10:00:00Z")
    await shown.say("The office is in Porto.", tags=["work"], occurred_at="2026-05-01T10:00:00Z")
    await shown.open(f"{PLACE}/memory?agent=ada")
    await shown.page.get_by_role("tab", name="Turns").click()
    await shown.page.get_by_label("Tags").fill("work")
    cards = shown.page.locator("article.card")
    await expect(cards).to_have_count(1)
    await shown.page.get_by_role("link", name="The office is in Porto.").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text("The office is in Porto.")
    await shown.page.go_back()
    await expect(shown.page.get_by_role("tab", name="Turns")).to_have_attribute("aria-selected", "true")
    await expect(shown.page.get_by_label("Tags")).to_have_value("work")
    await expect(cards).to_have_count(1)


@pytest.mark.spec("UI-04")
async def test_a_conflict_that_was_settled_says_which_claim_was_kept_and_can_be_reopened(window: OpenWindow) -> None:
    shown = await window()
    for town, when in (("Hamburg", "2026-03-01"), ("Bremen", "2026-05-01")):
        await shown.say(f"My sister Ann lives in {town}.", occurred_at=f"{when}T12:00:00Z")
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    claims = shown.page.locator("section .two > .panel")
    # Each claim with the words that it rests on, who said them, when, and how far that is to be trusted.
    for town, month in (("Hamburg", "3"), ("Bremen", "5")):
        evidence = claims.filter(has_text=town).get_by_role("listitem")
        await expect(evidence).to_contain_text(f"“My sister Ann lives in {town}.”")
        await expect(evidence).to_contain_text("user")
        await expect(evidence).to_contain_text("said by the user")
        await expect(evidence.locator("time")).to_have_attribute("datetime", f"2026-0{month}-01T12:00:00.000Z")
    await expect(claims.filter(has_text="Bremen")).to_contain_text("Kept")
    await expect(claims.filter(has_text="Hamburg")).to_contain_text("Set aside")
    await shown.page.get_by_role("button", name="Undo").click()
    await expect(shown.page.get_by_role("heading", name="To resolve (1)")).to_be_visible()
    await shown.page.get_by_label("Merge").fill("My sister Ann lives in Hamburg and works in Bremen.")
    await shown.page.get_by_role("button", name="Merge").click()
    await expect(shown.page.get_by_role("heading", name="Resolved (1)")).to_be_visible()
    await expect(shown.page.locator("main")).to_contain_text("Hamburg and works in Bremen")


@pytest.mark.spec("UI-02")
async def test_words_are_looked_for_among_what_was_forgotten_too(window: OpenWindow) -> None:
    shown = await window()
    for text in ("The heron fishes at dawn.", "The heron sleeps at noon.", "The train leaves at six."):
        await shown.say(text)
    await shown.open(f"{PLACE}/memory?agent=ada&tab=turn")
    cards = shown.page.locator("article.card")
    await expect(cards).to_have_count(3)
    await cards.filter(has_text="dawn").get_by_role("button", name="Delete").click()
    await expect(cards).to_have_count(2)
    await shown.page.get_by_label("Status").select_option("forgotten")
    await expect(cards).to_have_count(1)
    await shown.page.get_by_role("searchbox").fill("heron")
    await expect(cards).to_have_count(1)
    await expect(cards).to_contain_text("dawn")
    await shown.page.get_by_role("searchbox").fill("train")
    await expect(cards).to_have_count(0)


@pytest.mark.spec("UI-04")
async def test_both_sides_of_a_conflict_are_kept_each_where_it_holds_and_one_can_be_chosen(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("My sister Ann lives in Hamburg.")
    await shown.say("My sister Ann lives in Bremen.")
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    await shown.page.get_by_role("button", name="Undo").click()
    both = shown.page.get_by_role("button", name="Keep both")
    await expect(both).to_be_disabled()
    for town, when in (("Hamburg", "in summer"), ("Bremen", "in winter")):
        await shown.page.locator("section .two > .panel").filter(has_text=town).get_by_role("textbox").fill(when)
    await both.click()
    await expect(shown.page.locator("section .two .tag", has_text="Kept")).to_have_count(2)
    await shown.open(f"{PLACE}/memory?agent=ada")
    for text in ("in summer: ", "in winter: "):
        await expect(shown.page.locator("main")).to_contain_text(text)
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    await shown.page.get_by_role("button", name="Undo").click()
    await shown.page.get_by_role("button", name="Keep this").first.click()
    await expect(shown.page.locator("section .two .tag", has_text="Kept")).to_have_count(1)


async def test_the_timeline_goes_from_years_to_the_turns_of_a_day_and_back(window: OpenWindow) -> None:
    shown = await window()
    for when in ("2016-03-01T10:00:00Z", "2026-05-01T10:00:00Z", "2026-05-02T10:00:00Z"):
        await shown.say(f"Said at {when}.", occurred_at=when)
    await shown.open(f"{PLACE}/timeline?agent=ada")
    bars = shown.page.locator(".timeline g")
    await expect(bars).to_have_count(2)
    for expected in ("by the month", "by the day", "by the hour"):
        await bars.last.press("Enter")
        await expect(shown.page.locator("main")).to_contain_text(expected)
    await expect(shown.page.locator(".turn")).to_have_count(1)
    await expect(shown.page.locator(".turn")).to_contain_text("2026-05-02")
    for _ in range(3):
        await shown.page.get_by_role("button", name="Zoom out").click()
    await expect(bars).to_have_count(2)


async def test_a_dropped_folder_is_looked_through_and_what_cannot_be_read_is_told(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge?agent=ada")
    # A browser makes such entries for what a person drags in; no script can make a real one.
    await shown.page.evaluate(
        """() => {
          const file = (name, text) => ({ name, isFile: true, file: (done) => done(new File([text], name)) });
          const folder = (name, inside) => ({ name, isFile: false, createReader: () => {
            const parts = [inside, []]; return { readEntries: (done) => done(parts.shift()) }; } });
          const lost = new File(["x"], "lost.md"); lost.slice = () => ({ arrayBuffer: () => Promise.reject("gone") });
          const entries = [folder("papers", [file("a.md", "The pier of Vell is old."), file(".hidden", "x"),
            folder("deep", [file("b.md", "Mount Kelt is high.")])]),
            { name: "lost.md", isFile: true, file: (done) => done(lost) }];
          const event = new Event("drop", { bubbles: true });
          event.dataTransfer = { files: [], items: entries.map((one) => ({ webkitGetAsEntry: () => one })) };
          document.querySelector(".drop").dispatchEvent(event);
        }"""
    )
    rows = shown.page.get_by_role("row")
    await expect(rows.filter(has_text="a.md")).to_be_visible()
    await expect(rows.filter(has_text="b.md")).to_be_visible()
    progress = shown.page.get_by_role("status").filter(has_text="lost.md")
    await expect(progress).to_contain_text("could not read this file")
    assert ".hidden" not in await progress.inner_text()


async def test_a_proposal_is_approved_by_whoever_sits_at_the_machine(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/shared?agent=ada")
    await shown.page.get_by_role("textbox").fill("Deploys are on Monday.")
    await shown.page.get_by_role("button", name="Propose").click()
    await shown.page.get_by_role("button", name="Approve").click()
    await expect(shown.page.get_by_role("heading", name="In force (1)")).to_be_visible()
    assert shown.complaints == []


async def test_an_error_is_told_in_the_language_of_the_page_whatever_the_browser_speaks(window: OpenWindow) -> None:
    shown = await window(language="en-US")
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/record/never-made?agent=ada&lang=zh")
    await expect(shown.page.get_by_role("alert")).to_contain_text("没有")


@pytest.mark.parametrize("page", ["memory", "admin", "ask", "graph", "timeline", "conflicts", "knowledge", "runs"])
async def test_an_agent_that_was_told_nothing_is_shown_as_empty_and_not_as_a_failure(
    window: OpenWindow, page: str
) -> None:
    shown = await window()
    await shown.open(f"{PLACE}/{page}?agent=ada")
    await expect(shown.page.get_by_role("main").get_by_role("heading").first).to_be_visible()
    await expect(shown.page.get_by_role("alert")).to_have_count(0)


async def test_a_workspace_without_any_agent_has_a_heading_on_every_page(window: OpenWindow) -> None:
    shown = await window()
    for name in ("memory", "ask", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings"):
        await shown.open(f"{PLACE}/{name}")
        await expect(shown.page.get_by_role("heading", level=1)).to_be_visible()
        await expect(shown.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.spec("UI-04")
async def test_words_that_a_claim_rests_on_twice_are_shown_once(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("My sister Ann lives in Hamburg.")
    await shown.say("My sister Ann lives in Bremen.")
    at = "/v1/orgs/acme/workspaces/lab/agents/ada/conflicts"

    async def doubled(route: Route) -> None:
        answer = await route.fetch()
        told = await answer.json()
        for claim in told["items"][0]["claims"]:
            claim["evidence"] *= 2
        await route.fulfill(response=answer, json=told)

    await shown.page.route(f"**{at}?*", doubled)
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    claims = shown.page.locator("section .two > .panel")
    for town in ("Hamburg", "Bremen"):
        await expect(claims.filter(has_text=town).get_by_role("listitem")).to_have_count(1)
        await expect(claims.filter(has_text=town)).to_contain_text("(1)")


@pytest.mark.spec("UI-04")
async def test_the_same_words_in_two_turns_are_told_apart_by_what_stands_around_them(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Berlin.")
    await shown.say("I like working from the library because I live in Berlin.")
    await shown.say("I live in Lisbon.")
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    evidence = shown.page.locator("section .two > .panel").filter(has_text="Berlin").get_by_role("listitem")
    await expect(evidence).to_have_count(2)
    await expect(evidence.first).to_contain_text("“I live in Berlin.”")
    await expect(evidence.last).to_contain_text("“I like working from the library because I live in Berlin.”")
    await expect(evidence.locator("mark")).to_have_text(["I live in Berlin."])


async def test_however_far_one_scrolls_few_cards_are_in_the_document(window: OpenWindow) -> None:
    shown = await window()
    for begin in range(0, 400, 100):
        await shown.say(*(f"Note {begin + number} of the log." for number in range(100)))
    await shown.open(f"{PLACE}/memory?agent=ada&tab=turn")
    page, cards, feed = shown.page, shown.page.locator("article.card"), shown.page.get_by_role("feed")
    counts = []
    for loaded in range(100, 450, 50):
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        await expect(feed).to_have_attribute("data-loaded", str(loaded))
        counts.append(await cards.count())
    assert max(counts) <= 80, counts
    # The last is there, says how manieth it is of how many, and so is the first when one goes back to it.
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    last = page.locator('article[aria-posinset="400"]')
    await expect(last).to_be_in_viewport()
    await expect(last).to_have_attribute("aria-setsize", "400")
    await last.get_by_role("link").focus()
    await page.evaluate("scrollTo(0, 0)")
    first = page.locator('article[aria-posinset="1"]')
    await expect(first).to_be_in_viewport()
    await expect(last.get_by_role("link")).to_be_focused()  # what holds the focus does not vanish with it
    assert await cards.count() <= 80
    # By keys, one goes from card to card, and those that come are made on the way.
    await first.get_by_role("link").focus()
    await expect(last).to_have_count(0)
    for place in range(2, 62):
        await page.keyboard.press("PageDown")
        await expect(page.locator(f'article[aria-posinset="{place}"]')).to_be_focused()
    assert await cards.count() <= 80
    assert shown.complaints == []


async def test_a_session_that_ends_in_the_middle_of_an_edit_loses_nothing(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    key = (await shown.served.key("read", "write"))["authorization"].removeprefix("Bearer ")
    page = shown.page
    await shown.open(f"{PLACE}/memory?agent=ada&tab=semantic")
    await page.get_by_label("Key").fill(key)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_role("dialog", name="Edit").get_by_role("textbox").fill("I live in Porto.")
    await page.context.clear_cookies()
    await page.get_by_role("button", name="Save").click()
    asked = page.get_by_role("dialog", name="Enter a key to continue")
    await asked.get_by_label("Key").fill(key)
    await asked.get_by_role("button", name="Sign in").click()
    await expect(asked).to_have_count(0)
    await expect(page.get_by_role("textbox", name="Edit")).to_have_value("I live in Porto.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("article.card")).to_contain_text("I live in Porto.")
