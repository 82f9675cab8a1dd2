import sys
from pathlib import Path

import pytest

from remanent.cli.commands import COMMANDS
from remanent.operations import CATALOGUE
from remanent.plugins import OURS
from scripts.cli_face import TARGET, main


@pytest.mark.needs(*OURS)
def test_the_commands_fit_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["cli_face.py", "--check"])
    assert main() == 0


@pytest.mark.needs(*OURS)
def test_stale_commands_are_refused_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "commands.py"
    monkeypatch.setattr(sys, "argv", ["cli_face.py", "--check"])
    assert main(target=target) == 1
    assert "make format" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["cli_face.py"])
    assert main(target=target) == 0
    assert target.read_text(encoding="utf-8") == TARGET.read_text(encoding="utf-8")


def test_every_operation_that_wants_a_command_has_one() -> None:
    made = {one.operation for one in COMMANDS}
    assert made == {operation.name for operation in CATALOGUE.values() if operation.command is not None}
