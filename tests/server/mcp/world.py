"""MCP as clients meet it: the official client over both transports."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from remanent.http.client import certificates
from remanent.memory import aopen
from remanent.operations import CATALOGUE, Catalogue, Service
from remanent.server.app import create_app
from remanent.server.mcp.server import Mcp
from tests.server.proxy.world import serving

Transport = Literal["stdio", "http"]
TRANSPORTS: tuple[Transport, ...] = ("stdio", "http")


@dataclass
class Served:
    """A server with MCP in it."""

    service: Service
    address: str

    @asynccontextmanager
    async def client(self, *, query: str = "", **headers: str) -> AsyncIterator[Client]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            httpx2.AsyncClient(headers=named, timeout=30, verify=certificates()) as http,
            Client(streamable_http_client(f"{self.address}/mcp{query}", http_client=http)) as client,
        ):
            yield client


@asynccontextmanager
async def served(home: Path, *, catalogue: Catalogue = CATALOGUE, **settings: Any) -> AsyncIterator[Served]:
    async with aopen(home, embedder="none", **settings) as memory, Service(memory, catalogue=catalogue) as service:
        part = Mcp(service)
        async with part.running(), serving(create_app(service, parts=[part])) as address:
            yield Served(service, address)


@asynccontextmanager
async def connected(home: Path, transport: Transport) -> AsyncIterator[Client]:
    """A client of the agent ada, over one of the transports."""
    if transport == "http":
        async with served(home) as server, server.client(x_remanent_agent="ada") as client:
            yield client
        return
    environment = {name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "PATH", "HOME"))}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "remanent", "mcp", "--home", str(home), "--agent", "ada"],
        env={**environment, "REMANENT_EMBEDDER": "none"},
    )
    async with Client(started) as client:
        yield client


def text_of(result: Any) -> str:
    (block,) = result.content
    assert block.type == "text"
    return str(block.text)
