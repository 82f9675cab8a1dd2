import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from remanent.errors import InvalidInput
from remanent.model import (
    Conflict,
    Entry,
    Found,
    Job,
    Kind,
    Link,
    Model,
    NoteData,
    Receipt,
    Record,
    Scope,
    Tombstone,
    TurnData,
    Version,
)
from remanent.model.base import MAX_JSON_DEPTH
from tests.model import strategies

NOW = datetime(2025, 3, 1, tzinfo=UTC)
SCOPE = Scope(org="acme", workspace="lab", agent="ada")
HALF_A_PAIR = "half \ud83d of a pair"
WORDS: list[Any] = [
    strategies.scopes,
    strategies.entries,
    strategies.versions,
    strategies.links,
    strategies.conflicts,
    strategies.tombstones,
    strategies.receipts,
    strategies.jobs,
    strategies.found,
    strategies.explained,
]
NAMES = ["scope", "entry", "version", "link", "conflict", "tombstone", "receipt", "job", "found", "explained"]


def survives(word: Model) -> bool:
    text = word.to_json()
    again = type(word).from_json(text)
    return again == word and again.to_json() == text and type(word).model_validate(json.loads(text)) == word


@pytest.mark.parametrize("words", WORDS, ids=NAMES)
def test_every_word_survives_the_round_trip_through_json_exactly(words: st.SearchStrategy[Model]) -> None:
    @settings(max_examples=60, deadline=None)
    @given(words)
    def holds(word: Model) -> None:
        assert survives(word)

    holds()


@pytest.mark.parametrize("kind", list(Kind))
def test_a_record_of_every_kind_survives_the_round_trip_with_its_typed_data(kind: Kind) -> None:
    @settings(max_examples=25, deadline=None)
    @given(strategies.records(st.just(kind)))
    def holds(record: Record) -> None:
        assert survives(record)
        assert type(Record.from_json(record.to_json()).data) is kind.data

    holds()


@pytest.mark.parametrize("words", [*WORDS, strategies.records()], ids=[*NAMES, "record"])
def test_no_word_can_be_changed(words: st.SearchStrategy[Model]) -> None:
    @settings(max_examples=5, deadline=None)
    @given(words)
    def holds(word: Model) -> None:
        for name in type(word).model_fields:
            with pytest.raises(ValidationError):
                setattr(word, name, None)

    holds()


@given(strategies.records(), strategies.texts)
@settings(max_examples=30, deadline=None)
def test_replacing_a_field_gives_a_checked_copy_and_leaves_the_original(record: Record, content: str) -> None:
    before = record.to_json()
    assert record.replace(content=content).content == content
    assert record.to_json() == before
    with pytest.raises(InvalidInput):
        record.replace(confidence=2.0)


def test_a_record_without_data_gets_the_defaults_of_its_kind() -> None:
    record = Record.model_validate({**_record(), "kind": "note"})
    assert record.data == NoteData()


def test_a_record_refuses_the_data_of_another_kind() -> None:
    with pytest.raises(InvalidInput, match="NoteData"):
        Record.model_validate({**_record(), "kind": "turn", "data": NoteData()})
    with pytest.raises(InvalidInput):
        Record.model_validate({**_record(), "kind": "turn", "data": {"heading": "x"}})


def test_a_record_is_not_valid_until_before_it_is_valid() -> None:
    with pytest.raises(InvalidInput, match="valid_to"):
        Record.model_validate({**_record(), "valid_from": "2025-02-02T00:00:00Z", "valid_to": "2025-02-01T00:00:00Z"})


