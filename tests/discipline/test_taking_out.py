"""Taking our disciplines out breaks nothing of what is left."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
REPOSITORY = Path(__file__).parents[2]
CORE = (
    "tests/test_memory.py",
    "tests/recall/test_recall.py",
    "tests/operations/test_service.py",
    "tests/server/rest/test_rest.py",
    "tests/server/mcp/test_tools.py",
    "tests/cli/test_app.py",
)
"""The façade, recall, operations, the server, the commands."""
OWN = {
    "bank": "tests/bank/test_bank.py",
    "associative": "tests/associative/test_memory.py",
    "cognition": "tests/cognition/test_learning.py",
    "knowledge": "tests/knowledge/test_operations.py",
    "workspace": "tests/workspace/test_operations.py",
}
"""What shows that a discipline works."""


@pytest.mark.spec("USE-09")
def test_the_core_needs_none_of_the_disciplines() -> None:
    assert " passed" in _outcome(CORE, without=tuple(OWN))


@pytest.mark.spec("USE-09")
@pytest.mark.parametrize("name", list(OWN))
def test_every_discipline_works_with_none_of_the_others(name: str) -> None:
    # So none needs any other. The tests of the service go through the operations of every discipline that is there.
    others = tuple(other for other in OWN if other != name)
    assert " passed" in _outcome(["tests/operations/test_service.py", OWN[name]], without=others)


def _outcome(tests: Sequence[str], *, without: Sequence[str]) -> str:
    """Run tests in a process in which some disciplines cannot be imported."""
    # Without plug-ins that none of these tests uses: loading them took each process a second.
    unused = [part for name in ("schemathesis", "valkey", "xdist", "pytest_cov") for part in ("-p", f"no:{name}")]
    arguments = ["-q", "-x", "-p", "no:cacheprovider", *unused, "-p", "tests.discipline.without"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, *tests],
        cwd=REPOSITORY,
        env={**os.environ, "REMANENT_TEST_WITHOUT": ",".join(without)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout
