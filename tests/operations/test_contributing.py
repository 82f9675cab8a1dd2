"""The operation that CONTRIBUTING.md adds from start to end is one that works."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import scripts.cli_face
from remanent.discipline.operation import operation
from remanent.discipline.shapes import Limit, Page, Session
from remanent.model import Entry, Model
from remanent.operations import CATALOGUE, Operation, Permission
from remanent.operations.call import ServiceCall
from remanent.server.documentation import openapi
from tests.server.rest.conftest import AGENT, running

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def declared() -> Operation[Any, Any]:
    """What the document declares, as it stands there."""
    (code,) = re.findall(r"## Add an operation.*?```python\n(.*?)```", TEXT, re.DOTALL)
    known = (Model, operation, Permission, ServiceCall, Entry, Page)
    names: dict[str, Any] = {one.__name__: one for one in known}
    names |= {"Session": Session, "Limit": Limit}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    made = names["OPERATIONS"][-1]
    assert isinstance(made, Operation)
    return made


async def test_it_answers_over_rest(declared: Operation[Any, Any], tmp_path: Path) -> None:
    async with running(tmp_path / "home", catalogue=CATALOGUE.with_more([declared])) as served:
        await served.http.post(f"{AGENT}/entries", json={"messages": ["one", "two", "three"], "session": "monday"})
        answer = await served.http.get(f"{AGENT}/last-words", params={"session": "monday", "limit": 2})
        assert [item["text"] for item in answer.json()["items"]] == ["two", "three"]
        assert (await served.http.get(f"{AGENT}/last-words", params={"limit": 0})).status_code == 422
        assert "last_words" in (await served.http.get("/docs")).text


def test_it_is_described_and_becomes_a_command(declared: Operation[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = CATALOGUE.with_more([declared])
    route = re.search(r"`GET (/v1/\S+last-words)`", TEXT)
    assert route is not None
    assert "get" in openapi(whole)["paths"][route[1]]
    monkeypatch.setattr(scripts.cli_face, "CATALOGUE", whole)
    generated: dict[str, Any] = {}
    exec(compile(scripts.cli_face.generate(), "commands.py", "exec"), generated)
    (command,) = (one for one in generated["COMMANDS"] if one.path == ("last-words",))
    assert {one.shown for one in command.parameters} == {"--session -s NAME", "--limit -n N"}


def test_two_operations_may_call_their_requests_alike(declared: Operation[Any, Any]) -> None:
    class LastWords(Model):
        """Another request of that name, of another discipline."""

        depth: int = 1

    other = dataclasses.replace(declared, name="other_words", request=LastWords, path="other-words")
    paths = openapi(CATALOGUE.with_more([declared, other]))["paths"]
    asked = {
        address.rpartition("/")[2]: {one["name"] for one in described["get"]["parameters"] if one["in"] == "query"}
        for address, described in paths.items()
        if address.endswith("-words")
    }
    assert asked == {"last-words": {"session", "limit"}, "other-words": {"depth"}}
