"""Looking after an installation: the commands `doctor`, `migrate` and `move`, `roles check`.

`doctor` tells whether the installation, the machine and the stored bytes are sound. It only looks; with --repair it
writes copies beside what is damaged and never touches that. Each finding says what to do. What needs the memory opened
comes last, because it may be what does not work. `migrate` and `move` are the care of a store that is a server, and the
way from one store to another. `roles check` examines the configured model, and writes which roles it should do.
"""

import asyncio
import platform
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from remanent._sync import Agent, Memory
from remanent.bilingual import translated
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.options import CommonOptions
from remanent.cli.screen import ProgressMeter, Terminal, begin, human_size, local_time
from remanent.durability import make_folder, write_durably
from remanent.embedding import Embedder, open_embedder
from remanent.errors import IntegrityError, InvalidSettings, NotFound, RemanentError, SchemaTooNew
from remanent.language.engines import OfflineEngine
from remanent.language.examination import EXERCISES, Exercise, RoleMarks
from remanent.language.examination import examine as examine_model
from remanent.language.models.engine import ModelEngine
from remanent.lightweight import dataclass
from remanent.model import Scope, system_clock
from remanent.operations.access.audit import open_audit
from remanent.settings import Settings, load_settings, profile_file, read_profile, setting_sources
from remanent.stores import Health
from remanent.stores.notes import PendingErasures
from remanent.stores.registry import Stores, is_embedded, migrate_store, open_shelf, open_stores
from remanent.stores.sqlite.connection import OLDEST_SAFE, checksums_available, engine_version
from remanent.stores.sqlite.folders import Layout
from remanent.stores.transfer import MovedAgent, move_agents, move_shelf, require_two

_LEAST_FREE = 200 * 1024**2
"""Bytes of free disk below which something is wrong."""

_DAMAGE = frozenset({"database", "integrity", "vectors", "attachments"})
"""Checks that fail because stored bytes are damaged or gone."""

_CLOCKS_DIFFER = timedelta(minutes=5)
"""How far the clocks of machines that share a home may be apart."""
_LOOKED_BACK = 100
"""Entries of an agent, newest first, whose times are looked at."""

_PROBE = ("The lease ends in April.", "发布日期推迟到六月。") * 16


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `ok` is `None` for something worth knowing that is not wrong."""

    check: str
    ok: bool | None
    detail: str
    agent: str = ""


def examine(place: CommonOptions, *, repair: bool, context: typer.Context) -> None:
    """Run every check and show what was found; ends with `Exit.DAMAGED` or `Exit.NO` when something is wrong."""
    screen, settings = begin(place)
    # The environment says whose memory to use; only the command line says to look at nobody else's.
    source = context.get_parameter_source("agent")
    only = place.agent if source is not None and source.name == "COMMANDLINE" else None
    layout, copies = Layout(settings.home), dict[str, str]()
    findings = [*_machine(screen, place, settings)]
    findings += _audit(screen, settings, written=_is_sound(findings, "home"))
    findings += _erasures(screen, settings)
    # Without a home that can be opened there is no agent to look at, and the finding says why.
    if _is_sound(findings, "home"):
        with place.open(settings) as memory:
            findings += _agents(screen, memory, layout, wanted=_Scope(place, settings, only))
            if not place.as_json:
                _show(screen, findings)
            if repair:
                copies = _repair(screen, memory, findings)
    elif not place.as_json:
        _show(screen, findings)
    failed = [finding for finding in findings if finding.ok is False]
    if place.as_json:
        screen.give({"ok": not failed, "findings": findings, "repaired": copies})
    elif not _is_sound(findings, "integrity") and not repair:
        screen.tell(words.USE_REPAIR)
    if failed:
        raise typer.Exit(Exit.DAMAGED if any(finding.check in _DAMAGE for finding in failed) else Exit.NO)


def _is_sound(findings: Iterable[Finding], check: str) -> bool:
    return not any(finding.check == check and finding.ok is False for finding in findings)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which agents of the home are looked at: all of them, unless the command line names some."""

    place: CommonOptions
    settings: Settings
    agent: str | None

    def chooses(self, scope: Scope) -> bool:
        """Return whether an agent is one of them."""
        org, workspace = self.place.org, self.place.workspace
        if self.agent is not None:
            org, workspace = self.settings.org, self.settings.workspace
        named = ((self.agent, scope.agent), (workspace, scope.workspace), (org, scope.org))
        return all(wanted in {None, found} for wanted, found in named)


