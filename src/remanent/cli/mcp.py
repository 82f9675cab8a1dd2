"""`mcp`: memory for agents that speak the Model Context Protocol, and their configuration."""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from remanent.cli import words
from remanent.cli.place import Place
from remanent.cli.screen import begin
from remanent.operations import Place as Where
from remanent.server import mcp
from remanent.server.mcp.clients import client_of, configuration, entry_of
from remanent.server.mcp.clients import install as put_entry
from remanent.server.running import log_to_stderr
from remanent.settings import Settings, load_settings

NAME = "remanent"


def serve(place: Place) -> None:
    """Serve the client that started this process, until it closes our input."""
    mcp.require()
    from remanent.server.mcp.stdio import serve_stdio

    settings = load_settings(**place.overrides())
    log_to_stderr()
    asyncio.run(serve_stdio(settings, place=_where(place, settings)))


def install(place: Place, *, name: str, write: bool, file: Path | None) -> None:
    """Show the entry that has a client start this program, or put it into the client's configuration."""
    screen, settings = begin(place)
    client = client_of(name)
    where = _where(place, settings)
    entry = entry_of(client, _command(settings, where))
    target = file or client.file(home=Path.home(), roaming=os.environ.get("APPDATA"))
    if not write:
        print(configuration(client, NAME, entry))
        screen.tell(words.MCP_SHOWN, client=client.title, file=str(target))
        return
    done = put_entry(client, NAME, entry, file=target, now=datetime.now(UTC))
    if place.as_json:
        backup = None if done.backup is None else str(done.backup)
        screen.give({"file": str(done.file), "changed": done.changed, "backup": backup})
        return
    phrase = words.MCP_WRITTEN if done.changed else words.MCP_UNCHANGED
    screen.tell(phrase, client=client.title, file=str(done.file), backup=str(done.backup or "–"))


def _where(place: Place, settings: Settings) -> Where:
    return Where(org=settings.org, workspace=settings.workspace, agent=place.agent or settings.agent)


def _command(settings: Settings, where: Where) -> list[str]:
    """Return the command that starts this program for this place, wherever the client starts it."""
    scope = ["--org", where.org, "--workspace", str(where.workspace), "--agent", str(where.agent)]
    return [sys.executable, "-m", "remanent", "mcp", "--home", str(settings.home), *scope]
