from pathlib import Path

import pytest

from bench.commands import app
from tests.cli.conftest import Cli, user_at


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(user_at(tmp_path, monkeypatch), app)
