"""Where the usual MCP clients keep their configuration, and how an entry gets into it without harm to others.

Those files belong to other programs. So the old file is always kept beside the new one, everything else in it stays,
and a file that cannot be read exactly (comments, a name twice) is left alone. The paths are those that the clients'
own documentation names.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from remanent.durability import write_durably
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program that agents live in."""

    name: str
    title: str
    linux: str
    mac: str
    windows: str
    """Where its configuration lies: under the home folder, or under %APPDATA% where it says so."""
    group: str = "mcpServers"
    """The name under which it lists servers."""
    is_typed: bool = False
    """Whether an entry says how the server is reached."""

    def file(self, *, home: Path, platform: str = sys.platform, roaming: str | None = None) -> Path:
        """Return the configuration file on this system; it need not exist."""
        if platform == "win32":
            return _under(self.windows, home=home, roaming=roaming)
        return home / (self.mac if platform == "darwin" else self.linux)


def _under(path: str, *, home: Path, roaming: str | None) -> Path:
    """Return a path under the home folder, or under Windows' roaming folder where it says so."""
    if not path.startswith("%APPDATA%/"):
        return home / path
    base = Path(roaming) if roaming else home / "AppData" / "Roaming"
    return base / path.removeprefix("%APPDATA%/")


_MAC = "Library/Application Support"
_WINDSURF = ".codeium/windsurf/mcp_config.json"
_GEMINI = ".gemini/settings.json"
CLIENTS: Mapping[str, McpClient] = {
    client.name: client
    for client in (
        McpClient(
            "claude-desktop",
            "Claude Desktop",
            linux=".config/Claude/claude_desktop_config.json",
            mac=f"{_MAC}/Claude/claude_desktop_config.json",
            windows="%APPDATA%/Claude/claude_desktop_config.json",
        ),
        McpClient("claude-code", "Claude Code", ".claude.json", ".claude.json", ".claude.json", is_typed=True),
        McpClient("cursor", "Cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        McpClient(
            "vscode",
            "Visual Studio Code",
            linux=".config/Code/User/mcp.json",
            mac=f"{_MAC}/Code/User/mcp.json",
            windows="%APPDATA%/Code/User/mcp.json",
            group="servers",
            is_typed=True,
        ),
        McpClient("windsurf", "Windsurf", _WINDSURF, _WINDSURF, _WINDSURF),
        McpClient("gemini-cli", "Gemini CLI", _GEMINI, _GEMINI, _GEMINI),
    )
}


@dataclass(frozen=True, slots=True)
class InstallResult:
    """What became of a configuration file."""

    file: Path
    changed: bool
    backup: Path | None = None


def client_of(name: str) -> McpClient:
    """Return a client by name."""
    if name not in CLIENTS:
        raise NotFound(f"no client {name!r} is known here; there are {', '.join(CLIENTS)}")
    return CLIENTS[name]


def entry_of(
    client: McpClient, command: Sequence[str], *, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the entry that has a client start a command."""
    entry: dict[str, Any] = {"type": "stdio"} if client.is_typed else {}
    entry |= {"command": command[0], "args": list(command[1:])}
    return entry | ({"env": dict(environment)} if environment else {})


def configuration(client: McpClient, name: str, entry: Mapping[str, Any]) -> str:
    """Return what stands in the client's configuration for one server, for a person to paste."""
    return json.dumps({client.group: {name: entry}}, ensure_ascii=False, indent=2)


def install(client: McpClient, name: str, entry: Mapping[str, Any], *, file: Path, now: datetime) -> InstallResult:
    """Put an entry into a configuration file, and leave everything else in it as it is; the old file is kept beside.

    A file that cannot be read as plain JSON is not touched.
    """
    # The file itself, where people keep their configuration elsewhere and link to it.
    file = file.resolve()
    old = read_settings(file)
    whole = parsed_settings(old, file)
    servers = whole.get(client.group, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{client.group} in {file} is no object; correct it, or paste the entry yourself")
    if servers.get(name) == entry:
        return InstallResult(file, changed=False)
    whole[client.group] = {**servers, name: dict(entry)}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        backup = None
        if old is not None:
            backup = _backup_name(file, now)
            write_durably(backup, old)
            os.chmod(backup, file.stat().st_mode & 0o777)
        mode = file.stat().st_mode & 0o777 if old is not None else 0o600
        write_durably(file, (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode())
        os.chmod(file, mode)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}; paste the entry yourself") from error
    return InstallResult(file, changed=True, backup=backup)


def read_settings(file: Path) -> bytes | None:
    """Return the file's bytes, or `None` where there is none yet."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}") from error


def parsed_settings(old: bytes | None, file: Path) -> dict[str, Any]:
    """Return the file as JSON; what cannot be written back without loss is refused and left alone."""
    if old is None or not old.strip():
        return {}
    try:
        whole = json.loads(old.decode("utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{file} is no plain JSON (it may hold comments) and is left as it is; paste the entry yourself"
        ) from error
    if not isinstance(whole, dict):
        raise InvalidInput(f"{file} holds no JSON object; correct it, or paste the entry yourself")
    return whole


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: writing the file would lose one of the two."""
    whole = dict(pairs)
    if len(whole) < len(pairs):
        raise ValueError("a name stands twice")
    return whole


def _backup_name(file: Path, now: datetime) -> Path:
    stamp = f"{now:%Y%m%d-%H%M%S}"
    candidates = [file.with_name(f"{file.name}.{stamp}{suffix}.bak") for suffix in ("", *(f"-{n}" for n in range(100)))]
    return next(candidate for candidate in candidates if not candidate.exists())
