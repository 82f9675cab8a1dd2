"""Take the pictures of the pages that docs/ shows: a real browser at a server with the sample memory."""

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.async_api import async_playwright, expect

from remanent.cli.demo import AGENT, QUESTION, WORKSPACE

OUT = Path(__file__).parent.parent / "docs" / "pages"
PAGES = ("memory", "ask", "graph", "timeline", "conflicts", "knowledge", "shared", "runs", "admin", "settings")
STANDSTILL = 300.0
"""Seconds without anything new after which nothing more is waited for; loading a model takes the longest."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chromium-headless-shell")


def main() -> None:
    """Serve the sample, open every page once in each language, and keep what is seen."""
    browser = os.environ.get("REMANENT_BROWSER") or next(
        (path for one in BROWSERS if (path := shutil.which(one))), None
    )
    if browser is None:
        sys.exit("no browser is installed: run `make browser`")
    with socket.socket() as free:  # another server on a port of ours would be photographed in place of this one
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as home:
        port = address.rpartition(":")[2]
        command = [sys.executable, "-m", "remanent", "serve", "--sample", "--home", home, "--port", port]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                _wait(f"{address}/v1/orgs/default/workspaces/{WORKSPACE}/agents/{AGENT}", server, wanted=b"Bremen")
                asyncio.run(_shoot(browser, address))
            finally:
                server.terminate()


def _wait(address: str, server: "subprocess.Popen[bytes]", *, wanted: bytes) -> None:
    """Wait for the last thing that is learned of the sample, for as long as the server gets on with it.

    That takes seconds or many minutes, as busy as a machine is; what does not get on shows in what it has stored.
    """
    stored, since = b"", time.monotonic()
    while time.monotonic() < since + STANDSTILL:
        if server.poll() is not None:
            sys.exit(f"the server ended with {server.returncode}")
        if wanted in _read(f"{address}/conflicts?states=open"):
            return
        if (now := _read(f"{address}/health")) != stored:
            stored, since = now, time.monotonic()
        time.sleep(0.5)
    sys.exit(f"the server has stored nothing new for {STANDSTILL:.0f} s, and the sample is not whole")


def _read(address: str) -> bytes:
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
        return bytes(answer.read())
    return b""


async def _shoot(path: str, address: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for language, folder in (("en-US", "en"), ("zh-CN", "zh")):
            context = await browser.new_context(
                locale=language,
                color_scheme="light" if folder == "en" else "dark",
                viewport={"width": 1200, "height": 900},
            )
            page = await context.new_page()
            question = QUESTION if folder == "en" else "发布新版本时要做什么？"
            for name in ("home", *PAGES):
                where = "/" if name == "home" else f"/org/default/ws/{WORKSPACE}/{name}?agent={AGENT}"
                await page.goto(f"{address}{where}{f'&q={question}' if name == 'ask' else ''}")
                await page.wait_for_load_state("networkidle")
                if name == "memory":  # what counts all of the memory comes last
                    await expect(page.locator(".figures")).not_to_contain_text("…", timeout=60_000)
                if name in {"graph", "runs"}:
                    await page.wait_for_timeout(2000)  # the worker's layout comes to its end
                await page.screenshot(path=OUT / f"{name}.{folder}.png")
            # One memory, with what people look for on its page: where it comes from, and why it was recalled.
            await page.goto(f"{address}/org/default/ws/{WORKSPACE}/ask?agent={AGENT}&q={question}")
            await page.locator(".card .body a").first.click()
            await page.locator("meter").first.wait_for()
            await page.wait_for_load_state("networkidle")
            await page.screenshot(path=OUT / f"record.{folder}.png")
            await context.close()
        await browser.close()


if __name__ == "__main__":
    main()
