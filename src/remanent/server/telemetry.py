"""What a running server tells of itself: traces by OpenTelemetry, and figures for Prometheus.

Names follow OpenTelemetry's conventions for HTTP and for generative AI. Nothing that somebody said, and no name of a
tenant in a figure: telemetry goes to other people than memory does. Without the package, tracing costs nothing.

So is whether it can do its work: `/readyz`, and the warm-up that it waits for. A server listens before its models are
loaded, so that a supervisor sees it live at once, and calls itself ready after that, so that no request has to wait for
a model. What is told there names no tenant: anybody may ask.
"""

import asyncio
import logging
import os
import tempfile
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from starlette.types import Scope

from remanent.discipline import MemoryAct
from remanent.errors import RemanentError
from remanent.memory import AsyncMemory
from remanent.model import Model, UsageFigures, system_clock
from remanent.operations.access.audit import AuditLog, AuditStatus
from remanent.text.chinese import segmenter

SEARCH: MemoryAct = "search_memory"
_TOOL = "execute_tool"
"""What the conventions call operations that are none of a memory."""


class Tracer:
    """Opens a span for each request and each operation; does nothing where the API is not installed."""

    def __init__(self, provider: Any = None) -> None:
        self._own: Any = None
        self._listened: Callable[[], bool] = lambda: False
        try:
            from opentelemetry import trace
        except ImportError:
            return
        self._own = trace.get_tracer("remanent", tracer_provider=provider)
        # Somebody may set a provider up at any time; until then spans go nowhere, and cost time all the same.
        self._listened = lambda: (
            provider is not None or not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        )

    @property
    def _tracer(self) -> Any:
        return self._own if self._listened() else None

    @contextmanager
    def request(self, scope: Scope) -> Iterator[None]:
        """Trace one HTTP request; the caller's own trace goes on in it."""
        tracer = self._tracer
        if tracer is None:
            yield
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with tracer.start_as_current_span(scope["method"], context=extract(headers), kind=SpanKind.SERVER) as span:
            span.set_attribute("http.request.method", scope["method"])
            try:
                yield
            finally:
                route = scope.get("state", {}).get("route")
                if route is not None:
                    span.set_attribute("http.route", route)
                    span.update_name(f"{scope['method']} {route}")

    @contextmanager
    def operation(self, name: str, *, agent: str | None, act: MemoryAct | None) -> Iterator[None]:
        """Trace one operation; what was asked and answered is no part of it."""
        kind = act or _TOOL
        attributes = {"gen_ai.provider.name": "remanent"}
        if kind == _TOOL:
            attributes["gen_ai.tool.name"] = name
        if agent is not None:
            attributes["gen_ai.agent.name"] = agent
            if kind != _TOOL:
                attributes["gen_ai.memory.store.id"] = agent
        with self._span(f"{kind} {name}" if kind == _TOOL else kind, kind, attributes):
            yield

    @contextmanager
    def chat(self, *, agent: str, host: str) -> Iterator[None]:
        """Trace a chat that goes on to the model behind the proxy."""
        attributes = {"gen_ai.agent.name": agent, "server.address": host}
        with self._span("chat", "chat", attributes):
            yield

    @contextmanager
    def _span(self, name: str, kind: str, attributes: dict[str, str]) -> Iterator[None]:
        """Open a span; does nothing where nobody listens."""
        tracer = self._tracer
        if tracer is None:
            yield
            return
        # An error's message may hold what somebody said: its name alone is told.
        with tracer.start_as_current_span(
            name,
            attributes={"gen_ai.operation.name": kind, **attributes},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except Exception as error:
                from opentelemetry.trace import Status, StatusCode

                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; the buckets that Prometheus' own client libraries have by default."""


class Metrics:
    """Counts requests by route, method and status, and how long they took."""

    def __init__(self) -> None:
        self.under_way = 0
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request that has been answered."""
        self._requests[(route, method, status)] += 1
        self._buckets[route][bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, *, usage: UsageFigures | None = None, **gauges: float) -> str:
        """Return everything as Prometheus reads it."""
        lines = [
            "# HELP remanent_requests_total Requests by route, method and status.",
            "# TYPE remanent_requests_total counter",
        ]
        for (route, method, status), count in sorted(self._requests.items()):
            lines.append(f'remanent_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}')
        lines += [
            "# HELP remanent_request_seconds How long requests took.",
            "# TYPE remanent_request_seconds histogram",
        ]
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(str, _BOUNDS), "+Inf"), counts, strict=True):
                total += count
                lines.append(f'remanent_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'remanent_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'remanent_request_seconds_count{{route="{route}"}} {total}')
        lines += _usage(usage or UsageFigures())
        for name, value in {"requests_under_way": self.under_way, **gauges, **_process()}.items():
            lines += [f"# TYPE remanent_{name} gauge", f"remanent_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _usage(usage: UsageFigures) -> list[str]:
    """Return what models took, by model and by role."""
    embedding = [(f'{{model="{_label(one.model)}"}}', one) for one in usage.embedding]
    roles = [(f'{{role="{_label(one.role)}"}}', one) for one in usage.roles]
    counters: dict[str, list[tuple[str, float]]] = {
        "embedded_texts_total": [(label, one.texts) for label, one in embedding],
        "embedding_seconds_total": [(label, one.seconds) for label, one in embedding],
        "embedding_failures_total": [(label, one.failures) for label, one in embedding],
        "role_runs_total": [(label, one.runs) for label, one in roles],
        "role_requests_total": [(label, one.requests) for label, one in roles],
        "role_input_tokens_total": [(label, one.input_tokens) for label, one in roles],
        "role_output_tokens_total": [(label, one.output_tokens) for label, one in roles],
        "role_cost_dollars_total": [(label, one.cost) for label, one in roles if one.cost is not None],
        "role_failures_total": [(label, one.failures) for label, one in roles],
    }
    lines: list[str] = []
    for name, values in counters.items():
        if values:
            lines.append(f"# TYPE remanent_{name} counter")
            lines += [f"remanent_{name}{label} {value:g}" for label, value in values]
    return lines


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _process() -> dict[str, float]:
    """Return figures of this process; only Linux tells them without another library."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {"resident_memory_bytes": float(pages * os.sysconf("SC_PAGE_SIZE"))}


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
            _logger.warning("not everything could be loaded in advance: %s", type(error).__name__)
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
        await audit.try_again()
        standing = await asyncio.to_thread(audit.standing)
        checks.append(HealthCheck(check="audit", ok=not standing.failing, detail=_told(standing)))
    ready = all(check.ok for check in checks)
    return Readiness(ready=ready, degraded=bool(standing.damaged or outages), checks=tuple(checks))


def _told(standing: AuditStatus) -> str:
    """Say how the audit logs stand, without naming whose."""
    if standing.failing:
        return f"all changes are refused: {standing.problem}"
    if standing.damaged:
        return f"the audit log of {standing.damaged} organisation(s) is damaged; `remanent doctor` says where"
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
