"""The APIs that clients speak, by the vendors' own clients: what the model is shown, what comes back, what is kept."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.http.client import certificates
from remanent.model import EntryKind
from remanent.operations import Target
from remanent.settings import ProxySettings
from tests.language.scripted.steps import Step
from tests.server.proxy.steps import sends_raw, streams
from tests.server.proxy.world import MODEL, World, question, texts, world

FACT = "I moved to Lisbon in May."
ASKED = "Where did I move?"
PICTURE = "https://example.com/house.png"
RESPONSES, MESSAGES, CHAT = "/v1/responses", "/v1/messages", "/v1/chat/completions"


# ── what the model says ──────────────────────────────────────────────────────


def response(*output: dict[str, Any], status: str = "completed", name: str = "resp_1") -> dict[str, Any]:
    return {
        "id": name,
        "object": "response",
        "created_at": 1,
        "model": MODEL,
        "status": status,
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def output_text(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def function_call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": name, "arguments": arguments}


def message(*content: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }


def answers(value: dict[str, Any], path: str) -> Step:
    return sends_raw(200, json.dumps(value).encode(), path=path)


def events(*values: dict[str, Any], path: str) -> Step:
    pieces = [f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode() for value in values]
    return streams(*pieces, path=path)


def responds_in_pieces(*pieces: str, ends: bool = True) -> Step:
    item = output_text("")
    begun: list[dict[str, Any]] = [
        {"type": "response.created", "response": response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
    ]
    deltas: list[dict[str, Any]] = [
        {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": one}
        for one in pieces
    ]
    ended: list[dict[str, Any]] = [{"type": "response.completed", "response": response(output_text("".join(pieces)))}]
    return events(*_numbered([*begun, *deltas, *(ended if ends else [])]), path=RESPONSES)


def _numbered(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**value, "sequence_number": number} for number, value in enumerate(values)]


def says_in_pieces(*pieces: str, ends: bool = True) -> Step:
    begun: list[dict[str, Any]] = [
        {"type": "message_start", "message": message()},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    deltas: list[dict[str, Any]] = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in pieces
    ]
    ended: list[dict[str, Any]] = [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return events(*begun, *deltas, *(ended if ends else []), path=MESSAGES)


# ── one question in each API ─────────────────────────────────────────────────


async def ask_responses(here: World, *, stream: bool) -> str:
    async with here.client() as client:
        if not stream:
            return str((await client.responses.create(model=MODEL, input=ASKED)).output_text)
        coming = await client.responses.create(model=MODEL, input=ASKED, stream=True)
        return "".join([one.delta async for one in coming if one.type == "response.output_text.delta"])


async def ask_messages(here: World, *, stream: bool) -> str:
    asked = {"model": MODEL, "max_tokens": 50, "messages": [question(ASKED)]}
    async with here.anthropic() as client:
        if not stream:
            return str((await client.messages.create(**asked)).content[0].text)
        async with client.messages.stream(**asked) as coming:
            return "".join([text async for text in coming.text_stream])


Ask = Callable[..., Any]
WHOLE = {
    ask_responses: answers(response(output_text("To Lisbon.")), RESPONSES),
    ask_messages: answers(message({"type": "text", "text": "To Lisbon."}), MESSAGES),
}
PIECES = {ask_responses: responds_in_pieces("To ", "Lisbon."), ask_messages: says_in_pieces("To ", "Lisbon.")}


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("ask", WHOLE)
async def test_the_model_is_shown_what_is_remembered_and_the_turn_is_kept(
    tmp_path: Path, ask: Ask, is_stream: bool
) -> None:
    async with world(tmp_path, (PIECES if is_stream else WHOLE)[ask], place="question") as here:
        await here.agent().remember(FACT, session="earlier")
        assert await ask(here, stream=is_stream) == "To Lisbon."
        shown = here.upstream.requests[0].data.decode()
        assert FACT in shown
        assert shown.index(FACT) < shown.index(ASKED)
        assert await here.said() == [("user", FACT), ("user", ASKED), ("assistant", "To Lisbon.")]
        kept = (await here.journal())[-1]
        assert kept.metadata["model"] == MODEL
        assert kept.metadata["finish"] in {"stop", "end_turn"}
        assert "cut" not in kept.metadata


@pytest.mark.parametrize("ask", [ask_messages, ask_responses])
async def test_what_came_of_an_answer_that_broke_off_is_kept_and_marked(tmp_path: Path, ask: Ask) -> None:
    import anthropic
    import openai

    step = {ask_responses: responds_in_pieces, ask_messages: says_in_pieces}[ask]("To Lis", ends=False)
    async with world(tmp_path, step) as here:
        with contextlib.suppress(anthropic.AnthropicError, openai.OpenAIError, RuntimeError):
            await ask(here, stream=True)  # some clients complain, others give what came
        kept = (await here.kept(2))[-1]
        assert kept.text == "To Lis"
        assert kept.metadata["cut_by"] == "upstream"


# ── where the memory is put ──────────────────────────────────────────────────


def shown(here: World) -> dict[str, Any]:
    body: dict[str, Any] = here.upstream.requests[-1].body
    return body


async def put(home: Path, path: str, body: dict[str, Any], place: str) -> dict[str, Any]:
    """Send a request and return what of it reached the model."""
    async with world(home, answers({}, path), place=place) as here, httpx2.AsyncClient(verify=certificates()) as http:
        await here.agent("default").remember(FACT)
        await http.post(f"{here.address}{path}", json={"model": MODEL, **body})
        return shown(here)


def is_memory(text: object) -> bool:
    return isinstance(text, str) and FACT in text and ASKED not in text


async def test_inside_the_question_a_memory_stands_before_what_was_asked(tmp_path: Path) -> None:
    chat = await put(tmp_path / "a", CHAT, {"messages": [question("Hi"), question(ASKED)]}, "question")
    assert [one["role"] for one in chat["messages"]] == ["user", "user"]
    assert chat["messages"][0] == question("Hi")
    assert FACT in chat["messages"][1]["content"]
    assert chat["messages"][1]["content"].endswith(f"\n\n{ASKED}")
    parts = [{"type": "image_url", "image_url": {"url": PICTURE}}, {"type": "text", "text": ASKED}]
    chat = await put(tmp_path / "b", CHAT, {"messages": [{"role": "user", "content": parts}]}, "question")
    assert is_memory(chat["messages"][0]["content"][0]["text"])
    assert chat["messages"][0]["content"][1:] == parts
    said = await put(tmp_path / "c", RESPONSES, {"input": ASKED}, "question")
    assert FACT in said["input"]
    assert said["input"].endswith(ASKED)
    item = {"role": "user", "content": [{"type": "input_text", "text": ASKED}]}
    said = await put(tmp_path / "d", RESPONSES, {"input": [item]}, "question")
    assert said["input"][0]["content"][0]["type"] == "input_text"
    assert is_memory(said["input"][0]["content"][0]["text"])
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "24°"}
    blocks = [result, {"type": "text", "text": ASKED}]
    sent = await put(tmp_path / "e", MESSAGES, {"messages": [{"role": "user", "content": blocks}]}, "question")
    assert sent["messages"][0]["content"][0] == result  # Anthropic wants results of tools first
    assert is_memory(sent["messages"][0]["content"][1]["text"])


async def test_by_default_no_two_messages_of_the_user_follow_each_other(tmp_path: Path) -> None:
    assert ProxySettings().place == "question"
    asked = {"messages": [question(ASKED)]}
    for number, path in enumerate((CHAT, MESSAGES)):
        sent = await put(tmp_path / str(number), path, asked, "question")
        assert len(sent["messages"]) == 1


async def test_a_message_of_its_own_stands_before_the_question(tmp_path: Path) -> None:
    for number, path in enumerate((CHAT, MESSAGES)):
        sent = await put(tmp_path / str(number), path, {"messages": [question(ASKED)]}, "message")
        assert is_memory(sent["messages"][0]["content"])
        assert sent["messages"][1] == question(ASKED)
    said = await put(tmp_path / "text", RESPONSES, {"input": ASKED}, "message")
    assert is_memory(said["input"][0]["content"])
    assert said["input"][1] == question(ASKED)


async def test_among_the_instructions_a_memory_stands_at_their_end(tmp_path: Path) -> None:
    asked = [question(ASKED)]
    told = {"role": "developer", "content": "Be kind."}
    chat = await put(tmp_path / "a", CHAT, {"messages": [told, *asked]}, "system")
    assert chat["messages"][0]["content"].startswith("Be kind.\n\n")
    assert FACT in chat["messages"][0]["content"]
    assert chat["messages"][1:] == asked
    chat = await put(tmp_path / "b", CHAT, {"messages": asked}, "system")
    assert chat["messages"][0]["role"] == "system"
    assert is_memory(chat["messages"][0]["content"])
    said = await put(tmp_path / "c", RESPONSES, {"input": ASKED, "instructions": "Be kind."}, "system")
    assert said["instructions"].startswith("Be kind.\n\n")
    assert FACT in said["instructions"]
    assert said["input"] == ASKED
    sent = await put(tmp_path / "d", MESSAGES, {"messages": asked}, "system")
    assert is_memory(sent["system"])
    blocks = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]
    sent = await put(tmp_path / "e", MESSAGES, {"messages": asked, "system": blocks}, "system")
    assert sent["system"][0] == blocks[0]
    assert is_memory(sent["system"][1]["text"])


# ── tools and pictures ───────────────────────────────────────────────────────


async def test_a_loop_of_tools_in_responses_keeps_every_step_once(tmp_path: Path) -> None:
    steps = (
        answers(response(function_call("weather", '{"city": "Lisbon"}')), RESPONSES),
        answers(response(output_text("Sunny."), name="resp_2"), RESPONSES),
    )
    async with world(tmp_path, *steps) as here, here.client() as client:
        asks: list[Any] = [{"role": "user", "content": [{"type": "input_text", "text": "How is the weather there?"}]}]
        first = await client.responses.create(model=MODEL, input=asks)
        asks += [
            first.output[0].model_dump(exclude_none=True),
            {"type": "function_call_output", "call_id": "call_1", "output": "sunny, 24°"},
        ]
        second = await client.responses.create(model=MODEL, input=asks)
        assert second.output_text == "Sunny."
        entries = await here.journal()
        assert texts(entries) == ["How is the weather there?", "Sunny."]
        assert texts(entries, EntryKind.TOOL_CALL) == ['weather({"city": "Lisbon"})']
        assert texts(entries, EntryKind.TOOL_RESULT) == ["sunny, 24°"]


async def test_a_loop_of_tools_in_messages_keeps_every_step_once(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Lisbon"}}
    steps = (
        answers(message(call, reason="tool_use"), MESSAGES),
        answers(message({"type": "text", "text": "Sunny."}), MESSAGES),
    )
    async with world(tmp_path, *steps) as here, here.anthropic() as client:
        asks: list[Any] = [question("How is the weather there?")]
        first = await client.messages.create(model=MODEL, max_tokens=50, messages=asks)
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "sunny, 24°"}]}
        asks += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        second = await client.messages.create(model=MODEL, max_tokens=50, messages=asks)
        assert second.content[0].text == "Sunny."
        entries = await here.journal()
        assert texts(entries) == ["How is the weather there?", "Sunny."]
        assert texts(entries, EntryKind.TOOL_CALL) == ['weather({"city": "Lisbon"})']
        assert texts(entries, EntryKind.TOOL_RESULT) == ["sunny, 24°"]


async def test_calls_of_tools_that_come_in_pieces_are_kept_whole(tmp_path: Path) -> None:
    item = {**function_call("weather", ""), "status": "in_progress"}
    parts = [
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": one}
        for one in ('{"city": ', '"Lisbon"}')
    ]
    done = {"type": "response.completed", "response": response(function_call("weather", '{"city": "Lisbon"}'))}
    added = {"type": "response.output_item.added", "output_index": 0, "item": item}
    responses = events(*_numbered([added, *parts, done]), path=RESPONSES)
    block = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    messages = events(
        {"type": "message_start", "message": message()},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": one}}
            for one in ('{"city": ', '"Lisbon"}')
        ),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
        path=MESSAGES,
    )
    for number, (step, ask) in enumerate(((responses, ask_responses), (messages, ask_messages))):
        async with world(tmp_path / str(number), step) as here:
            await ask(here, stream=True)
            kept = await here.journal()
            assert texts(kept, EntryKind.TOOL_CALL) == ['weather({"city": "Lisbon"})']
            assert kept[-1].metadata["tool_call_id"] in {"call_1", "toolu_1"}


async def test_pictures_are_kept_by_their_address(tmp_path: Path) -> None:
    steps = (WHOLE[ask_responses], WHOLE[ask_messages])
    async with world(tmp_path, *steps) as here:
        async with here.client(session="one") as client:
            parts = [{"type": "input_text", "text": "My house."}, {"type": "input_image", "image_url": PICTURE}]
            await client.responses.create(model=MODEL, input=[{"role": "user", "content": parts}])
        async with here.anthropic(session="two") as other:
            source = {"type": "url", "url": PICTURE}
            blocks = [{"type": "image", "source": source}, {"type": "text", "text": "My house."}]
            asked = [{"role": "user", "content": blocks}]
            await other.messages.create(model=MODEL, max_tokens=50, messages=asked)
        kept = [entry for entry in await here.journal() if entry.role == "user"]
        assert [[one.uri for one in entry.attachments] for entry in kept] == [[PICTURE], [PICTURE]]
        assert [entry.text for entry in kept] == ["My house.", "My house."]


def kind_of(body: Any) -> Any:
    """The sort of an error, as Anthropic's API has it."""
    assert body["type"] == "error"
    return body["error"]["type"]


