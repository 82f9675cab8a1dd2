"""How quick the pages are in a real browser: first view, search while typing, long lists, a large graph.

Frames are counted and the time that scripts take in them; pictures are drawn by software on machines like ours, so
frames a second say little.
"""

import asyncio
import os
import random
import shutil
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from bench.corpus import Corpus
from bench.figures import Figure, Report, at_most
from bench.server import serving
from bench.store import fill
from remanent.recall.evaluation import percentile

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chromium-headless-shell")
WORDS = 30
NODES = 5000
CARDS, STEP = 10_000, 50
"""Cards that are scrolled through, and how many come at a time."""
_AT = "/org/bench/ws/bench"
_TYPE = """async (text) => {
  const field = document.querySelector("input[type=search]"), list = document.querySelector("#list");
  const begin = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((done) => {
    let begun = false;
    const look = () => { const busy = list.querySelector("[aria-busy]")?.getAttribute("aria-busy") === "true";
      begun ||= busy; if (begun && !busy) { watch.disconnect(); done(); } };
    const watch = new MutationObserver(look); watch.observe(list, { subtree: true, attributes: true, childList: true });
  });
  return performance.now() - begin;
}"""
_LOADED = """(before) => {
  const loaded = Number(document.querySelector("[role=feed]")?.dataset.loaded ?? 0);
  return loaded > before && loaded;
}"""
_COUNT = """() => {
  window.__frames = 0; window.__long = [];
  const frame = () => { window.__frames++; requestAnimationFrame(frame); }; requestAnimationFrame(frame);
  new PerformanceObserver((list) => window.__long.push(...list.getEntries().map((one) => one.duration)))
    .observe({ entryTypes: ["longtask"] });
}"""


def run_pages_bench(home: Path, *, size: int = 100_000, report: Report = lambda _: None) -> list[Figure]:
    """Fill an agent, serve it, and use its pages as a person would."""
    browser = os.environ.get("REMANENT_BROWSER") or next(
        (path for one in BROWSERS if (path := shutil.which(one))), None
    )
    if browser is None:
        raise SystemExit("no browser is installed: run `make browser`")
    report(f"load {size} records")
    asyncio.run(fill(home, size))
    with serving(home) as (url, _):
        report(f"load a graph of {NODES} nodes")
        _load_graph(url)
        return asyncio.run(_measure(browser, url, size, report))


async def _measure(path: str, url: str, size: int, report: Report) -> list[Figure]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = await (await browser.new_context(viewport={"width": 1200, "height": 800})).new_page()
        report("first view")
        figures = await _first_view(page, url)
        report("searching")
        figures.append(await _searching(page, size))
        report("scrolling")
        figures += await _scrolling(browser, page, url, min(size, CARDS), report)
        report("the graph")
        figures.append(await _opening(browser, page, url))
        figures += await _graph(page, url)
        await browser.close()
        return figures


async def _first_view(page: Page, url: str) -> list[Figure]:
    sizes: list[int] = []
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    await page.goto(f"{url}{_AT}/memory?agent=bench")
    await page.wait_for_selector("article.card")
    until = await page.evaluate("performance.now()")
    await page.wait_for_load_state("networkidle")
    return [
        at_most("pages, first view, until cards are there", until, "ms", 1000),
        at_most("pages, first view, over the wire", sum(sizes) / 1000, "KB", 150),
    ]


async def _searching(page: Page, size: int) -> Figure:
    questions = [" ".join(text.split()[:3]) for text in Corpus().questions(WORDS + 5)]
    waits = [float(await page.evaluate(_TYPE, question)) for question in questions]
    return at_most(
        f"pages, from a keystroke to what is found among {size:,}, p95", percentile(waits[5:], 0.95), "ms", 120
    )


async def _scripts(session: CDPSession) -> float:
    """Return for how many seconds scripts have run on a page; the session was told to count them."""
    metrics = {one["name"]: one["value"] for one in (await session.send("Performance.getMetrics"))["metrics"]}
    return float(metrics["ScriptDuration"])


