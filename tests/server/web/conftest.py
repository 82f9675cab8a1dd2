"""A real browser at a real server. Where none is installed these tests are skipped; `make browser` installs one."""

import os
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect

from tests.server.rest.conftest import Served, running, start

# A slow machine is no failure.
expect.set_options(timeout=60_000)

__all__ = ["start"]
"""The fixture of servers, for the tests that need no browser."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is the same browser without a window around each page, which took .4 s of CPU for each that is opened."""


def installed() -> str | None:
    """Return where a browser is, if there is one."""
    return os.environ.get("REMANENT_BROWSER") or next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass
class Window:
    """One page in a browser of its own, with everything that it complained of."""

    served: Served
    page: Page
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    """Requests to any other host."""

    async def open(self, path: str) -> None:
        """Go to a page and wait until it has asked for what it shows."""
        await self.page.goto(f"{self.served.url}{path}")
        await self.page.wait_for_load_state("networkidle")

    async def say(self, *texts: str, agent: str = "ada", session: str | None = None, **message: Any) -> None:
        """Have the server remember something and do all that follows from it."""
        told = [{"role": "user", "content": text, **message} for text in texts]
        body = {"messages": told, **({} if session is None else {"session": session})}
        answer = await self.served.http.post(f"/v1/orgs/acme/workspaces/lab/agents/{agent}/entries", json=body)
        assert answer.status_code == 200, answer.text
        await self.served.service.memory.settle()


OpenWindow = Callable[..., Coroutine[Any, Any, Window]]
PLACE = "/org/acme/ws/lab"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all files: every window is a profile of its own, and to start one takes two seconds of CPU."""
    path = installed()
    if path is None:
        pytest.skip("no browser is installed: run `make browser`")
    async with async_playwright() as playwright:
        # As root a browser runs without its sandbox only; nothing but our own pages is opened in it.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser: Browser, tmp_path: Path) -> AsyncIterator[OpenWindow]:
    """Open windows at one server; `language`, `theme`, `width` and `zoom` as a person would have them."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(running(tmp_path / "home"))

        async def begin(
            *, language: str = "en-US", theme: Any = "light", width: int = 1200, zoom: float = 1, at: Served = served
        ) -> Window:
            # As a browser zooms: the page gets as much less room as each of its pixels takes more of the screen's.
            context: BrowserContext = await browser.new_context(
                locale=language, color_scheme=theme, device_scale_factor=zoom,
                viewport={"width": round(width / zoom), "height": round(900 / zoom)},
            )  # fmt: skip
            stack.push_async_callback(context.close)
            page = await context.new_page()
            made = Window(at, page)

            def complain(message: ConsoleMessage) -> None:
                if message.type in {"error", "warning"}:
                    made.complaints.append(f"{message.text} {message.location.get('url', '')}")

            page.on("console", complain)
            page.on("pageerror", lambda error: made.complaints.append(str(error)))
            page.on("request", lambda request: _note(made, request.url))
            return made

        yield begin


def _note(window: Window, url: str) -> None:
    if not url.startswith((window.served.url, "data:", "blob:")):
        window.foreign.append(url)
