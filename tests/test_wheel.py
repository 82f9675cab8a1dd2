"""What is published is what is tested: the wheel, installed by pip into an environment of its own, works."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent


def run(*words: str | Path, cwd: Path) -> str:
    """Run a program of that environment, as a user of it would, and return what it says."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "REMANENT_"))}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**kept, "REMANENT_EMBEDDER": "none", "REMANENT_HOME": str(cwd / "home")},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=REPOSITORY)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.spec("USE-07")
def test_a_wheel_installed_by_pip_remembers_and_recalls(wheel: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    venv.create(clean, symlinks=True)
    python = clean / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel, cwd=tmp_path
    )
    # What it depends on is lent by the environment of this test: nothing is downloaded.
    (site,) = clean.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = run(python, "-c", "import remanent; print(remanent.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(clean)
    command = clean / "bin" / "remanent"
    assert run(command, "--version", cwd=tmp_path).startswith("remanent 0.")
    run(command, "remember", "--agent", "ada", "I moved to Lisbon in May.", cwd=tmp_path)
    assert "I moved to Lisbon in May." in run(command, "recall", "--agent", "ada", "Lisbon", cwd=tmp_path)


def test_the_wheel_says_where_the_project_lives_and_holds_nothing_but_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        (metadata,) = [name for name in names if name.endswith("/METADATA")]
        told = Parser().parsestr(files.read(metadata).decode())
    assert {line.partition(",")[0] for line in told.get_all("Project-URL", [])} == {
        "Homepage", "Documentation", "Changelog",
    }  # fmt: skip
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"remanent"}
    assert "remanent/py.typed" in names
