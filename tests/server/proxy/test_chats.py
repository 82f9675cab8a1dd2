"""What a client of the proxy gets, what the model is shown, and what memory keeps."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from bench.trial_inputs import KNOWN, SAID, UNKNOWN, by_language
from remanent.http.client import certificates
from remanent.model import EntryKind, Origin
from remanent.text.scripts import working_language
from tests.language.scripted.steps import calls, fails, says
from tests.server.proxy.steps import delta, embeds_raw, event, sends_raw, streams
from tests.server.proxy.world import MODEL, question, texts, world

FACT = "I moved to Lisbon in May."
ASKS = [question("Where did I move?")]
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
]
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("is_stream", [False, True])
async def test_the_model_is_shown_what_is_remembered_and_the_turn_is_kept(tmp_path: Path, is_stream: bool) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        await here.agent().remember(FACT, session="earlier")
        async with here.client() as client:
            answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=is_stream)
            if is_stream:
                pieces = [event.choices[0].delta.content or "" async for event in answer if event.choices]
                assert "".join(pieces) == "To Lisbon."
            else:
                assert answer.choices[0].message.content == "To Lisbon."
        (reminded, reminder), asked = here.asked()
        assert reminded == "user"
        assert reminder.startswith("<memory>")
        assert FACT in reminder
        assert asked == ("user", "Where did I move?")
        assert await here.said() == [("user", FACT), ("user", "Where did I move?"), ("assistant", "To Lisbon.")]
        kept = (await here.journal())[1:]
        assert {entry.scope.session for entry in kept} == {"s1"}
        assert [entry.origin for entry in kept] == [Origin.USER, Origin.AGENT]
        assert kept[1].metadata == {"via": "proxy", "model": MODEL, "finish": "stop"}


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "What is my blood type?",
            'If this one does not either, say "I do not remember" and make nothing up.',
        ),
        ("我的血型是什么？", "此前的对话里没有提到下面所问的事。如果本次对话里也没有，请回答“我不记得”，不要编造。"),
    ],
)
async def test_a_model_is_told_when_nobody_ever_said_what_people_ask_of_themselves(
    tmp_path: Path, asked: str, told: str
) -> None:
    async with world(tmp_path, forever=says("I do not remember.")) as here:
        await here.agent().remember(FACT, session="earlier")
        async with here.client() as client:
            for words in (asked, "What is the capital of France?"):
                await client.chat.completions.create(model=MODEL, messages=[question(words)])
        async with here.client(session="s2") as client:  # an answer that only shrugged tells nothing either
            await client.chat.completions.create(model=MODEL, messages=[question(asked)])
        await here.agent("bob").remember(asked, session="earlier")  # a question that was remembered tells nothing
        async with here.client(agent="bob") as client:
            await client.chat.completions.create(model=MODEL, messages=[question(asked)])
        first, other, again, of_bob = (str(request.body["messages"]) for request in here.upstream.requests)
    assert told in first
    assert "<memory>" not in other
    assert told in again
    assert told in of_bob


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (("Mr Adeyemi signs off my timesheets.", "The roof was mended in May."), "Who supervises me?"),
        (("论文是许教授带我写的。", "阳台的花都晒死了。"), "我的导师是谁？"),
    ],
)
async def test_what_may_have_been_told_in_other_words_is_not_denied(
    tmp_path: Path, told: tuple[str, ...], asked: str
) -> None:
    async with world(tmp_path, forever=says("Let me think."), embedder="auto") as here:
        await here.agent().remember([{"role": "user", "content": text} for text in told], session="earlier")
        await here.memory.settle()
        async with here.client() as client:
            await client.chat.completions.create(model=MODEL, messages=[question(asked)])
        text = "\n".join(text for _, text in here.asked())
    assert told[0] in text
    assert "Perhaps none of these notes" in text or "以上记录可能并未" in text
    assert "do not mention" not in text
    assert "没有提到" not in text


NEARLY = ("When is my mother's birthday?", "When was my last check-up?")
"""Between two languages a note that tells something else (a sister's move in May) comes as near as one that tells it in
other words: once its index is made, that is said to be perhaps no answer, and not denied."""


@pytest.mark.spec("USE-08")
async def test_a_model_that_is_shown_other_notes_is_told_that_none_of_them_is_on_what_is_asked(tmp_path: Path) -> None:
    nothing = {"en": "Earlier conversations do not mention this", "zh": "此前的对话里没有提到下面所问的事"}
    told = dict[str, bool]()
    shown = set[bool]()
    async with world(tmp_path, forever=says("Let me think."), embedder="auto") as here:
        await here.agent().remember([{"role": "user", "content": text} for text in SAID], session="earlier")
        known = [asked for asked, _ in KNOWN]
        for number, words in enumerate([*known, *UNKNOWN, *UNKNOWN[:3]]):  # asking once tells nothing
            await here.memory.settle()  # else it is chance whether the turns of the last question are indexed
            async with here.client(session=f"asked-{number}") as client:
                await client.chat.completions.create(model=MODEL, messages=[question(words)])
            text = "\n".join(text for _, text in here.asked())
            told[words] = any(statement in text for statement in nothing.values())
            if words in NEARLY:
                assert told[words] or "Perhaps none of these notes" in text, words
                continue
            assert told[words] is (words in UNKNOWN), words
            shown.add(told[words] and "Lily" in text)
    assert shown == {False, True}  # the notes are shown all the same: whoever can read finds what they do tell


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("of_sister", "of_stranger", "nothing"),
    [
        ("What is Lily's blood type?", "What is Newton's third law?", "Earlier conversations do not mention this"),
        ("小丽的鞋码是多少？", "牛顿的第三定律是什么？", "此前的对话里没有提到下面所问的事"),
    ],
)
async def test_a_model_is_told_that_nothing_is_known_of_ones_sister_even_where_no_note_comes_near(
    tmp_path: Path, of_sister: str, of_stranger: str, nothing: str
) -> None:
    said = by_language(SAID)[working_language(of_sister)]
    async with world(tmp_path, forever=says("Let me think."), embedder="auto") as here:
        await here.agent().remember([{"role": "user", "content": text} for text in said], session="earlier")
        await here.memory.settle()
        async with here.client() as client:
            for words in (of_sister, of_stranger):
                await client.chat.completions.create(model=MODEL, messages=[question(words)])
        sister, stranger = (str(request.body["messages"]) for request in here.upstream.requests)
    assert nothing in sister
    assert said[0] not in sister, "no note is near enough to be shown"
    assert nothing not in stranger


async def test_nothing_remembered_leaves_every_byte_of_the_request_as_it_is(tmp_path: Path) -> None:
    body = (
        b'{"model":"m","messages" :[ {"role":"user","content":"\\u00e9"} ],"x_new": 1.0e2,"seed":12345678901234567890}'
    )
    async with world(tmp_path, says("Hello.")) as here, httpx2.AsyncClient(verify=certificates()) as client:
        answer = await client.post(f"{here.address}/v1/chat/completions", content=body, headers=JSON)
        assert answer.status_code == 200
        assert here.upstream.requests[0].data == body


async def test_what_is_inserted_leaves_the_other_bytes_as_they_are(tmp_path: Path) -> None:
    before = b'{"x_new": 1.0e2, "messages": [{"role": "system", "content": "Be kind."},  '
    after = b'{"role":"user","content":"Where did I move?"}],"model":"m"  }'
    async with world(tmp_path, says("To Lisbon.")) as here, httpx2.AsyncClient(verify=certificates()) as client:
        await here.agent("default").remember(FACT)
        await client.post(f"{here.address}/v1/chat/completions", content=before + after, headers=JSON)
        sent = here.upstream.requests[0].data
    assert sent.startswith(before)
    assert sent.endswith(after)
    inserted = json.loads(sent[len(before) : -len(after)].rstrip(b", "))
    assert inserted["role"] == "user"
    assert FACT in inserted["content"]


async def test_an_answer_comes_with_its_own_bytes_status_and_headers(tmp_path: Path) -> None:
    body = b'{"choices":[{"message":{"role":"assistant","content":"hi","x_new":[1.0]}}],  "usage":{"total_tokens":3}}\n'
    step = sends_raw(
        200, body, headers={"X-Request-Id": "r-1", "Set-Cookie": "a=b", "Connection": "X-Hop", "X-Hop": "1"}
    )
    async with world(tmp_path, step) as here, httpx2.AsyncClient(verify=certificates()) as client:
        answer = await client.post(f"{here.address}/v1/chat/completions", json={"model": "m", "messages": ASKS})
        assert answer.content == body
        assert answer.headers["x-request-id"] == "r-1"
        assert answer.headers["x-remanent"] == "ok"
        assert not {"set-cookie", "x-hop"} & set(answer.headers)
        assert texts(await here.journal("default")) == ["Where did I move?", "hi"]


async def test_events_of_a_stream_come_with_their_own_bytes(tmp_path: Path) -> None:
    pieces = [b": hello\n\n", b"event: odd\nid: 7\n", event(delta(content="hi", x_new=1)), b"data: [DONE]\r\n\r\n"]
    async with world(tmp_path, streams(*pieces)) as here, httpx2.AsyncClient(verify=certificates()) as client:
        body = {"model": "m", "messages": ASKS, "stream": True}
        answer = await client.post(f"{here.address}/v1/chat/completions", json=body)
        assert answer.content == b"".join(pieces)
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert texts(await here.journal("default")) == ["Where did I move?", "hi"]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
@pytest.mark.parametrize("is_stream", [False, True])
async def test_an_error_of_the_model_comes_as_it_is_and_what_was_said_is_kept_once(
    tmp_path: Path, status: int, is_stream: bool
) -> None:
    import openai

    said = {"error": {"message": "no", "type": "odd", "code": 7}}
    step = fails(status, body=said, headers={"Retry-After": "9"})
    async with world(tmp_path, step, step) as here, here.client() as client:
        with pytest.raises(openai.APIStatusError) as caught:
            await client.chat.completions.create(model=MODEL, messages=ASKS, stream=is_stream)
        assert caught.value.status_code == status
        assert caught.value.body == said["error"]
        assert caught.value.response.headers["retry-after"] == "9"
        with pytest.raises(openai.APIStatusError):
            await client.chat.completions.create(model=MODEL, messages=ASKS, stream=is_stream)
        kept = await here.kept(1)
    assert [(entry.text, entry.metadata["unanswered"]) for entry in kept] == [("Where did I move?", "upstream")]


@pytest.mark.parametrize("is_stream", [False, True])
async def test_what_a_model_answers_at_the_second_try_stands_behind_what_was_said_once(
    tmp_path: Path, is_stream: bool
) -> None:
    import openai

    async with world(tmp_path, fails(503), says("To Lisbon.")) as here, here.client() as client:
        with pytest.raises(openai.APIStatusError):
            await client.chat.completions.create(model=MODEL, messages=ASKS, stream=is_stream)
        answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=is_stream)
        if is_stream:
            assert [piece async for piece in answer]
        assert texts(await here.kept(2)) == ["Where did I move?", "To Lisbon."]


async def test_a_loop_of_tools_keeps_every_step_once_and_shows_the_same_memory_each_time(tmp_path: Path) -> None:
    async with world(tmp_path, calls("weather", {"city": "Lisbon"}), says("Sunny.")) as here, here.client() as client:
        await here.agent().remember(FACT)
        asks: list[Any] = [question("How is the weather where I moved?")]
        first = await client.chat.completions.create(model=MODEL, messages=asks, tools=TOOLS)
        call = first.choices[0].message.tool_calls[0]
        asks += [first.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "sunny, 24°"}]
        second = await client.chat.completions.create(model=MODEL, messages=asks, tools=TOOLS)
        assert second.choices[0].message.content == "Sunny."
        assert here.asked(0) == here.asked(1)[:2]
        assert here.upstream.requests[1].body["tools"] == TOOLS
        journal = (await here.journal())[1:]
    assert [(entry.kind, entry.text) for entry in journal] == [
        (EntryKind.MESSAGE, "How is the weather where I moved?"),
        (EntryKind.TOOL_CALL, 'weather({"city": "Lisbon"})'),
        (EntryKind.TOOL_RESULT, "sunny, 24°"),
        (EntryKind.MESSAGE, "Sunny."),
    ]
    assert journal[2].metadata["tool_call_id"] == call.id
    assert journal[2].origin is Origin.TOOL


async def test_who_asks_the_same_again_in_a_new_chat_is_told_what_is_known_by_then(tmp_path: Path) -> None:
    async with world(tmp_path, says("Nowhere."), says("To Lisbon.")) as here, here.client() as client:
        await client.chat.completions.create(model=MODEL, messages=ASKS)
        await here.agent().remember(FACT)
        await client.chat.completions.create(model=MODEL, messages=ASKS)
        assert [FACT in str(here.asked(number)) for number in (0, 1)] == [False, True]


async def test_tool_calls_that_come_in_pieces_are_put_together(tmp_path: Path) -> None:
    def call(index: int, **function: str) -> dict[str, Any]:
        named = {"id": f"call_{index}", "type": "function"} if "name" in function else {}
        return {"index": index, "function": function, **named}

    step = streams(
        event(delta(role="assistant", tool_calls=[call(0, name="weather", arguments="")])),
        event(delta(tool_calls=[call(0, arguments='{"city": ')])),
        event(delta(tool_calls=[call(0, arguments='"Lisbon"}'), call(1, name="now", arguments="{}")])),
        event(delta(finish="tool_calls")),
        b"data: [DONE]\n\n",
    )
    async with world(tmp_path, step) as here, here.client() as client:
        async for _ in await client.chat.completions.create(model=MODEL, messages=ASKS, tools=TOOLS, stream=True):
            pass
        journal = await here.journal()
    assert texts(journal, EntryKind.TOOL_CALL) == ['weather({"city": "Lisbon"})', "now({})"]
    assert [entry.metadata.get("tool_call_id") for entry in journal[1:]] == ["call_0", "call_1"]


async def test_content_in_parts_is_read_passed_on_and_kept(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
    asks: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "Where did I move?"}, picture]}]
    async with world(tmp_path, says("To Lisbon.")) as here, here.client() as client:
        await here.agent().remember(FACT)
        await client.chat.completions.create(model=MODEL, messages=asks)
        assert FACT in here.asked()[0][1]
        assert here.upstream.requests[0].body["messages"][1] == asks[0]
        kept = (await here.journal())[1]
    assert kept.text == "Where did I move?"
    assert kept.metadata["parts"] == ["image_url"]
    assert [attachment.uri for attachment in kept.attachments] == ["https://example.org/cat.png"]


async def test_what_the_conversation_holds_already_is_not_shown_again(tmp_path: Path) -> None:
    async with world(tmp_path, says("Noted."), says("To Lisbon.")) as here, here.client() as client:
        asks: list[Any] = [question(FACT)]
        await client.chat.completions.create(model=MODEL, messages=asks)
        asks += [{"role": "assistant", "content": "Noted."}, question("Where did I move in May?")]
        await client.chat.completions.create(model=MODEL, messages=asks)
        assert [text for _, text in here.asked()] == [FACT, "Noted.", "Where did I move in May?"]
        assert len(await here.journal()) == 4


async def test_a_request_that_is_sent_again_is_kept_once_and_said_again_later_is_kept_again(tmp_path: Path) -> None:
    async with world(tmp_path, forever=says("To Lisbon.")) as here, here.client() as client:
        for _ in range(2):
            await client.chat.completions.create(model=MODEL, messages=ASKS)
            here.clock.go(600)  # into the next stretch of time, within the window of the first sending
        assert len(await here.journal()) == 2
        here.clock.go(3600)
        await client.chat.completions.create(model=MODEL, messages=ASKS)
        assert len(await here.journal()) == 4


async def test_two_answers_to_the_same_question_are_both_kept_and_the_question_once(tmp_path: Path) -> None:
    async with world(tmp_path, says("To Lisbon."), says("To Porto.")) as here, here.client() as client:
        for _ in range(2):
            await client.chat.completions.create(model=MODEL, messages=ASKS)
        assert texts(await here.journal()) == ["Where did I move?", "To Lisbon.", "To Porto."]


async def test_every_choice_is_kept(tmp_path: Path) -> None:
    choices = [
        {"index": place, "message": {"content": text}, "finish_reason": "stop"} for place, text in enumerate("ab")
    ]
    async with world(tmp_path, sends_raw(200, json.dumps({"choices": choices}).encode())) as here:
        async with here.client() as client:
            await client.chat.completions.create(model=MODEL, messages=ASKS, n=2)
        kept = (await here.journal())[1:]
    assert [(entry.text, entry.metadata["choice"]) for entry in kept] == [("a", 0), ("b", 1)]


async def test_embeddings_and_models_are_passed_on_and_leave_no_trace(tmp_path: Path) -> None:
    vectors = b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"model":"m","usage":{}}'
    models = sends_raw(200, b'{"object":"list","data":[{"id":"m"}]}', path="/v1/models?after=x")
    async with world(tmp_path, embeds_raw(vectors), models) as here, here.client() as client:
        answer = await client.embeddings.create(model="m", input="hello", encoding_format="float")
        assert answer.data[0].embedding == [0.5]
        assert here.upstream.requests[0].body["input"] == "hello"
        assert [model.id async for model in await client.models.list(extra_query={"after": "x"})] == ["m"]
        assert await here.memory.agents() == []


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"model": "m"}', b'{"messages": [], "messages": []}'])
async def test_a_request_that_cannot_be_read_is_left_to_the_model(tmp_path: Path, body: bytes) -> None:
    said = b'{"error": {"message": "what is this?"}}'
    async with world(tmp_path, sends_raw(422, said)) as here, httpx2.AsyncClient(verify=certificates()) as client:
        answer = await client.post(f"{here.address}/v1/chat/completions", content=body, headers=JSON)
        assert (answer.status_code, answer.content) == (422, said)
        assert here.upstream.requests[0].data == body


@pytest.mark.spec("COG-01")
async def test_of_two_users_of_an_agent_each_is_shown_and_keeps_their_own(tmp_path: Path) -> None:
    async with world(tmp_path, says("To Lisbon."), says("I do not know.")) as here:
        await here.agent("default").remember(FACT, user="小安")
        address, body = f"{here.address}/v1/chat/completions", {"model": "m", "messages": ASKS}
        async with httpx2.AsyncClient(verify=certificates()) as client:
            statuses = [
                (await client.post(address, json=body, headers={"x-remanent-user": user})).status_code
                for user in ("%E5%B0%8F%E5%AE%89", "eve", "ev%E2%80%8Be")
            ]
        assert statuses == [200, 200, 422], "an invisible sign in a name"
        shown = [FACT in request.data.decode() for request in here.upstream.requests]
        assert shown == [True, False]
        kept = (await here.journal("default"))[1:]
        assert [(entry.metadata["user_id"], entry.text) for entry in kept] == [
            ("小安", "Where did I move?"),
            ("小安", "To Lisbon."),
            ("eve", "Where did I move?"),
            ("eve", "I do not know."),
        ]