# ── conversations, keys, errors ──────────────────────────────────────────────


async def test_a_response_that_goes_on_from_another_belongs_to_its_conversation(tmp_path: Path) -> None:
    steps = (WHOLE[ask_responses], answers(response(output_text("In May."), name="resp_2"), RESPONSES))
    async with world(tmp_path, *steps) as here, here.client(session=None) as client:
        first = await client.responses.create(model=MODEL, input=ASKED)
        await client.responses.create(model=MODEL, input="And when?", previous_response_id=first.id)
        assert len({entry.scope.session for entry in await here.journal()}) == 1


async def test_the_same_words_to_another_response_are_said_again(tmp_path: Path) -> None:
    answered = [answers(response(output_text(f"Step {one}."), name=f"resp_{one}"), RESPONSES) for one in range(4)]
    async with world(tmp_path, *answered) as here, here.client() as client:
        before = (await client.responses.create(model=MODEL, input="Begin.")).id
        for follows in (before, before, "resp_2"):  # the second one is sent again
            await client.responses.create(model=MODEL, input="Yes, go on.", previous_response_id=follows)
        assert [entry.text for entry in await here.journal() if entry.role == "user"] == [
            *("Begin.", "Yes, go on.", "Yes, go on.")
        ]


async def test_our_key_may_stand_where_anthropics_usually_does_and_goes_no_further(tmp_path: Path) -> None:
    import anthropic

    async with world(tmp_path, WHOLE[ask_messages]) as here:
        asked = {"name": "agent", "permissions": ["read", "write"]}
        made = await here.service.perform("keys.create", asked, place=Target(org="default"))
        async with here.anthropic(key=made.token) as client:
            await client.messages.create(model=MODEL, max_tokens=50, messages=[question(ASKED)])
        assert made.token not in str(here.upstream.requests[0].headers)
        async with here.anthropic(key="rmn_wrong") as client:
            with pytest.raises(anthropic.AuthenticationError) as caught:
                await client.messages.create(model=MODEL, max_tokens=50, messages=[question(ASKED)])
            assert kind_of(caught.value.body) == "authentication_error"


