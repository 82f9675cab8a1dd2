import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.testing
from typer.main import get_command
from typer.testing import CliRunner

from remanent.cli.app import app

# Made once: a hundred commands take longer to make than most of them take to run.
vars(typer.testing)["_get_command"] = cache(get_command)


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)


@dataclass(frozen=True, slots=True)
class Cli:
    """The command line of a user with an own home, the agent ada, and search by words only."""

    home: Path
    commands: typer.Typer = app

    @property
    def database(self) -> Path:
        return self.home / "default" / "default" / "ada" / "memory.db"

    def __call__(self, *arguments: str | Path, given: str | bytes | None = None) -> Said:
        words: Sequence[str] = [str(argument) for argument in arguments]
        result = CliRunner().invoke(self.commands, words, input=given, prog_name="remanent", catch_exceptions=False)
        return Said(result.exit_code, result.stdout, result.stderr)

    def told(self, *texts: str, session: str = "s1") -> list[str]:
        """Remember texts and return their ids."""
        lines = "\n".join(json.dumps({"content": text, "session": session}) for text in texts)
        receipt = self("remember", "--file", "-", "--json", given=lines)
        assert receipt.code == 0, receipt.err
        ids: list[str] = receipt.json["entry_ids"]
        return ids


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(user_at(tmp_path, monkeypatch))


def user_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be a user with nothing configured but a home, and return that home."""
    home = tmp_path / "home"
    for name in ("LC_ALL", "LC_MESSAGES", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "REMANENT_DEBUG", "REMANENT_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": str(tmp_path / "user"),
        "LANG": "C.UTF-8",
        "REMANENT_AGENT": "ada",
        "REMANENT_EMBEDDER": "none",
        "REMANENT_HOME": str(home),
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return home