def _machine(screen: Terminal, place: CommonOptions, settings: Settings) -> Iterator[Finding]:
    """Look at everything that does not need the memory to be opened: that may be what is broken."""
    yield Finding("remanent", True, version("remanent"))
    yield Finding("python", True, f"{platform.python_version()}, {platform.platform(terse=True)}, {platform.machine()}")
    yield _settings(screen, place)
    yield from _store(screen, settings)
    yield _home(screen, settings.home)
    yield _disk(screen, settings.home)
    yield _embedder(screen, settings)
    yield Finding("engine", True, settings.engine)


def _audit(screen: Terminal, settings: Settings, *, written: bool) -> Iterator[Finding]:
    """Verify the audit log of every organisation, and, where all else is `written`, whether it can be written."""
    log = open_audit(open_shelf(settings), settings)
    lines, orgs, standing = 0, list[str](), log.standing()
    troubles = [translated(standing.problem, screen.language)] if written and standing.failing else []
    try:
        orgs = log.orgs()
    except RemanentError as error:
        troubles.append(translated(str(error), screen.language))
    for org in orgs:
        try:
            found = log.verify(org)
        except RemanentError as error:
            troubles.append(f"{org}: {translated(str(error), screen.language)}")
            continue
        lines += found.lines
        if not found.intact:
            troubles.append(screen.word(words.AUDIT_DAMAGED, org=org, problem=found.problem))
    yield from (Finding("audit", False, trouble) for trouble in troubles)
    if not troubles:
        yield Finding("audit", True, screen.word(words.AUDIT_INTACT, lines=lines, orgs=len(orgs)))


def _erasures(screen: Terminal, settings: Settings) -> Iterator[Finding]:
    """Name erasures that a crash cut short, before the memory is opened: opening it carries them to their end."""
    for begun in PendingErasures(open_shelf(settings)).interrupted():
        begun.release()
        yield Finding("erasure", None, screen.word(words.ERASURE_CUT_SHORT), agent=str(begun.scope.owner))


def _settings(screen: Terminal, place: CommonOptions) -> Finding:
    """Say where settings come from: most questions of support are about a file or a variable that nobody thought of."""
    sources = setting_sources(**place.overrides())
    found = []
    for where, names in sources.items():
        place_name = screen.word(words.SETTING_PLACES[where]) if where in words.SETTING_PLACES else where
        found.append(screen.word(words.SETTINGS_FROM, names=", ".join(names), place=place_name))
    return Finding("settings", True, "; ".join(found) or screen.word(words.SETTINGS_DEFAULT))


def _store(screen: Terminal, settings: Settings) -> Iterator[Finding]:
    """Look at the engine of files, or ask the database whether its tables are those of this version."""
    if is_embedded(settings):
        yield _sqlite(screen)
        is_on = checksums_available()
        yield Finding("checksums", is_on or None, screen.word(words.CHECKSUMS_ON if is_on else words.CHECKSUMS_OFF))
        return
    before, newest = asyncio.run(migrate_store(settings, dry_run=True))
    if before in {0, newest}:  # those of an empty database are made at the first use
        yield Finding("tables", True, screen.word(words.UP_TO_DATE, step=newest))
    else:
        yield Finding("tables", False, screen.word(words.TABLES_OLD, step=before, newest=newest))


def _sqlite(screen: Terminal) -> Finding:
    """Check that the engine is newer than the bug by which resetting a WAL could corrupt a database."""
    found, safe = (".".join(map(str, number)) for number in (engine_version(), OLDEST_SAFE))
    if engine_version() >= OLDEST_SAFE:
        return Finding("sqlite", True, screen.word(words.SQLITE_SAFE, version=found))
    return Finding("sqlite", False, screen.word(words.SQLITE_UNSAFE, version=found, safe=safe))