async def test_requests_for_anthropic_go_to_their_own_address_with_their_own_key(tmp_path: Path) -> None:
    async with world(tmp_path / "other") as elsewhere:
        settings: dict[str, Any] = {"api_key": "sk-one", "anthropic_api_key": "sk-two"}
        settings |= {"base_url": f"{elsewhere.upstream.origin}/nothing"}
        async with world(tmp_path / "home", WHOLE[ask_messages]) as plain:
            settings["anthropic_base_url"] = plain.upstream.base_url
            async with world(tmp_path / "proxied", **settings) as here:
                assert await ask_messages(here, stream=False) == "To Lisbon."
            headers = plain.upstream.requests[0].headers
            assert headers["x-api-key"] == "sk-two"
            assert "authorization" not in headers


@pytest.mark.parametrize("is_stream", [False, True])
async def test_an_error_of_the_model_comes_as_it_is_and_what_was_said_is_kept(tmp_path: Path, is_stream: bool) -> None:
    import anthropic
    import openai

    told = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
    steps = (
        sends_raw(503, json.dumps(told).encode(), path=MESSAGES),
        sends_raw(400, b'{"error": {"message": "no such model"}}', path=RESPONSES),
    )
    async with world(tmp_path, *steps) as here:
        with pytest.raises(anthropic.APIStatusError) as one:
            await ask_messages(here, stream=is_stream)
        assert one.value.body == told
        with pytest.raises(openai.BadRequestError, match="no such model"):
            await ask_responses(here, stream=is_stream)
        assert await here.said() == [("user", "Where did I move?")], "kept, and once"


