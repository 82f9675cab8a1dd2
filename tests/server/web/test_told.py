"""What the pages say of what there is: in the language of the page, as much as one reads, and all that is there."""

import re

import pytest
from playwright.async_api import FilePayload, Route, expect

from remanent.operations.access.keys import LOCAL, Reach
from tests.power import fills_up
from tests.server.web.conftest import PLACE, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")
AGENT = "/v1/orgs/acme/workspaces/lab/agents/ada"
LONG = "The tide tables of Vell fill many a page. " * 200


async def test_names_that_come_from_the_server_are_in_the_language_of_the_page(window: OpenWindow) -> None:
    shown = await window(language="zh-CN")
    await shown.say("I live in Lisbon.")
    await shown.say("I moved to Porto.")
    page = shown.page
    await shown.open(f"{PLACE}/conflicts?agent=ada")
    await expect(page.get_by_role("heading", name="用户：住址")).to_be_visible()
    await page.get_by_role("button", name="撤销").click()
    await page.get_by_role("button", name="保留这个版本").first.click()
    await expect(page.get_by_text("解决者：本机用户")).to_be_visible()
    await shown.open(f"{PLACE}/admin?agent=ada")
    await expect(page.get_by_role("row").filter(has_text="记住").first).to_be_visible()
    parts = "import('/static/parts.mjs')"
    operations = shown.served.service.catalogue
    names = [str(name) for name in operations]
    told = await page.evaluate(f"names => {parts}.then(({{ deed }}) => names.map(deed))", names)
    assert told == [operations[name].title.zh for name in names]
    assert [one for one in told if not re.search("[\u4e00-\u9fff]", one) or re.search("[。，；：]", one)] == []
    notes = ["answer: 48 metres", "Vell: old", "答案：48 米"]
    told = await page.evaluate(f"notes => {parts}.then(({{ inWords }}) => notes.map(inWords))", notes)
    assert told == ["答案：48 metres", "Vell: old", "答案：48 米"]
    await page.get_by_role("button", name="English").click()
    await expect(page.get_by_role("row").filter(has_text="remember").first).to_be_visible()
    told = await page.evaluate(f"{parts}.then(({{ inWords }}) => ['用户：住址', 'Vell: old'].map(inWords))")
    assert told == ["The user: residence", "Vell: old"]


async def test_who_erases_types_a_word_of_their_language(window: OpenWindow) -> None:
    shown = await window(language="zh-CN")
    await shown.say("The flat is in Lisbon.")
    await shown.open(f"{PLACE}/memory?agent=ada&tab=turn")
    await shown.page.get_by_role("link", name="The flat is in Lisbon").click()
    await shown.page.get_by_role("button", name="彻底销毁").click()
    dialog = shown.page.get_by_role("dialog")
    await dialog.get_by_role("textbox", name="输入“销毁”以继续").fill("销毁")
    await dialog.get_by_role("button", name="彻底销毁").click()
    await expect(shown.page.get_by_role("heading", level=1)).to_have_text("记忆")
    assert (await shown.served.http.get(f"{AGENT}/records", params={"kinds": "turn"})).json()["items"] == []


