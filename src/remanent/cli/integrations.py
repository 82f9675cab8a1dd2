"""Adding Remanent to the settings of other programs: its server to MCP clients, its hooks to coding agents.

Those files belong to another program and its user. Whatever stands there stays, the file as it was is kept beside it,
and a file that cannot be read exactly (comments, a name twice) is left alone. Hooks are taken out again as if they had
never been there: if nothing else was changed meanwhile, the file's very bytes come back. The paths are those that the
programs' own documentation names.
"""

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual
from remanent.cli import words
from remanent.cli.hook_run import EVENTS
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin
from remanent.durability import write_durably
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.lightweight import dataclass
from remanent.settings import Settings

_PROGRAM = [sys.executable, "-m", "remanent"]
_NAME = "remanent"
"""What our server is called in a client's configuration."""


def _scope(place: CommonOptions, settings: Settings) -> list[str]:
    """Return the options that mean this place, wherever the other program starts ours."""
    scope = ["--home", str(settings.home), "--org", settings.org, "--workspace", settings.workspace]
    return [*scope, "--agent", place.agent or settings.agent]


def _read(file: Path) -> bytes | None:
    """Return the file's bytes, or `None` where there is none yet."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}") from error


def _parsed(old: bytes | None, file: Path) -> dict[str, Any]:
    """Return the file as JSON; what cannot be written back without loss is refused and left alone."""
    if old is None or not old.strip():
        return {}
    try:
        whole = json.loads(old.decode("utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{file} is not plain JSON (it may contain comments) and was left as it is; paste the entry yourself"
        ) from error
    if not isinstance(whole, dict):
        raise InvalidInput(f"{file} does not contain a JSON object; correct it, or paste the entry yourself")
    return whole


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: writing the file would lose one of the two."""
    whole = dict(pairs)
    if len(whole) < len(pairs):
        raise ValueError("a name appears twice")
    return whole


def _write(file: Path, data: bytes, *, like: Path | None = None, is_entry: bool = False) -> None:
    """Write a file of another program's whole, with the permissions that it had."""
    pattern = like or file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = pattern.stat().st_mode & 0o777 if pattern.exists() else 0o600
        write_durably(file, data)
        os.chmod(file, mode)
    except OSError as error:
        if is_entry:
            raise StorageError(f"{file} cannot be written: {error.strerror}; paste the entry yourself") from error
        raise StorageError(f"{file} cannot be written: {error.strerror}; paste what --dry-run shows") from error


# ── MCP clients ──────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program that agents live in."""

    name: str
    title: str
    path: str
    """Where its configuration lies under the home folder; `{config}` is where the system has programs keep theirs."""
    group: str = "mcpServers"
    """The name under which it lists servers."""
    is_typed: bool = False
    """Whether an entry says how the server is reached."""

    def file(self, *, home: Path, platform: str = sys.platform) -> Path:
        """Return the configuration file on this system; it need not exist."""
        return home / self.path.format(config="Library/Application Support" if platform == "darwin" else ".config")


CLIENTS: Mapping[str, McpClient] = {
    client.name: client
    for client in (
        McpClient("claude-desktop", "Claude Desktop", "{config}/Claude/claude_desktop_config.json"),
        McpClient("claude-code", "Claude Code", ".claude.json", is_typed=True),
        McpClient("cursor", "Cursor", ".cursor/mcp.json"),
        McpClient("vscode", "Visual Studio Code", "{config}/Code/User/mcp.json", group="servers", is_typed=True),
        McpClient("windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json"),
        McpClient("gemini-cli", "Gemini CLI", ".gemini/settings.json"),
    )
}


@dataclass(frozen=True, slots=True)
class InstallResult:
    """What becomes of a program's configuration file."""

    file: Path
    changed: bool
    text: str = ""
    """The hooks' file as it is afterwards; empty where it goes."""
    backup: Path | None = None


