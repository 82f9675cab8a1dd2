import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from remanent.language.models.parsing import MAX_DEPTH, MAX_TOLERATED, UnreadableReply, read_values, read_whole_items
from tests.growth import grows_no_faster_than_its_input

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)

OBJECTS: st.SearchStrategy[dict[str, JsonValue]] = st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=4)
PRINTED = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
"""Python has an escape of its own for what lies beyond."""
PROSE = st.text(st.characters(exclude_characters="{}[]`\"'“‘<", exclude_categories=["Cs"]), max_size=30)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="as it should be"),
        pytest.param('```json\n{"a": 1}\n```', {"a": 1}, id="fence"),
        pytest.param('```\n{"a": 1}', {"a": 1}, id="fence left open"),
        pytest.param('Sure! Here it is:\n\n{"a": 1}\n\nAnything else?', {"a": 1}, id="prose"),
        pytest.param('As {name} said (see [1]): {"a": 1}', {"a": 1}, id="braces in prose"),
        pytest.param('<think>{"a": 2}? No.</think>{"a": 1}', {"a": 1}, id="thoughts"),
        pytest.param('\ufeff {"a": 1}', {"a": 1}, id="byte order mark"),
        pytest.param('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}, id="trailing commas"),
        pytest.param("{'a': 'it\\'s', 'b': 'x'}", {"a": "it's", "b": "x"}, id="single quotes"),
        pytest.param("{'a': 'it's fine', 'b': 1}", {"a": "it's fine", "b": 1}, id="apostrophe"),
        pytest.param('{"a": "he said "hi" to me"}', {"a": 'he said "hi" to me'}, id="quotes not escaped"),
        pytest.param("{“a”：“甲”，“b”：[1]}", {"a": "甲", "b": [1]}, id="full-width signs"),
        pytest.param('{"a": 1, // one\n "b": 2 /* two */, # three\n "c": 3}', {"a": 1, "b": 2, "c": 3}, id="comments"),
        pytest.param('{"a": "http://x/#y"}', {"a": "http://x/#y"}, id="no comment in a string"),
        pytest.param('{"a": 1, "a": 2}', {"a": 2}, id="duplicate keys: the last counts"),
        pytest.param('{"a": 1, "a": 2,}', {"a": 2}, id="duplicate keys, malformed: the last counts too"),
        pytest.param('{"a": NaN, "b": Infinity, "c": -Infinity}', {"a": None, "b": None, "c": None}, id="no numbers"),
        pytest.param('{"a": NaN, "b": +Inf, "c": 1e999,}', {"a": None, "b": None, "c": None}, id="no numbers, comma"),
        pytest.param('{"a": 1e999}', {"a": None}, id="too large a number"),
        pytest.param('{"a": "\\d+ \\u12 \\x41"}', {"a": "\\d+ \\u12 A"}, id="bad escapes"),
        pytest.param('{"a": "C:\\Users\\new"}', {"a": "C:\\Users\new"}, id="a path"),
        pytest.param('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}, id="raw control characters"),
        pytest.param('{"a": "\\ud83d\\ude00", "b": "\\ud83d",}', {"a": "😀", "b": "\ufffd"}, id="surrogates"),
        pytest.param("{a: 1, b-c: 2}", {"a": 1, "b-c": 2}, id="keys without quotes"),
        pytest.param('{"a": conflict, "b": [x, y]}', {"a": "conflict", "b": ["x", "y"]}, id="words without quotes"),
        pytest.param('{"a": True, "b": None, "c": undefined}', {"a": True, "b": None, "c": None}, id="words of Python"),
        pytest.param('{"a": +1, "b": .5, "c": 2.}', {"a": 1, "b": 0.5, "c": 2.0}, id="odd numbers"),
        pytest.param('{"a": "x"\n "b": "y"}', {"a": "x", "b": "y"}, id="comma forgotten"),
        pytest.param('{"a": ["x" "y"]}', {"a": ["x", "y"]}, id="comma forgotten in a list"),
        pytest.param('{"a": ["x", "y"', {"a": ["x", "y"]}, id="closing brackets forgotten"),
        pytest.param('```json\n{"a": {"b": ["x"]\n```', {"a": {"b": ["x"]}}, id="forgotten before a fence"),
        pytest.param('{"a": ["x"}', {"a": ["x"]}, id="one closing bracket for another"),
        pytest.param('{"a": 1}}', {"a": 1}, id="one bracket too many"),
        pytest.param('"{\\"a\\": 1}"', {"a": 1}, id="JSON in JSON"),
        pytest.param('[{"a": 1}]', [{"a": 1}], id="a list"),
        pytest.param("```json\n['a',]\n```", ["a"], id="a list in a fence"),
    ],
)
def test_what_has_one_reading_is_read(text: str, value: JsonValue) -> None:
    assert read_values(text) == [value]


def test_several_objects_are_all_found_in_their_order() -> None:
    assert read_values('First {"a": 1}, then {"a": 2}.') == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON object"),
        ("I cannot do that.", "no JSON object"),
        ("Use {name} and [1].", "no JSON object"),
        ("42", "no JSON object"),
        ('{"a": 12', "ends in the middle"),
        ('{"a": "x', "ends in the middle"),
        ('{"a": ["x",', "ends in the middle"),
        ('{"a": [', "ends in the middle"),
        ('{"a":', "ends in the middle"),
        ('{"a": ["x"}, "b": 1}', "not well-formed: the end was expected at character 11"),
        ('{"a": 1,, "b": 2}', "not well-formed: a key was expected at character 8"),
        ('{"a": 2024-05-01}', "not well-formed"),
        ('{"a": 1 2}', "not well-formed"),
        ('{"a": 1} and {"a": 2, "b', "ends in the middle"),
        ("[" * (MAX_DEPTH + 1) + "1,", "not well-formed: no more than 64 levels"),
        ('{"a": ' + "9" * 5000 + "}", "not well-formed: a value"),
        ("x" * (MAX_TOLERATED + 1), "longer than"),
    ],
)
def test_what_has_no_single_reading_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UnreadableReply, match=said):
        read_values(text)


