"""The catalogue: every operation says all that the interfaces need, and nothing of the library is missing from it."""

import inspect
import re
from typing import Any

import pytest
from pydantic import TypeAdapter

from remanent.discipline import registered
from remanent.discipline.shapes import ZH, Done, Nothing, read_cursor, write_cursor
from remanent.memory import AsyncAgent, AsyncAgentAdmin
from remanent.model import Model, RecallOptions
from remanent.operations import CATALOGUE, Body, Call, Catalogue, Operation, Permission, operation

EVERY = pytest.mark.parametrize("one", CATALOGUE.values(), ids=CATALOGUE.keys())
# What only somebody at the machine itself can do: the copy that `repair` makes lies on its disk.
LOCAL_ONLY = {
    "admin": {"repair", "dead_letters"},
    # A server opens and closes the memory itself, and single nodes are looked at where they lie.
    "associative": {"close", "importance", "initialize", "jobs", "links", "node", "nodes"},
}
FACES: dict[str, type] = {"": AsyncAgent, "admin": AsyncAgentAdmin}
FACES |= {one.name: one.agent_face for one in registered() if one.agent_face is not None}


@EVERY
def test_an_operation_is_explained_in_both_languages(one: Operation[Any, Any]) -> None:
    assert one.help.en.endswith(".")
    assert re.search(r"[\u4e00-\u9fff]", one.help.zh)
    if one.tool is not None:
        assert re.search(r"[\u4e00-\u9fff]", one.tool.description.zh)
        assert {name.partition(".")[0] for name in one.tool.fields or ()} <= set(one.request.model_fields)


@EVERY
def test_every_field_of_a_request_is_explained_in_both_languages(one: Operation[Any, Any]) -> None:
    for name, field in one.request.model_fields.items():
        assert field.description, name
        assert isinstance(field.json_schema_extra, dict), name
        assert re.search(r"[\u4e00-\u9fff]", str(field.json_schema_extra[ZH])), name


@EVERY
def test_examples_are_requests(one: Operation[Any, Any]) -> None:
    for example in one.examples:
        assert isinstance(one.request.model_validate(dict(example)), one.request)


@EVERY
def test_the_shapes_of_request_and_answer_can_be_told_as_json_schema(one: Operation[Any, Any]) -> None:
    assert one.request.model_json_schema()["type"] == "object"
    if one.answers is Body.JSON:
        assert TypeAdapter(one.response).json_schema(mode="serialization")


@EVERY
def test_reading_changes_nothing_and_changing_is_no_get(one: Operation[Any, Any]) -> None:
    assert not (one.changes and one.method == "GET")
    assert not (one.changes and one.permission is Permission.READ)


@pytest.mark.parametrize(("part", "kind"), FACES.items())
def test_everything_that_an_agents_memory_can_do_is_an_operation(part: str, kind: type) -> None:
    able = {
        name
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and (inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member))
    }
    offered = {one.face.method for one in CATALOGUE.values() if one.face is not None and one.face.part == part}
    assert able - LOCAL_ONLY.get(part, set()) == offered


def test_a_face_takes_the_same_arguments_as_its_operation() -> None:
    options = set(RecallOptions.model_fields)
    for one in CATALOGUE.values():
        if one.face is None or one.name == "attachment":
            continue
        method = getattr(FACES[one.face.part], one.face.method)
        taken = set(inspect.signature(method).parameters) - {"self", "on_progress"}
        if "options" in taken:
            taken = taken - {"options"} | options
        assert taken - {one.face.upload} <= set(one.request.model_fields), one.name


def test_no_more_than_eleven_tools_are_shown_to_a_model() -> None:
    assert sum(one.tool is not None for one in CATALOGUE.values()) < 12


class _Wave(Model):
    times: int = 1


def _wave(name: str, **more: Any) -> Operation[_Wave, Done]:
    @operation(name, zh="挥手。", permission=Permission.READ, **more)
    async def wave(call: Call, request: _Wave) -> Done:
        """Wave."""
        del call, request
        return Done()

    return wave


def test_a_route_follows_from_the_name_unless_it_is_given() -> None:
    waved = _wave("sea.wave_twice")
    assert (waved.method, waved.path) == ("POST", "sea/wave-twice")


def test_two_operations_cannot_share_a_name_or_a_route() -> None:
    with pytest.raises(ValueError, match="two operations are called wave"):
        Catalogue([_wave("wave"), _wave("wave")])
    with pytest.raises(ValueError, match="same route"):
        Catalogue([_wave("wave", route="GET sea"), _wave("swell", route="GET sea")])


@pytest.mark.parametrize("name", ["Wave", "a.b.c", "wave-twice", ""])
def test_a_name_that_no_interface_could_show_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name of an operation"):
        _wave(name)


def test_a_place_in_the_path_must_be_a_field_of_the_request() -> None:
    with pytest.raises(ValueError, match="sea_id in its path"):
        _wave("wave", route="GET seas/{sea_id}")


def test_an_operation_without_words_is_refused() -> None:
    async def silent(call: Call, request: Nothing) -> Done:
        del call, request
        return Done()

    with pytest.raises(ValueError, match="needs a docstring"):
        operation("silent", zh="无声。", permission=Permission.READ)(silent)


@pytest.mark.parametrize("place", [7, "0190-abc", 0])
def test_a_cursor_stands_for_its_place(place: int | str) -> None:
    assert read_cursor(write_cursor(place), type(place)) == place
