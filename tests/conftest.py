"""What all tests share: a slow machine is no failure, and a run tries what the run before it tried.

Days are those of the machine's zone: here UTC, unless a test says otherwise.

New examples are looked for at full counts only (`make chaos` sets `REMANENT_CHAOS=full`; it works for any test).
"""

import gc
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from tests.folders import MEMORY

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
# For `make mutants`, which asks whether a test fails and not by how small an example.
settings.register_profile("noticing", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
settings.load_profile("searching" if os.environ.get("REMANENT_CHAOS") == "full" else "same")

# Processes that tests start keep what they compile: reading all of the source anew takes each of them 2 s of CPU.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["TZ"] = "UTC"
time.tzset()

if MEMORY is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # where `tmp_path` lies

gc.disable()  # until all tests are collected: nothing of them is garbage, and to look took each process 4 s of CPU


def pytest_collection_finish() -> None:
    gc.freeze()  # tests live as long as the run: what is made from here on is looked through, and not they
    gc.set_threshold(20_000, 20, 20)  # of 700 objects, it took tests a twenty-fifth of their CPU
    gc.enable()


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """Yield an empty folder where the machine keeps its temporary files, which is a disk as a rule."""
    with tempfile.TemporaryDirectory(prefix="remanent-test-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@pytest.fixture
def eight_hours_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose own time is eight hours ahead of UTC."""
    monkeypatch.setenv("TZ", "EAST-8")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
