"""Traces by OpenTelemetry, where it is installed; names follow its conventions for HTTP and for generative AI."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Scope

_KIND_OF = {"recall": "retrieval", "remember": "memory_write"}


class Tracer:
    """Opens a span for each request and each operation; does nothing where the API is not installed."""

    def __init__(self, provider: Any = None) -> None:
        self._tracer: Any = None
        try:
            from opentelemetry import trace
        except ImportError:
            return
        self._tracer = trace.get_tracer("remanent", tracer_provider=provider)

    @contextmanager
    def request(self, scope: Scope) -> Iterator[None]:
        """Trace one HTTP request; the caller's own trace goes on in it."""
        if self._tracer is None:
            yield
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], context=extract(headers), kind=SpanKind.SERVER
        ) as span:
            span.set_attribute("http.request.method", scope["method"])
            try:
                yield
            finally:
                route = scope.get("state", {}).get("route")
                if route is not None:
                    span.set_attribute("http.route", route)
                    span.update_name(f"{scope['method']} {route}")

    @contextmanager
    def operation(self, name: str, *, agent: str | None) -> Iterator[None]:
        """Trace one operation."""
        if self._tracer is None:
            yield
            return
        with self._tracer.start_as_current_span(f"{_KIND_OF.get(name, 'execute_tool')} {name}") as span:
            span.set_attribute("gen_ai.operation.name", _KIND_OF.get(name, "execute_tool"))
            span.set_attribute("gen_ai.provider.name", "remanent")
            span.set_attribute("gen_ai.tool.name", name)
            if agent is not None:
                span.set_attribute("gen_ai.agent.name", agent)
            yield
