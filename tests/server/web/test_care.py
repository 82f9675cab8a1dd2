"""Looking after a memory in the browser: who changed what, why it was recalled, and what is behind a number."""

import re

import pytest
from playwright.async_api import FilePayload, expect

from tests.server.web.conftest import PLACE, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")
AGENT = "/v1/orgs/acme/workspaces/lab/agents/ada"


async def test_a_memory_is_corrected_confirmed_forgotten_and_brought_back_and_its_page_says_by_whom(
    window: OpenWindow,
) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    await shown.open(f"{PLACE}/memory?agent=ada&tab=semantic")
    page = shown.page
    await page.get_by_role("searchbox").fill("Where do I live?")
    link = page.get_by_role("link", name="Lisbon")
    await expect(link).to_have_attribute("href", re.compile(r"[?&]q="))  # until then it is the list of all
    await link.click()
    # One comes from a search: the page tells why the question brought it, as bars.
    recalled = page.locator("section").filter(has=page.get_by_role("heading", name="Why it was recalled"))
    await expect(recalled).to_contain_text("Where do I live?")
    await expect(recalled.locator("meter").first).to_be_visible()
    await expect(recalled).to_contain_text("rank 1")
    versions = page.locator("section .panel.stack > div").filter(has_text="Version ")
    await expect(versions).to_have_count(1)
    await expect(versions.first).to_contain_text("learned from what was said")
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_role("dialog").get_by_role("textbox").fill("I live in Porto.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("I live in Porto.")
    await expect(versions.first).to_contain_text("Version 2 · by whoever is at this machine")
    await expect(versions.first).to_contain_text("changed: Text")
    await expect(versions.first.locator("del")).to_contain_text(["Lisbon"])
    await expect(versions.first.locator("ins")).to_contain_text(["Porto"])
    await page.get_by_role("button", name="Confirm").click()
    await expect(page.get_by_role("status").last).to_contain_text("Confirmed")
    await expect(versions).to_have_count(3)
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Bring back").click()
    await expect(page.get_by_role("button", name="Delete")).to_be_visible()
    await expect(versions).to_have_count(5)
    await expect(versions.first).to_contain_text("changed: Status")
    # What erasing takes is told before.
    await page.get_by_role("button", name="Erase for good").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("This takes 1 journal entries and 2 memories with it.")
    await dialog.get_by_role("textbox").fill("ERASE")
    await dialog.get_by_role("button", name="Erase for good").click()
    await expect(page.get_by_role("status").last).to_contain_text("1")
    assert (await shown.served.http.get(f"{AGENT}/memories")).json()["items"] == []
    assert shown.complaints == []


async def test_an_edited_memory_shows_the_words_that_it_was_made_of_before(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    (memory,) = (await shown.served.http.get(f"{AGENT}/memories")).json()["items"]
    changed = await shown.served.http.put(f"{AGENT}/memories/{memory['id']}", json={"content": "I live in Porto."})
    assert changed.status_code == 200
    page = shown.page
    await shown.open(f"{PLACE}/memory?agent=ada&tab=semantic")
    await expect(page.locator("article.card")).to_contain_text("Source: written by hand")
    await page.get_by_role("link", name="Porto").click()
    sources = page.locator("section").filter(has=page.get_by_role("heading", name="Where it comes from"))
    await expect(sources).to_contain_text("Before that, it was based on these words:")
    await expect(sources.locator("mark")).to_have_text("I live in Lisbon.")


@pytest.mark.spec("UI-04")
async def test_each_number_of_health_opens_the_list_behind_it(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I live in Lisbon.")
    agent = shown.served.service.memory.agent("ada", workspace="lab", org="acme")
    for content, kind in (("The pier is old.", "semantic"), ("the pier is old", "episodic"), ("Thanks!", "semantic")):
        await agent.cognition.add(content, kind=kind)
    (home,) = [one for one in await agent.cognition.memories() if "Lisbon" in one.content]
    follows = await agent.cognition.add("The tram is near.", premises=[home.id])
    await agent.cognition.edit(home.id, "I live in Porto.")
    page = shown.page
    await shown.open(f"{PLACE}/memory?agent=ada")
    for label, texts in (
        ("Duplicates", ["The pier is old.", "the pier is old"]),
        ("Junk", ["Thanks!"]),
        ("Outdated premise", ["The tram is near."]),
    ):
        await page.locator(".figure").filter(has=page.get_by_text(label, exact=True)).click()
        await expect(page.get_by_role("dialog").get_by_role("link")).to_have_text(texts)
        await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await page.locator(".figure.full").click()
    await expect(page.get_by_role("dialog")).to_contain_text("journal entries")
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await page.get_by_role("button", name="Outdated premise").click()
    await page.get_by_role("dialog").get_by_role("link").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The tram is near.")
    why = page.locator("section .panel").filter(has=page.get_by_role("heading", name="Premises"))
    # The premise as it was, and that it is so no more; its own page tells what is so now.
    await expect(why).to_contain_text("The user lives in Lisbon Superseded")
    await expect(page.get_by_role("link", name="premise")).to_have_attribute(
        "href", f"{PLACE}/record/{home.id}?agent=ada"
    )
    await page.get_by_role("link", name="The user lives in Lisbon").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("I live in Porto.")
    await expect(
        page.locator("section .panel").filter(has=page.get_by_role("heading", name="What depends on it"))
    ).to_contain_text(follows.content)
    assert shown.complaints == []


async def test_a_proposal_is_shown_beside_what_it_would_change_and_refused_with_a_reason(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    cognition = shown.served.service.memory.agent("ada", workspace="lab", org="acme").cognition
    decided = await cognition.propose(
        "Deploys are on Monday.", sort="decision_record", number="ADR-1", coordinator=True
    )
    rival = await cognition.propose("Deploys are on Friday.", sort="decision_record", number="ADR-1")
    await cognition.amend(decided.id, "Deploys are on Monday at noon.")
    page = shown.page
    await shown.open(f"{PLACE}/shared?agent=ada")
    cards = page.locator("article.card")
    amended = cards.filter(has_text="It would change what was approved")
    await expect(amended.locator("ins")).to_contain_text(["at"])
    await amended.get_by_role("button", name="Approve").click()
    replacing = cards.filter(has_text="It would replace what is shared now")
    await expect(replacing.locator("del").first).to_have_text("Monday")
    await expect(replacing.locator("ins").first).to_have_text("Friday.")
    await replacing.get_by_role("button", name="Refuse").click()
    await page.get_by_role("dialog").get_by_label("Reason").fill("Nobody is here on Fridays.")
    await page.get_by_role("dialog").get_by_role("button", name="Refuse").click()
    await expect(page.get_by_role("heading", name="Waiting for approval (0)")).to_be_visible()
    stones = (await shown.served.http.get("/v1/orgs/acme/workspaces/lab/agents/shared/tombstones")).json()["items"]
    assert [(one["record_id"], one["reason"]) for one in stones] == [(rival.id, "local: Nobody is here on Fridays.")]
    assert shown.complaints == []


@pytest.mark.spec("KB-06")
async def test_passages_are_read_in_their_document_changed_left_out_and_added(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge")
    page = shown.page
    text = "# Harbour\n\nThe lighthouse of Vell is 48 metres high.\n\n# Ferries\n\nThe ferry leaves at noon.\n"
    harbour = FilePayload(name="harbour.md", mimeType="text/markdown", buffer=text.encode())
    await page.locator("input[type=file]").set_input_files([harbour])
    await expect(page.get_by_role("status").filter(has_text="harbour.md")).to_contain_text("Added")
    await page.get_by_role("searchbox").fill("When does the ferry leave?")
    await page.get_by_label("Parent documents").check()
    await page.get_by_label("Rewriting").check()
    await page.get_by_role("button", name="Search").click()
    # What each technique brought, and by which way each passage was found.
    await expect(page.get_by_role("status").filter(has_text="Parent documents")).to_contain_text("surroundings")
    await expect(page.get_by_role("status").filter(has_text="Rewriting")).to_contain_text("brought nothing more")
    found = page.locator("article.card").filter(has_text="noon").first
    await expect(found).to_contain_text("Words: rank 1")
    await found.get_by_role("button", name="Show in the document").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.locator("mark")).to_contain_text("The ferry leaves at noon.")
    chunks = dialog.locator(".turn")
    await expect(chunks.first).to_contain_text("48 metres")
    await chunks.first.get_by_role("button", name="Edit").click()
    await dialog.get_by_role("textbox").fill("The lighthouse of Vell is 49 metres high.")
    await dialog.get_by_role("button", name="Save").click()
    await expect(chunks.first).to_contain_text("49 metres")
    await expect(chunks.first).to_contain_text("Edited")
    await chunks.first.get_by_role("button", name="Add a passage below").click()
    await dialog.get_by_role("textbox").fill("The keeper is called Orla.")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_contain_text("Orla")
    await chunks.last.get_by_role("button", name="Leave out of searches").click()
    await expect(chunks.last).to_contain_text("Not searched")
    await expect(dialog.get_by_role("link", name="Original file")).to_have_attribute("download", "harbour.md")
    shelf = "/v1/orgs/acme/workspaces/lab/agents/shared/knowledge"
    listed = (await shown.served.http.get(f"{shelf}/documents")).json()["items"]
    view = (await shown.served.http.get(f"{shelf}/documents/{listed[0]['document_id']}")).json()
    assert [one["enabled"] for one in view["chunks"]][-1] is False
    assert {one["state"] for one in view["chunks"]} >= {"edited", "added"}
    assert shown.complaints == []


async def test_a_key_for_one_agent_shows_its_documents_and_names_no_other(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("I keep bees.", agent="eve")
    shelf = "/v1/orgs/acme/workspaces/lab/agents/lin/knowledge/documents?name=bees.md"
    kind = {"content-type": "application/octet-stream"}
    added = await shown.served.http.post(shelf, content=b"# Bees\n\nThe hive stands by the lake.", headers=kind)
    assert added.status_code == 200, added.text
    header = await shown.served.key("read", "write", within_workspace="lab", within_agent="lin")
    await shown.open(f"{PLACE}/knowledge")
    page = shown.page
    await page.get_by_label("Key").fill(header["authorization"].removeprefix("Bearer "))
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("row").filter(has_text="bees.md")).to_contain_text("lin")
    assert await page.get_by_label("Agent").locator("option").all_text_contents() == ["lin"]
    assert "eve" not in await page.content()
    assert [one for one in shown.complaints if "401" not in one] == []


async def test_a_key_that_is_pasted_fills_the_examples_and_is_kept_nowhere(window: OpenWindow) -> None:
    shown = await window()
    header = await shown.served.key("read", "write")
    key = header["authorization"].removeprefix("Bearer ")
    page = shown.page
    await shown.open("/")
    await page.get_by_label("Key").fill(f"{key}x")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("key")
    await page.get_by_label("Key").fill(key)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.locator("pre").first).to_contain_text("YOUR-KEY")
    await page.get_by_label("Paste your key").fill(key)
    for place in range(3):
        await expect(page.locator("pre").nth(place)).to_contain_text(key)
    kept = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    assert key not in await page.evaluate(kept)
    await shown.open("/")
    await expect(page.locator("pre").first).to_contain_text("YOUR-KEY")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert [one for one in shown.complaints if "401" not in one] == []
