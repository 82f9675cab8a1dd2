"""Traces: a span for the request, one for the operation inside of it, named as the conventions have it."""

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from remanent.errors import InvalidInput
from remanent.operations import CATALOGUE
from remanent.plugins import OURS, ours_available
from remanent.server.telemetry import Tracer

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def traced() -> tuple[InMemorySpanExporter, Tracer]:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    return kept, Tracer(provider)


def test_an_operation_is_traced_inside_of_its_request_and_within_the_callers_trace() -> None:
    kept, tracer = traced()
    scope = {"type": "http", "method": "POST", "headers": [(b"traceparent", PARENT.encode())], "state": {}}
    with tracer.request(scope):
        scope["state"]["route"] = "/v1/x"  # type: ignore[index]
        with tracer.operation("recall", agent="ada", act="search_memory"):
            pass
    operation, request = kept.get_finished_spans()
    assert (request.name, operation.name) == ("POST /v1/x", "search_memory")
    assert operation.parent is not None
    assert operation.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == PARENT.split("-")[1]
    assert dict(operation.attributes or {}) == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.provider.name": "remanent",
        "gen_ai.agent.name": "ada",
        "gen_ai.memory.store.id": "ada",
    }


@pytest.mark.needs("bank")
def test_operations_are_called_what_the_conventions_call_them() -> None:
    kept, tracer = traced()
    for name in ("remember", "forget", "erase", "bank.run"):
        with tracer.operation(name, agent="ada", act=CATALOGUE[name].act):
            pass
    with tracer.chat(agent="ada", host="api.example.org"):
        pass
    spans = kept.get_finished_spans()
    assert [span.name for span in spans] == [
        "create_memory",
        "update_memory",
        "delete_memory",
        "execute_tool bank.run",
        "chat",
    ]
    assert (spans[3].attributes or {})["gen_ai.tool.name"] == "bank.run"
    assert (spans[4].attributes or {})["server.address"] == "api.example.org"


def test_a_span_names_the_error_and_never_what_it_says() -> None:
    kept, tracer = traced()
    with pytest.raises(InvalidInput), tracer.operation("recall", agent="ada", act="search_memory"):
        raise InvalidInput("the secret word is swordfish")
    (span,) = kept.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "InvalidInput"
    assert "swordfish" not in span.to_json()


def test_operations_say_themselves_what_traces_call_them() -> None:
    acts = {name: one.act for name, one in CATALOGUE.items() if one.act is not None}
    expected = {
        "associative.remember": "create_memory",
        "bank.observe": "create_memory",
        "cognition.add": "create_memory",
        "cognition.propose": "create_memory",
        "cognition.set_role": "update_memory",
        "knowledge.add": "create_memory",
        "knowledge.add_chunk": "create_memory",
        "knowledge.add_upload": "create_memory",
        "knowledge.fetch": "create_memory",
        "remember": "create_memory",
        "workspace.end": "create_memory",
        "cognition.clean": "delete_memory",
        "cognition.forget": "delete_memory",
        "cognition.revoke": "delete_memory",
        "erase": "delete_memory",
        "knowledge.remove": "delete_memory",
        "bank.clear": "delete_memory_store",
        "associative.recall": "search_memory",
        "associative.search": "search_memory",
        "bank.search": "search_memory",
        "cognition.brief": "search_memory",
        "knowledge.ask": "search_memory",
        "knowledge.search": "search_memory",
        "knowledge.verify": "search_memory",
        "recall": "search_memory",
        "workspace.recalled": "search_memory",
        "workspace.search": "search_memory",
        "associative.restore": "update_memory",
        "cognition.amend": "update_memory",
        "cognition.approve": "update_memory",
        "cognition.confirm": "update_memory",
        "cognition.edit": "update_memory",
        "cognition.feedback": "update_memory",
        "cognition.grant": "update_memory",
        "cognition.pin": "update_memory",
        "cognition.refuse": "update_memory",
        "cognition.resolve": "update_memory",
        "cognition.restore": "update_memory",
        "forget": "update_memory",
        "knowledge.edit_chunk": "update_memory",
        "restore": "update_memory",
        "workspace.compact": "update_memory",
        "workspace.memory": "update_memory",
        "workspace.undo": "update_memory",
    }
    gone = tuple(f"{name}." for name in OURS if name not in ours_available())
    assert acts == {name: act for name, act in expected.items() if not name.startswith(gone)}
