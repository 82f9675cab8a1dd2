import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_the_entry_for_a_client_is_shown_and_names_this_memory(cli: Cli) -> None:
    said = cli("mcp", "install", "--for", "vscode", "--agent", "bob")
    assert said.code == 0
    entry = json.loads(said.out)["servers"]["remanent"]
    assert entry["type"] == "stdio"
    assert entry["args"][:3] == ["-m", "remanent", "mcp"]
    assert entry["args"][entry["args"].index("--home") + 1] == str(cli.home)
    assert entry["args"][-2:] == ["--agent", "bob"]
    assert "Visual Studio Code" in said.err
    assert not (cli.home.parent / "user").exists()


def test_the_entry_is_written_once_and_the_old_file_kept(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"other": {"command": "x"}}}')
    command = ("mcp", "install", "--for", "cursor", "--write", "--file", file, "--json")
    first, second = cli(*command).json, cli(*command).json
    assert (first["changed"], second["changed"]) == (True, False)
    assert json.loads(Path(first["backup"]).read_text()) == {"mcpServers": {"other": {"command": "x"}}}
    assert set(json.loads(file.read_text())["mcpServers"]) == {"other", "remanent"}


def test_a_client_nobody_knows_is_refused_with_those_that_are_known(cli: Cli) -> None:
    said = cli("mcp", "install", "--for", "emacs")
    assert said.code != 0
    assert "claude-desktop" in said.err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_is_in_the_users_language(cli: Cli, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setenv("REMANENT_LANGUAGE", language)
    said = cli("mcp", "install", "--for", "windsurf")
    assert ("重新启动" in said.err) is (language == "zh")
