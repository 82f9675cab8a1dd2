"""Kinds of record are an open set: each is registered with its data, and what nobody registered is kept as it is."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.errors import CallerError, InvalidInput
from remanent.model import Kind, RawData, Record, RecordData, Scope, register_kind
from remanent.model.kinds import NoteData, unregister_kind

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class RumourData(RecordData):
    """What a rumour carries."""

    heard: int = 0


@pytest.fixture
def rumour() -> Iterator[Kind]:
    kind = register_kind("rumour", RumourData, section="conversation")
    yield kind
    unregister_kind(kind)


def record(kind: str, **fields: Any) -> Record:
    scope = Scope(org="acme", workspace="lab", agent="ada")
    times = {"created_at": NOW, "updated_at": NOW, "occurred_at": NOW}
    return Record.model_validate({"id": "r1", "scope": scope, "kind": kind, "content": "hello", **times, **fields})


@pytest.mark.spec("USE-09")
def test_a_registered_kind_types_its_data(rumour: Kind) -> None:
    assert rumour in list(Kind)
    assert Kind("rumour") is rumour
    assert record("rumour", data={"heard": 3}).data == RumourData(heard=3)
    assert (rumour.section, Kind("never_heard_of").section) == ("conversation", "project_context")
    with pytest.raises(InvalidInput, match="heard"):
        record("rumour", data={"heard": "often"})


@pytest.mark.spec("USE-09")
def test_a_record_of_a_kind_that_nobody_registered_keeps_its_data_and_gets_its_type_back() -> None:
    stranger = record("rumour", data={"heard": 3, "by": ["Ada", None]})
    assert isinstance(stranger.data, RawData)
    assert json.loads(stranger.to_json())["data"] == {"heard": 3, "by": ["Ada", None]}
    assert Record.from_json(stranger.to_json()) == stranger
    plain = record("rumour", data={"heard": 3})
    kind = register_kind("rumour", RumourData)
    try:
        assert plain.replace(content="again").data == RumourData(heard=3)
    finally:
        unregister_kind(kind)


def test_two_cannot_give_one_name_different_data(rumour: Kind) -> None:
    assert register_kind("rumour", RumourData) is rumour
    with pytest.raises(CallerError, match="rumour already carries RumourData"):
        register_kind("rumour", NoteData)


@pytest.mark.parametrize("name", ["", "An Opinion", "a-b", "x" * 65, "_x"])
def test_a_kind_has_a_plain_name(name: str) -> None:
    with pytest.raises(InvalidInput, match="lower-case words"):
        record(name, data={})


def test_asking_for_a_kind_that_is_not_there_says_which_are(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory, pytest.raises(InvalidInput, match=r"rumuor.*one of turn,"):
        memory.agent("ada").recall("anything", kinds=["rumuor"])
