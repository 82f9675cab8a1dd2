import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.http.client import certificates
from remanent.operations import Catalogue, Service
from remanent.operations.service import CATALOGUE
from remanent.server.serving import serve
from remanent.settings import load_settings

FILE = {"content-type": "application/octet-stream"}
LINES = {"content-type": "application/x-ndjson"}
TRIPLES = {"content-type": "application/n-triples"}
AGENT = "/v1/orgs/acme/workspaces/lab/agents/ada"


@dataclass(frozen=True, slots=True)
class Served:
    """A running server on loopback, and a client of it."""

    url: str
    service: Service
    http: httpx2.AsyncClient

    async def told(self, *texts: str, at: str = AGENT) -> list[str]:
        answer = await self.http.post(f"{at}/entries", json={"messages": list(texts)})
        assert answer.status_code == 200, answer.text
        ids: list[str] = answer.json()["entry_ids"]
        await self.service.memory.settle()
        return ids

    async def until_ready(self) -> httpx2.Response:
        """Return what `/readyz` says once nothing is being loaded any more."""
        while True:
            answer = await self.http.get("/readyz")
            checks = {check["check"]: check["ok"] for check in answer.json()["checks"]}
            if checks["models"]:
                return answer

    async def key(self, *permissions: str, org: str = "acme", **within: Any) -> dict[str, str]:
        """Make a key and return the header that carries it."""
        from remanent.operations import Target

        asked = {"name": "test", "permissions": list(permissions), **within}
        made = await self.service.perform("keys.create", asked, place=Target(org=org))
        return {"authorization": f"Bearer {made.token}"}


Start = Callable[..., Awaitable[Served]]


@asynccontextmanager
async def running(home: Path, *, catalogue: Catalogue = CATALOGUE, **server: Any) -> AsyncIterator[Served]:
    settings = load_settings(home=home, embedder="none", server={"port": 0, **server})
    until, begun = asyncio.Event(), asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(settings, catalogue=catalogue, ready=lambda *told: begun.set_result(told), until=until)
    )
    await asyncio.wait([task, begun], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    service, url = begun.result()
    try:
        async with httpx2.AsyncClient(base_url=url, timeout=30, verify=certificates()) as http:
            yield Served(url, service, http)
    finally:
        until.set()
        await task


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start servers with settings of one's own."""
    async with AsyncExitStack() as stack:

        async def begin(**server: Any) -> Served:
            return await stack.enter_async_context(running(tmp_path / "home", **server))

        yield begin


@pytest.fixture
async def served(start: Start) -> Served:
    """A server with the usual settings and no keys."""
    return await start()
