"""A pytest plugin that takes disciplines out: their packages cannot be imported, as if they had never been installed.

`REMANENT_TEST_WITHOUT` names them, with commas between. Tests that are about them, by their names, their parameters or
what their module imports, are left out, and so are tests that run another process: nothing is taken out of that one, so
that they would prove nothing. `make taken-out` runs all the others without each discipline in turn.
"""

import inspect
import os
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


_LEFT_OUT: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Leave out a module of tests that needs what is taken out, and tell of it."""
    report = yield
    if report.failed and any(f"No module named 'remanent.{taken}" in str(report.longrepr) for taken in TAKEN_OUT):
        _LEFT_OUT.add(collector.nodeid)
        report.outcome, report.longrepr, report.result = "passed", None, []
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _LEFT_OUT:
        terminalreporter.write_line(f"left out, since they import what is taken out: {', '.join(sorted(_LEFT_OUT))}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if _is_about_them(item) or _runs_a_process(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _is_about_them(item: pytest.Item) -> bool:
    name = item.nodeid.lower().replace("/workspaces/", "/")  # a part of addresses, whatever is installed
    return any(taken in name for taken in TAKEN_OUT)


def _runs_a_process(item: pytest.Item) -> bool:
    source = inspect.getsource(item.function) if isinstance(item, pytest.Function) else ""
    return "subprocess." in source or "run_program(" in source
