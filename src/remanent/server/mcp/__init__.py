"""The Model Context Protocol: the catalogue's tools for any agent, over HTTP and over standard input and output."""

from remanent.server.mcp.part import Mcp
from remanent.server.mcp.stdio import serve_stdio

__all__ = ["Mcp", "serve_stdio"]