def _home(screen: Terminal, home: Path) -> Finding:
    """Check that the home folder can be written, without making it: looking must leave no trace."""
    try:
        Layout(home).require_writable()
    except RemanentError as error:
        return Finding("home", False, screen.word(words.HOME_CLOSED, reason=error))
    return Finding("home", True, str(home) if home.exists() else screen.word(words.HOME_NEW, path=home))


def _disk(screen: Terminal, home: Path) -> Finding:
    """Check the free space where the home folder is, or will be."""
    usage = shutil.disk_usage(_existing(home))
    enough = usage.free >= _LEAST_FREE
    phrase = words.DISK_FREE if enough else words.DISK_LOW
    return Finding("disk", enough, screen.word(phrase, free=human_size(usage.free), total=human_size(usage.total)))


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _embedder(screen: Terminal, settings: Settings) -> Finding:
    """Load the embedder and time it: a wrong model or a slow machine shows here first."""
    try:
        embedder = open_embedder(settings.embedder, embedding=settings.embedding)
        if embedder is None:
            return Finding("embedder", None, screen.word(words.EMBEDDER_OFF))
        loading, embedding = asyncio.run(_time(embedder))
    except RemanentError as error:
        return Finding("embedder", False, str(error))
    speed = len(_PROBE) / max(embedding, 1e-6)
    detail = screen.word(
        words.EMBEDDER_ON, model=embedder.model_id, dimension=embedder.dimension, seconds=loading, speed=speed
    )
    return Finding("embedder", True, detail)


async def _time(embedder: Embedder) -> tuple[float, float]:
    """Return the seconds that the first text takes, and those of the probe after it."""
    begun = time.perf_counter()
    await embedder.embed(_PROBE[:1])
    loaded = time.perf_counter()
    await embedder.embed(_PROBE)
    await embedder.close()
    return loaded - begun, time.perf_counter() - loaded


def _agents(screen: Terminal, memory: Memory, layout: Layout, *, wanted: _Scope) -> list[Finding]:
    """Examine every agent that was asked for; those whose database is gone are told of first."""
    lost = [scope for scope in layout.lost_scopes() if wanted.chooses(scope)]
    stored = [scope for scope in memory.agents() if wanted.chooses(scope)]
    findings = [_missing(screen, layout, scope) for scope in lost]
    if not lost and not stored:
        if wanted.agent is not None:
            raise NotFound(f"nothing is stored for {wanted.settings.org}/{wanted.settings.workspace}/{wanted.agent}")
        findings.append(Finding("agents", None, screen.word(words.NO_AGENTS)))
    with screen.meter(words.EXAMINING, total=len(stored)) as meter:
        for scope in stored:
            meter.note(str(scope))
            agent = memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
            findings += _agent(screen, agent, layout)
            meter.advance()
    return findings


def _missing(screen: Terminal, layout: Layout, scope: Scope) -> Finding:
    """Tell of a folder without its database, and of copies beside it that could take its place."""
    names = ", ".join(path.name for path in layout.copies(scope))
    beside = screen.word(words.COPIES_BESIDE, names=names) if names else ""
    detail = screen.word(words.DATABASE_MISSING, folder=layout.folder(scope), copies=beside)
    return Finding("database", False, detail, str(scope))


def _agent(screen: Terminal, agent: Agent, layout: Layout) -> Iterator[Finding]:
    """Examine one agent: its schema, its pages, what lies beside the database, and its queue."""
    name = str(agent.scope)
    schema = layout.schema(agent.scope)
    try:
        health = agent.admin.check()
    except SchemaTooNew as error:
        yield Finding("schema", False, screen.word(words.SCHEMA_NEW, reason=error), name)
        return
    except IntegrityError as error:
        yield Finding("integrity", False, screen.word(words.DAMAGED, problems=error), name)
        return
    except RemanentError as error:
        yield Finding("access", False, screen.word(words.NOT_EXAMINED, reason=error), name)
        return
    if health.problems:
        yield Finding("integrity", False, screen.word(words.DAMAGED, problems="; ".join(health.problems)), name)
        return
    size = human_size(health.bytes_on_disk)
    counts = {"entries": health.entries, "records": health.records, "vectors": health.vectors}
    yield Finding("integrity", True, screen.word(words.SOUND, size=size, **counts), name)
    if 0 < schema < health.schema:
        values = {"found": schema, "now": health.schema, "backup": layout.backup(agent.scope, schema)}
        yield Finding("schema", None, screen.word(words.SCHEMA_OLD, **values), name)
    yield from _beside(screen, health, name)
    yield from _clock(screen, agent, name)
    if copies := ", ".join(path.name for path in layout.copies(agent.scope)):
        yield Finding("copies", None, screen.word(words.COPIES, names=copies), name)
    yield _queue(screen, agent, name)


