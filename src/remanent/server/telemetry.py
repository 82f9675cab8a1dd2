"""Traces by OpenTelemetry, where it is installed; names follow its conventions for HTTP and for generative AI."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Scope

_KIND_OF = {"recall": "retrieval", "remember": "memory_write"}


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
    def operation(self, name: str, *, agent: str | None) -> Iterator[None]:
        """Trace one operation."""
        tracer = self._tracer
        if tracer is None:
            yield
            return
        with tracer.start_as_current_span(f"{_KIND_OF.get(name, 'execute_tool')} {name}") as span:
            span.set_attribute("gen_ai.operation.name", _KIND_OF.get(name, "execute_tool"))
            span.set_attribute("gen_ai.provider.name", "remanent")
            span.set_attribute("gen_ai.tool.name", name)
            if agent is not None:
                span.set_attribute("gen_ai.agent.name", agent)
            yield
