"""What others stored is shown as text, whatever it looks like: nothing of it runs, and nothing is even tried."""

import itertools

import pytest
from playwright.async_api import expect

from tests.server.rest.conftest import FILE
from tests.server.web.conftest import PLACE, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

ACTS = (
    "window.__ran=1",
    "alert(1)",
    "fetch('//evil.example')",
    "top.__ran=1",
    "import('/static/app.mjs').then(()=>{__ran=1})",
)
FORMS = (
    "<script>{0}</script>",
    '<img src=x onerror="{0}">',
    '<svg onload="{0}"></svg>',
    "<svg><script>{0}</script></svg>",
    '<a href="javascript:{0}">link</a>',
    '<iframe srcdoc="<script>parent.{0}</script>"></iframe>',
    '<body onload="{0}">',
    '<details open ontoggle="{0}">x</details>',
    "<math><mtext><script>{0}</script></mtext></math>",
    "<style>@import '//evil.example/x.css'; body{{display:none}}</style>{0}",
    "<link rel=stylesheet href='//evil.example/x.css'>{0}",
    "<form action='javascript:{0}'><button autofocus onfocus=\"{0}\">x</button></form>",
    "</textarea></title></style><script>{0}</script>",
    '"><script>{0}</script>',
    "'-{0}-'",
    "${{{0}}}",
    "{{{{constructor.constructor('{0}')()}}}}",
    "<!--><script>{0}</script>-->",
    '<object data="data:text/html,<script>{0}</script>"></object>',
    "<base href='//evil.example/'>{0}",
    "\u202e<script>{0}</script>\u202c",
    "<scr\u200bipt>{0}</scr\u200bipt><script\u00a0>{0}</script>",
    "<p style=\"background:url('javascript:{0}')\">x</p>",
    "<template><script>{0}</script></template>",
    '<meta http-equiv=refresh content="0;url=javascript:{0}">',
)
HOSTILE = [form.format(act) for form, act in itertools.product(FORMS, ACTS)]
HOSTILE += [f"{text} {number}" for number, text in zip(range(500 - len(HOSTILE)), itertools.cycle(HOSTILE))]


async def test_five_hundred_hostile_texts_are_shown_and_none_of_them_runs(window: OpenWindow) -> None:
    shown = await window()
    dialogs: list[str] = []
    shown.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    assert len(HOSTILE) == 500
    for start in range(0, 500, 100):
        # As words, as tags, as names of speakers; names of sessions cannot hold such signs.
        await shown.say(
            *HOSTILE[start : start + 100],
            tags=[HOSTILE[start + 1][:60].replace(",", " ")],
            name=HOSTILE[start + 2][:60],
        )
    await shown.open(f"{PLACE}/memory?agent=ada")
    cards = shown.page.locator("article.card")
    await expect(cards.first).to_be_visible()
    seen: set[int] = set()
    while len(seen) < 500:
        # The document holds but the cards near the view: each is in it at some time.
        seen |= set(await cards.evaluate_all("all => all.map((one) => Number(one.ariaPosInSet))"))
        await cards.last.scroll_into_view_if_needed()
        await expect(shown.page.locator(f'article.card[aria-posinset="{min(500, max(seen) + 1)}"]')).to_be_attached()
    last = shown.page.locator('article.card[aria-posinset="500"]')
    words = await last.locator(".body").text_content() or ""
    await last.get_by_role("link").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text(words)
    for page in ("ask?q=script", "timeline", "admin", "conflicts"):
        await shown.open(f"{PLACE}/{page}{'&' if '?' in page else '?'}agent=ada")
        await expect(shown.page.get_by_role("heading", level=1)).to_be_visible()
    assert await shown.page.evaluate("window.__ran") is None
    assert dialogs == []
    assert shown.complaints == []
    assert shown.foreign == []


async def test_hostile_tasks_and_names_of_files_are_shown_and_none_of_them_runs(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    dialogs: list[str] = []
    shown.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    at = "/v1/orgs/acme/workspaces/lab/agents"
    task = {"task": " ".join(HOSTILE[:3]), "context": "\n\n".join(HOSTILE[:12]), "bank_id": "hostile"}
    started = await shown.served.http.post(f"{at}/ada/banks", json=task)
    async for _ in shown.served.service.runs.follow(started.json()["run_id"]):
        pass
    for text in HOSTILE[12:15]:
        name = {"name": f"{text}.md"}
        added = await shown.served.http.post(
            f"{at}/shared/knowledge/documents", params=name, content=text.encode(), headers=FILE
        )
        assert added.status_code == 200, added.text
    await shown.open(f"{PLACE}/runs?agent=ada&bank=hostile")
    await expect(shown.page.locator("ol")).to_contain_text("<script>")
    await shown.page.locator("article.card").first.get_by_role("button", name="Interaction tree").click()
    await expect(shown.page.locator("article.card pre").first).to_contain_text("<script>")
    await shown.open(f"{PLACE}/knowledge?agent=ada")
    await expect(shown.page.get_by_role("row").nth(1)).to_contain_text("<")
    await shown.page.get_by_role("button", name="Preview").first.click()
    await expect(shown.page.get_by_role("dialog")).to_be_visible()
    assert await shown.page.evaluate("window.__ran") is None
    assert (dialogs, shown.complaints, shown.foreign) == ([], [], [])


async def test_signs_that_turn_the_direction_of_writing_are_shown_and_not_obeyed(window: OpenWindow) -> None:
    """A text could be read as another one than what is stored and given to a model."""
    shown = await window()
    await shown.say("The code of the harbour gate is \u202e4321\u202c.")
    for page in ("memory", "ask?q=What is the code of the harbour gate?"):
        await shown.open(f"{PLACE}/{page}{'&' if '?' in page else '?'}agent=ada")
        card = shown.page.locator("article.card").filter(has_text="harbour").first
        await expect(card).to_contain_text("\ufffd4321\ufffd")
        assert "\u202e" not in await shown.page.locator("main").inner_text()
