import json
import re
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from remanent.language.models.coercion import bounded, fit, read_reply, schema_of
from remanent.language.models.parsing import UnreadableReply
from remanent.language.roles import all_roles
from remanent.language.roles.analysis import ANALYSIS
from remanent.language.shapes import Words
from remanent.model import JsonObject, Model
from remanent.model.base import Count, Share, Text
from tests.language.roles.cases import CASES


class Standing(StrEnum):
    CONFLICT = "conflict"
    FOLLOW_UP = "follow_up"


class Part(Model):
    name: Text
    share: Share = 0.5


class Reply(Model):
    title: Text
    share: Share
    count: Count = 0
    is_sure: bool = False
    standing: Standing = Standing.CONFLICT
    keywords: tuple[Text, ...] = ()
    parts: tuple[Part, ...] = ()
    main: Part | None = None
    note: Text | None = None
    extra: JsonObject = Field(default_factory=dict)


class Only(Model):
    parts: tuple[Part, ...]


GOOD: dict[str, Any] = {"title": "A", "share": 0.9}


def fitted(**changes: Any) -> Reply:
    return fit({**GOOD, **changes}, Reply)


def test_a_value_that_fits_is_taken_as_it_is() -> None:
    whole: dict[str, Any] = {
        "title": "A",
        "share": 0.9,
        "count": 3,
        "is_sure": True,
        "standing": "follow_up",
        "keywords": ["a", "b"],
        "parts": [{"name": "x", "share": 1}],
        "main": {"name": "y"},
        "note": "n",
        "extra": {"any": [1, {"thing": None}]},
    }
    assert fit(whole, Reply) == Reply.model_validate(whole)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"share": "0.9"}, {"share": 0.9}, id="a number as text"),
        pytest.param({"share": " 90 % "}, {"share": 0.9}, id="per cent of one"),
        pytest.param({"share": [0.4]}, {"share": 0.4}, id="a list of one number"),
        pytest.param({"count": "3"}, {"count": 3}, id="a whole number as text"),
        pytest.param({"count": 3.0}, {"count": 3}, id="a whole number with a point"),
        pytest.param({"is_sure": "yes"}, {"is_sure": True}, id="yes"),
        pytest.param({"is_sure": "否"}, {"is_sure": False}, id="no in Chinese"),
        pytest.param({"title": 7}, {"title": "7"}, id="text as a number"),
        pytest.param({"title": ["A"]}, {"title": "A"}, id="a list of one text"),
        pytest.param({"title": "a\ud83d"}, {"title": "a\ufffd"}, id="half a surrogate pair"),
        pytest.param({"standing": "Follow-Up"}, {"standing": "follow_up"}, id="a choice spelt otherwise"),
        pytest.param({"standing": ["CONFLICT"]}, {"standing": "conflict"}, id="a list of one choice"),
        pytest.param({"standing": None}, {}, id="null for a default"),
        pytest.param({"keywords": "a, b"}, {"keywords": ["a", "b"]}, id="an enumeration"),
        pytest.param({"keywords": "甲、乙，丙"}, {"keywords": ["甲", "乙", "丙"]}, id="an enumeration in Chinese"),
        pytest.param({"keywords": "- a\n- b, c"}, {"keywords": ["a", "b, c"]}, id="lines"),
        pytest.param({"keywords": "1. a\n2) b"}, {"keywords": ["a", "b"]}, id="numbered lines"),
        pytest.param({"keywords": "One, two. Three."}, {"keywords": ["One, two. Three."]}, id="a sentence"),
        pytest.param({"keywords": '["a", "b"]'}, {"keywords": ["a", "b"]}, id="a list as text"),
        pytest.param({"keywords": ""}, {"keywords": []}, id="no text for no list"),
        pytest.param({"keywords": None}, {"keywords": []}, id="null for an empty list"),
        pytest.param({"keywords": ["a", 3]}, {"keywords": ["a", "3"]}, id="a number among texts"),
        pytest.param({"parts": {"name": "x"}}, {"parts": [{"name": "x"}]}, id="one for a list of one"),
        pytest.param({"parts": [{"name": "x", "why": 1}]}, {"parts": [{"name": "x"}]}, id="unknown fields inside"),
        pytest.param({"main": [{"name": "y"}]}, {"main": {"name": "y"}}, id="a list of one for one"),
        pytest.param({"main": '{"name": "y"}'}, {"main": {"name": "y"}}, id="an object as text"),
        pytest.param({"main": ""}, {"main": None}, id="no text for nothing"),
        pytest.param({"note": "null"}, {"note": None}, id="the word null"),
        pytest.param({"reasoning": "because"}, {}, id="an unknown field"),
        pytest.param({"keyWords": ["a"]}, {"keywords": ["a"]}, id="a key spelt otherwise"),
        pytest.param({"Is Sure": True}, {"is_sure": True}, id="a key in words"),
        pytest.param({"keywords": ["a"], "Keywords": ["b"]}, {"keywords": ["a"]}, id="the exact key counts"),
    ],
)
def test_a_wrong_form_with_one_reading_is_put_right(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    assert fitted(**changes) == Reply.model_validate({**GOOD, **expected})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({**GOOD, "share": "high"}, "share: Input should be a valid number"),
        ({**GOOD, "share": 1.4}, "share: Input should be less than or equal to 1"),
        ({**GOOD, "share": None}, "share: Input should be a valid number"),
        ({**GOOD, "count": 2.5}, "count: Input should be a valid integer"),
        ({**GOOD, "count": "50%"}, "count: Input should be a valid integer"),
        ({**GOOD, "standing": "perhaps"}, "standing: Input should be 'conflict' or 'follow_up'"),
        ({**GOOD, "title": ["A", "B"]}, "title: Input should be a valid string"),
        ({**GOOD, "parts": [3]}, "part: Input should be"),
        ({"title": "A"}, "share: Field required"),
        ({"other": 1}, "none of the keys title, share"),
        ({}, "none of the keys"),
        (["a"], "a JSON object was expected, not a list"),
    ],
)
def test_what_has_no_one_reading_is_refused_with_the_field_and_without_the_value(value: Any, said: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        fit(value, Reply)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        {"parts": [{"name": "x"}]},
        [{"name": "x"}],
        {"result": {"parts": [{"name": "x"}]}},
        [{"parts": [{"name": "x"}]}],
        {"parts": {"name": "x"}},
    ],
)
def test_the_only_list_of_a_reply_is_known_wherever_it_stands(value: Any) -> None:
    assert fit(value, Only) == Only(parts=(Part(name="x"),))