async def test_what_is_wrong_is_said_in_the_callers_own_form(tmp_path: Path) -> None:
    import anthropic
    import openai

    async with world(tmp_path) as here, httpx2.AsyncClient(base_url=here.address) as http:
        async with here.client() as client, here.anthropic() as other:
            with pytest.raises(openai.NotFoundError) as one:
                await client.images.generate(prompt="a house", model="m")
            assert one.value.type == "not_found_error"
            with pytest.raises(anthropic.NotFoundError) as two:
                await other.messages.batches.list()
            assert kind_of(two.value.body) == "not_found_error"
        wrong = await http.get("/v1/chat/completions")
        assert (wrong.status_code, wrong.json()["error"]["type"]) == (405, "invalid_request_error")
        rest = await http.get("/v1/orgs/acme/nothing")
        assert rest.headers["content-type"] == "application/problem+json"


async def test_a_count_of_tokens_is_passed_on(tmp_path: Path) -> None:
    path = "/v1/messages/count_tokens"
    async with world(tmp_path, sends_raw(200, b'{"input_tokens": 7}', path=path)) as here, here.anthropic() as client:
        counted = await client.messages.count_tokens(model=MODEL, messages=[question(ASKED)])
        assert counted.input_tokens == 7
        assert await here.said() == []