async def _scrolling(browser: Browser, page: Page, url: str, count: int, report: Report) -> list[Figure]:
    await page.goto(f"{url}{_AT}/memory?agent=bench")
    await page.wait_for_selector("article.card")
    loaded = most = 0
    while loaded < count:
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        loaded = await (await page.wait_for_function(_LOADED, arg=loaded)).json_value()
        most = max(most, await page.locator("article.card").count())
        if loaded % 1000 < STEP:
            report(f"scrolling: {loaded:,} cards")
    await page.evaluate("scrollTo(0, 0)")
    await page.evaluate(_COUNT)
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    begin, begun = await _scripts(session), time.perf_counter()

    async def turn_the_wheel() -> None:
        for _ in range(100):
            await page.mouse.wheel(0, 700)
            await page.evaluate("() => new Promise(requestAnimationFrame)")

    longest = await _longest_task(browser, turn_the_wheel)
    spent, frames = await _scripts(session) - begin, int(await page.evaluate("window.__frames"))
    seconds = time.perf_counter() - begun
    return [
        at_most(f"pages, scrolling through {count:,} cards, scripts a frame", 1000 * spent / max(1, frames), "ms", 16),
        at_most(f"pages, scrolling through {count:,} cards, longest task", longest, "ms", 50),
        at_most(f"pages, scrolling through {count:,} cards, cards in the document", most, "", 80),
        Figure(f"pages, scrolling through {count:,} cards, frames a second", round(frames / seconds, 1), ""),
    ]


async def _opening(browser: Browser, page: Page, url: str) -> Figure:
    """Open the graph and tell how long the longest task kept the page's thread."""

    async def open_graph() -> None:
        await page.goto(f"{url}{_AT}/graph?agent=bench")
        await page.wait_for_selector("canvas[data-drawn]")
        await page.wait_for_timeout(5_000)  # the worker's layout goes on, and the page hears of it

    longest = await _longest_task(browser, open_graph)
    return at_most(f"pages, opening a graph of {NODES:,} nodes, longest task", longest, "ms", 50)


async def _longest_task(browser: Browser, work: Callable[[], Awaitable[None]]) -> float:
    """Return for how many milliseconds of the processor's time one task kept the page's thread, at most."""
    session = await browser.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    ended = asyncio.Event()
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.set())
    await session.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel"]}})
    await work()
    await session.send("Tracing.end")
    await ended.wait()
    await session.detach()
    threads = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    tasks = [
        one["tdur"] / 1000
        for one in events
        if threads.get((one["pid"], one["tid"])) == "CrRendererMain" and one["name"].endswith("RunTask")
        if "tdur" in one
    ]
    return float(max(tasks))


async def _graph(page: Page, url: str) -> list[Figure]:
    await page.goto(f"{url}{_AT}/graph?agent=bench")
    await page.wait_for_selector("canvas")
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(15_000)  # the worker's layout comes to its end
    await page.evaluate(_COUNT)
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    begin = await _scripts(session)
    box = await page.locator("canvas").bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 300, box["y"] + 300)
    await page.mouse.down()
    for step in range(60):
        await page.mouse.move(box["x"] + 300 + 3 * step, box["y"] + 300 + 2 * step)
        await page.evaluate("() => new Promise(requestAnimationFrame)")
    await page.mouse.up()
    spent, frames = await _scripts(session) - begin, int(await page.evaluate("window.__frames"))
    long = await page.evaluate("window.__long")
    return [
        at_most(f"pages, moving a graph of {NODES:,} nodes, scripts a frame", 1000 * spent / max(1, frames), "ms", 16),
        at_most(f"pages, moving a graph of {NODES:,} nodes, longest task", max(long, default=0.0), "ms", 50),
    ]


def _load_graph(url: str) -> None:
    """Load a graph in the notation that the associative memory exports."""
    chosen = random.Random(7)
    lines = []
    for node in range(NODES):
        name = f"<node:n{node}>"
        lines += [
            f"{name} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <memory:Node> .",
            f'{name} <memory:content> "What was said as number {node} of the year." .',
            f'{name} <memory:phrase> "number {node} of it" .',
            f'{name} <memory:keywords> "[\\"year\\", \\"number\\", \\"said\\"]" .',
            f'{name} <memory:createdAt> "{1_700_000_000_000 + 60_000 * node}" .',
        ]
        for other in {chosen.randrange(max(0, node - 50), node) for _ in range(2)} if node else ():
            link = f"<link:n{node}:n{other}>"
            lines += [
                f"{link} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <memory:Link> .",
                f'{link} <memory:strength> "{chosen.random():.3f}" .',
                f"{name} <memory:link> <node:n{other}> .",
            ]
    request = urllib.request.Request(
        f"{url}/v1/orgs/bench/workspaces/bench/agents/bench/associative/triples",
        data="\n".join(lines).encode(),
        headers={"content-type": "application/n-triples"},
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        answer.read()