def test_the_object_that_fits_is_found_among_others() -> None:
    text = 'The schema is {"type": "object"}. My answer: {"title": "A", "share": "0.9"}'
    assert read_reply(text, Reply) == fitted()


def test_the_same_answer_twice_is_one_answer() -> None:
    answer = json.dumps(GOOD)
    assert read_reply(f"{answer}\nAgain:\n```json\n{answer}\n```", Reply) == fitted()


def test_two_different_answers_are_none() -> None:
    with pytest.raises(UnreadableReply, match="several different"):
        read_reply(json.dumps(GOOD) + json.dumps({**GOOD, "title": "B"}), Reply)


def test_the_schema_keeps_a_field_that_is_called_title_and_no_titles() -> None:
    schema = schema_of(Reply)
    assert schema["properties"]["title"] == {"type": "string"}
    assert "title" not in schema
    assert "title" not in schema["properties"]["share"]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
WORDS = st.text("abc甲乙", min_size=1, max_size=6)
PARTS = st.builds(Part, name=TEXTS, share=st.floats(0, 1))
REPLIES = st.builds(
    Reply,
    title=TEXTS,
    share=st.floats(0, 1),
    count=st.integers(0, 2**53),
    is_sure=st.booleans(),
    standing=st.sampled_from(Standing),
    keywords=st.lists(WORDS).map(tuple),
    parts=st.lists(PARTS, max_size=3).map(tuple),
    main=st.none() | PARTS,
    note=st.none() | WORDS,
    extra=st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=2),
)


