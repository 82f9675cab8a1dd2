"""One scenario file, the same outcome through every interface."""

import json
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent import errors
from remanent.cli.generation import FLAGS
from remanent.operations import CATALOGUE
from tests.cli.conftest import Cli, cli
from tests.client.serving import serving
from tests.scenario.play import Do, play, steps

__all__ = ["cli"]


def through(agent: Any) -> Do:
    """Do operations by the methods of an agent's memory, open here or served elsewhere."""

    def do(name: str, given: dict[str, Any]) -> Any:
        face = CATALOGUE[name].face
        assert face is not None
        holder = getattr(agent, face.part) if face.part else agent
        answer = getattr(holder, face.method)(**given)
        return {"done": True} if answer is None else answer

    return do


def through_commands(cli: Cli) -> Do:
    """Do operations by the commands of the real program."""

    def do(name: str, given: dict[str, Any]) -> Any:
        arguments, told = _line(name, given)
        command = CATALOGUE[name].command
        path = (command.path if command is not None else None) or name.replace("_", "-").split(".")
        said = cli(*path, *arguments, "--json", given=told)
        if said.err.startswith('{"error"'):
            raise getattr(errors, said.error["error"])(said.error["message"])
        if command is not None and command.repeated:
            return said.json[0]
        return {"done": True} if said.json is None else said.json

    return do


def _line(name: str, given: dict[str, Any]) -> tuple[list[str], str | None]:
    """Return the words of a command, and what is piped into it."""
    if name == "remember":
        return ["--file", "-", "--session", given["session"]], "\n".join(map(json.dumps, given["messages"]))
    command = CATALOGUE[name].command
    assert command is not None
    arguments = CATALOGUE[name].path_fields if command.arguments is None else command.arguments
    by_place = dict.fromkeys([*arguments, *([command.repeated] if command.repeated else [])])
    words = ["--yes"] if CATALOGUE[name].destroys else []
    words += [str(given[field]) for field in by_place if field in given]
    for field, value in given.items():
        flag = FLAGS.get(field, (f"--{field.replace('_', '-')}",))[0]
        for one in value if isinstance(value, list) else [value]:
            if field not in by_place:
                words += [flag] if one is True else [flag, str(one)]
    return words, None


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What the library itself makes of the scenario."""
    with remanent.open(tmp_path_factory.mktemp("library"), embedder="none") as memory:
        return play(through(memory.agent("ada", workspace="default", org="default")))


def test_the_library_does_what_the_scenario_is_about(expected: list[Any]) -> None:
    outcome = [(step["do"], answer) for step, answer in zip(steps(), expected, strict=True)]
    recalled = [[item["text"] for item in answer["items"]] for name, answer in outcome if name == "recall"]
    assert "I am moving from Berlin to Lisbon in May." in recalled[0]
    assert recalled[1] == ["王芳负责前端，李雷负责后端。"]
    assert recalled[2] == []
    assert "新版本原定 6 月 3 日发布。" not in recalled[3]
    assert "新版本原定 6 月 3 日发布。" in recalled[4]
    assert not any("4711" in text for text in recalled[5])
    refused = [answer["error"] for _, answer in outcome if isinstance(answer, dict) and "error" in answer]
    assert refused == ["InvalidInput", "VersionConflict", "NotFound"]


def test_a_served_memory_gives_the_same(expected: list[Any], tmp_path: Path) -> None:
    with serving(tmp_path / "served") as served, remanent.connect(served.url) as memory:
        assert play(through(memory.agent("ada"))) == expected


def test_the_command_line_gives_the_same(expected: list[Any], cli: Cli) -> None:
    assert play(through_commands(cli)) == expected
