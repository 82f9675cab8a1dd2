"""A proxy over real HTTP: a scripted model behind it, a real memory beside it, the official client before it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from remanent.errors import StorageError
from remanent.http.client import certificates
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Entry, EntryKind
from remanent.operations import Service
from remanent.server.app import create_app
from remanent.server.proxy import Proxy
from remanent.server.serving import GracefulServer
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step

MODEL = "scripted"


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 7, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class World:
    """Everything a test of the proxy needs."""

    upstream: ScriptedServer
    service: Service
    proxy: Proxy
    address: str
    clock: Hands

    def client(self, *, agent: str = "ada", session: str | None = "s1", key: str = "sk-client") -> Any:
        """The official client; not by its type, which wants to know of each call whether it streams."""
        headers = {"x-remanent-agent": agent} | ({"x-remanent-session": session} if session else {})
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        http = DefaultAsyncHttpxClient(verify=certificates())  # to load those anew takes longer than most answers
        return AsyncOpenAI(
            base_url=f"{self.address}/v1", api_key=key, default_headers=headers, max_retries=0, http_client=http
        )

    def anthropic(self, *, agent: str = "ada", session: str | None = "s1", key: str = "sk-client") -> Any:
        """Anthropic's official client."""
        headers = {"x-remanent-agent": agent} | ({"x-remanent-session": session} if session else {})
        # 2,800 modules: where it is needed, and not wherever tests are collected.
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        http = DefaultAsyncHttpxClient(verify=certificates())
        return AsyncAnthropic(
            base_url=self.address, api_key=key, default_headers=headers, max_retries=0, http_client=http
        )

    @property
    def memory(self) -> AsyncMemory:
        return self.service.memory

    def agent(self, name: str = "ada") -> AsyncAgent:
        return self.memory.agent(name)

    async def journal(self, name: str = "ada") -> list[Entry]:
        return await self.agent(name).entries()

    async def said(self, name: str = "ada") -> list[tuple[str, str]]:
        return [(entry.role, entry.text) for entry in await self.journal(name)]

    async def kept(self, count: int, name: str = "ada") -> list[Entry]:
        """The journal when it has so many entries: what a client did not wait for comes a little later."""
        async with asyncio.timeout(30):
            while len(entries := await self.journal(name)) < count:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
        return entries

    def asked(self, place: int = -1) -> list[tuple[str, str]]:
        """What the model was shown."""
        return self.upstream.requests[place].turns


@asynccontextmanager
async def world(
    home: Path,
    *steps: Step,
    forever: Step | None = None,
    context: dict[str, Any] | None = None,
    embedder: str = "none",
    **settings: Any,
) -> AsyncIterator[World]:
    clock = Hands()
    async with ScriptedServer(*steps, forever=forever) as upstream:
        # In a message of its own, where tests see it apart from what was asked; see test_dialects.py for the others.
        # Nothing ends before its time because the machine is busy; who tests that something does sets it.
        patient = {"recall_timeout": 300, "keep_timeout": 300, "read_timeout": 300, "connect_timeout": 300}
        proxied = {"base_url": upstream.base_url, "place": "message", **patient, **settings}
        async with (
            aopen(home, embedder=embedder, clock=clock, proxy=proxied, context=context or {}) as memory,
            Service(memory, clock=clock) as service,
        ):
            proxy = Proxy(service, clock=clock, sleep=never)
            async with serving(create_app(service, parts=[proxy])) as address, proxy.running():
                yield World(upstream, service, proxy, address, clock)


async def never(_: float) -> None:
    """Wait for ever: turns on disk are stored when a test says so, and not when a second has passed."""
    await asyncio.Event().wait()


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """A real server in this loop, on a port of its own."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="none")
    is_up = asyncio.Event()
    server = GracefulServer(config, begun=is_up.set, ending=_nothing)
    running = asyncio.create_task(server._serve())  # `serve` would take over the signals of the test run
    try:
        await is_up.wait()
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
    finally:
        server.force_exit = True
        server.end()
        await running


async def _nothing() -> None:
    """End no long work: there is none."""


@contextmanager
def broken(*methods: str, fault: BaseException | None = None, hangs: bool = False) -> Iterator[None]:
    """Let methods of every agent raise, or never return, while this lasts."""

    async def fail(*_: Any, **__: Any) -> Any:
        if hangs:
            await asyncio.Event().wait()
        raise fault or StorageError("the disk is gone")

    with pytest.MonkeyPatch.context() as patch:
        for method in methods:
            patch.setattr(AsyncAgent, method, fail)
        yield


def question(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def texts(entries: Sequence[Entry], kind: EntryKind = EntryKind.MESSAGE) -> list[str]:
    return [entry.text for entry in entries if entry.kind is kind]
