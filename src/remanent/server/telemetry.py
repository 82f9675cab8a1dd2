"""Traces by OpenTelemetry, where it is installed; names follow its conventions for HTTP and for generative AI."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Scope

from remanent.discipline import MemoryAct

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
