"""Where the survival tests put their files, and how they start processes of their own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.folders import MEMORY

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def fast_folder() -> Iterator[Path]:
    """Lend a folder in memory where there is one: what is proved does not depend on the real disk."""
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="remanent-chaos-") as name:
        yield Path(name)


def command(module: str, *arguments: object) -> list[str]:
    """Return the command that runs a module of the tests in a process of its own."""
    return [sys.executable, "-m", f"tests.chaos.support.{module}", *map(str, arguments)]


def run(module: str, *arguments: object) -> str:
    """Run a module of the tests to its end and return what it said."""
    done = subprocess.run(command(module, *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{module} {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