def test_a_broken_object_is_not_replaced_by_one_inside_it() -> None:
    with pytest.raises(UnreadableReply, match="not well-formed"):
        read_values('{"a": @, "inner": [{"a": 2}]}')


def test_what_a_limit_cut_off_is_not_completed() -> None:
    assert read_values('{"a": ["x"]', cut=False) == [{"a": ["x"]}]
    with pytest.raises(UnreadableReply, match="ends in the middle"):
        read_values('{"a": ["x"]', cut=True)
    assert read_values('{"a": ["x"]}', cut=True) == [{"a": ["x"]}]


@given(OBJECTS, st.sampled_from([None, 2]), st.booleans())
def test_well_formed_json_is_read_exactly(value: dict[str, JsonValue], indent: int | None, ascii_only: bool) -> None:
    assert read_values(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == [value]


@given(OBJECTS, PROSE, PROSE, st.booleans())
def test_prose_and_fences_change_nothing(value: dict[str, JsonValue], before: str, after: str, fenced: bool) -> None:
    body = json.dumps(value)
    assert read_values(f"{before}\n```json\n{body}\n```\n{after}" if fenced else f"{before}\n{body}\n{after}") == [
        value
    ]


@given(OBJECTS)
def test_the_generous_grammar_agrees_with_the_strict_one(value: dict[str, JsonValue]) -> None:
    # The comma at the end makes it malformed, so that every part of it goes through the generous grammar.
    assert read_values(json.dumps(value)[:-1] + ",}") == [value]


@given(
    st.dictionaries(st.text(PRINTED, max_size=8), st.lists(st.text(PRINTED) | st.booleans() | st.none()), min_size=1)
)
def test_what_python_prints_is_read(value: dict[str, JsonValue]) -> None:
    assert read_values(repr(value)[:-1] + ",}") == [value]


@given(OBJECTS, st.data())
def test_of_a_text_that_was_cut_nothing_is_made_up(value: dict[str, JsonValue], data: st.DataObject) -> None:
    text = json.dumps(value)
    part = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(UnreadableReply):
        read_values(part, cut=True)
    try:
        read = read_values(part)
    except UnreadableReply:
        return
    closed = [part + ending for ending in _endings(part)]
    assert any(_loads(candidate) == read[0] for candidate in closed)


def _endings(part: str) -> list[str]:
    """Every sequence of closing brackets that could be missing: one for each that is open."""
    opened: list[str] = []
    inside = escaped = False
    for sign in part:
        if inside:
            inside, escaped = (sign != '"' or escaped), sign == "\\" and not escaped
        elif sign == '"':
            inside = True
        elif sign in "{[":
            opened.append("}" if sign == "{" else "]")
        elif sign in "}]":
            opened.pop()
    return ["".join(reversed(opened))]


def _loads(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return None
    return value


@given(st.text(st.sampled_from("{}[]\"':,`#/\\ \n*ab1-.eTNu“”：，"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        values = read_values(text)
    except UnreadableReply:
        return
    assert values
    for value in values:
        assert _is_json(value)


def _is_json(value: JsonValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_is_json(part) for part in value.values())
    return all(_is_json(part) for part in value) if isinstance(value, list) else True


@pytest.mark.parametrize(
    "text",
    [
        "{" * 500_000,
        '{"a":' * 100_000,
        "[" * 500_000,
        '{"a": "' + '"' * 500_000,
        '{"a": "' + '" ' * 250_000,
        '{"a": ' + "/*" * 250_000,
        '{"a": ' + " " * 500_000 + "@",
        '{"a": "' + "\\" * 500_000,
        "{'" * 250_000,
        '{"a": 1} ' * 50_000,
        "```" * 150_000,
        '{"a": ' + "1" * 500_000,
        '{"a": [' + "x" * 500_000,
    ],
    ids=lambda text: text[:8],
)
def test_nonsense_of_half_a_megabyte_takes_no_longer_than_it_should(text: str) -> None:
    def read(part: str) -> None:
        with suppress(UnreadableReply):
            read_values(part)

    assert grows_no_faster_than_its_input(read, text)


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"a": [{"b": 1}, {"b": 2', {"a": [{"b": 1}]}),
        ('{"a": [1, 22, 33', {"a": [1, 22]}),
        ('{"a": ["x", "y', {"a": ["x"]}),
        ('{"a": ["x"], "b": "half', {"a": ["x"]}),
        ('{"a": ["x"], "b": 12', {"a": ["x"]}),
        ('{"a": [{"b": [1, 2], "c": "d"}, {"b": [3', {"a": [{"b": [1, 2], "c": "d"}]}),
        ('Here: ```json\n{"a": [{"b": "c"}, {"b', {"a": [{"b": "c"}]}),
    ],
)
def test_of_a_list_that_was_cut_only_whole_items_are_read(text: str, kept: JsonValue) -> None:
    assert read_whole_items(text) == kept


@pytest.mark.parametrize("text", ["", "no", '{"a": "half', '{"a": [', '{"a": [{"b": 1', '{"a": 1, "b": tru'])
def test_without_a_whole_item_nothing_is_read(text: str) -> None:
    assert read_whole_items(text) is None
