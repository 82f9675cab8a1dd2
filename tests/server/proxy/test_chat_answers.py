import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.model import EntryKind
from remanent.server.proxy.conversation import ChatAnswer, EventReader, read_whole
from tests.server.proxy.steps import delta, event

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = "choices message delta content tool_calls function index id model".split()
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=20,
)
STREAM = b"".join(
    [
        b": a comment\r\n\r\n",
        event(delta(role="assistant", content="")),
        event(delta(content="小明 moved ")).replace(b"\n", b"\r\n"),
        b"event: message\nid: 1\n" + event(delta(content="to Lisbon.")),
        b"data: no json\n\n",
        b'data: {"choices": [{"index": 0,\ndata: "delta": {"content": " Yes."}}]}\n\n',
        event(delta(tool_calls=[{"index": 0, "id": "c", "function": {"name": "look", "arguments": "{}"}}])),
        event(delta(finish="stop")),
        b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\n',
        b"data: [DONE]\n\n",
    ]
)


def kept(answer: ChatAnswer, **more: Any) -> list[tuple[EntryKind, str]]:
    messages = answer.to_remember("chain", bucket=1, moment=NOW, longest=1000, **more)
    assert len({message.id for message in messages}) == len(messages)
    return [(message.kind, message.content) for message in messages]


@settings(deadline=None)
@given(st.lists(st.integers(0, len(STREAM) - 1), max_size=30))
def test_events_are_read_alike_wherever_the_bytes_are_cut(cuts: list[int]) -> None:
    events = EventReader()
    borders = [0, *sorted(cuts), len(STREAM)]
    for start, end in pairwise(borders):
        assert not events.answer.is_done
        events.feed(STREAM[start:end])
    assert events.answer.is_done
    assert kept(events.answer) == [
        (EntryKind.MESSAGE, "小明 moved to Lisbon. Yes."),
        (EntryKind.TOOL_CALL, "look({})"),
    ]


def test_a_stream_is_whole_when_it_says_so_or_every_choice_has_ended() -> None:
    for last in (b"data: [DONE]", event(delta(finish="length")).rstrip()):
        events = EventReader()
        events.feed(event(delta(content="Yes")) + last)
        assert not events.answer.is_whole
        events.end()
        assert events.answer.is_whole


@settings(deadline=None)
@given(SHAPES)
def test_nothing_that_a_model_sends_is_a_surprise(value: Any) -> None:
    answer = read_whole(json.dumps(value).encode())
    kept(answer)
    events = EventReader()
    events.feed(event(value))
    kept(events.answer)


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    answer = read_whole(b'{"choices": [{"message": {"content": "a\\ud83d b\\ud83d\\ude00"}}]}')
    assert kept(answer) == [(EntryKind.MESSAGE, "a\ufffd b😀")]


def test_an_event_too_long_to_keep_is_skipped_and_the_next_one_read() -> None:
    events = EventReader()
    events.feed(b"data: " + b"x" * 5_000_000)
    events.feed(b"x" * 1000 + b"\n\n" + event(delta(content="Yes.")))
    assert kept(events.answer) == [(EntryKind.MESSAGE, "Yes.")]


def test_a_refusal_is_an_answer() -> None:
    answer = read_whole(b'{"choices": [{"message": {"content": null, "refusal": "No."}}]}')
    assert kept(answer) == [(EntryKind.MESSAGE, "No.")]
