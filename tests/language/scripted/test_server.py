"""The scripted server itself: it must complain, or the tests that stand on it prove nothing."""

import asyncio
import json

import pytest

from tests.language.scripted.places import crowded, nobody
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import CHAT, EMBEDDINGS, Step, embeds, gives, says, stalls

QUESTION = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


async def ask(server: ScriptedServer, path: str = CHAT, body: object = QUESTION) -> tuple[int, str]:
    host, port = server.origin.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    data = json.dumps(body).encode()
    writer.write(f"POST {path} HTTP/1.1\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    answer = (await reader.read()).decode()
    writer.close()
    return int(answer.split(" ")[1]), answer.partition("\r\n\r\n")[2]


async def test_the_steps_are_played_in_their_order() -> None:
    async with ScriptedServer(says("one"), says("two"), forever=says("more")) as server:
        said = [json.loads((await ask(server))[1])["choices"][0]["message"]["content"] for _ in range(4)]
    assert said == ["one", "two", "more", "more"]


async def test_a_request_that_no_step_expects_is_complained_about() -> None:
    with pytest.raises(AssertionError, match="a request that no step expects: hello"):
        async with ScriptedServer(says("one")) as server:
            statuses = [(await ask(server))[0] for _ in range(2)]
    assert statuses == [200, 418]


async def test_a_step_that_is_left_over_is_complained_about() -> None:
    with pytest.raises(AssertionError, match="steps that were not used: says 'two'"):
        async with ScriptedServer(says("one"), says("two")) as server:
            await ask(server)


@pytest.mark.parametrize(
    ("step", "path", "complaint"),
    [
        (says("x").expecting("goodbye"), CHAT, r"lacks \['goodbye'\]"),
        (says("x").expecting(without=["hello"]), CHAT, r"should not hold \['hello'\]"),
        (says("x"), EMBEDDINGS, f"{EMBEDDINGS} was asked, not {CHAT}"),
    ],
)
async def test_a_request_that_differs_from_what_was_expected_is_complained_about(
    step: Step, path: str, complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        async with ScriptedServer(step) as server:
            await ask(server, path)


async def test_another_error_is_not_hidden_by_a_complaint() -> None:
    with pytest.raises(ZeroDivisionError):
        async with ScriptedServer(says("unused")):
            raise ZeroDivisionError


async def test_streams_tools_and_vectors_have_the_form_of_the_api() -> None:
    tools = [{"type": "function", "function": {"name": "reply", "parameters": {}}}]
    steps = (says("a b c"), gives({"a": 1}), embeds(lambda texts: [[float(len(text))] for text in texts]))
    async with ScriptedServer(*steps) as server:
        _, stream = await ask(server, body={**QUESTION, "stream": True})
        _, call = await ask(server, body={**QUESTION, "tools": tools})
        _, vectors = await ask(server, EMBEDDINGS, {"model": "m", "input": ["ab", "c"]})
    assert stream.count("data: {") == 6
    assert stream.endswith("data: [DONE]\n\n\r\n0\r\n\r\n")
    function = json.loads(call)["choices"][0]["message"]["tool_calls"][0]["function"]
    assert function == {"name": "reply", "arguments": '{"a": 1}'}
    assert [row["embedding"] for row in json.loads(vectors)["data"]] == [[2.0], [1.0]]


async def test_a_server_that_stalls_can_be_left() -> None:
    async with asyncio.timeout(30), ScriptedServer(stalls("start")) as server:
        asking = asyncio.create_task(ask(server))
        await server.was_asked.wait()
    await asyncio.gather(asking, return_exceptions=True)


async def test_nobody_refuses_and_the_crowded_place_lets_wait() -> None:
    with nobody() as address, pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2].partition("/")[0]))
    with crowded() as address, pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2].partition("/")[0]))
