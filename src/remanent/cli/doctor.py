"""`doctor`: whether the installation, the machine and the stored bytes are sound."""

import asyncio
import os
import platform
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from remanent._sync import Agent, Memory
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.place import Place
from remanent.cli.screen import Screen, begin, human_size, local_time
from remanent.embedding import Embedder, open_embedder
from remanent.errors import NotFound, RemanentError
from remanent.operations.access.audit import AuditLog
from remanent.settings import Settings, setting_sources
from remanent.stores.sqlite.connection import OLDEST_SAFE, checksums_available, engine_version

LEAST_FREE = 200 * 1024**2
"""Bytes of free disk below which something is wrong."""

PROBE = ("The lease ends in April.", "发布日期推迟到六月。") * 16


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `ok` is `None` for something worth knowing that is not wrong."""

    check: str
    ok: bool | None
    detail: str
    agent: str = ""


def examine(place: Place, *, repair: bool, all_agents: bool) -> None:
    """Run every check and show what was found; ends with `Exit.DAMAGED` or `Exit.NO` when something is wrong."""
    screen, settings = begin(place)
    with screen.meter(words.EXAMINING) as meter, place.open(settings) as memory:
        findings = [*_machine(screen, place, settings), *_audit(screen, settings)]
        agents = _agents(place, memory, settings, all_agents=all_agents)
        if not agents:
            findings.append(Finding("agents", None, screen.word(words.NO_AGENTS)))
        for agent in agents:
            meter.note(str(agent.scope))
            findings += _agent(screen, agent)
        damaged = {finding.agent for finding in findings if finding.check == "integrity" and not finding.ok}
        if not place.as_json:
            _show(screen, findings)
        copies = _repair(screen, [agent for agent in agents if str(agent.scope) in damaged]) if repair else {}
    failed = [finding for finding in findings if finding.ok is False]
    if place.as_json:
        screen.give({"ok": not failed, "findings": findings, "repaired": copies})
    elif damaged and not repair:
        screen.tell(words.USE_REPAIR)
    if failed:
        raise typer.Exit(Exit.DAMAGED if damaged else Exit.NO)


def _machine(screen: Screen, place: Place, settings: Settings) -> Iterator[Finding]:
    yield Finding("remanent", True, version("remanent"))
    yield Finding("python", True, f"{platform.python_version()}, {platform.platform(terse=True)}, {platform.machine()}")
    yield _settings(screen, place)
    yield _sqlite(screen)
    checksums = checksums_available()
    yield Finding("checksums", checksums or None, screen.word(words.CHECKSUMS_ON if checksums else words.CHECKSUMS_OFF))
    yield _home(screen, settings.home)
    yield _disk(screen, settings.home)
    yield _embedder(screen, settings)
    yield Finding("engine", True, settings.engine)


def _audit(screen: Screen, settings: Settings) -> Iterator[Finding]:
    log = AuditLog(settings.home, secrets=settings.secrets)
    orgs, lines, is_intact = log.orgs(), 0, True
    for org in orgs:
        found = log.verify(org)
        lines += found.lines
        if not found.intact:
            is_intact = False
            yield Finding("audit", False, screen.word(words.AUDIT_DAMAGED, org=org, problem=found.problem))
    if is_intact:
        yield Finding("audit", True, screen.word(words.AUDIT_INTACT, lines=lines, orgs=len(orgs)))


def _settings(screen: Screen, place: Place) -> Finding:
    sources = setting_sources(**place.overrides())
    found = [screen.word(words.SETTINGS_FROM, names=", ".join(names), place=where) for where, names in sources.items()]
    return Finding("settings", True, "; ".join(found) or screen.word(words.SETTINGS_DEFAULT))


def _sqlite(screen: Screen) -> Finding:
    found, safe = (".".join(map(str, number)) for number in (engine_version(), OLDEST_SAFE))
    if engine_version() >= OLDEST_SAFE:
        return Finding("sqlite", True, screen.word(words.SQLITE_SAFE, version=found))
    return Finding("sqlite", False, screen.word(words.SQLITE_UNSAFE, version=found, safe=safe))


def _home(screen: Screen, home: Path) -> Finding:
    if not os.access(_existing(home), os.W_OK | os.X_OK):
        return Finding("home", False, screen.word(words.HOME_CLOSED, path=_existing(home)))
    return Finding("home", True, str(home) if home.exists() else screen.word(words.HOME_NEW, path=home))


def _disk(screen: Screen, home: Path) -> Finding:
    usage = shutil.disk_usage(_existing(home))
    enough = usage.free >= LEAST_FREE
    phrase = words.DISK_FREE if enough else words.DISK_LOW
    return Finding("disk", enough, screen.word(phrase, free=human_size(usage.free), total=human_size(usage.total)))


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _embedder(screen: Screen, settings: Settings) -> Finding:
    try:
        embedder = open_embedder(settings.embedder, embedding=settings.embedding)
        if embedder is None:
            return Finding("embedder", None, screen.word(words.EMBEDDER_OFF))
        loading, embedding = asyncio.run(_time(embedder))
    except RemanentError as error:
        return Finding("embedder", False, str(error))
    speed = len(PROBE) / max(embedding, 1e-6)
    detail = screen.word(
        words.EMBEDDER_ON, model=embedder.model_id, dimension=embedder.dimension, seconds=loading, speed=speed
    )
    return Finding("embedder", True, detail)


async def _time(embedder: Embedder) -> tuple[float, float]:
    """Return the seconds that the first text takes, and those of the probe after it."""
    begun = time.perf_counter()
    await embedder.embed(PROBE[:1])
    loaded = time.perf_counter()
    await embedder.embed(PROBE)
    await embedder.close()
    return loaded - begun, time.perf_counter() - loaded


def _agents(place: Place, memory: Memory, settings: Settings, *, all_agents: bool) -> list[Agent]:
    if place.agent is not None and not all_agents:
        return [memory.agent(place.agent)]
    home = (settings.org, settings.workspace)
    scopes = [scope for scope in memory.agents() if all_agents or (scope.org, scope.workspace) == home]
    return [memory.agent(scope.agent, workspace=scope.workspace, org=scope.org) for scope in scopes]


def _agent(screen: Screen, agent: Agent) -> Iterator[Finding]:
    name = str(agent.scope)
    try:
        health = agent.check()
    except NotFound:
        raise
    except RemanentError as error:
        yield Finding("integrity", False, str(error), name)
        return
    if health.problems:
        yield Finding("integrity", False, "; ".join(health.problems), name)
        return
    size = human_size(health.bytes_on_disk)
    counts = {"entries": health.entries, "records": health.records, "vectors": health.vectors}
    yield Finding("integrity", True, screen.word(words.SOUND, size=size, **counts), name)
    yield _queue(screen, agent, name)


def _queue(screen: Screen, agent: Agent, name: str) -> Finding:
    state = agent.queue()
    if state.dead:
        last = agent.dead_letters()[-1]
        return Finding("queue", False, screen.word(words.QUEUE_DEAD, dead=state.dead, error=last.error), name)
    if state.oldest is None:
        return Finding("queue", True, screen.word(words.QUEUE_EMPTY), name)
    waiting = state.pending + state.running
    detail = screen.word(words.QUEUE_STATE, waiting=waiting, since=local_time(state.oldest))
    return Finding("queue", None, detail, name)


def _show(screen: Screen, findings: list[Finding]) -> None:
    table = Table("", screen.word(words.CHECK), screen.word(words.FINDING))
    signs = {True: Text("✓", "green"), False: Text("✗", "bold red"), None: Text("–", "yellow")}
    for finding in findings:
        name = screen.word(words.CHECKS[finding.check], agent=finding.agent)
        table.add_row(signs[finding.ok], name, Text(finding.detail, overflow="fold"))
    screen.show(table)
    failed = sum(finding.ok is False for finding in findings)
    if failed:
        screen.tell(words.NOT_WELL, style="bold red", count=failed, total=len(findings))
    else:
        screen.tell(words.ALL_WELL, style="green")


def _repair(screen: Screen, agents: list[Agent]) -> dict[str, str]:
    copies: dict[str, str] = {}
    for agent in agents:
        name = str(agent.scope)
        try:
            copy = agent.repair()
        except RemanentError as error:
            screen.tell(words.NOT_REPAIRED, style="red", agent=name, reason=error)
            continue
        copies[name] = str(copy)
        screen.tell(words.REPAIRED, agent=name, path=copy, folder=copy.parent, name=copy.name)
    return copies
