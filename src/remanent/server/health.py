"""Whether the server can do its work: what `/readyz` tells, and the warm-up that it waits for.

A server listens before its models are loaded, so that a supervisor sees it live at once, and calls itself ready after
that, so that no request has to wait for a model. What is told here names no tenant: anybody may ask.
"""

import asyncio
import logging
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from remanent.errors import RemanentError
from remanent.memory import AsyncMemory
from remanent.model import Model, system_clock
from remanent.operations.access.audit import AuditLog, AuditStatus
from remanent.text.chinese import segmenter

_logger = logging.getLogger(__name__)


class Warmup:
    """Loads the models, then the indexes of the agents that were used last."""

    def __init__(self, memory: AsyncMemory, *, agents: int) -> None:
        self._memory = memory
        self._agents = agents
        self.models = asyncio.Event()
        """Set when the models are loaded, as far as they can be: from then on the server calls itself ready."""
        self.done = asyncio.Event()
        """Set when the indexes are loaded, too."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be at work while this lasts; whatever is not done at the end is left."""
        task = asyncio.create_task(self._warm(), name="remanent serve: warming")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _warm(self) -> None:
        """Load the models, then the indexes; whatever fails is loaded by the first request that needs it."""
        try:
            await self._memory.warm(agents=0)
            # Its dictionary takes 0.15 s, in which nothing else runs: not while somebody waits for an answer.
            await asyncio.to_thread(segmenter)
            self.models.set()
            await self._memory.warm(agents=self._agents)
            self.done.set()
        except RemanentError as error:
            _logger.warning("not everything could be loaded beforehand: %s", type(error).__name__)
        finally:
            self.models.set()


_MAX_AGENTS_CHECKED = 50
"""Agents in use whose queues are looked at."""


class HealthCheck(Model):
    """What one check found."""

    check: str
    ok: bool
    detail: str = ""
    ms: float = 0.0


class Readiness(Model):
    """Whether the server can do its work now, and whether somebody should look after it nevertheless."""

    ready: bool
    degraded: bool = False
    """It serves, and a person should look: an audit log is damaged, or a provider that work waits for is down."""
    checks: tuple[HealthCheck, ...]


async def readiness(
    memory: AsyncMemory, *, oldest: float, audit: AuditLog | None = None, warming: Warmup | None = None
) -> Readiness:
    """Write and sync a file, open the schema of the agents in use, look how long work has waited and what is loaded."""
    standing = AuditStatus()
    checks = [await _write(memory.settings.home), *await _queues(memory, oldest=oldest)]
    outages = memory.outages()
    if outages:  # memory serves on: what was said is kept, and becomes memories when the provider is back
        checks.append(HealthCheck(check="provider", ok=True, detail=outages[-1]))
    if warming is not None:
        loaded = warming.models.is_set()
        checks.append(HealthCheck(check="models", ok=loaded, detail="" if loaded else "the models are being loaded"))
    if audit is not None:
        standing = await asyncio.to_thread(audit.standing)
        checks.append(HealthCheck(check="audit", ok=not standing.failing, detail=_told(standing)))
    ready = all(check.ok for check in checks)
    return Readiness(ready=ready, degraded=bool(standing.damaged or outages), checks=tuple(checks))


def _told(standing: AuditStatus) -> str:
    """Say how the audit logs stand, without naming whose."""
    if standing.failing:
        return "the audit log cannot be written, so that nothing is changed"
    if standing.damaged:
        return f"the audit log of {standing.damaged} organisation(s) is damaged; `remanent doctor` tells where"
    return ""


async def _write(home: Path) -> HealthCheck:
    """Check that the disk takes a write: a full or read-only one is found here before a caller finds it."""
    begun = time.perf_counter()
    try:
        await asyncio.to_thread(_probe, home)
    except OSError as error:
        return HealthCheck(check="write", ok=False, detail=error.strerror or type(error).__name__)
    return HealthCheck(check="write", ok=True, ms=round(1000 * (time.perf_counter() - begun), 2))


def _probe(home: Path) -> None:
    """Write a file without a name and sync it; it is gone again as soon as it is closed."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=home) as file:
        file.write(b"ready?")
        file.flush()
        os.fsync(file.fileno())


async def _queues(memory: AsyncMemory, *, oldest: float) -> tuple[HealthCheck, HealthCheck]:
    """Look at the agents in use; nothing of what is said names one."""
    try:
        states = await memory.backlog(limit=_MAX_AGENTS_CHECKED)
    except RemanentError as error:
        name = type(error).__name__
        return HealthCheck(check="schema", ok=False, detail=name), HealthCheck(check="queue", ok=False, detail=name)
    waiting = (state.oldest for state in states if state.oldest is not None)
    age = max(((system_clock() - since).total_seconds() for since in waiting), default=0.0)
    queue = HealthCheck(check="queue", ok=age <= oldest, detail=f"the oldest waiting job is {age:.0f} s old")
    return HealthCheck(check="schema", ok=True), queue