def client_of(name: str) -> McpClient:
    """Return a client by name."""
    if name not in CLIENTS:
        raise NotFound(f"unknown client {name!r}; choose one of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def entry_of(client: McpClient, command: Sequence[str]) -> dict[str, Any]:
    """Return the entry that has a client start a command."""
    kind = {"type": "stdio"} if client.is_typed else {}
    return {**kind, "command": command[0], "args": list(command[1:])}


def configuration(client: McpClient, name: str, entry: Mapping[str, Any]) -> str:
    """Return what stands in the client's configuration for one server, for a person to paste."""
    return json.dumps({client.group: {name: entry}}, ensure_ascii=False, indent=2)


def install_server(
    client: McpClient, name: str, entry: Mapping[str, Any], *, file: Path, now: datetime
) -> InstallResult:
    """Put an entry into a configuration file, and leave everything else in it as it is; the old file is kept beside.

    A file that cannot be read as plain JSON is not touched.
    """
    # The file itself, where people keep their configuration elsewhere and link to it.
    file = file.resolve()
    old = _read(file)
    whole = _parsed(old, file)
    servers = whole.get(client.group, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{client.group} in {file} is not an object; correct it, or paste the entry yourself")
    if servers.get(name) == entry:
        return InstallResult(file, changed=False)
    whole[client.group] = {**servers, name: dict(entry)}
    backup = None
    if old is not None:
        backup = _backup_name(file, now)
        _write(backup, old, like=file, is_entry=True)
    _write(file, (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode(), is_entry=True)
    return InstallResult(file, changed=True, backup=backup)


def _backup_name(file: Path, now: datetime) -> Path:
    stamp = f"{now:%Y%m%d-%H%M%S}"
    candidates = [file.with_name(f"{file.name}.{stamp}{suffix}.bak") for suffix in ("", *(f"-{n}" for n in range(100)))]
    return next(candidate for candidate in candidates if not candidate.exists())


def install_mcp(place: CommonOptions, *, client: str, write: bool, file: Path | None) -> None:
    """Show the entry that has a client start this program, or put it into the client's configuration."""
    screen, settings = begin(place)
    described = client_of(client)
    entry = entry_of(described, [*_PROGRAM, "mcp", *_scope(place, settings)])
    target = file or described.file(home=Path.home())
    if not write:
        print(configuration(described, _NAME, entry))
        screen.tell(words.MCP_SHOWN, client=described.title, file=str(target))
        return
    done = install_server(described, _NAME, entry, file=target, now=datetime.now(UTC))
    if place.as_json:
        backup = None if done.backup is None else str(done.backup)
        screen.give({"file": str(done.file), "changed": done.changed, "backup": backup})
        return
    phrase = words.MCP_WRITTEN if done.changed else words.MCP_UNCHANGED
    screen.tell(phrase, client=described.title, file=str(done.file), backup=str(done.backup or "–"))


# ── hooks of coding agents ───────────────────────────────────────────────────

_MARK = "hook run"
"""What our commands hold, by which they are known."""
_KEPT = ".before-remanent"
"""What the name of the file as it was ends with."""
_SECONDS = 30
"""How long a tool waits for a hook: far above what one takes, also where no server runs."""


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """A tool that runs hooks."""

    name: str
    title: str
    file: str | None
    """Its settings under the home folder; `None` where only the user knows."""
    events: tuple[str, ...]
    """The moments that it tells of."""

    def settings(self, given: Path | None) -> Path:
        """Return the file that its hooks stand in."""
        if given is not None:
            return given
        if self.file is None:
            raise InvalidInput("name the file that holds this tool's hooks with --file, or paste what --dry-run shows")
        return Path.home() / self.file


_ALL = tuple(EVENTS)
AGENTS = {
    agent.name: agent
    for agent in (
        CodingAgent("claude-code", "Claude Code", ".claude/settings.json", _ALL),
        # Codex has no hook for the end of a session: it ends when nothing is said any more.
        CodingAgent("codex", "Codex", ".codex/hooks.json", _ALL[:-1]),
        CodingAgent("generic", "generic", None, _ALL),
    )
}


def _agent_of(name: str) -> CodingAgent:
    """Return a coding agent by name."""
    if name not in AGENTS:
        raise NotFound(f"unknown coding agent {name!r}; choose one of {', '.join(AGENTS)}")
    return AGENTS[name]


def install_for(place: CommonOptions, *, tool: str, dry_run: bool, file: Path | None) -> None:
    """Install hooks for this place, and say what was done."""
    screen, settings = begin(place)
    agent = _agent_of(tool)
    scope = _scope(place, settings)
    if agent.file is None and file is None:
        print(json.dumps({"hooks": _ours(agent, _PROGRAM, scope)}, ensure_ascii=False, indent=2))
        return
    done = install_hooks(agent, _PROGRAM, scope, file=agent.settings(file), dry_run=dry_run)
    _tell(screen, place, agent, done, words.HOOKS_INSTALLED if done.changed else words.HOOKS_THERE, dry_run=dry_run)
    if agent.name == "codex" and not dry_run:
        screen.tell(words.HOOKS_CODEX)


def remove_from(place: CommonOptions, *, tool: str, dry_run: bool, file: Path | None) -> None:
    """Take hooks out, and say what was done."""
    screen, _ = begin(place)
    agent = _agent_of(tool)
    done = remove_hooks(file=agent.settings(file), dry_run=dry_run)
    _tell(screen, place, agent, done, words.HOOKS_REMOVED if done.changed else words.HOOKS_NONE, dry_run=dry_run)


def _tell(
    screen: Terminal, place: CommonOptions, agent: CodingAgent, done: InstallResult, phrase: Bilingual, *, dry_run: bool
) -> None:
    """Say what became of the settings: to a program all of it, to a person a sentence."""
    if place.as_json:
        screen.give({"file": str(done.file), "changed": done.changed, "text": done.text})
    elif dry_run:
        print(done.text, end="")
    else:
        screen.tell(phrase, client=agent.title, file=str(done.file))


def _ours(agent: CodingAgent, command: Sequence[str], scope: Sequence[str]) -> dict[str, Any]:
    """Return our hooks by the tool's names of the moments."""
    hooks: dict[str, Any] = {}
    for event in agent.events:
        line = shlex.join([*command, "hook", "run", event, *scope])
        hooks[EVENTS[event]] = [{"hooks": [{"type": "command", "command": line, "timeout": _SECONDS}]}]
    return hooks


def install_hooks(
    agent: CodingAgent, command: Sequence[str], scope: Sequence[str] = (), *, file: Path, dry_run: bool = False
) -> InstallResult:
    """Have a tool run our hooks beside those it has; what was ours before is replaced."""
    file = file.resolve()
    old = _read(file)
    whole = _parsed(old, file)
    clean = _without_ours(whole, file)
    hooks = dict(clean.get("hooks", {}))
    for event, ours in _ours(agent, command, scope).items():
        hooks[event] = [*hooks.get(event, ()), *ours]
    after = {**clean, "hooks": hooks}
    text = _written(after, old)
    if after == whole:
        return InstallResult(file, changed=False, text=text)
    if not dry_run:
        if clean == whole:  # nothing of ours stood there: this is how it was
            _keep(file, old)
        _write(file, text.encode())
    return InstallResult(file, changed=True, text=text)


def remove_hooks(*, file: Path, dry_run: bool = False) -> InstallResult:
    """Take our hooks out; where nothing else was changed since, the file is what it was, byte by byte."""
    file = file.resolve()
    old = _read(file)
    whole = _parsed(old, file)
    kept = file.with_name(file.name + _KEPT)
    before = _read(kept)
    as_it_was = _parsed(before, kept)
    clean = _without_ours(whole, file, before=as_it_was)
    if clean == whole:
        return InstallResult(file, changed=False, text="" if old is None else old.decode("utf-8-sig"))
    data = _written(clean, old).encode() if clean or before is not None else b""
    if before is not None and as_it_was == clean:
        data = before
    if not dry_run:
        try:
            if data or before is not None:
                _write(file, data)
            else:
                file.unlink()
            kept.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{file} cannot be changed: {error.strerror}") from error
    return InstallResult(file, changed=True, text=data.decode("utf-8-sig"))


def _without_ours(whole: Mapping[str, Any], file: Path, *, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return settings without our hooks, nor what stands empty for their sake; `before` tells what stood so before."""
    empty = (before or {}).get("hooks")
    hooks = whole.get("hooks")
    if hooks is None:
        return dict(whole)
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise InvalidInput(f"`hooks` in {file} is not an object of lists; correct it, or paste what --dry-run shows")
    left: dict[str, Any] = {}
    for event, groups in hooks.items():
        theirs = [group for one in groups if (group := _group_without_ours(one)) is not None]
        if theirs or not groups or (isinstance(empty, dict) and event in empty):
            left[event] = theirs
    rest = {key: value for key, value in whole.items() if key != "hooks"}
    if left or not hooks or empty is not None:
        return {key: left if key == "hooks" else value for key, value in whole.items()}
    return rest


def _group_without_ours(group: Any) -> Any:
    """Return a group of hooks without ours; none where nothing is left of it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    theirs = [hook for hook in group["hooks"] if not _is_ours(hook)]
    if len(theirs) == len(group["hooks"]):
        return group
    return {**group, "hooks": theirs} if theirs else None


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _MARK in command and "remanent" in command


def _written(whole: Mapping[str, Any], old: bytes | None) -> str:
    """Return settings as text, indented as the file was."""
    lines = (old or b"").decode("utf-8", "replace").splitlines()
    margin = next((line[: len(line) - len(line.lstrip())] for line in lines if line[:1] in " \t"), "  ")
    return json.dumps(whole, ensure_ascii=False, indent=margin or "  ") + "\n"


def _keep(file: Path, old: bytes | None) -> None:
    """Keep the file as it was; one from before, which nobody took back, is of no use any more."""
    kept = file.with_name(file.name + _KEPT)
    if old is None:
        kept.unlink(missing_ok=True)
    else:
        _write(kept, old, like=file)