async def test_a_key_that_may_not_administer_is_told_so(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    header = await shown.served.key("read")
    await shown.open(f"{PLACE}/admin?agent=ada")
    await shown.page.get_by_label("Key", exact=True).fill(header["authorization"].removeprefix("Bearer "))
    await shown.page.get_by_role("button", name="Sign in").click()
    await expect(shown.page.locator("main")).to_contain_text("Your key may not administer")


async def test_home_tells_of_proposals_and_conflicts_have_one_figure(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("Hello.")
    for text in ("Names are in camelCase", "Tests come first"):
        assert (await shown.served.http.post(f"{AGENT}/shared", json={"content": text})).status_code == 200
    page = shown.page
    await shown.open("/")
    card = page.locator("a.panel").filter(has_text="shared (the workspace)")
    await expect(card).to_contain_text("Waiting for approval: 2")
    await expect(card).not_to_contain_text("Nothing here yet")
    async with page.expect_request(lambda request: "/conflicts?" in request.url) as asked:
        await shown.open(f"{PLACE}/memory?agent=ada")
    assert re.findall(r"states=(\w+)", (await asked.value).url) == ["open", "unresolved"]


async def test_a_long_turn_is_folded_and_before_a_question_stands_what_one_can_ask(window: OpenWindow) -> None:
    shown = await window()
    await shown.say(LONG)
    page = shown.page
    await shown.open(f"{PLACE}/timeline?agent=ada")
    turn = page.locator(".turn p")
    assert len(await turn.inner_text()) < 1000
    await page.get_by_role("button", name="Show all 8,400 characters").click()
    assert len(await turn.inner_text()) > 8000
    await page.get_by_role("button", name="Show less").click()
    assert len(await turn.inner_text()) < 1000
    await shown.open(f"{PLACE}/ask?agent=ada")
    await expect(page.locator("main")).to_contain_text("Where do I live?")


WATCHED = """{
const pen = OffscreenCanvasRenderingContext2D.prototype, { clearRect, fillText } = pen, { arc } = Path2D.prototype;
const told = new BroadcastChannel("drawn");
let names = [], dots = [];
pen.clearRect = function (...box) { names = []; dots = []; clearRect.apply(this, box); };
pen.fillText = function (text, x, y) { names.push([x, y, this.measureText(text).width]);
  fillText.call(this, text, x, y); told.postMessage({ names, dots }); };
Path2D.prototype.arc = function (x, y, ...more) { dots.push([x, y]); arc.call(this, x, y, ...more); };
}"""


async def test_on_a_phone_no_name_hides_the_node_of_another(window: OpenWindow) -> None:
    shown = await window(width=390)
    places = ("pier", "mill", "inn", "well", "quay", "barn", "tower", "bridge", "chapel", "market", "school", "forge")
    body = {
        "messages": [
            f"The {place} of Vell is older than the {place} of {town}."
            for town in ("Kelt", "Ost", "Ruhn", "Mar")
            for place in places
        ]
    }
    assert (await shown.served.http.post(f"{AGENT}/associative/remember", json=body)).status_code == 200
    await shown.served.service.memory.settle()
    page = shown.page
    await page.add_init_script("new BroadcastChannel('drawn').onmessage = (event) => { window.drawn = event.data; }")

    async def watch(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=WATCHED + await answer.text())

    await page.context.route("**/layout.mjs", watch)
    await shown.open(f"{PLACE}/graph?agent=ada")
    await expect(page.locator("canvas")).to_have_attribute("data-drawn", "48")
    drawn = await page.evaluate("window.drawn")
    assert drawn["names"]
    hidden = [
        (name, dot)
        for name, (x, y, wide) in enumerate(drawn["names"])
        for dot in drawn["dots"]
        if abs(dot[0] - x) < wide / 2 and 0 < y + 4 - dot[1] < 16
    ]
    assert hidden == []


@pytest.mark.spec("SAFE-03")
async def test_what_is_done_and_could_not_be_noted_is_not_called_a_failure(
    window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = await window(language="zh-CN")
    await shown.say("Hello.")
    _, token = shown.served.service.keys.create("mine", reach=Reach(), permissions=tuple(LOCAL.permissions))
    await shown.open(f"{PLACE}/admin?agent=ada")
    await shown.page.get_by_label("密钥", exact=True).fill(token)
    await shown.page.get_by_role("button", name="登录").click()
    await shown.page.get_by_role("row").filter(has_text="mine").get_by_role("button", name="吊销").click()
    with monkeypatch.context() as patch:
        fills_up(patch)
        await shown.page.get_by_role("dialog").get_by_role("button", name="吊销").click()
        told = shown.page.get_by_text("keys.revoke 已完成，但未能记入审计日志")
        await expect(told).to_be_visible()
        assert "操作失败" not in (await told.text_content() or "")


async def test_an_error_stays_where_it_is_seen_until_something_else_is_tried(window: OpenWindow) -> None:
    shown = await window(language="zh-CN")
    await shown.say("Hello.")
    page, audit = shown.page, shown.served.service.memory.settings.home / ".access" / "audit"
    await shown.open(f"{PLACE}/admin?agent=ada")
    await page.clock.install()
    await page.get_by_role("button", name="新建密钥").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("robot")
    audit.rename(audit.with_name("away"))
    audit.write_text("in the way")
    await dialog.get_by_role("button", name="新建密钥").click()
    told = dialog.get_by_role("alert")
    await expect(told).to_have_text("操作失败：存储出错；详见服务器日志")
    await page.clock.fast_forward(60_000)
    await expect(told).to_be_visible()
    audit.unlink()
    audit.with_name("away").rename(audit)
    await dialog.get_by_role("button", name="新建密钥").click()
    await expect(dialog.get_by_text("请立即复制")).to_be_visible()
    await expect(dialog.get_by_text("没有密钥的请求一律拒绝，包括本页面")).to_be_visible()
    await expect(told).to_have_count(0)


async def test_a_file_that_is_refused_says_why_in_the_language_of_the_page(window: OpenWindow) -> None:
    shown = await window(language="en-US")
    await shown.say("Hello.")
    await shown.open(f"{PLACE}/knowledge?agent=ada")
    await shown.page.get_by_role("button", name="中文").click()
    file = FilePayload(name="empty.txt", mimeType="text/plain", buffer=b"")
    await shown.page.locator("input[type=file]").set_input_files(file)
    await expect(shown.page.locator(".bar .bad")).to_contain_text("操作失败：文件为空")


async def test_what_could_not_be_restored_is_not_shown_as_if_it_were(window: OpenWindow) -> None:
    shown = await window()
    await shown.say("The flat is in Lisbon.")
    page = shown.page
    await shown.open(f"{PLACE}/memory?agent=ada&tab=turn")
    await page.get_by_role("article").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("article")).to_have_count(0)

    async def refuse(route: Route) -> None:
        await route.fulfill(status=503, json={"title": "Busy", "detail": "try again later"})

    await page.route("**/restore", refuse)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("alert")).to_contain_text("This did not work: try again later")
    await expect(page.get_by_role("article")).to_have_count(0)
