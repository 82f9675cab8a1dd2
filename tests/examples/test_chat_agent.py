"""The chat agent of the examples knows in its third session what it was told in the others."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "chat_agent.py"


@pytest.mark.spec("USE-07")
def test_what_was_told_in_one_session_is_known_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER", "none")
    said = dict(runpy.run_path(str(EXAMPLE))["main"](str(tmp_path)))
    assert "peanuts" in said["What am I allergic to?"]
    assert "12 June" in said["When does my sister visit me?"]
    assert "table for Ana" in said["What did you set a reminder for?"]
