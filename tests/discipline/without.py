"""A pytest plugin that takes a discipline out: its package cannot be imported, as if it had never been installed.

`REMANENT_TEST_WITHOUT` names it. Tests that are about it, by their names or parameters, are left out.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

TAKEN_OUT = os.environ["REMANENT_TEST_WITHOUT"]


class Barrier:
    """Finds nothing of the discipline's package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        package = f"remanent.{TAKEN_OUT}"
        if name == package or name.startswith(f"{package}."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, Barrier())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    about = [item for item in items if TAKEN_OUT in item.nodeid.lower()]
    config.hook.pytest_deselected(items=about)
    items[:] = [item for item in items if item not in about]
