import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.server.proxy.conversation import UnreadableChat, read_body

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.lists(st.dictionaries(st.text(max_size=5), ANY_JSON, max_size=3), min_size=1, max_size=4)
ADDED = {"role": "user", "content": '<memory>"\\\n小\u2028'}


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """A request as some client may write it: with any spaces, in any order, with names of its own."""
    messages = draw(MESSAGES)
    others = draw(st.dictionaries(st.text().filter(lambda name: name != "messages"), ANY_JSON, max_size=3))
    items = draw(st.permutations([("messages", messages), *others.items()]))
    indent, ascii_only = draw(st.sampled_from([None, 0, 3])), draw(st.booleans())
    text = json.dumps(dict(items), indent=indent, ensure_ascii=ascii_only)
    return draw(st.sampled_from(["", " ", "\n\t"])) + text + draw(st.sampled_from(["", "\r\n"])), messages


@settings(deadline=None)
@given(bodies(), st.data())
def test_a_message_is_inserted_and_every_other_byte_stays(body: tuple[str, list[Any]], data: st.DataObject) -> None:
    text, messages = body
    try:
        sent = text.encode()
    except UnicodeEncodeError:
        return
    read = read_body(sent)
    assert list(read.messages) == messages
    place = data.draw(st.integers(0, len(messages) - 1))
    changed = read.with_message(ADDED, before=place)
    start = len(read.text[: read.spans[place][0]].encode())
    assert changed.startswith(sent[:start])
    assert changed.endswith(sent[start:])
    expected = json.loads(sent)
    expected["messages"].insert(place, ADDED)
    assert json.loads(changed) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"messages": {}}',
        b'{"messages": ["hi"]}',
        b'{"messages": [{}]',
        b'{"messages": [{}],}',
        b'{"messages": [{},]}',
        b'{"messages": [{}]} {}',
        b'{"messages" [{}]}',
        b'{1: 2, "messages": [{}]}',
        b'{"messages": [{}] "model": 1}',
        b'{"messages": [{}], "messages": [{}]}',
        b'{"messages": [{}], "\\u006dessages": []}',
        b"\xff",
        b'{"messages": ' + b"[" * 100_000,
    ],
)
def test_what_two_readers_could_read_differently_is_not_read(body: bytes) -> None:
    with pytest.raises(UnreadableChat):
        read_body(body)
