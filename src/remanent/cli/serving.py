"""`serve` and `mcp`: a memory for other processes.

The parts of the server are put together here, because only here is it known which are installed.
"""

import asyncio
import json
import secrets
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual, locale_language
from remanent.cli import words
from remanent.cli.demo import AGENT, QUESTION, TOLD, WORKSPACE, SampleWriter
from remanent.cli.options import CommonOptions
from remanent.cli.running_server import NOTE
from remanent.cli.screen import Terminal
from remanent.cli.words import chosen_language
from remanent.durability import make_folder, write_durably
from remanent.errors import RemanentError, StorageError
from remanent.operations import Service, Target
from remanent.operations.access.keys import open_keys
from remanent.server import mcp
from remanent.server.app import ServerPart
from remanent.server.proxy import Proxy
from remanent.server.serving import check_address, log_to_stderr, tune_allocator, tune_interpreter
from remanent.server.serving import serve as serve_memory
from remanent.settings import Settings, load_settings
from remanent.stores.registry import open_shelf

_CURL = (
    "  curl -s {url}/v1/orgs/{org}/workspaces/{workspace}/agents/{agent}/{what} \\\n"
    "    {key}-H 'content-type: application/json' -d '{body}'"
)


def serve(place: CommonOptions, *, host: str | None, port: int | None, sample: bool) -> None:
    """Serve until a signal comes; say where to look as soon as requests are taken."""
    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    settings = load_settings(**place.overrides(), server=given or None)
    screen = Terminal(as_json=place.as_json, language=chosen_language(settings.language))
    is_open = check_address(settings)
    log_to_stderr()
    tune_allocator()
    asyncio.run(_serve(screen, settings, is_open=is_open, sample=sample))


async def _serve(screen: Terminal, settings: Settings, *, is_open: bool, sample: bool) -> None:
    """Serve with every part that is installed; the sample is told while requests are already taken."""
    tasks: set[asyncio.Task[None]] = set()
    note = _ServerNote(settings.home)

    def ready(service: Service, url: str) -> None:
        tune_interpreter()  # everything is imported by now
        service.local_token = note.write(url)
        _announce(screen, settings, url, is_open=is_open, sample=sample)
        if sample:
            tasks.add(asyncio.create_task(_fill(screen, service, org=settings.org)))

    def parts(service: Service) -> list[ServerPart]:
        if not mcp.is_installed():
            return [Proxy(service)]
        from remanent.server.mcp.server import Mcp

        return [Mcp(service), Proxy(service)]

    try:
        await serve_memory(settings, parts=parts, ready=ready)
    finally:
        note.remove()
        for task in tasks:
            task.cancel()  # a sample that is not whole is completed by the next start
    await asyncio.gather(*tasks, return_exceptions=True)


class _ServerNote:
    """Tells commands of the same user where this server listens, and the word that opens it to them."""

    def __init__(self, home: Path) -> None:
        self._path = home / NOTE
        self._content = b""

    def write(self, url: str) -> str:
        """Leave the note and return the word; whoever can read the file can read the memory itself."""
        token = secrets.token_urlsafe(32)
        self._content = json.dumps({"url": url, "token": token}).encode()
        make_folder(self._path.parent)
        write_durably(self._path, self._content)
        return token

    def remove(self) -> None:
        """Take the note away, unless another server of this home has left its own since."""
        with suppress(OSError):
            if self._content and self._path.read_bytes() == self._content:
                self._path.unlink()


def _announce(screen: Terminal, settings: Settings, url: str, *, is_open: bool, sample: bool) -> None:
    """Say where to look and what to try first; warn where the server is open to the machine, or to nobody."""
    place = {"org": settings.org, "workspace": settings.workspace, "agent": "me"}
    if sample:
        place |= {"workspace": WORKSPACE, "agent": AGENT}
    if screen.as_json:
        spoken = f"{url}/mcp" if mcp.is_installed() else None
        screen.give({"url": url, "docs": f"{url}/docs", "mcp": spoken, "proxy": f"{url}/v1", "keys": not is_open})
        return
    behind = settings.proxy.base_url
    model = screen.word(words.PROXY_TO, address=behind) if behind else screen.word(words.PROXY_WITHOUT_MODEL)
    spoken = f"{url}/mcp" if mcp.is_installed() else screen.word(words.MCP_MISSING, install=mcp.INSTALL)
    screen.show(screen.word(words.SERVING, url=url, mcp=spoken, model=model))
    key = "" if is_open else "-H 'authorization: Bearer KEY' "
    steps: list[tuple[Bilingual, str, dict[str, Any]]] = [(words.ASK_FIRST, "recall", {"query": QUESTION, "limit": 1})]
    if not sample:  # where nothing was told, a question has no answer
        steps.insert(0, (words.TELL_FIRST, "entries", {"messages": [TOLD]}))
    for step, what, body in steps:
        screen.show(screen.word(step))
        screen.command(_CURL.format(url=url, what=what, body=json.dumps(body), key=key, **place))
    if is_open:
        screen.tell(words.OPEN_TO_MACHINE, style="yellow")
    elif not _is_key_left(settings):
        screen.tell(words.NO_KEY_HOLDS, style="yellow")


def _is_key_left(settings: Settings) -> bool:
    """Whether any key still opens something."""
    try:
        with closing(open_shelf(settings)) as shelf:
            return open_keys(shelf, settings).opens_anything
    except StorageError:
        return False


async def _fill(screen: Terminal, service: Service, *, org: str) -> None:
    """Fill the sample workspace and say how far it is; what is there already stays as it is."""

    def tell(what: Bilingual, done: int, total: int) -> None:
        if not screen.as_json:
            screen.tell(words.SAMPLE_STEP, what=screen.word(what), done=done, total=total)

    try:
        count = await SampleWriter(service, org, datetime.now(UTC), tell).fill()
    except RemanentError as error:
        screen.tell(words.SAMPLE_FAILED, style="yellow", why=str(error))
        return
    if not screen.as_json:
        screen.tell(words.SAMPLE_READY, workspace=WORKSPACE, count=count)


def serve_mcp(place: CommonOptions) -> None:
    """Serve the client that started this process, until it closes our input."""
    mcp.require()
    from remanent.server.mcp.server import serve_stdio

    settings = load_settings(**place.overrides())
    log_to_stderr()
    where = Target(org=settings.org, workspace=settings.workspace, agent=place.agent or settings.agent)
    asyncio.run(serve_stdio(settings, place=where, language=locale_language()))