def _beside(screen: Terminal, health: Health, name: str) -> Iterator[Finding]:
    """Yield what is wrong with the files that lie beside a database."""
    for check, problems, phrase in (
        ("vectors", health.indexes, words.INDEX_DAMAGED),
        ("attachments", health.attachments, words.ATTACHMENTS_DAMAGED),
    ):
        if problems:
            yield Finding(check, False, screen.word(phrase, problems="; ".join(problems)), name)


def _clock(screen: Terminal, agent: Agent, name: str) -> Iterator[Finding]:
    """Yield that a clock was set back: what was recorded before it carries a time that has not come yet."""
    now = system_clock()
    ahead = [
        entry.recorded_at
        for entry in agent.entries(newest_first=True, limit=_LOOKED_BACK)
        if entry.recorded_at > now + _CLOCKS_DIFFER
    ]
    if ahead:
        values = {"count": len(ahead), "latest": local_time(max(ahead)), "now": local_time(now)}
        yield Finding("clock", None, screen.word(words.CLOCK_BACK, **values), name)


def _queue(screen: Terminal, agent: Agent, name: str) -> Finding:
    """Tell of work that was given up, or that waits."""
    state = agent.admin.queue()
    if state.dead:
        last = agent.admin.dead_letters()[-1]
        return Finding("queue", False, screen.word(words.QUEUE_DEAD, dead=state.dead, error=last.error), name)
    if state.oldest is None:
        return Finding("queue", True, screen.word(words.QUEUE_EMPTY), name)
    waiting = state.pending + state.running
    detail = screen.word(words.QUEUE_STATE, waiting=waiting, since=local_time(state.oldest))
    failed = next((job for job in agent.admin.jobs(states=["pending"]) if job.error and job.not_before), None)
    if failed is not None and failed.not_before is not None:
        again = local_time(failed.not_before)
        detail += screen.word(words.QUEUE_POSTPONED, error=failed.error, again=again)
    return Finding("queue", None, detail, name)


def _show(screen: Terminal, findings: list[Finding]) -> None:
    """Show the findings as a table, and whether all is well."""
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


def _repair(screen: Terminal, memory: Memory, findings: list[Finding]) -> dict[str, str]:
    """Save what is readable of each damaged agent; the damaged file itself is never touched."""
    copies: dict[str, str] = {}
    damaged = {finding.agent for finding in findings if finding.check == "integrity" and finding.ok is False}
    for scope in memory.agents():
        name = str(scope)
        if name not in damaged:
            continue
        try:
            copy = memory.agent(scope.agent, workspace=scope.workspace, org=scope.org).admin.repair()
        except RemanentError as error:
            screen.tell(words.NOT_REPAIRED, style="red", agent=name, reason=error)
            continue
        copies[name] = str(copy)
        screen.tell(words.REPAIRED, agent=name, path=copy, folder=copy.parent, name=copy.name)
    return copies


def migrate(place: CommonOptions, *, dry_run: bool) -> None:
    """Bring the tables of the configured store up to date, or say what would be done."""
    screen, settings = begin(place)
    before, after = asyncio.run(migrate_store(settings, dry_run=dry_run))
    if place.as_json:
        screen.give({"before": before, "after": before if dry_run else after, "newest": after, "dry_run": dry_run})
    elif before == after:
        screen.tell(words.UP_TO_DATE, step=after)
    else:
        screen.tell(words.WOULD_MIGRATE if dry_run else words.MIGRATED, before=before, after=after)


