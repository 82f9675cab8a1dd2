"""Lists of messages: read in either style, cleaned of what providers refuse, cut only where one may."""

from typing import Any

import pytest

from remanent.context.messages import read_messages, sanitized, style_of, units
from remanent.errors import InvalidInput

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "sky"}'}}


def raws(messages: list[dict[str, Any]]) -> list[Any]:
    return [dict(message.raw) for message in sanitized(read_messages(messages))]


def test_both_styles_are_read_with_their_calls_and_results() -> None:
    openai = read_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "blue"},
        ]
    )
    anthropic = read_messages(
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "sky"}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "blue"}]},
        ]
    )

    assert [(one.part, one.calls, one.results) for one in openai] == [("assistant", ("c1",), ()), ("tool", (), ("c1",))]
    assert [(one.part, one.calls, one.results) for one in anthropic] == [
        ("assistant", ("c1",), ()),
        ("tool", (), ("c1",)),
    ]
    assert openai[0].text == 'look({"at": "sky"})' == anthropic[0].text
    assert (style_of(openai), style_of(anthropic)) == ("openai", "anthropic")


TEXT = {"type": "text", "text": "What is this?"}


@pytest.mark.parametrize(
    ("messages", "style"),
    [
        ([{"role": "user", "content": [TEXT, {"type": "image", "source": {}}]}], "anthropic"),
        ([{"role": "user", "content": [{"type": "document", "source": {}}]}], "anthropic"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, TEXT]}], "anthropic"),
        ([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": [TEXT]}], "anthropic"),
        ([{"role": "user", "content": [TEXT, {"type": "image_url", "image_url": {"url": "x"}}]}], "openai"),
        ([{"role": "user", "content": [TEXT, {"type": "input_audio", "input_audio": {}}]}], "openai"),
        ([{"role": "system", "content": "Be brief."}, {"role": "user", "content": [TEXT]}], "openai"),
        ([{"role": "developer", "content": [TEXT]}], "openai"),
        ([{"role": "user", "content": [TEXT]}, {"role": "assistant", "tool_calls": [CALL]}], "openai"),
        ([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello Ida."}], "openai"),
    ],
)
def test_a_list_of_blocks_is_anthropics_unless_something_in_it_is_openais(messages: list[Any], style: str) -> None:
    assert style_of(read_messages(messages)) == style


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("hello", "message 2 is not an object"),
        ({"content": "no role"}, "message 2 has no known role"),
        ({"role": "narrator", "content": "x"}, "message 2 has no known role"),
        ({"role": "user", "content": 7}, "the content of message 2"),
        ({"role": "user", "content": ["text"]}, "the content of message 2"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(message: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_messages([{"role": "user", "content": "fine"}, message])


def test_refusals_and_thoughts_are_counted_with_the_words() -> None:
    parts = [{"type": "refusal", "refusal": "I cannot."}, {"type": "thinking", "thinking": "Why not?"}]
    (message,) = read_messages([{"role": "bot", "content": parts}])
    assert (message.part, message.text) == ("assistant", "I cannot.\nWhy not?")


def test_results_without_their_call_are_left_out() -> None:
    kept = raws([{"role": "tool", "tool_call_id": "gone", "content": "orphan"}, {"role": "user", "content": "hi"}])

    assert kept == [{"role": "user", "content": "hi"}]


def test_an_orphan_block_goes_and_the_rest_of_its_message_stays() -> None:
    result = {"type": "tool_result", "tool_use_id": "gone", "content": "orphan"}
    kept = raws([{"role": "user", "content": [result, {"type": "text", "text": "and now?"}]}])

    assert kept == [{"role": "user", "content": [{"type": "text", "text": "and now?"}]}]


def test_calls_that_nobody_answered_go_unless_their_results_are_still_to_come() -> None:
    asking = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}

    assert raws([asking, {"role": "user", "content": "well?"}])[0] == {"role": "assistant", "content": "I look."}
    assert raws([{"role": "user", "content": "look!"}, asking])[-1] == asking


def test_a_message_that_stands_there_twice_in_a_row_stays_once() -> None:
    hello = {"role": "user", "content": "hello"}

    assert raws([hello, dict(hello), {"role": "assistant", "content": "hi"}, hello]) == [
        hello,
        {"role": "assistant", "content": "hi"},
        hello,
    ]


def test_a_call_and_all_its_results_are_one_unit() -> None:
    other = {**CALL, "id": "c2"}
    grouped = units(
        read_messages(
            [
                {"role": "user", "content": "look twice"},
                {"role": "assistant", "content": None, "tool_calls": [CALL, other]},
                {"role": "tool", "tool_call_id": "c1", "content": "blue"},
                {"role": "tool", "tool_call_id": "c2", "content": "grey"},
                {"role": "assistant", "content": "Both."},
            ]
        )
    )

    assert [len(group) for group in grouped] == [1, 3, 1]


def test_a_tool_that_runs_at_the_provider_is_called_and_answered_within_its_message() -> None:
    searched = {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tides"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [{"type": "text", "text": "High at six."}],
            },
            {"type": "text", "text": "High water is at six."},
        ],
    }
    [message] = sanitized(read_messages([searched]))
    assert message.raw == searched
    assert (message.part, message.calls, message.results) == ("assistant", (), ())
    assert "High at six." in message.text
