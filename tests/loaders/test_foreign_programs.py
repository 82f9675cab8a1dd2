"""Files that other programs made: pandoc's, kept beside the tests, and PDF that Chromium prints while they run."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.loaders import load
from tests.knowledge.world import opened
from tests.server.web.conftest import installed

FOREIGN = Path(__file__).parent / "foreign"
MADE = ("harbour.docx", "harbour.epub", "harbour.pptx")
PRINTED = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The harbour of Vell</title></head><body>
<h1>The lighthouse</h1><p>The lighthouse of Vell is 48 metres high. The office is fluffy and efficient.</p>
<table><tr><th>ferry</th><th>leaves</th></tr><tr><td>Clara</td><td>noon</td></tr></table>
<h1 style="break-before: page">灯塔</h1><p>里斯本的灯塔高四十八米，建于 1733 年。渡轮中午出发。</p></body></html>"""


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[AsyncKnowledgeCollection]:
    async with opened(tmp_path / "home") as (_, base):
        yield base


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("name", MADE)
async def test_what_pandoc_made_is_found_in_both_languages_under_its_headings(
    base: AsyncKnowledgeCollection, name: str
) -> None:
    added = await base.add(FOREIGN / name)
    assert (added.document.title, added.document.unread) == ("The harbour of Vell", 0)
    english = (await base.search("How high is the lighthouse of Vell?")).items[0]
    assert "The lighthouse of Vell is 48 metres high. It was built in 1733." in english.passage
    assert english.path[:1] == ("The lighthouse",)
    chinese = (await base.search("里斯本的灯塔有多高？")).items[0]
    assert "里斯本的灯塔高四十八米，建于 1733 年。它是港口最老的建筑。" in chinese.passage
    assert chinese.path[-1] == "灯塔"
    row = (await base.search("When does Clara leave?")).items[0]
    assert "Clara | noon | 3" in row.passage
    assert (await base.search("Which berth is closed in winter?")).items


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("name", ["harbour.docx", "harbour.epub"])
async def test_a_footnotes_number_does_not_become_part_of_the_word_before_it(name: str) -> None:
    text = (await load((FOREIGN / name).read_bytes(), name=name)).text
    assert "Wait at the berth[1]." in text
    assert "Berth 7 is closed in winter." in text
    assert not {"↩", "↑"} & set(text)


async def test_a_link_within_a_page_that_is_no_footnote_is_kept_as_it_is() -> None:
    page = '<p>See <a href="#top">chapter 1</a>, m<sup>2</sup> and <a href="#two">2</a>.</p>'
    assert (await load(page.encode(), name="a.html")).text == "See chapter 1, m2 and 2."


@pytest.mark.spec("KB-01")
async def test_what_chromium_prints_is_found_in_both_languages_on_its_page(base: AsyncKnowledgeCollection) -> None:
    path = installed()
    if path is None:
        pytest.skip("no browser is installed: run `make browser`")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        # As root a browser runs without its sandbox only; nothing but our own page is opened in it.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = await browser.new_page()
        await page.set_content(PRINTED)
        printed = await page.pdf(format="A4")
        await browser.close()
    await base.add(data=printed, name="harbour.pdf")
    english = (await base.search("How high is the lighthouse?")).items[0]
    assert "The lighthouse of Vell is 48 metres high. The office is fluffy and efficient." in english.passage
    assert english.place.page == 1
    chinese = (await base.search("里斯本的灯塔有多高？")).items[0]
    assert "里斯本的灯塔高四十八米，建于 1733 年。渡轮中午出发。" in chinese.passage
    loaded = await load(printed, name="harbour.pdf")
    assert [loaded.place_of(at := loaded.text.index(one), at + 3).page for one in ("fluffy", "里斯本")] == [1, 2]
    assert "Clara" in (await base.search("When does Clara leave?")).items[0].passage
