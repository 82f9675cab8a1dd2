"""Where the survival tests put their files, and how they start processes of their own."""

import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Do work in a process of its own, and return how that ended and what it gave; threads live there only."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            with os.fdopen(writer, "wb") as out:
                out.write(pickle.dumps(work()))
            os._exit(0)
        except BaseException:  # noqa: BLE001 - border: a child must never go on as its parent
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as given:
        content = given.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), pickle.loads(content) if content else None
