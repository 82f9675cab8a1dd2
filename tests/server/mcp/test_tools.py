"""What models are shown, and that it is little, plain and in one language."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Tool, operation
from remanent.discipline.shapes import Done
from remanent.errors import InvalidInput
from remanent.memory import aopen
from remanent.model import Model
from remanent.operations import CATALOGUE, LOCAL, Catalogue, Operation, Permission, Service, Target
from remanent.operations.call import ServiceCall
from remanent.server.mcp.server import MAX_BODY, MAX_VALUES
from remanent.server.mcp.tools import MAX_TOOLS, Tools, check_offered, chosen, input_schema, offered
from tests.server.mcp.world import served

TOOLS = chosen(CATALOGUE)


class Ask(Model):
    """A request."""

    text: str


def made(number: int) -> Operation[Any, Any]:
    @operation(
        f"do_{chr(97 + number)}",
        zh="做",
        permission=Permission.READ,
        tool=Tool(f"tool_{number}", Bilingual("Do it.", "做。")),
    )
    async def handler(_: ServiceCall, __: Ask) -> Done:
        """Do it."""
        return Done()

    return handler


def test_the_catalogue_offers_what_an_agent_needs_and_every_tool_fits() -> None:
    hinted = [one.tool.name for one in CATALOGUE.values() if one.tool is not None]
    assert {"remember", "recall", "history", "forget", "restore"} <= set(hinted)
    assert list(TOOLS) == hinted, "a tool is left out: there are too many of them"


def test_however_much_the_catalogue_holds_a_model_is_shown_fewer_than_fourteen(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = chosen(Catalogue(made(number) for number in range(20)))
    assert list(tools) == [f"tool_{number}" for number in range(MAX_TOOLS)]
    assert MAX_TOOLS < 14
    assert "tool_19 is not offered" in caplog.text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_is_small_plain_and_in_one_language(name: str, language: Any) -> None:
    schema = input_schema(TOOLS[name], language=language)
    text = json.dumps(schema, ensure_ascii=False)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(offered(TOOLS[name]))
    assert not any(word in text for word in ("$ref", "$defs", "anyOf", "null", "x-zh", '"title"'))
    assert len(text) < 2000
    described = [field["description"] for field in schema["properties"].values() if "description" in field]
    assert described
    assert all(any("一" <= sign <= "鿿" for sign in words) is (language == "zh") for words in described)


def test_a_message_is_offered_as_an_object_with_the_fields_that_models_use() -> None:
    messages = input_schema(TOOLS["remember"], language="en")["properties"]["messages"]
    assert set(messages["items"]["properties"]) == {"content", "role", "occurred_at", "id"}
    assert messages["items"]["properties"]["content"] == {"type": "string"}
    assert messages["items"]["required"] == ["content"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"messages": ["x"], "task": "t"}, "no argument task"),
        ({"messages": [{"content": "x", "origin": "web"}]}, r"no argument messages\.origin"),
        ({"message": "x"}, "use one of messages, session"),
    ],
)
def test_what_was_not_offered_is_refused_by_name(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        check_offered(arguments, offered(TOOLS["remember"]))


@pytest.mark.spec("SAFE-02")
async def test_a_call_waits_for_the_turn_of_its_organisation(tmp_path: Path) -> None:
    turns: list[str] = []

    @asynccontextmanager
    async def turn(org: str) -> AsyncIterator[None]:
        turns.append(org)
        yield

    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        tools = Tools(service, turn=turn)

        async def call(name: str, **arguments: Any) -> None:
            place = Target(org="acme", workspace="lab", agent="ada")
            await tools.call(name, arguments, place=place, principal=LOCAL, report=lambda _: None)

        await call("remember", messages=["Ann lives in Rome"])
        assert turns == ["acme"]


@pytest.mark.spec("SAFE-02")
async def test_long_work_such_as_a_banks_takes_no_turn(tmp_path: Path) -> None:
    turns: list[str] = []

    @asynccontextmanager
    async def turn(org: str) -> AsyncIterator[None]:
        turns.append(org)
        yield

    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        tools = Tools(service, turn=turn)

        async def call(name: str, **arguments: Any) -> None:
            place = Target(org="acme", workspace="lab", agent="ada")
            await tools.call(name, arguments, place=place, principal=LOCAL, report=lambda _: None)

        long = next(name for name, operation in chosen(service.catalogue).items() if operation.long)
        await call(long)
        assert turns == []


@pytest.mark.spec("SAFE-02")
async def test_a_message_that_takes_long_to_read_is_refused_before_it_is_read(tmp_path: Path) -> None:
    async with served(tmp_path) as server, httpx2.AsyncClient(base_url=server.address) as http:
        head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        many = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": [' + b"1," * MAX_VALUES + b"1]}}"
        assert (await http.post("/mcp", content=many, headers=head)).status_code == 422
        large = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "' + b"x" * MAX_BODY + b'"}}'
        assert (await http.post("/mcp", content=large, headers=head)).status_code == 413


@pytest.mark.parametrize(("language", "begins"), [("en", "It did not work: query"), ("zh", "未能完成: 问题为空")])
async def test_an_error_of_a_call_without_words_is_in_the_language_of_who_started_the_server(
    tmp_path: Path, language: Any, begins: str
) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        tools, place = Tools(service, language=language), Target(org="acme", workspace="lab", agent="ada")
        call = partial(tools.call, place=place, principal=LOCAL, report=lambda _: None)
        assert told(await call("recall", {"query": ""})).startswith(begins)
        assert told(await call("recall", {"query": "我住在哪里？", "limit": -1})).startswith("未能完成")
        (first, *_) = tools.listed(LOCAL)
        assert any("一" <= sign <= "鿿" for sign in str(first.description)) is (language == "zh")


def told(result: Any) -> str:
    return str(result.content[0].text)
