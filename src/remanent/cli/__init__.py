"""The command line: `remanent …`."""

from remanent.cli.app import main

__all__ = ["main"]
