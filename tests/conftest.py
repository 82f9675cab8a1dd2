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
from _pytest.runner import runtestprotocol
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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test in one of several processes and report how it ended, and what else did not go well.

    That each began, was set up and was taken down is told nobody who did not ask: of six messages for each of 14,000
    tests two are left, and with them a quarter of the CPU of a test that does nothing.
    """
    option = item.config.option
    if not hasattr(item.config, "workerinput") or option.verbose > 0 or option.durations is not None or option.xmlpath:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


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
