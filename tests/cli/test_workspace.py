"""The workspace from the command line."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.mark.spec("WORK-01", "WORK-06", "WORK-10")
def test_a_workspace_is_made_searched_and_looked_at(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGX_WORKSPACE_ROOT", str(tmp_path / "ws"))
    place = ("--agent", "ada", "--home", str(tmp_path / "home"))
    assert str(tmp_path / "ws") in cli("workspace", "init", *place).out
    (tmp_path / "ws" / "MEMORY.md").write_text("# 茶\n\n老王喜欢喝龙井茶。\n", encoding="utf-8")
    said = cli("workspace", "search", "龙井茶", "--mode", "fts", *place)
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("MEMORY.md:1-3")
    assert "long_term" in cli("workspace", "layers", *place).out
    assert cli("workspace", "log", *place).code == 0
    assert cli("workspace", "compact", *place).code == 0
    assert cli("workspace", "init", "--vault", str(tmp_path / "none"), *place).code != 0
