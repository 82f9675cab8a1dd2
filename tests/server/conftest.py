"""What all tests of the server share."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="package", autouse=True)
def no_certificates() -> Iterator[None]:
    """Trust nobody: everything is plain on loopback, and reading a machine's certificates takes every client 50 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(Path(__file__).parent))
        yield
