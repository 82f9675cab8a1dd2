"""The Model Context Protocol: the catalogue's tools for any agent, over HTTP and over standard input and output.

Its SDK is the extra `mcp`: nothing here but `server`, and what it imports, needs it, so that the rest of the server
runs without it.
"""

from importlib.util import find_spec

from remanent.errors import MissingDependency

INSTALL = "pip install 'remanent[mcp]'"
MISSING = f"the Model Context Protocol needs its SDK: {INSTALL}"


def is_installed() -> bool:
    """Return whether the protocol's SDK is there."""
    return find_spec("mcp") is not None


def require() -> None:
    """Refuse when it is not."""
    if not is_installed():
        raise MissingDependency(MISSING)
