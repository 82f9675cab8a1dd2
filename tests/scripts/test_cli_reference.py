import sys
from pathlib import Path

import pytest

from remanent.cli.exits import EXIT_MEANINGS
from remanent.plugins import OURS
from scripts.cli_reference import DOCUMENT, document, main


@pytest.mark.needs(*OURS)
def test_the_reference_fits_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["cli_reference.py", "--check"])
    assert main() == 0
    assert DOCUMENT.read_text(encoding="utf-8") == document()


def test_a_stale_reference_is_refused_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "cli.md"
    monkeypatch.setattr(sys, "argv", ["cli_reference.py", "--check"])
    assert main(target=target) == 1
    assert "python scripts/cli_reference.py" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["cli_reference.py"])
    assert main(target=target) == 0
    monkeypatch.setattr(sys, "argv", ["cli_reference.py", "--check"])
    assert main(target=target) == 0


def test_the_reference_holds_every_exit_code_and_every_command() -> None:
    text = document()
    for row in EXIT_MEANINGS:
        assert f"| {int(row.code)} | {row.meaning.en} | {row.meaning.zh} |" in text
    for command in ("remember", "recall", "erase", "doctor", "keys create", "mcp", "mcp install"):
        assert f"### remanent {command}\n" in text