@pytest.mark.parametrize(
    ("word", "fields"),
    [
        (Entry, {"text": None}),
        (Entry, {"id": "has a space"}),
        (Entry, {"id": "x" * 65}),
        (Entry, {"seq": -1}),
        (Entry, {"kind": "rumour"}),
        (Entry, {"occurred_at": "yesterday"}),
        (Entry, {"unheard_of": 1}),
        (Entry, {"text": HALF_A_PAIR}),
        (Entry, {"metadata": {"x": float("nan")}}),
        (Entry, {"metadata": {"x": HALF_A_PAIR}}),
        (Entry, {"metadata": {HALF_A_PAIR: 1}}),
        (Entry, {"attachments": [{"attachment_id": "a", "digest": "../../etc/passwd"}]}),
        (Record, {"confidence": 1.5}),
        (Record, {"importance": float("inf")}),
        (Record, {"version": 0}),
        (Record, {"kind": "an opinion"}),
        (Record, {"content": HALF_A_PAIR}),
        (Record, {"kind": "semantic", "data": {"related": [HALF_A_PAIR]}}),
        (Record, {"kind": "chunk", "data": {"document_id": HALF_A_PAIR}}),
        (Record, {"kind": "chunk", "data": {"parent_id": HALF_A_PAIR}}),
        (Link, {"strength": -0.1}),
        (Link, {"from_id": ""}),
        (Conflict, {"claims": []}),
        (Conflict, {"claims": [{"record_id": "a", "text": "x"}]}),
        (Conflict, {"verdict": {"text": "", "decided_by": "x", "decided_at": NOW, "upheld": [HALF_A_PAIR]}}),
        (Conflict, {"verdict": {"text": "", "decided_by": "x", "decided_at": NOW, "undo": {HALF_A_PAIR: 1}}}),
        (Tombstone, {"size": -1}),
        (Job, {"max_attempts": 0}),
        (Job, {"state": "resting"}),
        (Receipt, {"last_seq": -1}),
        (Receipt, {"entry_ids": [HALF_A_PAIR]}),
        (Version, {"superseded_at": "never"}),
        (Found, {"items": "none"}),
    ],
)
def test_a_malformed_word_is_refused_with_our_own_error(word: type[Model], fields: dict[str, Any]) -> None:
    valid = _valid()[word]
    word.model_validate(valid)
    with pytest.raises(InvalidInput):
        word.model_validate({**valid, **fields})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"org": "a"}', "\x00", "[" * 10_000])
def test_what_is_no_json_of_a_word_is_refused_with_our_own_error(text: str) -> None:
    for word in (Scope, Entry, Record, Job):
        with pytest.raises(InvalidInput):
            word.from_json(text)


def test_a_refusal_names_the_field_and_does_not_repeat_the_value() -> None:
    with pytest.raises(InvalidInput, match="confidence") as caught:
        Record.model_validate({**_record(), "content": "secret words", "confidence": 7})
    assert "secret" not in str(caught.value)


def test_metadata_may_be_nested_but_not_without_end() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_JSON_DEPTH):
        deep = {"in": deep}
    assert Entry.model_validate({**_entry(), "metadata": deep}).metadata == deep
    with pytest.raises(InvalidInput, match="nested"):
        Entry.model_validate({**_entry(), "metadata": {"in": deep}})


def test_the_text_of_what_was_found_is_what_is_to_be_injected_and_the_explanation_keeps_the_order() -> None:
    items = [
        {"record_id": name, "text": name.upper(), "score": 1.0, "kind": "turn", "occurred_at": NOW}
        for name in ("a", "b")
    ]
    found = Found.model_validate({"query": "q", "items": items, "injection": {"text": "A and B"}})
    assert found.text == "A and B"
    assert [(item.place, item.record_id) for item in found.explain()] == [(1, "a"), (2, "b")]


def test_the_number_of_a_version_is_that_of_its_record() -> None:
    assert Version(record=Record.model_validate({**_record(), "version": 3})).number == 3


def _entry() -> dict[str, Any]:
    return {"id": "e1", "scope": SCOPE, "text": "hello", "occurred_at": NOW, "recorded_at": NOW}


def _record() -> dict[str, Any]:
    times = {"created_at": NOW, "updated_at": NOW, "occurred_at": NOW}
    return {"id": "r1", "scope": SCOPE, "kind": "turn", "content": "hello", **times}


def _valid() -> dict[type[Model], dict[str, Any]]:
    times = {"created_at": NOW, "updated_at": NOW}
    claims = [{"record_id": name, "text": name} for name in ("a", "b")]
    stone = {"record_id": "r", "scope": SCOPE, "kind": "turn", "about": "x", "learned_at": NOW, "forgotten_at": NOW}
    return {
        Entry: _entry(),
        Record: _record(),
        Link: {"from_id": "a", "to_id": "b", **times},
        Conflict: {"id": "c", "scope": SCOPE, "claims": claims, **times},
        Tombstone: {**stone, "size": 1},
        Job: {"id": "j", "scope": SCOPE, "kind": "embed", "enqueued_at": NOW},
        Receipt: {"entry_ids": ["a"], "last_seq": 1, "recorded_at": NOW},
        Version: {"record": Record.model_validate({**_record(), "data": TurnData()})},
        Found: {"query": "q"},
    }
