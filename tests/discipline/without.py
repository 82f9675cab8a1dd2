"""A pytest plugin that takes disciplines out: their packages cannot be imported, as if they had never been installed.

`REMANENT_TEST_WITHOUT` names them, with commas between. Tests that are about them, by their names or parameters, are
left out, and so are tests that run another process: nothing is taken out of that one, so that they would prove nothing.
"""

import inspect
import os
import sys
from collections.abc import Sequence
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
