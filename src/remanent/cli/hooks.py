"""Putting our hooks into a coding agent's settings, and taking them out again as if they had never been there.

The settings belong to another program and its user. Whatever stands there stays; a file that cannot be read exactly is
left alone. The file as it was is kept beside it until our hooks are taken out: if nothing else was changed meanwhile,
its very bytes come back.
"""

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual
from remanent.cli.hook_run import EVENTS
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin
from remanent.durability import write_durably
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.server.mcp.clients import parsed_settings, read_settings
from remanent.values import dataclass

_MARK = "hook run"
"""What our commands hold, by which they are known."""
_KEPT = ".before-remanent"
"""What the name of the file as it was ends with."""
_SECONDS = 30
"""How long a tool waits for a hook: far above what one takes, also where no server runs."""

_INSTALLED = Bilingual(
    "{client} will remember and be reminded: see {file}. It is quick while `remanent serve` runs.",
    "{client} 将记住并得到提醒：见 {file}。`remanent serve` 运行时响应很快。",
)
_THERE = Bilingual("The hooks are in {file} already.", "钩子已在 {file} 中。")
_REMOVED = Bilingual("The hooks are out of {file}.", "已从 {file} 移除钩子。")
_NONE = Bilingual("{file} holds no hooks of ours.", "{file} 中没有我们的钩子。")
_CODEX = Bilingual(
    "Should Codex not run them, set `codex_hooks = true` under `[features]` in its config.toml.",
    "若 Codex 未运行钩子，请在其 config.toml 的 `[features]` 下设置 `codex_hooks = true`。",
)


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
            raise InvalidInput("say with --file where the hooks of this tool stand, or paste what --dry-run shows")
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


@dataclass(frozen=True, slots=True)
class HookChange:
    """What becomes of a settings file."""

    file: Path
    changed: bool
    text: str
    """The file as it is afterwards; empty where it goes."""


def _agent_of(name: str) -> CodingAgent:
    """Return a coding agent by name."""
    if name not in AGENTS:
        raise NotFound(f"no coding agent {name!r} is known here; there are {', '.join(AGENTS)}")
    return AGENTS[name]


def install_for(place: CommonOptions, name: str, *, file: Path | None, dry_run: bool) -> None:
    """Install hooks for this place, and say what was done."""
    screen, settings = begin(place)
    agent = _agent_of(name)
    command = [sys.executable, "-m", "remanent"]
    scope = ["--home", str(settings.home), "--org", settings.org, "--workspace", settings.workspace]
    scope += ["--agent", place.agent or settings.agent]
    if agent.file is None and file is None:
        print(json.dumps({"hooks": _ours(agent, command, scope)}, ensure_ascii=False, indent=2))
        return
    done = install(agent, command, scope, file=agent.settings(file), dry_run=dry_run)
    _tell(screen, place, agent, done, _INSTALLED if done.changed else _THERE, dry_run=dry_run)
    if agent.name == "codex" and not dry_run:
        screen.tell(_CODEX)


def remove_from(place: CommonOptions, name: str, *, file: Path | None, dry_run: bool) -> None:
    """Take hooks out, and say what was done."""
    screen, _ = begin(place)
    agent = _agent_of(name)
    done = remove(file=agent.settings(file), dry_run=dry_run)
    _tell(screen, place, agent, done, _REMOVED if done.changed else _NONE, dry_run=dry_run)


def _tell(
    screen: Terminal, place: CommonOptions, agent: CodingAgent, done: HookChange, phrase: Bilingual, *, dry_run: bool
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


def install(
    agent: CodingAgent, command: Sequence[str], scope: Sequence[str] = (), *, file: Path, dry_run: bool = False
) -> HookChange:
    """Have a tool run our hooks beside those it has; what was ours before is replaced."""
    file = file.resolve()
    old = read_settings(file)
    whole = parsed_settings(old, file)
    clean = _without_ours(whole, file)
    hooks = dict(clean.get("hooks", {}))
    for event, ours in _ours(agent, command, scope).items():
        hooks[event] = [*hooks.get(event, ()), *ours]
    after = {**clean, "hooks": hooks}
    text = _written(after, old)
    if after == whole:
        return HookChange(file, changed=False, text=text)
    if not dry_run:
        if clean == whole:  # nothing of ours stood there: this is how it was
            _keep(file, old)
        _write(file, text.encode())
    return HookChange(file, changed=True, text=text)


def remove(*, file: Path, dry_run: bool = False) -> HookChange:
    """Take our hooks out; where nothing else was changed since, the file is what it was, byte by byte."""
    file = file.resolve()
    old = read_settings(file)
    whole = parsed_settings(old, file)
    kept = file.with_name(file.name + _KEPT)
    before = read_settings(kept)
    as_it_was = parsed_settings(before, kept)
    clean = _without_ours(whole, file, before=as_it_was)
    if clean == whole:
        return HookChange(file, changed=False, text="" if old is None else old.decode("utf-8-sig"))
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
    return HookChange(file, changed=True, text=data.decode("utf-8-sig"))


def _without_ours(whole: Mapping[str, Any], file: Path, *, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return settings without our hooks, nor what stands empty for their sake; `before` tells what stood so before."""
    empty = (before or {}).get("hooks")
    hooks = whole.get("hooks")
    if hooks is None:
        return dict(whole)
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise InvalidInput(f"hooks in {file} are no object of lists; correct it, or paste what --dry-run shows")
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


def _write(file: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write a file of another program's whole, with the permissions that it had."""
    pattern = like or file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = pattern.stat().st_mode & 0o777 if pattern.exists() else 0o600
        write_durably(file, data)
        os.chmod(file, mode)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}; paste what --dry-run shows") from error
