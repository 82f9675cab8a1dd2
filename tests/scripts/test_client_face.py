import sys
from pathlib import Path

import pytest

from remanent.plugins import OURS
from scripts.client_face import MEMORY, TARGET, Part, generate, main


@pytest.mark.needs(*OURS)
def test_the_remote_face_fits_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["client_face.py", "--check"])
    assert main() == 0


@pytest.mark.needs(*OURS)
def test_a_stale_face_is_refused_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "remote.py"
    monkeypatch.setattr(sys, "argv", ["client_face.py", "--check"])
    assert main(target=target) == 1
    assert "make format" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["client_face.py"])
    assert main(target=target) == 0
    assert target.read_text(encoding="utf-8") == TARGET.read_text(encoding="utf-8")


def test_a_method_that_the_catalogue_names_and_the_memory_lacks_is_noticed() -> None:
    source = (
        Part("AsyncAgent", MEMORY).path.read_text(encoding="utf-8").replace("async def recall(", "async def remind(")
    )
    with pytest.raises(KeyError, match="recall"):
        generate(memory=source.replace("async def recall(", "async def remind("))
