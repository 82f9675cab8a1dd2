"""Taking one of our disciplines out breaks nothing of the others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
REST = (
    "tests/test_memory.py",
    "tests/recall/test_recall.py",
    "tests/operations/test_service.py",
    "tests/server/rest/test_rest.py",
    "tests/server/mcp/test_tools.py",
    "tests/cli/test_app.py",
)
"""The façade, recall, operations, the server, the commands."""
OF = {
    "bank": "tests/associative/test_memory.py",
    "associative": "tests/bank/test_bank.py",
    "cognition": "tests/bank/test_bank.py",
    "knowledge": "tests/cognition/test_learning.py",
    "workspace": "tests/associative/test_memory.py",
}
"""What shows that the other discipline goes on."""


@pytest.mark.spec("USE-09")
@pytest.mark.parametrize("name", list(OF))
def test_everything_else_goes_on_without_a_discipline(name: str) -> None:
    arguments = ["-q", "-x", "-p", "no:cacheprovider", "-p", "tests.discipline.without"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, *REST, OF[name]],
        cwd=REPOSITORY,
        env={**os.environ, "REMANENT_TEST_WITHOUT": name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
