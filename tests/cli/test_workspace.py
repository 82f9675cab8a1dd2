"""The workspace from the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.mark.spec("WORK-01", "WORK-06", "WORK-10")
def test_a_workspace_is_made_searched_and_looked_at(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGX_WORKSPACE_ROOT", str(tmp_path / "ws"))
    place = ("--agent", "ada", "--home", str(tmp_path / "home"))
    made = cli("workspace", "init", *place)
    assert str(tmp_path / "ws") in made.out
    assert "REMANENT_HOME" in made.err  # which moves the memories, and not this folder
    (tmp_path / "ws" / "MEMORY.md").write_text("# 茶\n\n老王喜欢喝龙井茶。\n", encoding="utf-8")
    said = cli("workspace", "search", "龙井茶", "--mode", "fts", *place)
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("MEMORY.md:1-3")
    assert "long_term" in cli("workspace", "layers", *place).out
    assert cli("workspace", "log", *place).code == 0
    assert cli("workspace", "compact", *place).code == 0
    assert cli("workspace", "init", "--vault", str(tmp_path / "none"), *place).code != 0


def test_an_agent_is_told_why_it_has_a_folder_of_its_own(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told that its folder, within the home, had nothing to do with the home."""
    monkeypatch.setenv("AGX_WORKSPACE_ROOT", str(tmp_path / "ws"))
    home = ("--home", str(tmp_path / "home"))
    cli("workspace", "init", "--agent", "ada", *home)
    other = cli("workspace", "init", "--agent", "lin", *home)
    assert str(tmp_path / "home") in other.out
    assert "used it first" in other.err
    assert "REMANENT_HOME" not in other.err


def test_a_run_ends_from_a_json_list_and_its_changes_are_told(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGX_WORKSPACE_ROOT", str(tmp_path / "ws"))
    place = ("--agent", "ada", "--home", str(tmp_path / "home"))
    cli("workspace", "init", *place)
    assert "Nothing" in cli("workspace", "changes", *place).err
    request = {"messages": [{"role": "user", "content": f"Please fix test {number}."} for number in range(6)]}
    (tmp_path / "run.json").write_text(json.dumps(request, indent=1), encoding="utf-8")
    assert "6 facts" in cli("workspace", "end", "--file", str(tmp_path / "run.json"), *place).out
    (tmp_path / "list.json").write_text(json.dumps(request["messages"]), encoding="utf-8")
    again = ("workspace", "end", "--file", str(tmp_path / "list.json"), *place)
    assert cli(*again).err.strip() == "Nothing was written: all of it stands there already."
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert cli(*again).err.strip() == "没有写入：内容均已有记录。"
    monkeypatch.setenv("REMANENT_LANGUAGE", "en")
    told = cli("workspace", "changes", *place).out
    assert "+++ MEMORY.md" in told
    (tmp_path / "bad.json").write_text('[{"role": "user"', encoding="utf-8")
    assert "bad.json is not JSON" in cli("workspace", "end", "--file", str(tmp_path / "bad.json"), *place).err
