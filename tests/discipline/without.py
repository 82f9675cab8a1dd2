"""A pytest plugin that takes disciplines out: their packages cannot be imported, as if they had never been installed.

`REMANENT_TEST_WITHOUT` names them, with commas between. Tests that are about them, by their names, their parameters,
their mark `needs` or what their module imports, are left out, and so are tests that run another process: nothing is
taken out of that one, so that they would prove nothing. All that is left out is listed at the end. `make taken-out`
runs all the others without each discipline in turn.
"""

import inspect
import os
import re
import sys
from collections.abc import Generator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

TAKEN_OUT = tuple(os.environ["REMANENT_TEST_WITHOUT"].split(","))


class Barrier:
    """Finds nothing of the disciplines' packages."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if f"{name}.".startswith(tuple(f"remanent.{taken}." for taken in TAKEN_OUT)):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, Barrier())


_LEFT_OUT: dict[str, list[str]] = {}
"""Tests and modules of tests, by why they are left out."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Leave out a module of tests that needs what is taken out."""
    report = yield
    if report.failed and any(f"No module named 'remanent.{taken}" in str(report.longrepr) for taken in TAKEN_OUT):
        _LEFT_OUT.setdefault("they import what is taken out", []).append(collector.nodeid)
        report.outcome, report.longrepr, report.result = "passed", None, []
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = {item: why for item in items if (why := _why_left_out(item))}
    for item, why in left_out.items():
        _LEFT_OUT.setdefault(why, []).append(item.nodeid)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell all that was left out, and why."""
    for why, left_out in sorted(_LEFT_OUT.items()):
        terminalreporter.section(f"{len(left_out)} left out, since {why}", sep="-")
        for name in sorted(left_out):
            terminalreporter.write_line(name)


def _why_left_out(item: pytest.Item) -> str:
    if any(set(mark.args) & set(TAKEN_OUT) for mark in item.iter_markers("needs")):
        return "they say that they need what is taken out"
    name = item.nodeid.lower().replace("/workspaces/", "/")  # a part of addresses, whatever is installed
    if re.search(rf"(?<![a-z])(?:{'|'.join(TAKEN_OUT)})", name):
        return "they are named after what is taken out"
    source = inspect.getsource(item.function) if isinstance(item, pytest.Function) else ""
    starts = "subprocess." in source or "run_program(" in source or "[stdio]" in name
    return "they run another process" if starts else ""
