"""The protocol's own conformance suite, against a server as users start it; `make conformance` installs the suite."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SUITE = Path(os.environ.get("REMANENT_CONFORMANCE", ".venv/conformance")).resolve() / "node_modules"
NODE = SUITE / "node" / "bin" / "node"
PROGRAM = SUITE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# What the server declares. The suite's other scenarios call tools, resources and prompts of the suite's own names.
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(not PROGRAM.exists(), reason="the suite is not installed; run: make conformance"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json"]
    settings = {"REMANENT_HOME": str(tmp_path_factory.mktemp("home")), "REMANENT_EMBEDDER": "none"}
    with subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        try:
            yield json.loads(os.read(server.stdout.fileno(), 65_536))["mcp"]
        finally:
            server.terminate()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_server_does_what_the_protocol_says(address: str, scenario: str) -> None:
    command = [str(NODE), str(PROGRAM), "server", "--url", address, "--scenario", scenario]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    assert "0 failed, 0 warnings" in done.stdout
