"""What is published is what is tested: the wheel, installed by pip into an environment of its own, works."""

import os
import subprocess
import sys
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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


def metadata(wheel: Path) -> Message:
    """Return what a wheel says of itself."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith("/METADATA")]
        return Parser().parsestr(files.read(name).decode())


def lend(required: list[str], site: Path) -> None:
    """Give an environment what a wheel declares that it needs, and what that needs, and nothing else.

    It is lent by the environment of this test, so that nothing is downloaded.
    """
    waiting, seen = [Requirement(one) for one in required], set()
    while waiting:
        wanted = waiting.pop()
        extras = wanted.extras or {""}
        if (wanted.marker and not wanted.marker.evaluate({"extra": ""})) or str(wanted) in seen:
            continue
        seen.add(str(wanted))
        found = distribution(wanted.name)
        for one in map(Requirement, found.requires or ()):
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
                one.marker = None
                waiting.append(one)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(found.locate_file(top))))


IMPORT_ALL = """
import importlib, pkgutil, remanent
missing = set()
for module in pkgutil.walk_packages(remanent.__path__, "remanent.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            missing.add(error.name.partition(".")[0])
print(*sorted(missing))
"""
OF_EXTRAS = "agents grpc hypothesis langchain_core langgraph mcp mcp_types obstore psycopg pymilvus pytest redis"
"""What adapters of extras import when they are loaded; all else must come with the base install."""


@pytest.mark.spec("USE-07")
def test_a_wheel_installed_by_pip_remembers_and_recalls(wheel: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    venv.create(clean, symlinks=True)
    python = clean / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel, cwd=tmp_path
    )
    (site,) = clean.glob("lib/python*/site-packages")
    lend(metadata(wheel).get_all("Requires-Dist", []), site)
    assert set(run(python, "-c", IMPORT_ALL, cwd=tmp_path).split()) <= set(OF_EXTRAS.split())
    where = run(python, "-c", "import remanent; print(remanent.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(clean)
    command = clean / "bin" / "remanent"
    assert run(command, "--version", cwd=tmp_path).startswith("remanent 0.")
    run(command, "remember", "--agent", "ada", "I moved to Lisbon in May.", cwd=tmp_path)
    assert "I moved to Lisbon in May." in run(command, "recall", "--agent", "ada", "Lisbon", cwd=tmp_path)


def test_the_wheel_says_where_the_project_lives_and_holds_nothing_but_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
    assert {line.partition(",")[0] for line in metadata(wheel).get_all("Project-URL", [])} == {
        "Homepage", "Documentation", "Changelog",
    }  # fmt: skip
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"remanent"}
    assert "remanent/py.typed" in names