@given(REPLIES)
def test_every_reply_survives_being_written_and_read(reply: Reply) -> None:
    assert read_reply(reply.to_json(), Reply) == reply


@given(REPLIES, st.dictionaries(WORDS.map("unknown {}".format), TEXTS, max_size=2))
def test_every_reply_is_read_from_the_slips_of_a_model(reply: Reply, unknown: dict[str, str]) -> None:
    value = json.loads(reply.to_json())
    value["share"] = repr(reply.share)
    value["count"] = str(reply.count)
    value["is_sure"] = "Yes" if reply.is_sure else "no"
    value["standing"] = reply.standing.value.upper().replace("_", " ")
    value["keywords"] = ", ".join(reply.keywords) or None
    if len(reply.parts) == 1:
        value["parts"] = value["parts"][0]
    text = "Here you are:\n```json\n" + json.dumps({**value, **unknown}, ensure_ascii=False)[:-1] + ",\n}\n```"
    assert read_reply(text, Reply) == reply


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*Reply.model_fields, *Part.model_fields, "x"]), inner, max_size=4)
    ),
)


@given(ANYTHING)
def test_any_value_is_fitted_or_refused(value: Any) -> None:
    try:
        reply = fit(value, Reply)
    except UnreadableReply:
        return
    assert fit(json.loads(reply.to_json()), Reply) == reply


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("case", [case for case in CASES if all_roles()[case.partition(".")[0]].form == "json"])
def test_the_schema_of_a_reply_has_the_bounds_of_its_request_and_none_that_says_nothing(case: str) -> None:
    role: Any = all_roles()[case.partition(".")[0]]
    shown = json.dumps(bounded(schema_of(role.reply), role.bounds(CASES[case])))
    assert "maxLength" not in shown
    assert not re.search(r'"(?:maxItems|maximum)": \d{4}', shown)


@pytest.mark.spec("USE-08")
def test_a_model_is_told_of_at_most_eight_keywords_and_more_are_read() -> None:
    class Told(Model):
        words: Words

    assert schema_of(Told)["properties"]["words"]["maxItems"] == 8
    assert len(fit({"words": [f"w{number}" for number in range(12)]}, Told).words) == 12


@pytest.mark.spec("USE-08")
def test_a_judgement_is_asked_for_each_candidate_by_its_name() -> None:
    request: Any = CASES["analysis.en"]
    schema = bounded(schema_of(ANALYSIS.reply), ANALYSIS.bounds(request))
    assert schema["properties"]["relations"]["maxItems"] == len(request.candidates)
    assert schema["$defs"]["RelationReply"]["properties"]["existing_node"]["enum"] == ["n1", "n2"]
    assert "enum" not in schema_of(ANALYSIS.reply)["$defs"]["RelationReply"]["properties"]["existing_node"]


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("case", CASES)
def test_no_prompt_has_an_example_that_could_be_taken_for_a_fact(case: str) -> None:
    role: Any = all_roles()[case.partition(".")[0]]
    request: Any = CASES[case]
    language = role.language(request)
    told = role.prompt(request, language=language).instructions
    assert not re.search(r"示例|Example|例如|IBM|Friday|[a-z_]+\|[a-z_]+\|", told)
    if role.form == "json":
        blank = role.blank(request, language=language)
        assert told.count(blank) == 1
        texts = [text for text in _texts(json.loads(blank)) if not re.fullmatch(r"\[.+\]|【.+】|[nf]1|", text)]
        assert set(texts) <= {"integrated", "NORMAL"}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]