def move(place: CommonOptions, *, source: str, target: str) -> None:
    """Copy every agent from one store to another, and prove it."""
    screen, _ = begin(place)
    require_two(source, target)
    moved = asyncio.run(_move(_open(place, source), _open(place, target)))
    if place.as_json:
        screen.give([{**_plain(one), "counts": dict(one.counts)} for one in moved])
        return
    rows = [
        (str(one.scope), str(one.counts["entry"]), str(one.counts["record"]), str(one.files), one.sha256[:16])
        for one in moved
    ]
    screen.rows(words.MOVED_HEADINGS, rows)
    screen.tell(words.MOVED, count=sum(one.copied for one in moved), there=sum(not one.copied for one in moved))


def _open(place: CommonOptions, url: str) -> Stores:
    """Open another store than the configured one; raw files are kept as the settings say."""
    return open_stores(load_settings(**{**place.overrides(), "store": url}))


async def _move(source: Stores, target: Stores) -> list[MovedAgent]:
    """Copy the agents, then what belongs to none; both ends are closed whatever happens."""
    try:
        moved = [one async for one in move_agents(source, target)]
        await move_shelf(source.shelf, target.shelf)
        return moved
    finally:
        for stores in (source, target):
            await stores.vectors.close()
            await stores.store.close()
            stores.shelf.close()


def _plain(one: MovedAgent) -> dict[str, object]:
    return {"agent": str(one.scope), "sha256": one.sha256, "files": one.files, "copied": one.copied}


def check_roles(place: CommonOptions, *, minutes: float, dry_run: bool, file: Path | None) -> None:
    """Examine the model of the settings in every role, and write the profile that follows from its marks."""
    screen, settings = begin(place)
    if not settings.uses_model:
        raise InvalidSettings("there is no model to examine: set model.provider and model.name, or model.base_url")
    with screen.meter(words.EXAMINING_MODEL, total=len(EXERCISES)) as meter:
        marks = asyncio.run(_marks(settings, seconds=60 * minutes, meter=meter))
    profile = {"model": {"roles": {mark.role: {"engine": mark.engine} for mark in marks}}}
    target = None if dry_run else _write_profile(profile, file or profile_file())
    if place.as_json:
        screen.give({"marks": marks, "profile": profile, "file": None if target is None else str(target)})
        return
    screen.out.print(_marks_table(screen, marks))
    if target is not None:
        screen.tell(words.PROFILE_WRITTEN, file=str(target))


async def _marks(settings: Settings, *, seconds: float, meter: ProgressMeter) -> list[RoleMarks]:
    """Return how well a model does each role beside the offline engine."""
    # One attempt each: an examination that waits for a server to recover marks the server.
    model = ModelEngine(settings.model.model_copy(update={"attempts": 1}))

    async def report(exercise: Exercise) -> None:
        meter.note(exercise.role)
        meter.advance()

    try:
        return await examine_model(model, OfflineEngine(), seconds=seconds, report=report)
    finally:
        await model.close()


def _marks_table(screen: Terminal, marks: list[RoleMarks]) -> Table:
    """Lay the marks out: what the model did beside what is done without one."""
    table = Table(box=None, pad_edge=False)
    for heading in words.MARK_HEADINGS:
        table.add_column(screen.word(heading))
    for mark in marks:
        seconds = f"{mark.seconds:.0f}" if mark.looked_at else "–"
        right = f"{mark.right}/{mark.exercises}" if mark.looked_at else "–"
        offline = f"{mark.offline}/{mark.exercises}"
        table.add_row(mark.role, right, str(mark.refused), offline, seconds, mark.engine)
    return table


def _write_profile(profile: dict[str, Any], file: Path) -> Path:
    """Put the profile into a configuration file; what else it holds stays, and the old file is kept beside it."""
    import yaml  # type: ignore[import-untyped]

    text = yaml.safe_dump(read_profile(file, profile), allow_unicode=True, sort_keys=False)
    make_folder(file.parent)
    # Private, as everything written so: they may hold a key.
    with suppress(FileNotFoundError):
        write_durably(file.with_name(f"{file.name}.bak"), file.read_bytes())
    write_durably(file, text.encode())
    return file
