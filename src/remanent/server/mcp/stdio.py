"""MCP over standard input and output: a client starts this as a process of its own."""

from mcp.server.stdio import stdio_server

from remanent.memory import aopen
from remanent.operations import CATALOGUE, LOCAL, Catalogue, Place, Service
from remanent.server.mcp.protocol import Visitor, make_server
from remanent.settings import Settings


async def serve_stdio(settings: Settings, *, place: Place, catalogue: Catalogue = CATALOGUE) -> None:
    """Serve one client until it closes our input; whoever starts the process may do what its files allow."""
    visitor = Visitor(LOCAL, place)
    async with aopen(settings=settings) as memory, Service(memory, catalogue=catalogue) as service:
        server = make_server(service, visit=lambda _: visitor)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
