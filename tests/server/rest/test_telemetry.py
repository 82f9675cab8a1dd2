"""Traces: a span for the request, one for the operation inside of it, named as the conventions have it."""

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from remanent.server.telemetry import Tracer

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_an_operation_is_traced_inside_of_its_request_and_within_the_callers_trace() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = Tracer(provider)
    scope = {"type": "http", "method": "POST", "headers": [(b"traceparent", PARENT.encode())], "state": {}}
    with tracer.request(scope):
        scope["state"]["route"] = "/v1/x"  # type: ignore[index]
        with tracer.operation("recall", agent="ada"):
            pass
    operation, request = kept.get_finished_spans()
    assert (request.name, operation.name) == ("POST /v1/x", "retrieval recall")
    assert operation.parent is not None
    assert operation.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == PARENT.split("-")[1]
    assert dict(operation.attributes or {}) == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.provider.name": "remanent",
        "gen_ai.tool.name": "recall",
        "gen_ai.agent.name": "ada",
    }
