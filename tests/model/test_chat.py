"""Chat messages as vendors have them become messages to remember, one for each thing that happened."""

import base64
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.model import EntryKind, Message, Origin
from remanent.model.chat import expand_messages, read_messages

PIXEL = base64.b64encode(b"\x89PNG pixel").decode()

Told = tuple[str, str, str]


def told(messages: object) -> list[Told]:
    return [(one.kind.value, one.role, one.content) for one in expand_messages(messages)]


CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "\\u91cc\\u65af\\u672c"}'},
}


@pytest.mark.spec("USE-01")
def test_openai_messages_with_tools_are_taken_as_they_are() -> None:
    conversation = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "里斯本天气如何？"},
        {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "18 degrees"},
        {"role": "assistant", "content": "18 度。", "audio": None, "function_call": None, "tool_calls": None},
    ]
    assert told(conversation) == [
        ("message", "developer", "Be brief."),
        ("message", "user", "里斯本天气如何？"),
        ("tool_call", "assistant", 'weather({"city": "里斯本"})'),
        ("tool_result", "tool", "18 degrees"),
        ("message", "assistant", "18 度。"),
    ]
    _, _, call, result, _ = expand_messages(conversation)
    assert call.metadata == result.metadata == {"tool": "weather", "tool_call_id": "call_1"}
    assert (call.trust, result.trust) == (Origin.AGENT, Origin.TOOL)


@pytest.mark.spec("USE-01")
def test_anthropic_blocks_are_taken_as_they_are_and_in_their_order() -> None:
    conversation = [
        {
            "role": "assistant",
            "id": "msg_1",
            "type": "message",
            "model": "m",
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 3},
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "trains"}},
                {"type": "text", "text": "And wait."},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "is_error": True,
                    "content": [{"type": "text", "text": "No trains today."}],
                },
                {"type": "text", "text": "What now?"},
            ],
        },
    ]
    assert told(conversation) == [
        ("message", "assistant", "Let me look."),
        ("tool_call", "assistant", 'search({"query": "trains"})'),
        ("message", "assistant", "And wait."),
        ("tool_result", "tool", "No trains today."),
        ("message", "user", "What now?"),
    ]
    read = expand_messages(conversation)
    assert [one.id for one in read] == ["msg_1", "msg_1#1", "msg_1#2", None, None]
    assert read[3].metadata == {"tool": "search", "tool_call_id": "toolu_1", "is_error": True}


@pytest.mark.spec("USE-01")
def test_the_objects_of_the_vendors_own_clients_are_taken() -> None:
    from anthropic.types import Message as AnthropicMessage
    from openai.types.chat import ChatCompletionMessage

    openai = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [CALL]})
    usage = {"input_tokens": 1, "output_tokens": 1}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "Hello."},
        {"type": "tool_use", "id": "t", "name": "look", "input": {}},
    ]
    anthropic = AnthropicMessage.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": blocks, "usage": usage}
    )
    assert told([openai, anthropic]) == [
        ("tool_call", "assistant", 'weather({"city": "里斯本"})'),
        ("message", "assistant", "Hello."),
        ("tool_call", "assistant", "look({})"),
    ]
    # Blocks alone, as whoever answers a tool call appends them.
    assert told({"role": "assistant", "content": list(anthropic.content)}) == told(anthropic)


def test_messages_as_llamaindex_and_langchain_write_them_down_are_taken() -> None:
    call = {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "weather", "tool_kwargs": {"city": "Oslo"}}
    picture = {"block_type": "image", "image": "iVBORw0KGgo=", "image_mimetype": "image/png", "url": None}
    said = expand_messages(
        [
            {"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "How warm is it?"}]},
            {"role": "assistant", "additional_kwargs": {}, "blocks": [call]},
            {"role": "tool", "tool_call_id": "c1", "blocks": [{"block_type": "text", "text": "3 degrees"}]},
            {"role": "user", "blocks": [{"block_type": "text", "text": "Look."}, picture]},
            {"type": "human", "data": {"content": "I live in Oslo.", "type": "human"}},
        ]
    )
    assert [(one.role, one.content) for one in said] == [
        ("user", "How warm is it?"),
        ("assistant", 'weather({"city": "Oslo"})'),
        ("tool", "3 degrees"),
        ("user", "Look."),
        ("user", "I live in Oslo."),
    ]
    assert [file.media_type for file in said[3].files] == ["image/png"]


def test_items_of_the_responses_api_and_langchains_messages_are_taken() -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    items = [
        {"type": "reasoning", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hi"}],
        },
        {"type": "function_call", "id": "fc", "call_id": "c", "name": "add", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "2"},
    ]
    assert told(items) == [
        ("message", "assistant", "Hi"),
        ("tool_call", "assistant", 'add({"a": 1})'),
        ("tool_result", "tool", "2"),
    ]
    assert expand_messages(items[2:])[1].metadata == {"tool": "add", "tool_call_id": "c"}
    chain = [
        HumanMessage("What is one and one?"),
        AIMessage("", tool_calls=[{"name": "add", "args": {"a": 1}, "id": "c"}]),
        ToolMessage("2", tool_call_id="c"),
    ]
    assert told(chain) == [
        ("message", "user", "What is one and one?"),
        ("tool_call", "assistant", 'add({"a": 1})'),
        ("tool_result", "tool", "2"),
    ]


@pytest.mark.spec("USE-01")
@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
    ],
    ids=["openai", "responses", "anthropic"],
)
def test_the_bytes_of_a_picture_come_along_and_its_type_stands_where_nothing_was_said(part: dict[str, Any]) -> None:
    (alone,) = expand_messages({"role": "user", "content": [part]})
    (said,) = expand_messages({"role": "user", "content": [{"type": "text", "text": "My cat."}, part]})
    assert (alone.content, said.content) == ("[image/png]", "My cat.")
    for message in (alone, said):
        (file,) = message.files
        assert (file.media_type, file.content) == ("image/png", b"\x89PNG pixel")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "https://example.org/a/cat.png?size=2"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a/cat.png?size=2"}},
    ],
    ids=["openai", "anthropic"],
)
def test_a_picture_on_the_web_is_an_attachment_by_its_address(part: dict[str, Any]) -> None:
    (message,) = expand_messages({"role": "user", "content": [part]})
    (attachment,) = message.attachments
    assert (message.content, attachment.name) == ("[cat.png]", "cat.png")
    assert attachment.uri == "https://example.org/a/cat.png?size=2"
    assert attachment.digest is None


