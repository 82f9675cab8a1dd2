"""`serve`: a memory for other processes, with a word on where to find what."""

import asyncio
import json
import sys
from typing import Any

from remanent.cli import sample as told
from remanent.cli import words
from remanent.cli.place import Place
from remanent.cli.screen import Screen
from remanent.cli.words import language_of
from remanent.errors import StorageError
from remanent.operations import Service
from remanent.operations.access.keys import KeyRing
from remanent.server import mcp
from remanent.server.allocator import tame_allocator
from remanent.server.app import Part
from remanent.server.proxy import Proxy
from remanent.server.running import check_address, log_to_stderr
from remanent.server.running import serve as serve_memory
from remanent.settings import Settings, load_settings

WORKSPACE, AGENT = "sample", "ada"
TURN = 0.0005
"""Seconds that a thread may keep the interpreter from others. Those that read the store need it often and briefly; by
the usual 5 ms, which the event loop takes whenever it is busy, they would wait longer than they work."""


def serve(place: Place, *, host: str | None, port: int | None, sample: bool) -> None:
    """Serve until a signal comes; say where to look as soon as requests are taken."""
    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    settings = load_settings(**place.overrides(), server=given or None)
    screen = Screen(as_json=place.as_json, language=language_of(settings.language))
    is_open = check_address(settings)
    log_to_stderr()
    tame_allocator()
    sys.setswitchinterval(TURN)
    asyncio.run(_serve(screen, settings, is_open=is_open, sample=sample))


async def _serve(screen: Screen, settings: Settings, *, is_open: bool, sample: bool) -> None:
    tasks: set[asyncio.Task[None]] = set()

    def ready(service: Service, url: str) -> None:
        _announce(screen, settings, url, is_open=is_open, sample=sample)
        if sample:
            tasks.add(asyncio.create_task(_fill(screen, service, org=settings.org)))

    def parts(service: Service) -> list[Part]:
        if not mcp.is_installed():
            return [Proxy(service)]
        from remanent.server.mcp.part import Mcp

        return [Mcp(service), Proxy(service)]

    await serve_memory(settings, parts=parts, ready=ready)
    await asyncio.gather(*tasks, return_exceptions=True)


def _announce(screen: Screen, settings: Settings, url: str, *, is_open: bool, sample: bool) -> None:
    place = {"org": settings.org, "workspace": settings.workspace, "agent": "me"}
    if sample:
        place |= {"workspace": WORKSPACE, "agent": AGENT}
    if screen.as_json:
        screen.give({"url": url, "docs": f"{url}/docs", "mcp": f"{url}/mcp", "proxy": f"{url}/v1", "keys": not is_open})
        return
    body: dict[str, Any] = {"query": told.QUESTIONS[0].question, "limit": 1}
    screen.show(screen.word(words.SERVING, url=url, body=json.dumps(body), **place))
    if is_open:
        screen.tell(words.OPEN_TO_MACHINE, style="yellow")
    elif not _is_key_left(settings):
        screen.tell(words.NO_KEY_HOLDS, style="yellow")


def _is_key_left(settings: Settings) -> bool:
    try:
        return KeyRing(settings.home).opens_anything
    except StorageError:
        return False


async def _fill(screen: Screen, service: Service, *, org: str) -> None:
    """Tell the sample to an agent that remembers nothing yet; the same messages again are stored once."""
    agent = service.memory.agent(AGENT, workspace=WORKSPACE, org=org)
    count = 0
    for session, messages in told.sessions().items():
        count += len((await agent.remember(messages, session=session)).entry_ids)
    await agent.settle()
    if not screen.as_json:
        screen.tell(words.SAMPLE_READY, workspace=WORKSPACE, agent=AGENT, count=count)
