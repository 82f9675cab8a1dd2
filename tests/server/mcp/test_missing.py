"""Without the protocol's SDK, an extra, everything else works and `remanent mcp` says what to install."""

import pytest

from remanent.errors import MissingDependency
from remanent.server import mcp


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    assert not mcp.is_installed()
    with pytest.raises(MissingDependency, match=r"pip install 'remanent\[mcp\]'"):
        mcp.require()


def test_nothing_is_missing_where_it_is_installed() -> None:
    mcp.require()