def test_files_documents_and_recordings_are_files_and_what_is_not_known_is_named() -> None:
    data = base64.b64encode(b"bytes").decode()
    parts = [
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": f"data:application/pdf;base64,{data}"}},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        {
            "type": "document",
            "title": "A note",
            "source": {"type": "text", "media_type": "text/plain", "data": "words"},
        },
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "hologram"},
    ]
    (message,) = expand_messages({"role": "user", "content": parts})
    assert [(file.name, file.media_type) for file in message.files] == [
        ("plan.pdf", "application/pdf"),
        ("", "audio/wav"),
    ]
    assert message.content == "words\n[file file-1]\n[hologram]"


@pytest.mark.spec("USE-01")
def test_a_name_says_who_spoke_and_the_role_how_far_they_are_trusted() -> None:
    read = expand_messages(
        [{"role": "user", "name": "Alice", "content": "x"}, {"role": "user", "name": "system", "content": "y"}]
    )
    assert [(one.role, one.trust) for one in read] == [("Alice", Origin.USER), ("user", Origin.USER)]


@pytest.mark.spec("USE-01")
@pytest.mark.parametrize(
    "empty",
    [
        "",
        "  \n",
        {"role": "user", "content": ""},
        {"role": "user"},
        {"role": "assistant", "content": None},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": " "}]},
    ],
    ids=str,
)
def test_a_message_without_words_is_refused_and_named(empty: object) -> None:
    with pytest.raises(InvalidInput, match=r"^message 2: content: .*text is empty"):
        expand_messages(["something", empty])


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (None, "None is not a message"),
        (b"bytes", "not a bytes"),
        ([["nested"]], "not a list"),
        ({"role": "user", "content": "x", "metdata": {}}, "metdata: not a field"),
        ({"role": "user", "content": 7}, "not a number"),
        ({"role": "user", "content": [7]}, "not a number"),
        ({"role": ["user"], "content": "x"}, "role: "),
        ({"role": "assistant", "tool_calls": "x"}, "tool_calls: a list"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "must name its function"),
        ({"content": [{"type": "image", "source": {"type": "base64", "data": "no base64"}}]}, "base64"),
        ({"content": [{"type": "image_url", "image_url": {"url": "data:image/png"}}]}, "cut"),
        ({"content": [{"type": ["text"], "text": "x"}], "metadata": []}, "metadata: "),
    ],
)
def test_what_is_no_message_is_refused_with_what_is_wrong(message: object, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        expand_messages(message)


def test_a_message_of_ones_own_keeps_all_that_it_says() -> None:
    own = {"role": "user", "content": "x", "id": "m", "kind": "event", "origin": "web", "metadata": {"a": 1}}
    (read,) = expand_messages(own)
    assert (read.id, read.kind, read.origin, read.metadata) == ("m", EntryKind.EVENT, Origin.WEB, {"a": 1})
    assert expand_messages(read) == [read]
    assert [one.content for one in expand_messages(iter(["a", "b"]))] == ["a", "b"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "content", "source", "data", "url", "name", "input", "function", "image_url"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
FIELDS = st.sampled_from(["role", "content", "tool_calls", "name", "metadata", "id", "function_call", "files", "type"])


@given(st.dictionaries(FIELDS, JSON, max_size=5))
def test_whatever_comes_is_read_or_refused_and_never_anything_else(message: dict[str, Any]) -> None:
    try:
        read = expand_messages(message)
    except InvalidInput:
        return
    assert read
    assert all(one.content.strip() for one in read)


def test_a_plain_message_is_read_as_one_in_parts_in_fewer_steps() -> None:
    def steps(content: object) -> tuple[int, list[Message]]:
        count = 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call"

        message = {"role": "Anna", "content": content, "id": "7", "metadata": {"mood": "calm"}}
        read_messages([message], longest=100)  # what is made once is no part of it
        sys.setprofile(note)
        try:
            read = read_messages([message], longest=100)
        finally:
            sys.setprofile(None)
        return count, read

    (plain, read), (parted, same) = steps("I like tea."), steps([{"type": "text", "text": "I like tea."}])
    assert read == same
    assert plain < parted - 10  # the rest is what the message itself checks
