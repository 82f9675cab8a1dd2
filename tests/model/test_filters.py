"""What callers may ask of metadata and tags, in which forms, and what is refused."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.model import Message, MetadataCondition
from remanent.model.filters import metadata_object, read_tags, read_where

CONDITION = MetadataCondition


@pytest.mark.spec("USE-02")
@pytest.mark.parametrize(
    ("where", "conditions"),
    [
        (None, []),
        ({}, []),
        ({"user": "u1"}, [CONDITION("user", "in", ("u1",))]),
        ({"user": ["u1", 2]}, [CONDITION("user", "in", ("u1", 2))]),
        ({"user": {"eq": True}}, [CONDITION("user", "in", (True,))]),
        ({"year": {"$gte": 2020, "lt": 2024}}, [CONDITION("year", "gte", (2020,)), CONDITION("year", "lt", (2024,))]),
        ({"at": {"gt": datetime(2024, 5, 1, tzinfo=UTC)}}, [CONDITION("at", "gt", ("2024-05-01T00:00:00.000Z",))]),
        ('{"user": "u1"}', [CONDITION("user", "in", ("u1",))]),
        ("user=u1", [CONDITION("user", "in", ("u1",))]),
        (["user=7", "year>=2020"], [CONDITION("user", "in", ("7", 7)), CONDITION("year", "gte", (2020,))]),
        (["url=a=b", "year<2"], [CONDITION("url", "in", ("a=b",)), CONDITION("year", "lt", (2,))]),
    ],
)
def test_what_is_asked_is_read_from_every_form(where: object, conditions: list[MetadataCondition]) -> None:
    assert list(read_where(where)) == conditions


@pytest.mark.spec("USE-02")
@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        (7, "an object like"),
        ([7], "an object like"),
        ("user", "is not a comparison"),
        ("year=>2020", "no known comparison"),
        ("user==u1", "no known comparison"),
        ("year>>2020", "no known comparison"),
        ("{broken", "not JSON"),
        ({"": 1}, "a key must"),
        ({7: 1}, "a key must"),
        ({"#tags": "x"}, "a key must"),
        ({"k" * 201: 1}, "a key must"),
        ({"user": None}, "not null"),
        ({"user": {"like": "u%"}}, "unknown comparison 'like'"),
        ({"user": {}}, "name a comparison"),
        ({"user": {"in": "u1"}}, "a list of values"),
        ({"user": {"gt": [1]}}, "one value"),
        ({"user": {"gt": True}}, "have no order"),
        ({"user": float("nan")}, "equal nothing"),
        ({"user": 10**400}, "expected"),
        ({"user": "x" * 1001}, "shorten"),
        ({"user": list(range(1001))}, "1001 values"),
        ({f"k{number}": 1 for number in range(33)}, "33 conditions"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_asked_is_refused_with_how_to_ask(where: object, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_where(where)


@pytest.mark.parametrize("tags", [7, None, [""], [7], ["x" * 201], [str(n) for n in range(101)]], ids=str)
def test_what_is_no_tag_is_refused(tags: Any) -> None:
    with pytest.raises(InvalidInput, match="tags"):
        read_tags(tags)
    assert read_tags("one") == ("one",)
    assert read_tags(["b", "a", "b"]) == ("b", "a")


@pytest.mark.spec("USE-02")
@pytest.mark.parametrize(
    ("metadata", "complaint"),
    [({"#x": 1}, "key must"), ({"x": "y" * 17_000}, "bytes, but"), ({"": 1}, "key must"), (["user"], "no value")],
    ids=["reserved", "long", "empty", "no pair"],
)
def test_metadata_are_bounded(metadata: Any, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        Message.model_validate({"content": "x", "metadata": metadata_object(metadata)})
    assert metadata_object(["user=u1", "year=2024"]) == {"user": "u1", "year": 2024}
    assert metadata_object('{"user": "u1", "by": {"a": [1, null]}}') == {"user": "u1", "by": {"a": [1, None]}}
    assert (metadata_object("user=u1"), metadata_object("{}")) == ({"user": "u1"}, {})
    with pytest.raises(InvalidInput, match="metadata: this is not JSON"):
        metadata_object('{"user": ')


VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["", "a", "b", "1"])


@given(
    st.dictionaries(st.sampled_from("ab"), VALUES | st.lists(VALUES, max_size=3)),
    st.sampled_from("ab"),
    st.sampled_from(["gt", "gte", "lt", "lte"]),
    st.integers(-3, 3) | st.sampled_from(["", "a"]),
)
def test_bounds_and_equality_agree(metadata: dict[str, Any], key: str, name: Any, value: int | str) -> None:
    (equal,) = read_where({key: value})
    strict = {"gte": "gt", "lte": "lt"}.get(name)
    if strict is not None:
        (wide,), (narrow,) = read_where({key: {name: value}}), read_where({key: {strict: value}})
        assert wide.holds(metadata) == (narrow.holds(metadata) or equal.holds(metadata))
